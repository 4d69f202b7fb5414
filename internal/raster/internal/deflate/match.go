package deflate

import (
	"encoding/binary"
	"math/bits"
)

const (
	maxDistance  = 32 << 10 // the farthest a match may be
	longestMatch = 258
	// The shortest matches that are taken. A far one's distance has ten or so bits besides its code and must save more.
	shortestNear = 4
	shortestFar  = 8

	matchBlock  = 256 << 10 // the most bytes that share a code
	mostMatches = 16 << 10  // of a block
)

// match is a run of literals and the match after it: from the lowest bit, 8 bits of the match's length minus three, a bit that is
// set if it is far, and the number of literals, less than matchBlock.
type match uint32

const (
	matchFar      match = 1 << 8
	matchLiterals       = 9 // where their number begins
)

// parser finds matches. What it counts is of one block.
type parser struct {
	matches []match
	tail    int         // literals after the last match
	lengths [256]uint32 // matches of each length, minus three
	far     uint32      // matches that are far
	of      [256]symbol // code of each length, with its extra bits
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
	e.far = 0
	clear(e.frequency.lit[:])
	clear(e.lengths[:])
}

// parse finds matches of src[from:to], and counts those and the literals between, until there are as many as a block
// may have. It returns where it ended.
func (e *Encoder) parse(src []byte, from, to, near, far int) int {
	e.matches = e.matches[:0]
	src = src[:to]
	i, begin := from, from // of the literals that no match covers
	for ; i < min(near, to); i++ {
		e.frequency.lit[src[i]]++
	}
	for i < to && len(e.matches) < mostMatches {
		distance, until := far, to
		if i < far {
			distance, until = near, min(to, far) // no row above
		}
		i, begin = e.parsePart(src[:until], i, begin, near, distance, distance != near)
	}
	e.tail = i - begin
	return i
}

// parsePart is parse where matches are looked for at both distances, of src[i:], of which the literals from begin on belong
// to the next match. It returns the new i and begin.
func (e *Encoder) parsePart(src []byte, i, begin, near, far int, isFar bool) (int, int) {
	literals := (*[256]uint32)(e.frequency.lit[:])
	// Of three slices, so that one index fits all.
	from := i
	here, left, above := src[from:], src[from-near:], src[from-far:]
	left, above = left[:len(here)], above[:len(here)]
	i, begin = 0, begin-from
	for i <= len(here)-8 {
		v := binary.LittleEndian.Uint64(here[i:])
		a := v ^ binary.LittleEndian.Uint64(left[i:])
		b := v ^ binary.LittleEndian.Uint64(above[i:])
		if a<<(64-8*shortestNear) != 0 && b != 0 {
			literals[byte(v)]++
			i++
			continue
		}
		n, distance := 0, match(0)
		if a == 0 {
			n = 8 + same(here[i+8:], left[i+8:])
		} else if a<<(64-8*shortestNear) == 0 {
			n = bits.TrailingZeros64(a) / 8
		}
		if b == 0 && isFar {
			if m := 8 + same(here[i+8:], above[i+8:]); m > n+1 {
				n, distance = m, matchFar
			}
		}
		e.add(match(i-begin), n, distance)
		i += n
		begin = i
		if len(e.matches) >= mostMatches {
			return from + i, from + begin
		}
	}
	for ; i < len(here); i++ {
		literals[here[i]]++
	}
	return from + i, from + begin
}

