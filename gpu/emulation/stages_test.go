//go:build linux

package emulation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"segscan/kernels/cuda"
	. "segscan/segment"
	"segscan/segment/segmenttest"
)

// checkStages runs every stage on one band of classes, comparing the buffers after each with the mirror's and the
// result with the oracle's. It gives the first difference.
func checkStages(r *rig, t tiling, classes []Class, lines, width int, o Options) string {
	defer r.free()
	b := band{lines: lines, width: width, edges: o.Edges, rejected: o.Rejected}
	var mirrored Result
	want, err := Mirror{Tile: t.samples, Workers: 1}.Segment(context.Background(), classes, lines, width, o, &mirrored)
	if err != nil {
		return err.Error()
	}
	pairs := fromMasks(r, t, b, segmenttest.Masks(classes, lines, width))
	var got []Headed
	for _, p := range download[cuda.Pair](r, pairs, b.n()) {
		got = append(got, headed(p))
	}
	if d := firstDifference("pairs", got, want.Pairs, width); d != "" {
		return d
	}
	s := scanStage(r, t, b, pairs, lines%2 == 0)
	var scan []FlagAndIndex
	for _, p := range download[cuda.Pair](r, s.scan, b.n()) {
		if h := headed(p); h.Head {
			return "the scan has a head"
		} else {
			scan = append(scan, h.FlagAndIndex)
		}
	}
	marks, dropped := readoutStage(r, t, b, s.scan)
	var wantMarks []uint8
	for _, m := range want.Marks {
		wantMarks = append(wantMarks, uint8(m.Kind)|m.Edge<<cuda.MarkEdgeShift)
	}
	result, total := compactStage(r, t, b, o.Compaction, marks, s.scan, b.n())
	result.DroppedAtEdges = dropped
	for _, d := range []string{
		firstDifference("aggregates", s.aggregates, want.Aggregates, 0),
		firstDifference("prefixes", s.prefixes, want.Prefixes, 0),
		firstDifference("scan", scan, want.Scan, width),
		firstDifference("marks", download[uint8](r, marks, b.n()), wantMarks, width),
		segmenttest.Diff(result, SequentialBand(classes, lines, width, o)),
		segmenttest.Diff(result, &mirrored),
	} {
		if d != "" {
			return d
		}
	}
	if want := (cuda.Counts{Kept: uint64(len(mirrored.Kept.Bounds)), Rejected: uint64(len(mirrored.Rejected.Bounds))}); total != want {
		return fmt.Sprintf("total: got %v, want %v", total, want)
	}
	return ""
}

// options goes through edge rules and compactions; rejected spans are wanted in half of them.
func options() (all []Options) {
	for _, edges := range []Edges{EdgesDrop, EdgesKeep} {
		for _, form := range []Compaction{SinglePass, MultiPass} {
			all = append(all, Options{Edges: edges, Compaction: form, Rejected: (edges == EdgesDrop) == (form == MultiPass)})
		}
	}
	return all
}

func TestStagesAreTheMirrorAtTheSmallestTile(t *testing.T) {
	r := newRig(t, "")
	small := tilings()[0]
	all := options()
	for width := 1; width <= 2*small.samples+1; width++ {
		patterns := segmenttest.Patterns(uint64(width))
		p := patterns[width%len(patterns)]
		lines := 1 + width%4
		o := all[width%len(all)]
		if d := checkStages(r, small, p.Make(lines*width), lines, width, o); d != "" {
			t.Fatalf("%s, %d x %d, %+v: %s", p.Name, lines, width, o, d)
		}
	}
}

func TestStagesAreTheMirrorOnEveryPattern(t *testing.T) {
	r := newRig(t, "delays=200")
	for _, tile := range tilings() {
		for i, width := range []int{1, 2, 63, 64, 65, tile.samples - 1, tile.samples, tile.samples + 1} {
			for k, p := range segmenttest.Patterns(uint64(i)) {
				if tile.suffix == "" && k%3 != i%3 {
					continue // the shipped tile is slow here; every pattern meets several of these widths
				}
				o := options()[(i+k)%4]
				lines := 1 + 2*tile.samples/width
				if d := checkStages(r, tile, p.Make(lines*width), lines, width, o); d != "" {
					t.Fatalf("tile %d, %s, %d x %d, %+v: %s", tile.samples, p.Name, lines, width, o, d)
				}
			}
		}
	}
}

// All lines of up to five samples, so that no combination at line and tile edges is missed.
func TestStagesOnAllShortLines(t *testing.T) {
	r := newRig(t, "")
	for width := 1; width <= 5; width++ {
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
		for _, o := range options() {
			if d := checkStages(r, tilings()[0], classes, lines, width, o); d != "" {
				t.Fatalf("%d x %d, %+v: %s", lines, width, o, d)
			}
		}
	}
}

