//go:build noasm || (!amd64 && !arm64)

package simd

// The only level is the portable one.

func (Level) thresholdU8(b, a []uint64, v []uint8, lo1, hi uint)   { thresholdU8Go(b, a, v, lo1, hi) }
func (Level) thresholdU16(b, a []uint64, v []uint16, lo1, hi uint) { thresholdU16Go(b, a, v, lo1, hi) }
func (Level) thresholdF32(b, a []uint64, v []float32, lo, hi float32, nanB, nanA bool) {
	thresholdF32Go(b, a, v, lo, hi, nanB, nanA)
}
func (Level) tableU8(b, a []uint64, v []uint8, t *Table8)       { tableU8Go(b, a, v, t) }
func (Level) tableU16(b, a []uint64, v []uint16, t *Table16)    { tableU16Go(b, a, v, t) }
func (Level) statU8(v []uint8) (sum uint64, lo, hi uint8)       { return statU8Go(v) }
func (Level) statU16(v []uint16) (sum uint64, lo, hi uint16)    { return statU16Go(v) }
func (Level) sum(v []uint64) uint64                             { return sumGo(v) }
func (Level) spans(out []Pair, list []Closing, last uint32) int { return spansGo(out, list, last) }
func (Level) closing(out []Closing, b, a []uint64, at, active uint64) (int, uint64) {
	return closingGo(out, b, a, at, active)
}
func (Level) histogramU8(tables *[8][256]uint32, v []uint8)        { histogramU8Go(tables, v) }
func (Level) histogramU16(table *[65536]uint32, v []uint16)        { histogramU16Go(table, v) }
func (Level) keysF32(keys []uint16, v []float32, c *F32Counts) int { return keysF32Go(keys, v, c) }
func (Level) fourSumsF32(v *[256]float32) (sum, square [4]float64) { return fourSumsF32Go(v) }
