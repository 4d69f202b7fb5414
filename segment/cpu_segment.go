package segment

import (
	"context"
	"fmt"
	"math"
)

func (l *cpuLoaded) Segment(ctx context.Context, c Classifier, o Options, carry *Carry, r *Result) error {
	return l.guard(ctx, "segment", func() error { return l.segment(ctx, c, o, carry, r) })
}

func (l *cpuLoaded) segment(ctx context.Context, c Classifier, o Options, carry *Carry, r *Result) error {
	lines, samples := l.band.Lines, l.band.Samples
	if carry != nil {
		if lines != 1 {
			return fmt.Errorf("a carry is for a piece of one line, the band has %d", lines)
		}
		if carry.Pos < 0 || carry.Pos+int64(samples) > math.MaxUint32 {
			return fmt.Errorf("a line of %d samples; at most %d", carry.Pos+int64(samples), uint32(math.MaxUint32))
		}
	}
	e := l.engine
	run := segmentRun{l: l, o: o, carry: carry, tiling: e.tiling(lines, samples)}
	resetResult(r, lines)
	if o.Masks {
		if r.Masks == nil {
			r.Masks = new(Masks)
		}
		r.Masks.Resize(lines, samples)
		run.masks = r.Masks
	} else {
		r.Masks = nil
	}
	workers := max(1, min(e.workers, run.tiling.tiles()))
	run.scratch = e.borrow(workers)
	defer e.giveBack(run.scratch)

	switch k := c.(type) {
	case Thresholds:
		return run.known(ctx, &k, workers, r)
	case *Thresholds:
		return run.known(ctx, k, workers, r)
	case Table:
		return run.known(ctx, &k, workers, r)
	case *Table:
		return run.known(ctx, k, workers, r)
	}
	if err := run.unknown(ctx, c, workers); err != nil {
		return err
	}
	return run.compact(ctx, workers, r)
}

// segmentRun is one Segment call.
type segmentRun struct {
	l      *cpuLoaded
	o      Options
	carry  *Carry
	tiling tiling
	masks  *Masks         // those to keep, or to read; nil: none
	line   lineClassifier // classifiers the engine knows
	other  Classifier     // else: runs on the lines of a tile, or is nil when masks are ready

	scratch []*cpuScratch // by worker
	state   *lookback[stretch]
	edges   edgeMarks
	end     stretch // after the last sample; written by the last tile
}

func (s *segmentRun) known(ctx context.Context, c sampleClassifier, workers int, r *Result) (err error) {
	if s.tiling.lines == 0 || s.tiling.samples == 0 { // an empty plane has no type to check
		return s.compact(ctx, workers, r)
	}
	if s.line, err = c.prepare(s.l.body.Type(), s.l.band.Line0, s.l.band.Lines); err != nil {
		return err
	}
	return s.compact(ctx, workers, r)
}

// compact runs all tiles into r and hands the carry on.
func (s *segmentRun) compact(ctx context.Context, workers int, r *Result) error {
	if s.o.Edges == EdgesKeep {
		s.edges = newEdgeMarks(s.tiling.lines)
	}
	tiles := s.tiling.tiles()
	if s.tiling.perLine > 1 {
		s.state = newLookback(tiles, stretch{}, joinStretch)
	}
	plan := compactPlan{form: s.o.Compaction, workers: workers, tiles: tiles}
	for _, w := range s.scratch {
		for k := range w.spans {
			plan.scratch = append(plan.scratch, &w.spans[k])
		}
	}
	if err := compactSpans(ctx, plan, r, s.produce); err != nil {
		return err
	}
	if s.edges != nil {
		s.edges.store(r)
	}
	if s.carry != nil {
		next := Carry{Started: true, Armed: s.end.bound, Active: s.end.tail, Last: s.end.last, Pos: s.carry.Pos + int64(s.tiling.samples)}
		if s.carry.Final {
			next = Carry{}
		}
		*s.carry = next
	}
	return nil
}

// produce runs one tile.
func (s *segmentRun) produce(worker, tile int, out *tileSpans) error {
	l0, l1, s0, s1 := s.tiling.of(tile)
	t := tileScan{run: s, out: out, scratch: s.scratch[worker]}
	if s.tiling.perLine == 1 {
		return t.wholeLines(l0, l1)
	}
	return t.piece(tile, l0, s0, s1)
}

// start is the state at the start of every line of the band.
func (s *segmentRun) start() bitScan {
	if c := s.carry; c != nil && c.Started {
		st := bitScan{armed: c.Armed, last: c.Last}
		if c.Active {
			st.active = 1
		}
		return st
	}
	return bitScan{armed: s.o.Edges == EdgesKeep, last: -1}
}

// ends tells whether lines end with the band.
func (s *segmentRun) ends() bool { return s.carry == nil || s.carry.Final }

// offset is the position in the line of the band's first sample.
func (s *segmentRun) offset() int64 {
	if s.carry == nil {
		return 0
	}
	return s.carry.Pos
}

// unknown prepares a classifier that the engine does not know. Whole lines are classified with their tile; where
// lines are cut into pieces, all are classified first, since only whole lines are sure to have a meaning of their
// own.
func (s *segmentRun) unknown(ctx context.Context, c Classifier, workers int) error {
	s.other = c
	halo := c.Needs().HaloLines
	if s.tiling.perLine == 1 {
		s.tiling.perTile = max(s.tiling.perTile, s.tiling.aroundHalo(halo, workers))
		return nil
	}
	if s.masks == nil {
		s.masks = new(Masks)
		s.masks.Resize(s.tiling.lines, s.tiling.samples)
	}
	each := max(1, s.tiling.aroundHalo(halo, workers))
	err := runTiles(ctx, workers, (s.tiling.lines+each-1)/each, nil, func(_, t int) error {
		l0, l1 := t*each, min((t+1)*each, s.tiling.lines)
		m := s.masks.sub(l0, l1)
		return s.classifyLines(l0, l1, &m)
	})
	s.other = nil
	return err
}

// classifyLines runs the unknown classifier on body lines l0 to l1-1 and puts the bits into m, which has their
// shape.
func (s *segmentRun) classifyLines(l0, l1 int, m *Masks) error {
	got := *m
	if err := s.other.Classify(s.l.band.lines(l0, l1, s.other.Needs().HaloLines), &got); err != nil {
		return err
	}
	if got.Lines != m.Lines || got.Samples != m.Samples || got.Words != m.Words || len(got.B) != len(m.B) || len(got.A) != len(m.A) {
		return fmt.Errorf("%T gave masks of %d x %d for %d x %d samples", s.other, got.Lines, got.Samples, m.Lines, m.Samples)
	}
	copy(m.B, got.B) // no work if it wrote into m's memory
	copy(m.A, got.A)
	for l := range m.Lines {
		b, a := m.Line(l)
		tidyLine(b, a, m.Samples)
	}
	return nil
}

// lines is the band of body lines l0 to l1-1, with at least as much of b around them as halo lines or as b has.
func (b *Band) lines(l0, l1, halo int) Band {
	c := *b
	c.Line0, c.Lines = b.Line0+int64(l0), l1-l0
	c.Before.Lines = min(b.Before.Lines+l0, halo)
	c.After.Lines = min(b.After.Lines+b.Lines-l1, halo)
	from, n := b.Before.Lines+l0-c.Before.Lines, c.Before.Lines+c.Lines+c.After.Lines
	c.V = b.V.Sub(from, 0, n, b.V.Samples)
	for i := range c.C {
		if b.C[i].Lines > 0 {
			c.C[i] = b.C[i].Sub(from, 0, n, b.C[i].Samples)
		}
	}
	return c
}
