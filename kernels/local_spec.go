package kernels

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"segscan/segment"
)

// local is a parsed local kernel.
type local struct {
	name string
	text string // canonical spec
	rule Local  // all but amounts and what a page decides
	amounts
	scaled bool // the rule goes by the range itself, or its r by default
	ranged bool // Bind wants the range
}

// defaultWindow is the side of windows where none is given.
const defaultWindow = 31

// localKernel makes the parser of a local kernel. k is the default of k=, for kernels that have it.
func localKernel(rule LocalRule, k float64) func(args) (Spec, error) {
	return func(a args) (Spec, error) {
		s := &local{name: a.kernel, rule: Local{Rule: rule}}
		var kv []string
		w, err := a.window()
		if err != nil {
			return nil, err
		}
		s.rule.WindowX, s.rule.WindowY = w[0], w[1]
		if w != [2]int{defaultWindow, defaultWindow} {
			kv = append(kv, "window", windowText(w[0], w[1]))
		}
		number := func(to *float64, key string, byDefault, lo, hi float64) {
			if err != nil {
				return
			}
			if *to, err = a.number(key, byDefault, lo, hi); *to != byDefault {
				kv = append(kv, key, formatNumber(*to))
			}
		}
		if rule == LocalNiblack || rule == LocalSauvola || rule == LocalWolf || rule == LocalPhansalkar {
			number(&s.rule.K, "k", k, -100, 100)
		}
		if rule == LocalPhansalkar {
			number(&s.rule.P, "p", 2, -100, 100)
			number(&s.rule.Q, "q", 10, 0, 100)
		}
		inSamples := func(to *amount, key string, byDefault amount, lo float64) {
			if err != nil {
				return
			}
			if *to, err = a.amount(key, byDefault, lo); *to != byDefault {
				kv = append(kv, key, to.String())
			}
		}
		if rule == LocalSauvola || rule == LocalPhansalkar {
			inSamples(&s.r, "r", defaultR(), math.SmallestNonzeroFloat32)
		}
		if rule == LocalBernsen {
			inSamples(&s.contrast, "contrast", defaultContrast(), 0)
		}
		if s.rule.repeats() {
			inSamples(&s.offset, "offset", amount{}, -math.MaxFloat32)
		}
		inSamples(&s.margin, "margin", amount{}, 0)
		if err != nil {
			return nil, err
		}
		s.text = a.canonical(kv...)
		if rule == LocalWolf {
			return wolf{s}, nil // its survey finds the range
		}
		s.scaled = rule == LocalPhansalkar || rule == LocalBernsen || s.r == defaultR()
		s.ranged = s.scaled || s.amounts.share()
		return s, nil
	}
}

// window reads window=N or window=WxH.
func (a args) window() (w [2]int, err error) {
	s, ok := a.values["window"]
	if !ok {
		return [2]int{defaultWindow, defaultWindow}, nil
	}
	x, y, two := strings.Cut(strings.ToLower(s), "x")
	if !two {
		y = x
	}
	for i, side := range []string{x, y} {
		n, err := strconv.Atoi(strings.TrimSpace(side))
		switch {
		case err != nil:
			return w, usagef("use an odd number of pixels such as window=31, or width x height such as window=31x15",
				"kernel %s: window=%s is not a size", a.kernel, s)
		case n < 1 || n > MaxLocalWindow:
			return w, usagef(fmt.Sprintf("use an odd number from 3 to %d", MaxLocalWindow),
				"kernel %s: window=%s is out of range", a.kernel, s)
		case n%2 == 0:
			return w, usagef(fmt.Sprintf("a window has a sample in its middle: use %d or %d", n-1, min(n+1, MaxLocalWindow)),
				"kernel %s: window=%s is even", a.kernel, s)
		}
		w[i] = n
	}
	if w[0] == 1 && w[1] == 1 {
		return w, usagef(fmt.Sprintf("use an odd number from 3 to %d", MaxLocalWindow),
			"kernel %s: window=%s holds nothing but the sample itself", a.kernel, s)
	}
	return w, nil
}

// windowText is the value of window= for a size.
func windowText(x, y int) string {
	if x == y {
		return strconv.Itoa(x)
	}
	return fmt.Sprintf("%dx%d", x, y)
}

func (s *local) String() string            { return s.text }
func (s *local) Filters() []segment.Filter { return nil }
func (s *local) FineBins(*segment.PageInfo, []segment.Histogram) []uint16 {
	return nil
}

// Needs asks for a histogram where some page, one of float samples, would need one; see PageNeeds.
func (s *local) Needs() Needs {
	return Needs{Needs: s.rule.Needs(), Histogram: s.ranged}
}

// PageNeeds implements PageNeeder.
func (s *local) PageNeeds(p *segment.PageInfo) Needs {
	n := s.Needs()
	n.Histogram = n.Histogram && !hasRange(p)
	return n
}

// hasRange tells whether the stored type has a nominal range.
func hasRange(p *segment.PageInfo) bool { return p.Min < p.Max }

