//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"segscan/gpu/emulation"
	"segscan/kernels/cuda"
	"segscan/segment"
	"segscan/segment/segmenttest"
)

// fusedEngine is an engine whose launches go to the fused kernels, with tiles of so many of the smallest runs.
func fusedEngine(t testing.TB, target string, warps uint32) *Engine {
	return open(t, "", Options{small: true, warps: warps, PTXTarget: target, Check: true})
}

// fusedTargets are the texts: for new devices and for old ones.
var fusedTargets = map[string]string{"fused": "sm_80", "fused_basic": "sm_70"}

// everyFused goes through edge rules and groups.
func everyFused(f func(o segment.Options)) {
	for i := range 4 {
		f(segment.Options{Edges: segment.Edges(i & 1), Rejected: i&2 != 0})
	}
}

// diffFused runs one band of classes and says how it differs from the oracle.
func diffFused(t *testing.T, e *Engine, r *segment.Result, classes []segment.Class, lines, width, stride int, o segment.Options) string {
	t.Helper()
	plane, release := pinnedPlane(e, segment.U8, lines, width, stride)
	defer release()
	for i := range plane.U8 {
		plane.U8[i] = uint8(i*7) % 3 // padding has classes too
	}
	for l := range lines {
		for s, c := range classes[l*width : (l+1)*width] {
			plane.U8[l*stride+s] = []uint8{segment.Other: 1, segment.Boundary: 0, segment.Activation: 2}[c]
		}
	}
	l := load(t, e, bandOf(plane))
	defer l.Release()
	if err := l.Segment(context.Background(), classThresholds(), o, nil, r); err != nil {
		return err.Error()
	}
	return segmenttest.Diff(r, segment.SequentialBand(classes, lines, width, o))
}

// pinnedPlane is in memory that the engine copies from as it is, lines apart too; in other memory it brings them together.
func pinnedPlane(e *Engine, t segment.SampleType, lines, width, stride int) (segment.Plane, func()) {
	p, release := e.Alloc(t, lines*stride)
	p.Lines, p.Samples, p.Stride = lines, width, stride
	return p, release
}

// Each planted error of the fused kernels must be found by a small choice of bands: what makes the comparisons of this
// package worth something.
func TestPlantedErrorsAreFound(t *testing.T) {
	if onDevice() {
		t.Skip("only the emulated driver can err on request")
	}
	e := fusedEngine(t, "sm_80", 2)
	library := emulation.Library(t)
	findPlanted(t, library, 0, 22, func() bool {
		found := findFault(t, e)
		t.Log(found)
		return found != ""
	})
}

// findFault tries bands of classes, then some with thresholds of their lines, and some together.
func findFault(t *testing.T, e *Engine) (found string) {
	var r segment.Result
	rng := rand.New(rand.NewPCG(3, 3))
	for try := 0; try < 60 && found == ""; try++ {
		width := []int{1, 7, 31, 100, 500, 1500, 5000}[try%7]
		lines := 1 + 6000/width
		classes := segmenttest.Random(rng, lines*width, []float64{.3, .05, .002}[try%3], []float64{.2, .02, .001}[try%3])
		everyFused(func(o segment.Options) {
			if d := diffFused(t, e, &r, classes, lines, width, width+try%2*(1+try%5), o); d != "" && found == "" {
				found = fmt.Sprintf("%d x %d, %+v: %s", lines, width, o, d)
			}
		})
	}
	for try := 0; try < 6 && found == ""; try++ {
		width := []int{3, 40, 900}[try%3]
		lines := 1 + 3000/width
		p := plane(segment.U8, lines, width, width, 9, uint64(try))
		c := segment.Thresholds{Lo: make([]float64, lines), Hi: make([]float64, lines)}
		for l := range lines {
			c.Lo[l], c.Hi[l] = float64(rng.IntN(150)), float64(100+rng.IntN(150))
		}
		bands := []segment.Band{bandOf(p)}
		o := segment.Options{Edges: segment.Edges(try & 1), Rejected: true}
		found = diffMany(t, bands, c, o, func(r []segment.Result) error { return e.segmentOne(context.Background(), bands[0], c, o, &r[0]) })
		if found == "" {
			bands, release := manyBands(e, rng, segment.U8, 9)
			found = diffMany(t, bands, sparse(segment.U8), o, func(r []segment.Result) error {
				return e.SegmentMany(context.Background(), bands, sparse(segment.U8), o, r)
			})
			release()
		}
	}
	return found
}

