package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"

	rules "segscan/kernels"
	"segscan/segment"
)

// Fallback is an engine for one page that begins on a device and goes on with the CPU where the device cannot: what
// was in hand is done again there, so that the results are the same. From then on Device is that of the CPU engine,
// and FallbackReason says why.
//
// It owns neither engine. What others' code does wrong (a classifier, say) is no reason to fall back, nor is the end of
// a context.
type Fallback struct {
	device, cpu segment.Engine
	notify      func(error)

	mu     sync.Mutex
	reason error
}

// NewFallback makes one; notify, if not nil, is called once if it falls back.
func NewFallback(device, cpu segment.Engine, notify func(error)) *Fallback {
	return &Fallback{device: device, cpu: cpu, notify: notify}
}

// FallbackReason is why the page went on with the CPU, or empty.
func (f *Fallback) FallbackReason() string {
	if err := f.fell(); err != nil {
		return err.Error()
	}
	return ""
}

func (f *Fallback) fell() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reason
}

// fall notes the first reason.
func (f *Fallback) fall(err error) {
	f.mu.Lock()
	first := f.reason == nil
	if first {
		f.reason = err
	}
	f.mu.Unlock()
	if first && f.notify != nil {
		f.notify(err)
	}
}

func (f *Fallback) now() segment.Engine {
	if f.fell() != nil {
		return f.cpu
	}
	return f.device
}

// Device is that of the engine that is used now.
func (f *Fallback) Device() string { return f.now().Device() }

// Slots is that of the engine that is used now.
func (f *Fallback) Slots() int { return f.now().Slots() }

// Alloc gives memory of the engine that is used now; either can read it.
func (f *Fallback) Alloc(t segment.SampleType, n int) (segment.Plane, func()) {
	return f.now().Alloc(t, n)
}

// Close does nothing: the engines are their owner's.
func (f *Fallback) Close() error { return nil }

// Load loads on the device, or on the CPU once it fell back.
func (f *Fallback) Load(ctx context.Context, b segment.Band) (segment.Loaded, error) {
	return f.load(ctx, func(e segment.Engine) (segment.Loaded, error) { return e.Load(ctx, b) },
		func(ctx context.Context) (segment.Loaded, error) { return f.cpu.Load(ctx, b) })
}

func (f *Fallback) load(ctx context.Context, device func(segment.Engine) (segment.Loaded, error), again func(context.Context) (segment.Loaded, error)) (segment.Loaded, error) {
	l := &fallbackLoaded{f: f, again: again}
	if f.fell() == nil {
		on, err := device(f.device)
		if err == nil {
			l.on = on
			return l, nil
		}
		if !isDeviceFault(err) {
			return nil, err
		}
		f.fall(err)
	}
	on, err := again(ctx)
	if err != nil {
		return nil, err
	}
	l.on, l.plain = on, true
	return l, nil
}

// isDeviceFault tells errors of the device from those of its callers.
func isDeviceFault(err error) bool {
	var e *Error
	var m *MemoryError
	return errors.As(err, &e) || errors.As(err, &m) || errors.Is(err, ErrClosed)
}

// fallbackLoaded is a band at the device, or, after a fault, at the CPU.
type fallbackLoaded struct {
	f     *Fallback
	again func(context.Context) (segment.Loaded, error) // the same band on the CPU

	mu    sync.Mutex
	on    segment.Loaded
	plain bool // on is the CPU's
}

// try does something with the band, and if the device has a fault, once more on the CPU. Engines change nothing of
// what they are given before they fail, but for a Result, which they fill anew.
func (l *fallbackLoaded) try(ctx context.Context, do func(segment.Loaded) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.plain {
		return do(l.on)
	}
	err := do(l.on)
	if err == nil || !isDeviceFault(err) {
		return err
	}
	l.f.fall(err)
	plain, cpuErr := l.again(ctx)
	if cpuErr != nil {
		return fmt.Errorf("%w (after %v)", cpuErr, err)
	}
	l.on.Release()
	l.on, l.plain = plain, true
	return do(plain)
}

func (l *fallbackLoaded) Filter(ctx context.Context, filter segment.Filter) (segment.Loaded, error) {
	var out segment.Loaded
	err := l.try(ctx, func(on segment.Loaded) (err error) {
		out, err = on.Filter(ctx, filter)
		return err
	})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	plain := l.plain
	l.mu.Unlock()
	return &fallbackLoaded{f: l.f, on: out, plain: plain, again: func(ctx context.Context) (segment.Loaded, error) {
		unfiltered, err := l.again(ctx)
		if err != nil {
			return nil, err
		}
		defer unfiltered.Release()
		return unfiltered.Filter(ctx, filter)
	}}, nil
}

func (l *fallbackLoaded) Histogram(ctx context.Context, perLine bool, add []segment.Histogram) error {
	return l.try(ctx, func(on segment.Loaded) error { return on.Histogram(ctx, perLine, add) })
}

func (l *fallbackLoaded) Segment(ctx context.Context, c segment.Classifier, o segment.Options, carry *segment.Carry, r *segment.Result) error {
	return l.try(ctx, func(on segment.Loaded) error { return on.Segment(ctx, c, o, carry, r) })
}

func (l *fallbackLoaded) Measure(ctx context.Context, s segment.Spans, masks *segment.Masks, out []segment.Stat) error {
	return l.try(ctx, func(on segment.Loaded) error { return on.Measure(ctx, s, masks, out) })
}

// Survey is that of the engine that is used now, if it has one.
func (l *fallbackLoaded) Survey(ctx context.Context, s rules.Survey) (done bool, err error) {
	err = l.try(ctx, func(on segment.Loaded) (err error) {
		if on, ok := on.(surveyor); ok {
			done, err = on.Survey(ctx, s)
		}
		return err
	})
	return done, err
}

func (l *fallbackLoaded) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on.Release()
}
