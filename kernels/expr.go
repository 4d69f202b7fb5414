package kernels

import (
	"fmt"
	"slices"
	"strings"

	"segscan/segment"
)

// exprSpec is a parsed expr kernel: a condition for boundaries and one for activations, written by the user in the
// language of github.com/expr-lang/expr.
type exprSpec struct {
	boundary, activation *exprText
	channels             bool
}

// exprKernel reads boundary= and activation=.
func exprKernel(a args) (Spec, error) {
	const example = "for example -k 'expr:boundary=v<40,activation=v>200 && x>10', in single quotes: the shell takes < > & | for itself"
	s := &exprSpec{}
	for _, k := range []struct {
		key string
		to  **exprText
	}{{"boundary", &s.boundary}, {"activation", &s.activation}} {
		text, ok := a.values[k.key]
		if !ok {
			return nil, usagef(example, "kernel expr: %s is missing", k.key)
		}
		var err error
		if *k.to, err = parseExpr(k.key, text); err != nil {
			return nil, err
		}
		s.channels = s.channels || (*k.to).colour
	}
	// It must make sense for samples of some type; which one a page has is seen later.
	var first error
	for _, in := range exprInputTypes() {
		err := s.check(in)
		if err == nil {
			return s, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// exprInputTypes are the types that v and the colour channels of a page may have.
func exprInputTypes() []exprInputs {
	const top = 65535
	return []exprInputs{
		{sample: exprInt, colour: exprInt, top: top},
		{sample: exprFloat, colour: exprFloat, top: top},
		{sample: exprFloat, colour: exprInt, top: top},
	}
}

// check compiles the spec and forgets the code.
func (s *exprSpec) check(in exprInputs) error {
	_, err := s.compile(in)
	return err
}

// compile makes the code for some types. An error is a *UsageError that shows the place.
func (s *exprSpec) compile(in exprInputs) (*Program, error) {
	g := newExprGraph(in)
	tree, err := s.boundary.parse(in)
	if err != nil {
		return nil, err
	}
	boundary, wrong := lowerExpr(g, "boundary", tree, none)
	if wrong != nil {
		return nil, s.boundary.usage(wrong)
	}
	if tree, err = s.activation.parse(in); err != nil {
		return nil, err
	}
	// The activation is asked for only where the boundary does not hold, so a trap of it elsewhere does not count.
	activation, wrong := lowerExpr(g, "activation", tree, g.guarded(none, g.not(boundary)))
	if wrong != nil {
		return nil, s.activation.usage(wrong)
	}
	return g.program(boundary, activation), nil
}

// String implements Spec.
func (s *exprSpec) String() string {
	return "expr:boundary=" + s.boundary.canonical + ",activation=" + s.activation.canonical
}

func (s *exprSpec) Needs() Needs              { return Needs{Needs: segment.Needs{Channels: s.channels}} }
func (s *exprSpec) Filters() []segment.Filter { return nil }
func (s *exprSpec) FineBins(*segment.PageInfo, []segment.Histogram) []uint16 {
	return nil
}

// Bind implements Spec. The classifier is a segment.Table where v alone decides and is an integer, segment.Thresholds
// where the conditions compare a float v with a constant each, and else a *Code.
func (s *exprSpec) Bind(p *segment.PageInfo, _ []segment.Histogram, o Options) (segment.Classifier, Report, error) {
	var r Report
	r.say("expr", func(show numerals) string { return s.describe(o, show) })
	c := &Code{NaN: o.NaN, Swap: o.Invert, page: p, channels: s.channels}
	c.ints, c.intsErr = s.compile(exprInputsOf(p, exprInt))
	if s.channels && p.Type == segment.F32 {
		// A channel such as hue is of floats where the colours are not.
		c.floats, c.floatErr = s.compile(exprInputsOf(p, exprFloat))
	}
	if c.ints == nil && c.floats == nil {
		err := c.intsErr
		if c.floatErr != nil {
			err = c.floatErr
		}
		return nil, Report{}, s.pageError(p, err)
	}
	if s.channels {
		return c, r, nil
	}
	if of, ok := c.table(); ok {
		r.Warnings = s.never(p, of, o)
		return segment.Table{Of: of}, r, nil
	}
	if lo, hi, ok := c.ints.plainThresholds(); ok {
		t := segment.Thresholds{Lo: []float64{lo}, Hi: []float64{hi}, Swap: o.Invert, NaN: o.NaN}
		return t, r, nil
	}
	return c, r, nil
}

// never warns of a class that none of the values has that samples of a page may have.
func (s *exprSpec) never(p *segment.PageInfo, of []segment.Class, o Options) (warnings []string) {
	least, most := 0, len(of)-1
	if hasRange(p) {
		least, most = max(least, int(p.Min)), min(most, int(p.Max))
	}
	var seen [3]bool
	for _, c := range of[least : most+1] {
		seen[c] = true
	}
	boundary, activation := segment.Boundary, segment.Activation
	if o.Invert {
		boundary, activation = activation, boundary
	}
	warn := func(effect, format string, args ...any) {
		if o.Invert {
			effect = exchanged(effect)
		}
		warnings = append(warnings, fmt.Sprintf("kernel expr: "+format+warningEffect+effect+warningRemedy+"write a condition that samples of %d..%d can meet", append(args, least, most)...))
	}
	if !seen[boundary] {
		warn(noBoundary, "boundary=%s holds for no sample value", s.boundary.canonical)
	}
	if !seen[activation] {
		warn("no sample is an activation", "activation=%s holds for no sample value for which boundary=%s does not hold", s.activation.canonical, s.boundary.canonical)
	}
	return warnings
}

// pageError says that expressions which make sense for other types do not for a page's.
func (s *exprSpec) pageError(p *segment.PageInfo, err error) error {
	usage, ok := err.(*UsageError)
	if !ok {
		return err
	}
	msg := usage.Msg
	if usage.Hint != "" {
		msg += "\n" + usage.Hint
	}
	return fmt.Errorf("on %s samples, %s", p.Type, msg)
}

func (s *exprSpec) describe(o Options, show numerals) string {
	text := "expr: boundary " + s.boundary.text(show) + ", activation " + s.activation.text(show)
	if o.Invert {
		text += " (inverted)"
	}
	return text
}

// table runs the program once on every value that an integer v can have, if v alone decides and none traps.
func (c *Code) table() ([]segment.Class, bool) {
	p := c.ints
	if p.SampleFloats || p.UsesPlace || c.channels {
		return nil, false
	}
	v := segment.NewPlane(c.page.Type, 1, map[segment.SampleType]int{segment.U8: 1 << 8, segment.U16: 1 << 16}[c.page.Type])
	for k := range v.U8 {
		v.U8[k] = uint8(k)
	}
	for k := range v.U16 {
		v.U16[k] = uint16(k)
	}
	var m segment.Masks
	if err := c.Classify(segment.Band{Page: c.page, Lines: 1, Samples: v.Samples, V: v}, &m); err != nil {
		return nil, false // the page fails only if it holds that value
	}
	return m.Classes(), true
}

// exprInfo describes the kernel.
func exprInfo() Info {
	return Info{
		Name:    "expr",
		Summary: "conditions of your own: boundary and activation are each a formula of the sample, its colour and its place",
		When:    "no other kernel asks your question: a colour, a part of the page, a bit, thresholds that vary across the page",
		Source:  "github.com/expr-lang/expr, whose meaning is kept; the conditions are compiled to code that runs over blocks of samples",
		Params: []Param{
			{"boundary", "", "the sample is a boundary where this holds"},
			{"activation", "", "the sample is an activation where this holds and boundary does not"},
		},
		Notes: []Param{
			{"variables", "", "v is the sample (gray, or --channel); r g b a the colour (r=g=b=v in gray images, a is opacity), " +
				"all whole numbers as stored, floats in float images; x y the pixel in the page, from 0, whatever --axis or --roi; width height of the page"},
			{"operators", "", "< <= > >= == != and 10 < v < 20; && || ! or and or not; + - * / % **; v in [1, 2], v in 10..20; c ? a : b; let d = r-g; d > 3"},
			{"functions", "", strings.Join(exprFunctions(), " ") + " (bitshr and bitshl shift)"},
			{"numbers", "", "whole numbers have 64 bits; / always gives a float; % needs whole numbers, and a page fails where the right one is 0; " +
				"the exponent of ** is a whole constant, 0.5 or -0.5"},
			{"shell", "", "put the whole value in single quotes: the shell takes < > & | for itself"},
		},
		Example: "expr:boundary=v<40,activation=v>200 && x>10",
	}
}

// isExprName tells whether a name is a variable or function.
func isExprName(name string) bool {
	return slices.Contains(exprVariables(), name) || slices.Contains(exprFunctions(), name)
}
