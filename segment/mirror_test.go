package segment_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "segscan/segment"
	"segscan/segment/segmenttest"
)

var mirrorTiles = []int{1, 2, 3, 7, 64, 1000}

// everyOption goes through edge rules, compaction forms and whether rejected spans are wanted.
func everyOption(f func(o Options)) {
	for _, edges := range []Edges{EdgesDrop, EdgesKeep} {
		for _, form := range []Compaction{SinglePass, MultiPass} {
			for _, rejected := range []bool{false, true} {
				f(Options{Edges: edges, Compaction: form, Rejected: rejected})
			}
		}
	}
}

// checkMirror compares mirror and oracle on one band under every option; r is reused, to catch what is left over.
func checkMirror(t *testing.T, m Mirror, r *Result, name string, classes []Class, lines, width int) {
	t.Helper()
	everyOption(func(o Options) {
		_, err := m.Segment(context.Background(), classes, lines, width, o, r)
		if err != nil {
			t.Fatal(err)
		}
		if d := segmenttest.Diff(r, SequentialBand(classes, lines, width, o)); d != "" {
			t.Fatalf("%s, tile %d, %d workers, %d x %d, %+v: %s", name, m.Tile, m.Workers, lines, width, o, d)
		}
	})
}

// Every width to two tiles and one at the small tiles; at the larger ones those around one and two tiles, around a
// word, and random ones. Two and three lines, so that heads fall on, before and after tile edges.
func TestMirrorIsTheOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, tile := range mirrorTiles {
		widths := []int{0, 1, 2, 63, 64, 65}
		if tile <= 7 {
			for w := range 2*tile + 2 {
				widths = append(widths, w)
			}
		} else {
			widths = append(widths, tile-1, tile, tile+1, 2*tile-1, 2*tile, 2*tile+1)
			for range 6 {
				widths = append(widths, rng.IntN(2*tile+2))
			}
		}
		slices.Sort(widths)
		t.Run(fmt.Sprint(tile), func(t *testing.T) {
			var r Result
			for _, width := range slices.Compact(widths) {
				lines := 1 + width%3
				for _, p := range segmenttest.Patterns(uint64(tile)) {
					m := Mirror{Tile: tile, Workers: 1 + width%3, Block: 2}
					checkMirror(t, m, &r, p.Name, p.Make(lines*width), lines, width)
				}
			}
		})
	}
}

// At tile 64, every width to two tiles and one, on one dense pattern.
func TestMirrorAtEveryWidth(t *testing.T) {
	var r Result
	for width := range 2*64 + 2 {
		classes := segmenttest.Random(rand.New(rand.NewPCG(9, uint64(width))), 3*width, 0.2, 0.1)
		checkMirror(t, Mirror{Tile: 64, Workers: 2}, &r, "random", classes, 3, width)
	}
}

// All lines of up to seven samples, so that no combination of classes at line and tile edges is missed.
func TestMirrorOnAllShortLines(t *testing.T) {
	for width := 1; width <= 7; width++ {
		lines := 1
		for range width {
			lines *= 3
		}
		classes := make([]Class, 0, lines*width)
		for l := range lines {
			for range width {
				classes = append(classes, Class(l%3))
				l /= 3
			}
		}
		for _, tile := range []int{1, 2, 3, 7} {
			var r Result
			checkMirror(t, Mirror{Tile: tile, Workers: 2}, &r, "all lines", classes, lines, width)
		}
	}
}

// Heads and boundaries placed around every tile edge of two tiles.
func TestMirrorHeadsAndBoundariesOnTileEdges(t *testing.T) {
	var r Result
	for _, tile := range []int{2, 3, 7, 64} {
		for _, width := range []int{tile - 1, tile, tile + 1, 2 * tile} { // heads before, on and after tile edges
			lines := 5
			for at := max(0, tile-2); at < min(tile+2, lines*width); at++ {
				for far := at + 1; far < min(at+tile+2, lines*width); far += max(1, tile/3) {
					classes := make([]Class, lines*width)
					for i := range classes {
						classes[i] = Class(i % 2 * 2) // activations everywhere else
					}
					classes[at], classes[far] = Boundary, Boundary
					checkMirror(t, Mirror{Tile: tile, Workers: 1}, &r, fmt.Sprint("boundaries at ", at, far), classes, lines, width)
				}
			}
		}
	}
}

