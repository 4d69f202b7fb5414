package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// Segment runs classify, scan, readout and compact on the device. A piece of a line goes on from its carry there too.
func (l *loaded) Segment(ctx context.Context, c segment.Classifier, o segment.Options, carry *segment.Carry, r *segment.Result) error {
	if l.plain != nil {
		return l.plain.Segment(ctx, c, o, carry, r)
	}
	return l.guard(ctx, "segment", func() error { return l.segment(ctx, c, o, carry, r) })
}

func (l *loaded) segment(ctx context.Context, c segment.Classifier, o segment.Options, carry *segment.Carry, r *segment.Result) error {
	lines, samples := l.band.Lines, l.band.Samples
	s := &segmentRun{loaded: l, o: o, r: r, before: cuda.Pair{Index: cuda.NoIndex}, ends: true}
	if carry != nil {
		if lines != 1 {
			return fmt.Errorf("a carry is for a piece of one line, the band has %d", lines)
		}
		if carry.Pos < 0 || carry.Pos+int64(samples) > math.MaxUint32 {
			return fmt.Errorf("a line of %d samples; at most %d", carry.Pos+int64(samples), uint32(math.MaxUint32))
		}
		s.from(*carry)
	}
	r.Reset(lines)
	if o.Masks {
		if r.Masks == nil {
			r.Masks = new(segment.Masks)
		}
		r.Masks.Resize(lines, samples)
	} else {
		r.Masks = nil
	}
	var err error
	if s.classes, err = l.classes(ctx, c, r.Masks); err != nil {
		return err
	}
	s.keptRoom = l.e.plannedDensity()
	s.rejectedRoom = s.keptRoom
	need, run := s.need, s.run
	if f, ok := s.fused(); ok {
		need, run = f.need, f.run
	}
	if err := l.steps(ctx, "segment", need, func(l0, l1 int, at cuda.Ptr) error { return run(ctx, l0, l1, at) }); err != nil {
		return err
	}
	for _, g := range []*segment.Spans{&r.Kept, &r.Rejected} {
		g.First[lines] = int64(len(g.Bounds))
	}
	if carry != nil {
		*carry = s.after(*carry)
	}
	return nil
}

// segmentRun is one Segment call, a step of lines at a time.
type segmentRun struct {
	*loaded
	o       segment.Options
	r       *segment.Result
	classes classSource

	before    cuda.Pair // what is known before the first sample
	pos       uint32    // of it, in its line
	continued bool      // it starts no line
	ends      bool      // lines end with the band
	last      cuda.Pair // what is known after the last sample

	keptRoom, rejectedRoom float64 // spans a sample there is room for

	// Of the step in hand.
	buffers segmentBuffers
	lines   uint64
	n       uint64 // samples
	at      cuda.Ptr
}

// segmentBuffers is the device memory of a step.
type segmentBuffers struct {
	pairs      buffer // n cuda.Pair; then their scan, in place
	scanState  buffer
	aggregates buffer // of tiles; only for a trace
	marks      buffer // n bytes
	head       buffer // stepHead

	bounds, table        buffer // of the classifier
	boundary, activation buffer // bit planes, into the step or out of it

	compactState             buffer
	local                    buffer // n uint16
	counts                   []buffer
	kept, rejected           buffer // cuda.Bound
	keptFirst, rejectedFirst buffer // a uint64 a line
	edges                    buffer
	keptRoom, rejectedRoom   uint64 // spans
}

// stepHead is what a step says of itself: spans of each group, and runs dropped at line ends.
type stepHead struct {
	total   cuda.Counts
	dropped uint64
}

// from takes the state of the line before a piece.
func (s *segmentRun) from(c segment.Carry) {
	s.pos, s.continued, s.ends = uint32(c.Pos), c.Started, c.Final
	if !c.Started {
		return
	}
	if c.Armed && c.Last >= 0 {
		s.before = cuda.Pair{Index: uint32(c.Last), State: uint32(segment.Boundary)}
	}
	if c.Active {
		s.before.State = uint32(segment.Activation)
	}
}

// after is the state of the line after the piece.
func (s *segmentRun) after(c segment.Carry) segment.Carry {
	if c.Final {
		return segment.Carry{}
	}
	next := segment.Carry{Started: true, Last: -1, Pos: c.Pos + int64(s.band.Samples)}
	// Under EdgesKeep the virtual boundary before the line is there from the start.
	next.Armed = s.last.Index != cuda.NoIndex || s.o.Edges == segment.EdgesKeep && !c.Started || c.Armed
	next.Active = s.last.State&cuda.FlagMask == uint32(segment.Activation)
	if s.last.Index != cuda.NoIndex {
		next.Last = int64(s.last.Index)
	}
	return next
}