// sized is the rule with a window that fits the page, and a warning where that is not the one asked for: a default
// window shrinks to the page, and a square one to a line where the page is no more than that. Any other must fit.
func (s *local) sized(p *segment.PageInfo) (c Local, warnings []string, err error) {
	c = s.rule
	x, y := c.WindowX, c.WindowY
	if int64(x) <= p.Width && int64(y) <= p.Height {
		return c, nil, nil
	}
	odd := func(window int, side int64) int { return int(min(int64(window), max(1, side-(side+1)%2))) }
	fitX, fitY := odd(x, p.Width), odd(y, p.Height)
	asked, size := windowText(x, y), windowText(fitX, fitY)
	byDefault := x == defaultWindow && y == defaultWindow
	if x == y && p.Width == 1 || byDefault {
		c.WindowX = fitX
	}
	if x == y && p.Height == 1 || byDefault {
		c.WindowY = fitY
	}
	switch {
	case fitX == 1 && fitY == 1:
		return c, nil, fmt.Errorf("kernel %s: window=%s is larger than the page of %d x %d pixels, which is too small for any window; use a global kernel such as otsu",
			s.name, asked, p.Width, p.Height)
	case c.WindowX != fitX || c.WindowY != fitY:
		return c, nil, fmt.Errorf("kernel %s: window=%s is larger than the page of %d x %d pixels; use at most window=%s",
			s.name, asked, p.Width, p.Height, size)
	}
	return c, []string{fmt.Sprintf("kernel %s: window=%s is larger than the page of %d x %d pixels, so window=%s is used",
		s.name, asked, p.Width, p.Height, size)}, nil
}

// Bind implements Spec.
func (s *local) Bind(p *segment.PageInfo, h []segment.Histogram, o Options) (segment.Classifier, Report, error) {
	c, warnings, err := s.sized(p)
	if err != nil {
		return nil, Report{}, err
	}
	c.Swap, c.NaN = o.Invert, o.NaN
	var lo, hi float64
	if s.ranged {
		if lo, hi, err = s.rangeOf(p, h); err != nil {
			return nil, Report{}, err
		}
	}
	if err := s.amounts.set(&c, hi-lo); err != nil {
		return nil, Report{}, fmt.Errorf("kernel %s: %w", s.name, err)
	}
	if s.scaled {
		c.Min, c.Max, c.Centre = lo, hi, lo+(hi-lo)/2
		if c.Contrast > hi-lo && hi > lo {
			warnings = append(warnings, fmt.Sprintf("kernel bernsen: contrast=%s is more than the samples' range %s..%s, so every window counts as flat; use a smaller contrast",
				formatNumber(c.Contrast), formatNumber(lo), formatNumber(hi)))
		}
	}
	return &c, s.report(&c, p, warnings), nil
}

// rangeOf is the nominal range, or, where there is none, the least and the greatest finite sample; 0 and 0 if none is.
func (s *local) rangeOf(p *segment.PageInfo, h []segment.Histogram) (lo, hi float64, err error) {
	switch {
	case hasRange(p):
		return p.Min, p.Max, nil
	case len(h) != 1:
		return 0, 0, fmt.Errorf("kernel %s: one histogram of the page was expected, %d were given", s.name, len(h))
	case h[0].N == 0:
		return 0, 0, nil
	}
	return h[0].Min, h[0].Max, nil
}

// describe says what is compared.
func (s *local) describe(c *Local, show numerals) string {
	text := fmt.Sprintf("%s: window %d x %d", s.name, c.WindowX, c.WindowY)
	add := func(format string, args ...any) { text += fmt.Sprintf(format, args...) }
	number := func(x float64) string { return show(formatNumber(x)) }
	switch c.Rule {
	case LocalMean, LocalGaussian, LocalMedian:
		if c.Offset != 0 {
			add(", offset %s", number(c.Offset))
		}
	case LocalNiblack:
		add(", k %s", number(c.K))
	case LocalSauvola, LocalPhansalkar:
		add(", k %s, r %s", number(c.K), number(c.R))
	}
	if c.Rule == LocalWolf {
		add(", k %s, least sample %s, largest deviation %s", number(c.K), number(c.Min), number(c.R))
	}
	if c.Rule == LocalBernsen {
		add(", contrast %s, centre %s", number(c.Contrast), number(c.Centre))
	}
	if c.Rule == LocalPhansalkar {
		add(", p %s, q %s, range %s..%s", number(c.P), number(c.Q), number(c.Min), number(c.Max))
	}
	add("; boundary v <= T, activation v > T")
	if c.Margin != 0 {
		add(" + %s", number(c.Margin))
	}
	if c.Swap {
		add(" (inverted)")
	}
	return text
}

// report is what is said of a page.
func (s *local) report(c *Local, p *segment.PageInfo, warnings []string) Report {
	r := Report{Warnings: warnings, Automatic: true}
	r.say(s.name, func(show numerals) string { return s.describe(c, show) })
	s.sayMissing(&r, c, p)
	return r
}
