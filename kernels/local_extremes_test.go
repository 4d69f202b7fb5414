package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"segscan/segment"
)

// TestExtremeGroups checks that every height is put together without a line missing, and within its window.
func TestExtremeGroups(t *testing.T) {
	for h := 1; h <= MaxLocalWindow; h += 2 {
		g := groupExtremes(h)
		if g.group < 1 || g.gap < 0 || g.between < 0 {
			t.Fatalf("height %d: %+v", h, g)
		}
		// The first window is lines 0 to h-1; blocks end with it, the group begins with it.
		blocks := h - g.between*g.group
		if covered := g.group + g.gap; covered < blocks {
			t.Errorf("height %d: %+v leaves lines %d to %d out", h, g, covered, blocks-1)
		}
		if covered := g.group + g.gap; covered > h {
			t.Errorf("height %d: %+v takes lines beyond the window", h, g)
		}
		// The last window of the group begins with its last line.
		if g.between > 0 && blocks < g.group-1 {
			t.Errorf("height %d: %+v begins the blocks before the window of line %d", h, g, g.group-1)
		}
		if h >= 64 && g.group+g.between > h/2 {
			t.Errorf("height %d: %+v keeps many rows", h, g)
		}
	}
}

// TestTallExtremes compares windows of lines that are put together in several ways, with and without gaps, with the
// extremes of every window one by one, over several groups and bands.
func TestTallExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 12))
	gaps := 0
	for _, h := range []int{63, 65, 67, 69, 79, 89, 103, 139} {
		if groupExtremes(h).gap > 0 {
			gaps++
		}
		for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
			p := newTestPage(rng, typ, 7, h+2+rng.IntN(60))
			if typ == segment.F32 {
				p.px[rng.IntN(len(p.px))] = math.NaN()
			}
			c := p.bind(t, fmt.Sprintf("contrast:window=3x%d,margin=2.5", h), Options{NaN: segment.Other})
			got := p.classes(t, c, segment.Rows, p.h)
			if cut := p.classes(t, c, segment.Rows, 1+rng.IntN(40)); !slices.Equal(cut, got) {
				t.Errorf("%s, height %d: bands make a difference", typ, h)
			}
			for i, v := range p.px {
				want := segment.Other
				switch T := p.oracle(c, i%p.w, i/p.w); {
				case v <= T:
					want = segment.Boundary
				case v > T+c.Margin:
					want = segment.Activation
				}
				if got[i] != want {
					t.Fatalf("%s, height %d of %d: pixel %d,%d is %d, want %d", typ, h, p.h, i%p.w, i/p.w, got[i], want)
				}
			}
		}
	}
	if gaps == 0 {
		t.Error("no window had a gap")
	}
}
