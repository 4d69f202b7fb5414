package kernels

import (
	"fmt"
	"math"

	"segscan/segment"
)

// gradientSpec is a parsed gradient kernel.
type gradientSpec struct {
	text  string
	sigma float64
	edge  value // a constant or a share of the range
	hi    value
}

// defaultGradientHi is about three quarters of the way up from the lower of two levels that are held for as long.
const defaultGradientHi = "otsu+0.5sd"

// gradientInfo describes the kernel.
func gradientInfo() Info {
	return Info{
		Name:    "gradient",
		Summary: "boundary where samples change fastest along the line: at local maxima of the absolute derivative; activation v >= hi",
		When:    "edges count and not levels: widths between edges, marks on a ground whose level drifts",
		Source:  "derivative of a Gaussian: Marr and Hildreth, Proc. R. Soc. Lond. B 207, 1980; maxima: Canny, IEEE Trans. Pattern Anal. Mach. Intell. 8(6), 1986",
		Params: []Param{
			{"sigma", "1", "standard deviation of the Gaussian in samples, 0.25 to 250: of what lies nearer together one edge is left"},
			{"edge", "5%", "the least derivative of a boundary, in sample units a pixel: NUMBER, or NUMBER% of the width of the nominal range, of pages " +
				"stored as float of max - min"},
			{"hi", defaultGradientHi, "threshold value of activations, as for hysteresis; of a METHOD alone, samples above it. Well above the middle of an edge, " +
				"which is where its boundary lies: else the flank beyond it counts"},
		},
		Notes: []Param{
			{"steps", "", "a step of height h has a derivative of 0.4 h/sigma at most, where sigma is not much less than 1"},
			{"ties", "", "of neighbours with equal derivatives the first is the boundary"},
			{"border", "", "lines are continued by their mirror image; the samples beyond a region (--roi) count as they are"},
		},
		Example: "gradient:sigma=1.5,edge=8,hi=p80",
	}
}

func gradientKernel(a args) (Spec, error) {
	s := &gradientSpec{}
	var err error
	if s.sigma, err = a.number("sigma", 1, 0.25, MaxSigma); err != nil {
		return nil, err
	}
	read := func(to *value, key, byDefault string) {
		text, ok := a.values[key]
		if !ok {
			text = byDefault
		}
		if err == nil {
			*to, err = parseValue(a.kernel, key, text)
		}
	}
	read(&s.edge, "edge", "5%")
	read(&s.hi, "hi", defaultGradientHi)
	if err != nil {
		return nil, err
	}
	switch {
	case s.edge.needsHistogram():
		return nil, usagef("for example edge=8 or edge=5%", "kernel gradient: edge=%s is not a number: the derivative has no histogram", s.edge)
	case s.edge.num <= 0:
		return nil, usagef("for example edge=8 or edge=5%", "kernel gradient: edge=%s must be more than 0", s.edge)
	}
	var kv []string
	if s.sigma != 1 {
		kv = append(kv, "sigma", formatNumber(s.sigma))
	}
	if t := s.edge.String(); t != "5%" {
		kv = append(kv, "edge", t)
	}
	if t := s.hi.String(); t != defaultGradientHi {
		kv = append(kv, "hi", t)
	}
	s.text = a.canonical(kv...)
	return s, nil
}

func (s *gradientSpec) String() string            { return s.text }
func (s *gradientSpec) Filters() []segment.Filter { return nil }

// Needs asks for a histogram where some page, one of float samples, would need one; see PageNeeds.
func (s *gradientSpec) Needs() Needs {
	return Needs{Needs: (&Gradient{Sigma: s.sigma}).Needs(), Histogram: s.hi.needsHistogram() || s.edge.kind == percent}
}

// PageNeeds implements PageNeeder.
func (s *gradientSpec) PageNeeds(p *segment.PageInfo) Needs {
	n := s.Needs()
	n.Histogram = s.hi.needsHistogram() || s.edge.kind == percent && !hasRange(p)
	return n
}

// FineBins are those that hi needs.
func (s *gradientSpec) FineBins(p *segment.PageInfo, h []segment.Histogram) []uint16 {
	if p.Type != segment.F32 || len(h) != 1 || h[0].N == 0 || !(h[0].Min < h[0].Max) {
		return nil
	}
	return hysteresisFine([]value{s.hi})(&h[0])
}

