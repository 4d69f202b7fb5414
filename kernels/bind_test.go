package kernels

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"segscan/segment"
)

func TestHysteresisValues(t *testing.T) {
	u8, u16 := page(segment.U8), page(segment.U16)
	twelve := &segment.PageInfo{Type: segment.U16, Bits: 12, Min: 0, Max: 4095}
	signed := &segment.PageInfo{Type: segment.F32, Bits: 8, Min: -128, Max: 127}
	float := page(segment.F32)
	inf := math.Inf(1)
	for _, c := range []struct {
		spec   string
		p      *segment.PageInfo
		lo, hi float64
		warn   string
	}{
		{"hysteresis:lo=40,hi=200", u8, 40, 200, ""},
		{"hysteresis:lo=40.9,hi=200.1", u8, 40, 201, ""},
		{"hysteresis:lo=0,hi=255", u8, 0, 255, ""},
		{"hysteresis:lo=40.2,hi=40.7", u16, 40, 41, ""},
		{"hysteresis:lo=-0.5,hi=200", u8, -inf, 200, "lo=-0.5 is below the samples' range 0..255, so no sample is a boundary"},
		{"hysteresis:lo=-9,hi=-3", u8, -inf, 0, "no sample is a boundary"},
		{"hysteresis:lo=40,hi=255.5", u8, 40, inf, "hi=255.5 is above the samples' range 0..255, so no sample is an activation"},
		{"hysteresis:lo=300,hi=400", u8, 255, inf, "lo=300 reaches the top of the samples' range 0..255, so every sample is a boundary"},
		{"hysteresis:lo=300,hi=70000", u16, 300, inf, "no sample is an activation"},
		{"hysteresis:lo=300,hi=5000", twelve, 300, 5000, "hi=5000 is above the samples' range 0..4095"},
		// 10 % and 47 % of 0..4095: 409.5 and 1924.65.
		{"hysteresis:lo=10%,hi=47%", twelve, 409, 1925, ""},
		{"hysteresis:lo=0%,hi=100%", u8, 0, 255, ""},
		{"hysteresis:lo=10%,hi=47%", u8, 25, 120, ""}, // 25.5, 119.85
		// 10 % and 47 % of -128..127: -102.5 and -8.15; f32 samples take the nearest.
		{"hysteresis:lo=10%,hi=47%", signed, -102.5, float64(float32(-8.15)), ""},
		{"hysteresis:lo=-200,hi=0", signed, -200, 0, "lo=-200 is below the samples' range -128..127"},
		{"hysteresis:lo=0.1,hi=0.7", float, float64(float32(0.1)), float64(float32(0.7)), ""},
		{"hysteresis:lo=-1e300,hi=1e300", float, -inf, inf, "no sample is a boundary"},
		{"hysteresis:lo=1e300,hi=2e300", float, math.MaxFloat32, inf, "every sample is a boundary"},
	} {
		cl, r, err := mustParse(t, c.spec).Bind(c.p, nil, Options{})
		if err != nil {
			t.Errorf("%s on %s: %v", c.spec, c.p.Type, err)
			continue
		}
		th := cl.(segment.Thresholds)
		if len(th.Lo) != 1 || th.Lo[0] != c.lo || th.Hi[0] != c.hi || r.Lo[0] != c.lo || r.Hi[0] != c.hi {
			t.Errorf("%s on %s: compares %v %v, reports %v %v, want %v %v", c.spec, c.p.Type, th.Lo, th.Hi, r.Lo, r.Hi, c.lo, c.hi)
		}
		if r.Automatic || r.T != nil {
			t.Errorf("%s: reported as automatic: %+v", c.spec, r)
		}
		all := strings.Join(r.Warnings, "\n")
		if c.warn == "" && all != "" || !strings.Contains(all, c.warn) {
			t.Errorf("%s on %s: warnings %q, want %q", c.spec, c.p.Type, all, c.warn)
		}
	}
}

