package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

// floats counts samples as an engine does, in one pass, or with fine in a second.
func floats(fine []uint16, samples ...float32) segment.Histogram {
	h := segment.Histogram{Type: segment.F32, Bins: make([]uint64, 65536), Min: math.NaN(), Max: math.NaN()}
	if fine != nil {
		h.Fine = map[uint16][]uint64{}
	}
	for _, k := range fine {
		h.Fine[k] = make([]uint64, 65536)
	}
	for _, x := range samples {
		v := float64(x)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			h.NotFinite++
			continue
		}
		if h.N == 0 {
			h.Min, h.Max = v, v
		}
		h.Min, h.Max = min(h.Min, v), max(h.Max, v)
		h.N++
		h.Sum += v
		h.SumSq += v * v
		k := segment.FloatKey(x)
		h.Bins[k>>16]++
		if f := h.Fine[uint16(k>>16)]; f != nil {
			f[k&0xffff]++
		}
	}
	return h
}

// twoPasses binds a spec to samples in the way the job does.
func twoPasses(t *testing.T, spec string, samples []float32) (segment.Thresholds, Report) {
	t.Helper()
	s, p := mustParse(t, spec), page(segment.F32)
	h := []segment.Histogram{floats(nil, samples...)}
	if keys := s.FineBins(p, h); len(keys) > 0 {
		h[0] = floats(keys, samples...)
	}
	c, r, err := s.Bind(p, h, Options{})
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return c.(segment.Thresholds), r
}

// The ten samples of TestMethodsByHand, moved by 300 and scaled so that they share a few bins of the first pass: the
// second pass makes every threshold the value itself, as for integers.
func TestFloatMethodsEqualInteger(t *testing.T) {
	const step = 1.0 / 64
	var samples []float32
	for _, k := range []int{1, 1, 1, 1, 2, 2, 8, 9, 9, 9} {
		samples = append(samples, 300+float32(k)*step)
	}
	h := counts(segment.U8, 1, 4, 2, 2, 8, 1, 9, 3)
	for _, method := range []string{"otsu", "yen", "kapur", "moments", "huang", "mean", "li", "multiotsu"} {
		_, want := bound(t, method, h)
		c, r := twoPasses(t, method, samples)
		for i, x := range want.T {
			if got := (r.T[i] - 300) / step; math.Abs(got-x) > 1e-9 {
				t.Errorf("%s: %v, want %v", method, got, x)
			}
		}
		last := r.T[len(r.T)-1]
		if lo := float32(c.Lo[0]); float64(lo) > r.T[0] || c.Hi[0] <= last || float64(math.Nextafter32(float32(c.Hi[0]), 0)) > last {
			t.Errorf("%s: t %v compares %v %v", method, r.T, c.Lo, c.Hi)
		}
		if r.Warnings != nil {
			t.Errorf("%s: %q", method, r.Warnings)
		}
	}
	// isodata has its t on a value of f32 samples, the last of the lower class.
	if _, r := twoPasses(t, "isodata", samples); (r.T[0]-300)/step != 2 {
		t.Errorf("isodata: %v", r.T)
	}
}

func sortedCopy(x []float32) []float32 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x
}

// Percentiles and the median absolute deviation are exact, whatever the values' spread.
func TestFloatRanksAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for round := range 60 {
		samples := make([]float32, 1+r.IntN(400))
		for i := range samples {
			switch x := r.NormFloat64(); round % 4 {
			case 0:
				samples[i] = float32(x)
			case 1:
				samples[i] = float32(300 + x/10)
			case 2:
				samples[i] = float32(x * math.Exp(20*r.NormFloat64()))
			default:
				samples[i] = float32(max(0, math.Round(x)))
			}
		}
		sorted := sortedCopy(samples)
		n := len(sorted)
		if sorted[0] == sorted[n-1] {
			continue
		}
		s, p := mustParse(t, "percentile:low=30,high=97.5"), page(segment.F32)
		h := []segment.Histogram{floats(nil, samples...)}
		keys := s.FineBins(p, h)
		l := newLevels(new(floats(keys, samples...)), false)
		for _, pct := range []float64{30, 97.5} {
			rank := max(1, int(math.Ceil(pct*float64(n)/100)))
			if got, want := l.percentile(pct), float64(sorted[rank-1]); got != want || !l.rankKnown(pct) {
				t.Fatalf("round %d: p%v of %d is %v, want %v", round, pct, n, got, want)
			}
		}
		l = newLevels(new(floats(madFine(&h[0]), samples...)), false)
		m := float64(sorted[(n+1)/2-1])
		var d []float64
		for _, x := range sorted {
			d = append(d, math.Abs(float64(x)-m))
		}
		slices.Sort(d)
		if got := l.percentile(50); got != m {
			t.Fatalf("round %d: median %v, want %v", round, got, m)
		}
		if got, want := l.mad(m), d[(n+1)/2-1]; got != want {
			t.Fatalf("round %d: deviation %v, want %v", round, got, want)
		}
	}
}

