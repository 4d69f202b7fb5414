//go:build linux && !nogpu

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// classifiersOf are what is tried on samples of a type: thresholds of all kinds, tables, and masks.
func classifiersOf(t segment.SampleType, lines int) map[string]segment.Classifier {
	s := sparse(t)
	swapped, other, active, none := s, s, s, segment.Thresholds{}
	swapped.Swap = true
	other.NaN, active.NaN = segment.Other, segment.Activation
	swappedActive := active
	swappedActive.Swap = true
	perLine := segment.Thresholds{NaN: segment.Other, Swap: true}
	for i := range lines {
		perLine.Lo = append(perLine.Lo, s.Lo[0]+float64(i%7)*s.Lo[0]/9)
		perLine.Hi = append(perLine.Hi, s.Hi[0]-float64(i%5)*s.Hi[0]/20)
	}
	perLine.Lo[lines/2], perLine.Hi[0] = math.Inf(-1), math.Inf(1)
	overlap := segment.Thresholds{Lo: s.Hi, Hi: s.Lo}
	out := map[string]segment.Classifier{
		"thresholds": s, "swapped": &swapped, "NaN other": other, "NaN active": active, "NaN active swapped": swappedActive,
		"none": none, "all boundary": segment.Thresholds{Lo: []float64{1e9}, Hi: []float64{1e9}},
		"both": overlap, "per line": perLine, "masks": others{c: s}, "masks per line": others{c: perLine},
	}
	if t != segment.F32 {
		table := segment.Table{Of: make([]segment.Class, 256)}
		if t == segment.U16 {
			table.Of = make([]segment.Class, 65536)
		}
		for v := range table.Of {
			table.Of[v] = segment.Class(v * 7 % 11 % 3)
		}
		out["table"], out["table masks"] = table, others{c: &table}
	}
	return out
}

// Device and CPU engine on samples of every type under every classifier, with strides and halos, at both tiles.
func TestEngineOnSamples(t *testing.T) {
	for _, tile := range []int{cuda.SmallSamples, cuda.TileSamples} {
		for _, typ := range sampleTypes {
			t.Run(fmt.Sprint(typ, "/", tile), func(t *testing.T) {
				bothWays(t, Options{small: tile == cuda.SmallSamples, Check: tile == cuda.SmallSamples}, func(t *testing.T, e *Engine) {
					for turn, size := range []struct{ lines, samples, stride int }{{7, 65, 65}, {3, 2*tile + 1, 3 * tile}, {19, 31, 32}, {1, 700, 700}} {
						b := haloed(plane(typ, size.lines+3, size.samples, size.stride, 6, uint64(turn)))
						i := 0
						for name, c := range classifiersOf(typ, b.Lines) {
							i++
							o := segment.Options{Edges: segment.Edges(i & 1), Compaction: segment.Compaction(i >> 1 & 1), Rejected: true, Masks: true}
							checkSegments(t, e, name, b, c, o)
						}
						checkBand(t, e, "histograms", b, sparse(typ), segment.Options{})
					}
				})
			})
		}
	}
}

// haloed is a band with two lines before and one after, and in wide planes samples around.
func haloed(v segment.Plane) segment.Band {
	b := bandOf(v)
	b.Lines, b.Before.Lines, b.After.Lines = v.Lines-3, 2, 1
	if v.Samples > 40 {
		b.Samples, b.Before.Samples, b.After.Samples = v.Samples-5, 3, 2
	}
	return b
}

// checkBand compares everything an engine does with a band: segments, masks, measures, histograms.
func checkBand(t *testing.T, e segment.Engine, name string, b segment.Band, c segment.Classifier, o segment.Options) {
	t.Helper()
	checkSegments(t, e, name, b, c, o)
	checkHistograms(t, e, b)
}

func checkHistograms(t *testing.T, e segment.Engine, b segment.Band) {
	t.Helper()
	var h [2][]segment.Histogram
	for i, e := range []segment.Engine{e, segment.NewCPU(2)} {
		l := load(t, e, b)
		h[i] = histogramsOf(t, l, b)
		l.Release()
	}
	if d := diffHistograms(h[0], h[1]); d != "" {
		t.Fatalf("%d x %d of %v: histograms: %s", b.Lines, b.Samples, b.V.Type(), d)
	}
}

