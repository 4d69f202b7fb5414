package kernels

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"segscan/segment"
)

// Incremental is implemented by specs that take the histograms of a page bit by bit, so that with per=line no more
// than a few lines' histograms need be held at once (512 KiB each for 16-bit and f32 samples).
type Incremental interface {
	Spec
	Start(p *segment.PageInfo, o Options) Binding
}

// Binding finds the thresholds of one page. Add takes the next histograms in order of lines (or the page's only one),
// already holding their Fine counts if any; they may be reused afterwards. Finish is called once. Neither is safe for
// concurrent use.
type Binding interface {
	Add(h []segment.Histogram) error
	Finish() (segment.Classifier, Report, error)
}

// global is a kernel that compares samples with two thresholds for the page, or for each line.
type global struct {
	name    string
	text    string // canonical spec
	image   bool   // thresholds depend on the image
	signed  bool   // samples are differences, which may lie below the nominal range
	perLine bool
	// find gives the thresholds; l is nil unless image is set, and then holds two distinct values or more.
	find func(p *segment.PageInfo, l *levels) (found, error)
	// fine lists the bins of an f32 histogram that a second pass should split.
	fine func(h *segment.Histogram) []uint16
	// ranks are percentiles that find takes.
	ranks []float64
}

// found is what a kernel finds for a page or line: t as reported, lo and hi in the sample's type.
type found struct {
	t        []float64
	lo, hi   float64
	warnings []string
}

func (g *global) String() string            { return g.text }
func (g *global) Filters() []segment.Filter { return nil }
func (g *global) Needs() Needs              { return Needs{Histogram: g.image, PerLine: g.perLine} }

// FineBins asks for the bins that exact percentiles need, and those that automatic methods gain from: see denseBins. For
// per=line it is the union over the lines of h, or nothing if that took more than 64 MiB; thresholds then lie on bin
// edges, within 1/128 of their value.
func (g *global) FineBins(p *segment.PageInfo, h []segment.Histogram) []uint16 {
	if p.Type != segment.F32 || g.fine == nil {
		return nil
	}
	var keys []uint16
	for i := range h {
		if h[i].N > 0 && h[i].Min < h[i].Max {
			keys = append(keys, g.fine(&h[i])...)
			slices.Sort(keys)
			keys = slices.Compact(keys)
		}
	}
	if len(h) > 1 && len(keys)*len(h) > 2*maxFine {
		return nil
	}
	return keys
}

// Bind implements Spec.
func (g *global) Bind(p *segment.PageInfo, h []segment.Histogram, o Options) (segment.Classifier, Report, error) {
	b := g.Start(p, o)
	if err := b.Add(h); err != nil {
		return nil, Report{}, err
	}
	return b.Finish()
}

// Start implements Incremental.
func (g *global) Start(p *segment.PageInfo, o Options) Binding {
	return &binding{g: g, p: p, o: o}
}

type binding struct {
	g      *global
	p      *segment.PageInfo
	o      Options
	seen   int
	t      []float64
	lo, hi []float64
	warn   []lineWarning
	// Lines without thresholds, and the first reason.
	blank, failed int
	firstErr      error
	coarse        int     // lines whose thresholds are no finer than the bins of f32 histograms
	only          float64 // the one value of a page or of blank lines; NaN: no finite sample
	entropy       entropies
}

// Add implements Binding.
func (b *binding) Add(h []segment.Histogram) error {
	if !b.g.image {
		return nil
	}
	for i := range h {
		if !b.g.perLine && b.seen > 0 {
			return fmt.Errorf("kernel %s: one histogram of the page was expected, more were given", b.g.name)
		}
		if h[i].Type != b.p.Type && h[i].N > 0 {
			return fmt.Errorf("kernel %s: histogram of %s samples for a page of %s samples", b.g.name, h[i].Type, b.p.Type)
		}
		if err := b.add(&h[i]); err != nil {
			return err
		}
		b.seen++
	}
	return nil
}

func (b *binding) add(h *segment.Histogram) error {
	l := newLevels(h, b.g.perLine)
	l.entropy = &b.entropy
	if l.degenerate() {
		b.only = math.NaN()
		if len(l.v) > 0 {
			b.only = l.v[0]
		}
		b.blank++
		b.none()
		return nil
	}
	unknown := func(pct float64) bool { return !l.rankKnown(pct) }
	if slices.ContainsFunc(b.g.ranks, unknown) || b.g.fine != nil && len(b.g.ranks) == 0 && l.crude() {
		b.coarse++
	}
	f, err := b.g.find(b.p, l)
	var usage *UsageError
	switch {
	case err == nil:
		b.t, b.lo, b.hi = append(b.t, f.t...), append(b.lo, f.lo), append(b.hi, f.hi)
		b.note(f.warnings)
		return nil
	case !b.g.perLine || errors.As(err, &usage):
		return b.wrap(err)
	}
	if b.failed == 0 {
		b.firstErr = err
	}
	b.failed++
	b.none()
	return nil
}

// lineWarning is a warning of the first line that has it, and of how many lines there are ones of the same effect: their
// texts differ, since they hold the values of each line.
type lineWarning struct {
	reason, effect, remedy string
	first, lines           int
}