// One long line over many tiles at once, several workers really waiting for each other.
func TestMirrorManyWorkers(t *testing.T) {
	for _, p := range segmenttest.Patterns(21) {
		var r Result
		for range 3 {
			checkMirror(t, Mirror{Tile: 7, Workers: 8, Block: 3}, &r, p.Name, p.Make(4001), 1, 4001)
		}
	}
}

// The buffers between stages, by hand: two lines of four at tiles of three, so that a tile holds the line edge.
//
//	line 0: 1 2 0 1, line 1: 2 1 0 1
func TestMirrorBuffers(t *testing.T) {
	m := Mirror{Tile: 3, Workers: 2}
	var r Result
	b, err := m.Segment(context.Background(), segmenttest.Line("1201 2101"), 2, 4, Options{Rejected: true}, &r)
	if err != nil {
		t.Fatal(err)
	}
	pair := func(flag Class, index int64) FlagAndIndex { return FlagAndIndex{flag, index} }
	head := func(flag Class, index int64) Headed { return Headed{pair(flag, index), true} }
	rest := func(flag Class, index int64) Headed { return Headed{pair(flag, index), false} }
	for _, c := range []struct {
		stage     string
		got, want any
	}{
		{"pairs", b.Pairs, []Headed{head(1, 0), rest(2, -1), rest(0, -1), rest(1, 3),
			head(2, -1), rest(1, 1), rest(0, -1), rest(1, 3)}},
		{"scan", b.Scan, []FlagAndIndex{pair(1, 0), pair(2, 0), pair(2, 0), pair(1, 3),
			pair(2, -1), pair(1, 1), pair(1, 1), pair(1, 3)}},
		{"aggregates", b.Aggregates, []Headed{head(2, 0), head(1, 1), rest(1, 3)}},
		{"prefixes", b.Prefixes, []Headed{head(2, 0), head(1, 1), head(1, 3)}},
		{"marks", b.Marks, []Mark{{}, {}, {}, {MarkKept, 0, Bound{0, 3}},
			{}, {Kind: MarkDropped}, {}, {MarkRejected, 0, Bound{1, 3}}}},
	} {
		if got, want := fmt.Sprint(c.got), fmt.Sprint(c.want); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.stage, got, want)
		}
	}
}

// The same buffers come out at any tile and any number of workers, but for the tiles' own.
func TestMirrorBuffersDoNotDependOnTiles(t *testing.T) {
	classes := segmenttest.Random(rand.New(rand.NewPCG(4, 4)), 900, 0.1, 0.2)
	stages := func(tile, workers int) string {
		var r Result
		b, err := Mirror{Tile: tile, Workers: workers}.Segment(context.Background(), classes, 9, 100, Options{}, &r)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(b.Pairs, b.Scan, b.Marks)
	}
	want := stages(900, 1)
	for _, tile := range mirrorTiles {
		if stages(tile, 4) != want {
			t.Errorf("tile %d: the buffers differ", tile)
		}
	}
}

// The comparison of mirror and oracle must notice one flipped sample in any tile.
func TestMirrorComparisonFindsFlips(t *testing.T) {
	classes := segmenttest.Line(strings.Repeat(strings.Repeat("1020", 5)+"1", 4))
	want := SequentialBand(classes, 4, 21, Options{Rejected: true})
	for i := range classes {
		flipped := slices.Clone(classes)
		// A boundary, and an activation that is its span's only one, turned into other; other into boundary.
		flipped[i] = map[Class]Class{Boundary: Other, Activation: Other, Other: Boundary}[classes[i]]
		var r Result
		if _, err := (Mirror{Tile: 7, Workers: 1}).Segment(context.Background(), flipped, 4, 21, Options{Rejected: true}, &r); err != nil {
			t.Fatal(err)
		}
		if segmenttest.Diff(&r, want) == "" {
			t.Errorf("sample %d flipped is not noticed", i)
		}
	}
}

func TestMirrorRefusesWrongShapes(t *testing.T) {
	for _, c := range []struct {
		m            Mirror
		lines, width int
		want         string
	}{
		{Mirror{Tile: 0}, 2, 3, "tile of 0 samples"},
		{Mirror{Tile: 4}, 2, 4, "6 classes for 2 lines of 4 samples"},
		{Mirror{Tile: 4}, -2, -3, "6 classes for -2 lines of -3 samples"},
	} {
		var r Result
		_, err := c.m.Segment(context.Background(), make([]Class, 6), c.lines, c.width, Options{}, &r)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want one with %q", err, c.want)
		}
	}
}

func TestMirrorEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var r Result
	if _, err := (Mirror{Tile: 4}).Segment(ctx, make([]Class, 8), 1, 8, Options{}, &r); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