// checkSegments compares segments, masks and measures.
func checkSegments(t *testing.T, e segment.Engine, name string, b segment.Band, c segment.Classifier, o segment.Options) {
	t.Helper()
	ctx := context.Background()
	fail := func(what, d string) {
		t.Helper()
		if d != "" {
			t.Fatalf("%s, %d x %d of %v, %+v: %s: %s", name, b.Lines, b.Samples, b.V.Type(), o, what, d)
		}
	}
	var results [2]segment.Result
	var stats [2][]segment.Stat
	for i, e := range []segment.Engine{e, segment.NewCPU(2)} {
		l := load(t, e, b)
		r := &results[i]
		if err := l.Segment(ctx, c, o, nil, r); err != nil {
			fail(e.Device(), err.Error())
		}
		for _, s := range []segment.Spans{r.Kept, r.Rejected} {
			if r.Masks == nil {
				break
			}
			out := make([]segment.Stat, len(s.Bounds))
			if err := l.Measure(ctx, s, r.Masks, out); err != nil {
				fail(e.Device(), err.Error())
			}
			stats[i] = append(stats[i], out...)
		}
		l.Release()
	}
	fail("segments", diffResult(&results[0], &results[1]))
	fail("measures", diffStats(stats[0], stats[1]))
}

// Thresholds and tables that do not fit the samples fail as they do on the CPU.
func TestEngineRefusesWhatTheCPUDoes(t *testing.T) {
	e := checked(t)
	for _, c := range []struct {
		t    segment.SampleType
		c    segment.Classifier
		want string
	}{
		{segment.F32, segment.Table{Of: make([]segment.Class, 256)}, "f32 samples have no table"},
		{segment.U8, segment.Table{Of: make([]segment.Class, 255)}, "255 entries for u8"},
		{segment.U8, &segment.Table{Of: append(make([]segment.Class, 255), 3)}, "value 255: 3 is no class"},
		{segment.U8, segment.Thresholds{NaN: 3}, "3 is no class"},
		{segment.U8, segment.Thresholds{Lo: []float64{1, 2}}, "2 entries do not reach lines 0 to 2"},
		{segment.U8, others{c: segment.Thresholds{Lo: []float64{1, 2}}}, "2 entries do not reach"},
		{segment.U8, panics{}, "internal error: no class today"},
		{segment.U8, wrongShape{}, "gave masks of 1 x 9"},
	} {
		b := bandOf(plane(c.t, 3, 70, 70, 6, 1))
		for _, e := range []segment.Engine{e, segment.NewCPU(1)} {
			l := load(t, e, b)
			err := l.Segment(context.Background(), c.c, segment.Options{}, nil, new(segment.Result))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %T: got error %v, want one with %q", e.Device(), c.c, err, c.want)
			}
			l.Release()
		}
	}
}

type panics struct{}

func (panics) Needs() segment.Needs                        { return segment.Needs{} }
func (panics) Classify(segment.Band, *segment.Masks) error { panic("no class today") }

type wrongShape struct{}

func (wrongShape) Needs() segment.Needs { return segment.Needs{} }
func (wrongShape) Classify(_ segment.Band, m *segment.Masks) error {
	m.Resize(1, 9)
	return nil
}

// A classifier that needs lines around its own sees the same ones, however the work on the CPU is shared out.
func TestEngineGivesHalosToClassifiers(t *testing.T) {
	e := checked(t)
	b := bandOf(plane(segment.U8, 40, 90, 90, 5, 3))
	b.Lines, b.Before.Lines, b.After.Lines = 36, 2, 2
	for halo := range 3 {
		c := above{halo}
		checkBand(t, e, fmt.Sprint("halo ", halo), b, c, segment.Options{Masks: true})
	}
}

// above makes a boundary where the sample so many lines above is dark, an activation where the one below is bright.
type above struct{ halo int }

func (a above) Needs() segment.Needs { return segment.Needs{HaloLines: a.halo} }

func (a above) Classify(b segment.Band, m *segment.Masks) error {
	if b.Before.Lines < a.halo || b.After.Lines < a.halo {
		return errors.New("the halo is short")
	}
	m.Resize(b.Lines, b.Samples)
	clear(m.A)
	clear(m.B)
	at := func(l, s int) uint8 { return b.V.U8[(b.Before.Lines+l)*b.V.Stride+b.Before.Samples+s] }
	for l := range b.Lines {
		for s := range b.Samples {
			if at(l-a.halo, s) <= 40 {
				m.B[l*m.Words+s/64] |= 1 << (s % 64)
			}
			if at(l+a.halo, s) >= 200 { // both bits may be set: a boundary, then
				m.A[l*m.Words+s/64] |= 1 << (s % 64)
			}
		}
	}
	return nil
}