// Of 1 1 1 1 2 2 8 9 9 9: mean 4.3, variance 13.41, otsu 2, p40 the 4th sample, p41 the 5th, p70 the 7th.
func TestHysteresisAutomatic(t *testing.T) {
	h := counts(segment.U8, 1, 4, 2, 2, 8, 1, 9, 3)
	sd := math.Sqrt(13.41)
	for _, c := range []struct {
		spec   string
		lo, hi float64
		t      string
	}{
		{"hysteresis:lo=p40,hi=p70", 1, 8, "[]"},
		{"hysteresis:lo=p41,hi=p70.1", 2, 9, "[]"},
		{"hysteresis:lo=p0,hi=p100", 1, 9, "[]"},
		{"hysteresis:lo=otsu*0.8,hi=otsu*1.2", 1, 3, "[2]"},
		{"hysteresis:lo=otsu-1,hi=mean+1sd", 1, math.Ceil(4.3 + sd), "[2 4.3]"},
		{"hysteresis:lo=mean-1sd,hi=mean*2+1", 0, 10, "[4.3]"},
		{"hysteresis:lo=median,hi=50%", 2, 128, "[2]"},
	} {
		th, r := bound(t, c.spec, h)
		if th.Lo[0] != c.lo || th.Hi[0] != c.hi || fmt.Sprint(r.T) != c.t || !r.Automatic || len(r.Warnings) > 0 {
			t.Errorf("%s: compares %v %v, %+v, want %v %v, t %s", c.spec, th.Lo, th.Hi, r, c.lo, c.hi, c.t)
		}
	}
}

func TestPercentileAndMAD(t *testing.T) {
	h := counts(segment.U8, 1, 4, 2, 2, 8, 1, 9, 3)
	if th, _ := bound(t, "percentile:low=40,high=70", h); th.Lo[0] != 1 || th.Hi[0] != 8 {
		t.Errorf("percentile: %v %v", th.Lo, th.Hi)
	}
	// Median 2; distances 0 0 1 1 1 1 6 7 7 7, the 5th is 1: 2 + 1.4826 and 2 + 3*1.4826 = 6.4478.
	if th, _ := bound(t, "mad", h); th.Lo[0] != 3 || th.Hi[0] != 7 {
		t.Errorf("mad: %v %v", th.Lo, th.Hi)
	}
	if th, _ := bound(t, "mad:klow=-0.5,khigh=1", h); th.Lo[0] != 1 || th.Hi[0] != 4 {
		t.Errorf("mad with a negative factor: %v %v", th.Lo, th.Hi)
	}
}

// The same page, whose median is 2, scaled deviation 1.4826, 70th percentile 8 and standard deviation
// sqrt(31.9 - 4.3*4.3) = 3.662, as the samples sum up to 43 and their squares to 319.
func TestArithmeticOfPercentilesAndDeviations(t *testing.T) {
	h := counts(segment.U8, 1, 4, 2, 2, 8, 1, 9, 3)
	for _, c := range []struct {
		spec   string
		lo, hi float64
	}{
		{"hysteresis:lo=median+1mad,hi=median+3mad", 3, 7}, // as mad
		{"hysteresis:lo=p50-0.5mad,hi=p50+1mad", 1, 4},
		{"hysteresis:lo=p70*0.5,hi=p70*2", 4, 16},
		{"hysteresis:lo=p70*0.5+1,hi=p70*2-1", 5, 15},
		{"hysteresis:lo=p70-1sd,hi=p70+1sd", 4, 12}, // 4.34 down, 11.66 up
		{"hysteresis:lo=p40,hi=mean+2mad", 1, 8},    // 4.3 + 2.97 = 7.27
	} {
		if th, _ := bound(t, c.spec, h); th.Lo[0] != c.lo || th.Hi[0] != c.hi {
			t.Errorf("%s: %v %v, want %v %v", c.spec, th.Lo, th.Hi, c.lo, c.hi)
		}
	}
	for _, spec := range []string{"hysteresis:lo=median+1mad,hi=median+3mad", "hysteresis:lo=p50-1mad,hi=p50*1.5+0.5mad"} {
		samples := make([]float32, 999)
		for i := range samples { // from 10 to 10.499, the median being 10.2495 and the deviation a quarter of the range
			samples[i] = 10 + float32(i*7%999)/2000
		}
		th, r := twoPasses(t, spec, samples)
		sorted := sortedCopy(samples)
		median := float64(sorted[499])
		s := 1.4826 * float64(sorted[499+250]-sorted[499]) // 499 samples are nearer than those 250 away
		lo, hi := median+s, median+3*s
		if spec != "hysteresis:lo=median+1mad,hi=median+3mad" {
			lo, hi = median-s, median*1.5+0.5*s
		}
		if math.Abs(th.Lo[0]-lo) > 1e-5 || math.Abs(th.Hi[0]-hi) > 1e-5 || len(r.Warnings) > 0 {
			t.Errorf("%s of floats: %v %v, want %v %v", spec, th.Lo, th.Hi, lo, hi)
		}
	}
}

