package kernels

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"segscan/segment"
)

// classesOf is what a kernel calls the samples of a page of one line, as digits.
func classesOf(t *testing.T, spec string, p segment.Plane, o Options) string {
	t.Helper()
	info := &segment.PageInfo{Width: int64(p.Samples), Height: int64(p.Lines), Type: p.Type(), Max: 255}
	c, _, err := parsed(t, spec).Bind(info, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	var m segment.Masks
	if err := c.Classify(segment.Band{Page: info, Lines: p.Lines, Samples: p.Samples, V: p}, &m); err != nil {
		t.Fatal(err)
	}
	s := ""
	for _, class := range m.Classes() {
		s += string('0' + rune(class))
	}
	return s
}

// TestGradientByHand: sigma 0.25 reaches one sample, so the derivative is half the difference of the two neighbours.
func TestGradientByHand(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		v    []float32
		want string
	}{
		// Derivatives, the border sample repeated: 0 0 4 6 2 0 0 -6 -6 0 0. The first maximum is sample 3; of the two of 6
		// at samples 7 and 8 the first counts.
		{[]float32{0, 0, 0, 8, 12, 12, 12, 12, 0, 0, 0}, "00012221000"},
		// A ramp has the derivative 3 everywhere but at its ends, where it is half of that: the first of the equal ones.
		{[]float32{0, 3, 6, 9, 12, 15, 18}, "0100222"},
		// Too flat: at most 1.
		{[]float32{0, 1, 2, 3, 4, 20, 20}, "0000122"},
		// The derivative of 5 at the border sample is that to its image, itself: (10-0)/2.
		{[]float32{0, 10, 10, 10, 10}, "12222"},
		// Pairs with NaN are left out, so samples beside it have no derivative; NaN is a boundary. The last two samples have
		// derivatives of -5.
		{[]float32{0, 0, nan, 10, 10, 10, 0}, "0012210"},
	} {
		if got := classesOf(t, "gradient:sigma=0.25,edge=2,hi=10", lineOf(c.v...), Options{NaN: segment.Boundary}); got != c.want {
			t.Errorf("%v: %s, want %s", c.v, got, c.want)
		}
	}
	// Exchanged, NaN aside.
	if got := classesOf(t, "gradient:sigma=0.25,edge=2,hi=10", lineOf(0, 0, 8, 12, 12, nan), Options{Invert: true}); got != "002110" {
		t.Errorf("inverted %s", got)
	}
}

// gradientOracle is the kernel by its definition.
func gradientOracle(p *filterOracle, c *Gradient) []segment.Class {
	slope := func(l, s int) float64 {
		if s < 0 || s >= p.samples {
			return -1
		}
		sum, scale := 0., 0.
		for d, g := range decays(c.Sigma) {
			if a, b := float64(p.at(l, s-d)), float64(p.at(l, s+d)); d > 0 && a-a == 0 && b-b == 0 {
				k := float64(g * float64(d))
				sum += float64(k * (b - a))
				scale += float64(k * float64(2*d))
			}
		}
		if scale == 0 {
			return 0
		}
		return math.Abs(sum / scale)
	}
	classes := make([]segment.Class, len(p.v))
	for i := range classes {
		l, s := i/p.samples, i%p.samples
		here := slope(l, s)
		switch {
		case p.v[i] != p.v[i]:
			classes[i] = c.NaN
			continue
		case here >= c.Edge && here > slope(l, s-1) && here >= slope(l, s+1):
			classes[i] = segment.Boundary
		case float64(p.v[i]) >= c.Hi:
			classes[i] = segment.Activation
		}
		if c.Swap && classes[i] != segment.Other {
			classes[i] = 3 - classes[i]
		}
	}
	return classes
}

