package gpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// SpeedCase is what Speed measures a fused kernel on: samples that are made on the device.
type SpeedCase struct {
	Type         segment.SampleType
	Bytes        uint64 // of samples; whole lines are made
	Width, Pitch uint64 // of a line, in samples; Pitch 0 is Width
	Every        uint32 // 1 sample in Every is a boundary, 1 an activation
	Seed         uint64
	Form         SpeedForm
	Edges        segment.Edges
	Both         bool   // rejected spans too, by a second launch
	Offset       uint64 // samples from an aligned address to the first
	Images       uint64 // the samples are so many images of whole lines, apart in memory, in one launch; 0: one image
	Runs         int    // timed, of which Figure has the median; 0: 21
	Check        bool   // compare the spans with the CPU engine's
}

// SpeedForm is how samples are classified.
type SpeedForm string

// Forms: by thresholds; by a table with an interval of each class; by one with many.
const (
	SpeedThresholds SpeedForm = "thresholds"
	SpeedIntervals  SpeedForm = "intervals"
	SpeedTable      SpeedForm = "table"
)

// SpeedFigure is what was measured, all in one go on one device.
type SpeedFigure struct {
	Samples, Bytes uint64
	Spans          uint64        // of both groups
	Read           time.Duration // of the fastest kernel that only reads the samples
	ReadWrite      time.Duration // of one that reads them and writes as much as the spans take
	Fused          time.Duration // of the launches that find the spans
	Fastest        time.Duration // of the same, the least
	Warps, Blocks  uint32        // of its grid
}

// OfRead is the share of the read ceiling that the fused kernel reaches.
func (f SpeedFigure) OfRead() float64 { return f.Read.Seconds() / f.Fused.Seconds() }

// OfReadWrite is its share of reading and writing.
func (f SpeedFigure) OfReadWrite() float64 { return f.ReadWrite.Seconds() / f.Fused.Seconds() }

// speedRun is one Speed call.
type speedRun struct {
	e     *Engine
	c     SpeedCase
	lane  *lane
	bench map[string]*kernel[cuda.BenchParams]
	lines uint64

	samples, spans, rejected, descriptors, ticket, head, table, images, runImages buffer
	capacity, epoch                                                               uint64
	events                                                                        []event
}

// Speed measures the fused kernel for a case, by the device's own clock. It takes device memory for the samples and the
// spans, beyond what bands take.
func (e *Engine) Speed(ctx context.Context, c SpeedCase) (figure SpeedFigure, err error) {
	if c.Pitch == 0 {
		c.Pitch = c.Width
	}
	if c.Runs == 0 {
		c.Runs = 21
	}
	size := uint64(c.Type.Bytes())
	if c.Width == 0 || c.Pitch < c.Width || c.Every < 2 || c.Bytes < c.Pitch*size || c.Bytes/size+c.Offset > cuda.FusedSamples-fusedAlign ||
		c.Images > 0 && (c.Bytes < c.Pitch*size*c.Images || e.fused.basic || c.Images > mostSpeedImages) {
		return figure, fmt.Errorf("gpu: no case to measure: %+v", c)
	}
	r := &speedRun{e: e, c: c, lines: c.Bytes / size / c.Pitch, bench: map[string]*kernel[cuda.BenchParams]{}}
	if c.Images > 0 {
		r.lines -= r.lines % c.Images
	}
	if r.lane, err = e.takeLane(); err != nil {
		return figure, err
	}
	defer func() {
		_ = r.lane.wait("cuStreamQuery") // what failed has been said
		if e := e.do(r.close); err == nil {
			err = e
		}
		e.returnLane(r.lane)
	}()
	if err := e.do(r.prepare); err != nil {
		return figure, err
	}
	if err := r.classes(ctx); err != nil {
		return figure, err
	}
	if err := e.do(func() error { return r.measure(ctx, &figure) }); err != nil {
		return figure, err
	}
	if c.Check {
		err = r.check(ctx, figure)
	}
	return figure, err
}

// prepare takes memory and makes the samples.
func (r *speedRun) prepare() error {
	for _, name := range []string{"bench_fill", "bench_read4", "bench_read8", "bench_read_write"} {
		k, err := onDemand[cuda.BenchParams](r.e, r.e.fused, name)
		if err != nil {
			return err
		}
		r.bench[name] = k
	}
	n, size := r.c.Bytes/uint64(r.c.Type.Bytes())+r.c.Offset+r.c.Images*(imageGap+fusedAlign), uint64(r.c.Type.Bytes())
	r.capacity = min(n/2+r.lines+1, uint64(4*float64(n)/float64(r.c.Every))+4096)
	for _, b := range []struct {
		to    *buffer
		bytes uint64
	}{{&r.samples, n * size}, {&r.spans, 8 * r.capacity}, {&r.rejected, 8 * r.capacity}, {&r.table, 1 << 16},
		{&r.descriptors, 8 * (n/cuda.FusedRunSmall + 2 + r.c.Images)}, {&r.ticket, 64}, {&r.head, 1 << 20}, {&r.images, 64 * r.c.Images},
		{&r.runImages, 8 * (n/cuda.FusedRunSmall + 2*r.c.Images)}} {
		var err error
		if *b.to, err = r.e.pool.alloc(b.bytes, r.lane.stream); err != nil {
			return err
		}
	}
	if err := r.fill(r.descriptors, 0); err != nil {
		return err
	}
	if err := r.fill(r.spans, 0xee); err != nil {
		return err
	}
	return r.bench["bench_fill"].launch(r.e.driver, r.lane.stream, min(2048, n/1024+1), r.fillParams())
}

