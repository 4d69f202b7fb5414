package viz

import (
	"math/rand/v2"
	"strings"
	"testing"

	"segscan/segment"
)

// text draws marks one character a pixel: . none, r rejected, # inside, | edge.
func (m *Marks) text() string {
	var b strings.Builder
	for y := range m.H {
		for x := range m.W {
			b.WriteByte(".r#|"[m.Of[y*m.W+x]])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestPaintRows(t *testing.T) {
	kept := segment.Spans{
		Bounds: []segment.Bound{{Start: 0, End: 2}, {Start: 2, End: 4}, {Start: 6, End: 9}, {Start: 0, End: 9}},
		First:  []int64{0, 3, 3, 4}, // two neighbours that share a boundary; an empty row; a span clipped at both ends
		Edge:   []uint8{segment.EdgeRight, 0, segment.EdgeLeft | segment.EdgeRight},
	}
	rejected := segment.Spans{Bounds: []segment.Bound{{Start: 4, End: 6}}, First: []int64{0, 1, 1, 1}}
	m := NewMarks(0, 0, 10, 3)
	m.PaintRows(0, 0, &rejected, Rejected)
	m.PaintRows(0, 0, &kept, Inside)
	want := "|#|#|r|###\n" + "..........\n" + "##########\n"
	if got := m.text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestPaintColsIsPaintRowsTurned(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const lines, n = 23, 61
	kept, rejected := randomSpans(r, lines, n), randomSpans(r, lines, n)
	rows := NewMarks(5, 7, n, lines)
	rows.PaintRows(7, 5, &kept, Inside)
	rows.PaintRows(7, 5, &rejected, Rejected)
	if !strings.Contains(rows.text(), "|#") || !strings.Contains(rows.text(), "r") {
		t.Fatal("the random spans show nothing")
	}
	for _, band := range []int{1, 2, 3, 17, n} { // however the page is cut into bands of rows
		for y0 := 0; y0 < n; y0 += band {
			h := min(band, n-y0)
			cols := NewMarks(7, 5+y0, lines, h)
			cols.PaintCols(7, 5, &kept, Inside)
			cols.PaintCols(7, 5, &rejected, Rejected)
			for y := range h {
				for x := range lines {
					got, want := cols.Of[y*lines+x], rows.Of[x*n+y0+y]
					if got != want {
						t.Fatalf("band of %d at %d: pixel (%d, %d) got %d, want %d", band, y0, x, y, got, want)
					}
				}
			}
		}
	}
}

func TestPaintLeavesOutWhatIsOutside(t *testing.T) {
	s := segment.Spans{Bounds: []segment.Bound{{Start: 0, End: 9}, {Start: 0, End: 9}, {Start: 0, End: 9}}, First: []int64{0, 1, 2, 3}}
	m := NewMarks(3, 1, 4, 1)
	m.PaintRows(0, 0, &s, Inside)
	if got, want := m.text(), "####\n"; got != want {
		t.Errorf("rows: got %q, want %q", got, want)
	}
	m.Reset(1, 8, 1, 4)
	m.PaintCols(0, 0, &s, Inside)
	if got, want := m.text(), "#\n|\n.\n.\n"; got != want {
		t.Errorf("columns: got %q, want %q", got, want)
	}
}

// randomSpans are valid spans of lines of n samples: in order, sharing boundaries at times, with edges.
func randomSpans(r *rand.Rand, lines, n int) segment.Spans {
	s := segment.Spans{First: []int64{0}}
	for range lines {
		var edge uint8
		if r.IntN(3) == 0 {
			edge |= segment.EdgeLeft
		}
		at, first := 0, len(s.Bounds)
		if edge == 0 {
			at = r.IntN(5)
		}
		for {
			end := at + 2 + r.IntN(9)
			if end >= n {
				break
			}
			s.Bounds = append(s.Bounds, segment.Bound{Start: uint32(at), End: uint32(end)})
			at = end
			if r.IntN(2) == 0 {
				at += 1 + r.IntN(6)
			}
		}
		if len(s.Bounds) == first {
			edge = 0
		}
		s.First, s.Edge = append(s.First, int64(len(s.Bounds))), append(s.Edge, edge)
	}
	return s
}
