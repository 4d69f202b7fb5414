package simd

import "math"

// Key maps float32 to uint32 so that numbers keep their order and equal numbers (-0 and 0) are equal. The keys of
// finite numbers lie strictly between KeyNegInf and KeyPosInf, those of NaN beyond them.
func Key(v float32) uint32 {
	u := math.Float32bits(v + 0) // -0 + 0 is 0
	return u ^ (uint32(int32(u)>>31) | 1<<31)
}

// Keys of the infinities.
const (
	KeyNegInf = 0x007fffff
	KeyPosInf = 0xff800000
)

func histogramU8Go(tables *[8][256]uint32, v []uint8) {
	for ; len(v) >= 8; v = v[8:] {
		p := (*[8]uint8)(v)
		tables[0][p[0]]++
		tables[1][p[1]]++
		tables[2][p[2]]++
		tables[3][p[3]]++
		tables[4][p[4]]++
		tables[5][p[5]]++
		tables[6][p[6]]++
		tables[7][p[7]]++
	}
	for _, x := range v {
		tables[0][x]++
	}
}

func histogramU16Go(table *[65536]uint32, v []uint16) {
	for ; len(v) >= 4; v = v[4:] {
		p := (*[4]uint16)(v)
		if p[0] == p[1] && p[0] == p[2] && p[0] == p[3] { // flat regions: one store, not four in a chain
			table[place16(p[0])] += 4
			continue
		}
		table[place16(p[0])]++
		table[place16(p[1])]++
		table[place16(p[2])]++
		table[place16(p[3])]++
	}
	for _, x := range v {
		table[place16(x)]++
	}
}

// keysF32Go writes the top halves of the keys of v and takes their extremes into c, up to the first sample that is not
// finite; it says how many samples that was.
func keysF32Go(keys []uint16, v []float32, c *F32Counts) int {
	lo, hi := c.Min, c.Max
	n := len(v)
	for i, x := range v {
		k := Key(x)
		if k-KeyNegInf-1 >= KeyPosInf-KeyNegInf-1 {
			n = i
			break
		}
		keys[i] = uint16(k >> 16)
		lo, hi = min(lo, k), max(hi, k)
	}
	c.Min, c.Max = lo, hi
	return n
}

// FiniteSumsF32 adds up the finite samples and their squares, both from left to right, starting at 0. A square of a
// float32 is exact in float64, so that a fused multiplication and addition gives the same.
func FiniteSumsF32(v []float32) (sum, square float64) {
	for _, x := range v {
		y := float64(x)
		if y-y != 0 { // NaN or infinite
			continue
		}
		sum += y
		square += y * y
	}
	return sum, square
}

func fourSumsF32Go(v *[256]float32) (sum, square [4]float64) {
	for k := range sum {
		sum[k], square[k] = FiniteSumsF32(v[64*k:][:64])
	}
	return sum, square
}

// Extremes are kept in whole registers, since narrow ones compile to much slower code, and by twos, since each waits
// for the one before.

func statU8Go(v []uint8) (sum uint64, lo, hi uint8) {
	l, h := uint64(v[0]), uint64(v[0])
	l2, h2 := l, h
	for ; len(v) >= 2; v = v[2:] {
		x, y := uint64(v[0]), uint64(v[1])
		sum += x + y
		l, h = min(l, x), max(h, x)
		l2, h2 = min(l2, y), max(h2, y)
	}
	if len(v) == 1 {
		x := uint64(v[0])
		sum, l, h = sum+x, min(l, x), max(h, x)
	}
	return sum, uint8(min(l, l2)), uint8(max(h, h2))
}

func statU16Go(v []uint16) (sum uint64, lo, hi uint16) {
	l, h := uint64(v[0]), uint64(v[0])
	l2, h2 := l, h
	for ; len(v) >= 2; v = v[2:] {
		x, y := uint64(v[0]), uint64(v[1])
		sum += x + y
		l, h = min(l, x), max(h, x)
		l2, h2 = min(l2, y), max(h2, y)
	}
	if len(v) == 1 {
		x := uint64(v[0])
		sum, l, h = sum+x, min(l, x), max(h, x)
	}
	return sum, uint16(min(l, l2)), uint16(max(h, h2))
}

// sumGo adds eight chains, so that no addition waits for the one before.
func sumGo(v []uint64) (sum uint64) {
	var s [8]uint64
	for ; len(v) >= 8; v = v[8:] {
		for k, x := range (*[8]uint64)(v) {
			s[k] += x
		}
	}
	for _, x := range s {
		sum += x
	}
	for _, x := range v {
		sum += x
	}
	return sum
}
