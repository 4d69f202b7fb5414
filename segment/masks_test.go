package segment_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "segscan/segment"
	"segscan/segment/segmenttest"
)

func TestMasksClassesComeBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	for _, width := range []int{0, 1, 63, 64, 65, 200} {
		classes := segmenttest.Random(rng, 3*width, 0.3, 0.4)
		if got := segmenttest.Masks(classes, 3, width).Classes(); !slices.Equal(got, classes) {
			t.Errorf("%d samples: %v came back as %v", width, classes, got)
		}
	}
}

func TestMasksResizeKeepsMemory(t *testing.T) {
	var m Masks
	m.Resize(4, 130)
	if m.Words != 3 || len(m.B) != 12 || len(m.A) != 12 {
		t.Fatalf("%d words a line, %d and %d in all", m.Words, len(m.B), len(m.A))
	}
	b, a := m.Line(2)
	if len(b) != 3 || len(a) != 3 || &b[0] != &m.B[6] || &a[0] != &m.A[6] || cap(b) != 3 {
		t.Error("line 2 is not words 6 to 8")
	}
	first := &m.B[0]
	if m.Resize(12, 64); &m.B[0] != first || len(m.B) != 12 || m.Lines != 12 {
		t.Error("the memory was enough, but is not kept")
	}
}
