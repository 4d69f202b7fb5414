package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// Options choose a device and how it is used. The zero value is device 0 as it should be used.
type Options struct {
	Device  int           // its ordinal, as Devices lists it
	Library string        // path of the driver's library; empty: the system's
	Timeout time.Duration // for the driver to start; 0: DefaultTimeout
	Memory  uint64        // bytes of device memory to use at most; 0: nine tenths of what is free
	Pinned  uint64        // bytes of host memory to pin at most; 0: 2 GiB

	// Check is for finding faults, and slow: every buffer has exactly its size, is used once and holds a pattern at
	// first, and every launch is waited for, so that an error names the kernel it is of.
	Check bool

	// OnCPU, if not nil, hears of each kernel whose classes the CPU finds for the device, with the reason as Reason gives
	// it. It may be called by several goroutines at once.
	OnCPU func(reason string)

	// PTXTarget makes a device run the kernels of an older one: those for sm_70, say. Empty is the device itself.
	PTXTarget string

	bound        *driver                         // tests: instead of a library
	small        bool                            // tests: kernels with the smallest tile
	spans        float64                         // tests: spans a sample that are planned for at first
	trace        func(stage string, data []byte) // tests: what each stage left, little endian
	stages       bool                            // tests: stage by stage, where a fused kernel would do all at once
	warps        uint32                          // tests: runs of a tile of the fused kernels
	fusedSamples uint64                          // tests: the most samples of a launch of theirs
	alter        func(text map[string]string)    // tests: the PTX before it is loaded
}

// Engine runs segmentation on one CUDA device. It implements segment.Engine: safe for concurrent use, results equal to
// those of segment.NewCPU to the byte.
//
// Thresholds, tables, local thresholds and most expressions run on the device. Other classifiers (see Reason), and any
// filter, run on the CPU; masks or filtered samples are copied to the device then. Bands without samples are the CPU
// engine's. A band that does not fit the device's memory is worked on by some lines at a time, and one of which not even
// one line fits fails with a *MemoryError. Errors of the device are *Error; after one of kind ErrLost everything else fails with it.
type Engine struct {
	o       Options
	info    Device
	about   string
	driver  *driver
	handle  device
	thread  *thread
	kernels *kernels
	fused   *fusedKernels
	local   map[string]*kernel[cuda.LocalParams] // those in use; they belong to the thread
	pool    *pool
	pins    *pins
	cpu     segment.Engine
	scratch *semaphore.Weighted // bytes of device memory for work in hand

	scratchBytes  uint64
	residentBytes uint64
	density       atomic.Uint64 // spans a sample to plan for, float64 bits

	mu       sync.Mutex
	resident uint64 // bytes of loaded bands on the device
	loaded   int    // bands
	idle     []*lane
	closed   bool
	closeErr error

	dead atomic.Pointer[lostError]
}

type lostError struct{ err error }

// slots is how many bands at once gain: one is copied, one computed, one read back.
const slots = 3

// plannedSpans is how many spans a sample there is room for at first; more grow the room. Images have a few a hundred
// samples.
const plannedSpans = 1. / 32

// Open starts the driver and takes a device. It takes 0.1 to 1 s. ctx ends the waiting, not the driver's work.
func Open(ctx context.Context, o Options) (*Engine, error) {
	e := &Engine{o: o, thread: startThread(), pins: newPins(o.pinned()), cpu: segment.NewCPU(0)}
	err := withTimeout(ctx, o, e.thread, e.open)
	if err != nil {
		e.thread.stop()
		return nil, err
	}
	return e, nil
}

// open runs on the thread. What it took before an error it gives back.
func (e *Engine) open() (err error) {
	d, err := e.o.driver()
	if err != nil {
		return err
	}
	e.driver = d
	s, err := inspect(d, e.o)
	if err != nil {
		return err
	}
	if e.o.Device < 0 || e.o.Device >= len(s.Devices) {
		return &Error{Op: fmt.Sprintf("device %d", e.o.Device), Detail: fmt.Sprintf("the driver has %d, from 0", len(s.Devices)),
			Remedy: "segscan devices lists them", kind: ErrNoDevice}
	}
	e.info = s.Devices[e.o.Device]
	if e.info.Unusable != nil {
		return e.info.Unusable
	}
	e.about = fmt.Sprintf("driver of CUDA %s, %s of compute capability %s, PTX %d.%d for sm_%d",
		s.DriverVersion(), e.info.Name, e.info.Capability(), e.info.PTX.Major, e.info.PTX.Minor, e.info.PTX.SM)
	if e.handle, err = deviceHandle(d, e.o.Device); err != nil {
		return err
	}
	var c contextHandle
	if err := d.check(d.contextRetain(&c, e.handle), "cuDevicePrimaryCtxRetain"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.check(d.contextRelease(e.handle), "cuDevicePrimaryCtxRelease"))
		}
	}()
	if err := d.check(d.contextSet(c), "cuCtxSetCurrent"); err != nil {
		return err
	}
	if err := e.measureMemory(); err != nil {
		return err
	}
	if e.fused, err = e.newFused(s.Driver); err != nil {
		return err
	}
	return e.load()
}