// same is how many bytes a and b, of the same length, begin with that are equal.
func same(a, b []byte) int {
	b = b[:len(a)]
	n := 0
	for n <= len(a)-8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		n += 8
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

// add notes literals and the match after them, in pieces that have a code; none is shorter than three bytes.
func (e *Encoder) add(literals match, length int, distance match) {
	for {
		n := min(length, longestMatch)
		if left := length - n; left == 1 || left == 2 {
			n -= 3
		}
		e.matches = append(e.matches, literals<<matchLiterals|distance|match(n-3))
		e.lengths[n-3]++
		e.far += uint32(distance / matchFar)
		if length -= n; length == 0 {
			return
		}
		literals = 0
	}
}

// count makes the frequencies of the codes of lengths and distances, and returns the number of extra bits.
func (e *Encoder) count(near, far int) (extra int) {
	var all uint32
	for n, k := range e.lengths {
		s := lengthCode(uint(n))
		e.frequency.lit[s.symbol] += k
		extra += int(k) * int(s.extra)
		all += k
	}
	clear(e.frequency.dist[:])
	s, x := distanceCode(uint(near - 1))
	e.frequency.dist[s] += all - e.far
	extra += int(all-e.far) * int(x)
	s, x = distanceCode(uint(far - 1))
	e.frequency.dist[s] += e.far
	return extra + int(e.far)*int(x)
}

// distanceCode is the symbol of a distance, given minus one, and how many extra bits follow it: its lowest.
func distanceCode(d uint) (symbol, extra uint) {
	k := uint(bits.Len(d|3)) - 2
	return 2*k + d>>k, k
}

// distance is the code of a distance with its extra bits.
func (e *Encoder) distance(d int) symbol {
	s, extra := distanceCode(uint(d - 1))
	return e.dist.of[s].with(uint64(d-1), extra)
}

// lengthSymbol is the symbol of a match's length and how many extra bits follow it.
type lengthSymbol struct{ symbol, extra uint16 }

// lengthCode is the symbol of a length, given minus three; its extra bits are the lowest of that.
func lengthCode(n uint) lengthSymbol {
	if n == longestMatch-3 {
		return lengthSymbol{litSymbols - 1, 0}
	}
	k := uint(bits.Len(n|7)) - 3
	return lengthSymbol{uint16(endOfBlock + 1 + 4*k + n>>k), uint16(k)}
}

// matchBlock writes the codes of the bytes that were parsed.
func (e *Encoder) matchBlock(b []byte, near, far int) {
	for n := range uint(len(e.of)) {
		s := lengthCode(n)
		e.of[n] = e.lit.of[s.symbol].with(uint64(n), uint(s.extra))
	}
	of := (*[256]symbol)(e.lit.of[:])
	b = e.w.matches(b, e.matches, of, &e.of, [2]symbol{e.distance(near), e.distance(far)})
	e.w.literals(b, of)
}

// matches writes the codes of literals and matches and returns the bytes that are left. There must be room.
func (w *bitWriter) matches(b []byte, list []match, literals, lengths *[256]symbol, distances [2]symbol) []byte {
	at := len(w.out)
	out, acc, n := w.out[:cap(w.out)], w.acc, w.n
	for _, m := range list {
		k := int(m >> matchLiterals)
		for ; k >= 4; k -= 4 {
			v := binary.LittleEndian.Uint32(b)
			b = b[4:]
			s := literals[byte(v)]
			acc = acc>>(s&63) | uint64(s)
			n += uint(s)
			s = literals[byte(v>>8)]
			acc = acc>>(s&63) | uint64(s)
			n += uint(s)
			s = literals[byte(v>>16)]
			acc = acc>>(s&63) | uint64(s)
			n += uint(s)
			s = literals[v>>24]
			acc = acc>>(s&63) | uint64(s)
			n += uint(s)
			binary.LittleEndian.PutUint64(out[at:], acc>>(-n&63))
			at += int(n >> 3 & 7)
			n &= 7
		}
		// The last literals, three at most, without asking how many: a match has three bytes, so they can be read,
		// and a symbol without bits does nothing.
		s := literals[b[0]] & symbol((0-k)>>63)
		acc = acc>>(s&63) | uint64(s)
		n += uint(s)
		s = literals[b[1]] & symbol((1-k)>>63)
		acc = acc>>(s&63) | uint64(s)
		n += uint(s)
		s = literals[b[2]] & symbol((2-k)>>63)
		acc = acc>>(s&63) | uint64(s)
		n += uint(s)
		n &= 63
		binary.LittleEndian.PutUint64(out[at:], acc>>1>>(63-n)) // n may be 0
		at += int(n >> 3)
		n &= 7
		// 7 bits of before, 17 of a length and 25 of a distance.
		s = lengths[uint8(m)]
		acc = acc>>(s&63) | uint64(s)
		n += uint(s)
		s = distances[m/matchFar&1]
		acc = acc>>(s&63) | uint64(s)
		n += uint(s)
		binary.LittleEndian.PutUint64(out[at:], acc>>(-n&63))
		at += int(n >> 3 & 7)
		n &= 7
		b = b[k+int(uint8(m))+3:]
	}
	w.out, w.acc, w.n = out[:at], acc, n
	return b
}
