package inflate

import "encoding/binary"

// adlerMod is the modulus of Adler-32: the largest prime below 65536.
const adlerMod = 65521

// adlerRun is how many words of eight bytes are summed before lanes of 16 bits are emptied: the sum of sums of n
// bytes is up to 255*n*(n-1)/2, which stays below 65536 up to 23.
const adlerRun = 22

// adlerUpdate goes on with an Adler-32 sum (RFC 1950, section 8.2), 1 at the start. It adds the bytes of eight lanes
// at once, about twice as fast as hash/adler32, which is its reference in tests.
func adlerUpdate(sum uint32, p []byte) uint32 {
	a, b := uint64(sum&0xffff), uint64(sum>>16)
	const odd, run = 0x00ff00ff00ff00ff, 8 * adlerRun
	for len(p) >= run {
		// With words w0, w1, ... of the run and s the sum of a word's bytes, b grows by 8*n*a for what was there, by
		// 8*s for each word that follows one, and within a word by 8 times its first byte, 7 times its second, ...
		var even, other, evens, others uint64
		for q := p[:run:run]; len(q) >= 8; q = q[8:] {
			x := binary.LittleEndian.Uint64(q)
			evens += even
			others += other
			even += x & odd
			other += x >> 8 & odd
		}
		b += run * a
		b += 8 * (lanes(evens) + lanes(others))
		b += 8*(even&0xffff) + 6*(even>>16&0xffff) + 4*(even>>32&0xffff) + 2*(even>>48)
		b += 7*(other&0xffff) + 5*(other>>16&0xffff) + 3*(other>>32&0xffff) + other>>48
		a += lanes(even) + lanes(other)
		if b >= 1<<60 {
			a, b = a%adlerMod, b%adlerMod
		}
		p = p[run:]
	}
	for _, c := range p {
		a += uint64(c)
		b += a
	}
	return uint32(b%adlerMod)<<16 | uint32(a%adlerMod)
}

// lanes adds the four lanes of 16 bits.
func lanes(x uint64) uint64 {
	const even = 0x0000ffff0000ffff
	x = x&even + x>>16&even
	return x&0xffffffff + x>>32
}
