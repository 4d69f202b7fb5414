package segment_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	. "segscan/segment"
	"segscan/segment/segmenttest"
)

// testEngine is an engine under test.
type testEngine struct {
	workers, tile, chunk int
	Engine
}

func (e testEngine) String() string {
	return fmt.Sprintf("%d workers, tile %d, chunk %d", e.workers, e.tile, e.chunk)
}

// testEngines cross tiles and chunks on bands of a few hundred samples; the last is the shipped one.
func testEngines() (e []testEngine) {
	for _, c := range []testEngine{{1, 64, 64, nil}, {2, 64, 64, nil}, {3, 192, 64, nil}, {8, 128, 128, nil}, {1, 1 << 18, 128, nil}} {
		c.Engine = NewTestCPU(c.workers, c.tile, c.chunk)
		e = append(e, c)
	}
	return append(e, testEngine{2, 0, 0, NewCPU(2)})
}

// Thresholds of test samples: what is at most 100 is a boundary, what is at least 200 an activation.
var testThresholds = Thresholds{Lo: []float64{100}, Hi: []float64{200}}

// bandOf makes a band whose samples have the given classes under testThresholds, drawn at random from all that have:
// in a plane with a halo of other samples around it and a stride larger than a line, so that nothing outside the
// body may enter the result.
func bandOf(rng *rand.Rand, t SampleType, classes []Class, lines, width int) Band {
	b := Band{Line0: 5, Lines: lines, Samples: width, Before: Halo{1, 3}, After: Halo{1, 2}}
	v := NewPlane(t, lines+2, width+9)
	v.Samples = width + 5
	set := func(at, value int) {
		switch t {
		case U8:
			v.U8[at] = uint8(value)
		case U16:
			v.U16[at] = uint16(value)
		default:
			v.F32[at] = float32(value)
		}
	}
	for i := range (lines + 2) * v.Stride {
		set(i, 200*rng.IntN(2)) // outside: only boundaries and activations
	}
	for l := range lines {
		for s := range width {
			var value int
			switch classes[l*width+s] {
			case Boundary:
				value = rng.IntN(101)
			case Activation:
				value = 200 + rng.IntN(56)
				if t == U16 && rng.IntN(2) == 0 {
					value = 200 + rng.IntN(65336)
				}
			default:
				value = 101 + rng.IntN(99)
			}
			set((1+l)*v.Stride+3+s, value)
		}
	}
	b.V = v
	return b
}

func load(t testing.TB, e Engine, b Band) Loaded {
	t.Helper()
	l, err := e.Load(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Release)
	return l
}

// plainClassifier is a classifier that the engine does not know: it compares sample by sample, refuses to be called
// without the halo it asks for, and leaves rubbish after the line end.
type plainClassifier struct{ halo int }

func (p plainClassifier) Needs() Needs { return Needs{HaloLines: p.halo} }

func (p plainClassifier) Classify(b Band, out *Masks) error {
	if b.Before.Lines < p.halo || b.After.Lines < p.halo {
		return fmt.Errorf("%d and %d lines of halo, want %d", b.Before.Lines, b.After.Lines, p.halo)
	}
	if want := b.Before.Lines + b.Lines + b.After.Lines; b.V.Lines != want {
		return fmt.Errorf("a plane of %d lines, want %d", b.V.Lines, want)
	}
	out.Resize(b.Lines, b.Samples)
	for l := range b.Lines {
		wb, wa := out.Line(l)
		for i := range wb {
			wb[i], wa[i] = 0, 0
		}
		for s := range 64 * len(wb) {
			value := 0.
			if at := (b.Before.Lines+l)*b.V.Stride + b.Before.Samples + s; s < b.Samples {
				switch b.V.Type() {
				case U8:
					value = float64(b.V.U8[at])
				case U16:
					value = float64(b.V.U16[at])
				default:
					value = float64(b.V.F32[at])
				}
			}
			if value <= 100 {
				wb[s/64] |= 1 << (s % 64)
			}
			if value <= 100 && s%3 == 0 || value >= 200 { // a boundary may be claimed twice: it is one
				wa[s/64] |= 1 << (s % 64)
			}
		}
	}
	return nil
}