func TestPageErrors(t *testing.T) {
	flat := counts(segment.U8, 7, 90, 8, 5, 9, 5)
	for _, c := range []struct {
		spec string
		p    *segment.PageInfo
		h    *segment.Histogram
		want string
	}{
		{"percentile", page(segment.U8), counts(segment.U8, 7, 99, 8, 1),
			"kernel percentile: low=50 gives 7 and high=98 gives 7 on this page, but low must be below high; as at least 99% of the samples are 7, use high above 99"},
		{"percentile:low=20,high=98", page(segment.U8), counts(segment.U8, 5, 100, 7, 899, 8, 1),
			"kernel percentile: low=20 gives 7 and high=98 gives 7 on this page, but low must be below high; as at least 89.9% of the samples are 7, use high above 99.9, or low of at most 10"},
		{"hysteresis:lo=p20,hi=p98", page(segment.U8), counts(segment.U8, 5, 100, 7, 899, 8, 1), "use hi above p99.9, or lo of at most p10"},
		{"percentile", page(segment.U8), counts(segment.U8, 7, 99999, 8, 1), "as at least 99.99% of the samples are 7, use high of 100"},
		{"hysteresis:lo=median,hi=median+3mad", page(segment.U8), flat,
			"kernel hysteresis: hi=median+3mad: the median absolute deviation is 0, as at least half of the samples are 7; use sd in place of mad"},
		{"hysteresis:lo=otsu*2,hi=mean", page(segment.U8), flat, "kernel hysteresis: lo=otsu*2 gives 14 and hi=mean gives 7.15 on this page"},
		{"hysteresis:lo=20,hi=5%", page(segment.U8), nil, "lo=20 gives 20 and hi=5% gives 12.75"},
		{"hysteresis:lo=1,hi=1.00000001", page(segment.F32), nil, "are both 1 when rounded to f32 samples"},
		{"hysteresis:lo=10%,hi=47%", page(segment.F32), nil, "lo=10%: float samples have no nominal range; use a percentile such as p10"},
		{"mad", page(segment.U8), flat, "kernel mad: the median absolute deviation is 0, as at least half of the samples are 7; try percentile"},
		{"otsu", page(segment.U16), flat, "kernel otsu: histogram of u8 samples for a page of u16 samples"},
		{"otsu", page(segment.U8), nil, "kernel otsu: no histogram of the page was given"},
	} {
		var hs []segment.Histogram
		if c.h != nil {
			hs = append(hs, *c.h)
		}
		cl, _, err := mustParse(t, c.spec).Bind(c.p, hs, Options{})
		var usage *UsageError
		if err == nil || cl != nil || !strings.Contains(err.Error(), c.want) || errors.As(err, &usage) {
			t.Errorf("%s: %v, want %q", c.spec, err, c.want)
		}
	}
}

// allSpecs are a spec of every automatic kind that compares a whole page, or line, with the same thresholds.
func allSpecs() []string {
	specs := []string{"hysteresis:lo=p10,hi=p90", "hysteresis:lo=mean-1sd,hi=otsu*2+5", "multiotsu:classes=5"}
	for _, i := range List() {
		if s, err := Parse(i.Name); err == nil && s.Needs().HaloLines == 0 && s.Needs().HaloSamples == 0 {
			specs = append(specs, i.Name)
		}
	}
	return specs
}

func TestDegeneratePages(t *testing.T) {
	nan := math.NaN()
	for name, h := range map[string]*segment.Histogram{
		"every finite sample is 7": counts(segment.U8, 7, 100),
		"every finite sample is 9": counts(segment.U16, 9, 1),
		"no sample is finite":      {Type: segment.F32, Bins: make([]uint64, 65536), NotFinite: 4, NaN: 3, Min: nan, Max: nan},
	} {
		for _, spec := range allSpecs() {
			c, r, err := mustParse(t, spec).Bind(page(h.Type), []segment.Histogram{*h}, Options{NaN: segment.Boundary})
			if err != nil {
				t.Errorf("%s, %s: %v", spec, name, err)
				continue
			}
			th := c.(segment.Thresholds)
			if th.Lo != nil || th.Hi != nil || th.NaN != segment.Boundary || r.T != nil || r.Lo != nil || r.Hi != nil || !r.Automatic {
				t.Errorf("%s, %s: %+v %+v", spec, name, th, r)
			}
			if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], name) || !strings.Contains(r.Warnings[0], "every sample is other") {
				t.Errorf("%s, %s: warnings %q", spec, name, r.Warnings)
			}
		}
	}
}

