package kernels

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"segscan/segment"
)

// colourSpec is a parsed color kernel: what is asked of the channels of a colour space. A side that is nil is all that
// is not of the other class; one of them is given.
type colourSpec struct {
	space                *colourSpace
	activation, boundary *colourRanges
	white                colourWhite
	tables               colourTables
	noBoundary           string // a remedy, where no colour is in the ranges of boundaries
}

// colourKernel reads space=, activation=, boundary= and white=.
func colourKernel(a args) (Spec, error) {
	s := &colourSpec{}
	name, given := a.values["space"]
	if !given {
		return nil, usagef("for example color:space=hsv,activation=h:350..20+s:40%..", "kernel color: space is missing; it is rgb, hsv or lab")
	}
	for _, space := range colourSpaces() {
		if strings.EqualFold(name, space.name) {
			s.space = &space
		}
	}
	if s.space == nil {
		return nil, usagef(didYouMean(strings.ToLower(name), []string{"rgb", "hsv", "lab"}), "kernel color: space=%s is not rgb, hsv or lab", name)
	}
	for _, side := range []struct {
		key string
		to  **colourRanges
	}{{"activation", &s.activation}, {"boundary", &s.boundary}} {
		text, ok := a.values[side.key]
		if !ok {
			continue
		}
		var err error
		if *side.to, err = parseColourRanges(side.key, text, s.space); err != nil {
			return nil, err
		}
	}
	if s.activation == nil && s.boundary == nil {
		return nil, usagef("for example color:space="+s.space.name+",activation="+s.space.example(), "kernel color: activation and boundary are both missing")
	}
	if err := s.white.read(a); err != nil {
		return nil, err
	}
	if s.white.given && s.space.name == "rgb" && !s.shares() {
		return nil, usagef("leave white out, or write bounds as N% of it", "kernel color: white=%s has no effect: the bounds are in sample units", formatNumber(s.white.value))
	}
	if s.boundary != nil {
		s.noBoundary = s.unreachable(s.boundary)
	}
	return s, s.check()
}

// shares tells whether a bound is N%.
func (s *colourSpec) shares() bool {
	for _, side := range []*colourRanges{s.activation, s.boundary} {
		if side != nil {
			for _, c := range side.of {
				if c.from.share || c.to.share {
					return true
				}
			}
		}
	}
	return false
}

// String implements Spec.
func (s *colourSpec) String() string {
	text := "color:space=" + s.space.name
	if s.activation != nil {
		text += ",activation=" + s.activation.String()
	}
	if s.boundary != nil {
		text += ",boundary=" + s.boundary.String()
	}
	return text + s.white.String()
}

func (s *colourSpec) Needs() Needs              { return s.white.needs(s.space.name != "rgb") }
func (s *colourSpec) Filters() []segment.Filter { return nil }
func (s *colourSpec) FineBins(*segment.PageInfo, []segment.Histogram) []uint16 {
	return nil
}

// ColoursOnly tells that a kernel looks at the colour of a sample and not at v, the gray or chosen channel, but to see
// whether it is NaN.
func ColoursOnly(s Spec) bool {
	switch s.(type) {
	case *colourSpec, *distanceSpec:
		return true
	}
	return false
}

// PageNeeds implements PageNeeder.
func (s *colourSpec) PageNeeds(p *segment.PageInfo) Needs {
	return s.white.pageNeeds(p, s.Needs())
}

// Bind implements Spec. The classifier is a *Code for rgb, which only compares samples with constants.
func (s *colourSpec) Bind(p *segment.PageInfo, h []segment.Histogram, o Options) (segment.Classifier, Report, error) {
	var r Report
	r.say("color", func(show numerals) string { return s.describe(o, show) })
	white, warning := s.white.of(p, h)
	r.Warnings = colourWarnings(p, "color", warning)
	if s.space.name == "rgb" {
		c, err := s.code(p, white, o)
		if err != nil {
			return nil, r, err
		}
		outside := s.outside(p, o)
		if r.Warnings = append(r.Warnings, outside...); len(outside) == 0 {
			s.tell(&r, p, white, o)
		}
		return c, r, nil
	}
	s.tell(&r, p, white, o)
	if !p.Gray {
		r.Warnings = append(r.Warnings, s.hueOfGray()...)
	}
	c := &colourClassifier{kernel: "color", nan: o.NaN, swap: o.Invert, scale: float32(1 / white), memo: s.tables.memo(white)}
	boundary, activation := s.side(s.boundary), s.side(s.activation)
	if s.space.name == "hsv" {
		c.rule = newHSVRule(white, boundary, activation)
	} else {
		c.rule = &labRule{white, float32(1 / white), boundary, activation, s.tables.guesses()}
	}
	return c, r, nil
}

// tell adds to a report what leftOver says.
func (s *colourSpec) tell(r *Report, p *segment.PageInfo, white float64, o Options) {
	warnings, missing := s.leftOver(p, white, o)
	r.Warnings = append(r.Warnings, warnings...)
	if o.Invert {
		r.Missing.Boundary = missing
	} else {
		r.Missing.Activation = missing
	}
}

