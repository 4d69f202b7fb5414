package kernels

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"segscan/segment"
)

// parsed is a spec that must be good.
func parsed(t testing.TB, s string) Spec {
	t.Helper()
	k, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// filteredLine is what the filters of a spec make of one line that is a page.
func filteredLine(t *testing.T, spec string, p segment.Plane) []float32 {
	t.Helper()
	b := cutBand(p, segment.Rows, 0, p.Lines, 0, p.Samples, segment.Needs{})
	out, err := ApplyFilters(t.Context(), 0, b, parsed(t, spec).Filters())
	if err != nil {
		t.Fatal(err)
	}
	return out.V.F32
}

func lineOf(v ...float32) segment.Plane {
	return segment.Plane{F32: v, Lines: 1, Samples: len(v), Stride: len(v)}
}

func TestBaselineByHand(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		spec    string
		v, want []float32
	}{
		// Windows of three: 1 1 2, 1 2 9, 2 9 3, 9 3 4, 3 4 4; medians 1 2 3 4 4.
		{"otsu:baseline=median:3", []float32{1, 2, 9, 3, 4}, []float32{0, 0, 6, -1, 0}},
		// Least of three: 1 1 2 3 3; greatest of those: 1 2 3 3 3. The step from 1 to 9 stays in the baseline as far as it
		// is three wide.
		{"otsu:baseline=opening:3", []float32{1, 2, 9, 3, 4}, []float32{0, 0, 6, 0, 1}},
		// NaN and infinities stay and are not counted: windows 1 1 -, 1 - 5, - 5 7, 5 7 -, 7 - -; of two the lower.
		{"otsu:baseline=median:3", []float32{1, nan, 5, 7, inf}, []float32{0, nan, 0, 2, inf}},
		// Least: 1 1 5 5 7; greatest of three: 1 5 5 7 7, so 0 - 0 0 -.
		{"otsu:baseline=opening:3", []float32{1, nan, 5, 7, inf}, []float32{0, nan, 0, 0, inf}},
	} {
		if got := filteredLine(t, c.spec, lineOf(c.v...)); !equalFloats(got, c.want) {
			t.Errorf("%s of %v is %v, want %v", c.spec, c.v, got, c.want)
		}
	}
}

func equalFloats(a, b []float32) bool {
	for i := range a {
		if !sameFloats(a[i]+0, b[i]+0) {
			return false
		}
	}
	return len(a) == len(b)
}

// TestSmoothByHand: deviation 0.5 reaches two samples; exp(-2) = 0.135335 and exp(-8) = 0.000335 beside 1 have a sum
// of 1.271341, which leaves weights of 0.786571, 0.106451 and 0.000264.
func TestSmoothByHand(t *testing.T) {
	got := filteredLine(t, "otsu:smooth=0.5", lineOf(0, 0, 0, 0, 100, 0, 0, 0, 0))
	want := []float64{0, 0, 0.0264, 10.6451, 78.6571, 10.6451, 0.0264, 0, 0}
	for i, w := range want {
		if math.Abs(float64(got[i])-w) > 2e-4 {
			t.Errorf("sample %d is %v, want %v", i, got[i], w)
		}
	}
	// The border sample is repeated: 78.6571 of its own, 10.6451 of its image, and 0.0264 of that beside them.
	got = filteredLine(t, "otsu:smooth=0.5", lineOf(100, 0, 0, 0, 0))
	if want := 78.6571 + 10.6451; math.Abs(float64(got[0])-want) > 2e-4 {
		t.Errorf("a border sample is %v, want %v", got[0], want)
	}
	// In two directions the weights multiply.
	p := segment.NewPlane(segment.U8, 5, 5)
	p.U8[12] = 100
	both := filteredLine(t, "otsu:smooth2d=0.5", p)
	for at, w := range map[int]float64{12: 78.6571 * 0.786571, 13: 78.6571 * 0.106451, 7: 78.6571 * 0.106451, 8: 10.6451 * 0.106451} {
		if math.Abs(float64(both[at])-w) > 2e-4 {
			t.Errorf("sample %d in two directions is %v, want %v", at, both[at], w)
		}
	}
}