// note takes the warnings of the next page or line.
func (b *binding) note(warnings []string) {
	for _, text := range warnings {
		reason, effect, _ := strings.Cut(text, warningEffect)
		effect, remedy, _ := strings.Cut(effect, warningRemedy)
		if b.g.signed && effect == noBoundary {
			continue
		}
		if b.o.Invert {
			effect = exchanged(effect)
		}
		if i := slices.IndexFunc(b.warn, func(w lineWarning) bool { return w.effect == effect }); i >= 0 {
			b.warn[i].lines++
			continue
		}
		b.warn = append(b.warn, lineWarning{reason, effect, remedy, b.seen, 1})
	}
}

// none notes a line on which every sample is other.
func (b *binding) none() {
	b.lo, b.hi = append(b.lo, math.Inf(-1)), append(b.hi, math.Inf(1))
}

// wrap names the kernel in an error of a page.
func (b *binding) wrap(err error) error {
	var usage *UsageError
	if errors.As(err, &usage) {
		return &UsageError{Msg: "kernel " + b.g.name + ": " + usage.Msg, Hint: usage.Hint}
	}
	return fmt.Errorf("kernel %s: %w", b.g.name, err)
}

// Finish implements Binding.
func (b *binding) Finish() (segment.Classifier, Report, error) {
	g := b.g
	c := segment.Thresholds{Swap: b.o.Invert, NaN: b.o.NaN}
	r := Report{Automatic: g.image}
	if !g.image {
		f, err := g.find(b.p, nil)
		if err != nil {
			return nil, Report{}, b.wrap(err)
		}
		b.note(f.warnings)
		b.t, b.lo, b.hi, b.seen = f.t, []float64{f.lo}, []float64{f.hi}, 1
	}
	if b.seen == 0 {
		return nil, Report{}, fmt.Errorf("kernel %s: no histogram of the page was given", g.name)
	}
	if b.failed > 0 && b.failed+b.blank == b.seen {
		return nil, Report{}, fmt.Errorf("kernel %s: no line has thresholds; the first reason: %w", g.name, b.firstErr)
	}
	r.Warnings = b.warnings()
	if g.perLine {
		c.Lo, c.Hi = b.lo, b.hi
	}
	if b.blank == b.seen {
		r.Text, r.Short = g.name+": no thresholds", "no thresholds"
		return c, r, nil
	}
	c.Lo, c.Hi = b.lo, b.hi
	r.T, r.Lo, r.Hi = b.t, b.lo, b.hi
	r.say(g.name, b.describe)
	return c, r, nil
}

func (b *binding) warnings() []string {
	name, w := "kernel "+b.g.name+": ", []string(nil)
	for _, l := range b.warn {
		if b.g.perLine && b.g.image {
			w = append(w, fmt.Sprintf("%s%s on %d of %d lines, the first being line %d of them: %s; %s", name, l.effect, l.lines, b.seen, l.first, l.reason, l.remedy))
			continue
		}
		w = append(w, name+l.reason+warningEffect+l.effect+warningRemedy+l.remedy)
	}
	if b.coarse > 0 && b.g.perLine {
		w = append(w, fmt.Sprintf("%sthe thresholds of %d of %d lines are no finer than histogram bins, 1/128 of a value; without per=line they are exact", name, b.coarse, b.seen))
	}
	if b.failed > 0 {
		w = append(w, fmt.Sprintf("%s%d of %d lines have no thresholds, and every sample of theirs is other; the first reason: %v", name, b.failed, b.seen, b.firstErr))
	}
	switch {
	case b.blank == 0:
	case b.g.perLine && b.blank < b.seen:
		w = append(w, fmt.Sprintf("%s%d of %d lines hold fewer than two distinct values, and every sample of theirs is other", name, b.blank, b.seen))
	case b.g.perLine:
		w = append(w, name+"no line holds two distinct values, so there are no thresholds and every sample is other")
	case math.IsNaN(b.only):
		w = append(w, name+"no sample is finite, so there are no thresholds and every sample is other")
	default:
		w = append(w, fmt.Sprintf("%severy finite sample is %s, so there are no thresholds and every sample is other", name, formatNumber(b.only)))
	}
	return w
}

// describe says what is compared.
func (b *binding) describe(show numerals) string {
	s := b.g.name
	if b.g.perLine {
		s += fmt.Sprintf(" per line: lo %s, hi %s over %d lines", span(b.lo, show), span(b.hi, show), len(b.lo))
	} else {
		s += ": "
		if len(b.t) > 0 {
			s += "t"
			for _, t := range b.t {
				s += " " + show(shortNumber(t))
			}
			s += "; "
		}
		s += "boundary v <= " + show(shortNumber(b.lo[0])) + ", activation v >= " + show(shortNumber(b.hi[0]))
	}
	if b.o.Invert {
		s += " (inverted)"
	}
	return s
}

// span gives the extremes of the finite values.
func span(x []float64, show numerals) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		if !math.IsInf(v, 0) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		return "none"
	}
	return show(shortNumber(lo)) + ".." + show(shortNumber(hi))
}
