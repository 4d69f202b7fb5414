package kernels

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"segscan/segment"
)

// singleKernel makes a kernel of one automatic threshold t: boundary v <= t, activation v > t.
func singleKernel(method string) func(args) (Spec, error) {
	return func(a args) (Spec, error) {
		g, err := a.automatic(method)
		if err != nil {
			return nil, err
		}
		g.fine = methodFine(method)
		g.find = func(p *segment.PageInfo, l *levels) (found, error) {
			t, err := l.method(method)
			if err != nil {
				return found{}, err
			}
			lo := floorTo(p.Type, t)
			return found{t: []float64{t}, lo: lo, hi: nextAfter(p.Type, lo)}, nil
		}
		return g, nil
	}
}

// methodFine are the bins a method wants split on f32 pages; the mean is known without.
func methodFine(method string) func(*segment.Histogram) []uint16 {
	switch method {
	case "mean":
		return nil
	case "median":
		return func(h *segment.Histogram) []uint16 { return rankFine(h, 50) }
	}
	return denseBins
}

// multiOtsuKernel: boundary v <= t[first], activation v > t[last]; a page of two distinct values a < b has boundary
// v <= a, activation v >= b.
func multiOtsuKernel(a args) (Spec, error) {
	g, err := a.automatic("multiotsu")
	if err != nil {
		return nil, err
	}
	classes := 3
	if s, ok := a.values["classes"]; ok {
		if classes, err = strconv.Atoi(s); err != nil || classes < 2 || classes > 5 {
			return nil, usagef("use classes=2 to classes=5", "kernel multiotsu: classes=%s is not a whole number from 2 to 5", s)
		}
		if classes != 3 {
			g.text = a.canonical("classes", strconv.Itoa(classes))
		}
	}
	g.fine = denseBins
	g.find = func(p *segment.PageInfo, l *levels) (found, error) {
		var f found
		if err := l.apart(); err != nil {
			return f, err
		}
		for _, i := range l.multiOtsu(classes) {
			f.t = append(f.t, l.hi[i])
		}
		f.lo, f.hi = f.t[0], nextAfter(p.Type, f.t[len(f.t)-1])
		if len(l.v) == 2 {
			f.hi = max(f.hi, l.lo[1])
		}
		return f, nil
	}
	return g, nil
}

// hysteresisKernel takes both thresholds from the user.
func hysteresisKernel(a args) (Spec, error) {
	var v [2]value
	for i, key := range []string{"lo", "hi"} {
		s, ok := a.values[key]
		if !ok {
			return nil, usagef("for example hysteresis:lo=40,hi=200, or hysteresis:lo=otsu*0.8,hi=otsu*1.2",
				"kernel hysteresis: %s is missing", key)
		}
		var err error
		if v[i], err = parseValue("hysteresis", key, s); err != nil {
			return nil, err
		}
	}
	lo, hi := v[0], v[1]
	if lo.notBelow(hi) {
		return nil, usagef("give the lower threshold as lo; --invert exchanges the two classes",
			"kernel hysteresis: lo=%s must be below hi=%s", lo, hi)
	}
	perLine, err := a.perLine()
	if err != nil {
		return nil, err
	}
	g := &global{name: "hysteresis", image: lo.needsHistogram() || hi.needsHistogram()}
	g.perLine = perLine && g.image
	if perLine && !g.image {
		return nil, usagef("leave per=line out", "kernel hysteresis: per=line needs a threshold that depends on the image, and lo=%s, hi=%s do not", lo, hi)
	}
	g.text = a.canonical("lo", lo.String(), "hi", hi.String())
	g.fine = hysteresisFine(v[:])
	for _, x := range v {
		if x.kind == percentile {
			g.ranks = append(g.ranks, x.num)
		}
		if x.method == "median" || x.unit == medianDeviations {
			g.ranks = append(g.ranks, 50)
		}
	}
	g.find = func(p *segment.PageInfo, l *levels) (found, error) {
		var f found
		var x [2]float64
		for i := range v {
			t, err := v[i].eval(p, l)
			if err != nil {
				return found{}, fmt.Errorf("%s=%s: %w", [2]string{"lo", "hi"}[i], v[i], err)
			}
			x[i] = t
			if v[i].kind == automatic && (i == 0 || v[0].method != v[1].method) {
				if t, err = l.method(v[i].method); err != nil {
					return found{}, err
				}
				f.t = append(f.t, t)
			}
		}
		if x[1] <= x[0] && x[0] < 0 && lo.needsHistogram() && hi.needsHistogram() && (lo.factor != 1 || hi.factor != 1) {
			return f, fmt.Errorf("lo=%s gives %s and hi=%s gives %s on this page, but lo must be below hi; a factor of more than 1 takes a negative "+
				"threshold downwards: use +NUMBER, or +NUMBERsd for standard deviations", lo, shortNumber(x[0]), hi, shortNumber(x[1]))
		}
		lowName, highName := "lo="+lo.String(), "hi="+hi.String()
		if x[0] == x[1] && lo.ranked() && hi.ranked() {
			return f, l.sameRank(lowName, highName, "p", x[0])
		}
		return f, f.compare(p, lowName, x[0], highName, x[1])
	}
	return g, nil
}

func hysteresisFine(v []value) func(h *segment.Histogram) []uint16 {
	return func(h *segment.Histogram) []uint16 {
		var keys []uint16
		for _, x := range v {
			switch x.kind {
			case percentile:
				keys = append(keys, rankFine(h, x.num)...)
			case automatic:
				if fine := methodFine(x.method); fine != nil {
					keys = append(keys, fine(h)...)
				}
			}
			if x.unit == medianDeviations {
				keys = append(keys, madFine(h)...)
			}
		}
		return keys
	}
}

