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
	v := &wolfSurvey{spec: s, rule: c, warnings: warnings, look: c, least: math.Inf(1)}
	v.look.most = &v.most
	return v, nil
}

type wolfSurvey struct {
	spec     wolf
	rule     Local
	warnings []string
	look     Local
	masks    segment.Masks // hold nothing of meaning
	least    float64       // sample
	most     float64       // deviation
}

// Add implements Survey.
func (v *wolfSurvey) Add(b segment.Band) error {
	if err := v.look.Classify(b, &v.masks); err != nil {
		return fmt.Errorf("kernel %s: %w", v.spec.name, err)
	}
	switch p := b.Body(); {
	case p.U8 != nil:
		v.least = min(v.least, leastOf(p, p.U8, 255, simd.Pair))
	case p.U16 != nil:
		v.least = min(v.least, leastOf(p, p.U16, 65535, simd.Pair))
	default:
		v.least = min(v.least, leastOf(p, p.F32, float32(math.Inf(1)), func(tl, th, sl, sh, x, _ []float32) { simd.TakeF32(tl, th, sl, sh, x) }))
	}
	return nil
}

// Local implements LocalSurvey.
func (v *wolfSurvey) Local() *Local { return &v.rule }

// Found implements LocalSurvey.
func (v *wolfSurvey) Found(least, deviation float64) {
	v.least, v.most = min(v.least, least), max(v.most, deviation)
}

// leastOf is the least finite sample of a plane, or top. take sets the first to the lower of the third and the fifth
// slice: the least samples at equal places of pieces of lines, kept side by side.
func leastOf[T sample](p segment.Plane, samples []T, top T, take func(tl, th, sl, sh, x, y []T)) float64 {
	var least, most [512]T // most is of no use
	for i := range least {
		least[i], most[i] = top, top
	}
	for l := range p.Lines {
		x := samples[l*p.Stride:][:p.Samples]
		for len(x) > 0 {
			n := min(len(x), len(least))
			take(least[:n], most[:n], least[:], most[:], x, x)
			x = x[n:]
		}
	}
	return float64(slices.Min(least[:]))
}

// Bind implements Survey.
func (v *wolfSurvey) Bind(o Options) (segment.Classifier, Report, error) {
	c := v.rule
	c.Swap, c.NaN = o.Invert, o.NaN
	c.R = v.most
	if !math.IsInf(v.least, 1) { // else no sample is finite, and no window has a threshold
		c.Min = v.least + 0 // 0, if -0
	}
	return &c, v.spec.report(&c, v.warnings), nil
}

// note keeps the largest deviation, instead of thresholds.
func (m *moments) note(most *float64) {
	*most = max(*most, math.Sqrt(simd.Largest(m.d[:len(m.s)]))/m.n)
}
