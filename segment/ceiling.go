package segment

import "segscan/segment/internal/simd"

// ReadWords adds up v on one core with the widest loads and the most accumulators this machine's instructions give:
// little more than reading, so its time is what a pass over the same memory could take at best. It exists to be timed.
func ReadWords(v []uint64) uint64 { return simd.Sum(v) }

// Instructions names the level of instructions the CPU engine's loops use on this machine: portable, neon, avx2, avx512
// or avx512vbmi. Results are the same with each.
func Instructions() string { return simd.Best().String() }
