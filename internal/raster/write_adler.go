package raster

import "segscan/internal/raster/internal/simd"

const writeAdlerMod = 65521

// writeAdler is the Adler-32 of b (RFC 1950).
func writeAdler(b []byte) uint32 { return simd.Adler32(1, b) }

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
