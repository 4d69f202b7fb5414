//go:build linux && !nogpu

package gpu

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"segscan/segment"
	"segscan/segment/segmenttest"
)

// A line cut into pieces, each piece on the device: what every piece gives, and the state it leaves, are the CPU
// engine's, and all pieces together are the oracle's line.
func TestPiecesOfALine(t *testing.T) {
	bothWays(t, Options{small: true, Check: true}, checkPieces)
}

func checkPieces(t *testing.T, e *Engine) {
	rng := rand.New(rand.NewPCG(12, 1))
	ctx := context.Background()
	cpu := segment.NewCPU(2)
	var got, want segment.Result
	for turn, p := range segmenttest.Patterns(31) {
		width := 1 + rng.IntN(500)
		line := p.Make(width)
		for k := range 8 {
			o := segment.Options{Edges: segment.Edges(k & 1), Compaction: segment.Compaction(k >> 1 & 1), Rejected: k&4 != 0, Masks: turn%2 == 0}
			var mine, theirs segment.Carry
			var all segment.LineSpans
			var classifier segment.Classifier = classThresholds()
			if turn%3 == 0 {
				classifier = others{c: classifier}
			}
			for at := 0; at < width; {
				n := min(rng.IntN(140), width-at) // sometimes none
				mine.Final, theirs.Final = at+n == width, at+n == width
				b := classBand(line[at:at+n], 1, n)
				one, two := load(t, e, b), load(t, cpu, b)
				if err := one.Segment(ctx, classifier, o, &mine, &got); err != nil {
					t.Fatal(err)
				}
				if err := two.Segment(ctx, classifier, o, &theirs, &want); err != nil {
					t.Fatal(err)
				}
				one.Release()
				two.Release()
				if d := diffResult(&got, &want); d != "" {
					t.Fatalf("%s, samples %d to %d of %d, %+v: %s", p.Name, at, at+n-1, width, o, d)
				}
				if mine != theirs {
					t.Fatalf("%s, after sample %d of %d, %+v: carry %+v, want %+v", p.Name, at+n, width, o, mine, theirs)
				}
				all.Kept, all.Rejected = append(all.Kept, got.Kept.Bounds...), append(all.Rejected, got.Rejected.Bounds...)
				all.KeptEdge |= got.Kept.Edge[0]
				all.RejectedEdge |= got.Rejected.Edge[0]
				all.Dropped += got.DroppedAtEdges
				at += n
			}
			oracle := segment.Sequential(line, o.Edges, o.Rejected)
			if d := segmenttest.Diff(resultOf(all), resultOf(oracle)); d != "" {
				t.Fatalf("%s, %d samples, %+v: the pieces together: %s", p.Name, width, o, d)
			}
		}
	}
}

// resultOf is a line's spans as a result, to be compared.
func resultOf(l segment.LineSpans) *segment.Result {
	group := func(b []segment.Bound, edge uint8) segment.Spans {
		return segment.Spans{Bounds: b, First: []int64{0, int64(len(b))}, Edge: []uint8{edge}}
	}
	return &segment.Result{Kept: group(l.Kept, l.KeptEdge), Rejected: group(l.Rejected, l.RejectedEdge), DroppedAtEdges: l.Dropped}
}

// Positions near the end of the longest line there is.
func TestPieceAtTheEndOfTheLongestLine(t *testing.T) {
	e := checked(t)
	const longest = 1<<32 - 1
	line := segmenttest.Line("0210 2001 0")
	at := int64(longest - len(line))
	carry := segment.Carry{Started: true, Armed: true, Final: true, Last: 7, Pos: at}
	l := load(t, e, classBand(line, 1, len(line)))
	defer l.Release()
	var r segment.Result
	if err := l.Segment(context.Background(), classThresholds(), segment.Options{Edges: segment.EdgesKeep, Rejected: true}, &carry, &r); err != nil {
		t.Fatal(err)
	}
	// Boundaries at 7, at+2 and at+7; activations at+1 and at+4; the last span, from at+7 to the virtual boundary at
	// 2^32-1, is clipped to 2^32-2 and holds the one sample at+8.
	kept := []segment.Bound{{Start: 7, End: uint32(at + 2)}, {Start: uint32(at + 2), End: uint32(at + 7)}}
	want := &segment.Result{
		Kept:     segment.Spans{Bounds: kept, First: []int64{0, 2}, Edge: []uint8{0}},
		Rejected: segment.Spans{Bounds: []segment.Bound{{Start: uint32(at + 7), End: longest - 1}}, First: []int64{0, 1}, Edge: []uint8{segment.EdgeRight}},
	}
	if d := segmenttest.Diff(&r, want); d != "" {
		t.Error(d)
	}
	if carry != (segment.Carry{}) {
		t.Errorf("carry %+v after the last piece", carry)
	}
}

func TestPiecesThatCannotBe(t *testing.T) {
	e := checked(t)
	for _, c := range []struct {
		lines int
		carry segment.Carry
		want  string
	}{
		{2, segment.Carry{}, "a carry is for a piece of one line, the band has 2"},
		{1, segment.Carry{Pos: 1<<32 - 3}, "a line of 4294967297 samples"},
		{1, segment.Carry{Pos: -1}, "a line of"},
	} {
		l := load(t, e, classBand(make([]segment.Class, 4*c.lines), c.lines, 4))
		before := c.carry
		err := l.Segment(context.Background(), classThresholds(), segment.Options{}, &c.carry, new(segment.Result))
		if err == nil || !strings.Contains(err.Error(), c.want) || c.carry != before {
			t.Errorf("got %v and carry %+v, want %q and it unchanged", err, c.carry, c.want)
		}
		l.Release()
	}
}