// warningEffect stands between the reason of a warning, which may differ from line to line, and its effect, and
// warningRemedy behind that.
const (
	warningEffect = ", so "
	warningRemedy = "; "
)

// noBoundary is the effect of a threshold below the samples' range.
const noBoundary = "no sample is a boundary"

// exchanged is an effect on the classes as --invert leaves them.
func exchanged(effect string) string {
	return strings.NewReplacer("a boundary", "an activation", "an activation", "a boundary").Replace(effect)
}

// compare sets lo and hi from thresholds in sample units, named as the user gave them.
func (f *found) compare(p *segment.PageInfo, loName string, lo float64, hiName string, hi float64) error {
	loKey, _, _ := strings.Cut(loName, "=")
	hiKey, _, _ := strings.Cut(hiName, "=")
	if !(lo < hi) {
		return fmt.Errorf("%s gives %s and %s gives %s on this page, but %s must be below %s; widen the distance between the two",
			loName, shortNumber(lo), hiName, shortNumber(hi), loKey, hiKey)
	}
	t := p.Type
	f.lo, f.hi = roundLo(t, lo), roundHi(t, hi)
	if f.lo >= f.hi {
		return fmt.Errorf("%s and %s are both %s when rounded to %s samples, but %s must be below %s; widen the distance between the two",
			loName, hiName, formatNumber(f.lo), t, loKey, hiKey)
	}
	least, most := p.Min, p.Max
	if math.IsNaN(least) || math.IsNaN(most) {
		least, most = typeRange(t)
	}
	limits := fmt.Sprintf("the samples' range %s..%s", formatNumber(least), formatNumber(most))
	warn := func(name string, x float64, place, effect, remedy string) {
		f.warnings = append(f.warnings, named(name, x)+place+limits+warningEffect+effect+warningRemedy+remedy)
	}
	if lo < least {
		warn(loName, lo, " is below ", noBoundary, "use a higher "+loKey)
	}
	if lo >= most {
		warn(loName, lo, " reaches the top of ", "every sample is a boundary", "use a lower "+loKey)
	} else if hi > most {
		warn(hiName, hi, " is above ", "no sample is an activation", "use a lower "+hiKey)
	}
	return nil
}

// named shows a threshold with its value where the two differ in text.
func named(name string, x float64) string {
	if s := shortNumber(x); name != "lo="+s && name != "hi="+s {
		return name + " (" + s + ")"
	}
	return name
}

// shortNumber is formatNumber of nine digits, for messages: arithmetic leaves more of which most tell nothing.
func shortNumber(x float64) string {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 9, 64), 64)
	if err != nil {
		y = x
	}
	return formatNumber(y)
}

// percentileKernel: boundary up to one percentile, activation from another on (p-tile method: Doyle, J. ACM 9(4), 1962).
func percentileKernel(a args) (Spec, error) {
	g, err := a.automatic("percentile")
	if err != nil {
		return nil, err
	}
	low, err := a.number("low", 50, 0, 100)
	if err != nil {
		return nil, err
	}
	high, err := a.number("high", 98, 0, 100)
	if err != nil {
		return nil, err
	}
	if low >= high {
		return nil, usagef("give the lower percentile as low; --invert exchanges the two classes",
			"kernel percentile: low=%s must be below high=%s", formatNumber(low), formatNumber(high))
	}
	g.text = a.canonical(a.unlessDefault("low", low, 50, "high", high, 98)...)
	g.ranks = []float64{low, high}
	g.fine = func(h *segment.Histogram) []uint16 { return append(rankFine(h, low), rankFine(h, high)...) }
	g.find = func(p *segment.PageInfo, l *levels) (found, error) {
		var f found
		lowName, highName := "low="+formatNumber(low), "high="+formatNumber(high)
		x, y := l.percentile(low), l.percentile(high)
		if x == y {
			return f, l.sameRank(lowName, highName, "", x)
		}
		return f, f.compare(p, lowName, x, highName, y)
	}
	return g, nil
}

// madKernel: boundary v <= median + klow*s, activation v >= median + khigh*s, s the scaled median absolute deviation
// (Hampel, J. Am. Stat. Assoc. 69(346), 1974).
func madKernel(a args) (Spec, error) {
	g, err := a.automatic("mad")
	if err != nil {
		return nil, err
	}
	klow, err := a.number("klow", 1, -1e6, 1e6)
	if err != nil {
		return nil, err
	}
	khigh, err := a.number("khigh", 3, -1e6, 1e6)
	if err != nil {
		return nil, err
	}
	if klow >= khigh {
		return nil, usagef("give the lower factor as klow; --invert exchanges the two classes",
			"kernel mad: klow=%s must be below khigh=%s", formatNumber(klow), formatNumber(khigh))
	}
	g.text = a.canonical(a.unlessDefault("klow", klow, 1, "khigh", khigh, 3)...)
	g.ranks = []float64{50}
	g.fine = madFine
	g.find = func(p *segment.PageInfo, l *levels) (found, error) {
		var f found
		m, s, err := l.deviation()
		if err != nil {
			return f, fmt.Errorf("%w; try percentile, or hysteresis:lo=mean+1sd,hi=mean+3sd", err)
		}
		return f, f.compare(p, "klow="+formatNumber(klow), m+float64(klow*s), "khigh="+formatNumber(khigh), m+float64(khigh*s))
	}
	return g, nil
}
