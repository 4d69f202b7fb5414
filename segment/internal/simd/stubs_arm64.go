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

// tableU16NEON looks samples up in the whole table.
//
//go:noescape
func tableU16NEON(b, a *uint64, v *uint16, words int, of *[65536]uint8)

// histogramU8NEON counts blocks of 16 samples; sample i goes to table i%8, or, in a block of one value, all to the
// first.
//
//go:noescape
func histogramU8NEON(tables *[8][256]uint32, v *uint8, blocks int)

// histogramU16NEON counts blocks of 8 samples, each at its place (see place16).
//
//go:noescape
func histogramU16NEON(table *[65536]uint32, v *uint16, blocks int)

// keysF32NEON writes the top halves of the keys of blocks of 8 samples and takes the extremes of the keys by lanes, up
// to the first block that holds a sample which is not finite; it says how many blocks that was.
//
//go:noescape
func keysF32NEON(v *float32, blocks int, keys *uint16, least, most *[4]uint32) (done int)
