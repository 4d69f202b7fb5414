package segment_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	. "segscan/segment"
	"segscan/segment/segmenttest"
)

// plainStat is Stat over samples lo to hi-1 of a line, in a few lines of plain Go. For f32 the sum of each block of
// 64 samples that begins at a multiple of 64, then of the blocks.
func plainStat(v Plane, classes []Class, line, lo, hi int) Stat {
	s := Stat{N: int64(hi - lo), Min: math.NaN(), Max: math.NaN()}
	var exact, used int64
	var sum, block float64
	for i := lo; i < hi; i++ {
		if classes[line*v.Samples+i] == Activation {
			s.Activations++
		}
		var x float64
		switch at := line*v.Stride + i; {
		case v.U8 != nil:
			x = float64(v.U8[at])
		case v.U16 != nil:
			x = float64(v.U16[at])
		default:
			if x = float64(v.F32[at]); i%64 == 0 {
				sum, block = sum+block, 0
			}
			if x != x {
				continue
			}
			block += x
		}
		if v.F32 == nil {
			exact += int64(x)
		}
		if used == 0 {
			s.Min, s.Max = x, x
		}
		used++
		s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	}
	s.Mean = (float64(exact) + sum + block) / float64(used)
	return s
}

func statDiff(got, want Stat) string {
	same := func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b || a == 0 && b == 0
	}
	if got.N != want.N || got.Activations != want.Activations || !same(got.Min, want.Min) || !same(got.Max, want.Max) || !same(got.Mean, want.Mean) {
		return fmt.Sprintf("got %+v, want %+v", got, want)
	}
	return ""
}

// measurable is a band with random values in which some are boundaries and many activations, and its classes.
func measurable(rng *rand.Rand, t SampleType, lines, samples int) (Band, Thresholds) {
	b := randomBand(rng, t, lines, samples)
	switch t {
	case U8:
		return b, Thresholds{Lo: []float64{24}, Hi: []float64{120}}
	case U16:
		return b, Thresholds{Lo: []float64{40}, Hi: []float64{2000}}
	}
	return b, Thresholds{Lo: []float64{-1e6}, Hi: []float64{10}, NaN: Other}
}

func TestMeasure(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	spans := 0
	for _, typ := range []SampleType{U8, U16, F32} {
		for _, size := range [][2]int{{1, 1}, {3, 3}, {9, 63}, {4, 64}, {5, 65}, {3, 700}, {2, 5000}} {
			b, c := measurable(rng, typ, size[0], size[1])
			var m Masks
			if err := c.Classify(b, &m); err != nil {
				t.Fatal(err)
			}
			classes := m.Classes()
			for _, e := range testEngines() {
				for _, edges := range []Edges{EdgesDrop, EdgesKeep} {
					l := load(t, e, b)
					var r Result
					if err := l.Segment(context.Background(), c, Options{Edges: edges, Rejected: true, Masks: true}, nil, &r); err != nil {
						t.Fatal(err)
					}
					for _, s := range []Spans{r.Kept, r.Rejected} {
						out := make([]Stat, len(s.Bounds)+1)
						canary := Stat{N: -77}
						out[len(s.Bounds)] = canary
						if err := l.Measure(context.Background(), s, r.Masks, out[:len(s.Bounds)]); err != nil {
							t.Fatal(err)
						}
						if out[len(s.Bounds)] != canary {
							t.Fatal("wrote beyond the results")
						}
						for line := range b.Lines {
							for k, bound := range s.Line(line) {
								lo, hi := int(bound.Start)+1, int(bound.End)
								if k == 0 && s.Edge[line]&EdgeLeft != 0 {
									lo--
								}
								if k+1 == len(s.Line(line)) && s.Edge[line]&EdgeRight != 0 {
									hi++
								}
								spans++
								if d := statDiff(out[int(s.First[line])+k], plainStat(b.Body(), classes, line, lo, hi)); d != "" {
									t.Fatalf("%s %v, %s, line %d, %v: %s", typ, size, e, line, bound, d)
								}
							}
						}
					}
				}
			}
		}
	}
	if spans < 10000 {
		t.Fatalf("only %d spans were compared", spans)
	}
}

// By hand: 2 2 1 2 0 2 1 0 2 under keep holds [0,2] (samples 0, 1), [2,6] (3, 4, 5) and [6,8] (7, 8).
func TestMeasureClippedEndsCountByHand(t *testing.T) {
	v := Plane{U8: []uint8{201, 203, 5, 210, 150, 240, 7, 160, 255}, Lines: 1, Samples: 9, Stride: 9}
	l := load(t, NewCPU(1), Band{Lines: 1, Samples: 9, V: v})
	var r Result
	if err := l.Segment(context.Background(), testThresholds, Options{Edges: EdgesKeep, Masks: true}, nil, &r); err != nil {
		t.Fatal(err)
	}
	out := make([]Stat, 3)
	if err := l.Measure(context.Background(), r.Kept, r.Masks, out); err != nil {
		t.Fatal(err)
	}
	want := [3]Stat{{2, 2, 201, 203, 202}, {3, 2, 150, 240, 200}, {2, 1, 160, 255, 207.5}}
	if [3]Stat(out) != want {
		t.Fatalf("got %+v, want %+v", out, want)
	}
}

