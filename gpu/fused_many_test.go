//go:build linux && !nogpu

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"segscan/segment"
)

// manyBands are bands of one sample type and of very different sizes, from one sample to several tiles; some in memory
// that the device copies from, some with their lines apart.
func manyBands(e *Engine, rng *rand.Rand, t segment.SampleType, n int) (bands []segment.Band, release func()) {
	var releases []func()
	for i := range n {
		width := 1 + rng.IntN([]int{3, 40, 600, 9000}[rng.IntN(4)])
		lines := 1 + rng.IntN(1+[]int{300, 6000}[rng.IntN(2)]/width)
		p := plane(t, lines, width, width+rng.IntN(1+rng.IntN(9)), []int{3, 20, 300}[rng.IntN(3)], uint64(rng.IntN(1000)))
		if rng.IntN(2) == 0 {
			pinned, r := pinnedPlane(e, t, lines, width, p.Stride)
			copy(pinned.U8, p.U8)
			copy(pinned.U16, p.U16)
			copy(pinned.F32, p.F32)
			p, releases = pinned, append(releases, r)
		}
		if i%5 == 4 && p.Lines > 2 && p.Samples > 2 { // part of a larger plane
			p = p.Sub(1, 1, p.Lines-2, p.Samples-2)
		}
		bands = append(bands, bandOf(p))
	}
	return bands, func() {
		for _, r := range releases {
			r()
		}
	}
}

// diffMany segments bands together and says how the results differ from the CPU engine's.
func diffMany(t *testing.T, bands []segment.Band, c segment.Classifier, o segment.Options, run func(results []segment.Result) error) string {
	t.Helper()
	results := make([]segment.Result, len(bands))
	if err := run(results); err != nil {
		return err.Error()
	}
	for i, b := range bands {
		if d := diffResult(&results[i], onCPU(t, b, c, o)); d != "" {
			return fmt.Sprintf("band %d of %d, %d x %d (%d), %+v: %s", i, len(bands), b.Lines, b.Samples, b.V.Stride, o, d)
		}
	}
	return ""
}

// Bands of every size in one launch, in every form of classifier, are each what the CPU engine makes of it alone.
func TestManyTogether(t *testing.T) {
	for _, warps := range []uint32{1, 3} {
		t.Run(fmt.Sprint(warps), func(t *testing.T) {
			e := open(t, "", Options{warps: warps, Check: warps == 1, spans: 1e-9})
			rng := rand.New(rand.NewPCG(21, uint64(warps)))
			for try := range 60 {
				if testing.Short() && try%4 != 0 {
					continue
				}
				typ := sampleTypes[try%3]
				bands, release := manyBands(e, rng, typ, 1+rng.IntN([]int{3, 70}[try%2]))
				c := fusedClassifier(rng, typ, 1)
				o := segment.Options{Edges: segment.Edges(try & 1), Rejected: try&2 != 0}
				m, err := e.LoadMany(context.Background(), bands)
				if err != nil {
					t.Fatal(err)
				}
				d := diffMany(t, bands, c, o, func(results []segment.Result) error { return m.Segment(context.Background(), c, o, results) })
				m.Release()
				release()
				if d != "" {
					t.Fatalf("%v, %T: %s", typ, c, d)
				}
			}
		})
	}
}

// More images than one search step tells apart, and more than two.
func TestManyImagesAreFound(t *testing.T) {
	e := open(t, "", Options{warps: 2})
	for _, n := range []int{1, 31, 32, 33, 1024, 1025} {
		rng := rand.New(rand.NewPCG(5, uint64(n)))
		bands := make([]segment.Band, n)
		for i := range bands {
			bands[i] = bandOf(plane(segment.U8, 1+rng.IntN(3), 1+rng.IntN(30), 40, 4, uint64(i)))
		}
		c, o := sparse(segment.U8), segment.Options{Edges: segment.Edges(n & 1)}
		d := diffMany(t, bands, c, o, func(results []segment.Result) error {
			return e.SegmentMany(context.Background(), bands, c, o, results)
		})
		if d != "" {
			t.Errorf("%d images: %s", n, d)
		}
	}
}

// What is not for one launch is done one by one: masks, other classifiers, bounds of lines, other types and empty bands
// among the rest.
func TestSegmentManyOfAnything(t *testing.T) {
	for text, target := range fusedTargets {
		t.Run(text, func(t *testing.T) {
			e := open(t, "", Options{PTXTarget: target, warps: 2})
			rng := rand.New(rand.NewPCG(6, 6))
			var bands []segment.Band
			for i := range 9 {
				more, release := manyBands(e, rng, sampleTypes[i/3], 1+i%3)
				defer release()
				bands = append(bands, more...)
			}
			bands = append(bands, segment.Band{Page: &segment.PageInfo{}}, bands[0])
			for i, c := range []segment.Classifier{
				segment.Thresholds{Lo: []float64{40}, Hi: []float64{200}},
				others{c: segment.Thresholds{Lo: []float64{40}, Hi: []float64{200}}},
			} {
				for _, o := range []segment.Options{{}, {Masks: true}, {Compaction: segment.MultiPass, Edges: segment.EdgesKeep}} {
					d := diffMany(t, bands, c, o, func(results []segment.Result) error {
						return e.SegmentMany(context.Background(), bands, c, o, results)
					})
					if d != "" {
						t.Errorf("classifier %d: %s", i, d)
					}
				}
			}
		})
	}
}

func TestManyThatCannotBe(t *testing.T) {
	e := checked(t)
	ctx := context.Background()
	one := bandOf(plane(segment.U8, 3, 50, 50, 9, 1))
	for name, bands := range map[string][]segment.Band{
		"none":      nil,
		"empty":     {one, {Page: &segment.PageInfo{}}},
		"two types": {one, bandOf(plane(segment.U16, 3, 50, 50, 9, 1))},
	} {
		if m, err := e.LoadMany(ctx, bands); !errors.Is(err, errMany) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	m, err := e.LoadMany(ctx, []segment.Band{one, one})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Segment(ctx, sparse(segment.U8), segment.Options{}, make([]segment.Result, 1)); err == nil {
		t.Error("one result for two bands is taken")
	}
	if err := m.Segment(ctx, sparse(segment.U8), segment.Options{Masks: true}, make([]segment.Result, 2)); !errors.Is(err, errMany) {
		t.Errorf("masks: %v", err)
	}
	m.Release()
	if err := m.Segment(ctx, sparse(segment.U8), segment.Options{}, make([]segment.Result, 2)); !errors.Is(err, errReleased) {
		t.Errorf("released: %v", err)
	}
}
