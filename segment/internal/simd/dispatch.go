package simd

// The forms in use. These are the portable ones for every platform.

func thresholdU8(b, a []uint64, v []uint8, lo1, hi uint)   { thresholdU8Go(b, a, v, lo1, hi) }
func thresholdU16(b, a []uint64, v []uint16, lo1, hi uint) { thresholdU16Go(b, a, v, lo1, hi) }
func thresholdF32(b, a []uint64, v []float32, lo, hi float32, nanB, nanA bool) {
	thresholdF32Go(b, a, v, lo, hi, nanB, nanA)
}
func tableU8(b, a []uint64, v []uint8, t *Table8)                 { tableU8Go(b, a, v, t) }
func tableU16(b, a []uint64, v []uint16, t *Table16)              { tableU16Go(b, a, v, t) }
func histogramU8(bins *[256]uint64, v []uint8)                    { histogramU8Go(bins, v) }
func histogramU16(bins *[65536]uint64, v []uint16)                { histogramU16Go(bins, v) }
func histogramF32(bins *[65536]uint64, v []float32, c *F32Counts) { histogramF32Go(bins, v, c) }
func statU8(v []uint8) (sum uint64, lo, hi uint8)                 { return statU8Go(v) }
func statU16(v []uint16) (sum uint64, lo, hi uint16)              { return statU16Go(v) }
