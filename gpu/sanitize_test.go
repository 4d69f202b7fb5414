//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"slices"
	"testing"

	rules "segscan/kernels"
	"segscan/segment"
	"segscan/segment/segmenttest"
)

// TestSanitize runs every kernel on a few small tiles: what check-device.sh gives to compute-sanitizer, under which a
// launch takes long. In exact, buffers have exactly their size, so that an access beside one shows; in plain, nothing
// is written to fresh memory, so that reading it shows.
func TestSanitize(t *testing.T) {
	for name, o := range map[string]Options{"exact": {small: true, Check: true}, "plain": {small: true}} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, o, func(t *testing.T, e *Engine) {
				for i, typ := range sampleTypes {
					b := haloed(plane(typ, 8, 3*64+1+i, 200+8*i, 5, uint64(i)))
					b.Samples = min(b.Samples, 3*64-3+i)
					for name, c := range classifiersOf(typ, b.Lines) {
						if !slices.Contains([]string{"thresholds", "per line", "table", "masks"}, name) {
							continue
						}
						for k := range 2 {
							o := segment.Options{Edges: segment.Edges(k), Compaction: segment.Compaction(k), Rejected: true, Masks: true}
							checkSegments(t, e, fmt.Sprint(typ, name), b, c, o)
						}
					}
					checkHistograms(t, e, b)
				}
				longSpan(t, e)
				pieces(t, e)
				locals(t, e)
				narrowMeans(t, e)
			})
		})
	}
}

// locals runs a kernel of each kind for local thresholds, and an expression, on parts of pages.
func locals(t *testing.T, e *Engine) {
	t.Helper()
	for _, typ := range sampleTypes {
		p := newLocalPage(typ, 50, 24, 3)
		if !surveysAgree(t, e, p, "5", segment.Rows, 9) {
			t.Errorf("%v: the survey differs", typ)
		}
		for _, spec := range []string{
			"localmean:window=5", "sauvola:window=3x5", "bernsen:window=5", "localgaussian:window=3", "localmedian:window=5",
			"localmedian:window=35x3,margin=1", "expr:boundary=v<x,activation=v>y+20",
		} {
			c := p.bind(t, spec, rules.Options{})
			checkSegments(t, e, fmt.Sprint(typ, spec), p.band(segment.Rows, c.Needs(), 6, 17, 3, 48), c, segment.Options{Masks: true})
		}
	}
}

// narrowMeans runs the kernel for aligned lines, on tiles at the border and within.
func narrowMeans(t *testing.T, e *Engine) {
	t.Helper()
	p := newLocalPage(segment.U8, 1552, 24, 5)
	c := p.bind(t, "localmean:window=5", rules.Options{})
	checkSegments(t, e, "narrow means", p.band(segment.Rows, c.Needs(), 4, 22, 0, 1552), c, segment.Options{Masks: true})
}

// longSpan measures one span of so many samples that a block of threads shares it.
func longSpan(t *testing.T, e *Engine) {
	t.Helper()
	for _, typ := range sampleTypes {
		v := segment.NewPlane(typ, 1, 70_000)
		set := func(i int, x uint8) {
			switch typ {
			case segment.U8:
				v.U8[i] = x
			case segment.U16:
				v.U16[i] = uint16(x) * 257
			default:
				v.F32[i] = float32(x) + float32(i%1000)/1024
			}
		}
		for i := range 70_000 {
			set(i, uint8(100+i%50))
		}
		set(7, 0)
		set(900, 250)
		set(69_990, 1)
		checkSegments(t, e, "long span", bandOf(v), sparse(typ), segment.Options{Masks: true, Edges: segment.EdgesKeep})
	}
}

// pieces runs two pieces of one line.
func pieces(t *testing.T, e *Engine) {
	t.Helper()
	line := segmenttest.Patterns(3)[0].Make(150)
	var carry segment.Carry
	var all segment.LineSpans
	for _, part := range [][]segment.Class{line[:70], line[70:]} {
		carry.Final = len(part) == 80
		l := load(t, e, classBand(part, 1, len(part)))
		var r segment.Result
		if err := l.Segment(context.Background(), classThresholds(), segment.Options{}, &carry, &r); err != nil {
			t.Fatal(err)
		}
		l.Release()
		all.Kept = append(all.Kept, r.Kept.Bounds...)
		all.Dropped += r.DroppedAtEdges
	}
	if d := segmenttest.Diff(resultOf(all), resultOf(segment.Sequential(line, segment.EdgesDrop, false))); d != "" {
		t.Fatalf("pieces: %s", d)
	}
}