// Every width to two tiles and one at the smallest tile, edge rules and groups in turn (all of them at widths around
// words, runs and tiles).
func TestFusedAtEveryWidth(t *testing.T) {
	const tile = cuda.FusedRunSmall
	e := fusedEngine(t, "sm_80", 1)
	var r segment.Result
	patterns := segmenttest.Patterns(5)
	for i := range 2*tile + 2 {
		width := i * 1009 % (2*tile + 2) // a permutation, so that sizes alternate
		edge := width%32 < 2 || width%32 > 30
		if testing.Short() && !edge && width%5 != 0 {
			continue
		}
		k := 0
		everyFused(func(o segment.Options) {
			if k++; !edge && k-1 != width%4 {
				return
			}
			p, lines := patterns[(width+k)%len(patterns)], 1+width%3
			if d := diffFused(t, e, &r, p.Make(lines*width), lines, width, width, o); d != "" {
				t.Fatalf("%s, %d x %d, %+v: %s", p.Name, lines, width, o, d)
			}
		})
	}
}

// Every pattern around the edges of tiles, of several runs a tile, for both texts, lines close together and apart. The
// pattern is shifted along the lines so that boundaries fall on both sides of every edge.
func TestFusedOnEveryPattern(t *testing.T) {
	for text, target := range fusedTargets {
		run := cuda.FusedRunSmall
		if text == "fused_basic" {
			run = cuda.FusedRunU8
		}
		for _, warps := range []int{1, 3} {
			t.Run(fmt.Sprint(text, warps), func(t *testing.T) {
				e := fusedEngine(t, target, uint32(warps))
				var r segment.Result
				tile := run * warps
				widths := append(widthsAround(tile), 5, 17, 33, 127, 128, 129, run-1, run, run+1)
				for i, p := range segmenttest.Patterns(11) {
					for j, width := range widths {
						if testing.Short() && (i+j)%3 != 0 {
							continue
						}
						lines := 1 + (i+j)%4
						o := segment.Options{Edges: segment.Edges(i & 1), Rejected: (i+j)&2 != 0}
						if d := diffFused(t, e, &r, p.Make(lines*width), lines, width, width+j%3, o); d != "" {
							t.Fatalf("%s, %d x %d, %+v: %s", p.Name, lines, width, o, d)
						}
					}
				}
			})
		}
	}
}

// All sample types and forms of classifiers with the runs and tiles as shipped, on bands of random widths, some with
// their lines apart and some that are more than one launch, against the CPU engine.
func TestFusedOnSamples(t *testing.T) {
	for text, target := range fusedTargets {
		for _, limit := range []uint64{0, 9000} {
			t.Run(fmt.Sprint(text, limit), func(t *testing.T) {
				e := open(t, "", Options{PTXTarget: target, warps: 2, fusedSamples: limit, Check: limit > 0})
				rng := rand.New(rand.NewPCG(9, limit))
				for try := range 200 {
					if testing.Short() && try%4 != 0 {
						continue
					}
					typ := sampleTypes[try%3]
					width := 1 + rng.IntN([]int{40, 1000, 8000}[rng.IntN(3)])
					lines := 1 + rng.IntN(1+30000/width)
					p := plane(typ, lines, width, width+rng.IntN(1+rng.IntN(20)), []int{3, 20, 400}[rng.IntN(3)], uint64(try))
					c := fusedClassifier(rng, typ, lines)
					checkFused(t, e, p, c, segment.Options{Edges: segment.Edges(try & 1), Rejected: try&2 != 0, Masks: try&4 != 0})
				}
			})
		}
	}
}