// side makes the intervals of a side of hsv or lab.
func (s *colourSpec) side(r *colourRanges) colourSide {
	if r == nil {
		return colourSide{rest: true}
	}
	var side colourSide
	for i, c := range r.of {
		circle := r.space.channels[i].circle
		if !c.from.given && !c.to.given || circle && c.from.value == 0 && c.to.value == 360 {
			continue
		}
		iv := colourInterval{asked: true, from: float32(math.Inf(-1)), to: float32(math.Inf(1))}
		if c.from.given {
			iv.from = float32(c.from.fraction())
		}
		if c.to.given {
			iv.to = float32(c.to.fraction())
		}
		if circle && iv.to == 360 {
			iv.to = 0 // 360 is 0
		}
		side.box[i] = iv
	}
	return side
}

// hueOfGray warns where a range of hues takes in gray, whose hue is 0, and saturation is not spoken of.
func (s *colourSpec) hueOfGray() []string {
	if s.space.name != "hsv" {
		return nil
	}
	for _, side := range []struct {
		key string
		r   *colourRanges
	}{{"activation", s.activation}, {"boundary", s.boundary}} {
		if side.r == nil || !side.r.of[0].asked || side.r.of[1].asked {
			continue
		}
		if h := s.side(side.r).box[0]; h.asked && h.holds(0) {
			return []string{fmt.Sprintf("kernel color: %s=%s holds gray too, whose hue is 0; add s:10%%.. to leave it out, or s:0.. to take it in", side.key, side.r)}
		}
	}
	return nil
}

// describe says what is asked.
func (s *colourSpec) describe(o Options, show numerals) string {
	text := "color " + s.space.name + ": "
	for i, side := range []struct {
		key string
		r   *colourRanges
	}{{"boundary", s.boundary}, {"activation", s.activation}} {
		if i > 0 {
			text += ", "
		}
		text += side.key + " "
		if side.r == nil {
			text += "the rest"
		} else {
			text += side.r.text(show)
		}
	}
	if o.Invert {
		text += " (inverted)"
	}
	return text
}

// colourWarnings are those of any kernel of colours.
func colourWarnings(p *segment.PageInfo, kernel, white string) []string {
	var w []string
	if p.Gray {
		w = append(w, "the page is gray, so kernel "+kernel+" sees r = g = b")
	}
	if white != "" {
		w = append(w, "kernel "+kernel+": "+white)
	}
	return w
}

// colourWhite is the sample value of a channel that is full on, as the user gave it.
type colourWhite struct {
	given bool
	value float64
}

// read reads white=.
func (w *colourWhite) read(a args) error {
	text, given := a.values["white"]
	if !given {
		return nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 1e-20 && x <= 1e20) {
		return usagef("for example white=4095 for 12 bits", "kernel %s: white=%s is not a number from 1e-20 to 1e20", a.kernel, text)
	}
	w.given, w.value = true, x
	return nil
}

func (w colourWhite) String() string {
	if !w.given {
		return ""
	}
	return ",white=" + formatNumber(w.value)
}

// needs asks for the histogram of float pages, to see whether their samples go beyond 1.
func (w colourWhite) needs(shares bool) Needs {
	return Needs{Needs: segment.Needs{Channels: true}, Histogram: shares && !w.given}
}

// pageNeeds is what is left of needs for a page.
func (w colourWhite) pageNeeds(p *segment.PageInfo, n Needs) Needs {
	_, most := colourSpan(p)
	n.Histogram = n.Histogram && math.IsNaN(most) && p.Type == segment.F32
	return n
}

// of is the white of a page: its nominal top, and 1 for floats; a warning says that samples of a float page go beyond.
func (w colourWhite) of(p *segment.PageInfo, h []segment.Histogram) (white float64, warning string) {
	if w.given {
		return w.value, ""
	}
	if _, most := colourSpan(p); !math.IsNaN(most) {
		return most, ""
	}
	if len(h) == 1 && h[0].N > 0 && h[0].Max > 1 {
		warning = fmt.Sprintf("samples reach %s, and colours of floats go from 0 to 1; white=%s would say otherwise", formatNumber(h[0].Max), whiteFor(h[0].Max))
	}
	return 1, warning
}

// whiteFor is the least usual white that samples up to most fit under.
func whiteFor(most float64) string {
	for _, bits := range []int{8, 10, 12, 14, 16} {
		if white := math.Exp2(float64(bits)) - 1; most <= white {
			return formatNumber(white)
		}
	}
	return formatNumber(most)
}

// colourSpan is the nominal range of the colour channels; NaN, NaN for floats.
func colourSpan(p *segment.PageInfo) (least, most float64) {
	switch {
	case p.ColourMin != p.ColourMax: // NaN too
		return p.ColourMin, p.ColourMax
	case p.Min != p.Max:
		return p.Min, p.Max
	case p.Type == segment.F32:
		return math.NaN(), math.NaN()
	}
	return typeRange(p.Type)
}

// colourTables are what the pages of a spec share, made when they are first needed. They hold nothing that depends on
// the order of pages.
type colourTables struct {
	mu    sync.Mutex
	white float64
	last  *colourMemo // of pages of this white
	guess *labGuess

	known  bool
	number float64 // of once
}

// memo gives the memo of pages of a white.
func (t *colourTables) memo(white float64) *colourMemo {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil || t.white != white {
		t.white, t.last = white, new(colourMemo)
	}
	return t.last
}

func (t *colourTables) guesses() *labGuess {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.guess == nil {
		t.guess = newLabGuess()
	}
	return t.guess
}

// once gives what find finds the first time: a number that hangs on the spec alone.
func (t *colourTables) once(find func() float64) float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.known {
		t.number, t.known = find(), true
	}
	return t.number
}
