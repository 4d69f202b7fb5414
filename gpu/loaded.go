package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// loaded is a band at the engine. If there is room its samples stay on the device until Release, with the halo that the
// band has; if not, each pass copies them again, some lines at a time.
type loaded struct {
	e    *Engine
	band segment.Band
	body segment.Plane
	held segment.Plane // what is copied: the body and its halo

	mu       sync.Mutex // one pass at a time
	released bool
	lane     *lane
	samples  buffer // zero if they do not stay
	reserved uint64
	pitch    uint64 // samples from a line on the device to the next

	plain segment.Loaded // instead of all this, for bands without samples
}

var errReleased = errors.New("the band has been released")

// Load copies the body of the band and its halo to the device, and keeps the band's own memory, which must stay as it is until
// Release. The copy may go on after Load has returned.
func (e *Engine) Load(ctx context.Context, b segment.Band) (segment.Loaded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := b.Check(); err != nil {
		return nil, fmt.Errorf("load band: %w", err)
	}
	if b.Lines == 0 || b.Samples == 0 {
		plain, err := e.cpu.Load(ctx, b)
		if err != nil {
			return nil, err
		}
		return &loaded{e: e, band: b, plain: plain}, nil
	}
	lane, err := e.takeLane()
	if err != nil {
		return nil, fmt.Errorf("load band: %w", err)
	}
	l := &loaded{e: e, band: b, body: b.Body(), held: b.V.Sub(0, 0, b.Before.Lines+b.Lines+b.After.Lines, b.Before.Samples+b.Samples+b.After.Samples), lane: lane}
	l.pitch = l.pitchOf()
	if err := l.makeResident(ctx); err != nil {
		l.Release()
		return nil, fmt.Errorf("load band: %w", err)
	}
	return l, nil
}

func (l *loaded) width() uint64           { return uint64(l.band.Samples) }
func (l *loaded) typ() segment.SampleType { return l.body.Type() }
func (l *loaded) sampleBytes() uint64     { return uint64(l.typ().Bytes()) }

// heldWidth is the samples of a line with its halo.
func (l *loaded) heldWidth() uint64 { return uint64(l.held.Samples) }

// haloLines is the lines of the halo.
func (l *loaded) haloLines() int { return l.band.Before.Lines + l.band.After.Lines }

// lead is how many bytes into the device memory of some lines the first sample of the body lies: after a margin and the
// halo.
func (l *loaded) lead() uint64 {
	return cuda.LocalMargin + (uint64(l.band.Before.Lines)*l.pitch+uint64(l.band.Before.Samples))*l.sampleBytes()
}

// pitchOf is how far apart lines are on the device: as far as on the host if one copy can then take them all, else
// their width.
func (l *loaded) pitchOf() uint64 {
	stride := uint64(l.held.Stride)
	if l.held.Lines > 1 && stride > l.heldWidth()+l.heldWidth()/8 {
		return l.heldWidth()
	}
	if l.held.Lines == 1 || !l.e.pins.holds(planeBytes(&l.held)) {
		return l.heldWidth()
	}
	return stride
}

// planeBytes is the memory of a plane, from its first sample to its last.
func planeBytes(p *segment.Plane) []byte {
	switch {
	case p.U8 != nil:
		return bytesOf(p.U8)
	case p.U16 != nil:
		return bytesOf(p.U16)
	}
	return bytesOf(p.F32)
}

// linesBytes is the device memory that n lines of the body and the halo around them take.
func (l *loaded) linesBytes(n int) uint64 {
	return (uint64(n+l.haloLines()-1)*l.pitch + l.heldWidth()) * l.sampleBytes()
}

// makeResident copies the whole band to the device if there is room for it.
func (l *loaded) makeResident(ctx context.Context) error {
	bytes := l.linesBytes(l.band.Lines) + 2*cuda.LocalMargin
	held := classBytes(bytes)
	if !l.e.reserve(held) {
		return nil
	}
	l.reserved = held
	err := l.e.do(func() (err error) {
		if l.samples, err = l.e.pool.alloc(bytes, l.lane.stream); err != nil {
			return err
		}
		return l.clearMargins(l.samples, bytes)
	})
	if err != nil {
		l.e.unreserve(held)
		l.reserved = 0
		if errors.Is(err, ErrOutOfMemory) { // somebody else has it: lines at a time, then
			return nil
		}
		return err
	}
	return l.copyLines(ctx, l.samples.at(cuda.LocalMargin), 0, l.band.Lines)
}

// clearMargins zeroes the margins of a buffer of so many bytes: kernels read them, though nothing comes of it. It runs on
// the thread.
func (l *loaded) clearMargins(b buffer, bytes uint64) error {
	for _, at := range []uint64{0, bytes - cuda.LocalMargin} {
		if err := l.e.driver.check(l.e.driver.fill(b.at(at), 0, cuda.LocalMargin, l.lane.stream), "cuMemsetD8Async"); err != nil {
			return err
		}
	}
	return nil
}

// span is the memory of body lines l0 to l1-1 and the halo around them, from the first sample to the last.
func (l *loaded) span(l0, l1 int) []byte {
	stride := l.held.Stride * int(l.sampleBytes())
	return planeBytes(&l.held)[l0*stride : (l1+l.haloLines()-1)*stride+l.held.Samples*int(l.sampleBytes())]
}

// direct tells whether the device can copy body lines l0 to l1-1 from where they lie.
func (l *loaded) direct(l0, l1 int) bool {
	return (l.pitch == uint64(l.held.Stride) || l1-l0+l.haloLines() == 1) && l.e.pins.holds(l.span(l0, l1))
}

