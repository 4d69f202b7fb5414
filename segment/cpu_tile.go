package segment

import "slices"

// tileScan runs one tile: classify a chunk, scan its masks while they are in the cache, go on.
type tileScan struct {
	run     *segmentRun
	out     *tileSpans
	scratch *cpuScratch
	masks   *Masks // classified before the scan, from line l0 on; nil: classify chunk by chunk
	l0      int
}

// wholeLines runs lines l0 to l1-1.
func (t *tileScan) wholeLines(l0, l1 int) error {
	s := t.run
	t.out.reset(l0)
	if s.other != nil {
		m := &t.scratch.masks
		if s.masks != nil {
			kept := s.masks.sub(l0, l1)
			m = &kept
		} else {
			m.Resize(l1-l0, s.tiling.samples)
		}
		if err := s.classifyLines(l0, l1, m); err != nil {
			return err
		}
		t.masks, t.l0 = m, l0
	}
	simple := s.o.Edges == EdgesDrop && s.carry == nil
	for line := l0; line < l1; line++ {
		t.out.startLine()
		st := s.start()
		t.scan(&st, line, 0, s.tiling.samples)
		if simple {
			// What fromStart and end do, without their branches, which are hard to predict.
			t.out.dropped += int64(st.active) + oneIf(st.seen && st.lead)
			continue
		}
		t.fromStart(line, &st)
		t.end(line, st.stretch(true))
	}
	return nil
}

func oneIf(c bool) int64 {
	var n int64
	if c {
		n = 1
	}
	return n
}

// piece runs samples s0 to s1-1 of a line that is cut into tiles. All but a line's first do not know at the start
// what came before, so their first boundary waits: it is settled when the look-back has summed up everything to the
// left, and its span then put in front.
func (t *tileScan) piece(tile, line, s0, s1 int) error {
	s := t.run
	published := false
	defer func() {
		if !published { // a panic: later tiles must not wait for this one
			s.state.stop()
		}
	}()
	if s.line == nil {
		t.masks = s.masks
	}
	head := s0 == 0
	var st bitScan
	if head {
		t.out.reset(line)
		t.out.startLine()
		st = s.start()
	} else {
		t.out.reset(line + 1)
		t.out.kept.bounds = append(t.out.kept.bounds, Bound{}) // room for the span that ends at the first boundary
		t.out.rejected.bounds = append(t.out.rejected.bounds, Bound{})
	}
	t.scan(&st, line, s0, s1)
	own := st.stretch(head)
	before, ok := s.state.exclusive(tile, own)
	published = true
	if !ok {
		t.out.reset(line + 1) // the run is ending with another tile's error
		return nil
	}
	if head {
		t.fromStart(line, &st)
	} else {
		t.settle(line, before, own)
		own = joinStretch(before, own)
	}
	if s1 == s.tiling.samples {
		t.end(line, own)
	}
	return nil
}

// stretch sums up what the scan saw.
func (st *bitScan) stretch(head bool) stretch {
	tail := st.active != 0
	x := stretch{head: head, bound: st.armed, first: st.first, last: st.last, lead: st.lead, tail: tail}
	if !x.bound {
		x.lead = tail
	}
	return x
}

// scan classifies and scans samples s0 to s1-1 of a line of the band, chunk by chunk.
func (t *tileScan) scan(st *bitScan, line, s0, s1 int) {
	s := t.run
	chunk := s.l.engine.chunk
	pos := s.offset()
	for ; s0 < s1; s0 += chunk {
		n := min(chunk, s1-s0)
		w0, words := s0/64, (n+63)/64
		b, a := t.scratch.b[:words], t.scratch.a[:words]
		switch {
		case t.masks != nil:
			b, a = t.masks.Line(line - t.l0)
			b, a = b[w0:w0+words], a[w0:w0+words]
		case s.masks != nil:
			b, a = s.masks.Line(line)
			b, a = b[w0:w0+words], a[w0:w0+words]
			fallthrough
		default:
			s.line.classify(&s.l.body, line, s0, s0+n, b, a)
		}
		t.spans(st, b, a, pos+int64(s0))
	}
}

// spans scans the masks of one chunk and appends what ends there.
func (t *tileScan) spans(st *bitScan, b, a []uint64, pos int64) {
	need := spansIn(len(b))
	k := &t.out.kept
	k.bounds = slices.Grow(k.bounds, need)
	n := len(k.bounds)
	free := k.bounds[n:cap(k.bounds)]
	if !t.run.o.Rejected {
		k.bounds = k.bounds[:n+st.kept(b, a, pos, t.scratch.list, free)]
		return
	}
	r := &t.out.rejected
	r.bounds = slices.Grow(r.bounds, need)
	nr := len(r.bounds)
	more, moreRejected := st.both(b, a, pos, t.scratch.list, free, r.bounds[nr:cap(r.bounds)])
	k.bounds, r.bounds = k.bounds[:n+more], r.bounds[:nr+moreRejected]
}

// fromStart settles what the first boundary of a line means beyond its span, where the scan knew the line's start.
func (t *tileScan) fromStart(line int, st *bitScan) {
	s := t.run
	if !st.seen {
		return
	}
	start := s.start()
	switch {
	case !start.armed:
		if st.lead {
			t.out.dropped++
		}
	case start.last >= 0: // a boundary of an earlier piece
	case st.lead:
		s.edges.set(line, EdgeLeft, false)
	case s.o.Rejected && st.first > 0:
		s.edges.set(line, EdgeLeft, true)
	}
}

// settle is fromStart for a piece: before is all of the line to its left. The front slots of the tile's spans are
// filled or removed.
func (t *tileScan) settle(line int, before, own stretch) {
	s := t.run
	active := before.tail || own.lead
	var kept, rejected bool
	switch {
	case !own.bound:
	case !before.bound:
		if active {
			t.out.dropped++
		}
	case active:
		kept = true
	default:
		rejected = s.o.Rejected && own.first-before.last >= 2
	}
	span := Bound{uint32(max(before.last, 0)), uint32(own.first)}
	front(&t.out.kept.bounds, span, kept)
	front(&t.out.rejected.bounds, span, rejected)
	if (kept || rejected) && before.last < 0 {
		s.edges.set(line, EdgeLeft, rejected)
	}
}

// front fills the slot at the front of v, or closes it. It is left open where boundaries are rare, so that little
// has to move.
func front(v *[]Bound, span Bound, is bool) {
	if is {
		(*v)[0] = span
		return
	}
	*v = append((*v)[:0], (*v)[1:]...)
}

// end handles the end of a line; x is the whole line.
func (t *tileScan) end(line int, x stretch) {
	s := t.run
	width := s.offset() + int64(s.tiling.samples)
	switch {
	case !s.ends():
		s.end = x // one line, so no other tile writes it
	case s.o.Edges == EdgesDrop:
		if x.tail {
			t.out.dropped++
		}
	case x.tail:
		t.atEnd(line, &t.out.kept, x.last, width, false)
	case s.o.Rejected && width-x.last >= 2:
		t.atEnd(line, &t.out.rejected, x.last, width, true)
	}
}

// atEnd appends the span between the boundary at last and the virtual one after the line.
func (t *tileScan) atEnd(line int, to *localSpans, last, width int64, rejected bool) {
	to.bounds = append(to.bounds, Bound{uint32(max(last, 0)), uint32(width - 1)})
	t.run.edges.set(line, EdgeRight, rejected)
	if last < 0 {
		t.run.edges.set(line, EdgeLeft, rejected)
	}
}