// TestGaussianWeights: they are exact parts of 1, fall with the distance, and are those of math.Exp.
func TestGaussianWeights(t *testing.T) {
	for _, sigma := range []float64{0, 0.125, 0.3, 1, 2, 7.7, 100, MaxSigma} {
		w := gaussian(sigma)
		sum, plain := w[0], 1.
		for d := 1; d < len(w); d++ {
			sum += 2 * w[d]
			plain += 2 * math.Exp(-float64(d*d)/(2*sigma*sigma))
		}
		if sum != 1 || len(w) != int(4*sigma+0.5)+1 {
			t.Errorf("sigma %v: %d weights with a sum of %v", sigma, len(w), sum)
		}
		for d := 1; d < len(w); d++ {
			want := math.Exp(-float64(d*d)/(2*sigma*sigma)) / plain
			if math.Abs(w[d]-want) > 1e-9 || w[d] > w[d-1] || w[d] < 0 {
				t.Errorf("sigma %v: weight %d is %v after %v, want %v", sigma, d, w[d], w[d-1], want)
			}
		}
	}
}

// TestFlatStaysFlat: of one value nothing but it can come, beside gaps too, whatever the rounding.
func TestFlatStaysFlat(t *testing.T) {
	for _, v := range []float32{0.1, 1e-40, 3.3e38, -7.7} {
		p := segment.NewPlane(segment.F32, 9, 40)
		for i := range p.F32 {
			p.F32[i] = v
		}
		p.F32[77], p.F32[200] = float32(math.NaN()), float32(math.Inf(-1))
		for i, x := range filteredLine(t, "otsu:smooth=1.3,smooth2d=2.1", p) {
			if i != 77 && i != 200 && x != v {
				t.Fatalf("sample %d of a flat page of %v is %v", i, v, x)
			}
		}
	}
}

// TestFilterWorkers: how many goroutines share the work changes nothing.
func TestFilterWorkers(t *testing.T) {
	p := segment.NewPlane(segment.U8, 300, 2100)
	for i := range p.U8 {
		p.U8[i] = uint8(i * i % 251)
	}
	const spec = "otsu:baseline=median:31,smooth=1.5,smooth2d=1"
	many := filteredLine(t, spec, p)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if one := filteredLine(t, spec, p); !equalFloats(one, many) {
		t.Error("one worker gives other samples than several")
	}
}

func TestFilterSpecs(t *testing.T) {
	for in, want := range map[string]string{
		"otsu:smooth=2":              "otsu:smooth=2",
		"otsu:smooth=0":              "otsu",
		"otsu:SMOOTH=02.50,per=line": "otsu:per=line,smooth=2.5",
		"hysteresis:smooth2d=1,lo=1,baseline=Median: 101,hi=2": "hysteresis:lo=1,hi=2,baseline=median:101,smooth2d=1",
		"sauvola:smooth2d=.5,smooth=3,baseline=opening:5":      "sauvola:baseline=opening:5,smooth=3,smooth2d=0.5",
		"wolf:smooth=1": "wolf:smooth=1",
		"expr:boundary=v<1,activation=max(v, 2)>3,smooth=1":     "expr:boundary=v<1,activation=max(v, 2)>3,smooth=1",
		"percentile:low=10,high=90,baseline=opening:3,smooth=1": "percentile:low=10,high=90,baseline=opening:3,smooth=1",
	} {
		k := parsed(t, in)
		if got := k.String(); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
		if got := parsed(t, k.String()).String(); got != want {
			t.Errorf("%s does not read back: %s", want, got)
		}
	}
	// What others look for in a spec is there with a filter too.
	if _, ok := parsed(t, "otsu:per=line,smooth=2").(Incremental); !ok {
		t.Error("a filtered kernel with thresholds for each line takes no lines")
	}
	if _, ok := parsed(t, "wolf:smooth=2").(Surveyed); !ok {
		t.Error("a filtered wolf surveys no page")
	}
	if _, ok := parsed(t, "sauvola:smooth=2").(Surveyed); ok {
		t.Error("a filtered sauvola asks for a survey")
	}
}

