// The compaction stage: gathers the spans that marks end into lists in order. Its device text is
// kernels/cuda/compact.cu, its CPU mirrors are segment/compact.go, compact_multi.go and compact_partition.go.

package gpu

import (
	"slices"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// needCompact plans the buffers of the compaction.
func (s *segmentRun) needCompact(w *plan, lines, n, tiles uint64) {
	b := &s.buffers
	b.keptRoom = room(s.keptRoom, n, lines)
	w.add(&b.kept, 8*b.keptRoom)
	w.add(&b.keptFirst, 8*lines)
	if s.o.Rejected {
		b.rejectedRoom = room(s.rejectedRoom, n, lines)
		w.add(&b.rejected, 8*b.rejectedRoom)
		w.add(&b.rejectedFirst, 8*lines)
	}
	w.add(&b.edges, edgeBytes(lines))
	if s.o.Compaction == segment.SinglePass {
		w.add(&b.compactState, 8*(1+2*tiles))
		return
	}
	w.add(&b.local, 2*n)
	// A level of counts, then the sums of its blocks, and so on to the one sum of all.
	levels := []uint64{tiles}
	for c := tiles; ; {
		c = (c + s.e.kernels.countsBlock - 1) / s.e.kernels.countsBlock
		levels = append(levels, c)
		if c == 1 {
			break
		}
	}
	b.counts = make([]buffer, len(levels))
	for i, c := range levels {
		w.add(&b.counts[i], 16*c)
	}
}

func edgeBytes(lines uint64) uint64 { return 4 * ((lines + cuda.EdgeLines - 1) / cuda.EdgeLines) }

// compact starts the compaction in the form that was asked for.
func (s *segmentRun) compact() error {
	if err := s.zero(s.buffers.edges, edgeBytes(s.lines)); err != nil {
		return err
	}
	if s.o.Compaction == segment.SinglePass {
		return s.compactSinglePass()
	}
	return s.compactMultiPass()
}

func (s *segmentRun) compactParams() *cuda.CompactParams {
	b := &s.buffers
	return &cuda.CompactParams{Marks: b.marks.ptr, Scan: b.pairs.ptr,
		Kept: b.kept.ptr, Rejected: b.rejected.ptr, KeptFirst: b.keptFirst.ptr, RejectedFirst: b.rejectedFirst.ptr,
		Edges: b.edges.ptr, Total: b.head.ptr, KeptCapacity: b.keptRoom, RejectedCapacity: b.rejectedRoom,
		N: s.n, Width: uint32(s.band.Samples), Pos: s.pos, BeforeIndex: s.before.Index, WantRejected: flag(s.o.Rejected)}
}

func (s *segmentRun) compactSinglePass() error {
	k := &s.e.kernels.compact
	tiles := k.tiles(s.n)
	if err := s.zero(s.buffers.compactState, 8*(1+2*tiles)); err != nil {
		return err
	}
	p := s.compactParams()
	p.State = s.buffers.compactState.ptr
	if err := k.launch(s.e.driver, s.lane.stream, tiles, p); err != nil {
		return err
	}
	return s.e.synced("compact")
}

// compactMultiPass: local compaction, the exclusive scan of the counts over as many levels as it takes, stitch.
func (s *segmentRun) compactMultiPass() error {
	k, d, st := s.e.kernels, s.e.driver, s.lane.stream
	tiles := k.compactLocal.tiles(s.n)
	counts := s.buffers.counts
	p := s.compactParams()
	p.Local, p.Counts, p.Total = s.buffers.local.ptr, counts[0].ptr, counts[len(counts)-1].ptr
	if err := k.compactLocal.launch(d, st, tiles, p); err != nil {
		return err
	}
	if err := s.e.synced("compact_local"); err != nil {
		return err
	}
	var levels []*cuda.CountsParams
	for i, n := 0, tiles; i+1 < len(counts); i++ {
		levels = append(levels, &cuda.CountsParams{Counts: counts[i].ptr, Sums: counts[i+1].ptr, N: n})
		n = (n + k.countsBlock - 1) / k.countsBlock
	}
	for _, level := range levels {
		if err := k.compactCounts.launch(d, st, (level.N+k.countsBlock-1)/k.countsBlock, level); err != nil {
			return err
		}
		if err := s.e.synced("compact_counts"); err != nil {
			return err
		}
	}
	slices.Reverse(levels)
	for _, level := range levels[1:] { // the last level is one block, whose base is 0
		if err := k.compactBases.launch(d, st, (level.N+k.countsBlock-1)/k.countsBlock, level); err != nil {
			return err
		}
		if err := s.e.synced("compact_bases"); err != nil {
			return err
		}
	}
	if err := k.compactStitch.launch(d, st, tiles, p); err != nil {
		return err
	}
	return s.e.synced("compact_stitch")
}

// collect appends the spans of the step to the result, with the offsets and edge bits of lines l0 to l1-1, and reads
// the masks. An error leaves no spans behind, for the step may be done again.
func (s *segmentRun) collect(l0, l1 int, head stepHead) (err error) {
	b, r := &s.buffers, s.r
	kept, rejected := len(r.Kept.Bounds), len(r.Rejected.Bounds)
	defer func() {
		if err != nil {
			r.Kept.Bounds, r.Rejected.Bounds = r.Kept.Bounds[:kept], r.Rejected.Bounds[:rejected]
		}
	}()
	if err := s.collectSpans(&r.Kept, l0, l1, head.total.Kept, b.kept, b.keptFirst); err != nil {
		return err
	}
	if s.o.Rejected {
		if err := s.collectSpans(&r.Rejected, l0, l1, head.total.Rejected, b.rejected, b.rejectedFirst); err != nil {
			return err
		}
	}
	if s.o.Edges == segment.EdgesKeep {
		words := make([]uint32, edgeBytes(s.lines)/4)
		if err := s.lane.download(bytesOf(words), b.edges.ptr); err != nil {
			return err
		}
		for i := range l1 - l0 {
			v := words[i/cuda.EdgeLines] >> (i % cuda.EdgeLines * 4)
			r.Kept.Edge[l0+i], r.Rejected.Edge[l0+i] = uint8(v&3), uint8(v>>2&3)
		}
	}
	if s.o.Masks && s.classes.planes() != sentPlanes {
		m := r.Masks
		lo, hi := l0*m.Words, l1*m.Words
		if err := s.lane.download(bytesOf(m.B[lo:hi]), b.boundary.ptr); err != nil {
			return err
		}
		if err := s.lane.download(bytesOf(m.A[lo:hi]), b.activation.ptr); err != nil {
			return err
		}
	}
	if err := s.lastState(); err != nil {
		return err
	}
	r.DroppedAtEdges += int64(head.dropped)
	return nil
}

func (s *segmentRun) collectSpans(to *segment.Spans, l0, l1 int, n uint64, spans, first buffer) error {
	base := len(to.Bounds)
	to.Bounds = slices.Grow(to.Bounds, int(n))[:base+int(n)]
	if err := s.lane.download(bytesOf(to.Bounds[base:]), spans.ptr); err != nil {
		return err
	}
	if err := s.lane.download(bytesOf(to.First[l0:l1]), first.ptr); err != nil {
		return err
	}
	for i := l0; i < l1; i++ {
		to.First[i] += int64(base)
	}
	return nil
}