// Boundaries around every edge of two tiles.
func TestStagesWithBoundariesOnTileEdges(t *testing.T) {
	r := newRig(t, "")
	small := tilings()[0]
	for _, width := range []int{small.samples, 2*small.samples + 1} {
		for _, at := range []int{0, 62, 63, 64, 65} {
			for _, far := range []int{at + 1, at + 2, 127, 128} {
				classes := slices.Repeat([]Class{Other, Activation}, 2*width)[:3*width]
				classes[at], classes[far] = Boundary, Boundary
				o := options()[(at+far)%4]
				if d := checkStages(r, small, classes, 3, width, o); d != "" {
					t.Fatalf("boundaries at %d and %d, 3 x %d: %s", at, far, width, d)
				}
			}
		}
	}
}

// Enough tiles that the look-back goes over several windows and the scan of counts has three levels (64*64 counts
// and more), on one long line and on many short ones.
func TestStagesOverManyTiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	r := newRig(t, "seed=9,workers=4,resident=24")
	n := cuda.SmallSamples*cuda.CountsSmall*cuda.CountsSmall + 777
	for i, shape := range [][2]int{{1, n}, {n / 7, 7}} {
		classes := segmenttest.Random(rand.New(rand.NewPCG(1, uint64(i))), shape[0]*shape[1], 0.02, 0.3)
		o := Options{Edges: EdgesKeep, Compaction: MultiPass, Rejected: true}
		if i == 1 {
			o = Options{Compaction: SinglePass, Rejected: true}
		}
		if d := checkStages(r, tilings()[0], classes, shape[0], shape[1], o); d != "" {
			t.Fatalf("%d x %d: %s", shape[0], shape[1], d)
		}
	}
}

// The comparison must notice one flipped sample, in any tile.
func TestComparisonOfStagesFindsFlips(t *testing.T) {
	r := newRig(t, "")
	classes := slices.Repeat(segmenttest.Line("1020 1200 1"), 20)
	for i := 0; i < len(classes); i += 7 {
		b := band{lines: 1, width: len(classes), rejected: true}
		flipped := slices.Clone(classes)
		flipped[i] = map[Class]Class{Boundary: Other, Activation: Other, Other: Boundary}[classes[i]]
		s := scanStage(r, tilings()[0], b, fromMasks(r, tilings()[0], b, segmenttest.Masks(flipped, 1, b.width)), true)
		marks, dropped := readoutStage(r, tilings()[0], b, s.scan)
		got, _ := compactStage(r, tilings()[0], b, SinglePass, marks, s.scan, b.n())
		got.DroppedAtEdges = dropped
		if segmenttest.Diff(got, SequentialBand(classes, 1, b.width, Options{Rejected: true})) == "" {
			t.Errorf("sample %d flipped is not noticed", i)
		}
		r.free()
	}
}

// Room for fewer spans than there are: the counts are true, the first ones are right, nothing is written behind.
func TestTooLittleRoomLosesNothing(t *testing.T) {
	r := newRig(t, "")
	classes := slices.Repeat(segmenttest.Line("12010"), 100)
	want := SequentialBand(classes, 2, 250, Options{Rejected: true})
	for _, form := range []Compaction{SinglePass, MultiPass} {
		for _, room := range []int{0, 1, 17} {
			b := band{lines: 2, width: 250, rejected: true}
			s := scanStage(r, tilings()[0], b, fromMasks(r, tilings()[0], b, segmenttest.Masks(classes, 2, 250)), false)
			marks, _ := readoutStage(r, tilings()[0], b, s.scan)
			got, total := compactStage(r, tilings()[0], b, form, marks, s.scan, room)
			if total.Kept != uint64(len(want.Kept.Bounds)) || total.Rejected != uint64(len(want.Rejected.Bounds)) {
				t.Errorf("form %d, room for %d: total %v, want %d and %d", form, room, total, len(want.Kept.Bounds), len(want.Rejected.Bounds))
			}
			if !slices.Equal(got.Kept.Bounds, want.Kept.Bounds[:room]) || !slices.Equal(got.Rejected.Bounds, want.Rejected.Bounds[:room]) {
				t.Errorf("form %d, room for %d: the first spans are wrong", form, room)
			}
			if !slices.Equal(got.Kept.First[:2], want.Kept.First[:2]) {
				t.Errorf("form %d, room for %d: offsets %v, want %v", form, room, got.Kept.First, want.Kept.First)
			}
			r.free()
		}
	}
}
