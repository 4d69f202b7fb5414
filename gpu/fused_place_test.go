package gpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"segscan/segment"
	"segscan/segment/segmenttest"
)

// positions are spans of lines as the fused kernels write them.
func positions(s *segment.Spans, width, pitch int, keep bool) []segment.Bound {
	var out []segment.Bound
	for l := range s.Edge {
		line, start := s.Line(l), uint32(l*pitch)
		for i, b := range line {
			b.Start, b.End = b.Start+start, b.End+start
			if keep && i == 0 && s.Edge[l]&segment.EdgeLeft != 0 {
				b.Start = start - 1 - uint32(pitch-width) // some sample of the line before, or noPosition
				if l == 0 {
					b.Start = noPosition
				}
			}
			if keep && i == len(line)-1 && s.Edge[l]&segment.EdgeRight != 0 {
				b.End++
			}
			out = append(out, b)
		}
	}
	return out
}

// However many share the work, every span comes to its line, with offsets and edge bits.
func TestPlacingByShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for try := range 400 {
		width, lines := 1+rng.IntN([]int{3, 40, 500}[try%3]), 1+rng.IntN(60)
		o := segment.Options{Edges: segment.Edges(try & 1)}
		classes := segmenttest.Random(rng, lines*width, rng.Float64()/2, rng.Float64()/2)
		want := segment.SequentialBand(classes, lines, width, o).Kept
		p := placing{pitch: uint64(width + rng.IntN(3)), width: uint64(width), keep: o.Edges == segment.EdgesKeep, share: rng.IntN(20)}
		spans := positions(&want, width, int(p.pitch), p.keep)
		first, edge := make([]int64, lines), make([]uint8, lines)
		if err := p.place(spans, first, edge, 100); err != nil {
			t.Fatal(err)
		}
		for l := range first {
			first[l] -= 100
		}
		if !slices.Equal(spans, want.Bounds) || !slices.Equal(first, want.First[:lines]) || !slices.Equal(edge, want.Edge) {
			t.Fatalf("%d x %d, %+v:\n%v %v %v\n%v %v %v", lines, width, p, spans, first, edge, want.Bounds, want.First, want.Edge)
		}
	}
}

func TestPlacingRefusesWhatIsNoSpan(t *testing.T) {
	for _, spans := range [][]segment.Bound{
		{{Start: 0, End: 31}},                      // beyond the last of three lines of ten
		{{Start: 25, End: 28}, {Start: 5, End: 8}}, // not in order
	} {
		p := placing{pitch: 10, width: 10}
		if err := p.place(spans, make([]int64, 3), make([]uint8, 3), 0); err == nil {
			t.Errorf("%v: no error", spans)
		}
	}
}