// measureMemory divides the device's memory: half for bands that stay loaded, half for the work in hand. Neither waits
// for the other, so that no two bands can wait for each other.
func (e *Engine) measureMemory() error {
	var free, total uintptr
	if err := e.driver.check(e.driver.memoryInfo(&free, &total), "cuMemGetInfo"); err != nil {
		return err
	}
	limit := uint64(free) / 10 * 9
	if e.o.Memory > 0 {
		limit = min(limit, e.o.Memory)
	}
	e.pool = newPool(e.driver, limit, e.o.Check)
	e.residentBytes = limit / 2
	e.scratchBytes = limit - limit/2
	e.scratch = semaphore.NewWeighted(int64(e.scratchBytes))
	return nil
}

// load loads the kernels.
func (e *Engine) load() error {
	text := map[string]string{}
	for _, name := range cuda.Modules() {
		t, err := cuda.PTX(name)
		if err != nil {
			return fmt.Errorf("gpu: %w", err)
		}
		text[name] = t
	}
	if e.o.alter != nil {
		e.o.alter(text)
	}
	var err error
	e.kernels, err = loadKernels(e.driver, text, e.o.small, e.about)
	return err
}

// Device is "cuda:N".
func (e *Engine) Device() string { return fmt.Sprintf("cuda:%d", e.o.Device) }

// Info describes the device.
func (e *Engine) Info() Device { return e.info }

// Slots is how many loaded bands at once gain.
func (e *Engine) Slots() int { return slots }

// Lost is why the device is lost, or nil.
func (e *Engine) Lost() error {
	if d := e.dead.Load(); d != nil {
		return d.err
	}
	return nil
}

// do runs f on the driver's thread. The first error that leaves the device lost is what every later call gets.
func (e *Engine) do(f func() error) error {
	return e.thread.do(func() error {
		if err := e.Lost(); err != nil {
			return err
		}
		err := f()
		if errors.Is(err, ErrLost) {
			e.dead.CompareAndSwap(nil, &lostError{err})
		}
		return err
	})
}

// synced is for after each launch: with Check it waits for it, so that what went wrong has a name.
func (e *Engine) synced(what string) error {
	if !e.o.Check {
		return nil
	}
	return e.driver.check(e.driver.contextSync(), "after "+what+": cuCtxSynchronize")
}

// takeLane gives a lane for a band.
func (e *Engine) takeLane() (*lane, error) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(e.idle); n > 0 {
		l := e.idle[n-1]
		e.idle = e.idle[:n-1]
		e.loaded++
		e.mu.Unlock()
		return l, nil
	}
	e.loaded++
	e.mu.Unlock()
	var l *lane
	err := e.do(func() (err error) {
		l, err = e.newLane()
		return err
	})
	if err != nil {
		e.mu.Lock()
		e.loaded--
		e.mu.Unlock()
		return nil, err
	}
	return l, nil
}

// returnLane takes back a lane whose stream has ended.
func (e *Engine) returnLane(l *lane) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.loaded--
	e.idle = append(e.idle, l)
}

// reserve notes so many bytes of bands that stay on the device, if there is room for them.
func (e *Engine) reserve(bytes uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.resident+bytes > e.residentBytes {
		return false
	}
	e.resident += bytes
	return true
}

func (e *Engine) unreserve(bytes uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.resident -= bytes
}

// Close gives everything back and ends the thread; a second call returns what the first did. Bands should have been
// released: of those that were not, and of memory from Alloc that is still held, the error says how many there are,
// and the device's context is then kept, so that nothing that somebody reads is taken from under them.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return e.closeErr
	}
	e.closed = true
	err := e.thread.do(func() error { return e.release() })
	e.thread.stop()
	<-e.thread.done
	e.closeErr = err
	return err
}

// release runs on the thread with mu held. On a lost device every call fails for the same reason; that is known
// already, and no error of closing.
func (e *Engine) release() error {
	d := e.driver
	var errs []error
	note := func(err error) {
		if err != nil && e.Lost() == nil {
			errs = append(errs, err)
		}
	}
	for _, l := range e.idle {
		note(l.close())
	}
	e.idle = nil
	note(e.pool.trim())
	out, err := e.pins.close(d)
	note(err)
	for _, err := range append(e.fused.unload(d), e.kernels.unload(d)...) {
		note(err)
	}
	if e.loaded > 0 || out > 0 {
		return errors.Join(append(errs, fmt.Errorf("gpu: closed with %d bands and %d pieces of host memory in use", e.loaded, out))...)
	}
	note(d.check(d.contextRelease(e.handle), "cuDevicePrimaryCtxRelease"))
	return errors.Join(errs...)
}
