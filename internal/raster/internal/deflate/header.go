package deflate

// Symbols of the code lengths' code that stand for several lengths.
const (
	repeatLast  = 16 // 3 to 6 times, 2 extra bits
	repeatZero  = 17 // 3 to 10 times, 3 extra bits
	repeatZeros = 18 // 11 to 138 times, 7 extra bits
)

// lenOrder is the order in which the lengths of the code lengths' code are sent.
var lenOrder = [lenSymbols]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// header is the beginning of a block that brings its own codes: their lengths, run-length coded and in a code of their
// own (RFC 1951, 3.2.7).
type header struct {
	lits, dists int // lengths sent of each code
	runs        []lengthRun
	frequency   [lenSymbols]uint32
	code        code
	sent        int // lengths sent of the code lengths' code
}

// lengthRun is a symbol of the code lengths' code with its extra bits.
type lengthRun struct{ symbol, extra uint8 }

// make prepares the header of two codes and returns its size in bits, the three that begin the block left out.
func (h *header) make(b *builder, lit, dist *code) int {
	h.lits, h.dists = litSymbols, distSymbol
	for h.lits > endOfBlock+1 && lit.lens[h.lits-1] == 0 {
		h.lits--
	}
	for h.dists > 1 && dist.lens[h.dists-1] == 0 {
		h.dists--
	}
	var all [litSymbols + distSymbol]uint8
	copy(all[:], lit.lens[:h.lits])
	copy(all[h.lits:], dist.lens[:h.dists])
	h.runs = h.runs[:0]
	clear(h.frequency[:])
	lens := all[:h.lits+h.dists]
	for len(lens) > 0 {
		v, n := lens[0], 1
		for n < len(lens) && lens[n] == v {
			n++
		}
		lens = lens[n:]
		if v != 0 {
			h.add(v, 0)
			n--
		}
		for n >= 3 {
			k := 0
			switch {
			case v != 0:
				k = min(n, 6)
				h.add(repeatLast, uint8(k-3))
			case n <= 10:
				k = n
				h.add(repeatZero, uint8(k-3))
			default:
				k = min(n, 138)
				h.add(repeatZeros, uint8(k-11))
			}
			n -= k
		}
		for range n {
			h.add(v, 0)
		}
	}
	b.build(&h.code, h.frequency[:], maxLenBits)
	h.sent = lenSymbols
	for h.sent > 4 && h.code.lens[lenOrder[h.sent-1]] == 0 {
		h.sent--
	}
	return 5 + 5 + 4 + 3*h.sent + h.code.cost(h.frequency[:]) +
		int(2*h.frequency[repeatLast]+3*h.frequency[repeatZero]+7*h.frequency[repeatZeros])
}

func (h *header) add(s, extra uint8) {
	h.runs = append(h.runs, lengthRun{s, extra})
	h.frequency[s]++
}

func (h *header) write(w *bitWriter) {
	w.put(bitsOf(uint64(h.lits-257), 5))
	w.put(bitsOf(uint64(h.dists-1), 5))
	w.put(bitsOf(uint64(h.sent-4), 4))
	for _, s := range lenOrder[:h.sent] {
		w.put(bitsOf(uint64(h.code.lens[s]), 3))
	}
	for _, r := range h.runs {
		w.put(h.code.of[r.symbol])
		switch r.symbol {
		case repeatLast:
			w.put(bitsOf(uint64(r.extra), 2))
		case repeatZero:
			w.put(bitsOf(uint64(r.extra), 3))
		case repeatZeros:
			w.put(bitsOf(uint64(r.extra), 7))
		}
	}
}
