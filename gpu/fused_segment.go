package gpu

import (
	"context"
	"errors"
	"math"
	"slices"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// fusedRun is a Segment call on the fused kernels: a launch for each group, and one for the masks if they are wanted.
type fusedRun struct {
	*segmentRun
	by      fusedClasses
	buffers fusedBuffers
}

// fusedBuffers is the device memory of a step.
type fusedBuffers struct {
	table, descriptors, ticket buffer
	head                       buffer // fusedHead, then the dropped runs of each warp
	kept, rejected             buffer // cuda.Bound, by position
	keptRoom, rejectedRoom     uint64
}

// fusedHead is what the two launches of a step say of themselves.
type fusedHead struct{ kept, rejected cuda.FusedTotal }

const fusedHeadBytes = 32

// fused tells whether the fused kernels do this call, and prepares it.
func (s *segmentRun) fused() (*fusedRun, bool) {
	o := &s.e.o
	if o.stages || o.trace != nil || s.o.Compaction != segment.SinglePass || s.width() > fusedLimit(o)-fusedAlign {
		return nil, false
	}
	classes, ok := fusedClassesOf(s.classes, s.typ())
	return &fusedRun{segmentRun: s, by: classes}, ok
}

// fusedLimit is how many samples, with padding, one launch takes: positions are 32 bits.
func fusedLimit(o *Options) uint64 {
	if o.fusedSamples > 0 {
		return o.fusedSamples
	}
	return cuda.FusedSamples
}

// linesAtOnce is how many lines one launch takes. A step of more is done by several, one after the other, in the same
// buffers.
func (f *fusedRun) linesAtOnce(lines uint64) uint64 {
	return min(lines, (fusedLimit(&f.e.o)-fusedAlign-f.width())/f.pitch+1)
}

// need plans the buffers of a step.
func (f *fusedRun) need(l0, l1 int) *plan {
	b := &f.buffers
	*b = fusedBuffers{}
	lines, words := uint64(l1-l0), uint64((f.band.Samples+63)/64)
	once := f.linesAtOnce(lines)
	samples := (once-1)*f.pitch + f.width() + fusedAlign
	w := new(plan)
	if bytes := f.by.classBytes(uint64(l1 - l0)); bytes > 0 {
		w.add(&b.table, bytes)
	}
	w.add(&b.descriptors, 8*(samples/cuda.FusedRunSmall+1)) // as if tiles were the smallest
	w.add(&b.ticket, 4)
	w.add(&b.head, fusedHeadBytes+8*uint64(f.e.info.Multiprocessors)*basicBlocks*(cuda.FusedWarps+1))
	b.keptRoom = room(f.keptRoom, once*f.width(), once)
	w.add(&b.kept, 8*b.keptRoom)
	if f.o.Rejected {
		b.rejectedRoom = room(f.rejectedRoom, once*f.width(), once)
		w.add(&b.rejected, 8*b.rejectedRoom)
	}
	f.segmentRun.buffers = segmentBuffers{}
	if f.o.Masks {
		w.add(&f.segmentRun.buffers.boundary, 8*lines*words)
		w.add(&f.segmentRun.buffers.activation, 8*lines*words)
		f.classes.need(w, &f.segmentRun.buffers, lines, words)
	}
	return w
}

// run does a step on lines l0 to l1-1, whose samples are at a place on the device, and appends what it finds.
func (f *fusedRun) run(ctx context.Context, l0, l1 int, at cuda.Ptr) (err error) {
	r := f.r
	kept, rejected, dropped := len(r.Kept.Bounds), len(r.Rejected.Bounds), r.DroppedAtEdges
	defer func() {
		if err != nil { // the step may be done again
			r.Kept.Bounds, r.Rejected.Bounds, r.DroppedAtEdges = r.Kept.Bounds[:kept], r.Rejected.Bounds[:rejected], dropped
		}
	}()
	words := f.by.words
	if f.by.lines != nil {
		words = f.by.lines[2*l0 : 2*l1]
	}
	if words != nil {
		if err := f.lane.uploadBytes(ctx, f.buffers.table.ptr, bytesOf(words)); err != nil {
			return err
		}
	}
	if err := f.startMasks(ctx, l0, l1, at); err != nil {
		return err
	}
	once := int(f.linesAtOnce(uint64(l1 - l0)))
	for l := l0; l < l1; l += once {
		if err := ctx.Err(); err != nil {
			return err
		}
		table := f.buffers.table.ptr
		if f.by.lines != nil {
			table += cuda.Ptr(8 * (l - l0))
		}
		if err := f.some(l, min(l+once, l1), at+cuda.Ptr(uint64(l-l0)*f.pitch*f.sampleBytes()), table); err != nil {
			return err
		}
	}
	return f.collectMasks(l0, l1)
}

// some does one launch a group, and reads what came of it.
func (f *fusedRun) some(l0, l1 int, at, table cuda.Ptr) error {
	b := &f.buffers
	job := fusedJob{classes: f.by, table: table, samples: at, size: f.sampleBytes(),
		lines: uint64(l1 - l0), width: f.width(), pitch: f.pitch, pos: f.pos, ends: f.ends, before: f.before,
		gap:  f.continued && f.pos > 0 && f.before.Index != f.pos-1,
		keep: f.o.Edges == segment.EdgesKeep, descriptors: b.descriptors.ptr, ticket: b.ticket.ptr,
		dropped: b.head.at(fusedHeadBytes)}
	var grid fusedGrid
	if err := f.e.do(func() (err error) {
		grid, err = f.start(job)
		return err
	}); err != nil {
		return err
	}
	reply := make([]byte, fusedHeadBytes+4*grid.counted)
	if err := f.lane.download(reply, b.head.ptr); err != nil {
		return err
	}
	var head fusedHead
	copy(valueBytes(&head), reply)
	counts := make([]uint32, grid.counted)
	copy(bytesOf(counts), reply[fusedHeadBytes:])
	total := cuda.Counts{Kept: uint64(head.kept.Count)}
	if f.o.Rejected {
		total.Rejected = uint64(head.rejected.Count)
	}
	if total.Kept > b.keptRoom || total.Rejected > b.rejectedRoom {
		f.n = job.lines * job.width
		f.grow(total)
		return errAgain
	}
	if f.o.Edges == segment.EdgesDrop {
		for _, n := range counts {
			f.r.DroppedAtEdges += int64(n)
		}
	}
	if !f.ends {
		f.last = cuda.Pair{Index: head.kept.Last}
		if head.kept.State&cuda.BeforeActive != 0 {
			f.last.State = uint32(segment.Activation)
		}
	}
	return errors.Join(f.collectPlaced(&f.r.Kept, l0, l1, total.Kept, b.kept), f.collectPlaced(&f.r.Rejected, l0, l1, total.Rejected, b.rejected))
}

// start launches the kernel for each group; it runs on the thread. Descriptors are cleared once, each launch has an
// epoch of its own.
func (f *fusedRun) start(job fusedJob) (fusedGrid, error) {
	b, d, st := &f.buffers, f.e.driver, f.lane.stream
	grid, err := f.e.fused.grid(f.e, job.classes.name, f.typ(), job.end())
	if err != nil {
		return grid, err
	}
	if err := f.zero(b.descriptors, 8*grid.tiles); err != nil {
		return grid, err
	}
	for group := range 2 {
		job.epoch = uint32(group) + 1
		switch group {
		case 0:
			job.spans, job.capacity, job.total = b.kept.ptr, b.keptRoom, b.head.ptr
		case 1:
			if !f.o.Rejected {
				return grid, nil
			}
			job.rejected = true
			job.spans, job.capacity, job.total = b.rejected.ptr, b.rejectedRoom, b.head.at(fusedHeadBytes/2)
			job.dropped = b.head.at(fusedHeadBytes + 4*grid.counted) // not meant
		}
		if grid.basic {
			if err := f.zero(b.ticket, 4); err != nil {
				return grid, err
			}
		}
		if err := grid.launch(d, st, job.params(&grid)); err != nil {
			return grid, err
		}
		if err := f.e.synced(grid.kernel.name); err != nil {
			return grid, err
		}
	}
	return grid, nil
}

// startMasks starts the kernel that makes bit planes, if they are wanted.
func (f *fusedRun) startMasks(ctx context.Context, l0, l1 int, at cuda.Ptr) error {
	if !f.o.Masks {
		return nil
	}
	f.segmentRun.lines, f.at = uint64(l1-l0), at
	if err := f.classes.send(ctx, f.segmentRun, l0, l1); err != nil {
		return err
	}
	return f.e.do(func() error { return f.planes() })
}

// planes starts the kernel that makes bit planes; it runs on the thread.
func (f *fusedRun) planes() error {
	words := uint64((f.band.Samples + 63) / 64)
	b := &f.segmentRun.buffers
	p := &cuda.PlanesParams{Samples: f.at, Boundary: b.boundary.ptr, Activation: b.activation.ptr,
		Lines: f.segmentRun.lines, Pitch: f.pitch, Width: uint32(f.band.Samples), WordsPerLine: uint32(words)}
	k := &f.e.kernels.planes[f.typ()]
	switch c := f.classes.(type) {
	case *thresholdClasses:
		p.Lo, p.Hi, p.Swap, p.NanClass = c.bounds[0], c.bounds[1], flag(c.swap), uint32(c.nan)
		if c.perLine() {
			p.Bounds = b.bounds.ptr
		}
	case *tableClasses:
		p.Table, k = b.table.ptr, &f.e.kernels.planesTable[f.typ()]
	}
	const wordsOfBlock = cuda.PlainThreads / 32 * 4
	blocks := min((p.Lines*words+wordsOfBlock-1)/wordsOfBlock, uint64(f.e.info.Multiprocessors)*8)
	if err := k.launch(f.e.driver, f.lane.stream, blocks, p); err != nil {
		return err
	}
	return f.e.synced("planes")
}

// collectMasks reads the bit planes of lines l0 to l1-1.
func (f *fusedRun) collectMasks(l0, l1 int) error {
	if !f.o.Masks {
		return nil
	}
	m, b := f.r.Masks, &f.segmentRun.buffers
	lo, hi := l0*m.Words, l1*m.Words
	if err := f.lane.download(bytesOf(m.B[lo:hi]), b.boundary.ptr); err != nil {
		return err
	}
	return f.lane.download(bytesOf(m.A[lo:hi]), b.activation.ptr)
}

// collectPlaced appends n spans of lines l0 to l1-1.
func (f *fusedRun) collectPlaced(to *segment.Spans, l0, l1 int, n uint64, spans buffer) error {
	base := len(to.Bounds)
	to.Bounds = slices.Grow(to.Bounds, int(n))[:base+int(n)]
	if err := f.lane.download(bytesOf(to.Bounds[base:]), spans.ptr); err != nil {
		return err
	}
	p := placing{pitch: f.pitch, width: f.width(), keep: f.o.Edges == segment.EdgesKeep}
	if f.pos > 0 || !f.ends || l1-l0 == 1 { // one line, or a piece of one
		p.pitch, p.width = math.MaxUint32+1, uint64(f.pos)+f.width()
	}
	return p.place(to.Bounds[base:], to.First[l0:l1], to.Edge[l0:l1], int64(base))
}