func TestFilterUsage(t *testing.T) {
	for in, want := range map[string][2]string{
		"otsu:smooth=x":            {"kernel otsu: smooth=x is not a number", "smooth=2"},
		"otsu:smooth=-1":           {"kernel otsu: smooth=-1 is less than 0", "0 is none"},
		"li:smooth2d=251":          {"kernel li: smooth2d=251 is too large", "at most smooth2d=250"},
		"li:smooth=0.1":            {"kernel li: smooth=0.1 is too small", "smooth=2"},
		"otsu:baseline=mean:3":     {"kernel otsu: baseline=mean:3 is neither median:N nor opening:N", "median:101"},
		"otsu:baseline=median":     {"kernel otsu: baseline=median has no number of samples", "median:101"},
		"otsu:baseline=median:10":  {"kernel otsu: baseline=median:10 is even", "use 9 or 11"},
		"otsu:baseline=opening:1":  {"kernel otsu: baseline=opening:1 is out of range", "3 to 65535"},
		"otsu:smooth=1,smooth=2":   {"kernel otsu: smooth is given twice, as 1 and 2", "give smooth once"},
		"otsu:smoth=1":             {`kernel otsu: unknown parameter "smoth"`, "did you mean smooth?"},
		"smooth:sigma=2":           {"smooth is a key that every kernel takes, and no kernel", "segscan kernels explains it"},
		"wolf:baseline=opening:4k": {"kernel wolf: baseline=opening:4k has no number", "opening:51"},
	} {
		_, err := Parse(in)
		var u *UsageError
		if !errors.As(err, &u) || !strings.HasPrefix(u.Msg, want[0]) || !strings.Contains(u.Hint, want[1]) {
			t.Errorf("%s: %v (hint in %+v), want %q and a hint of %q", in, err, u, want[0], want[1])
		}
	}
}

func TestFilterFailures(t *testing.T) {
	p := segment.NewPlane(segment.U8, 4, 20)
	whole := cutBand(p, segment.Rows, 0, 4, 0, 20, segment.Needs{})
	part := cutBand(p, segment.Rows, 1, 2, 5, 10, segment.Needs{HaloSamples: 3})
	tiny := cutBand(p.Sub(0, 0, 4, 2), segment.Rows, 0, 4, 0, 2, segment.Needs{})
	nowhere := whole
	nowhere.Page = nil
	for _, c := range []struct {
		spec, want string
		b          segment.Band
	}{
		{"otsu:baseline=median:21", "kernel otsu: baseline=median:21 is longer than the lines of 20 samples; use at most baseline=median:19", whole},
		{"otsu:baseline=opening:3", "kernel otsu: baseline=opening:3 is longer than the lines of 2 samples, which are too short", tiny},
		{"otsu:smooth=1", "sees beyond a halo of 0 and 0 lines and 3 and 3 samples", part},
		{"otsu:smooth2d=0.3", "sees beyond a halo of 0 and 0 lines", part},
		{"otsu:smooth=1", "does not say what page it is of", nowhere},
	} {
		_, err := ApplyFilters(t.Context(), 0, c.b, parsed(t, c.spec).Filters())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.spec, err, c.want)
		}
	}
}

// TestPercentAboveBaseline: with a baseline % counts from it, and differences may lie below 0 unless it is an opening.
func TestPercentAboveBaseline(t *testing.T) {
	page := &segment.PageInfo{Type: segment.F32, Min: -128, Max: 127}
	for spec, want := range map[string][2]float64{
		"hysteresis:lo=10%,hi=20%":                        {-102.5, -77},
		"hysteresis:lo=10%,hi=20%,smooth=1":               {-102.5, -77},
		"hysteresis:lo=10%,hi=20%,baseline=median:3":      {25.5, 51},
		"hysteresis:lo=-10%,hi=20%,baseline=median:3":     {-25.5, 51},
		"hysteresis:lo=0%,hi=100%,baseline=opening:9":     {0, 255},
		"hysteresis:lo=-300,hi=1,baseline=median:9":       {-300, 1},
		"hysteresis:lo=1,hi=254,baseline=median:9":        {1, 254},
		"hysteresis:lo=0.5,hi=1.25,smooth=3,smooth2d=1.5": {0.5, 1.25},
	} {
		_, r, err := parsed(t, spec).Bind(page, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Lo[0] != want[0] || r.Hi[0] != want[1] || len(r.Warnings) != 0 {
			t.Errorf("%s: %v to %v (%v), want %v", spec, r.Lo, r.Hi, r.Warnings, want)
		}
	}
	_, r, err := parsed(t, "hysteresis:lo=-3,hi=1,baseline=opening:9").Bind(page, nil, Options{})
	if err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "no sample is a boundary") {
		t.Errorf("nothing lies below an opening: %v, %v", r.Warnings, err)
	}
}
