package segment_test

import (
	"fmt"
	"strings"
	"testing"

	. "segscan/segment"
	"segscan/segment/segmenttest"
)

// Every case is worked out by hand: K are kept spans, R rejected ones, l and r tell edge bits, D dropped runs.
func TestSequentialOnHandWorkedLines(t *testing.T) {
	for _, c := range []struct{ line, drop, keep string }{
		{"", "", ""},
		{"0", "", "R[0,0]lr"},
		{"1", "", ""}, // nothing lies strictly between a virtual boundary and the sample beside it
		{"2", "D1", "K[0,0]lr"},
		{"00", "", "R[0,1]lr"},
		{"01", "", "R[0,1]l"},
		{"10", "", "R[0,1]r"},
		{"11", "", ""},
		{"12", "D1", "K[0,1]r"},
		{"21", "D1", "K[0,1]l"},
		{"22", "D1", "K[0,1]lr"},
		{"111", "", ""},
		{"101", "R[0,2]", "R[0,2]"},
		{"121", "K[0,2]", "K[0,2]"},
		{"212", "D2", "K[0,1][1,2]lr"},
		{"0 1 0 1 2 0 1 0", "K[3,6] R[1,3]", "K[3,6] R[0,1][1,3][6,7]lr"},
		{"1 2 1 2 1", "K[0,2][2,4]", "K[0,2][2,4]"},
		{"1 1 2 1", "K[1,3]", "K[1,3]"},
		{"1 2 2 0", "D1", "K[0,3]r"},
		{"0 2 0 0", "D1", "K[0,3]lr"},
		{"2 1 1 2", "D2", "K[0,1][2,3]lr"},
		{"0 2 1 0 0 1 2", "D2 R[2,5]", "K[0,2][5,6]lr R[2,5]"},
		{"1 0 2 0 1", "K[0,4]", "K[0,4]"}, // other samples on both sides of the activation
	} {
		for edges, want := range []string{c.drop, c.keep} {
			if got := show(Sequential(segmenttest.Line(c.line), Edges(edges), true)); got != want {
				t.Errorf("line %q edges %d: got %q, want %q", c.line, edges, got, want)
			}
		}
	}
}

func show(s LineSpans) string {
	var parts []string
	group := func(name string, bounds []Bound, edge uint8) {
		if len(bounds) == 0 && edge == 0 {
			return
		}
		for _, b := range bounds {
			name += fmt.Sprintf("[%d,%d]", b.Start, b.End)
		}
		parts = append(parts, name+[]string{"", "l", "r", "lr"}[edge])
	}
	if s.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("D%d", s.Dropped))
	}
	group("K", s.Kept, s.KeptEdge)
	group("R", s.Rejected, s.RejectedEdge)
	return strings.Join(parts, " ")
}

// Around a word: a segment from the first sample to the last, with its only activation next to the end.
func TestSequentialAroundAWord(t *testing.T) {
	for _, w := range []int{63, 64, 65} {
		line := segmenttest.Line("1" + strings.Repeat("0", w-3) + "21")
		if got, want := show(Sequential(line, EdgesDrop, true)), fmt.Sprintf("K[0,%d]", w-1); got != want {
			t.Errorf("width %d: got %q, want %q", w, got, want)
		}
		line[w-1] = Other
		if got := show(Sequential(line, EdgesDrop, true)); got != "D1" {
			t.Errorf("width %d without its last boundary: got %q, want D1", w, got)
		}
		if got, want := show(Sequential(line, EdgesKeep, true)), fmt.Sprintf("K[0,%d]r", w-1); got != want {
			t.Errorf("width %d without its last boundary, kept: got %q, want %q", w, got, want)
		}
	}
}

// The most segments a line can hold: (W-1)/2 under drop, (W+1)/2 under keep.
func TestSequentialUpperBound(t *testing.T) {
	for w := 1; w < 40; w++ {
		if got := len(Sequential(segmenttest.Line(strings.Repeat("12", w)[:w]), EdgesDrop, false).Kept); got != (w-1)/2 {
			t.Errorf("width %d, drop: %d segments, want %d", w, got, (w-1)/2)
		}
		if got := len(Sequential(segmenttest.Line(strings.Repeat("21", w)[:w]), EdgesKeep, false).Kept); got != (w+1)/2 {
			t.Errorf("width %d, keep: %d segments, want %d", w, got, (w+1)/2)
		}
	}
}

// Without rejected spans asked for, none are listed, and the rest is the same.
func TestSequentialWithoutRejected(t *testing.T) {
	for _, p := range segmenttest.Patterns(3) {
		line := p.Make(200)
		for _, e := range []Edges{EdgesDrop, EdgesKeep} {
			want, got := Sequential(line, e, true), Sequential(line, e, false)
			if got.Rejected != nil || got.RejectedEdge != 0 {
				t.Errorf("%s: rejected spans listed", p.Name)
			}
			want.Rejected, want.RejectedEdge = nil, 0
			if show(got) != show(want) {
				t.Errorf("%s: got %s, want %s", p.Name, show(got), show(want))
			}
		}
	}
}

func TestSequentialBandKeepsLinesApart(t *testing.T) {
	// Nothing crosses a line end: 1 2 | 2 1 holds no segment, 1 2 1 | 1 2 1 two.
	for _, c := range []struct {
		text         string
		lines, width int
		want         string
	}{
		{"12 21", 2, 2, "[] [0 0 0] dropped 2"},
		{"121 121", 2, 3, "[{0 2} {0 2}] [0 1 2] dropped 0"},
		{"120 000 121", 3, 3, "[{0 2}] [0 0 0 1] dropped 1"},
		{"", 3, 0, "[] [0 0 0 0] dropped 0"},
		{"", 0, 5, "[] [0] dropped 0"},
	} {
		r := SequentialBand(segmenttest.Line(c.text), c.lines, c.width, Options{})
		if got := fmt.Sprintf("%v %v dropped %d", r.Kept.Bounds, r.Kept.First, r.DroppedAtEdges); got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}
