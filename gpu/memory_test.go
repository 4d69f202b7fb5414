//go:build linux && !nogpu

package gpu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"segscan/segment"
	"segscan/segment/segmenttest"
)

// Device memory from ample to so little that the band does not stay there and each pass takes some lines at a time:
// the results are the same.
func TestEngineInLittleMemory(t *testing.T) {
	little := map[segment.SampleType]uint64{segment.U8: 660_000, segment.U16: 1_148_000, segment.F32: 1_400_000}
	for _, typ := range sampleTypes {
		for _, memory := range []uint64{64 << 20, little[typ]} {
			t.Run(fmt.Sprint(typ, "/", memory), func(t *testing.T) {
				e := open(t, "", Options{Memory: memory})
				b := bandOf(plane(typ, 14, 24_001, 24_100, 200, memory))
				for i, c := range []segment.Classifier{sparse(typ), classifiersOf(typ, 14)["per line"], others{c: sparse(typ)}} {
					o := segment.Options{Edges: segment.Edges(i & 1), Compaction: segment.Compaction(i >> 1), Rejected: true, Masks: true}
					checkSegments(t, e, fmt.Sprint(memory, " bytes"), b, c, o)
				}
				var h [2]segment.Histogram
				for i, e := range []segment.Engine{e, segment.NewCPU(1)} {
					l := load(t, e, b)
					if err := l.Histogram(context.Background(), false, h[i:i+1]); err != nil {
						t.Fatal(err)
					}
					if own, ok := l.(*loaded); ok && (own.samples.ptr != 0) != (memory == 64<<20) {
						t.Errorf("on the device: %v", own.samples.ptr != 0)
					}
					l.Release()
				}
				if d := diffHistograms(h[:1], h[1:]); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// The steps really are some lines at a time, and the band really does not stay.
func TestLittleMemoryMeansSteps(t *testing.T) {
	for _, c := range []struct {
		memory   uint64
		least    int
		most     int
		resident bool
	}{{64 << 20, 1, 1, true}, {500_000, 10, 300, false}} {
		t.Run(fmt.Sprint(c.memory), func(t *testing.T) {
			n := 0
			e := open(t, "", Options{Memory: c.memory, trace: func(stage string, _ []byte) {
				if stage == "scan" {
					n++
				}
			}})
			l := load(t, e, bandOf(plane(segment.U8, 300, 1000, 1000, 30, 1)))
			defer l.Release()
			if err := l.Segment(context.Background(), sparse(segment.U8), segment.Options{}, nil, new(segment.Result)); err != nil {
				t.Fatal(err)
			}
			if stays := l.(*loaded).samples.ptr != 0; n < c.least || n > c.most || stays != c.resident {
				t.Errorf("%d steps, on the device %v; want %d to %d, %v", n, stays, c.least, c.most, c.resident)
			}
		})
	}
}

// Memory for not even one line is an error with the numbers.
func TestOneLineTooLong(t *testing.T) {
	e := open(t, "", Options{Memory: 100_000, stages: true})
	l := load(t, e, bandOf(plane(segment.U8, 2, 30_000, 30_000, 7, 1)))
	defer l.Release()
	err := l.Segment(context.Background(), sparse(segment.U8), segment.Options{}, nil, new(segment.Result))
	var m *MemoryError
	if !errors.As(err, &m) || !errors.Is(err, ErrOutOfMemory) {
		t.Fatalf("got %v", err)
	}
	// Nine bytes a sample for pairs and marks alone; half of the memory is for work in hand.
	if m.Needed < 9*30_000 || m.Free > 50_000 || !strings.Contains(m.Error(), "one line of 30000 samples") {
		t.Errorf("got %+v: %v", m, err)
	}
	if m.Hint() == "" {
		t.Error("no remedy")
	}
	// Less is possible still.
	checkClasses(t, e, new(segment.Result), "small", segmenttest.Line("0101 2010"), 2, 4, segment.Options{})
}

// More segments than there was room for: the step is done again with more, nothing is cut off, and the next band has
// room at once.
func TestMoreSegmentsThanPlanned(t *testing.T) {
	for _, form := range []segment.Compaction{segment.SinglePass, segment.MultiPass} {
		t.Run(fmt.Sprint(form), func(t *testing.T) {
			runs := 0
			e := open(t, "", Options{Check: true, trace: func(stage string, _ []byte) {
				if stage == "scan" {
					runs++
				}
			}})
			const lines, width = 5, 3001
			patterns := map[string]segmenttest.Pattern{}
			for _, p := range segmenttest.Patterns(1) {
				patterns[p.Name] = p
			}
			var r segment.Result
			for turn, name := range []string{"densest", "densest", "kept and rejected", "all other"} {
				runs = 0
				o := segment.Options{Edges: segment.EdgesKeep, Compaction: form, Rejected: true}
				checkClasses(t, e, &r, name, patterns[name].Make(lines*width), lines, width, o)
				if want := []int{2, 1, 1, 1}[turn]; runs != want {
					t.Errorf("%s (band %d): %d runs, want %d", name, turn, runs, want)
				}
			}
		})
	}
}

// Others take the device's memory while it is in use: fewer lines at a time.
func TestDriverRunsOutOfMemory(t *testing.T) {
	b := bandOf(plane(segment.U8, 64, 500, 500, 7, 9))
	o := segment.Options{Masks: true, Rejected: true}
	want := onCPU(t, b, sparse(segment.U8), o)
	halved := 0
	for at := 1; at <= 12; at++ {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			steps := 0
			e := open(t, config(fmt.Sprintf("fail=cuMemAlloc_v2:2@%d", at)), Options{small: true, trace: func(stage string, _ []byte) {
				if stage == "scan" {
					steps++
				}
			}})
			l := load(t, e, b)
			defer l.Release()
			var r segment.Result
			if err := l.Segment(context.Background(), sparse(segment.U8), o, nil, &r); err != nil {
				t.Fatal(err)
			}
			if d := diffResult(&r, want); d != "" {
				t.Fatal(d)
			}
			if steps > 1 {
				halved++
			}
		})
	}
	if halved < 5 && !onDevice() {
		t.Errorf("only %d of the failures made steps", halved)
	}
}

// Many bands at once, in memory for few of them: all come out, and nobody waits for ever.
func TestManyBandsAtOnce(t *testing.T) {
	for _, c := range []config{"", "delays=100,copyrate=200M"} {
		t.Run(string(c), func(t *testing.T) {
			e := open(t, c, Options{Memory: 3_000_000})
			var all sync.WaitGroup
			for g := range 6 {
				typ := sampleTypes[g%3]
				b := bandOf(plane(typ, 60, 777, 800, 9, uint64(g)))
				if g%2 == 0 { // samples in the engine's own memory
					v, free := e.Alloc(typ, 60*800)
					defer free()
					copyPlane(v, b.V)
					v.Lines, v.Samples, v.Stride = 60, 777, 800
					b.V = v
				}
				all.Go(func() {
					for range 4 {
						l, err := e.Load(context.Background(), b)
						if err != nil {
							t.Error(err)
							return
						}
						o := segment.Options{Masks: true, Edges: segment.EdgesKeep}
						var got segment.Result
						if err := l.Segment(context.Background(), sparse(typ), o, nil, &got); err != nil {
							t.Error(err)
						} else if d := diffResult(&got, onCPU(t, b, sparse(typ), o)); d != "" {
							t.Error(d)
						}
						l.Release()
					}
				})
			}
			all.Wait()
		})
	}
}

func copyPlane(to, from segment.Plane) {
	copy(to.U8, from.U8)
	copy(to.U16, from.U16)
	copy(to.F32, from.F32)
}

// Pinned memory is handed out again, told from other memory, and bounded.
func TestAlloc(t *testing.T) {
	e := checked(t)
	p, free := e.Alloc(segment.U16, 100_000)
	if len(p.U16) != 100_000 || p.Lines != 1 || p.Samples != 100_000 || !e.pins.holds(bytesOf(p.U16)) || !e.pins.holds(bytesOf(p.U16[99_999:])) {
		t.Errorf("%d samples, lines %d", len(p.U16), p.Lines)
	}
	if e.pins.holds(bytesOf(make([]uint16, 10))) {
		t.Error("ordinary memory counts as pinned")
	}
	first := &p.U16[0]
	free()
	free() // once is enough
	q, free := e.Alloc(segment.U16, 90_000)
	if &q.U16[0] != first {
		t.Error("memory given back is not used again")
	}
	free()
	e.pins.limit = e.pins.held
	r, free := e.Alloc(segment.F32, 1_000_000)
	defer free()
	if len(r.F32) != 1_000_000 || e.pins.holds(bytesOf(r.F32)) {
		t.Error("memory over the limit is pinned")
	}
	if z, free := e.Alloc(segment.U8, 0); z.Samples != 0 || z.U8 == nil {
		t.Errorf("no samples: %+v", z)
	} else {
		free()
	}
}