// TestGradientIsItsDefinition holds bands and pieces of pages of every type against the definition.
func TestGradientIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	boundaries, activations := 0, 0
	for round := range 300 {
		typ := segment.SampleType(round % 3)
		lines, samples := 1+rng.IntN(6), 1+rng.IntN(90)
		if round%50 == 0 {
			samples = gradientPiece + 70
		}
		page := filterPage(rng, typ, lines, samples)
		c := &Gradient{Sigma: 0.25 + 2*rng.Float64()*rng.Float64(), Edge: []float64{0.5, 5, 300}[rng.IntN(3)], Hi: float64(rng.IntN(200)), Swap: rng.IntN(2) == 0, NaN: segment.Class(rng.IntN(3))}
		want := gradientOracle(asFloats(page), c)
		l0, s0 := rng.IntN(lines), rng.IntN(samples)
		l1, s1 := l0+1+rng.IntN(lines-l0), s0+1+rng.IntN(samples-s0)
		if round%3 == 0 {
			l0, l1, s0, s1 = 0, lines, 0, samples
		}
		b := cutBand(page, segment.Axis(rng.IntN(2)), l0, l1, s0, s1, c.Needs())
		var m segment.Masks
		if err := c.Classify(b, &m); err != nil {
			t.Fatal(err)
		}
		for i, class := range m.Classes() {
			l, s := l0+i/b.Samples, s0+i%b.Samples
			if class != want[l*samples+s] {
				t.Fatalf("%+v, %s page of %d x %d: line %d, sample %d is %d, want %d", c, typ, lines, samples, l, s, class, want[l*samples+s])
			}
			switch class {
			case segment.Boundary:
				boundaries++
			case segment.Activation:
				activations++
			}
		}
	}
	if boundaries < 500 || activations < 500 {
		t.Errorf("only %d boundaries and %d activations were compared", boundaries, activations)
	}
	part := cutBand(filterPage(rng, segment.U8, 2, 40), segment.Rows, 0, 1, 10, 20, segment.Needs{HaloSamples: 2})
	if err := (&Gradient{Sigma: 1}).Classify(part, &segment.Masks{}); err == nil || !strings.Contains(err.Error(), "sees beyond a halo") {
		t.Errorf("a halo that is too short: %v", err)
	}
}

// TestGradientOfSteps: a step has its boundary at the step and a derivative of 0.4 h/sigma, a ramp that of its slope.
func TestGradientOfSteps(t *testing.T) {
	p := segment.NewPlane(segment.U8, 1, 60)
	for s := 30; s < 60; s++ {
		p.U8[s] = 100
	}
	for spec, want := range map[string]int{
		"gradient:sigma=2,edge=19,hi=200": 1, "gradient:sigma=2,edge=21,hi=200": 0,
		"gradient:sigma=4,edge=9.5,hi=200": 1, "gradient:sigma=4,edge=10.5,hi=200": 0,
	} {
		got := classesOf(t, spec, p, Options{})
		if strings.Count(got, "1") != want || want > 0 && strings.Index(got, "1") != 29 {
			t.Errorf("%s: %s, want %d boundaries, at the step", spec, got, want)
		}
	}
	ramp := segment.NewPlane(segment.F32, 1, 40)
	for s := range 40 {
		ramp.F32[s] = 2.5 * float32(s)
	}
	for edge, want := range map[string]bool{"2.4999": true, "2.5001": false} {
		if got := classesOf(t, "gradient:sigma=1.5,edge="+edge+",hi=1000", ramp, Options{}); strings.Contains(got, "1") != want {
			t.Errorf("a ramp of 2.5 with an edge of %s: %s", edge, got)
		}
	}
}