// checkFused compares with the CPU engine.
func checkFused(t *testing.T, e *Engine, p segment.Plane, c segment.Classifier, o segment.Options) {
	t.Helper()
	pinned, release := pinnedPlane(e, p.Type(), p.Lines, p.Samples, p.Stride)
	defer release()
	copy(pinned.U8, p.U8)
	copy(pinned.U16, p.U16)
	copy(pinned.F32, p.F32)
	l := load(t, e, bandOf(pinned))
	defer l.Release()
	var r segment.Result
	if err := l.Segment(context.Background(), c, o, nil, &r); err != nil {
		t.Fatalf("%v %d x %d (%d), %+v, %T: %v", p.Type(), p.Lines, p.Samples, p.Stride, o, c, err)
	}
	if d := diffResult(&r, onCPU(t, bandOf(p), c, o)); d != "" {
		t.Fatalf("%v %d x %d (%d), %+v, %T: %s", p.Type(), p.Lines, p.Samples, p.Stride, o, c, d)
	}
}

// fusedClassifier draws thresholds (some that no sample reaches, some that cross, some exchanged, some of each line) or a
// table, of few intervals or many.
func fusedClassifier(rng *rand.Rand, t segment.SampleType, lines int) segment.Classifier {
	top := map[segment.SampleType]int{segment.U8: 255, segment.U16: 65535, segment.F32: 255}[t]
	value := func() float64 {
		switch rng.IntN(10) {
		case 0:
			return []float64{-1, 0, float64(top), float64(top) + 1, math.Inf(1), math.Inf(-1)}[rng.IntN(6)]
		case 1:
			return float64(top/2 + rng.IntN(3) - 1)
		}
		return float64(rng.IntN(top + 1))
	}
	if t == segment.F32 || rng.IntN(3) == 0 {
		c := sparse(t)
		switch rng.IntN(4) {
		case 0, 1:
			c.Lo, c.Hi = []float64{value()}, []float64{value()}
		case 2:
			c.Lo, c.Hi = make([]float64, lines), make([]float64, lines)
			for l := range lines {
				c.Lo[l], c.Hi[l] = value(), value()
			}
		}
		c.Swap, c.NaN = rng.IntN(2) == 0, segment.Class(rng.IntN(3))
		return c
	}
	of := make([]segment.Class, top+1)
	for range 1 + rng.IntN([]int{4, 40}[rng.IntN(2)]) {
		from := rng.IntN(top + 1)
		class := segment.Class(1 + rng.IntN(2))
		for v := from; v <= min(top, from+rng.IntN(top/8)); v++ {
			of[v] = class
		}
	}
	return segment.Table{Of: of}
}

// The stages one by one give the same: what --compaction multi-pass and old drivers run.
func TestStagesInPlaceOfFused(t *testing.T) {
	e := open(t, "", Options{small: true, stages: true})
	var r segment.Result
	for _, p := range segmenttest.Patterns(3) {
		everyFused(func(o segment.Options) {
			if d := diffFused(t, e, &r, p.Make(3*201), 3, 201, 201, o); d != "" {
				t.Fatalf("%s, %+v: %s", p.Name, o, d)
			}
		})
	}
	if len(e.fused.entries) > 0 {
		t.Errorf("fused kernels were loaded: %v", e.fused.entries)
	}
}

// Which text a device gets: by its capability, its driver, and what is asked for.
func TestFusedTextOfADevice(t *testing.T) {
	for _, c := range []struct {
		config config
		target string
		want   string
	}{
		{"cc=90", "", "fused_u8"},
		{"cc=80", "", "fused_u8"},
		{"cc=75", "", "fused_basic_u8"},
		{"cc=70", "sm_80", "fused_basic_u8"},
		{"cc=90", "sm_75", "fused_basic_u8"},
		{"cc=90,driver=11000", "", "fused_basic_u8"},
		{"cc=90,driver=11010", "", "fused_u8"},
	} {
		t.Run(fmt.Sprint(c.config, c.target), func(t *testing.T) {
			e := open(t, c.config, Options{PTXTarget: c.target})
			var r segment.Result
			if d := diffFused(t, e, &r, segmenttest.Line("0101 2010"), 2, 4, 4, segment.Options{}); d != "" {
				t.Error(d)
			}
			if len(e.fused.entries) != 1 || e.fused.entries[c.want] == nil {
				t.Errorf("got %v, want %s", e.fused.entries, c.want)
			}
		})
	}
}

