//go:build !noasm

package simd

// thresholdU8NEON sets b for v < lo1, and a for v >= hi if keepA is all ones and not 0.
//
//go:noescape
func thresholdU8NEON(b, a *uint64, v *uint8, words int, lo1, hi uint8, keepA uint64)

// thresholdU16NEON sets b for v < lo1, and a for v >= hi if keepA is all ones and not 0.
//
//go:noescape
func thresholdU16NEON(b, a *uint64, v *uint16, words int, lo1, hi uint16, keepA uint64)

// thresholdF32NEON sets b for v <= lo, a for v >= hi that is not in b; NaN goes to neither.
//
//go:noescape
func thresholdF32NEON(b, a *uint64, v *float32, words int, lo, hi float32)

// thresholdF32NaNBNEON sets b unless v >= lo, so for NaN, and a for v >= hi that is not in b.
//
//go:noescape
func thresholdF32NaNBNEON(b, a *uint64, v *float32, words int, lo, hi float32)

// thresholdF32NaNANEON sets b for v <= lo, and a unless v <= hi or in b, so for NaN.
//
//go:noescape
func thresholdF32NaNANEON(b, a *uint64, v *float32, words int, lo, hi float32)

// tableU8NEON looks samples up in the whole table.
//
//go:noescape
func tableU8NEON(b, a *uint64, v *uint8, words int, of *[256]uint8)
