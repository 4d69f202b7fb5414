package segment

import (
	"segscan/segment/internal/simd"
)

// This file is what engines of other packages share with the CPU engine, so that shapes, bounds and sums have one
// definition.

// Check says what of b's geometry does not fit its plane, or nil.
func (b *Band) Check() error { return b.check() }

// Window is the band of body lines l0 to l1-1, with as much of b around them as halo lines, or as b has. It shares
// b's memory.
func (b *Band) Window(l0, l1, halo int) Band { return b.lines(l0, l1, halo) }

// Reset shapes r for a band of lines and empties it, keeping its memory: First all zero with lines+1 entries, Edge
// all zero with lines entries, in both groups. Masks are left alone.
func (r *Result) Reset(lines int) { resetResult(r, lines) }

// Tidy makes of masks from a classifier what Masks promises: where both bits are set it is a boundary, and nothing is
// set from Samples on.
func (m *Masks) Tidy() {
	for l := range m.Lines {
		if m.Words > 0 {
			b, a := m.Line(l)
			tidyLine(b, a, m.Samples)
		}
	}
}

// Compared holds the bounds of one line as they are compared: integers v <= LoInt and v >= HiInt, clamped to what the
// type can tell apart (-1 and the value after the last: no sample); f32 v <= Lo and v >= Hi, NaN for no sample.
type Compared struct {
	LoInt, HiInt int32
	Lo, Hi       float32
}

// Compared gives the bounds for body lines line0 to line0+lines-1 of a page of samples of type typ: one entry for
// all, or one a line. It fails as Classify would.
func (t *Thresholds) Compared(typ SampleType, line0 int64, lines int) ([]Compared, error) {
	c, err := t.prepare(typ, line0, lines)
	if err != nil {
		return nil, err
	}
	p := c.(*preparedThresholds)
	out := make([]Compared, len(p.bounds))
	for i, b := range p.bounds {
		out[i] = Compared{int32(b.loInt), int32(b.hiInt), b.lo, b.hi}
	}
	return out, nil
}

// Check says why t cannot be used on samples of type typ, or nil.
func (t *Table) Check(typ SampleType) error {
	_, err := t.prepare(typ, 0, 0)
	return err
}

// Fit makes h ready for samples of type t, or says why it cannot hold them.
func (h *Histogram) Fit(t SampleType) error { return h.fit(t) }

// Counted is what was counted of some lines: Samples in all, of finite ones a count in Bins (256 or 65536, by value or
// by the top half of FloatKey); the rest is for f32: how many are NaN, or infinite, the keys of the extremes of finite
// samples, and of each line the sum and the sum of squares (see Histogram).
type Counted struct {
	Bins           []uint64
	Samples        uint64
	NaN, Infinite  uint64
	MinKey, MaxKey uint32
	LineSums       [][2]float64
}

// Add adds c, which must be of h's type, to h, on which Fit has been called.
func (h *Histogram) Add(c *Counted) {
	f32 := simd.F32Counts{NaN: c.NaN, Inf: c.Infinite, Min: c.MinKey, Max: c.MaxKey}
	h.merge(c.Bins, c.Samples, &f32)
	for _, s := range c.LineSums {
		h.Sum, h.SumSq = h.Sum+s[0], h.SumSq+s[1]
	}
}
