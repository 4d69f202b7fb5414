package segmenttest

import (
	"slices"
	"testing"

	"segscan/segment"
)

// Diff must notice every single change: what makes the comparisons built on it worth something.
func TestDiffFindsEveryFlippedElement(t *testing.T) {
	classes := Line("2102010 0120121 0000000")
	fresh := func() *segment.Result {
		return segment.SequentialBand(classes, 3, 7, segment.Options{Edges: segment.EdgesKeep, Rejected: true})
	}
	if d := Diff(fresh(), fresh()); d != "" {
		t.Fatalf("equal results differ: %s", d)
	}
	flips := 0
	flip := func(change func(r *segment.Result)) {
		flips++
		r := fresh()
		change(r)
		if Diff(r, fresh()) == "" {
			t.Errorf("change %d is not noticed", flips)
		}
	}
	for g, of := range []func(*segment.Result) *segment.Spans{
		func(r *segment.Result) *segment.Spans { return &r.Kept },
		func(r *segment.Result) *segment.Spans { return &r.Rejected },
	} {
		want := of(fresh())
		if len(want.Bounds) < 2 {
			t.Fatalf("group %d: the sample has only %d spans", g, len(want.Bounds))
		}
		for i := range want.Bounds {
			flip(func(r *segment.Result) { of(r).Bounds[i].Start++ })
			flip(func(r *segment.Result) { of(r).Bounds[i].End-- })
		}
		for i := range want.First {
			flip(func(r *segment.Result) { of(r).First[i]++ })
		}
		for i := range want.Edge {
			flip(func(r *segment.Result) { of(r).Edge[i] ^= segment.EdgeLeft })
			flip(func(r *segment.Result) { of(r).Edge[i] ^= segment.EdgeRight })
		}
		flip(func(r *segment.Result) { of(r).Bounds = of(r).Bounds[1:] })
		flip(func(r *segment.Result) { of(r).First = nil })
		flip(func(r *segment.Result) { of(r).Edge = nil })
	}
	flip(func(r *segment.Result) { r.DroppedAtEdges++ })
}

func TestLineAndMasks(t *testing.T) {
	if got := Line("0 12"); !slices.Equal(got, []segment.Class{0, 1, 2}) {
		t.Errorf("Line: %v", got)
	}
	classes := make([]segment.Class, 2*65)
	classes[64], classes[65], classes[65+63] = 1, 2, 1 // last of line 0; first of line 1; the last bit of its word 0
	m := Masks(classes, 2, 65)
	if m.Words != 2 || !slices.Equal(m.B, []uint64{0, 1, 1 << 63, 0}) || !slices.Equal(m.A, []uint64{0, 0, 1, 0}) {
		t.Errorf("Masks: words %d, B %x, A %x", m.Words, m.B, m.A)
	}
}

func TestPatternsRepeat(t *testing.T) {
	for i, p := range Patterns(7) {
		got, want := p.Make(500), Patterns(7)[i].Make(500)
		if len(got) != 500 || !slices.Equal(got, want) {
			t.Errorf("%s: not the same twice", p.Name)
		}
	}
}
