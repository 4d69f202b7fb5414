package simd

import "math/bits"

const (
	low7   = 0x7f7f7f7f7f7f7f7f // all but the top bit of each byte
	top8   = 0x8080808080808080
	ones8  = 0x0101010101010101
	low15  = 0x7fff7fff7fff7fff
	top16  = 0x8000800080008000
	ones16 = 0x0001000100010001

	// Multiplying bits at 0, 8, .. 56 (0, 16, 32, 48) by these moves them next to each other into the top 8 (4)
	// bits, in order and without a carry, since no two of the partial products meet.
	gather8  = 0x0102040810204080
	gather16 = 1<<60 | 1<<45 | 1<<30 | 1<<15
)

// atLeast is the comparison "lane >= n" of all lanes of a word at once, n in 0..2*half, where half is the weight of
// a lane's top bit. With x's top bits masked off, adding half-n (or, for an n above half, 2*half-n) carries into the
// top bit exactly if the low bits reach n (or n-half); the sample's own top bit then decides alone (or must be set
// too). Which of both is put into masks, so that the loop has no branch.
type atLeast struct{ add, or, and uint64 }

func newAtLeast(n, half uint, lanes uint64) atLeast {
	if n <= half {
		return atLeast{add: uint64(half-n) * lanes, or: ^uint64(0), and: ^uint64(0)}
	}
	return atLeast{add: uint64(2*half-n) * lanes}
}

// top gives the answer in the top bit of each lane; low is x without these bits.
func (c *atLeast) top(x, low uint64) uint64 { return (low + c.add | x&c.or) & (x | c.and) }

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
		nb := notB.top(x, low) & top8 >> 7
		ia := isA.top(x, low) & top8 >> 7
		b = b>>8 | nb*gather8&(0xff<<56)
		a = a>>8 | ia*gather8&(0xff<<56)
	}
	return ^b, a
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
		nb := notB.top(x, low) & top16 >> 15
		ia := isA.top(x, low) & top16 >> 15
		b = b>>4 | nb*gather16&(0xf<<60)
		a = a>>4 | ia*gather16&(0xf<<60)
	}
	return ^b, a
}

// thresholdF32Go: not both of nanB and nanA. NaN samples are neither > nor <, so a set that is to hold them is the
// complement of the opposite comparison, and costs nothing more.
func thresholdF32Go(b, a []uint64, v []float32, lo, hi float32, nanB, nanA bool) {
	i := 0
	for ; len(v) > 0; i++ {
		n := min(len(v), 64)
		wb, wa, nan := threshold64F32(v[:n], lo, hi)
		if nanB {
			wb |= nan
		}
		wa &^= wb
		if nanA {
			wa |= nan
		}
		b[i], a[i] = wb, wa
		v = v[n:]
	}
}

// threshold64F32 compares up to 64 samples.
func threshold64F32(v []float32, lo, hi float32) (b, a, nan uint64) {
	for _, x := range v {
		b = b>>1 | oneIf(x <= lo)<<63
		a = a>>1 | oneIf(x >= hi)<<63
		nan = nan>>1 | oneIf(x != x)<<63
	}
	s := uint(64 - len(v))
	return b >> (s & 63), a >> (s & 63), nan >> (s & 63)
}

// oneIf compiles to a SETcc or CSET, not to a branch.
func oneIf(c bool) uint64 {
	var n uint64
	if c {
		n = 1
	}
	return n
}

// tableU8Go keeps both answers of a value in one word, so that a sample costs one look-up.
func tableU8Go(b, a []uint64, v []uint8, t *Table8) {
	const isB, isA = 1 << 31, 1 << 63
	var of [256]uint64
	for i := range of {
		of[i] = t.B[i/64]>>(i%64)&1<<31 | t.A[i/64]>>(i%64)&1<<63
	}
	i := 0
	for ; len(v) >= 64; i, v = i+1, v[64:] {
		p := (*[64]uint8)(v)
		var lo, hi uint64 // B in the low half, A in the high one
		for j := range 32 {
			lo = lo>>1&^isB | of[p[j]]
			hi = hi>>1&^isB | of[p[j+32]]
		}
		b[i] = lo&(1<<32-1) | hi<<32
		a[i] = lo>>32 | hi&^(1<<32-1)
	}
	if len(v) > 0 {
		b[i], a[i] = 0, 0
		for j, x := range v {
			b[i] |= of[x] & isB >> 31 << j
			a[i] |= of[x] & isA >> 63 << j
		}
	}
}

func tableU16Go(b, a []uint64, v []uint16, t *Table16) {
	for i := 0; len(v) > 0; i++ {
		n := min(len(v), 64)
		var wb, wa uint64
		for _, x := range v[:n] {
			wb = bits.RotateLeft64(t.B[x/64]>>(x%64)&1, -1) | wb>>1
			wa = bits.RotateLeft64(t.A[x/64]>>(x%64)&1, -1) | wa>>1
		}
		s := uint(64 - n)
		b[i], a[i] = wb>>(s&63), wa>>(s&63)
		v = v[n:]
	}
}
