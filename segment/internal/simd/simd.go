// Package simd holds the loops that touch every sample or every word of a mask: comparison and table look-up to bit
// masks, the scan on these, histograms and plain statistics. Every exported function has a portable form in Go (the
// files that end in _go.go), which is its definition; a faster one, for a Level of instructions, gives the same bits.
// The functions use the best level of the machine, the methods of Level a chosen one.
//
// A mask holds one bit a sample: bit i%64 of word i/64, Words(n) words for n samples. Functions that write masks set
// every one of these words, leave the bits from n on zero, and write nothing else. Masks b and a never overlap.
package simd

//go:generate go run -C generate . -out ../simd_amd64.s -stubs ../stubs_amd64.go -pkg simd

// Words is the number of 64-bit words in a mask of n samples.
func Words(n int) int { return (n + 63) / 64 }

// ThresholdU8 sets in b the samples with v <= lo, in a those with v >= hi that are not in b. lo is in -1..255, hi
// in 0..256 (values beyond count as the nearest), so either set can be made empty. len(b) and len(a) must be
// Words(len(v)) at least.
func ThresholdU8(b, a []uint64, v []uint8, lo, hi int) { best.ThresholdU8(b, a, v, lo, hi) }

// ThresholdU8 is the function of that name by this level.
func (l Level) ThresholdU8(b, a []uint64, v []uint8, lo, hi int) {
	lo = min(max(lo, -1), 255)
	hi = max(min(hi, 256), lo+1)
	l.thresholdU8(b[:Words(len(v))], a[:Words(len(v))], v, uint(lo+1), uint(hi))
}

// ThresholdU16 is ThresholdU8 for 16-bit samples: lo in -1..65535, hi in 0..65536.
func ThresholdU16(b, a []uint64, v []uint16, lo, hi int) { best.ThresholdU16(b, a, v, lo, hi) }

// ThresholdU16 is the function of that name by this level.
func (l Level) ThresholdU16(b, a []uint64, v []uint16, lo, hi int) {
	lo = min(max(lo, -1), 65535)
	hi = max(min(hi, 65536), lo+1)
	l.thresholdU16(b[:Words(len(v))], a[:Words(len(v))], v, uint(lo+1), uint(hi))
}

// ThresholdF32 sets in b the samples with v <= lo, in a those with v >= hi that are not in b. A NaN bound holds for
// no sample; infinities compare as numbers. NaN samples go to b if nanB, else to a if nanA, else to neither.
func ThresholdF32(b, a []uint64, v []float32, lo, hi float32, nanB, nanA bool) {
	best.ThresholdF32(b, a, v, lo, hi, nanB, nanA)
}

// ThresholdF32 is the function of that name by this level.
func (l Level) ThresholdF32(b, a []uint64, v []float32, lo, hi float32, nanB, nanA bool) {
	l.thresholdF32(b[:Words(len(v))], a[:Words(len(v))], v, lo, hi, nanB, nanA && !nanB)
}

// Table8 says of each sample value which masks its samples join: Of holds 1 for b, 2 for a, 0 for neither, and
// nothing else. B and A are the same as sets, bit v%64 of word v/64.
type Table8 struct {
	Of   [256]uint8
	B, A [4]uint64
	rows [4][16]uint8 // b and a by nibbles: bit h%8 of [2*set+h/8][l] stands for the value 16*h+l
}

// Table16 is Table8 for 16-bit samples.
type Table16 struct {
	Of   [65536]uint8
	B, A [1024]uint64
}

// NewTable8 makes the table of 256 entries, each 0, 1 or 2.
func NewTable8[T ~uint8](of []T) *Table8 {
	t := new(Table8)
	fill(t.Of[:], t.B[:], t.A[:], of)
	for v, to := range t.Of {
		if to != 0 {
			t.rows[to/2*2+uint8(v>>7)][v&15] |= 1 << (v >> 4 & 7)
		}
	}
	return t
}

// NewTable16 makes the table of 65536 entries, each 0, 1 or 2.
func NewTable16[T ~uint8](of []T) *Table16 {
	t := new(Table16)
	fill(t.Of[:], t.B[:], t.A[:], of)
	return t
}