// plannedDensity is the spans a sample that earlier bands had, or what images have.
func (e *Engine) plannedDensity() float64 {
	if d := math.Float64frombits(e.density.Load()); d > 0 {
		return d
	}
	if e.o.spans > 0 {
		return e.o.spans
	}
	return plannedSpans
}

// room is how many spans of a group a step has memory for: as planned, and never more than there can be.
func room(perSample float64, n, lines uint64) uint64 {
	return min(uint64(perSample*float64(n))+64, n/2+lines+1)
}

// need plans the buffers of a step.
func (s *segmentRun) need(l0, l1 int) *plan {
	b := &s.buffers
	*b = segmentBuffers{}
	lines, words := uint64(l1-l0), uint64((s.band.Samples+63)/64)
	n, k := lines*s.width(), s.e.kernels
	tiles := k.scan.tiles(n)
	w := new(plan)
	w.add(&b.pairs, 8*n)
	w.add(&b.scanState, 8*(1+tiles))
	if s.e.o.trace != nil {
		w.add(&b.aggregates, 8*tiles)
	}
	w.add(&b.marks, n)
	w.add(&b.head, 24)
	s.classes.need(w, b, lines, words)
	if s.o.Masks && s.classes.planes() == noPlanes {
		w.add(&b.boundary, 8*lines*words)
		w.add(&b.activation, 8*lines*words)
	}
	s.needCompact(w, lines, n, tiles)
	return w
}

// run does a step on lines l0 to l1-1, whose samples are at a place on the device, and appends what it finds.
func (s *segmentRun) run(ctx context.Context, l0, l1 int, at cuda.Ptr) error {
	s.lines, s.n, s.at = uint64(l1-l0), uint64(l1-l0)*s.width(), at
	if err := s.classes.send(ctx, s, l0, l1); err != nil {
		return err
	}
	stages := []stageRun{{"pairs", s.classify, s.buffers.pairs}}
	if s.o.Masks && s.classes.planes() == noPlanes {
		stages = append(stages, stageRun{"", s.packMasks, buffer{}})
	}
	stages = append(stages, stageRun{"scan", s.scan, s.buffers.pairs}, stageRun{"marks", s.readout, s.buffers.marks},
		stageRun{"", s.compact, buffer{}})
	if err := s.launch(stages); err != nil {
		return err
	}
	var head stepHead
	if err := s.lane.download(valueBytes(&head), s.buffers.head.ptr); err != nil {
		return err
	}
	if s.o.Compaction == segment.MultiPass {
		counts := s.buffers.counts
		if err := s.lane.download(valueBytes(&head.total), counts[len(counts)-1].ptr); err != nil {
			return err
		}
	}
	if head.total.Kept > s.buffers.keptRoom || head.total.Rejected > s.buffers.rejectedRoom {
		s.grow(head.total)
		return errAgain
	}
	return s.collect(l0, l1, head)
}

// stageRun is a stage and the buffer that it leaves.
type stageRun struct {
	name string
	run  func() error
	out  buffer
}

// launch starts the stages of a step, all in one task of the thread.
func (s *segmentRun) launch(stages []stageRun) error {
	if s.e.o.trace != nil {
		return s.traced(stages)
	}
	return s.e.do(func() error {
		for _, g := range stages {
			if err := g.run(); err != nil {
				return err
			}
		}
		return nil
	})
}

// traced runs the stages one by one and shows what each leaves.
func (s *segmentRun) traced(stages []stageRun) error {
	show := func(name string, b buffer, bytes uint64) error {
		data := make([]byte, bytes)
		if err := s.lane.download(data, b.ptr); err != nil {
			return err
		}
		s.e.o.trace(name, data)
		return nil
	}
	for _, g := range stages {
		if err := s.e.do(g.run); err != nil {
			return err
		}
		var err error
		switch g.name {
		case "pairs":
			err = show(g.name, g.out, 8*s.n)
		case "scan":
			tiles := s.e.kernels.scan.tiles(s.n)
			err = errors.Join(show(g.name, g.out, 8*s.n), show("aggregates", s.buffers.aggregates, 8*tiles),
				show("prefixes", s.buffers.scanState, 8*(1+tiles)))
		case "marks":
			err = show(g.name, g.out, s.n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// grow makes the next try of the step have room for what was found, with some to spare for the steps after it.
func (s *segmentRun) grow(total cuda.Counts) {
	per := func(count uint64) float64 { return (float64(count)*1.1 + 1) / float64(s.n) }
	s.keptRoom = max(s.keptRoom, per(total.Kept))
	s.rejectedRoom = max(s.rejectedRoom, per(total.Rejected))
	if s.e.o.spans == 0 {
		s.e.density.Store(math.Float64bits(max(s.keptRoom, s.rejectedRoom)))
	}
}
