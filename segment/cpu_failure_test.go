package segment_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	. "segscan/segment"
	"segscan/segment/segmenttest"
)

type funcClassifier func(b Band, out *Masks) error

func (f funcClassifier) Needs() Needs                      { return Needs{} }
func (f funcClassifier) Classify(b Band, out *Masks) error { return f(b, out) }

// Errors and panics of a classifier, in whole-line tiles and in long lines, come back as errors and leave the engine
// fit for use.
func TestEngineSurvivesClassifiers(t *testing.T) {
	broken := errors.New("broken")
	for name, f := range map[string]funcClassifier{
		"error": func(Band, *Masks) error { return broken },
		"panic": func(Band, *Masks) error { panic(broken) },
	} {
		for _, e := range testEngines() {
			for _, size := range [][2]int{{50, 20}, {3, 1000}} {
				l := load(t, e, bandOf(rand.New(rand.NewPCG(1, 1)), U8, make([]Class, size[0]*size[1]), size[0], size[1]))
				var r Result
				err := l.Segment(context.Background(), f, Options{}, nil, &r)
				if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "segment: ") {
					t.Fatalf("%s, %s: got error %v", name, e, err)
				}
				var p *PanicError
				if errors.As(err, &p) != (name == "panic") {
					t.Fatalf("%s: panic reported as %T", name, err)
				}
				if err := l.Segment(context.Background(), testThresholds, Options{}, nil, &r); err != nil {
					t.Fatalf("after that: %v", err)
				}
			}
		}
	}
}

func TestEngineRefusesWrongMasks(t *testing.T) {
	l := load(t, NewTestCPU(1, 64, 64), bandOf(rand.New(rand.NewPCG(1, 1)), U8, make([]Class, 200), 2, 100))
	err := l.Segment(context.Background(), funcClassifier(func(b Band, out *Masks) error {
		out.Resize(b.Lines, b.Samples+1)
		return nil
	}), Options{}, nil, new(Result))
	if err == nil || !strings.Contains(err.Error(), "gave masks of") {
		t.Fatalf("got error %v", err)
	}
}

