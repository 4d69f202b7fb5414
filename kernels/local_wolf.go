package kernels

import (
	"fmt"
	"math"

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
	p := b.Body()
	for l := range p.Lines {
		from, to := l*p.Stride, l*p.Stride+p.Samples
		switch {
		case p.U8 != nil:
			v.least = min(v.least, leastOf(p.U8[from:to], 255))
		case p.U16 != nil:
			v.least = min(v.least, leastOf(p.U16[from:to], 65535))
		default:
			v.least = min(v.least, leastOf(p.F32[from:to], float32(math.Inf(1))))
		}
	}
	return nil
}

// leastOf is the least finite sample, or top.
func leastOf[T sample](x []T, top T) float64 {
	for _, y := range x {
		if y < top && y-y == 0 {
			top = y
		}
	}
	return float64(top)
}

// Bind implements Survey.
func (v *wolfSurvey) Bind(o Options) (segment.Classifier, Report, error) {
	c := v.rule
	c.Swap, c.NaN = o.Invert, o.NaN
	c.R = v.most
	if !math.IsInf(v.least, 1) { // else no sample is finite, and no window has a threshold
		c.Min = v.least
	}
	return &c, v.spec.report(&c, v.warnings), nil
}

// note keeps the largest deviation, instead of thresholds.
func (m *moments) note(most *float64) {
	top := 0.
	for _, d := range m.d[:len(m.s)] {
		if d > top {
			top = d
		}
	}
	*most = max(*most, math.Sqrt(top)/m.n)
}
