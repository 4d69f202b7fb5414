package kernels

import (
	"fmt"
	"math"
	"slices"

	"segscan/kernels/internal/simd"
	"segscan/segment"
)

// Surveyed is implemented by specs that must see every window of a page before they bind. Bind alone is an error of
// theirs.
type Surveyed interface {
	Spec
	Survey(p *segment.PageInfo) (Survey, error)
}

// Survey looks at one page. Add takes its bands after the filters, each sample once, with the halos that Needs asks for, in any order; Bind
// is called once afterwards. Neither is safe for concurrent use.
type Survey interface {
	Add(b segment.Band) error
	Bind(o Options) (segment.Classifier, Report, error)
}

// LocalSurvey is implemented by surveys that look at the windows of a Local, so that an engine may look in Add's place.
type LocalSurvey interface {
	Survey
	// Local has the windows.
	Local() *Local
	// Found is for Add: least is the least finite sample of a band, +Inf if there is none, and deviation the largest standard
	// deviation of the windows around its samples, which for f32 is of finite samples and, where there is none, 0.
	Found(least, deviation float64)
}

// wolf is a local kernel whose thresholds depend on the least sample and the largest deviation of the page.
type wolf struct{ *local }

// Bind implements Spec.
func (s wolf) Bind(*segment.PageInfo, []segment.Histogram, Options) (segment.Classifier, Report, error) {
	return nil, Report{}, fmt.Errorf("kernel %s: a survey of the page must come first", s.name)
}

// Survey implements Surveyed.
func (s wolf) Survey(p *segment.PageInfo) (Survey, error) {
	c, warnings, err := s.sized(p)
	if err != nil {
		return nil, err
	}
	v := &wolfSurvey{spec: s, page: p, rule: c, warnings: warnings, look: c, least: math.Inf(1), greatest: math.Inf(-1)}
	v.look.most = &v.most
	if s.amounts.share() && !hasRange(p) {
		return struct{ Survey }{v}, nil // and no LocalSurvey, which is not told the greatest sample
	}
	return v, nil
}

type wolfSurvey struct {
	spec            wolf
	page            *segment.PageInfo
	rule            Local
	warnings        []string
	look            Local
	masks           segment.Masks // hold nothing of meaning
	least, greatest float64       // samples
	most            float64       // deviation
}

// Add implements Survey.
func (v *wolfSurvey) Add(b segment.Band) error {
	if err := v.look.Classify(b, &v.masks); err != nil {
		return fmt.Errorf("kernel %s: %w", v.spec.name, err)
	}
	var least, greatest float64
	switch p := b.Body(); {
	case p.U8 != nil:
		least, greatest = extremesOf(p, p.U8, math.MaxUint8, 0, simd.Pair)
	case p.U16 != nil:
		least, greatest = extremesOf(p, p.U16, math.MaxUint16, 0, simd.Pair)
	default:
		inf := float32(math.Inf(1))
		least, greatest = extremesOf(p, p.F32, inf, -inf, func(tl, th, sl, sh, x, _ []float32) { simd.TakeF32(tl, th, sl, sh, x) })
	}
	v.least, v.greatest = min(v.least, least), max(v.greatest, greatest)
	return nil
}

// Local implements LocalSurvey.
func (v *wolfSurvey) Local() *Local { return &v.rule }

// Found implements LocalSurvey.
func (v *wolfSurvey) Found(least, deviation float64) {
	v.least, v.most = min(v.least, least), max(v.most, deviation)
}

// extremesOf are the least and the greatest finite sample of a plane, or top and bottom. take sets the first two slices to
// the lower of the third and the fifth and the higher of the fourth and the sixth: the extremes at equal places of pieces of
// lines, kept side by side.
func extremesOf[T sample](p segment.Plane, samples []T, top, bottom T, take func(tl, th, sl, sh, x, y []T)) (least, greatest float64) {
	var low, high [512]T
	for i := range low {
		low[i], high[i] = top, bottom
	}
	for l := range p.Lines {
		x := samples[l*p.Stride:][:p.Samples]
		for len(x) > 0 {
			n := min(len(x), len(low))
			take(low[:n], high[:n], low[:], high[:], x, x)
			x = x[n:]
		}
	}
	return float64(slices.Min(low[:])), float64(slices.Max(high[:]))
}

// Bind implements Survey.
func (v *wolfSurvey) Bind(o Options) (segment.Classifier, Report, error) {
	c := v.rule
	width := v.page.Max - v.page.Min
	if !hasRange(v.page) {
		width = v.greatest - v.least
	}
	if err := v.spec.amounts.set(&c, width); err != nil {
		return nil, Report{}, fmt.Errorf("kernel %s: %w", v.spec.name, err)
	}
	c.Swap, c.NaN = o.Invert, o.NaN
	c.R = v.most
	if !math.IsInf(v.least, 1) { // else no sample is finite, and no window has a threshold
		c.Min = v.least + 0 // 0, if -0
	}
	return &c, v.spec.report(&c, v.page, v.warnings), nil
}

// note keeps the largest deviation, instead of thresholds.
func (m *moments) note(most *float64) {
	*most = max(*most, math.Sqrt(simd.Largest(m.d[:len(m.s)]))/m.n)
}
