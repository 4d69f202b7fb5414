package kernels

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

// TestLocalIgnoresCuts checks that neither bands nor regions nor the strips inside change a single class: on random
// floats, where another order of sums would.
func TestLocalIgnoresCuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for _, k := range []string{"localmean", "niblack", "sauvola", "phansalkar", "bernsen", "contrast", "wolf", "localgaussian", "localmedian"} {
		for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
			p := newTestPage(rng, typ, 90, 80)
			c := p.bind(t, k+":window=13x7", Options{})
			for _, a := range []segment.Axis{segment.Rows, segment.Cols} {
				want := p.classes(t, c, a, 100)
				for _, step := range []int{1, 2, 7, 13, 33} {
					if got := p.classes(t, c, a, step); !slices.Equal(got, want) {
						t.Fatalf("%s, %s, axis %d: bands of %d lines change the result", k, typ, a, step)
					}
				}
				for range 20 {
					l0, s0 := rng.IntN(40), rng.IntN(40)
					b := p.band(a, c.Needs(), l0, l0+1+rng.IntN(40), s0, s0+1+rng.IntN(40))
					var m segment.Masks
					if err := c.Classify(b, &m); err != nil {
						t.Fatal(err)
					}
					for i, class := range m.Classes() {
						x, y := s0+i%b.Samples, l0+i/b.Samples
						if a == segment.Cols {
							x, y = y, x
						}
						if want[y*p.w+x] != class {
							t.Fatalf("%s, %s, axis %d: a region of %d x %d from %d, %d changes pixel %d,%d", k, typ, a, b.Lines, b.Samples, l0, s0, x, y)
						}
					}
				}
			}
		}
	}
}

// TestLocalIgnoresStrips is the same for lines that are worked on in several strips, which begin with the body, on integers
// as well, and for blocks of lines that end in others.
func TestLocalIgnoresStrips(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	tall := newTestPage(rng, segment.F32, 700, 650)
	compareStrips(t, tall, "niblack:window=5x601", 310, 330, 77, 690)
	for _, k := range localKernels() {
		for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
			p := newTestPage(rng, typ, 1900, 20)
			compareStrips(t, p, k.info.Name+":window=5x9", 3, 17, 77, 1890)
		}
	}
	// Medians of wider samples work on 256 lines at once.
	compareStrips(t, newTestPage(rng, segment.U16, 90, 600), "localmedian:window=5x9", 100, 590, 7, 90)
}

// compareStrips classifies lines l0 to l1-1 and samples s0 to s1-1 of a page on their own and with the rest.
func compareStrips(t *testing.T, p *testPage, spec string, l0, l1, s0, s1 int) {
	t.Helper()
	c := p.bindTo(t, spec)
	want := p.classes(t, c, segment.Rows, p.h)
	b := p.band(segment.Rows, c.Needs(), l0, l1, s0, s1)
	var m segment.Masks
	if err := c.Classify(b, &m); err != nil {
		t.Fatal(err)
	}
	for i, class := range m.Classes() {
		if x, y := s0+i%b.Samples, l0+i/b.Samples; want[y*p.w+x] != class {
			t.Fatalf("%s, %s: another strip changes pixel %d,%d", spec, p.info.Type, x, y)
		}
	}
}

// TestLocalRefusesShortHalos checks that a window never sees less than it should in silence.
func TestLocalRefusesShortHalos(t *testing.T) {
	p := newTestPage(rand.New(rand.NewPCG(7, 4)), segment.U8, 20, 20)
	c := p.bind(t, "niblack:window=5", Options{})
	var m segment.Masks
	for _, n := range []segment.Needs{{HaloLines: 1, HaloSamples: 2}, {HaloLines: 2, HaloSamples: 1}} {
		b := p.band(segment.Rows, n, 5, 10, 5, 10)
		if err := c.Classify(b, &m); err == nil || !strings.Contains(err.Error(), "window of 5 x 5 sees beyond") {
			t.Errorf("%+v: %v", n, err)
		}
	}
	b := p.band(segment.Rows, c.Needs(), 5, 10, 5, 10)
	b.Page = nil
	if err := c.Classify(b, &m); err == nil {
		t.Error("a band of no page was classified")
	}
}

// TestLocalIgnoresWorkers segments a page on engines that share its lines out in different ways.
func TestLocalIgnoresWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 5))
	p := newTestPage(rng, segment.F32, 3000, 400)
	c := p.bind(t, "sauvola:window=9x5", Options{})
	want := p.classes(t, c, segment.Rows, 400)
	b := p.band(segment.Rows, c.Needs(), 0, 400, 0, 3000)
	for _, workers := range []int{1, 2, 5} {
		l, err := segment.NewCPU(workers).Load(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		var r segment.Result
		if err := l.Segment(t.Context(), c, segment.Options{Masks: true}, nil, &r); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Masks.Classes(), want) || len(r.Kept.Bounds) == 0 {
			t.Errorf("%d workers change the result", workers)
		}
		l.Release()
	}
}