func fill[T ~uint8](to []uint8, b, a []uint64, of []T) {
	for w := range b {
		var wb, wa uint64
		to := to[w*64:][:64]
		for j, c := range of[w*64:][:64] {
			to[j] = uint8(c)
			wb |= uint64(c&1) << j
			wa |= uint64(c>>1&1) << j
		}
		b[w], a[w] = wb, wa
	}
}

// TableU8 sets in b the samples that t gives 1, in a those with 2.
func TableU8(b, a []uint64, v []uint8, t *Table8) { best.TableU8(b, a, v, t) }

// TableU8 is the function of that name by this level.
func (l Level) TableU8(b, a []uint64, v []uint8, t *Table8) {
	l.tableU8(b[:Words(len(v))], a[:Words(len(v))], v, t)
}

// TableU16 sets in b the samples that t gives 1, in a those with 2.
func TableU16(b, a []uint64, v []uint16, t *Table16) { best.TableU16(b, a, v, t) }

// TableU16 is the function of that name by this level.
func (l Level) TableU16(b, a []uint64, v []uint16, t *Table16) {
	l.tableU16(b[:Words(len(v))], a[:Words(len(v))], v, t)
}

// F32Counts is what HistogramF32 gathers beside the bins. Min and Max are keys (see Key) of the finite samples seen;
// Min > Max while there are none, which is what NewF32Counts gives.
type F32Counts struct {
	NaN, Inf uint64
	Min, Max uint32
}

// NewF32Counts is the empty value.
func NewF32Counts() F32Counts { return F32Counts{Min: ^uint32(0)} }

// HistogramF32 counts the finite samples in to by the top 16 bits of their key, and the rest in c.
func HistogramF32(to *Counter16, v []float32, c *F32Counts) { best.HistogramF32(to, v, c) }

// HistogramF32 is the function of that name by this level.
func (l Level) HistogramF32(to *Counter16, v []float32, c *F32Counts) {
	l.eachKeys(v, c, func(keys []uint16) { to.AddBy(l, keys) })
}

// CountF32 is HistogramF32 into plain bins; see CountU8.
func CountF32(bins *[65536]uint64, v []float32, c *F32Counts) {
	best.eachKeys(v, c, func(keys []uint16) { CountU16(bins, keys) })
}

// eachKeys gives the top halves of the keys of the finite samples to fn, some at a time.
func (l Level) eachKeys(v []float32, c *F32Counts, fn func(keys []uint16)) {
	var buffer [1024]uint16
	for len(v) > 0 {
		part := v[:min(len(v), len(buffer))]
		n := l.keysF32(buffer[:len(part)], part, c)
		fn(buffer[:n])
		if v = v[n:]; n < len(part) { // v[0] is not finite
			if v[0] != v[0] {
				c.NaN++
			} else {
				c.Inf++
			}
			v = v[1:]
		}
	}
}

// FourSumsF32 gives the sum and the sum of squares of each quarter of v, as FiniteSumsF32 does.
func FourSumsF32(v *[256]float32) (sum, square [4]float64) { return best.FourSumsF32(v) }

// FourSumsF32 is the function of that name by this level.
func (l Level) FourSumsF32(v *[256]float32) (sum, square [4]float64) { return l.fourSumsF32(v) }

// StatU8 gives the exact sum and the extremes of v; v must not be empty.
func StatU8(v []uint8) (sum uint64, lo, hi uint8) { return best.StatU8(v) }

// StatU8 is the function of that name by this level.
func (l Level) StatU8(v []uint8) (sum uint64, lo, hi uint8) { return l.statU8(v) }

// StatU16 gives the exact sum and the extremes of v; v must not be empty.
func StatU16(v []uint16) (sum uint64, lo, hi uint16) { return best.StatU16(v) }

// StatU16 is the function of that name by this level.
func (l Level) StatU16(v []uint16) (sum uint64, lo, hi uint16) { return l.statU16(v) }

// Sum adds up v. It exists to be timed: little more than reading.
func Sum(v []uint64) uint64 { return best.Sum(v) }

// Sum is the function of that name by this level.
func (l Level) Sum(v []uint64) uint64 { return l.sum(v) }
