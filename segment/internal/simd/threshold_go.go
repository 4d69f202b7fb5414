package simd

import "math"

const (
	low7   = 0x7f7f7f7f7f7f7f7f // all but the top bit of each byte
	top8   = 0x8080808080808080
	ones8  = 0x0101010101010101
	low15  = 0x7fff7fff7fff7fff // the same for lanes of 16 bits
	top16  = 0x8000800080008000
	ones16 = 0x0001000100010001
)

// atLeast is the comparison "lane >= n" of all lanes of a word at once, n in 0..2*half, where half is the weight of
// a lane's top bit. With x's top bits masked off, adding half-n (or, for an n above half, 2*half-n) carries into the
// top bit exactly if the low bits reach n (or n-half); the sample's own top bit then settles it alone, or must be
// set too.
type atLeast struct {
	add  uint64
	both bool // the second case
}

func newAtLeast(n, half uint, lanes uint64) atLeast {
	if n <= half {
		return atLeast{uint64(half-n) * lanes, false}
	}
	return atLeast{uint64(2*half-n) * lanes, true}
}

// top gives the answer in the top bit of each lane; low is x without these bits, and the other bits are rubbish.
// The branch goes the same way for a whole call.
func (c atLeast) top(x, low uint64) uint64 {
	if c.both {
		return (low + c.add) & x
	}
	return (low + c.add) | x
}

// thresholdU8Go sets b for v < lo1 and a for v >= hi, lo1 <= hi <= 256.
func thresholdU8Go(b, a []uint64, v []uint8, lo1, hi uint) {
	notB, isA := newAtLeast(lo1, 128, ones8), newAtLeast(hi, 128, ones8)
	i := 0
	for ; len(v) >= 64; i, v = i+1, v[64:] {
		b[i], a[i] = threshold64U8((*[64]uint8)(v), notB, isA)
	}
	if len(v) > 0 {
		var tail [64]uint8
		copy(tail[:], v)
		wb, wa := threshold64U8(&tail, notB, isA)
		keep := uint64(1)<<len(v) - 1
		b[i], a[i] = wb&keep, wa&keep
	}
}

func threshold64U8(v *[64]uint8, notB, isA atLeast) (b, a uint64) {
	for j := 0; j < 64; j += 8 {
		p := (*[8]uint8)(v[j:])
		x := uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 |
			uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
		low := x & low7
		// After the loop, bit k of byte i is the answer for sample 8k+i.
		b = b>>1 | notB.top(x, low)&top8
		a = a>>1 | isA.top(x, low)&top8
	}
	return ^transpose8(b), transpose8(a)
}

// swapBits exchanges the bits of x under m with those shift above.
func swapBits(x, m uint64, shift uint) uint64 {
	t := (x>>shift ^ x) & m
	return x ^ t ^ t<<shift
}

// transpose8 turns bit k of byte i into bit i of byte k (Warren, "Hacker's Delight", section 7-3).
func transpose8(x uint64) uint64 {
	x = swapBits(x, 0x00aa00aa00aa00aa, 7)
	x = swapBits(x, 0x0000cccc0000cccc, 14)
	return swapBits(x, 0x00000000f0f0f0f0, 28)
}

// transpose16 turns bit k of the 16-bit lane i into bit 4k+i: the six bits of a position turn left by two, in four
// exchanges of two of them.
func transpose16(x uint64) uint64 {
	x = swapBits(x, 0x00000000ff00ff00, 24)
	x = swapBits(x, 0x00cc00cc00cc00cc, 6)
	x = swapBits(x, 0x0000f0f00000f0f0, 12)
	return swapBits(x, 0x0a0a0a0a0a0a0a0a, 3)
}