func TestGradientSpecs(t *testing.T) {
	for in, want := range map[string]string{
		"gradient": "gradient",
		"gradient:sigma=1.0,edge=5.0%,hi=Otsu + .5sd":      "gradient",
		"gradient:hi=otsu":                                 "gradient:hi=otsu",
		"gradient:hi=p90,edge=8,smooth=1,sigma=2":          "gradient:sigma=2,edge=8,hi=p90,smooth=1",
		"gradient:hi=otsu*1.2,baseline=opening:9,edge=.5%": "gradient:edge=0.5%,hi=otsu*1.2,baseline=opening:9",
	} {
		if got := parsed(t, in).String(); got != want || parsed(t, got).String() != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"gradient:sigma=0.2":  "sigma=0.2 is not a number from 0.25 to 250",
		"gradient:sigma=300":  "sigma=300 is not a number from 0.25 to 250",
		"gradient:edge=0":     "edge=0 must be more than 0",
		"gradient:edge=-2%":   "edge=-2% must be more than 0",
		"gradient:edge=p90":   "edge=p90 is not a number",
		"gradient:edge=otsu":  "edge=otsu is not a number",
		"gradient:hi=x":       `no method is named "x"`,
		"gradient:low=3":      `unknown parameter "low"`,
		"gradient:per=line":   `unknown parameter "per"`,
		"gradient:edge=1,hi=": "hi has no value",
	} {
		_, err := Parse(in)
		var u *UsageError
		if !errors.As(err, &u) || !strings.HasPrefix(u.Msg, "kernel gradient: ") || !strings.Contains(u.Msg, want) || u.Hint == "" {
			t.Errorf("%s: %v, want %q with a hint", in, err, want)
		}
	}
}

