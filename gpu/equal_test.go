//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"segscan/kernels/cuda"
	"segscan/segment"
	"segscan/segment/segmenttest"
)

// widthsAround lists 0, 1, 2, those around a word, and those around one and two tiles.
func widthsAround(tile int) []int {
	return []int{0, 1, 2, 63, 64, 65, tile - 1, tile, tile + 1, 2*tile - 1, 2 * tile, 2*tile + 1}
}

// checkClasses compares device, CPU engine and oracle on one band of classes under one set of options. r is reused, to
// catch what is left over.
func checkClasses(t *testing.T, e *Engine, r *segment.Result, name string, classes []segment.Class, lines, width int, o segment.Options) {
	t.Helper()
	band := classBand(classes, lines, width)
	l := load(t, e, band)
	defer l.Release()
	if err := l.Segment(context.Background(), classThresholds(), o, nil, r); err != nil {
		t.Fatalf("%s, %d x %d, %+v: %v", name, lines, width, o, err)
	}
	if d := segmenttest.Diff(r, segment.SequentialBand(classes, lines, width, o)); d != "" {
		t.Fatalf("%s, %d x %d, %+v: device and oracle: %s", name, lines, width, o, d)
	}
	if d := diffResult(r, onCPU(t, band, classThresholds(), o)); d != "" {
		t.Fatalf("%s, %d x %d, %+v: device and CPU engine: %s", name, lines, width, o, d)
	}
}

func onCPU(t *testing.T, b segment.Band, c segment.Classifier, o segment.Options) *segment.Result {
	t.Helper()
	l := load(t, segment.NewCPU(2), b)
	defer l.Release()
	r := new(segment.Result)
	if err := l.Segment(context.Background(), c, o, nil, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// bothWays runs a test on an engine that uses the fused kernels where they can do the work, and on one that runs stage
// by stage.
func bothWays(t *testing.T, o Options, f func(t *testing.T, e *Engine)) {
	for _, stages := range []bool{false, true} {
		t.Run(map[bool]string{false: "fused", true: "stages"}[stages], func(t *testing.T) {
			o := o
			o.stages = stages
			f(t, open(t, "", o))
		})
	}
}

// Every width to two tiles and one at the smallest tile, under every option in turn, three times on one device, with
// other widths between.
func TestEngineAtEveryWidth(t *testing.T) {
	patterns := segmenttest.Patterns(7)
	bothWays(t, Options{small: true, Check: true}, func(t *testing.T, e *Engine) {
		var r segment.Result
		for turn := range 3 {
			for i := range 2*cuda.SmallSamples + 2 {
				width := i * 61 % (2*cuda.SmallSamples + 2) // a permutation, so that sizes alternate
				k := 0
				everyOption(func(o segment.Options) {
					p := patterns[(width+turn+k)%len(patterns)]
					if k++; (turn > 0 || testing.Short()) && k%8 != (width+turn)%8 {
						return
					}
					lines := 1 + width%3
					checkClasses(t, e, &r, p.Name, p.Make(lines*width), lines, width, o)
				})
			}
		}
	})
}

// Every pattern around the edges of tiles, at both tile sizes; at the shipped one 200 random widths beside.
func TestEngineOnEveryPattern(t *testing.T) {
	for _, tile := range []int{cuda.SmallSamples, cuda.TileSamples} {
		t.Run(fmt.Sprint(tile), func(t *testing.T) {
			bothWays(t, Options{small: tile == cuda.SmallSamples}, func(t *testing.T, e *Engine) {
				rng := rand.New(rand.NewPCG(2, uint64(tile)))
				widths, random := widthsAround(tile), 0
				if tile == cuda.TileSamples && !testing.Short() {
					random = 200
				}
				patterns := segmenttest.Patterns(11)
				var r segment.Result
				for i := range len(patterns)*len(widths) + random {
					p, width := patterns[i%len(patterns)], 1+rng.IntN(2*tile+1)
					if i < len(patterns)*len(widths) {
						width = widths[i/len(patterns)]
					}
					lines := 1 + i%4
					o := segment.Options{Edges: segment.Edges(i & 1), Compaction: segment.Compaction(i >> 1 & 1), Rejected: i&4 != 0, Masks: i&8 != 0}
					checkClasses(t, e, &r, p.Name, p.Make(lines*width), lines, width, o)
				}
			})
		})
	}
}

// A changed class must not go unseen by the comparisons of this package.
func TestEngineComparisonFindsFlips(t *testing.T) {
	bothWays(t, Options{small: true}, func(t *testing.T, e *Engine) {
		classes := segmenttest.Line(strings.Repeat(strings.Repeat("1020", 5)+"1", 4))
		o := segment.Options{Rejected: true, Masks: true}
		want := onCPU(t, classBand(classes, 4, 21), classThresholds(), o)
		for i := range classes {
			flipped := slices.Clone(classes)
			// A boundary, and an activation that is its span's only one, turned into other; other into boundary.
			flipped[i] = map[segment.Class]segment.Class{segment.Boundary: segment.Other, segment.Activation: segment.Other, segment.Other: segment.Boundary}[classes[i]]
			l := load(t, e, classBand(flipped, 4, 21))
			var r segment.Result
			if err := l.Segment(context.Background(), classThresholds(), o, nil, &r); err != nil {
				t.Fatal(err)
			}
			l.Release()
			if segmenttest.Diff(&r, want) == "" {
				t.Errorf("sample %d flipped is not noticed in the spans", i)
			}
			if r.Kept, r.Rejected, r.DroppedAtEdges = want.Kept, want.Rejected, want.DroppedAtEdges; diffResult(&r, want) == "" {
				t.Errorf("sample %d flipped is not noticed in the masks", i)
			}
		}
	})
}
