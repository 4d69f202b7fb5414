package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"segscan/gpu"
	"segscan/segment"
)

// AllRow is all devices at once against the first alone: u8 samples at 1 in 512 in pinned memory, host to host, by the
// clock, a part of them to each device.
type AllRow struct {
	Devices int     `json:"devices"`
	One     Time    `json:"one_seconds"`
	All     Time    `json:"all_seconds"`
	OneGBs  float64 `json:"one_gb_per_s"`
	AllGBs  float64 `json:"all_gb_per_s"`
	Faster  float64 `json:"times_faster"`
}

// allDevices measures every device there is, first being open already. Each has its part of the samples in memory
// that it copies from fastest; alone, the first has them all.
func (b *bench) allDevices(ctx context.Context, first *gpu.Engine) (err error) {
	system, err := gpu.Devices(ctx, b.o.GPU)
	if err != nil {
		return fmt.Errorf("counting devices: %w", err)
	}
	engines := []*gpu.Engine{first}
	defer func() {
		for _, e := range engines[1:] {
			err = errors.Join(err, e.Close())
		}
	}()
	for i := range system.Devices {
		if i == b.o.GPU.Device {
			continue
		}
		o := b.o.GPU
		o.Device = i
		e, err := gpu.Open(ctx, o)
		if err != nil {
			return &DeviceError{err}
		}
		engines = append(engines, e)
	}
	b.progress(fmt.Sprintf("%d devices at once", len(engines)))
	samples := b.store.plane(segment.U8)
	alone, release, err := deviceParts(engines[:1], samples)
	defer release()
	if err != nil {
		return err
	}
	parts, release, err := deviceParts(engines, samples)
	defer release()
	if err != nil {
		return err
	}
	times, err := b.clock.interleave(ctx, weightTransfer,
		task{wall: true, run: func() error { return runParts(ctx, alone) }},
		task{wall: true, run: func() error { return runParts(ctx, parts) }})
	if err != nil {
		return err
	}
	for _, d := range append(alone, parts...) {
		if err := d.check(); err != nil {
			return err
		}
	}
	bytes := float64(len(samples.U8))
	b.report.GPU.All = &AllRow{Devices: len(engines), One: times[0], All: times[1], OneGBs: times[0].perSecond(bytes) / 1e9,
		AllGBs: times[1].perSecond(bytes) / 1e9, Faster: times[0].Median / times[1].Median}
	return nil
}

// deviceParts gives each engine an equal run of whole lines, in its own memory, which release frees.
func deviceParts(engines []*gpu.Engine, p segment.Plane) (parts []*deviceRun, release func(), err error) {
	var releases []func()
	release = func() {
		for _, r := range releases {
			r()
		}
	}
	lines := p.Lines / len(engines)
	if lines == 0 {
		return nil, release, fmt.Errorf("%d lines are too few for %d devices", p.Lines, len(engines))
	}
	for i, e := range engines {
		n := lines
		if i == len(engines)-1 {
			n = p.Lines - i*lines
		}
		q := p.Sub(i*lines, 0, n, p.Samples)
		pinned, r := e.Alloc(segment.U8, len(q.U8))
		releases = append(releases, r)
		copy(pinned.U8, q.U8)
		q.U8 = pinned.U8
		d := &deviceRun{engine: e, bands: bandsOf(q, max(deviceBands, len(q.U8)/deviceBandBytes)), atOnce: e.Slots()}
		d.results = make([]segment.Result, len(d.bands))
		parts = append(parts, d)
	}
	return parts, release, nil
}

// runParts runs every part at the same time.
func runParts(ctx context.Context, parts []*deviceRun) error {
	errs := make([]error, len(parts))
	var all sync.WaitGroup
	for i, d := range parts {
		all.Go(func() { errs[i] = d.each(ctx, d.segment) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (r *AllRow) text() string {
	return fmt.Sprintf("\nall %d devices, pinned memory  %s GB/s against %s GB/s of one: %s times as fast\n",
		r.Devices, number(r.AllGBs), number(r.OneGBs), ratio(r.Faster))
}