// TestGradientBinds: shares of the range, methods, and pages that have neither.
func TestGradientBinds(t *testing.T) {
	u8 := &segment.PageInfo{Type: segment.U8, Max: 255}
	f32 := &segment.PageInfo{Type: segment.F32, Min: math.NaN(), Max: math.NaN()}
	two := histogramOf(segment.U8, 10, 10, 10, 200, 200)
	for _, c := range []struct {
		spec     string
		p        *segment.PageInfo
		h        []segment.Histogram
		edge, hi float64
		warning  string
	}{
		{"gradient:hi=otsu", u8, two, 12.75, 11, ""},         // otsu is 10, the last value of the lower class
		{"gradient", u8, two, 12.75, 57, ""},                 // 10 and half of 93.08, the deviation, make 56.54
		{"gradient:edge=3,hi=otsu+0.5", u8, two, 3, 11, ""},  // 10.5 rounded up
		{"gradient:edge=10%,hi=50%", u8, nil, 25.5, 128, ""}, // of 255
		{"gradient:hi=p100", u8, two, 12.75, 200, ""},        // the greatest
		{"gradient:hi=300", u8, nil, 12.75, math.Inf(1), "above the samples' range 0..255"},
		{"gradient", u8, histogramOf(segment.U8, 7, 7), 12.75, math.Inf(1), "no two finite samples"},
		{"gradient:edge=1,hi=0.1", f32, nil, 1, float64(float32(0.1)), ""},
		{"gradient:edge=10%,hi=1,baseline=median:3", u8, nil, 25.5, 1, ""},
	} {
		k, r, err := parsed(t, c.spec).Bind(c.p, c.h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		g := k.(*Gradient)
		if g.Edge != c.edge || g.Hi != c.hi || !strings.Contains(fmt.Sprint(r.Warnings), c.warning) || (c.warning == "") != (len(r.Warnings) == 0) {
			t.Errorf("%s: edge %v, hi %v, %v; want %v, %v, %q", c.spec, g.Edge, g.Hi, r.Warnings, c.edge, c.hi, c.warning)
		}
	}
	if _, _, err := parsed(t, "gradient:hi=1").Bind(f32, nil, Options{}); err == nil || !strings.Contains(err.Error(), "one histogram of the page was expected") {
		t.Errorf("a share of no range: %v", err)
	}
	if _, _, err := parsed(t, "gradient:hi=minimum").Bind(u8, histogramOf(segment.U8, 1, 2, 3), Options{}); err == nil || !strings.Contains(err.Error(), "kernel gradient: hi=minimum: ") {
		t.Errorf("a method without an answer: %v", err)
	}
}

// Float samples have no nominal range: edge is then a share of max - min, of the finite ones.
func TestGradientOfFloats(t *testing.T) {
	f32 := &segment.PageInfo{Type: segment.F32, Min: math.NaN(), Max: math.NaN()}
	nan := float32(math.NaN())
	for _, c := range []struct {
		spec          string
		v             []float32
		edge, hi      float64
		text, warning string
	}{
		{"gradient", []float32{-1, 1, nan, -1, 1}, 0.1, -0.5, "at least 0.1 a pixel, 5% of -1..1, activation v >= -0.5", ""}, // otsu is -1, and half of 1 more
		{"gradient:edge=25%,hi=3", []float32{0, 2, float32(math.Inf(1))}, 0.5, 3, "at least 0.5 a pixel, 25% of 0..2, activation v >= 3", ""},
		{"gradient:edge=0.5,hi=3", nil, 0.5, 3, "at least 0.5 a pixel, activation", ""},
		{"gradient", []float32{7, 7, nan}, math.Inf(1), math.Inf(1), "gradient: sigma 1; no boundary",
			"kernel gradient: there are no two finite samples of different value, so there is no edge=5% of max - min and no threshold hi=otsu+0.5sd, and every sample is other"},
		{"gradient", []float32{nan, nan}, math.Inf(1), math.Inf(1), "no boundary", "every sample is other"},
		{"gradient:hi=3", []float32{7, 7}, math.Inf(1), 3, "no boundary, activation v >= 3", "edge=5%: there are no two finite samples of different value, so there is no max - min"},
		{"gradient:edge=1", []float32{7, 7}, 1, math.Inf(1), "at least 1 a pixel", "hi=otsu+0.5sd: there are no two finite samples"},
	} {
		s := parsed(t, c.spec)
		var hs []segment.Histogram
		if PageNeeds(s, f32).Histogram {
			h := floats(nil, c.v...)
			hs = append(hs, floats(s.FineBins(f32, []segment.Histogram{h}), c.v...))
		} else if c.v != nil {
			t.Errorf("%s wants no histogram", c.spec)
		}
		k, r, err := s.Bind(f32, hs, Options{})
		if err != nil {
			t.Errorf("%s of %v: %v", c.spec, c.v, err)
			continue
		}
		g := k.(*Gradient)
		if g.Edge != c.edge || g.Hi != c.hi || !strings.Contains(r.Text, c.text) || !strings.Contains(fmt.Sprint(r.Warnings), c.warning) || len(r.Warnings) > 1 || (c.warning == "") != (len(r.Warnings) == 0) {
			t.Errorf("%s of %v: edge %v, hi %v, %q, %q", c.spec, c.v, g.Edge, g.Hi, r.Text, r.Warnings)
		}
	}
	flat := floats(nil, 7, 7)
	if _, r, err := parsed(t, "gradient:hi=3").Bind(f32, []segment.Histogram{flat}, Options{Invert: true}); err != nil || !strings.HasSuffix(fmt.Sprint(r.Warnings), "no sample is an activation]") {
		t.Errorf("inverted: %q (%v)", r.Warnings, err)
	}
	// A step from 0 to 1 of floats has its boundary with the defaults, and none with more than it comes to.
	for edge, want := range map[string]string{"5%": "", "36.5%": "more than a step over the samples' range 0..1 comes to"} {
		h := floats(nil, 0, 0, 1, 1)
		_, r, err := parsed(t, "gradient:hi=0.5,edge="+edge).Bind(f32, []segment.Histogram{h}, Options{})
		if err != nil || !strings.Contains(r.Missing.Boundary, want) || (want == "") != (r.Missing.Boundary == "") {
			t.Errorf("edge=%s: %q (%v)", edge, r.Missing.Boundary, err)
		}
	}
}

// histogramOf counts samples.
func histogramOf(typ segment.SampleType, v ...int) []segment.Histogram {
	h := segment.Histogram{Type: typ, Bins: make([]uint64, 256), N: uint64(len(v)), Min: float64(v[0]), Max: float64(v[0])}
	for _, x := range v {
		h.Bins[x]++
		h.Min, h.Max = min(h.Min, float64(x)), max(h.Max, float64(x))
	}
	return []segment.Histogram{h}
}
