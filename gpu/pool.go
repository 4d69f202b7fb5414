package gpu

import (
	"errors"
	"math/bits"

	"segscan/kernels/cuda"
)

// buffer is a piece of device memory: bytes asked for, and held.
type buffer struct {
	ptr         cuda.Ptr
	bytes, held uint64
}

// at is the address so many bytes into b.
func (b buffer) at(bytes uint64) cuda.Ptr { return b.ptr + cuda.Ptr(bytes) }

// pool hands out device memory up to a limit and keeps what is given back for the next. Only the driver's thread uses
// it. A buffer must not be in use by any stream when it is given back.
type pool struct {
	d     *driver
	exact bool   // tests: buffers of exactly their size, never used twice, filled with a pattern
	limit uint64 // bytes to hold at most
	used  uint64 // handed out
	idle  map[uint64][]cuda.Ptr
	kept  uint64 // in idle
}

func newPool(d *driver, limit uint64, exact bool) *pool {
	return &pool{d: d, limit: limit, exact: exact, idle: map[uint64][]cuda.Ptr{}}
}

// poison is what fresh memory holds where exact is asked for, so that reading it before it is written shows.
const poison = 0xa5

// classBytes rounds a size up to a multiple of an eighth of the power of two below it: at most an eighth is wasted,
// and sizes that differ a little share buffers. Planning counts in these sizes too.
func classBytes(n uint64) uint64 {
	const least = 512
	if n <= least {
		return least
	}
	step := uint64(1) << (bits.Len64(n-1) - 1) / 8
	return (n + step - 1) / step * step
}

// alloc gives a buffer of at least n bytes, at least 1. It holds no meaning at first.
func (p *pool) alloc(n uint64, s stream) (buffer, error) {
	n = max(n, 1)
	b := buffer{bytes: n, held: classBytes(n)}
	if p.exact {
		b.held = n
	}
	if list := p.idle[b.held]; len(list) > 0 {
		b.ptr, p.idle[b.held] = list[len(list)-1], list[:len(list)-1]
		p.kept -= b.held
		p.used += b.held
		return b, nil
	}
	if p.used+p.kept+b.held > p.limit {
		if err := p.trim(); err != nil {
			return buffer{}, err
		}
	}
	if p.used+b.held > p.limit {
		return buffer{}, p.full(b.held)
	}
	c := p.d.alloc(&b.ptr, uintptr(b.held))
	if c == codeOutOfMemory && p.kept > 0 {
		if err := p.trim(); err != nil {
			return buffer{}, err
		}
		c = p.d.alloc(&b.ptr, uintptr(b.held))
	}
	if c == codeOutOfMemory {
		return buffer{}, p.full(b.held)
	}
	if err := p.d.check(c, "cuMemAlloc"); err != nil {
		return buffer{}, err
	}
	p.used += b.held
	if p.exact {
		if err := p.d.check(p.d.fill(b.ptr, poison, uintptr(b.held), s), "cuMemsetD8Async"); err != nil {
			return buffer{}, errors.Join(err, p.free(b))
		}
	}
	return b, nil
}

// full is the error of an allocation that failed.
func (p *pool) full(needed uint64) error {
	var free, total uintptr
	left := p.limit - min(p.limit, p.used)
	if p.d.memoryInfo(&free, &total) == 0 {
		left = min(left, uint64(free))
	}
	return &MemoryError{Op: "cuMemAlloc", Needed: needed, Free: left}
}

// free gives a buffer back; the zero buffer is none.
func (p *pool) free(b buffer) error {
	if b.ptr == 0 {
		return nil
	}
	p.used -= b.held
	if p.exact {
		return p.d.check(p.d.free(b.ptr), "cuMemFree")
	}
	p.idle[b.held] = append(p.idle[b.held], b.ptr)
	p.kept += b.held
	return nil
}

// trim gives idle buffers back to the driver.
func (p *pool) trim() error {
	var errs []error
	for _, list := range p.idle {
		for _, ptr := range list {
			errs = append(errs, p.d.check(p.d.free(ptr), "cuMemFree"))
		}
	}
	clear(p.idle)
	p.kept = 0
	return errors.Join(errs...)
}

// plan is the buffers a piece of work needs, summed up before any is taken.
type plan struct {
	bytes uint64
	parts []planned
}

type planned struct {
	bytes uint64
	to    *buffer
}

// add plans a buffer of n bytes, to be put at to.
func (p *plan) add(to *buffer, n uint64) {
	p.bytes += classBytes(n)
	p.parts = append(p.parts, planned{n, to})
}

// take allocates all of a plan or nothing.
func (p *pool) take(w *plan, s stream) error {
	for i, part := range w.parts {
		b, err := p.alloc(part.bytes, s)
		if err != nil {
			var m *MemoryError
			if errors.As(err, &m) {
				m.Needed = w.bytes
			}
			return errors.Join(err, p.giveBack(&plan{parts: w.parts[:i]}))
		}
		*part.to = b
	}
	return nil
}

// giveBack frees what take took.
func (p *pool) giveBack(w *plan) error {
	var errs []error
	for _, part := range w.parts {
		errs = append(errs, p.free(*part.to))
		*part.to = buffer{}
	}
	return errors.Join(errs...)
}