// thresholdU16Go sets b for v < lo1 and a for v >= hi, lo1 <= hi <= 65536.
func thresholdU16Go(b, a []uint64, v []uint16, lo1, hi uint) {
	notB, isA := newAtLeast(lo1, 1<<15, ones16), newAtLeast(hi, 1<<15, ones16)
	i := 0
	for ; len(v) >= 64; i, v = i+1, v[64:] {
		b[i], a[i] = threshold64U16((*[64]uint16)(v), notB, isA)
	}
	if len(v) > 0 {
		var tail [64]uint16
		copy(tail[:], v)
		wb, wa := threshold64U16(&tail, notB, isA)
		keep := uint64(1)<<len(v) - 1
		b[i], a[i] = wb&keep, wa&keep
	}
}

func threshold64U16(v *[64]uint16, notB, isA atLeast) (b, a uint64) {
	for j := 0; j < 64; j += 4 {
		p := (*[4]uint16)(v[j:])
		x := uint64(p[0]) | uint64(p[1])<<16 | uint64(p[2])<<32 | uint64(p[3])<<48
		low := x & low15
		b = b>>1 | notB.top(x, low)&top16
		a = a>>1 | isA.top(x, low)&top16
	}
	return ^transpose16(b), transpose16(a)
}

// thresholdF32Go: not both of nanB and nanA. No comparison holds for NaN, so a set that is to hold NaN is the
// complement of the opposite comparison, with the next number for a bound, and costs nothing more.
func thresholdF32Go(b, a []uint64, v []float32, lo, hi float32, nanB, nanA bool) {
	above, below := nextUp(lo), -nextUp(-hi)
	for i := 0; len(v) > 0; i++ {
		n := min(len(v), 64)
		var tail [64]float32
		w := &tail
		if n == 64 {
			w = (*[64]float32)(v)
		} else {
			copy(tail[:], v)
		}
		var wb, wa uint64
		if nanB {
			wb = ^notBelow(w, above)
		} else {
			wb = notAbove(w, lo)
		}
		if nanA {
			wa = ^notAbove(w, below)
		} else {
			wa = notBelow(w, hi)
		}
		keep := ^uint64(0) >> (64 - n)
		b[i], a[i] = wb&keep, wa&^wb&keep
		v = v[n:]
	}
}

// nextUp is the least number above c, so that v > c is v >= nextUp(c): -Inf for a NaN c, which no number is at
// most, and NaN where there is none.
func nextUp(c float32) float32 {
	switch {
	case c != c:
		return float32(math.Inf(-1))
	case c > math.MaxFloat32:
		return float32(math.NaN())
	}
	return math.Nextafter32(c, float32(math.Inf(1)))
}

// notAbove sets the bits of samples <= c.
func notAbove(v *[64]float32, c float32) (m uint64) {
	for j := 0; j < 64; j += 8 {
		p := (*[8]float32)(v[j:])
		m |= (oneIf(p[0] <= c) | oneIf(p[1] <= c)<<1 | oneIf(p[2] <= c)<<2 | oneIf(p[3] <= c)<<3 |
			oneIf(p[4] <= c)<<4 | oneIf(p[5] <= c)<<5 | oneIf(p[6] <= c)<<6 | oneIf(p[7] <= c)<<7) << j
	}
	return m
}

// notBelow sets the bits of samples >= c.
func notBelow(v *[64]float32, c float32) (m uint64) {
	for j := 0; j < 64; j += 8 {
		p := (*[8]float32)(v[j:])
		m |= (oneIf(p[0] >= c) | oneIf(p[1] >= c)<<1 | oneIf(p[2] >= c)<<2 | oneIf(p[3] >= c)<<3 |
			oneIf(p[4] >= c)<<4 | oneIf(p[5] >= c)<<5 | oneIf(p[6] >= c)<<6 | oneIf(p[7] >= c)<<7) << j
	}
	return m
}

// oneIf compiles to a SETcc or CSET, not to a branch.
func oneIf(c bool) uint64 {
	var n uint64
	if c {
		n = 1
	}
	return n
}
