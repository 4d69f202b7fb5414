package gpu

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"segscan/kernels/cuda"
)

// stageBytes is the size of a staging buffer: large enough for the full copy rate and for a copy that leaves caches
// alone, small enough that several cores share the filling of a band.
const stageBytes = 2 << 20

// mostCopiers is how many goroutines fill or read the stages of a lane at once. One core copies memory several times
// slower than a device takes it; more than these gain nothing.
const mostCopiers = 8

// copiers is that number here: decoders and other lanes want cores too.
func copiers() int { return max(1, min(mostCopiers, runtime.GOMAXPROCS(0)/2)) }

// lane is a stream with its staging buffers, two for each copier, used by one loaded band at a time. Every copy, fill and
// launch names the lane's stream; the default stream is never used.
type lane struct {
	e      *Engine
	stream stream
	stages [2 * mostCopiers]stage
}

// stage is a pinned buffer on its way to or from the device. Memory and event are got when it is first used.
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
	l := &lane{e: e}
	return l, e.driver.check(e.driver.streamCreate(&l.stream, streamNonBlocking), "cuStreamCreate")
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
		for i := range l.stages {
			l.stages[i].busy = false
		}
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
	if s.done == 0 {
		err := l.e.do(func() error { return l.e.driver.check(l.e.driver.eventCreate(&s.done, eventNoTiming), "cuEventCreate") })
		if err != nil {
			return nil, err
		}
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

// parts calls work for each part of n bytes, by several goroutines at once where there are several parts. A goroutine has
// two stages, whose numbers it is told in turn; last ends what it has begun.
func (l *lane) parts(n int, work func(at, i int) error, last func(w int) error) error {
	count := (n + stageBytes - 1) / stageBytes
	var next atomic.Int64
	copier := func(w int) error {
		for i := 0; ; i = 1 - i {
			k := int(next.Add(1)) - 1
			if k >= count {
				return last(w)
			}
			if err := work(k*stageBytes, 2*w+i); err != nil {
				next.Store(int64(count))
				return errors.Join(err, last(w))
			}
		}
	}
	workers := min(copiers(), count)
	if workers <= 1 {
		return copier(0)
	}
	var g errgroup.Group
	for w := range workers {
		g.Go(func() error { return guarded(func() error { return copier(w) }) })
	}
	return g.Wait()
}

// upload copies n bytes to the device by way of the stages; fill puts the bytes from offset on into a part, for several
// parts at once. It returns when all have been read, which is before they have arrived.
func (l *lane) upload(ctx context.Context, to cuda.Ptr, n int, fill func(part []byte, offset int)) error {
	d := l.e.driver
	return l.parts(n, func(at, i int) error {
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
		s.busy = err == nil
		return err
	}, func(int) error { return nil })
}

// uploadBytes copies b to the device.
func (l *lane) uploadBytes(ctx context.Context, to cuda.Ptr, b []byte) error {
	return l.upload(ctx, to, len(b), func(part []byte, at int) { copy(part, b[at:]) })
}

// download copies from the device into b, and returns when all is there. Both stages of a copier are in use at once: one
// is copied to while the other is read.
func (l *lane) download(b []byte, from cuda.Ptr) error {
	d := l.e.driver
	var begun [mostCopiers]struct {
		at, stage int
		any       bool
	}
	finish := func(w int) error {
		p := &begun[w]
		if !p.any {
			return nil
		}
		p.any = false
		s, err := l.ready(p.stage, 0)
		if err != nil {
			return err
		}
		copy(b[p.at:], s.mem.slice(min(len(b)-p.at, stageBytes)))
		return nil
	}
	return l.parts(len(b), func(at, i int) error {
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
		if err != nil {
			return err
		}
		s.busy = true
		err = finish(i / 2)
		p := &begun[i/2]
		p.at, p.stage, p.any = at, i, true
		return err
	}, finish)
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