// Bind implements Spec.
func (s *gradientSpec) Bind(p *segment.PageInfo, h []segment.Histogram, o Options) (segment.Classifier, Report, error) {
	c := &Gradient{Sigma: s.sigma, Edge: s.edge.num, Hi: math.Inf(1), Swap: o.Invert, NaN: o.NaN}
	r := Report{Automatic: s.hi.needsHistogram()}
	least, most := p.Min, p.Max
	if s.PageNeeds(p).Histogram {
		if len(h) != 1 {
			return nil, r, fmt.Errorf("kernel gradient: one histogram of the page was expected, %d were given", len(h))
		}
		if !hasRange(p) {
			least, most = h[0].Min, h[0].Max // NaN without samples
		}
	}
	text := func(show numerals) string { return s.describe(c, least, most, show) }
	flat := !(least < most)
	if s.edge.kind == percent {
		if c.Edge = float64(s.edge.num*(most-least)) / 100; flat {
			c.Edge = math.Inf(1)
		}
	}
	var l *levels
	if s.hi.needsHistogram() {
		l = newLevels(&h[0], false)
	}
	if none := l != nil && l.degenerate(); none || flat && s.edge.kind == percent {
		r.Warnings = []string{s.effect(o, "%s", s.noRange(none, flat && s.edge.kind == percent))}
		if none {
			r.say("gradient", text)
			return c, r, nil
		}
	}
	hi, err := s.hi.eval(p, l)
	if err == nil && s.hi.kind == automatic {
		var t float64
		t, err = l.method(s.hi.method)
		r.T = []float64{t}
		if s.hi.factor == 1 && s.hi.add == 0 { // t is the last value of the lower class
			hi = nextAfter(p.Type, floorTo(p.Type, t))
		}
	}
	if err != nil {
		return nil, Report{}, fmt.Errorf("kernel gradient: hi=%s: %w", s.hi, err)
	}
	c.Hi = roundHi(p.Type, hi)
	r.Hi = []float64{c.Hi}
	if hasRange(p) && hi > p.Max {
		r.Warnings = []string{s.effect(o, "%s is above the samples' range %s..%s, so no sample is an activation; use a lower hi",
			named("hi="+s.hi.String(), hi), formatNumber(p.Min), formatNumber(p.Max))}
	}
	if step := c.steepest() * (most - least); !flat && c.Edge > step {
		const format = "edge=%s (%s a pixel) is more than a step over the samples' range %s..%s comes to with sigma=%s, %s, so no sample is a boundary; use a smaller edge"
		w := s.effect(o, format, s.edge, shortNumber(c.Edge), formatNumber(least), formatNumber(most), formatNumber(s.sigma), shortNumber(step))
		if o.Invert {
			r.Missing.Activation = w
		} else {
			r.Missing.Boundary = w
		}
	}
	r.say("gradient", text)
	return c, r, nil
}

// noRange says what a page of one value, or of none, leaves without a threshold.
func (s *gradientSpec) noRange(hi, edge bool) string {
	const same = "there are no two finite samples of different value, so "
	switch {
	case hi && edge:
		return fmt.Sprintf("%sthere is no edge=%s of max - min and no threshold hi=%s, and every sample is other", same, s.edge, s.hi)
	case edge:
		return fmt.Sprintf("edge=%s: %sthere is no max - min to take a share of and no sample is a boundary", s.edge, same)
	}
	return fmt.Sprintf("hi=%s: %sthere is no threshold hi and no sample is an activation; give hi a number", s.hi, same)
}

// effect is a warning, of the classes that --invert makes.
func (s *gradientSpec) effect(o Options, format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if o.Invert {
		text = exchanged(text)
	}
	return "kernel gradient: " + text
}

// describe says what is compared; an edge that is a share is one of least..most.
func (s *gradientSpec) describe(c *Gradient, least, most float64, show numerals) string {
	text := fmt.Sprintf("gradient: sigma %s; ", show(formatNumber(c.Sigma)))
	switch {
	case math.IsInf(c.Edge, 1):
		text += "no boundary"
	case s.edge.kind == percent:
		text += fmt.Sprintf("boundary where the derivative is greatest and at least %s a pixel, %s%% of %s..%s",
			show(shortNumber(c.Edge)), show(formatNumber(s.edge.num)), show(shortNumber(least)), show(shortNumber(most)))
	default:
		text += fmt.Sprintf("boundary where the derivative is greatest and at least %s a pixel", show(formatNumber(c.Edge)))
	}
	if !math.IsInf(c.Hi, 1) {
		text += ", activation v >= " + show(shortNumber(c.Hi))
	}
	if c.Swap {
		text += " (inverted)"
	}
	return text
}
