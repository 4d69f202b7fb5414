package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"segscan/segment"
)

// TestSortedLinesAreExact: thresholds from the samples of a line are those from bins that were all split by value.
func TestSortedLinesAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	compared := 0
	for range 4 { // bins of 65536 values take long
		line := make([]float32, 2+rng.IntN(300))
		for i := range line {
			line[i] = float32(rng.IntN(20)-4)/4 + float32(rng.IntN(2))*6
			if rng.IntN(30) == 0 {
				line[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))}[rng.IntN(3)]
			}
		}
		l, err := segment.NewCPU(1).Load(t.Context(), segment.Band{Lines: 1, Samples: len(line), V: lineOf(line...)})
		if err != nil {
			t.Fatal(err)
		}
		h := []segment.Histogram{{Type: segment.F32, Bins: make([]uint64, 65536), Min: math.NaN(), Max: math.NaN()}}
		if err := l.Histogram(t.Context(), false, h); err != nil {
			t.Fatal(err)
		}
		h[0].Fine = map[uint16][]uint64{}
		for k, n := range h[0].Bins {
			if n > 0 {
				h[0].Fine[uint16(k)] = nil
			}
		}
		if err := l.Histogram(t.Context(), false, h); err != nil {
			t.Fatal(err)
		}
		sorted := segment.SortedHistogram(line, nil)
		page := &segment.PageInfo{Type: segment.F32, Min: math.NaN(), Max: math.NaN()}
		for _, spec := range append(allSpecs(), "hysteresis:lo=median,hi=p80", "percentile:low=3,high=97") {
			_, want, wantErr := mustParse(t, spec).Bind(page, h, Options{})
			_, got, err := mustParse(t, spec).Bind(page, []segment.Histogram{sorted}, Options{})
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: %v, want %v", spec, err, wantErr)
			}
			near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) } // sums in another order
			if !slices.EqualFunc(got.Lo, want.Lo, near) || !slices.EqualFunc(got.Hi, want.Hi, near) || !slices.EqualFunc(got.T, want.T, near) {
				t.Errorf("%s: %v %v %v, want %v %v %v", spec, got.T, got.Lo, got.Hi, want.T, want.Lo, want.Hi)
			}
			compared += len(got.Lo)
		}
	}
	if compared < 30 {
		t.Errorf("only %d thresholds were compared", compared)
	}
}
