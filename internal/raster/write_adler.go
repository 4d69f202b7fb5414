package raster

import "encoding/binary"

const writeAdlerMod = 65521

// writeAdler is the Adler-32 of b (RFC 1950). hash/adler32 takes a byte at a time, a sixth of the time of writing
// a noisy image; here eight bytes are added in two words of four 16-bit lanes.
//
// Over a block of k words of eight bytes, byte r of word q counts 8(k-q)-r times in the second sum. With S[r] the sum
// of the lane and P[r] the sum of what S[r] was after each word, that is 8 P[r] - r S[r]. At k = 16 the lanes hold:
// P[r] is at most 255*136 = 34680, and the weighted sums below at most 16*255*16 = 65280.
func writeAdler(b []byte) uint32 {
	const (
		words = 16
		block = 8 * words
		even  = 0x00ff00ff00ff00ff
		pair  = 0x0000ffff0000ffff
		// Multiplying by these adds the lanes, weighted, in the top lane.
		ones   = 0x0001_0001_0001_0001
		byEven = 0x0000_0002_0004_0006
		byOdd  = 0x0001_0003_0005_0007
	)
	s1, s2 := uint64(1), uint64(0)
	for len(b) >= block {
		var se, so, pe, po uint64
		for w := b[:block]; len(w) >= 8; w = w[8:] {
			v := binary.LittleEndian.Uint64(w)
			se += v & even
			so += v >> 8 & even
			pe += se
			po += so
		}
		p := pe&pair + pe>>16&pair + po&pair + po>>16&pair
		p = p&0xffffffff + p>>32
		s2 += block*s1 + 8*p - (se*byEven)>>48 - (so*byOdd)>>48
		s1 += se*ones>>48 + so*ones>>48
		s1, s2 = s1%writeAdlerMod, s2%writeAdlerMod
		b = b[block:]
	}
	for _, v := range b {
		s1 += uint64(v)
		s2 += s1
	}
	return uint32(s2%writeAdlerMod<<16 | s1%writeAdlerMod)
}

// writeJoinAdler is the Adler-32 of two runs of bytes of which the second is n long, from their sums: the second
// run's s2 lacks n times what its s1 began with, and both began with a one that only the first run has.
func writeJoinAdler(first, second uint32, n int64) uint32 {
	a1, b1 := uint64(first&0xffff), uint64(first>>16)
	a2, b2 := uint64(second&0xffff), uint64(second>>16)
	m := uint64(n % writeAdlerMod)
	a := (a1 + a2 + writeAdlerMod - 1) % writeAdlerMod
	b := (b1 + b2 + m*(a1+writeAdlerMod-1)) % writeAdlerMod
	return uint32(b<<16 | a)
}
