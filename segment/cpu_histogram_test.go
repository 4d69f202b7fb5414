package segment_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "segscan/segment"
)

// randomBand holds values from a few to all there are, f32 with NaN, infinities and both zeros among them.
func randomBand(rng *rand.Rand, t SampleType, lines, samples int) Band {
	v := NewPlane(t, lines+1, samples+5)
	for i := range (lines + 1) * v.Stride {
		switch t {
		case U8:
			v.U8[i] = uint8(20 + rng.IntN(200))
		case U16:
			v.U16[i] = uint16(rng.Uint32()) >> rng.IntN(9)
		default:
			v.F32[i] = float32(rng.NormFloat64()) * float32(math.Pow(10, float64(rng.IntN(9))))
			if rng.IntN(6) == 0 {
				v.F32[i] = []float32{nan32, inf32, -inf32, zero32, 0, math.MaxFloat32}[rng.IntN(6)]
			}
		}
	}
	return Band{Lines: lines, Samples: samples, Before: Halo{1, 2}, V: v}
}

// plainHistogram is the contract, line after line.
func plainHistogram(h *Histogram, v Plane, l0, l1 int) {
	for l := l0; l < l1; l++ {
		var sum, sq, blockSum, blockSq float64
		for s := range v.Samples {
			if s%64 == 0 {
				sum, sq, blockSum, blockSq = sum+blockSum, sq+blockSq, 0, 0
			}
			var x float64
			var bin int
			switch at := l*v.Stride + s; {
			case v.U8 != nil:
				x, bin = float64(v.U8[at]), int(v.U8[at])
			case v.U16 != nil:
				x, bin = float64(v.U16[at]), int(v.U16[at])
			default:
				x, bin = float64(v.F32[at]), int(FloatKey(v.F32[at])>>16)
				if math.IsNaN(x) {
					h.NaN++
				}
				if math.IsNaN(x) || math.IsInf(x, 0) {
					h.NotFinite++
					continue
				}
				blockSum, blockSq = blockSum+x, blockSq+x*x
			}
			if h.Bins[bin]++; h.N == 0 {
				h.Min, h.Max = x, x
			}
			h.N++
			h.Min, h.Max = min(h.Min, x), max(h.Max, x+0)
		}
		h.Sum, h.SumSq = h.Sum+(sum+blockSum), h.SumSq+(sq+blockSq)
	}
}

func histogramDiff(got, want *Histogram) string {
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	switch {
	case got.Type != want.Type || !slices.Equal(got.Bins, want.Bins):
		return "bins differ"
	case got.N != want.N || got.NaN != want.NaN || got.NotFinite != want.NotFinite:
		return fmt.Sprintf("counts: got %d %d %d, want %d %d %d", got.N, got.NaN, got.NotFinite, want.N, want.NaN, want.NotFinite)
	case !same(got.Min, want.Min) || !same(got.Max, want.Max):
		return fmt.Sprintf("extremes: got %g %g, want %g %g", got.Min, got.Max, want.Min, want.Max)
	case math.Float64bits(got.Sum) != math.Float64bits(want.Sum) || math.Float64bits(got.SumSq) != math.Float64bits(want.SumSq):
		return fmt.Sprintf("sums: got %v %v, want %v %v", got.Sum, got.SumSq, want.Sum, want.SumSq)
	}
	return ""
}

func newHistogram(t SampleType) Histogram {
	return Histogram{Type: t, Bins: make([]uint64, map[SampleType]int{U8: 256, U16: 65536, F32: 65536}[t]), Min: math.NaN(), Max: math.NaN()}
}

func TestHistogramOfTheEngine(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, typ := range []SampleType{U8, U16, F32} {
		for _, size := range [][2]int{{1, 1}, {3, 63}, {2, 64}, {5, 65}, {2, 130}, {2, 1000}, {1, 70000}, {4, 0}} {
			b := randomBand(rng, typ, size[0], size[1])
			for _, e := range testEngines() {
				want := newHistogram(typ)
				got := make([]Histogram, 1)
				l := load(t, e, b)
				for range 2 { // it adds
					plainHistogram(&want, b.Body(), 0, b.Lines)
					if err := l.Histogram(context.Background(), false, got); err != nil {
						t.Fatal(err)
					}
				}
				if size[1] == 0 {
					want = Histogram{}
				}
				if want.Type != U8 || want.Bins != nil {
					if d := histogramDiff(&got[0], &want); d != "" {
						t.Fatalf("%s %v, %s: %s", typ, size, e, d)
					}
				}
				lines := make([]Histogram, b.Lines)
				if err := l.Histogram(context.Background(), true, lines); err != nil {
					t.Fatal(err)
				}
				for i := range lines {
					want := newHistogram(typ)
					plainHistogram(&want, b.Body(), i, i+1)
					if d := histogramDiff(&lines[i], &want); d != "" && size[1] > 0 {
						t.Fatalf("%s %v, %s, line %d: %s", typ, size, e, i, d)
					}
				}
			}
		}
	}
}