// fillParams are those of the kernel that makes the samples.
func (r *speedRun) fillParams() *cuda.BenchParams {
	size := uint64(r.c.Type.Bytes())
	return &cuda.BenchParams{Data: r.samples.ptr, N: r.samples.bytes / size, Seed: r.c.Seed, Every: r.c.Every, Bytes: uint32(size)}
}

func (r *speedRun) fill(b buffer, value uint8) error {
	return r.e.driver.check(r.e.driver.fill(b.ptr, value, uintptr(b.bytes), r.lane.stream), "cuMemsetD8Async")
}

// classifier is the form of the case; all forms agree on the samples that are made, but for the table, which also makes
// boundaries and activations of some between.
func (r *speedRun) classifier() segment.Classifier {
	scale := map[segment.SampleType]int{segment.U8: 1, segment.U16: 257, segment.F32: 1}[r.c.Type]
	if r.c.Form == SpeedThresholds || r.c.Form == "" {
		return segment.Thresholds{Lo: []float64{float64(40 * scale)}, Hi: []float64{float64(200 * scale)}}
	}
	t := segment.Table{Of: make([]segment.Class, 256)}
	if r.c.Type == segment.U16 {
		t.Of = make([]segment.Class, 65536)
	}
	class := func(from, to int, c segment.Class) {
		for v := from * scale; v < to*scale; v++ {
			t.Of[v] = c
		}
	}
	class(5, 40, segment.Boundary)
	class(205, 250, segment.Activation)
	if r.c.Form == SpeedTable {
		for v := 10; v < 40; v += 4 {
			class(v, v+1, segment.Other)
		}
	}
	return t
}

// classes makes the classifier ready.
func (r *speedRun) classes(ctx context.Context) error {
	by := r.by()
	images, runs := r.layOut(&by)
	return errors.Join(r.lane.uploadBytes(ctx, r.table.ptr, bytesOf(by.words)), r.lane.uploadBytes(ctx, r.images.ptr, bytesOf(images)),
		r.lane.uploadBytes(ctx, r.runImages.ptr, bytesOf(runsOf(images, runs, r.e.fused.shape(r.e, by.name, r.c.Type, 0).run))))
}

func (r *speedRun) by() fusedClasses {
	var source classSource
	switch c := r.classifier().(type) {
	case segment.Thresholds:
		b, err := c.Compared(r.c.Type, 0, 1)
		if err != nil {
			break
		}
		lo, hi := comparedBits(b[0], r.c.Type)
		return fusedThresholds(lo, hi, false, c.NaN, r.c.Type)
	case segment.Table:
		source = &tableClasses{c.Of}
	}
	by, _ := fusedClassesOf(source, r.c.Type)
	return by
}

// job is the launch for a group.
func (r *speedRun) job(rejected bool) fusedJob {
	size := uint64(r.c.Type.Bytes())
	j := fusedJob{classes: r.by(), table: r.table.ptr, samples: r.samples.at(r.c.Offset * size), size: size,
		lines: r.lines, width: r.c.Width, pitch: r.c.Pitch, ends: true, before: cuda.Pair{Index: cuda.NoIndex},
		keep: r.c.Edges == segment.EdgesKeep, rejected: rejected, spans: r.spans.ptr, capacity: r.capacity,
		descriptors: r.descriptors.ptr, ticket: r.ticket.ptr, total: r.head.ptr, dropped: r.head.at(64)}
	if rejected {
		j.spans, j.total, j.dropped = r.rejected.ptr, r.head.at(16), r.head.at(1<<19)
	}
	return j
}

