//go:build linux

package emulation_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"segscan/kernels/cuda"
	. "segscan/segment"
)

// loadOnCPU gives a plane to the CPU engine, the reference here.
func loadOnCPU(t *testing.T, p Plane) Loaded {
	t.Helper()
	e := NewCPU(1)
	l, err := e.Load(context.Background(), planeBand(p))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Release()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// histogramOnDevice runs the kernels and reads their results as an engine would.
func histogramOnDevice(r *rig, p Plane, perLine bool, grid int) []Histogram {
	typ, bins, n := p.Type(), 65536, 1
	if typ == U8 {
		bins = 256
	}
	if perLine {
		n = p.Lines
	}
	params := cuda.HistogramParams{Samples: uploadPlane(r, p), Bins: space[uint64](r, n*bins, true), Counts: space[cuda.FloatCounts](r, n, true),
		Lines: uint64(p.Lines), Pitch: uint64(p.Stride), Width: uint32(p.Samples), PerLine: boolean(perLine)}
	run(r, "histogram_"+typ.String(), grid, params)
	all, counts := download[uint64](r, params.Bins, n*bins), download[cuda.FloatCounts](r, params.Counts, n)
	var sums []cuda.Sums
	if typ == F32 {
		sums = sumsOnDevice(r, p, params.Samples)
	}
	var out []Histogram
	for i := range n {
		h := Histogram{Type: typ, Bins: all[i*bins : (i+1)*bins], NaN: counts[i].Nan, NotFinite: counts[i].Nan + counts[i].Infinite,
			Min: math.NaN(), Max: math.NaN()}
		for v, c := range h.Bins {
			if c > 0 && typ != F32 {
				if h.N == 0 {
					h.Min = float64(v)
				}
				h.Max = float64(v)
			}
			h.N += c
		}
		if typ == F32 && h.N > 0 {
			h.Min, h.Max = float64(FloatFromKey(^counts[i].MaxInverseKey)), float64(FloatFromKey(counts[i].MaxKey))
		}
		for l, s := range sums {
			if !perLine || l == i {
				h.Sum, h.SumSq = h.Sum+s.Sum, h.SumSq+s.Sq
			}
		}
		out = append(out, h)
	}
	return out
}

func sumsOnDevice(r *rig, p Plane, samples cuda.Ptr) []cuda.Sums {
	blocks := ceil(p.Samples, cuda.SumSamples)
	params := cuda.SumParams{Samples: samples, Blocks: space[cuda.Sums](r, p.Lines*blocks, false), Sums: space[cuda.Sums](r, p.Lines, false),
		Lines: uint64(p.Lines), Pitch: uint64(p.Stride), Width: uint32(p.Samples), BlocksPerLine: uint32(blocks)}
	run(r, "sum_blocks_f32", ceil(p.Lines*blocks, cuda.PlainThreads), params)
	run(r, "sum_lines_f32", ceil(p.Lines, cuda.PlainThreads), params)
	return download[cuda.Sums](r, params.Sums, p.Lines)
}

func TestHistograms(t *testing.T) {
	r := newRig(t, "")
	for _, typ := range []SampleType{U8, U16, F32} {
		// Units of work hold many lines, a line many units; blocks are fewer and more than units.
		for k, shape := range [][2]int{{1, 1}, {3, 70}, {900, 41}, {2, 2*cuda.HistogramUnit + 5}} {
			for _, perLine := range []bool{false, true} {
				if perLine && shape[0] > 100 {
					continue // 65536 bins a line; the other shapes have lines enough
				}
				p := samplesOf(typ, shape[0], shape[1], shape[1]+k, uint64(k))
				if k == 1 && typ == F32 {
					for i := range shape[1] {
						p.F32[p.Stride+i] = float32(math.NaN()) // a line without a finite sample
					}
				}
				want := make([]Histogram, 1)
				if perLine {
					want = make([]Histogram, shape[0])
				}
				if err := loadOnCPU(t, p).Histogram(context.Background(), perLine, want); err != nil {
					t.Fatal(err)
				}
				for i, got := range histogramOnDevice(r, p, perLine, 1+k) {
					name := fmt.Sprintf("%s, %d x %d, histogram %d", typ, shape[0], shape[1], i)
					if d := firstDifference("bins", got.Bins, want[i].Bins, 0); d != "" {
						t.Errorf("%s: %s", name, d)
					}
					if got.N != want[i].N || got.NaN != want[i].NaN || got.NotFinite != want[i].NotFinite {
						t.Errorf("%s: got %d finite, %d not, %d NaN; want %d, %d, %d", name, got.N, got.NotFinite, got.NaN,
							want[i].N, want[i].NotFinite, want[i].NaN)
					}
					if !sameFloat(got.Min, want[i].Min) || !sameFloat(got.Max, want[i].Max) {
						t.Errorf("%s: got [%v, %v], want [%v, %v]", name, got.Min, got.Max, want[i].Min, want[i].Max)
					}
					if !sameFloat(got.Sum, want[i].Sum) || !sameFloat(got.SumSq, want[i].SumSq) {
						t.Errorf("%s: got sums %v, %v, want %v, %v", name, got.Sum, got.SumSq, want[i].Sum, want[i].SumSq)
					}
				}
				r.free()
			}
		}
	}
}

func TestFineHistogram(t *testing.T) {
	r := newRig(t, "")
	p := samplesOf(F32, 3, 900, 907, 4)
	want := []Histogram{{Fine: map[uint16][]uint64{}}}
	index := make([]uint32, 65536)
	var keys []uint16
	for i := 0; i < 40; i++ { // some that are there, one of infinity, which counts nothing
		k := uint16(FloatKey(p.F32[i*11]) >> 16)
		if index[k] == 0 {
			keys = append(keys, k)
			index[k] = uint32(len(keys))
			want[0].Fine[k] = nil
		}
	}
	if err := loadOnCPU(t, p).Histogram(context.Background(), false, want); err != nil {
		t.Fatal(err)
	}
	params := cuda.HistogramParams{Samples: uploadPlane(r, p), Bins: space[uint64](r, len(keys)*65536, true), FineIndex: upload(r, index),
		Lines: 3, Pitch: 907, Width: 900}
	run(r, "histogram_fine_f32", 3, params)
	got := download[uint64](r, params.Bins, len(keys)*65536)
	counted := uint64(0)
	for i, k := range keys {
		if d := firstDifference(fmt.Sprintf("key %#x", k), got[i*65536:(i+1)*65536], want[0].Fine[k], 0); d != "" {
			t.Error(d)
		}
		for _, n := range want[0].Fine[k] {
			counted += n
		}
	}
	if counted < 100 {
		t.Errorf("only %d samples were counted; the test is too weak", counted)
	}
}

// statOf reads a result as an engine would.
func statOf(typ SampleType, m cuda.Measured) Stat {
	s := Stat{N: int64(m.N), Activations: int64(m.Activations), Min: math.NaN(), Max: math.NaN(), Mean: math.NaN()}
	if m.Used == 0 {
		return s
	}
	if typ == F32 {
		s.Min, s.Max = float64(FloatFromKey(m.Min)), float64(FloatFromKey(m.Max))
		s.Mean = math.Float64frombits(m.Sum) / float64(m.Used)
	} else {
		s.Min, s.Max, s.Mean = float64(m.Min), float64(m.Max), float64(m.Sum)/float64(m.Used)
	}
	return s
}

// Spans of every length, clipped ones too, by the kernel for short spans and by that for long ones.
func TestMeasure(t *testing.T) {
	r := newRig(t, "")
	for _, typ := range []SampleType{U8, U16, F32} {
		for k, shape := range [][2]int{{5, 40}, {3, 333}, {2, 5000}} {
			lines, width := shape[0], shape[1]
			p := samplesOf(typ, lines, width, width+k, uint64(20+k))
			scale := map[SampleType]float64{U8: 1, U16: 256, F32: 1}[typ]
			th := Thresholds{Lo: []float64{-1000 * scale}, Hi: []float64{150 * scale}, NaN: Boundary}
			if k < 2 {
				th.Lo[0] = 25 * scale
			}
			loaded := loadOnCPU(t, p)
			var res Result
			if err := loaded.Segment(context.Background(), th, Options{Edges: EdgesKeep, Masks: true, Rejected: true}, nil, &res); err != nil {
				t.Fatal(err)
			}
			want := make([]Stat, len(res.Kept.Bounds))
			if err := loaded.Measure(context.Background(), res.Kept, res.Masks, want); err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 {
				t.Fatalf("%s, %d x %d: no spans to measure", typ, lines, width)
			}
			list := make([]uint64, len(want))
			for i := range list {
				list[i] = uint64(len(list) - 1 - i)
			}
			params := cuda.MeasureParams{Samples: uploadPlane(r, p), Spans: upload(r, res.Kept.Bounds), First: upload(r, res.Kept.First),
				LineEdges: upload(r, res.Kept.Edge), Activation: upload(r, res.Masks.A), List: upload(r, list),
				Count: uint64(len(want)), Lines: uint64(lines), Pitch: uint64(p.Stride), Width: uint32(width), WordsPerLine: uint32(res.Masks.Words)}
			for _, kernel := range []string{"measure_", "measure_long_"} {
				params.Out = space[cuda.Measured](r, len(want), false)
				run(r, kernel+typ.String(), 2, params)
				for i, m := range download[cuda.Measured](r, params.Out, len(want)) {
					got := statOf(typ, m)
					if got.N != want[i].N || got.Activations != want[i].Activations ||
						!sameFloat(got.Min, want[i].Min) || !sameFloat(got.Max, want[i].Max) || !sameFloat(got.Mean, want[i].Mean) {
						t.Fatalf("%s%s, %d x %d, span %d %v: got %+v, want %+v", kernel, typ, lines, width, i, res.Kept.Bounds[i], got, want[i])
					}
				}
			}
			r.free()
		}
	}
}

// bounds takes starts and ends by turns.
func bounds(v ...uint32) (b []Bound) {
	for i := 0; i < len(v); i += 2 {
		b = append(b, Bound{Start: v[i], End: v[i+1]})
	}
	return b
}

// Each of the two kernels leaves the other's spans alone.
func TestMeasureSharesSpansByLength(t *testing.T) {
	r := newRig(t, "")
	const width = cuda.MeasureLong + 10
	p := samplesOf(F32, 1, width, width, 9)
	spans := Spans{Bounds: bounds(0, 4, 4, cuda.MeasureLong+4, cuda.MeasureLong+4, cuda.MeasureLong+5, cuda.MeasureLong+5, cuda.MeasureLong+9),
		First: []int64{0, 4}, Edge: []uint8{0}}
	long := Spans{Bounds: bounds(2, cuda.MeasureLong+3), First: []int64{0, 1}, Edge: []uint8{0}} // exactly MeasureLong inside
	for _, s := range []Spans{spans, long} {
		masks := new(Masks)
		if err := (Thresholds{Hi: []float64{150}}).Classify(planeBand(p), masks); err != nil {
			t.Fatal(err)
		}
		want := make([]Stat, len(s.Bounds))
		if err := loadOnCPU(t, p).Measure(context.Background(), s, masks, want); err != nil {
			t.Fatal(err)
		}
		var list []uint64
		for i := range want {
			if want[i].N >= cuda.MeasureLong {
				list = append(list, uint64(i))
			}
		}
		params := cuda.MeasureParams{Samples: uploadPlane(r, p), Spans: upload(r, s.Bounds), First: upload(r, s.First), Activation: upload(r, masks.A),
			Out: space[cuda.Measured](r, len(want), false), Count: uint64(len(want)), Lines: 1, Pitch: width, Width: width, WordsPerLine: uint32(masks.Words)}
		run(r, "measure_f32", 1, params)
		params.List, params.Count = upload(r, list), uint64(len(list))
		if len(list) > 0 {
			run(r, "measure_long_f32", 3, params)
		}
		for i, m := range download[cuda.Measured](r, params.Out, len(want)) {
			if got := statOf(F32, m); got.N != want[i].N || got.Activations != want[i].Activations || !sameFloat(got.Mean, want[i].Mean) {
				t.Errorf("span %v: got %+v, want %+v", s.Bounds[i], got, want[i])
			}
		}
		r.free()
	}
}