func TestPTXTargetThatIsNone(t *testing.T) {
	for _, target := range []string{"70", "sm_", "sm_x", "sm_7"} {
		e, err := Open(context.Background(), Options{Library: driverLibrary(t, ""), PTXTarget: target})
		if err == nil {
			_ = e.Close()
			t.Errorf("%q is taken", target)
		} else if !strings.Contains(err.Error(), target) {
			t.Errorf("%q: %v", target, err)
		}
	}
}

// A table of intervals gives the class of every value, also of those at the ends and around the top bit.
func TestIntervalsAreTheTable(t *testing.T) {
	for _, typ := range []segment.SampleType{segment.U8, segment.U16} {
		ones, top := packed(typ)
		rng := rand.New(rand.NewPCG(8, 8))
		few := 0
		for range 200 {
			of := make([]segment.Class, 2*top)
			for range 1 + rng.IntN(5) {
				from, class := rng.IntN(len(of)), segment.Class(rng.IntN(3))
				for v := from; v < min(len(of), from+1+rng.IntN(len(of)/4)); v++ {
					of[v] = class
				}
			}
			sets, ok := intervals(of, typ)
			if !ok {
				continue
			}
			few++
			var p cuda.FusedParams
			sets.fill(&p)
			words := sets.words()
			pair := func(x, first, second uint32, high bool) bool { // as the kernel compares
				t := ((x | top) - first/ones) ^ ((x | top) - second/ones)
				return t&top != 0 && (x&top != 0) == high
			}
			for v, want := range of {
				x := uint32(v)
				in := [2]bool{pair(x, p.CutLo, p.TopLo, p.HighBits&cuda.HighLo != 0), pair(x, p.CutHi, p.TopHi, p.HighBits&cuda.HighHi != 0)}
				for i := range in {
					if p.HighBits&cuda.IntervalLists != 0 {
						set := words[i*cuda.IntervalWords:]
						in[i] = false
						for k := range set[0] + set[1] {
							in[i] = in[i] != pair(x, set[2+2*k], set[3+2*k], k >= set[0])
						}
					}
					if p.Swap>>i&1 != 0 {
						in[i] = !in[i]
					}
				}
				if in[0] != (want != segment.Boundary) || in[1] != (want == segment.Activation) {
					t.Fatalf("%v: value %d of class %d: no boundary %v, activation %v: %+v", typ, v, want, in[0], in[1], sets)
				}
			}
		}
		if few < 50 {
			t.Errorf("%v: only %d tables had few intervals", typ, few)
		}
	}
}

// Bounds of each line are for the fused kernels too, with masks or without.
func TestLineThresholdsAreFused(t *testing.T) {
	for text, want := range map[string]string{"fused": "fused_lines_u8", "fused_basic": "fused_basic_lines_u8"} {
		t.Run(text, func(t *testing.T) {
			e := open(t, "", Options{PTXTarget: fusedTargets[text]})
			p := plane(segment.U8, 5, 300, 300, 20, 1)
			c := segment.Thresholds{Lo: []float64{-1, 40, 120, 255, 10}, Hi: []float64{200, 30, 130, 256, 255}, Swap: true}
			for _, masks := range []bool{false, true} {
				checkFused(t, e, p, c, segment.Options{Masks: masks, Rejected: true})
			}
			if len(e.fused.entries) != 1 || e.fused.entries[want] == nil {
				t.Errorf("got %v, want %s", e.fused.entries, want)
			}
		})
	}
}
