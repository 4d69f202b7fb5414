package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"segscan/gpu"
	"segscan/segment"
)

// GPUReport is what is known of a GPU. Without the option Device only its name, or why there is none.
type GPUReport struct {
	Device      string        `json:"device,omitempty"`
	Name        string        `json:"name,omitempty"`
	Driver      string        `json:"driver,omitempty"`
	None        string        `json:"none,omitempty"`         // why there is none
	NotMeasured string        `json:"not_measured,omitempty"` // which figures are missing, and why
	StartUp     float64       `json:"start_up_seconds,omitempty"`
	Kernels     []KernelRow   `json:"kernels,omitempty"`
	Bytes       int           `json:"transfer_bytes,omitempty"` // of samples of each transfer
	Transfers   []TransferRow `json:"transfers,omitempty"`
	Many        *ManyRow      `json:"many_images,omitempty"`
	All         *AllRow       `json:"all_devices,omitempty"`
}

// TransferRow is the engine on a device with u8 samples at 1 in 512, by the clock, results back in the host's memory.
// Memory says where the samples lie: "ordinary" as decoders give them, "pinned" as the device copies fastest from,
// "device" loaded before. Copy is of copying them to the device and no more, in the same rounds; zero for "device".
type TransferRow struct {
	Memory string  `json:"memory"`
	Bands  int     `json:"bands_at_once"`
	Time   Time    `json:"seconds"`
	GBs    float64 `json:"gb_per_s"`
	Copy   Time    `json:"copy_seconds"`
	CopyGB float64 `json:"copy_gb_per_s"`
	OfCopy float64 `json:"of_copy"`
}

// openDevice opens the device asked for, or, if none is, asks for the first one's name. A device asked for that cannot
// be had is an error.
func (b *bench) openDevice(ctx context.Context) (*gpu.Engine, error) {
	if b.o.NoGPU {
		return nil, nil
	}
	b.progress("asking for a GPU")
	r := &GPUReport{}
	b.report.GPU = r
	if !b.o.Device {
		s, err := gpu.Devices(ctx, b.o.GPU)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			r.None = err.Error()
		case len(s.Devices) > 0 && s.Devices[0].Unusable != nil:
			r.None = s.Devices[0].Unusable.Error()
		case len(s.Devices) > 0:
			r.Device, r.Name, r.Driver = "cuda:0", s.Devices[0].Name, s.DriverVersion()
			r.NotMeasured = "it is measured with --device cuda"
		}
		return nil, nil
	}
	b.o.GPU.Pinned = max(2<<30, 2*uint64(b.o.DeviceBytes)+1<<30) // all samples, and a part of them again
	start := time.Now()
	e, err := gpu.Open(ctx, b.o.GPU)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &DeviceError{err}
	}
	r.StartUp = time.Since(start).Seconds()
	r.Device, r.Name = e.Device(), e.Info().Name
	return e, nil
}

// DeviceError says that the device asked for cannot be had.
type DeviceError struct{ Err error }

func (e *DeviceError) Error() string { return e.Err.Error() }
func (e *DeviceError) Unwrap() error { return e.Err }

// transfers are the rows of a device.
func transfers() []string { return []string{"ordinary", "pinned", "device"} }

// Samples are cut into so many bands at least, and into bands of so many bytes at most, so that copies and kernels of
// several overlap.
const (
	deviceBands     = 16
	deviceBandBytes = 64 << 20
)

// device measures the kernels of a device alone, and its engine from host to host, and compares what it finds with the
// definition.
func (b *bench) device(ctx context.Context, e *gpu.Engine, cases []kernelCase) error {
	if err := b.kernels(ctx, e, cases); err != nil {
		return err
	}
	if b.store == nil || b.o.DeviceBytes != b.o.Bytes {
		b.store = newStore(b.o.DeviceBytes)
	}
	p := b.store.plane(segment.U8)
	b.report.GPU.Bytes = len(p.U8)
	if err := fill(ctx, &p, passDensity); err != nil {
		return err
	}
	for _, memory := range transfers() {
		b.progress(e.Device() + ", samples in " + memory + " memory")
		if err := b.transfer(ctx, e, p, memory); err != nil {
			return fmt.Errorf("measuring %s with samples in %s memory: %w", e.Device(), memory, err)
		}
	}
	if err := b.manyImages(ctx, e); err != nil {
		return fmt.Errorf("measuring %s with many small images: %w", e.Device(), err)
	}
	return nil
}

