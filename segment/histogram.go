package segment

import (
	"math"
	"slices"

	"segscan/segment/internal/simd"
)

// Histogram counts samples: one bin a value for u8 (256) and u16 (65536); f32 by the top 16 bits of the
// order-preserving key (65536, see FloatKey). Only finite values enter; NotFinite counts NaN and infinities, NaN
// the NaN alone.
//
// Sum and SumSq (of squares) are for f32 only, where the bins do not give them exactly: float64, over blocks of 64
// samples aligned to the line start, blocks added left to right into a line's sum, lines added in order. So they
// are the same whatever the bands, workers or device. Integers take them from Bins. In detail: a block's sum starts
// at 0 and takes its finite samples from left to right, the line's sum starts at 0 and takes the blocks, and Sum
// takes the lines; a block without finite samples adds 0. (A line in pieces enters as so many lines.)
//
// Fine, if set for f32, asks for a second pass: for each top-16-bit key it holds, 65536 counts by the low 16 bits.
// A call with Fine set counts into Fine only, and leaves everything else as it is.
//
// Sorted is for f32 only, and in place of Bins: the finite samples in ascending order, see SortedHistogram. Engines do not
// know it.
//
// The zero value is ready for use. N 0 means empty, whatever Min and Max say.
type Histogram struct {
	Type              SampleType
	Bins              []uint64
	N, NotFinite, NaN uint64
	Min, Max          float64 // of the finite values; NaN when N is 0
	Sum, SumSq        float64
	Fine              map[uint16][]uint64
	Sorted            []float32
}

// SortedHistogram is the histogram of one line of floats by its samples instead of bins, which would be far more than
// most lines have samples. The other fields are as an engine gives them. keep may hold memory for Sorted.
func SortedHistogram(line, keep []float32) Histogram {
	h := Histogram{Type: F32, Sorted: keep[:0], Min: math.NaN(), Max: math.NaN()}
	for _, v := range line {
		switch {
		case v-v == 0:
			h.Sorted = append(h.Sorted, v)
		case v != v:
			h.NaN++
		}
	}
	slices.Sort(h.Sorted)
	h.N = uint64(len(h.Sorted))
	h.NotFinite = uint64(len(line)) - h.N
	if h.N > 0 {
		h.Min, h.Max = float64(h.Sorted[0])+0, float64(h.Sorted[h.N-1])+0
	}
	s := lineSums(line)
	h.Sum, h.SumSq = s.sum, s.sq
	return h
}

// FloatKey maps float32 to uint32 so that numbers keep their order and equal numbers (-0 and 0) have equal keys. The
// keys of infinities are the first and last of numbers; those of NaN lie beyond.
func FloatKey(v float32) uint32 { return simd.Key(v) }

// FloatFromKey is the inverse of FloatKey (of 0 for both zeros).
func FloatFromKey(k uint32) float32 {
	if k>>31 != 0 {
		return math.Float32frombits(k &^ (1 << 31))
	}
	return math.Float32frombits(^k)
}

// partHistogram is what one worker counts, to be merged; it holds no sums, whose order matters.
type partHistogram struct {
	u8   *simd.Counter8
	wide *simd.Counter16 // u16 and f32
	n    uint64
	f32  simd.F32Counts
}

func newPartHistogram(t SampleType) *partHistogram {
	p := &partHistogram{f32: simd.NewF32Counts()}
	if t == U8 {
		p.u8 = new(simd.Counter8)
	} else {
		p.wide = new(simd.Counter16)
	}
	return p
}

// add counts samples s0 to s1-1 of a line.
func (p *partHistogram) add(v *Plane, line, s0, s1 int) {
	from, to := line*v.Stride+s0, line*v.Stride+s1
	p.n += uint64(s1 - s0)
	switch {
	case v.U8 != nil:
		p.u8.Add(v.U8[from:to])
	case v.U16 != nil:
		p.wide.Add(v.U16[from:to])
	case v.F32 != nil:
		simd.HistogramF32(p.wide, v.F32[from:to], &p.f32)
	}
}

