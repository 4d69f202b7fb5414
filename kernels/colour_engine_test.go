package kernels

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"segscan/segment"
)

// TestColourEngine: classes and segments do not depend on workers and tiles, along lines longer than a tile as along short
// ones, and are those of Classify alone.
func TestColourEngine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 71))
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		for _, size := range [][2]int{{1, 600_001}, {300, 777}} {
			if testing.Short() && (typ == segment.U16 || (typ == segment.F32) != (size[0] == 1)) {
				continue // half a million colours are slow under the race detector
			}
			b := colourBand(typ, size[0], size[1], true)
			if typ == segment.F32 {
				for range 50 {
					b.V.F32[rng.IntN(len(b.V.F32))] = float32(math.NaN())
				}
			}
			for _, text := range []string{
				"color:space=rgb,activation=r:60%..+g:..40%,white=1",
				"color:space=hsv,activation=h:300..60+s:40%..,boundary=s:..15%",
				"color:space=lab,activation=a:20..,boundary=a:..-20",
				"distance:to=#d62728,near=40,far=60,metric=ciede2000",
			} {
				if typ != segment.F32 && text[12:15] == "rgb" {
					text = text[:len(text)-len(",white=1")]
				}
				spec, err := Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				c, _, err := spec.Bind(b.Page, nil, Options{Invert: size[0] == 1, NaN: segment.Boundary})
				if err != nil {
					t.Fatal(err)
				}
				var want segment.Masks
				if err := c.Classify(b, &want); err != nil {
					t.Fatal(err)
				}
				var first segment.Result
				for _, workers := range []int{1, 3} {
					e := segment.NewCPU(workers)
					l, err := e.Load(context.Background(), b)
					if err != nil {
						t.Fatal(err)
					}
					var r segment.Result
					if err := l.Segment(context.Background(), c, segment.Options{Masks: true}, nil, &r); err != nil {
						t.Fatal(err)
					}
					name := fmt.Sprintf("%s, %s, %v, %d workers", text, typ, size, workers)
					if !slices.Equal(r.Masks.B, want.B) || !slices.Equal(r.Masks.A, want.A) {
						t.Errorf("%s: other classes than Classify's", name)
					}
					if workers == 1 {
						first = r
					} else if !slices.Equal(r.Kept.Bounds, first.Kept.Bounds) {
						t.Errorf("%s: other segments than one worker's", name)
					}
					if len(r.Kept.Bounds) < 10 {
						t.Errorf("%s: only %d segments", name, len(r.Kept.Bounds))
					}
					l.Release()
					if err := e.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}

// FuzzColour asks whatever is a spec of any colour.
func FuzzColour(f *testing.F) {
	f.Add("color:space=hsv,activation=h:350..20+s:40%..,boundary=s:..15%", uint32(0xd62728), uint8(0))
	f.Add("color:space=lab,activation=l:30..80+a:20..", uint32(0x00ff00), uint8(1))
	f.Add("color:space=rgb,boundary=r:50%..200;g:3", uint32(0x808080), uint8(0))
	f.Add("distance:to=#fff,near=3,far=90,metric=ciede2000", uint32(0xfffffe), uint8(2))
	f.Add("distance:to=123456,near=0,white=0.5", uint32(0), uint8(2))
	f.Fuzz(func(t *testing.T, text string, colour uint32, kind uint8) {
		spec, err := Parse(text)
		if err != nil || !ColoursOnly(spec) {
			return
		}
		again, err := Parse(spec.String())
		if err != nil || again.String() != spec.String() {
			t.Fatalf("%q is %q, which reads back as %v (%v)", text, spec, again, err)
		}
		typ := segment.SampleType(kind % 3)
		b := colourBand(typ, 1, 3, true)
		for i := range 3 {
			setSample(b.C[i], 1, float64(colour>>(16-8*i)&255)*[]float64{1, 257, 1. / 255}[typ])
		}
		c, _, err := spec.Bind(b.Page, nil, Options{})
		if err != nil {
			return
		}
		var m, n segment.Masks
		if err := c.Classify(b, &m); err != nil {
			t.Fatal(err)
		}
		if c, _, err = again.Bind(b.Page, nil, Options{Invert: true}); err != nil {
			t.Fatal(err)
		}
		if err := c.Classify(b, &n); err != nil {
			t.Fatal(err)
		}
		if m.A[0] != n.B[0] || m.B[0] != n.A[0] || m.A[0]&m.B[0] != 0 || (m.A[0]|m.B[0])>>3 != 0 {
			t.Fatalf("%q: %b %b, inverted %b %b", text, m.B[0], m.A[0], n.B[0], n.A[0])
		}
		if q, ok := c.(*colourClassifier); ok {
			for k, got := range m.Classes() {
				if want := q.rule.class(sampleOf(&b, &b.C[0], 0, k), sampleOf(&b, &b.C[1], 0, k), sampleOf(&b, &b.C[2], 0, k)); got != want {
					t.Fatalf("%q: colour %d is %d, want %d", text, k, got, want)
				}
			}
		}
	})
}