func (b *bench) transfer(ctx context.Context, e *gpu.Engine, p segment.Plane, memory string) error {
	if memory == "pinned" {
		pinned, release := e.Alloc(segment.U8, len(p.U8))
		defer release()
		copy(pinned.U8, p.U8)
		p.U8 = pinned.U8
	}
	d := &deviceRun{engine: e, bands: bandsOf(p, max(deviceBands, len(p.U8)/deviceBandBytes)), atOnce: e.Slots()}
	d.results = make([]segment.Result, len(d.bands))
	if memory == "device" {
		defer d.release()
		if err := d.load(ctx); err != nil {
			return err
		}
	}
	tasks := []task{{wall: true, run: func() error { return d.each(ctx, d.segment) }}}
	if memory != "device" {
		tasks = append(tasks, task{wall: true, run: func() error { return d.each(ctx, d.copy) }})
	}
	times, err := b.clock.interleave(ctx, weightTransfer, tasks...)
	if err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	bytes := float64(len(p.U8))
	row := TransferRow{Memory: memory, Bands: d.atOnce, Time: times[0], GBs: times[0].perSecond(bytes) / 1e9}
	if len(times) > 1 {
		row.Copy, row.CopyGB, row.OfCopy = times[1], times[1].perSecond(bytes)/1e9, times[1].Median/times[0].Median
	}
	b.report.GPU.Transfers = append(b.report.GPU.Transfers, row)
	return nil
}

// bandsOf cuts a plane into bands of whole lines.
func bandsOf(p segment.Plane, n int) []segment.Band {
	var bands []segment.Band
	each := (p.Lines + n - 1) / n
	for l := 0; l < p.Lines; l += each {
		lines := min(each, p.Lines-l)
		bands = append(bands, segment.Band{Line0: int64(l), Lines: lines, Samples: p.Samples, V: p.Sub(l, 0, lines, p.Samples)})
	}
	return bands
}

// deviceRun takes bands through the engine, several at once. loaded is set where they stay on the device.
type deviceRun struct {
	engine  segment.Engine
	bands   []segment.Band
	loaded  []segment.Loaded
	results []segment.Result
	atOnce  int
}

func (d *deviceRun) load(ctx context.Context) error {
	for _, band := range d.bands {
		l, err := d.engine.Load(ctx, band)
		if err != nil {
			return err
		}
		d.loaded = append(d.loaded, l)
	}
	return nil
}

func (d *deviceRun) release() {
	for _, l := range d.loaded {
		l.Release()
	}
}

// each does something with every band, several at once.
func (d *deviceRun) each(ctx context.Context, do func(context.Context, int) error) error {
	var next atomic.Int64
	errs := make([]error, d.atOnce)
	var all sync.WaitGroup
	for w := range d.atOnce {
		all.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(d.bands) {
					return
				}
				errs[w] = do(ctx, i)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// copy copies a band to the device; releasing it waits for that.
func (d *deviceRun) copy(ctx context.Context, i int) error {
	l, err := d.engine.Load(ctx, d.bands[i])
	if err == nil {
		l.Release()
	}
	return err
}

// segment segments a band, host to host or on the device alone.
func (d *deviceRun) segment(ctx context.Context, i int) error {
	if d.loaded != nil {
		return d.loaded[i].Segment(ctx, thresholdsOf(segment.U8), segment.Options{}, nil, &d.results[i])
	}
	l, err := d.engine.Load(ctx, d.bands[i])
	if err != nil {
		return err
	}
	defer l.Release()
	return l.Segment(ctx, thresholdsOf(segment.U8), segment.Options{}, nil, &d.results[i])
}

// check compares the results with the definition, several bands at once.
func (d *deviceRun) check() error {
	t := thresholdsOf(segment.U8)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, band := range d.bands {
		g.Go(func() error {
			want := automaton(&band.V, &t, nil)
			got := d.results[i].Kept.Bounds
			if len(got) != len(want) {
				return fmt.Errorf("band %d: %d segments where there are %d", i, len(got), len(want))
			}
			for k := range want {
				if got[k] != want[k] {
					return fmt.Errorf("band %d: segment %d is %v where it should be %v", i, k, got[k], want[k])
				}
			}
			return nil
		})
	}
	return g.Wait()
}
