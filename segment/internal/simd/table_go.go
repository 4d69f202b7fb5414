package simd

// tableU8Go and tableU16Go gather the two bits of 32 samples in one word, the boundary bit of sample k at 2k, and
// then part even from odd bits.

func tableU8Go(b, a []uint64, v []uint8, t *Table8) {
	for i := 0; len(v) > 0; i++ {
		n := min(len(v), 64)
		var lo, hi uint64
		if n == 64 {
			p := (*[64]uint8)(v)
			for j := range 32 {
				lo = lo>>2 | uint64(t.Of[p[j]])<<62
				hi = hi>>2 | uint64(t.Of[p[j+32]])<<62
			}
		} else {
			for j, x := range v[:min(n, 32)] {
				lo |= uint64(t.Of[x]) << (2 * j)
			}
			for j, x := range v[min(n, 32):] {
				hi |= uint64(t.Of[x]) << (2 * j)
			}
		}
		b[i], a[i] = evenBits(lo)|evenBits(hi)<<32, evenBits(lo>>1)|evenBits(hi>>1)<<32
		v = v[n:]
	}
}

func tableU16Go(b, a []uint64, v []uint16, t *Table16) {
	for i := 0; len(v) > 0; i++ {
		n := min(len(v), 64)
		var lo, hi uint64
		if n == 64 {
			p := (*[64]uint16)(v)
			for j := range 32 {
				lo = lo>>2 | uint64(t.Of[p[j]])<<62
				hi = hi>>2 | uint64(t.Of[p[j+32]])<<62
			}
		} else {
			for j, x := range v[:min(n, 32)] {
				lo |= uint64(t.Of[x]) << (2 * j)
			}
			for j, x := range v[min(n, 32):] {
				hi |= uint64(t.Of[x]) << (2 * j)
			}
		}
		b[i], a[i] = evenBits(lo)|evenBits(hi)<<32, evenBits(lo>>1)|evenBits(hi>>1)<<32
		v = v[n:]
	}
}

// evenBits gathers bits 0, 2, 4 .. 62 in the low half.
func evenBits(x uint64) uint64 {
	x &= 0x5555555555555555
	x = (x | x>>1) & 0x3333333333333333
	x = (x | x>>2) & 0x0f0f0f0f0f0f0f0f
	x = (x | x>>4) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return (x | x>>16) & 0x00000000ffffffff
}