// mergeInto adds p to h, whose Type and Bins fit.
func (p *partHistogram) mergeInto(h *Histogram) {
	if p.u8 != nil {
		h.merge(p.u8.Bins()[:], p.n, &p.f32)
		return
	}
	h.merge(p.wide.Bins()[:], p.n, &p.f32)
}

// merge adds n samples to h: the finite ones are in bins, which are of its Type.
func (h *Histogram) merge(bins []uint64, n uint64, f32 *simd.F32Counts) {
	first, last := -1, -1
	for i, n := range bins {
		if n != 0 {
			h.Bins[i] += n
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	h.note(n, f32, float64(first), float64(last))
}

// note enters n samples into all but the bins and sums; lo and hi are the extremes of integers.
func (h *Histogram) note(n uint64, f32 *simd.F32Counts, lo, hi float64) {
	notFinite := uint64(0)
	if h.Type == F32 {
		lo, hi = float64(FloatFromKey(f32.Min)), float64(FloatFromKey(f32.Max))
		notFinite = f32.NaN + f32.Inf
	}
	if n > notFinite {
		if h.N == 0 {
			h.Min, h.Max = lo, hi
		}
		h.Min, h.Max = min(h.Min, lo), max(h.Max, hi)
		h.N += n - notFinite
	}
	h.NotFinite += notFinite
	h.NaN += f32.NaN
	if h.N == 0 {
		h.Min, h.Max = math.NaN(), math.NaN()
	}
}

// addLine adds line l of v, which is not empty, counting straight into h's bins: tables of workers would cost more
// than a line.
func (h *Histogram) addLine(v *Plane, l int) {
	f32 := simd.NewF32Counts()
	from, to := l*v.Stride, l*v.Stride+v.Samples
	var lo, hi float64
	switch {
	case v.U8 != nil:
		simd.CountU8((*[256]uint64)(h.Bins), v.U8[from:to])
		_, least, most := simd.StatU8(v.U8[from:to])
		lo, hi = float64(least), float64(most)
	case v.U16 != nil:
		simd.CountU16((*[65536]uint64)(h.Bins), v.U16[from:to])
		_, least, most := simd.StatU16(v.U16[from:to])
		lo, hi = float64(least), float64(most)
	case v.F32 != nil:
		simd.CountF32((*[65536]uint64)(h.Bins), v.F32[from:to], &f32)
		s := lineSums(v.line(l))
		h.Sum, h.SumSq = h.Sum+s.sum, h.SumSq+s.sq
	}
	h.note(uint64(v.Samples), &f32, lo, hi)
}

// blockSamples is the length of the blocks float sums are taken over.
const blockSamples = 64

// sums is a sum and the sum of squares.
type sums struct{ sum, sq float64 }

func (s *sums) add(t sums) { s.sum, s.sq = s.sum+t.sum, s.sq+t.sq }

// finiteSums is the sums of one block: its finite samples, left to right.
func finiteSums(v []float32) (s sums) {
	s.sum, s.sq = simd.FiniteSumsF32(v)
	return s
}

// blockSums gives the sums of the blocks of v, which begins with one, to each, from left to right.
func blockSums(v []float32, each func(sums)) {
	for ; len(v) >= 4*blockSamples; v = v[4*blockSamples:] {
		sum, sq := simd.FourSumsF32((*[4 * blockSamples]float32)(v))
		for k := range sum {
			each(sums{sum[k], sq[k]})
		}
	}
	for ; len(v) > 0; v = v[min(blockSamples, len(v)):] {
		each(finiteSums(v[:min(blockSamples, len(v))]))
	}
}

// lineSums is the sums of a whole line, block by block.
func lineSums(v []float32) (s sums) {
	blockSums(v, s.add)
	return s
}