func TestFloatEdgeCases(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	negZero := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		spec    string
		samples []float32
		want    string
	}{
		// Two values: boundary v <= a, activation v >= b; neither infinities nor NaN count.
		{"multiotsu", []float32{0.25, 0.25, 1, nan, inf, -inf}, "[0.25] [0.25] [1]"},
		{"multiotsu", []float32{-0.5, 300, -0.5}, "[-0.5] [-0.5] [300]"},
		{"multiotsu", []float32{negZero, 0, 4}, "[0] [0] [4]"},
		{"multiotsu", []float32{300.25, 300.5}, "[300.25] [300.25] [300.5]"},
		// Of four values 1 and one 3 the mean is 1.4, a little above the nearest float32.
		{"mean", []float32{1, 1, 1, 1, 3}, fmt.Sprint([]float64{1.4}, []float64{float64(float32(1.4))}, []float64{float64(math.Nextafter32(1.4, 2))})},
		{"percentile:low=50,high=100", []float32{negZero, 0, 0, 7}, "[] [0] [7]"},
		{"percentile:low=50,high=100", []float32{1e-42, 3e-42, 5e-42}, fmt.Sprint("[] ", []float64{float64(float32(3e-42))}, []float64{float64(float32(5e-42))})},
	} {
		th, r := twoPasses(t, c.spec, c.samples)
		if got := fmt.Sprint(r.T, th.Lo, th.Hi); got != c.want {
			t.Errorf("%s of %v: %s, want %s", c.spec, c.samples, got, c.want)
		}
	}
}

// Of many values the first pass leaves levels that hold little, and the second splits those that hold much; t lies on
// a value or on the upper edge of a bin, and parts the samples as trying every value would, within a bin.
func TestFloatOtsuOfManyValues(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	samples := make([]float32, 20000)
	for i := range samples {
		samples[i] = float32(math.Exp(3 * r.NormFloat64()))
		if i%3 == 0 {
			samples[i] = 1000
		}
	}
	s, p := mustParse(t, "otsu"), page(segment.F32)
	h := []segment.Histogram{floats(nil, samples...)}
	keys := s.FineBins(p, h)
	if len(keys) == 0 || len(keys) > maxFine || !slices.Contains(keys, uint16(segment.FloatKey(1000)>>16)) {
		t.Fatalf("bins to split: %v", keys)
	}
	l := newLevels(new(floats(keys, samples...)), false)
	if l.total != uint64(len(samples)) || !slices.IsSorted(l.v) || l.crude() {
		t.Fatalf("%d samples in levels, sorted %v, crude %v", l.total, slices.IsSorted(l.v), l.crude())
	}
	got, _ := l.method("otsu")

	sorted := sortedCopy(samples)
	var sum, below, best, want float64
	for _, x := range sorted {
		sum += float64(x)
	}
	for i, x := range sorted[:len(sorted)-1] {
		below += float64(x)
		n1, n2 := float64(i+1), float64(len(sorted)-i-1)
		if v := below*below/n1 + (sum-below)*(sum-below)/n2; v > best && x < sorted[i+1] {
			best, want = v, float64(x)
		}
	}
	if math.Abs(got-want) > want/128 {
		t.Errorf("otsu %v, of every value %v", got, want)
	}
}

func TestFineLevelsAreBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	samples := make([]float32, 400000)
	for i := range samples {
		samples[i] = 1 + r.Float32()/4 // 32 bins, 2^21 values
	}
	h := floats(denseBins(new(floats(nil, samples...))), samples...)
	if len(h.Fine) != 32 || fineLevels(&h, 0) <= maxLevels {
		t.Fatalf("%d bins split into %d values", len(h.Fine), fineLevels(&h, 0))
	}
	l := newLevels(&h, false)
	if len(l.v) > maxLevels || l.total != h.N || l.exact {
		t.Errorf("%d levels of %d samples, exact %v", len(l.v), l.total, l.exact)
	}
	if got, _ := l.method("otsu"); math.Abs(got-1.125) > 1e-3 {
		t.Errorf("otsu of an even spread over 1..1.25 is %v", got)
	}
}

func TestFloatPerLine(t *testing.T) {
	lines := [][]float32{{300.5, 300.5, 301, 301}, {0, 0, 5}, {2, 2}}
	var h []segment.Histogram
	for _, x := range lines {
		h = append(h, floats(nil, x...))
	}
	s, p := mustParse(t, "otsu:per=line"), page(segment.F32)
	keys := s.FineBins(p, h)
	for i, x := range lines {
		h[i] = floats(keys, x...)
	}
	c, r, err := s.Bind(p, h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	th := c.(segment.Thresholds)
	if fmt.Sprint(th.Lo) != "[300.5 0 -Inf]" || len(r.Warnings) != 1 {
		t.Errorf("%v %v %q", th.Lo, th.Hi, r.Warnings)
	}

	// Too many lines for a second pass: thresholds on edges of bins, and a warning that says so.
	many := make([]segment.Histogram, 0, 200)
	for i := range 200 {
		many = append(many, floats(nil, 1, 1.001, 1.002, float32(i)+9))
	}
	if keys := s.FineBins(p, many); keys != nil {
		t.Fatalf("%d bins for %d lines", len(keys), len(many))
	}
	if _, r, err = s.Bind(p, many, Options{}); err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "no finer than histogram bins") {
		t.Errorf("%v %q", err, r.Warnings)
	}
	close := []segment.Histogram{floats(nil, 1, 1.001, 1.002)}
	if _, _, err = s.Bind(p, close, Options{}); err == nil || !strings.Contains(err.Error(), "too close together") {
		t.Errorf("one bin only: %v", err)
	}
}
