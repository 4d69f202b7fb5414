package segment

import (
	"context"
	"sync"
	"sync/atomic"
)

// This file is the stable partition: kept spans and rejected spans are two groups, each in order of line and
// start, with one exclusive scan a group (both halves of counts go through the same compaction).

// tileSpans is what one tile found: its own small output, in order. A tile is any run of consecutive samples of the
// band taken line after line, so it holds pieces of lines or many whole lines.
type tileSpans struct {
	kept, rejected localSpans
	line           int // the first line that starts in this tile
	dropped        int64
}

// localSpans is one group of a tile. first[k] is how many spans of the tile come before the start of line
// tileSpans.line+k; it has one entry for each line that starts in the tile.
type localSpans struct {
	bounds []Bound
	first  []int64
}

// reset empties t and keeps its memory; line is the first line that starts in the tile.
func (t *tileSpans) reset(line int) {
	t.kept = localSpans{t.kept.bounds[:0], t.kept.first[:0]}
	t.rejected = localSpans{t.rejected.bounds[:0], t.rejected.first[:0]}
	t.line, t.dropped = line, 0
}

// startLine notes that the next line starts here.
func (t *tileSpans) startLine() {
	t.kept.first = append(t.kept.first, int64(len(t.kept.bounds)))
	t.rejected.first = append(t.rejected.first, int64(len(t.rejected.bounds)))
}

func (t *tileSpans) counts() counts {
	return counts{int64(len(t.kept.bounds)), int64(len(t.rejected.bounds))}
}

// compactPlan says how a compaction runs. block 0 means scanBlock (it matters to MultiPass only). scratch, singlePassDepth
// a worker, is memory of earlier runs (it matters to SinglePass only); nil: none.
type compactPlan struct {
	form           Compaction
	workers, tiles int
	block          int
	scratch        []*tileSpans
}

// compactSpans runs a whole compaction into r: produce fills the tileSpans it is given (already empty but for line,
// which it must set through reset) and the spans of all tiles end up in r.Kept and r.Rejected in tile order, with
// First of both and DroppedAtEdges. r must have been shaped by resetResult; Edge is left to the caller (see
// edgeMarks). Every line must start in exactly one tile, lines in tile order. On an error r holds no meaning.
func compactSpans(ctx context.Context, p compactPlan, r *Result, produce func(worker, tile int, out *tileSpans) error) error {
	kept, rejected := newSink(&r.Kept), newSink(&r.Rejected)
	var dropped atomic.Int64
	// Single-pass scratch belongs to the slot; multi-pass must hold every tile's spans until the stitch.
	single := p.form == SinglePass
	scratch := p.scratch
	if !single || scratch == nil {
		n := max(1, p.workers) * singlePassDepth
		if !single {
			n = p.tiles
		}
		scratch = make([]*tileSpans, n)
		for i := range scratch {
			scratch[i] = new(tileSpans)
		}
	}
	of := func(place, tile int) *tileSpans {
		if single {
			return scratch[place]
		}
		return scratch[tile]
	}
	local := func(place, tile int) (counts, error) {
		t := of(place, tile)
		t.reset(0)
		worker := place
		if single {
			worker /= singlePassDepth
		}
		if err := produce(worker, tile, t); err != nil {
			return counts{}, err
		}
		dropped.Add(t.dropped)
		return t.counts(), nil
	}
	put := func(place, tile int, base counts) error {
		t := of(place, tile)
		kept.place(t.line, &t.kept, base.kept)
		rejected.place(t.line, &t.rejected, base.rejected)
		if !single {
			*t = tileSpans{} // what is stitched need not be held twice
		}
		return nil
	}
	var total counts
	var err error
	if single {
		total, err = compactSinglePass(ctx, p.workers, p.tiles, local, put)
	} else {
		block := p.block
		if block == 0 {
			block = scanBlock
		}
		total, err = compactMultiPass(ctx, p.workers, p.tiles, block, local, put)
	}
	if err != nil {
		return err
	}
	kept.finish(total.kept)
	rejected.finish(total.rejected)
	r.DroppedAtEdges = dropped.Load()
	return nil
}

// resetResult shapes r for a band of lines and empties it, keeping its memory: First all zero with lines+1
// entries, Edge all zero with lines entries, for both groups whether or not rejected spans are asked for.
func resetResult(r *Result, lines int) {
	for _, s := range []*Spans{&r.Kept, &r.Rejected} {
		s.Bounds = s.Bounds[:0]
		s.First = zeroed(s.First, lines+1)
		s.Edge = zeroed(s.Edge, lines)
	}
	r.DroppedAtEdges = 0
}

// zeroed is a slice of n zeros, in the memory of s if that is enough.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// sink is the output of one group: many tiles write their own ranges at once, and the first that does not fit
// grows it while no other writes.
type sink struct {
	out *Spans
	mu  sync.RWMutex // read: writes to a range; write: growth
}

func newSink(out *Spans) *sink { return &sink{out: out} }

// place copies the spans of a tile to base and turns its line starts into offsets of the whole.
func (s *sink) place(line int, l *localSpans, base int64) {
	for k, n := range l.first {
		s.out.First[line+k] = base + n
	}
	if len(l.bounds) == 0 {
		return
	}
	end := base + int64(len(l.bounds))
	s.mu.RLock()
	if end > int64(cap(s.out.Bounds)) {
		s.mu.RUnlock()
		s.grow(end)
		s.mu.RLock()
	}
	copy(s.out.Bounds[base:end:end], l.bounds)
	s.mu.RUnlock()
}

// grow makes room for n spans at least. Ranges not written yet are copied as they are, which harms nothing.
func (s *sink) grow(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.out.Bounds[:cap(s.out.Bounds)]
	if n <= int64(len(have)) {
		return // another tile grew it meanwhile
	}
	more := make([]Bound, max(n, 2*int64(len(have))))
	copy(more, have)
	s.out.Bounds = more[:0]
}

// finish sets the length to the total and closes the offsets.
func (s *sink) finish(total int64) {
	s.out.Bounds = s.out.Bounds[:total]
	s.out.First[len(s.out.First)-1] = total
}

// edgeMarks gathers the edge bits of lines from tiles that may share a line: 4 bits a line, set atomically.
type edgeMarks []atomic.Uint32

func newEdgeMarks(lines int) edgeMarks { return make(edgeMarks, (lines+7)/8) }

// set adds EdgeLeft, EdgeRight, both or neither to the kept or the rejected spans of a line.
func (m edgeMarks) set(line int, bit uint8, rejected bool) {
	if bit == 0 {
		return // most spans
	}
	shift := uint(line%8) * 4
	if rejected {
		shift += 2
	}
	m[line/8].Or(uint32(bit) << shift)
}

// store writes the marks into both groups of r.
func (m edgeMarks) store(r *Result) {
	for line := range r.Kept.Edge {
		v := m[line/8].Load() >> (uint(line%8) * 4)
		r.Kept.Edge[line] = uint8(v & 3)
		r.Rejected.Edge[line] = uint8(v >> 2 & 3)
	}
}