// copyLines copies body lines l0 to l1-1 and the halo around them to the device.
func (l *loaded) copyLines(ctx context.Context, to cuda.Ptr, l0, l1 int) error {
	if l.direct(l0, l1) {
		d, from := l.e.driver, l.span(l0, l1)
		return l.e.do(func() error {
			return d.check(d.toDevice(to, pointerTo(from), uintptr(len(from)), l.lane.stream), "cuMemcpyHtoDAsync")
		})
	}
	return l.lane.upload(ctx, to, int(l.linesBytes(l1-l0)), l.filler(l0, l1))
}

// filler gives the bytes that body lines l0 to l1-1 are on the device, from an offset on: lines of pitch bytes against
// lines of stride bytes. What lies between a line's end and the next is copied too where it is there.
func (l *loaded) filler(l0, l1 int) func(part []byte, at int) {
	from, size := l.span(l0, l1), int(l.sampleBytes())
	if l.pitch == uint64(l.held.Stride) {
		return func(part []byte, at int) { copy(part, from[at:]) }
	}
	pitch, used, stride := int(l.pitch)*size, l.held.Samples*size, l.held.Stride*size
	return func(part []byte, at int) {
		for len(part) > 0 {
			line, x := at/pitch, at%pitch // pitch == used here
			n := copy(part, from[line*stride+x:line*stride+used])
			part, at = part[n:], at+n
		}
	}
}

// Release gives the device memory back.
func (l *loaded) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return
	}
	l.released = true
	if l.plain != nil {
		l.plain.Release()
		return
	}
	// A copy may be running still, and what it reads and writes goes to others now. On a lost device nothing runs.
	_ = l.lane.wait("release: cuStreamQuery")
	_ = l.e.do(func() error { return l.e.pool.free(l.samples) })
	if l.reserved > 0 {
		l.e.unreserve(l.reserved)
	}
	l.e.returnLane(l.lane)
}

// guard runs the body of a method: one at a time, and not on a released band.
func (l *loaded) guard(ctx context.Context, what string, f func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return fmt.Errorf("%s: %w", what, errReleased)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := f()
	if err != nil && err != ctx.Err() {
		return fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// Filter runs the filter on the CPU and loads what it made.
func (l *loaded) Filter(ctx context.Context, f segment.Filter) (segment.Loaded, error) {
	if l.plain != nil {
		return l.plain.Filter(ctx, f)
	}
	out := segment.Band{}
	err := l.guard(ctx, "filter", func() error {
		if err := guarded(func() error { return f.Apply(l.band, &out) }); err != nil {
			return err
		}
		if out.Lines != l.band.Lines || out.Samples != l.band.Samples {
			return fmt.Errorf("%T made a body of %d x %d from one of %d x %d", f, out.Lines, out.Samples, l.band.Lines, l.band.Samples)
		}
		return out.Check()
	})
	if err != nil {
		return nil, err
	}
	return l.e.Load(ctx, out)
}

// steps walks the body by as many lines as the work on them fits the device's memory: need plans the work on lines l0
// to l1-1, run does it in the buffers that were planned, at being the device memory that holds those lines. Where
// memory turns out to be shorter than it seemed, there are fewer lines at a time.
func (l *loaded) steps(ctx context.Context, what string, need func(l0, l1 int) *plan, run func(l0, l1 int, at cuda.Ptr) error) error {
	return l.stepsOf(ctx, what, 0, l.band.Lines, need, run)
}

// stepsOf is steps over body lines from to end-1.
func (l *loaded) stepsOf(ctx context.Context, what string, from, end int, need func(l0, l1 int) *plan, run func(l0, l1 int, at cuda.Ptr) error) error {
	lines := end - from
	for l0 := from; l0 < end; {
		if err := ctx.Err(); err != nil {
			return err
		}
		l1 := min(l0+lines, end)
		err := l.step(ctx, l0, l1, need(l0, l1), run)
		switch {
		case err == nil:
			l0 = l1
		case errors.Is(err, errAgain):
		case errors.Is(err, ErrOutOfMemory) && l1-l0 > 1:
			lines = (l1 - l0 + 1) / 2
		default:
			var m *MemoryError
			if errors.As(err, &m) {
				m.Op = fmt.Sprintf("%s of one line of %d samples", what, l.band.Samples)
			}
			return err
		}
	}
	return nil
}

// errAgain asks steps to plan the same lines again.
var errAgain = errors.New("gpu: plan again")

func (l *loaded) step(ctx context.Context, l0, l1 int, w *plan, run func(l0, l1 int, at cuda.Ptr) error) (err error) {
	e := l.e
	var samples buffer
	if l.samples.ptr == 0 {
		w.add(&samples, l.linesBytes(l1-l0)+2*cuda.LocalMargin)
	}
	if w.bytes > e.scratchBytes {
		return &MemoryError{Needed: w.bytes, Free: e.scratchBytes}
	}
	if err := e.scratch.Acquire(ctx, int64(w.bytes)); err != nil {
		return err
	}
	defer e.scratch.Release(int64(w.bytes))
	if err := e.do(func() error { return e.pool.take(w, l.lane.stream) }); err != nil {
		return err
	}
	defer func() {
		if err != nil { // else the results have been read, which is last in the lane
			_ = l.lane.wait("cuStreamQuery")
		}
		if e := e.do(func() error { return e.pool.giveBack(w) }); err == nil {
			err = e
		}
	}()
	at := l.samples.at(uint64(l0)*l.pitch*l.sampleBytes() + l.lead())
	if l.samples.ptr == 0 {
		at = samples.at(l.lead())
		if err := e.do(func() error { return l.clearMargins(samples, samples.bytes) }); err != nil {
			return err
		}
		if err := l.copyLines(ctx, samples.at(cuda.LocalMargin), l0, l1); err != nil {
			return err
		}
	}
	return run(l0, l1, at)
}