func TestInvertAndNaN(t *testing.T) {
	h := counts(segment.U8, 1, 4, 9, 3)
	for _, o := range []Options{{}, {Invert: true}, {NaN: segment.Other}, {Invert: true, NaN: segment.Boundary}} {
		c, r, err := mustParse(t, "otsu").Bind(page(segment.U8), []segment.Histogram{*h}, o)
		if err != nil {
			t.Fatal(err)
		}
		th := c.(segment.Thresholds)
		if th.Swap != o.Invert || th.NaN != o.NaN || th.Lo[0] != 1 || th.Hi[0] != 2 || strings.Contains(r.Text, "inverted") != o.Invert {
			t.Errorf("%+v: %+v %q", o, th, r.Text)
		}
	}
}

func TestPerLine(t *testing.T) {
	lines := []segment.Histogram{
		*counts(segment.U8, 1, 4, 2, 2, 8, 1, 9, 3), // otsu 2
		*counts(segment.U8, 5, 10),                  // one value
		*counts(segment.U8, 100, 4, 200, 3),         // otsu 100
	}
	spec := mustParse(t, "otsu:per=line")
	if n := spec.Needs(); !n.Histogram || !n.PerLine {
		t.Errorf("needs %+v", n)
	}
	c, r, err := spec.Bind(page(segment.U8), lines, Options{})
	if err != nil {
		t.Fatal(err)
	}
	th := c.(segment.Thresholds)
	if got := fmt.Sprint(th.Lo, th.Hi, r.T, r.Lo, r.Hi); got != "[2 -Inf 100] [3 +Inf 101] [2 100] [2 -Inf 100] [3 +Inf 101]" {
		t.Error(got)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "1 of 3 lines hold fewer than two distinct values") {
		t.Errorf("warnings %q", r.Warnings)
	}
	if r.Text != "otsu per line: lo 2..100, hi 3..101 over 3 lines" {
		t.Errorf("text %q", r.Text)
	}

	// The same, line by line.
	b := spec.(Incremental).Start(page(segment.U8), Options{})
	for i := range lines {
		if err := b.Add(lines[i : i+1]); err != nil {
			t.Fatal(err)
		}
	}
	c2, r2, err := b.Finish()
	if err != nil || fmt.Sprint(c2, r2) != fmt.Sprint(c, r) {
		t.Errorf("line by line: %v %v %v, want %v %v", c2, r2, err, c, r)
	}
}

func TestPerLineFailures(t *testing.T) {
	good := *counts(segment.U8, 10, 1, 11, 4, 12, 2, 15, 2, 16, 5, 17, 1) // minimum 13
	bad := *counts(segment.U8, 0, 5, 255, 5)
	spec := mustParse(t, "minimum:per=line")
	c, r, err := spec.Bind(page(segment.U8), []segment.Histogram{bad, good}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if th := c.(segment.Thresholds); fmt.Sprint(th.Lo, th.Hi) != "[-Inf 13] [+Inf 14]" {
		t.Errorf("%v %v", th.Lo, th.Hi)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "1 of 2 lines have no thresholds") || !strings.Contains(r.Warnings[0], "not bimodal") {
		t.Errorf("warnings %q", r.Warnings)
	}
	if _, _, err := spec.Bind(page(segment.U8), []segment.Histogram{bad, bad}, Options{}); err == nil || !strings.Contains(err.Error(), "no line has thresholds") {
		t.Errorf("no line has an answer: %v", err)
	}
	one := *counts(segment.U8, 5, 10)
	c, r, err = spec.Bind(page(segment.U8), []segment.Histogram{one, one}, Options{})
	if th := c.(segment.Thresholds); err != nil || len(th.Lo) != 2 || !math.IsInf(th.Hi[1], 1) || r.Lo != nil || len(r.Warnings) != 1 {
		t.Errorf("lines of one value: %+v %+v %v", c, r, err)
	}
}
