package deflate

import (
	"math/bits"

	"segscan/internal/raster/internal/simd"
)

const (
	maxDistance = 32 << 10
	matchBlock  = 256 << 10 // the most bytes that share a code
	mostMatches = 16 << 10  // of a block, or somewhat more
)

// parser finds matches. What it counts is of one block.
type parser struct {
	matches []simd.Match
	codes   simd.MatchCodes
}

// Matches deflates src[from:]; what is before it was deflated in the same run. It looks for matches at the two
// distances where images have them: near, that of a sample, at least 1, and far, that of a row. Matches at far are left
// out if it is more than matches can be, 32768. near must not be. With final, the stream ends with it.
func (e *Encoder) Matches(src []byte, from, near, far int, final bool) {
	if far > maxDistance {
		far = near
	}
	for {
		e.forget()
		to := e.parse(src, from, min(len(src), from+matchBlock), near, far)
		ends := final && to == len(src)
		if e.choose(to-from, e.count(near, far), ends) {
			e.matchBlock(src[from:to], near, far)
			e.end(ends)
		} else {
			e.stored(src[from:to], ends)
		}
		if from = to; from == len(src) {
			return
		}
	}
}

// forget begins to count anew.
func (e *Encoder) forget() {
	e.matches = e.matches[:0]
	clear(e.frequency.lit[:])
}

// parse finds matches of src[from:to], and counts the literals between, until there are as many matches as a block
// may have. It returns where it ended.
func (e *Encoder) parse(src []byte, from, to, near, far int) int {
	src = src[:to]
	i, begin := from, from // of the literals that no match covers
	literals := (*[256]uint32)(e.frequency.lit[:])
	count := func(end int) {
		for ; i < end; i++ {
			literals[src[i]]++
		}
	}
	count(min(near, to))
	if i < far { // no row above
		end := min(far, to)
		i, begin, e.matches = simd.Parse(src[:end], i, begin, near, near, e.matches, mostMatches, literals)
		if len(e.matches) >= mostMatches {
			return begin
		}
		count(end)
	}
	i, begin, e.matches = simd.Parse(src, i, begin, near, far, e.matches, mostMatches, literals)
	if len(e.matches) >= mostMatches {
		return begin
	}
	count(to)
	return to
}

// count makes the frequencies of the codes of lengths and distances, and returns the number of extra bits.
func (e *Encoder) count(near, far int) (extra int) {
	var lengths [256]uint32
	all, isFar := len(e.matches), 0
	for _, m := range e.matches {
		lengths[uint8(m)]++
		isFar += m.Far()
	}
	for n, k := range lengths {
		s := lengthCode(uint(n))
		e.frequency.lit[s.symbol] += k
		extra += int(k) * int(s.extra)
	}
	clear(e.frequency.dist[:])
	s, x := distanceCode(uint(near - 1))
	e.frequency.dist[s] += uint32(all - isFar)
	extra += (all - isFar) * int(x)
	s, x = distanceCode(uint(far - 1))
	e.frequency.dist[s] += uint32(isFar)
	return extra + isFar*int(x)
}

// distanceCode is the symbol of a distance, given minus one, and how many extra bits follow it: its lowest.
func distanceCode(d uint) (symbol, extra uint) {
	k := uint(bits.Len(d|3)) - 2
	return 2*k + d>>k, k
}

// distance is the code of a distance with its extra bits.
func (e *Encoder) distance(d int) symbol {
	s, extra := distanceCode(uint(d - 1))
	return join(e.dist.of[s], uint64(d-1), extra)
}

// lengthSymbol is the symbol of a match's length and how many extra bits follow it.
type lengthSymbol struct{ symbol, extra uint16 }

// lengthCode is the symbol of a length, given minus three; its extra bits are the lowest of that.
func lengthCode(n uint) lengthSymbol {
	if n == simd.LongestMatch-3 {
		return lengthSymbol{litSymbols - 1, 0}
	}
	k := uint(bits.Len(n|7)) - 3
	return lengthSymbol{uint16(endOfBlock + 1 + 4*k + n>>k), uint16(k)}
}

// matchBlock writes the codes of the bytes that were parsed.
func (e *Encoder) matchBlock(b []byte, near, far int) {
	c := &e.codes
	copy(c.Literals[:], e.lit.of[:])
	for n := range uint(len(c.Lengths)) {
		s := lengthCode(n)
		c.Lengths[n] = join(e.lit.of[s.symbol], uint64(n), uint(s.extra))
	}
	c.Distances = [2]symbol{e.distance(near), e.distance(far)}
	b = e.w.matches(b, e.matches, c)
	e.w.literals(b, &c.Literals)
}
