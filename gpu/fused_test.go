//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"segscan/gpu/emulation"
	"segscan/kernels/cuda"
	"segscan/segment"
	"segscan/segment/segmenttest"
)

// fusedEngine is an engine whose launches go to the fused kernels, with tiles of so many of the smallest runs.
func fusedEngine(t testing.TB, target int, warps uint32) *Engine {
	return open(t, "", Options{small: true, warps: warps, PTXTarget: target, Check: true})
}

// fusedTargets are the texts: for new devices and for old ones.
var fusedTargets = map[string]int{"fused": 80, "fused_basic": 70}

// everyFused goes through edge rules and groups.
func everyFused(f func(o segment.Options)) {
	for i := range 4 {
		f(segment.Options{Edges: segment.Edges(i & 1), Rejected: i&2 != 0})
	}
}

// diffFused runs one band of classes and says how it differs from the oracle.
func diffFused(t *testing.T, e *Engine, r *segment.Result, classes []segment.Class, lines, width, stride int, o segment.Options) string {
	t.Helper()
	plane := segment.NewPlane(segment.U8, lines, stride)
	plane.Samples = width
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

// Each planted error of the fused kernels must be found by a small choice of bands: what makes the comparisons of this
// package worth something.
func TestPlantedErrorsAreFound(t *testing.T) {
	if onDevice() {
		t.Skip("only the emulated driver can err on request")
	}
	e := fusedEngine(t, 80, 2)
	library := emulation.Library(t)
	t.Cleanup(func() {
		if err := emulation.Plant(library, 0); err != nil {
			t.Error(err)
		}
	})
	for fault := 0; fault <= 14; fault++ {
		if err := emulation.Plant(library, fault); err != nil {
			t.Fatal(err)
		}
		found := ""
		var r segment.Result
		rng := rand.New(rand.NewPCG(3, 3))
		for try := 0; try < 60 && found == ""; try++ {
			width := []int{1, 7, 31, 100, 500, 1500, 5000}[try%7]
			lines := 1 + 6000/width
			classes := segmenttest.Random(rng, lines*width, []float64{.3, .05, .002}[try%3], []float64{.2, .02, .001}[try%3])
			everyFused(func(o segment.Options) {
				if d := diffFused(t, e, &r, classes, lines, width, width, o); d != "" && found == "" {
					found = fmt.Sprintf("%d x %d, %+v: %s", lines, width, o, d)
				}
			})
		}
		if (fault > 0) != (found != "") {
			t.Errorf("error %d: found %q", fault, found)
		}
		t.Logf("error %d: %s", fault, found)
	}
}

var _ = cuda.FusedRunSmall
