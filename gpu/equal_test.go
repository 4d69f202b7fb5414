//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
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

// Every width to two tiles and one at the smallest tile, under every option in turn, three times on one device, with
// other widths between.
func TestEngineAtEveryWidth(t *testing.T) {
	e := checked(t)
	var r segment.Result
	patterns := segmenttest.Patterns(7)
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
}

// Every pattern around the edges of tiles, at both tile sizes.
func TestEngineOnEveryPattern(t *testing.T) {
	for _, tile := range []int{cuda.SmallSamples, cuda.TileSamples} {
		t.Run(fmt.Sprint(tile), func(t *testing.T) {
			e := open(t, "", Options{small: tile == cuda.SmallSamples})
			var r segment.Result
			for i, p := range segmenttest.Patterns(11) {
				for j, width := range widthsAround(tile) {
					lines := 1 + (i+j)%4
					o := segment.Options{Edges: segment.Edges(i & 1), Compaction: segment.Compaction(j & 1), Rejected: (i+j)&2 != 0, Masks: j&2 != 0}
					checkClasses(t, e, &r, p.Name, p.Make(lines*width), lines, width, o)
				}
			}
		})
	}
}