// find launches the fused kernel, for both groups if they are wanted.
func (r *speedRun) find(grid *fusedGrid, params []*cuda.FusedParams) error {
	for _, p := range params {
		if r.epoch++; r.epoch > 0xffff {
			if err := r.fill(r.descriptors, 0); err != nil {
				return err
			}
			r.epoch = 1
		}
		p.Epoch = uint32(r.epoch)
		if grid.basic {
			if err := r.fill(r.ticket, 0); err != nil {
				return err
			}
		}
		if err := grid.launch(r.e.driver, r.lane.stream, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *speedRun) measure(ctx context.Context, f *SpeedFigure) error {
	grid, params, err := r.params()
	if err != nil {
		return err
	}
	f.Samples, f.Bytes = r.lines*r.c.Width, r.lines*r.c.Pitch*uint64(r.c.Type.Bytes())
	f.Warps, f.Blocks = grid.shape.warps, grid.blocks
	if f.Fused, f.Fastest, err = r.time(ctx, func() error { return r.find(&grid, params) }); err != nil {
		return err
	}
	var head fusedHead
	if err := r.now(valueBytes(&head), r.head.ptr); err != nil {
		return err
	}
	f.Spans = uint64(head.kept.Count)
	if r.c.Both {
		f.Spans += uint64(head.rejected.Count)
	}
	for _, read := range []struct {
		kernel string
		each   uint64
	}{{"bench_read4", 4}, {"bench_read8", 8}} {
		p := &cuda.BenchParams{Data: r.samples.ptr, Sink: r.ticket.ptr, N: f.Bytes / 16}
		d, _, err := r.time(ctx, func() error { return r.launch(read.kernel, read.each, p) })
		if err != nil {
			return err
		}
		if f.Read == 0 || d < f.Read {
			f.Read = d
		}
	}
	p := &cuda.BenchParams{Data: r.samples.ptr, Sink: r.ticket.ptr, N: f.Bytes / 16, Out: r.rejected.ptr}
	blocks := (p.N + 8*cuda.PlainThreads - 1) / (8 * cuda.PlainThreads)
	p.Writes = uint32(min(f.Spans, r.capacity) / max(blocks, 1))
	if f.ReadWrite, _, err = r.time(ctx, func() error { return r.launch("bench_read_write", 8, p) }); err != nil {
		return err
	}
	if err := r.fill(r.head, 0); err != nil {
		return err
	}
	return r.find(&grid, params) // what was written over
}

// params are those of the launches.
func (r *speedRun) params() (grid fusedGrid, params []*cuda.FusedParams, err error) {
	if r.c.Images > 0 {
		return r.manyParams()
	}
	job := r.job(false)
	if grid, err = r.e.fused.grid(r.e, job.classes.name, r.c.Type, job.end()); err != nil {
		return grid, nil, err
	}
	params = append(params, job.params(&grid))
	if r.c.Both {
		job = r.job(true)
		params = append(params, job.params(&grid))
	}
	return grid, params, nil
}

func (r *speedRun) launch(name string, each uint64, p *cuda.BenchParams) error {
	each *= cuda.PlainThreads
	return r.bench[name].launch(r.e.driver, r.lane.stream, (p.N+each-1)/each, p)
}

// warmUps are the runs before those that are timed.
const warmUps = 3

// time runs f several times and takes the median and the least of the times between events. All runs are queued before
// the first is waited for, behind others, so that the device never waits for the host.
func (r *speedRun) time(ctx context.Context, f func() error) (median, least time.Duration, err error) {
	d := r.e.driver
	for len(r.events) < r.c.Runs+1 {
		var v event
		if err := d.check(d.eventCreate(&v, 0), "cuEventCreate"); err != nil {
			return 0, 0, err
		}
		r.events = append(r.events, v)
	}
	for range warmUps {
		if err := f(); err != nil {
			return 0, 0, err
		}
	}
	// Something to do for the device meanwhile: to make the same samples again, on few multiprocessors.
	for range 8 {
		p := r.fillParams()
		if err := r.bench["bench_fill"].launch(d, r.lane.stream, max(1, min(512, p.N>>20)), p); err != nil {
			return 0, 0, err
		}
	}
	for i := range r.c.Runs + 1 {
		if err := d.check(d.eventRecord(r.events[i], r.lane.stream), "cuEventRecord"); err != nil {
			return 0, 0, err
		}
		if i < r.c.Runs {
			if err := f(); err != nil {
				return 0, 0, err
			}
		}
	}
	if err := r.idle(ctx); err != nil {
		return 0, 0, err
	}
	times := make([]time.Duration, r.c.Runs)
	for i := range times {
		var ms float32
		if err := d.check(d.eventElapsed(&ms, r.events[i], r.events[i+1]), "cuEventElapsedTime"); err != nil {
			return 0, 0, err
		}
		times[i] = time.Duration(float64(ms) * float64(time.Millisecond))
	}
	slices.Sort(times)
	return times[len(times)/2], times[0], nil
}

// idle waits for the stream on the driver's thread: nothing else is to run meanwhile.
func (r *speedRun) idle(ctx context.Context) error {
	for {
		c := r.e.driver.streamQuery(r.lane.stream)
		if c != codeNotReady {
			return r.e.driver.check(c, "cuStreamQuery")
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		runtime.Gosched()
	}
}

// now copies from the device, on its thread.
func (r *speedRun) now(to []byte, from cuda.Ptr) error {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&to[0])
	if err := r.e.driver.check(r.e.driver.toHost(pointerTo(to), from, uintptr(len(to)), r.lane.stream), "cuMemcpyDtoHAsync"); err != nil {
		return err
	}
	return r.idle(context.Background())
}

// close gives everything back.
func (r *speedRun) close() error {
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, v := range r.events {
		note(r.e.driver.check(r.e.driver.eventDestroy(v), "cuEventDestroy"))
	}
	for _, b := range []buffer{r.samples, r.spans, r.rejected, r.table, r.descriptors, r.ticket, r.head, r.images, r.runImages} {
		note(r.e.pool.free(b))
	}
	return first
}
