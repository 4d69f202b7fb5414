package kernels

import "testing"

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
