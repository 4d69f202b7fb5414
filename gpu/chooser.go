package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"segscan/segment"
)

// Mode says which devices may be used.
type Mode uint8

// Modes: Auto takes a device where it pays, and the CPU otherwise and where a device fails. CPU never asks for a
// device. CUDA uses devices only, and pages fail where those do.
const (
	Auto Mode = iota
	CPU
	CUDA
)

// Policy is how a Chooser chooses.
type Policy struct {
	Mode     Mode
	Device   int     // ordinal, for CUDA
	All      bool    // every usable device in turn, for CUDA
	Options  Options // how devices are opened; Options.Device is not read
	Model    Model   // for Auto
	Workers  int     // of the CPU engine; 0: one a core
	OnDevice bool    // the kernel's classes are found on the device: see Work
	CoreRate float64 // of one core for the kernel's classes: see Work
	Probe    func(ctx context.Context) error
	// Notify hears of a device that fails or cannot be had and that the CPU is used instead for; it may be nil.
	Notify func(err error)
}

// Chooser gives each page its engine. It opens devices when they are first needed, and closes them.
type Chooser struct {
	p   Policy
	ctx context.Context
	cpu segment.Engine

	mu      sync.Mutex
	devices []*Engine
	next    int
	tried   bool          // Auto: a device was opened, or could not be
	failed  error         // why it could not be
	missed  time.Duration // Auto: what an open device would have saved so far
}

// NewChooser makes one and opens nothing. ctx ends the waiting for devices.
func NewChooser(ctx context.Context, p Policy) *Chooser {
	return &Chooser{p: p, ctx: ctx, cpu: segment.NewCPU(p.Workers)}
}

// Open opens the devices of a policy that uses them only; of others it does nothing. The error says why one cannot be
// had.
func (c *Chooser) Open() error {
	if c.p.Mode != CUDA {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.devices) > 0 {
		return nil
	}
	ordinals := []int{c.p.Device}
	if c.p.All {
		var err error
		if ordinals, err = c.usable(); err != nil {
			return err
		}
	}
	return c.openEach(ordinals)
}

// usable lists all devices that can be used.
func (c *Chooser) usable() ([]int, error) {
	s, err := Devices(c.ctx, c.p.Options)
	if err != nil {
		return nil, err
	}
	var ordinals []int
	var reasons []error
	for _, d := range s.Devices {
		if d.Unusable != nil {
			reasons = append(reasons, d.Unusable)
			continue
		}
		ordinals = append(ordinals, d.Ordinal)
	}
	if len(ordinals) == 0 {
		return nil, errors.Join(reasons...)
	}
	return ordinals, nil
}

// openEach opens devices side by side; one that fails fails all.
func (c *Chooser) openEach(ordinals []int) error {
	engines, errs := make([]*Engine, len(ordinals)), make([]error, len(ordinals))
	var all sync.WaitGroup
	for i, n := range ordinals {
		all.Go(func() {
			o := c.p.Options
			o.Device = n
			engines[i], errs[i] = Open(c.ctx, o)
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		for _, e := range engines {
			if e != nil {
				err = errors.Join(err, e.Close())
			}
		}
		return err
	}
	c.devices = engines
	return nil
}

// For gives the engine for a page. reason is why it is not a device, where one might have been: the model says that it
// would not pay, or it cannot be had. It is a batch.EngineFor.
func (c *Chooser) For(p *segment.PageInfo) (e segment.Engine, reason string, err error) {
	switch c.p.Mode {
	case CPU:
		return c.cpu, "", nil
	case CUDA:
		e, err := c.turn()
		if err != nil {
			return nil, "", err
		}
		return e, "", nil
	}
	return c.auto(Work{Samples: p.Width * p.Height, SampleBytes: p.Type.Bytes(), OnDevice: c.p.OnDevice, CoreRate: c.p.CoreRate})
}

// turn is the next device that is not lost.
func (c *Chooser) turn() (*Engine, error) {
	if err := c.Open(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var lost error
	for range c.devices {
		e := c.devices[c.next%len(c.devices)]
		c.next++
		if lost = e.Lost(); lost == nil {
			return e, nil
		}
	}
	return nil, lost
}

// notWorthIt is the reason where the model prefers the CPU.
const notWorthIt = "a GPU would not be faster here"

// auto takes the device if it is open and faster for this page. It is opened once it pays: when what it would have
// saved on the pages so far, this one among them, comes to more than its start-up. (Nobody knows how many pages are to
// come; waiting this long takes at most twice as long as knowing would.)
func (c *Chooser) auto(w Work) (segment.Engine, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	saves := c.p.Model.Saves(w)
	if saves <= 0 {
		return c.cpu, notWorthIt, nil
	}
	if !c.tried {
		if c.missed += saves; c.missed <= c.p.Model.StartUp {
			return c.cpu, notWorthIt, nil
		}
		c.openAuto()
	}
	if c.failed == nil {
		c.failed = c.devices[0].Lost()
	}
	if c.failed != nil {
		return c.cpu, c.failed.Error(), nil
	}
	return NewFallback(c.devices[0], c.cpu, c.notify), "", nil
}

// openAuto opens the first device that can be used, and says so if there is none.
func (c *Chooser) openAuto() {
	c.tried = true
	if c.p.Probe != nil {
		c.failed = c.p.Probe(c.ctx)
	}
	if c.failed == nil {
		var ordinals []int
		if ordinals, c.failed = c.usable(); c.failed == nil {
			c.failed = c.openEach(ordinals[:1])
		}
	}
	if c.failed != nil && c.ctx.Err() == nil {
		c.notify(c.failed)
	}
}

func (c *Chooser) notify(err error) {
	if c.p.Notify != nil {
		c.p.Notify(err)
	}
}

// Close closes what was opened.
func (c *Chooser) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	errs := []error{c.cpu.Close()}
	for _, e := range c.devices {
		if err := e.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close %s: %w", e.Device(), err))
		}
	}
	c.devices = nil
	return errors.Join(errs...)
}
