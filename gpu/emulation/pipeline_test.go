//go:build linux

package emulation_test

import (
	"fmt"
	"math"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// tiling is one of the two sizes of tiles.
type tiling struct {
	suffix                 string
	samples, countsInBlock int
}

func tilings() []tiling {
	return []tiling{{"_small", cuda.SmallSamples, cuda.CountsSmall}, {"", cuda.TileSamples, cuda.CountsBlock}}
}

// band is what the stages after classify work on.
type band struct {
	lines, width int
	edges        segment.Edges
	rejected     bool
	// Of a piece of one line: where it starts, what is known before, and whether the line ends with it.
	pos       uint32
	continued bool
	before    segment.FlagAndIndex
	open      bool
}

func (b band) n() int { return b.lines * b.width }

func (b band) beforePair() (index, flag uint32) {
	if !b.continued || b.before.Index < 0 {
		return cuda.NoIndex, uint32(b.before.Flag)
	}
	return uint32(b.before.Index), uint32(b.before.Flag)
}

func boolean(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// scanned is what the scan leaves.
type scanned struct {
	pairs, scan          cuda.Ptr
	state                cuda.Ptr
	aggregates, prefixes []segment.Headed
}

// scanStage runs the scan; inPlace puts it over the pairs.
func scanStage(r *rig, t tiling, b band, pairs cuda.Ptr, inPlace bool) scanned {
	tiles := ceil(b.n(), t.samples)
	s := scanned{pairs: pairs, scan: pairs, state: space[uint64](r, 1+tiles, true)}
	if !inPlace {
		s.scan = space[cuda.Pair](r, b.n(), false)
	}
	p := cuda.ScanParams{Pairs: pairs, Scan: s.scan, State: s.state, Aggregates: space[cuda.Pair](r, tiles, false), N: uint64(b.n())}
	p.BeforeIndex, p.BeforeFlag = b.beforePair()
	run(r, "scan"+t.suffix, tiles, p)
	for _, a := range download[cuda.Pair](r, p.Aggregates, tiles) {
		s.aggregates = append(s.aggregates, headed(a))
	}
	for _, d := range download[uint64](r, s.state, 1+tiles)[1:] {
		if d>>cuda.StatusShift != cuda.StatusPrefix {
			r.t.Fatalf("a tile ends with descriptor %#x", d)
		}
		s.prefixes = append(s.prefixes, headed(cuda.Pair{Index: uint32(d), State: uint32(d>>32) & 7}))
	}
	return s
}

// headed reads a pair as the mirror writes it.
func headed(p cuda.Pair) segment.Headed {
	index := int64(p.Index)
	if p.Index == cuda.NoIndex {
		index = -1
	}
	return segment.Headed{FlagAndIndex: segment.FlagAndIndex{Flag: segment.Class(p.State & cuda.FlagMask), Index: index},
		Head: p.State&cuda.HeadBit != 0}
}

// readoutStage gives the marks and the number of dropped runs.
func readoutStage(r *rig, t tiling, b band, scan cuda.Ptr) (marks cuda.Ptr, dropped int64) {
	p := cuda.ReadoutParams{Scan: scan, Marks: space[uint8](r, b.n(), false), Dropped: space[uint64](r, 1, true), N: uint64(b.n()),
		Width: uint32(b.width), Pos: b.pos, Edges: uint32(b.edges), Ends: boolean(!b.open)}
	p.BeforeIndex, p.BeforeFlag = b.beforePair()
	run(r, "readout"+t.suffix, ceil(b.n(), t.samples), p)
	return p.Marks, int64(download[uint64](r, p.Dropped, 1)[0])
}

// compactStage gathers the spans, in either form, into room for so many of each group; it gives the result and the
// true counts.
func compactStage(r *rig, t tiling, b band, form segment.Compaction, marks, scan cuda.Ptr, room int) (*segment.Result, cuda.Counts) {
	tiles := ceil(b.n(), t.samples)
	p := cuda.CompactParams{Marks: marks, Scan: scan, Kept: space[cuda.Bound](r, room, false), Rejected: space[cuda.Bound](r, room, false),
		KeptFirst: space[uint64](r, b.lines, false), RejectedFirst: space[uint64](r, b.lines, true),
		Edges: space[uint32](r, ceil(b.lines, cuda.EdgeLines), true), Total: space[cuda.Counts](r, 1, false),
		KeptCapacity: uint64(room), RejectedCapacity: uint64(room),
		N: uint64(b.n()), Width: uint32(b.width), Pos: b.pos, WantRejected: boolean(b.rejected)}
	p.BeforeIndex, _ = b.beforePair()
	if form == segment.SinglePass {
		p.State = space[uint64](r, 1+2*tiles, true)
		run(r, "compact"+t.suffix, tiles, p)
	} else {
		p.Local, p.Counts = space[uint16](r, b.n(), false), space[cuda.Counts](r, tiles, false)
		run(r, "compact_local"+t.suffix, tiles, p)
		p.Total = scanCounts(r, t, p.Counts, tiles)
		run(r, "compact_stitch"+t.suffix, tiles, p)
	}
	total := download[cuda.Counts](r, p.Total, 1)[0]
	res := new(segment.Result)
	res.Kept = spans(r, b, p.Kept, p.KeptFirst, p.Edges, 0, min(total.Kept, uint64(room)))
	res.Rejected = spans(r, b, p.Rejected, p.RejectedFirst, p.Edges, 2, min(total.Rejected, uint64(room)))
	return res, total
}

// scanCounts is the exclusive scan of n counts, as many levels deep as it takes; it gives where the total is.
func scanCounts(r *rig, t tiling, counts cuda.Ptr, n int) (total cuda.Ptr) {
	blocks := ceil(n, t.countsInBlock)
	p := cuda.CountsParams{Counts: counts, Sums: space[cuda.Counts](r, blocks, false), N: uint64(n)}
	run(r, "compact_counts"+t.suffix, blocks, p)
	if blocks == 1 {
		return p.Sums
	}
	total = scanCounts(r, t, p.Sums, blocks)
	run(r, "compact_bases"+t.suffix, blocks, p)
	return total
}

func spans(r *rig, b band, bounds, first, edges cuda.Ptr, shift uint, n uint64) (s segment.Spans) {
	for _, v := range download[cuda.Bound](r, bounds, int(n)) {
		s.Bounds = append(s.Bounds, segment.Bound(v))
	}
	for _, v := range download[uint64](r, first, b.lines) {
		s.First = append(s.First, int64(v))
	}
	s.First = append(s.First, int64(n))
	words := download[uint32](r, edges, ceil(b.lines, cuda.EdgeLines))
	for l := range b.lines {
		s.Edge = append(s.Edge, uint8(words[l/cuda.EdgeLines]>>(uint(l%cuda.EdgeLines)*4+shift)&3))
	}
	return s
}

// fromMasks runs the classify stage on bit planes.
func fromMasks(r *rig, t tiling, b band, m *segment.Masks) cuda.Ptr {
	p := cuda.MaskParams{Pairs: space[cuda.Pair](r, b.n(), false), Boundary: upload(r, m.B), Activation: upload(r, m.A),
		N: uint64(b.n()), Words: uint64(len(m.B)), Width: uint32(b.width), WordsPerLine: uint32(m.Words), Pos: b.pos, Continued: boolean(b.continued)}
	run(r, "classify_masks"+t.suffix, ceil(b.n(), t.samples), p)
	return p.Pairs
}

// toMasks packs pairs.
func toMasks(r *rig, b band, pairs cuda.Ptr) *segment.Masks {
	m := new(segment.Masks)
	m.Resize(b.lines, b.width)
	p := cuda.MaskParams{Pairs: pairs, Boundary: space[uint64](r, len(m.B), false), Activation: space[uint64](r, len(m.A), false),
		N: uint64(b.n()), Words: uint64(len(m.B)), Width: uint32(b.width), WordsPerLine: uint32(m.Words)}
	run(r, "pack_masks", ceil(len(m.B), cuda.PlainThreads/32), p)
	m.B, m.A = download[uint64](r, p.Boundary, len(m.B)), download[uint64](r, p.Activation, len(m.A))
	return m
}

// firstDifference says where two lists differ first; "" if nowhere.
func firstDifference[T comparable](what string, got, want []T, width int) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Sprintf("%s: element %d (line %d, sample %d): got %v, want %v", what, i, i/max(width, 1), i%max(width, 1), got[i], want[i])
		}
	}
	return ""
}

// sameFloat compares bits, but that all NaN are one.
func sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || (math.IsNaN(a) && math.IsNaN(b))
}
