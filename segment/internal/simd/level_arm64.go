//go:build !noasm

package simd

// machineLevels: every arm64 processor that Go runs on has NEON.
func machineLevels() []Level { return []Level{NEON} }