// By hand: samples 1 to 128 between boundaries at 0 and 129. Block 0 holds 1e17 (float32: 99999998430674944) and 62
// ones, each lost against it; block 1 holds 64 ones, 64 in all; block 2 holds one. Numbers near 1e17 are 16 apart, so
// the sum is 99999998430674944 + 64 = 99999998430675008, and the last one is lost. One after the other all 127 would be.
func TestMeasureSumOrderByHand(t *testing.T) {
	v := NewPlane(F32, 1, 130)
	for i := range v.F32 {
		v.F32[i] = 1
	}
	v.F32[0], v.F32[129], v.F32[1] = -5, -5, 1e17
	c := Thresholds{Lo: []float64{-1}, Hi: []float64{1}}
	for _, e := range testEngines() {
		l := load(t, e, Band{Lines: 1, Samples: 130, V: v})
		var r Result
		if err := l.Segment(context.Background(), c, Options{Masks: true}, nil, &r); err != nil {
			t.Fatal(err)
		}
		out := make([]Stat, 1)
		if err := l.Measure(context.Background(), r.Kept, r.Masks, out); err != nil {
			t.Fatal(err)
		}
		if want := (Stat{128, 128, 1, 99999998430674944, 99999998430675008. / 128}); out[0] != want {
			t.Errorf("%s: got %+v, want %+v", e, out[0], want)
		}
	}
}

// One span longer than workers share: its parts must join to the same bits.
func TestMeasureOneLongSpan(t *testing.T) {
	if testing.Short() {
		t.Skip("a long line; not in short mode")
	}
	rng := rand.New(rand.NewPCG(12, 1))
	const samples = 3<<20 + 77
	for _, typ := range []SampleType{U8, U16, F32} {
		v := NewPlane(typ, 1, samples)
		classes := make([]Class, samples)
		for i := range samples {
			x := 150 + rng.IntN(100)
			switch typ {
			case U8:
				v.U8[i] = uint8(x)
			case U16:
				v.U16[i] = uint16(x)
			default:
				v.F32[i] = float32(x) + rng.Float32()
				if rng.IntN(100) == 0 {
					v.F32[i] = nan32
				}
			}
			if x >= 200 && !(typ == F32 && v.F32[i] != v.F32[i]) {
				classes[i] = Activation
			}
		}
		b := Band{Lines: 1, Samples: samples, V: v}
		for _, e := range []testEngine{{1, 0, 0, NewCPU(1)}, {3, 0, 0, NewCPU(3)}, {2, 64, 64, NewTestCPU(2, 64, 64)}} {
			if e.tile == 64 && typ == U16 {
				continue // slow, and like U8
			}
			l := load(t, e, b)
			var m Masks
			if err := (Thresholds{Hi: []float64{200}, NaN: Other}).Classify(b, &m); err != nil {
				t.Fatal(err)
			}
			s := Spans{Bounds: []Bound{{37, samples - 1}}, First: []int64{0, 1}, Edge: []uint8{EdgeRight}}
			out := make([]Stat, 1)
			if err := l.Measure(context.Background(), s, &m, out); err != nil {
				t.Fatal(err)
			}
			if d := statDiff(out[0], plainStat(v, classes, 0, 38, samples)); d != "" {
				t.Errorf("%s, %s: %s", typ, e, d)
			}
		}
	}
}

func TestMeasureAllNaN(t *testing.T) {
	v := Plane{F32: []float32{0, nan32, nan32, 0}, Lines: 1, Samples: 4, Stride: 4}
	l := load(t, NewCPU(1), Band{Lines: 1, Samples: 4, V: v})
	var r Result
	if err := l.Segment(context.Background(), Thresholds{Lo: []float64{0}, NaN: Activation}, Options{Masks: true}, nil, &r); err != nil {
		t.Fatal(err)
	}
	out := make([]Stat, 1)
	if err := l.Measure(context.Background(), r.Kept, r.Masks, out); err != nil {
		t.Fatal(err)
	}
	if d := statDiff(out[0], Stat{2, 2, math.NaN(), math.NaN(), math.NaN()}); d != "" {
		t.Fatal(d)
	}
}

func TestStatDiffNotices(t *testing.T) {
	want := Stat{3, 1, 2, 9, 5}
	for i, got := range []Stat{{4, 1, 2, 9, 5}, {3, 0, 2, 9, 5}, {3, 1, 3, 9, 5}, {3, 1, 2, 8, 5}, {3, 1, 2, 9, math.Nextafter(5, 6)}, {3, 1, math.NaN(), 9, 5}} {
		if statDiff(got, want) == "" {
			t.Errorf("change %d is not noticed", i)
		}
	}
	if d := statDiff(want, want); d != "" {
		t.Error(d)
	}
}

func TestMeasureRefuses(t *testing.T) {
	classes := segmenttest.Line("1210 1021")
	b := bandOf(rand.New(rand.NewPCG(1, 1)), U8, classes, 2, 4)
	l := load(t, NewCPU(1), b)
	var r Result
	if err := l.Segment(context.Background(), testThresholds, Options{Masks: true}, nil, &r); err != nil {
		t.Fatal(err)
	}
	s := Spans{Bounds: []Bound{{0, 2}}, First: []int64{0, 1, 1}, Edge: make([]uint8, 2)}
	for _, c := range []struct {
		s    Spans
		m    *Masks
		n    int
		want string
	}{
		{s, nil, 1, "no masks"},
		{s, r.Masks, 2, "2 results for 1 spans"},
		{s, segmenttest.Masks(classes, 1, 8), 1, "masks of 1 x 8"},
		{Spans{Bounds: s.Bounds, First: []int64{0, 1}}, r.Masks, 1, "do not belong"},
		{Spans{Bounds: []Bound{{0, 4}}, First: s.First, Edge: s.Edge}, r.Masks, 1, "span [0, 4] of line 0"},
		{Spans{Bounds: []Bound{{2, 1}}, First: s.First, Edge: s.Edge}, r.Masks, 1, "span [2, 1] of line 0"},
	} {
		err := l.Measure(context.Background(), c.s, c.m, make([]Stat, c.n))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %q", err, c.want)
		}
	}
}
