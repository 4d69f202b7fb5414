package segment_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	. "segscan/segment"
)

func spansOf(edge []uint8, lines ...[]Bound) *Spans {
	s := &Spans{First: []int64{0}, Edge: edge}
	for _, l := range lines {
		s.Bounds = append(s.Bounds, l...)
		s.First = append(s.First, int64(len(s.Bounds)))
	}
	return s
}

func TestRefineByHand(t *testing.T) {
	both := EdgeLeft | EdgeRight
	for _, c := range []struct {
		name      string
		r         Refine
		in        []Bound
		edge      uint8
		want      []Bound
		wantEdges uint8
	}{
		{"off", NoRefine, []Bound{{0, 2}, {2, 4}}, both, []Bound{{0, 2}, {2, 4}}, both},
		{"0 joins a shared boundary", Refine{MergeGap: 0}, []Bound{{0, 2}, {2, 4}, {5, 7}}, both, []Bound{{0, 4}, {5, 7}}, both},
		{"1 joins neighbours too", Refine{MergeGap: 1}, []Bound{{0, 2}, {2, 4}, {5, 7}, {9, 11}}, both, []Bound{{0, 7}, {9, 11}}, both},
		{"all joined", Refine{MergeGap: 2}, []Bound{{0, 2}, {2, 4}, {5, 7}, {9, 11}}, EdgeRight, []Bound{{0, 11}}, EdgeRight},
		{"short ones go, the left edge with the first", Refine{MergeGap: -1, MinLength: 4}, []Bound{{0, 2}, {2, 5}, {7, 9}}, both, []Bound{{2, 5}}, 0},
		{"joined before lengths count", Refine{MergeGap: 0, MinLength: 6}, []Bound{{0, 2}, {2, 5}, {7, 9}}, both, []Bound{{0, 5}}, EdgeLeft},
		{"long ones go", Refine{MergeGap: -1, MaxLength: 3}, []Bound{{0, 5}, {5, 7}}, both, []Bound{{5, 7}}, EdgeRight},
		{"the middle one goes", Refine{MergeGap: -1, MaxLength: 3}, []Bound{{0, 2}, {2, 9}, {9, 11}}, both, []Bound{{0, 2}, {9, 11}}, both},
		{"the last goes", Refine{MergeGap: -1, MaxLength: 3}, []Bound{{0, 2}, {2, 9}}, both, []Bound{{0, 2}}, EdgeLeft},
		{"nothing stays", Refine{MergeGap: -1, MinLength: 99}, []Bound{{0, 2}, {2, 9}}, both, nil, 0},
		{"far ends of the type", Refine{MergeGap: 1 << 40}, []Bound{{0, 2}, {1<<32 - 4, 1<<32 - 2}}, 0, []Bound{{0, 1<<32 - 2}}, 0},
	} {
		// The line stands between two others, so that what moves is seen.
		s := spansOf([]uint8{0, c.edge, 0}, []Bound{{1, 2}}, c.in, []Bound{{3, 4}})
		if c.r.MinLength > 2 {
			s = spansOf([]uint8{0, c.edge, 0}, nil, c.in, nil)
		}
		before, after := s.Line(0), slices.Clone(s.Line(2))
		c.r.Spans(s)
		if got := s.Line(1); !slices.Equal(got, c.want) || s.Edge[1] != c.wantEdges {
			t.Errorf("%s: got %v edge %02b, want %v edge %02b", c.name, got, s.Edge[1], c.want, c.wantEdges)
		}
		if !slices.Equal(s.Line(0), before) || !slices.Equal(s.Line(2), after) || s.First[3] != int64(len(s.Bounds)) {
			t.Errorf("%s: neighbouring lines changed: %+v", c.name, s)
		}
	}
}

func TestRefineActivations(t *testing.T) {
	s := spansOf([]uint8{3, 3, 3}, []Bound{{0, 2}, {2, 4}}, nil, []Bound{{0, 3}, {4, 6}, {6, 9}})
	stats := []Stat{{Activations: 1}, {Activations: 5}, {Activations: 3}, {Activations: 2}, {Activations: 9}}
	stats = Refine{MinActivations: 3}.Activations(s, stats)
	want := spansOf([]uint8{EdgeRight, 0, 3}, []Bound{{2, 4}}, nil, []Bound{{0, 3}, {6, 9}})
	if fmt.Sprint(s) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", s, want)
	}
	if len(stats) != 3 || stats[0].Activations != 5 || stats[1].Activations != 3 || stats[2].Activations != 9 {
		t.Errorf("stats %+v", stats)
	}
	if got := (Refine{}).Activations(s, stats); len(got) != 3 || len(s.Bounds) != 3 {
		t.Error("0 is not off")
	}
}

// Against a plain form that builds new lists, on random spans.
func TestRefineRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for range 3000 {
		r := Refine{MergeGap: int64(rng.IntN(5) - 1), MinLength: int64(rng.IntN(6)), MaxLength: int64(rng.IntN(3) * 7)}
		var lines, want [][]Bound
		edge, wantEdge := make([]uint8, 4), make([]uint8, 4)
		for l := range 4 {
			var in, joined, out []Bound
			at := uint32(0)
			for range rng.IntN(6) {
				at += uint32(rng.IntN(4))
				in = append(in, Bound{at, at + 2 + uint32(rng.IntN(5))})
				at = in[len(in)-1].End
			}
			if len(in) > 0 {
				edge[l] = uint8(rng.IntN(4))
			}
			for _, b := range in {
				if n := len(joined); n > 0 && r.MergeGap >= 0 && int64(b.Start)-int64(joined[n-1].End) <= r.MergeGap {
					joined[n-1].End = b.End
				} else {
					joined = append(joined, b)
				}
			}
			for i, b := range joined {
				if n := int64(b.End-b.Start) + 1; n >= r.MinLength && (r.MaxLength == 0 || n <= r.MaxLength) {
					out = append(out, b)
					if i == 0 {
						wantEdge[l] |= edge[l] & EdgeLeft
					}
					if i == len(joined)-1 {
						wantEdge[l] |= edge[l] & EdgeRight
					}
				}
			}
			lines, want = append(lines, in), append(want, out)
		}
		got := spansOf(slices.Clone(edge), lines...)
		r.Spans(got)
		if w := spansOf(wantEdge, want...); fmt.Sprint(got) != fmt.Sprint(w) {
			t.Fatalf("%+v on %v edges %v: got %v, want %v", r, lines, edge, got, w)
		}
	}
}
