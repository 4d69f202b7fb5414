package gpu

import (
	"context"
	"fmt"
	"slices"
	"time"

	rules "segscan/kernels"
	"segscan/kernels/cuda"
	"segscan/segment"
)

// LocalSpeedCase is what LocalSpeed measures a local threshold on: samples that are made on the device, a page of whole
// lines.
type LocalSpeedCase struct {
	Type  segment.SampleType
	Bytes uint64
	Width uint64 // of a line, in samples
	Rule  rules.Local
	Runs  int  // timed, of which Figure has the median; 0: 21
	Check bool // compare some lines with the CPU's classes
}

// LocalSpeedFigure is what was measured, all in one go on one device.
type LocalSpeedFigure struct {
	Samples, Bytes uint64
	Read           time.Duration // of the fastest kernel that only reads the samples
	Planes         time.Duration // of what makes bit planes of them
	Fastest        time.Duration // of the same, the least
}

// OfRead is the share of the read ceiling that the planes are made at.
func (f LocalSpeedFigure) OfRead() float64 { return f.Read.Seconds() / f.Planes.Seconds() }

// LocalSpeed measures a local threshold, by the device's own clock. It takes device memory for the samples and the
// planes, beyond what bands take.
func (e *Engine) LocalSpeed(ctx context.Context, c LocalSpeedCase) (figure LocalSpeedFigure, err error) {
	size := uint64(c.Type.Bytes())
	if c.Width == 0 || c.Bytes < c.Width*size {
		return figure, fmt.Errorf("gpu: no case to measure: %+v", c)
	}
	if c.Runs == 0 {
		c.Runs = 21
	}
	lines := c.Bytes / size / c.Width
	r := &speedRun{e: e, c: SpeedCase{Type: c.Type, Bytes: c.Bytes, Width: c.Width, Pitch: c.Width, Every: 64, Runs: c.Runs, Offset: 128}, lines: lines,
		bench: map[string]*kernel[cuda.BenchParams]{}}
	if r.lane, err = e.takeLane(); err != nil {
		return figure, err
	}
	words := (c.Width + 63) / 64
	var planes [2]buffer
	defer func() {
		_ = r.lane.wait("cuStreamQuery") // what failed has been said
		if e := e.do(func() error {
			for _, b := range planes {
				if err := r.e.pool.free(b); err != nil {
					return err
				}
			}
			return r.close()
		}); err == nil {
			err = e
		}
		e.returnLane(r.lane)
	}()
	band := segment.Band{Page: &segment.PageInfo{Type: c.Type, Width: int64(c.Width), Height: int64(lines)}, Lines: int(lines), Samples: int(c.Width)}
	l := &loaded{e: e, band: band, body: segment.NewPlane(c.Type, 1, 1), pitch: c.Width, lane: r.lane}
	run := &segmentRun{loaded: l, lines: lines}
	source, err := l.localClasses(&c.Rule)
	if err != nil {
		return figure, err
	}
	classes, ok := source.(*localClasses)
	if !ok {
		return figure, fmt.Errorf("gpu: %s has too little memory for each block to work out local thresholds", e.Device())
	}
	err = e.do(func() error {
		if err := r.prepare(); err != nil {
			return err
		}
		for i := range planes {
			var err error
			if planes[i], err = e.pool.alloc(8*lines*words, r.lane.stream); err != nil {
				return err
			}
		}
		run.at, run.buffers.boundary, run.buffers.activation = r.samples.at(localSpeedLead), planes[0], planes[1]
		return nil
	})
	if err != nil {
		return figure, err
	}
	run.buffers.table = r.table
	if err := classes.send(ctx, run, 0, int(lines)); err != nil {
		return figure, err
	}
	figure.Samples, figure.Bytes = lines*c.Width, lines*c.Width*size
	err = e.do(func() (err error) {
		if figure.Planes, figure.Fastest, err = r.time(ctx, func() error { return classes.makePlanes(run) }); err != nil {
			return err
		}
		figure.Read, err = r.readCeiling(ctx, figure.Bytes)
		return err
	})
	if err == nil && c.Check {
		err = checkLocalPlanes(ctx, r, &c, band, planes)
	}
	return figure, err
}

// localSpeedLead is how many bytes there are before the samples, and at least as many after them.
const localSpeedLead = 64

// readCeiling is the time of the fastest kernel that only reads so many bytes; it runs on the thread.
func (r *speedRun) readCeiling(ctx context.Context, bytes uint64) (fastest time.Duration, err error) {
	p := &cuda.BenchParams{Data: r.samples.ptr, Sink: r.ticket.ptr, N: bytes / 16}
	for name, each := range map[string]uint64{"bench_read4": 4, "bench_read8": 8} {
		d, _, err := r.time(ctx, func() error { return r.launch(name, each, p) })
		if err != nil {
			return 0, err
		}
		if fastest == 0 || d < fastest {
			fastest = d
		}
	}
	return fastest, nil
}

// checkLocalPlanes compares the planes of some lines with the classes that the CPU finds.
func checkLocalPlanes(ctx context.Context, r *speedRun, c *LocalSpeedCase, band segment.Band, planes [2]buffer) error {
	const some = 24
	size, halo := uint64(c.Type.Bytes()), c.Rule.Needs().HaloLines
	for _, l0 := range []int{0, band.Lines / 3, band.Lines/2 + 5, band.Lines - some} {
		l0 = max(0, min(l0, band.Lines-some))
		l1 := min(l0+some, band.Lines)
		from, end := max(0, l0-halo), min(band.Lines, l1+halo)
		part := band
		part.Line0, part.Lines = int64(l0), l1-l0
		part.Before.Lines, part.After.Lines = l0-from, end-l1
		part.V = segment.NewPlane(c.Type, end-from, band.Samples)
		if err := r.lane.download(planeBytes(&part.V), r.samples.at(localSpeedLead+uint64(from)*c.Width*size)); err != nil {
			return err
		}
		var want, got segment.Masks
		want.Resize(part.Lines, part.Samples)
		if err := classifyHere(ctx, part, &c.Rule, &want); err != nil {
			return err
		}
		got.Resize(part.Lines, part.Samples)
		at := 8 * uint64(l0) * uint64(got.Words)
		if err := r.lane.download(bytesOf(got.B), planes[0].at(at)); err != nil {
			return err
		}
		if err := r.lane.download(bytesOf(got.A), planes[1].at(at)); err != nil {
			return err
		}
		if !slices.Equal(got.B, want.B) || !slices.Equal(got.A, want.A) {
			return fmt.Errorf("gpu: the device and the CPU disagree on lines %d to %d: %+v", l0, l1-1, c)
		}
	}
	return nil
}