// A panic in the middle of a long line, while later tiles wait for that one's state, must end the call.
func TestEngineSurvivesPanicInsideLongLine(t *testing.T) {
	for _, form := range []Compaction{SinglePass, MultiPass} {
		for _, at := range []int{0, 1, 64, 1000, 2999} {
			l := load(t, NewTestCPU(3, 64, 64), bandOf(rand.New(rand.NewPCG(1, 1)), U8, make([]Class, 3000), 1, 3000))
			TruncateBody(l, at)
			done := make(chan error, 1)
			go func() {
				done <- l.Segment(context.Background(), testThresholds, Options{Compaction: form}, nil, new(Result))
			}()
			select {
			case err := <-done:
				var p *PanicError
				if !errors.As(err, &p) {
					t.Fatalf("got error %v", err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("hangs")
			}
		}
	}
}

func TestEngineCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := bandOf(rand.New(rand.NewPCG(1, 1)), F32, make([]Class, 1000), 10, 100)
	if _, err := NewCPU(2).Load(ctx, b); !errors.Is(err, context.Canceled) {
		t.Errorf("load: %v", err)
	}
	l := load(t, NewTestCPU(2, 64, 64), b)
	m := segmenttest.Masks(make([]Class, 1000), 10, 100)
	s := Spans{Bounds: []Bound{{0, 5}}, First: []int64{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}
	for what, err := range map[string]error{
		"segment":   l.Segment(ctx, testThresholds, Options{}, nil, new(Result)),
		"histogram": l.Histogram(ctx, false, make([]Histogram, 1)),
		"measure":   l.Measure(ctx, s, m, make([]Stat, 1)),
	} {
		if err != context.Canceled {
			t.Errorf("%s: %v", what, err)
		}
	}
	// In the middle: the classifier of the first tiles cancels, the rest must not run.
	for _, e := range testEngines()[:4] {
		ctx, cancel := context.WithCancel(context.Background())
		var mu sync.Mutex
		calls := 0
		b := bandOf(rand.New(rand.NewPCG(1, 1)), U8, make([]Class, 64000), 1000, 64)
		err := load(t, e, b).Segment(ctx, funcClassifier(func(b Band, out *Masks) error {
			mu.Lock()
			defer mu.Unlock()
			calls++
			cancel()
			out.Resize(b.Lines, b.Samples)
			return nil
		}), Options{}, nil, new(Result))
		if err != context.Canceled || calls > e.workers {
			t.Errorf("%s: error %v after %d calls", e, err, calls)
		}
	}
}

func TestEngineRefusesBands(t *testing.T) {
	v := NewPlane(U8, 4, 10)
	for _, c := range []struct {
		b    Band
		want string
	}{
		{Band{Lines: 5, Samples: 10, V: v}, "do not fit a plane of 4 x 10"},
		{Band{Lines: 4, Samples: 10, After: Halo{Samples: 1}, V: v}, "do not fit"},
		{Band{Lines: 3, Samples: 10, Before: Halo{Lines: 2}, V: v}, "do not fit"},
		{Band{Lines: -1, Samples: 10, V: v}, "a negative size"},
		{Band{Lines: 1, Samples: 1 << 32, V: v}, "lines of 4294967296 samples"},
		{Band{Lines: 4, Samples: 10, V: Plane{U8: v.U8[:39], Lines: 4, Samples: 10, Stride: 10}}, "a plane of 39 samples where 40 are needed"},
		{Band{Lines: 4, Samples: 10, V: Plane{U8: v.U8, Lines: 4, Samples: 10, Stride: 9}}, "with stride 9"},
	} {
		if _, err := NewCPU(1).Load(context.Background(), c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want %q", err, c.want)
		}
	}
	l := load(t, NewCPU(1), Band{Lines: 4, Samples: 10, V: v})
	if err := l.Segment(context.Background(), testThresholds, Options{}, &Carry{}, new(Result)); err == nil || !strings.Contains(err.Error(), "piece of one line, the band has 4") {
		t.Errorf("got error %v", err)
	}
	l.Release()
	if err := l.Segment(context.Background(), testThresholds, Options{}, nil, new(Result)); err == nil || !strings.Contains(err.Error(), "released") {
		t.Errorf("got error %v", err)
	}
}

// doubled is a filter that makes a plane of its own with halo; it halves the lines if told to.
type doubled struct{ lose int }

func (doubled) Needs() Needs { return Needs{HaloSamples: 1} }

func (d doubled) Apply(in Band, out *Band) error {
	body := in.Body()
	*out = in
	out.Before, out.After, out.Lines = Halo{}, Halo{}, in.Lines-d.lose
	out.V = NewPlane(F32, in.Lines, in.Samples)
	for l := range in.Lines {
		for s := range in.Samples {
			out.V.F32[l*in.Samples+s] = 2 * float32(body.U8[l*body.Stride+s])
		}
	}
	return nil
}

func TestEngineFilter(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	classes := segmenttest.Random(rng, 5*77, 0.2, 0.3)
	l := load(t, NewCPU(2), bandOf(rng, U8, classes, 5, 77))
	f, err := l.Filter(context.Background(), doubled{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Release()
	var r Result
	if err := f.Segment(context.Background(), Thresholds{Lo: []float64{200}, Hi: []float64{400}}, Options{}, nil, &r); err != nil {
		t.Fatal(err)
	}
	if d := segmenttest.Diff(&r, SequentialBand(classes, 5, 77, Options{})); d != "" {
		t.Fatal(d)
	}
	if _, err := l.Filter(context.Background(), doubled{lose: 1}); err == nil || !strings.Contains(err.Error(), "made a body of 4 x 77") {
		t.Errorf("got error %v", err)
	}
}

func TestEngineIsSafeForConcurrentUse(t *testing.T) {
	e := NewTestCPU(3, 128, 64)
	var all sync.WaitGroup
	errs := make(chan error, 8)
	for g := range 8 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(15, uint64(g)))
			var r Result
			for i := range 20 {
				lines, width := 1+rng.IntN(6), rng.IntN(700)
				classes := segmenttest.Random(rng, lines*width, 0.1, 0.1)
				l, err := e.Load(context.Background(), bandOf(rng, SampleType(i%3), classes, lines, width))
				o := Options{Edges: Edges(g & 1), Rejected: g&2 != 0, Masks: g&4 != 0}
				if err == nil {
					err = l.Segment(context.Background(), testThresholds, o, nil, &r)
				}
				if err == nil {
					if d := segmenttest.Diff(&r, SequentialBand(classes, lines, width, o)); d != "" {
						err = errors.New(d)
					}
				}
				if err != nil {
					errs <- fmt.Errorf("goroutine %d: %w", g, err)
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

// Ten times the lines must not need more allocations, once the result has its memory.
func TestEngineDoesNotAllocateByLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	e := NewCPU(1)
	allocs := func(lines int) float64 {
		classes := segmenttest.Random(rng, lines*100, 0.01, 0.1)
		l := load(t, e, bandOf(rng, U8, classes, lines, 100))
		var r Result
		return testing.AllocsPerRun(5, func() {
			if err := l.Segment(context.Background(), testThresholds, Options{Edges: EdgesKeep, Masks: true}, nil, &r); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(100), allocs(1000); many > few+30 {
		t.Errorf("%v allocations for 100 lines, %v for 1000", few, many)
	}
}