// classifiersFor gives every way to say testThresholds to the engine.
func classifiersFor(t SampleType) map[string]Classifier { return allClassifiers()[t] }

var allClassifiers = sync.OnceValue(func() (all [3]map[string]Classifier) {
	for t := range all {
		all[t] = makeClassifiers(SampleType(t))
	}
	return all
})

func makeClassifiers(t SampleType) map[string]Classifier {
	c := map[string]Classifier{
		"thresholds": testThresholds,
		"pointer":    &testThresholds,
		"per line":   Thresholds{Lo: slices.Repeat([]float64{100}, 40), Hi: []float64{200}},
		"plain":      plainClassifier{},
		"plain halo": plainClassifier{halo: 1},
	}
	if n := map[SampleType]int{U8: 256, U16: 65536}[t]; n > 0 {
		of := make([]Class, n)
		for v := range of {
			switch {
			case v <= 100:
				of[v] = Boundary
			case v >= 200:
				of[v] = Activation
			}
		}
		c["table"] = Table{of}
		c["table pointer"] = &Table{of}
	}
	return c
}

// wanted gives the oracle's result for the edge rule and rejected spans of o, and finds each once.
func wanted(classes []Class, lines, width int) func(o Options) *Result {
	var known [2][2]*Result
	return func(o Options) *Result {
		r := &known[o.Edges][0]
		if o.Rejected {
			r = &known[o.Edges][1]
		}
		if *r == nil {
			*r = SequentialBand(classes, lines, width, o)
		}
		return *r
	}
}

// checkEngine compares an engine with the oracle on one band for all sample types and options, with one classifier
// for each; r is reused.
func checkEngine(t *testing.T, e testEngine, r *Result, name string, classes []Class, lines, width int, all bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, uint64(len(classes))))
	want := wanted(classes, lines, width)
	for _, typ := range []SampleType{U8, U16, F32} {
		loaded := load(t, e, bandOf(rng, typ, classes, lines, width))
		classifiers := classifiersFor(typ)
		if !all {
			classifiers = map[string]Classifier{"thresholds": testThresholds}
		}
		for how, c := range classifiers {
			everyOption(func(o Options) {
				for _, o.Masks = range []bool{false, true} {
					if err := loaded.Segment(context.Background(), c, o, nil, r); err != nil {
						t.Fatalf("%s, %s, %s, %s: %v", name, e, typ, how, err)
					}
					d := segmenttest.Diff(r, want(o))
					if o.Masks && d == "" {
						d = masksDiff(r.Masks, classes, lines, width)
					} else if r.Masks != nil && !o.Masks {
						d = "masks nobody asked for"
					}
					if d != "" {
						t.Fatalf("%s, %s, %s, %s, %d x %d, %+v: %s", name, e, typ, how, lines, width, o, d)
					}
				}
			})
		}
	}
}

// masksDiff says where masks differ from those of classes, the bits after line ends included.
func masksDiff(got *Masks, classes []Class, lines, width int) string {
	if got == nil {
		return "no masks"
	}
	want := segmenttest.Masks(classes, lines, width)
	if got.Lines != lines || got.Samples != width || got.Words != want.Words {
		return fmt.Sprintf("masks of %d x %d", got.Lines, got.Samples)
	}
	for i := range want.B {
		if got.B[i] != want.B[i] || got.A[i] != want.A[i] {
			return fmt.Sprintf("word %d of line %d: B %x A %x, want B %x A %x", i%want.Words, i/want.Words, got.B[i], got.A[i], want.B[i], want.A[i])
		}
	}
	if len(got.B) != len(want.B) || len(got.A) != len(want.A) {
		return "masks of another length"
	}
	return ""
}
