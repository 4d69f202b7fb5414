package gpu

import (
	"context"
	"errors"
	"runtime"
	"time"
	"unsafe"

	"segscan/kernels/cuda"
)

// stageBytes is the size of a staging buffer: large enough for the full copy rate, small enough that filling one and
// copying the other overlap.
const stageBytes = 4 << 20

// lane is a stream with its staging buffers, used by one loaded band at a time. Every copy, fill and launch names the
// lane's stream; the default stream is never used.
type lane struct {
	e      *Engine
	stream stream
	stages [2]stage
}

// stage is a pinned buffer on its way to or from the device.
type stage struct {
	mem  pinned
	done event
	busy bool // a copy that done follows may still be running
}

// streamNonBlocking: the stream does not wait for the default stream.
const streamNonBlocking = 1

// eventNoTiming: the event is only waited for.
const eventNoTiming = 2

// newLane makes a lane; it runs on the thread.
func (e *Engine) newLane() (*lane, error) {
	d, l := e.driver, &lane{e: e}
	if err := d.check(d.streamCreate(&l.stream, streamNonBlocking), "cuStreamCreate"); err != nil {
		return nil, err
	}
	for i := range l.stages {
		if err := d.check(d.eventCreate(&l.stages[i].done, eventNoTiming), "cuEventCreate"); err != nil {
			return nil, errors.Join(err, l.close())
		}
	}
	return l, nil
}

// close runs on the thread, after the stream has ended.
func (l *lane) close() error {
	var errs []error
	for i := range l.stages {
		s := &l.stages[i]
		if s.done != 0 {
			errs = append(errs, l.e.driver.check(l.e.driver.eventDestroy(s.done), "cuEventDestroy"))
		}
		if s.mem.p != nil {
			l.e.pins.giveBack(s.mem)
		}
		*s = stage{}
	}
	return errors.Join(append(errs, l.e.driver.check(l.e.driver.streamDestroy(l.stream), "cuStreamDestroy"))...)
}

// wait waits until everything in the lane has been done. The work cannot be stopped, and what it writes must not be
// given to others before it has ended, so this does not end with a context; callers look at theirs between steps.
func (l *lane) wait(what string) error {
	err := l.e.await(what, func() code { return l.e.driver.streamQuery(l.stream) })
	if err == nil {
		l.stages[0].busy, l.stages[1].busy = false, false
	}
	return err
}

// await asks until the driver says done. It asks rather than waits in the driver, so that other lanes can use the
// thread meanwhile.
func (e *Engine) await(what string, query func() code) error {
	for turn := 0; ; turn++ {
		var c code
		err := e.do(func() error {
			if c = query(); c == codeNotReady {
				return nil
			}
			return e.driver.check(c, what)
		})
		if err != nil || c != codeNotReady {
			return err
		}
		if turn < 16 {
			runtime.Gosched()
		} else {
			time.Sleep(min(time.Duration(turn-15)*5*time.Microsecond, 200*time.Microsecond))
		}
	}
}

// ready gives stage i with at least n bytes (stageBytes at most), once the copy it held is done.
func (l *lane) ready(i, n int) (*stage, error) {
	s := &l.stages[i]
	if s.busy {
		if err := l.e.await("copy", func() code { return l.e.driver.eventQuery(s.done) }); err != nil {
			return nil, err
		}
		s.busy = false
	}
	n = min(n, stageBytes)
	if s.mem.p != nil && s.mem.bytes >= uintptr(n) {
		return s, nil
	}
	if s.mem.p != nil {
		l.e.pins.giveBack(s.mem)
		s.mem = pinned{}
	}
	m, err := l.e.pin(n)
	if errors.Is(err, errNoPins) { // staging is never refused: decoders' memory may have used up the limit
		m.bytes = l.e.pins.size(n)
		err = l.e.do(func() error {
			return l.e.driver.check(l.e.driver.hostAlloc(&m.p, m.bytes, hostPortable), "cuMemHostAlloc")
		})
		if err == nil {
			l.e.pins.added(m)
		}
	}
	if err != nil {
		return nil, err
	}
	s.mem = m
	return s, nil
}

// upload copies n bytes to the device by way of the stages; fill puts the bytes from offset on into a part. It returns
// when all have been read, which is before they have arrived.
func (l *lane) upload(ctx context.Context, to cuda.Ptr, n int, fill func(part []byte, offset int)) error {
	d := l.e.driver
	for at, i := 0, 0; at < n; at, i = at+stageBytes, 1-i {
		if err := ctx.Err(); err != nil {
			return err
		}
		k := min(n-at, stageBytes)
		s, err := l.ready(i, k)
		if err != nil {
			return err
		}
		fill(s.mem.slice(k), at)
		err = l.e.do(func() error {
			if err := d.check(d.toDevice(to+cuda.Ptr(at), s.mem.p, uintptr(k), l.stream), "cuMemcpyHtoDAsync"); err != nil {
				return err
			}
			return d.check(d.eventRecord(s.done, l.stream), "cuEventRecord")
		})
		if err != nil {
			return err
		}
		s.busy = true
	}
	return nil
}

// uploadBytes copies b to the device.
func (l *lane) uploadBytes(ctx context.Context, to cuda.Ptr, b []byte) error {
	return l.upload(ctx, to, len(b), func(part []byte, at int) { copy(part, b[at:]) })
}

// download copies from the device into b, and returns when all is there. Both stages are in use at once: one is copied
// to while the other is read.
func (l *lane) download(b []byte, from cuda.Ptr) error {
	d := l.e.driver
	start := func(at, i int) error {
		k := min(len(b)-at, stageBytes)
		s, err := l.ready(i, k)
		if err != nil {
			return err
		}
		err = l.e.do(func() error {
			if err := d.check(d.toHost(s.mem.p, from+cuda.Ptr(at), uintptr(k), l.stream), "cuMemcpyDtoHAsync"); err != nil {
				return err
			}
			return d.check(d.eventRecord(s.done, l.stream), "cuEventRecord")
		})
		s.busy = err == nil
		return err
	}
	if len(b) == 0 {
		return nil
	}
	if err := start(0, 0); err != nil {
		return err
	}
	for at, i := 0, 0; at < len(b); at, i = at+stageBytes, 1-i {
		if next := at + stageBytes; next < len(b) {
			if err := start(next, 1-i); err != nil {
				return err
			}
		}
		s, err := l.ready(i, 0)
		if err != nil {
			return err
		}
		copy(b[at:], s.mem.slice(min(len(b)-at, stageBytes)))
	}
	return nil
}

// bytesOf is the memory of s. Its elements must be plain numbers.
func bytesOf[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(s[0]))
}

// valueBytes is the memory of *v, which must be of plain numbers.
func valueBytes[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// pointerTo is the address of b, which must not be empty.
func pointerTo(b []byte) unsafe.Pointer { return unsafe.Pointer(&b[0]) }