// The comparison must see one sample that moved to the next bin, and one that left the sum's order.
func TestHistogramComparisonFindsChanges(t *testing.T) {
	b := randomBand(rand.New(rand.NewPCG(1, 9)), F32, 2, 200)
	var h, changed Histogram
	h, changed = newHistogram(F32), newHistogram(F32)
	plainHistogram(&h, b.Body(), 0, 2)
	if d := histogramDiff(&h, &h); d != "" {
		t.Fatal(d)
	}
	plainHistogram(&changed, b.Body(), 0, 2)
	changed.Bins[FloatKey(1)>>16]++
	changed.Bins[FloatKey(2)>>16]--
	if histogramDiff(&changed, &h) == "" {
		t.Error("a moved sample is not noticed")
	}
	changed = newHistogram(F32)
	plainHistogram(&changed, b.Body(), 0, 2)
	changed.Sum = math.Nextafter(changed.Sum, inf)
	if histogramDiff(&changed, &h) == "" {
		t.Error("another rounding of the sum is not noticed")
	}
}

// One line of 130 samples by hand. Blocks: 64 times 0.1 (as float32) one after the other; 1e17 and 63 ones, each
// lost against it; two ones. The line: block 1 is lost against 1e17, and so is 2, for numbers near 1e17 are 16 apart.
func TestHistogramSumOrderByHand(t *testing.T) {
	v := NewPlane(F32, 1, 130)
	for i := range v.F32 {
		v.F32[i] = 1
		if i < 64 {
			v.F32[i] = 0.1
		}
	}
	v.F32[64] = 1e17 // as float32: 99999998430674944
	got := make([]Histogram, 1)
	for _, e := range testEngines() {
		got[0] = Histogram{}
		if err := load(t, e, Band{Lines: 1, Samples: 130, V: v}).Histogram(context.Background(), false, got); err != nil {
			t.Fatal(err)
		}
		if want := 99999998430674944.; got[0].Sum != want {
			t.Errorf("%s: sum %v, want %v", e, got[0].Sum, want)
		}
	}
}

func TestHistogramFine(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 9))
	b := randomBand(rng, F32, 3, 5000)
	v := b.Body()
	keys := []uint16{uint16(FloatKey(0) >> 16), uint16(FloatKey(v.F32[0]) >> 16), uint16(FloatKey(v.F32[1]) >> 16), uint16(FloatKey(inf32) >> 16)}
	for _, e := range testEngines() {
		h := []Histogram{{Fine: map[uint16][]uint64{}}}
		want := map[uint16][]uint64{}
		for _, k := range keys {
			h[0].Fine[k], want[k] = nil, make([]uint64, 65536)
		}
		if err := load(t, e, b).Histogram(context.Background(), false, h); err != nil {
			t.Fatal(err)
		}
		for l := range 3 {
			for _, x := range v.F32[l*v.Stride:][:5000] {
				k := FloatKey(x)
				if n, ok := want[uint16(k>>16)]; ok && x-x == 0 {
					n[k&0xffff]++
				}
			}
		}
		for k, n := range want {
			if !slices.Equal(h[0].Fine[k], n) {
				t.Fatalf("%s: counts of key %#x differ", e, k)
			}
		}
		if h[0].N != 0 || h[0].Bins != nil || h[0].Sum != 0 {
			t.Fatalf("a fine pass changed something else: %+v", h[0])
		}
	}
}

func TestFloatFromKey(t *testing.T) {
	for _, x := range []float32{0, zero32, 1, -1, inf32, -inf32, math.MaxFloat32, -math.SmallestNonzeroFloat32, 3.25, -7e-20} {
		if got := FloatFromKey(FloatKey(x)); got != x || math.Float32bits(got) == 1<<31 {
			t.Errorf("%g came back as %g", x, got)
		}
	}
	if got := FloatFromKey(FloatKey(nan32)); got == got {
		t.Errorf("NaN came back as %g", got)
	}
	if !(FloatKey(-inf32) < FloatKey(-1) && FloatKey(-1) < FloatKey(zero32) && FloatKey(zero32) == FloatKey(0) && FloatKey(0) < FloatKey(1) && FloatKey(1) < FloatKey(inf32)) {
		t.Error("keys do not keep order")
	}
}

func TestHistogramRefuses(t *testing.T) {
	b := randomBand(rand.New(rand.NewPCG(1, 1)), U8, 2, 10)
	for _, c := range []struct {
		perLine bool
		add     []Histogram
		want    string
	}{
		{false, make([]Histogram, 2), "2 histograms given, want 1"},
		{true, make([]Histogram, 1), "1 histograms given, want 2"},
		{false, []Histogram{newHistogram(U16)}, "histogram of u16"},
		{false, []Histogram{{Bins: make([]uint64, 3)}}, "with 3 bins"},
		{false, []Histogram{{Fine: map[uint16][]uint64{}}}, "fine counts are for f32"},
	} {
		err := load(t, NewCPU(2), b).Histogram(context.Background(), c.perLine, c.add)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %q", err, c.want)
		}
	}
}
