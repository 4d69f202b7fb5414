package kernels

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"segscan/segment"
)

// counts makes a histogram of integers from value, count pairs.
func counts(t segment.SampleType, pairs ...int) *segment.Histogram {
	h := &segment.Histogram{Type: t, Bins: make([]uint64, 256)}
	if t == segment.U16 {
		h.Bins = make([]uint64, 1<<16)
	}
	for i := 0; i < len(pairs); i += 2 {
		h.Bins[pairs[i]] += uint64(pairs[i+1])
		h.N += uint64(pairs[i+1])
	}
	h.Min, h.Max = extremes(h.Bins)
	return h
}

func page(t segment.SampleType) *segment.PageInfo {
	switch t {
	case segment.U8:
		return &segment.PageInfo{Type: t, Bits: 8, Min: 0, Max: 255}
	case segment.U16:
		return &segment.PageInfo{Type: t, Bits: 16, Min: 0, Max: 65535}
	}
	return &segment.PageInfo{Type: t, Bits: 32, Min: math.NaN(), Max: math.NaN()}
}

func mustParse(t *testing.T, s string) Spec {
	t.Helper()
	spec, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// bound binds a spec to a page with one histogram.
func bound(t *testing.T, spec string, h *segment.Histogram) (segment.Thresholds, Report) {
	t.Helper()
	c, r, err := mustParse(t, spec).Bind(page(h.Type), []segment.Histogram{*h}, Options{})
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return c.(segment.Thresholds), r
}

// The ten samples 1 1 1 1 2 2 8 9 9 9 have the shares 0.4, 0.2, 0.1, 0.3 at 1, 2, 8, 9.
//
//	mean       43/10
//	median     the 5th sample, 2
//	otsu       S*S/n summed: cut after 1: 16/4+39*39/6 = 257.5; after 2: 64/6+35*35/4 = 316.9; after 8: 256/7+27*27/3 = 279.6
//	isodata    after 1: (1+6.5)/2 = 3.75, not below 2; after 2: (4/3+35/4)/2 = 5.04, below 8: 5
//	li         from the lowest value: mean 3.3, class means 1/3 and 31/4, (31/4-1/3)/ln(31/4*3) = 2.35729, and that again
//	triangle   counts 4 2 0 0 0 0 0 1 3, peak at 1, tail to 9; from the tail's end, 4k-8c: -24 -4 8 12 16 20 24 12: value 3
//	yen        after 1: 2 ln .24 - ln(.16*.14) = .945; after 2: 2 ln .24 - ln(.2*.1) = 1.058; after 8: 2 ln .21 - ln(.21*.09) = .847
//	kapur      class entropies: after 1: 0+1.011; after 2: .637+.562 = 1.199; after 8: .956+0
//	huang      rounded means by cut, as distances from 1: after 1: 0, 6: far ones 2f(5)+f(1)+3f(2); after 2: 0, 8: 3f(1);
//	           after 8: 1, 8: 4f(1)+f(6)
//	moments    m2 13.41, m3 19.404, skewness .39514: share (1+.39514/sqrt(4.15614))/2 = .597, reached at 2
func TestMethodsByHand(t *testing.T) {
	ln := math.Log(31.0 / 4 * 3)
	for _, typ := range []segment.SampleType{segment.U8, segment.U16} {
		h := counts(typ, 1, 4, 2, 2, 8, 1, 9, 3)
		for method, want := range map[string]float64{
			"mean": 4.3, "otsu": 2, "isodata": 5, "li": 1 + (31.0/4-1.0/3)/ln, "triangle": 3,
			"yen": 2, "kapur": 2, "huang": 2, "moments": 2,
		} {
			c, r := bound(t, method, h)
			if len(r.T) != 1 || math.Abs(r.T[0]-want) > 1e-12 {
				t.Errorf("%s %s: t %v, want %v", typ, method, r.T, want)
			}
			if lo := math.Floor(want); c.Lo[0] != lo || c.Hi[0] != lo+1 || !r.Automatic {
				t.Errorf("%s %s: compares %v %v, want %v %v; %+v", typ, method, c.Lo, c.Hi, lo, lo+1, r)
			}
		}
		if got, err := newLevels(h, false).method("median"); got != 2 || err != nil {
			t.Errorf("median %v %v", got, err)
		}
	}
}

// Smoothed once, 1 4 2 0 0 2 5 1 is, times three, 6 7 6 2 2 7 8 7: two peaks, and the first lowest bin between them is
// the fourth.
func TestMinimumByHand(t *testing.T) {
	h := counts(segment.U8, 10, 1, 11, 4, 12, 2, 15, 2, 16, 5, 17, 1)
	if _, r := bound(t, "minimum", h); len(r.T) != 1 || r.T[0] != 13 {
		t.Errorf("minimum %v, want 13", r.T)
	}
}

func TestMinimumWithoutAnswer(t *testing.T) {
	for name, h := range map[string]*segment.Histogram{
		"two values only": counts(segment.U8, 0, 5, 255, 5), // the upper peak has no fall after it
		"one peak":        counts(segment.U16, 100, 1, 101, 5, 102, 1),
	} {
		for _, spec := range []string{"minimum", "hysteresis:lo=minimum*0.5,hi=255"} {
			_, _, err := mustParse(t, spec).Bind(page(h.Type), []segment.Histogram{*h}, Options{})
			if err == nil || !strings.Contains(err.Error(), "minimum") || !strings.Contains(err.Error(), "not bimodal") ||
				!strings.Contains(err.Error(), "try otsu") {
				t.Errorf("%s, %s: %v", name, spec, err)
			}
		}
	}
}

// An exact midpoint on a whole number belongs to the threshold: of 10 10 30 30 it is 20; of three 10 and 31 it is 20.5.
func TestIsodataMidpoints(t *testing.T) {
	for _, c := range []struct {
		h    *segment.Histogram
		want float64
	}{
		{counts(segment.U8, 10, 2, 30, 2), 20},
		{counts(segment.U8, 10, 3, 31, 1), 20},
		// Means 1/3 and 2/3 of a step past 10 and 20 have their middle on 15.5+... : (31/3+59/3)/2 = 15 exactly.
		{counts(segment.U8, 10, 2, 11, 1, 19, 1, 20, 2), 15},
	} {
		if _, r := bound(t, "isodata", c.h); r.T[0] != c.want {
			t.Errorf("isodata of %v: %v, want %v", c.h.Bins[:32], r.T, c.want)
		}
	}
}

// The lower of two equal maxima is taken.
func TestTiesGoLow(t *testing.T) {
	// 0 0 5 5 10 10: cutting after 0 and after 5 is equally good for every symmetric criterion.
	h := counts(segment.U8, 0, 2, 5, 2, 10, 2)
	for _, method := range []string{"otsu", "yen", "kapur", "huang"} {
		if _, r := bound(t, method, h); r.T[0] != 0 {
			t.Errorf("%s: %v, want 0", method, r.T)
		}
	}
}

func randomHistogram(r *rand.Rand, t segment.SampleType, values, top int) *segment.Histogram {
	h := counts(t)
	for range values {
		x, n := r.IntN(top), 1+r.Uint64N(50)
		h.Bins[x] += n
		h.N += n
	}
	h.Min, h.Max = extremes(h.Bins)
	return h
}

// The bounded search finds what trying every cut finds.
func TestHuangTriesAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		l := newLevels(randomHistogram(r, segment.U16, 2+r.IntN(200), []int{10, 300, 65536}[round%3]), false)
		if l.degenerate() {
			continue
		}
		z, best, want := newFuzzy(l), math.Inf(1), 0
		for cut := range len(l.v) - 1 {
			if e := z.bound(cut, cut); e < best-1e-12*best || math.IsInf(best, 1) {
				best, want = e, cut
			}
		}
		if got := l.huang(); got != want {
			t.Fatalf("round %d: level %d, want %d of %d", round, got, want, len(l.v))
		}
	}
}
