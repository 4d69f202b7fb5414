// Many images in one launch: their device text is kernels/cuda/fused_images.cuh.

package gpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// Segment segments every band into its result, by one classifier, as Segment of each does. Masks, per-line thresholds,
// classifiers that the device does not know, CompactionMultiPass and old devices are not for it: then it fails at once,
// and Apart says so before. Bounds of all results share memory.
func (m *Many) Segment(ctx context.Context, c segment.Classifier, o segment.Options, results []segment.Result) error {
	return m.guard(ctx, "segment", func() error {
		if len(results) != len(m.images) {
			return fmt.Errorf("%d results for %d bands", len(results), len(m.images))
		}
		by, ok, err := m.e.manyClasses(c, m.typ(), o)
		if err != nil {
			return err
		}
		if !ok {
			return errMany
		}
		r := &manyRun{Many: m, by: by, o: o, results: results}
		r.keptRoom = m.e.plannedDensity()
		r.rejectedRoom = r.keptRoom
		for {
			err := r.once(ctx)
			if !errors.Is(err, errAgain) {
				return err
			}
		}
	})
}

// manyClasses gives a classifier to the kernels for many images, if they take it.
func (e *Engine) manyClasses(c segment.Classifier, t segment.SampleType, o segment.Options) (by fusedClasses, ok bool, err error) {
	if o.Masks || o.Compaction != segment.SinglePass || e.fused.basic || e.o.stages {
		return by, false, nil
	}
	var source classSource
	one := &loaded{e: e, body: segment.NewPlane(t, 1, 1), band: segment.Band{Lines: 1}}
	switch c := c.(type) {
	case segment.Thresholds:
		if len(c.Lo) > 1 || len(c.Hi) > 1 {
			return by, false, nil
		}
		source, err = one.thresholds(&c)
	case segment.Table:
		source, err = one.table(&c)
	default:
		return by, false, nil
	}
	if err != nil {
		return by, false, err
	}
	by, ok = fusedClassesOf(source, t)
	by.name = "many_" + by.name
	return by, ok, nil
}

// manyRun is a Segment call of Many.
type manyRun struct {
	*Many
	by                     fusedClasses
	o                      segment.Options
	results                []segment.Result
	keptRoom, rejectedRoom float64 // spans a sample there is room for
}

// manyBuffers is the device memory of a call.
type manyBuffers struct {
	table, descriptors, head, images, runImages, dropped buffer
	kept, rejected                                       buffer
}

// runsOf describes each run of images for the kernel.
func runsOf(images []cuda.FusedImage, runs, run uint64) []cuda.FusedRun {
	of := make([]cuda.FusedRun, runs)
	for i := range images {
		im := &images[i]
		last := runs
		if i+1 < len(images) {
			last = uint64(images[i+1].FirstRun)
		}
		phase, pitch := uint64(im.FrontPhase), uint64(im.Pitch)
		for k := uint64(im.FirstRun); k < last; k++ {
			of[k] = cuda.FusedRun{Image: uint32(i), Phase: uint32(phase)}
			phase = (phase + run) % pitch
		}
	}
	return of
}

// layOut numbers the runs of all images, and describes them for the kernel.
func (m *Many) layOut(samples cuda.Ptr, run uint64) (images []cuda.FusedImage, runs uint64) {
	images = make([]cuda.FusedImage, len(m.images))
	size := uint64(m.typ().Bytes())
	for i := range m.images {
		im := &m.images[i]
		im.before = runs
		images[i] = manyImage(samples+cuda.Ptr(im.at), size, uint64(im.band.Lines), uint64(im.band.Samples), im.pitch, run)
		images[i].FirstRun = uint32(runs)
		runs += (uint64(images[i].End) + run - 1) / run
	}
	return images, runs
}

// manyImage describes an image at an address.
func manyImage(at cuda.Ptr, size, lines, width, pitch, run uint64) cuda.FusedImage {
	if lines == 1 {
		pitch = width
	}
	front := uint64(at) % fusedAlign / size
	i := imageFields(front+(lines-1)*pitch+width, front, width, pitch, run)
	i.Samples = at &^ (fusedAlign - 1)
	return i
}

// once plans, launches and reads one try.
func (r *manyRun) once(ctx context.Context) (err error) {
	e, b := r.e, &manyBuffers{}
	shape := e.fused.shape(e, r.by.name, r.typ(), r.samples.bytes/r.sampleBytes())
	images, runs := r.layOut(r.samples.ptr, shape.run)
	if runs*shape.run > fusedLimit(&e.o) {
		return fmt.Errorf("%w: they are %d samples together", errMany, runs*shape.run)
	}
	n, lines := uint64(0), uint64(0)
	for i := range r.images {
		n += uint64(r.images[i].band.Lines) * uint64(r.images[i].band.Samples)
		lines += uint64(r.images[i].band.Lines)
	}
	kept, rejected := room(r.keptRoom, n, lines), room(r.rejectedRoom, n, lines)
	w := new(plan)
	if bytes := r.by.classBytes(0); bytes > 0 {
		w.add(&b.table, bytes)
	}
	w.add(&b.descriptors, 8*runs)
	w.add(&b.head, fusedHeadBytes)
	w.add(&b.images, uint64(len(bytesOf(images))))
	w.add(&b.runImages, 8*runs)
	w.add(&b.dropped, 4*cuda.FusedDropCounters*uint64(len(images)))
	w.add(&b.kept, 8*kept)
	if r.o.Rejected {
		w.add(&b.rejected, 8*rejected)
	}
	return r.step(ctx, 0, 1, w, func(int, int, cuda.Ptr) error {
		params := &cuda.FusedParams{Images: b.images.ptr, RunImages: b.runImages.ptr, Runs: uint32(runs), ImageCount: uint32(len(images)), Classes: b.table.ptr,
			Descriptors: b.descriptors.ptr, Dropped: b.dropped.ptr, Keep: flag(r.o.Edges == segment.EdgesKeep)}
		if err := errors.Join(r.lane.uploadBytes(ctx, b.images.ptr, bytesOf(images)),
			r.lane.uploadBytes(ctx, b.runImages.ptr, bytesOf(runsOf(images, runs, shape.run))),
			r.lane.uploadBytes(ctx, b.table.ptr, bytesOf(r.by.words))); err != nil {
			return err
		}
		if err := e.do(func() error { return r.launch(params, b, runs*shape.run, kept, rejected) }); err != nil {
			return err
		}
		return r.collect(b, n, kept, rejected)
	})
}

// launch starts the kernel for each group; it runs on the thread.
func (r *manyRun) launch(p *cuda.FusedParams, b *manyBuffers, samples, kept, rejected uint64) error {
	e, st := r.e, r.lane.stream
	grid, err := e.fused.grid(e, r.by.name, r.typ(), samples)
	if err != nil {
		return err
	}
	manyParams(p, &grid, r.by)
	for _, z := range []buffer{b.descriptors, b.dropped} {
		if err := e.driver.check(e.driver.fill(z.ptr, 0, uintptr(z.bytes), st), "cuMemsetD8Async"); err != nil {
			return err
		}
	}
	p.Spans, p.Capacity, p.Total, p.Epoch = b.kept.ptr, uint32(min(kept, cuda.NoIndex)), b.head.ptr, 1
	if err := grid.launch(e.driver, st, p); err != nil {
		return err
	}
	if err := e.synced(grid.kernel.name); err != nil || !r.o.Rejected {
		return err
	}
	p.Rejected = 1
	p.Spans, p.Capacity, p.Total, p.Epoch = b.rejected.ptr, uint32(min(rejected, cuda.NoIndex)), b.head.at(fusedHeadBytes/2), 2
	if err := grid.launch(e.driver, st, p); err != nil {
		return err
	}
	return e.synced(grid.kernel.name)
}

// manyParams fills in what follows from the grid and the classifier.
func manyParams(p *cuda.FusedParams, g *fusedGrid, by fusedClasses) {
	by.fill(p)
	p.Tiles, p.Warps, p.BeforeLast = uint32(g.tiles), g.shape.warps, cuda.NoIndex
	p.Pitch, p.Width = cuda.NoIndex, cuda.NoIndex // lines are of no image
	if p.Keep == 0 {
		p.BeforeState = cuda.BeforeUnarmed
	}
}

// collect reads what was found and divides it among the images.
func (r *manyRun) collect(b *manyBuffers, n, keptRoom, rejectedRoom uint64) error {
	var head fusedHead
	counters := make([]uint32, cuda.FusedDropCounters*len(r.images))
	if err := errors.Join(r.lane.download(valueBytes(&head), b.head.ptr), r.lane.download(bytesOf(counters), b.dropped.ptr)); err != nil {
		return err
	}
	total := cuda.Counts{Kept: uint64(head.kept.Count)}
	if r.o.Rejected {
		total.Rejected = uint64(head.rejected.Count)
	}
	if total.Kept > keptRoom || total.Rejected > rejectedRoom {
		s := segmentRun{loaded: &r.loaded, n: n, keptRoom: r.keptRoom, rejectedRoom: r.rejectedRoom}
		s.grow(total)
		r.keptRoom, r.rejectedRoom = s.keptRoom, s.rejectedRoom
		return errAgain
	}
	kept, rejected := make([]segment.Bound, total.Kept), make([]segment.Bound, total.Rejected)
	if err := errors.Join(r.lane.download(bytesOf(kept), b.kept.ptr), r.lane.download(bytesOf(rejected), b.rejected.ptr)); err != nil {
		return err
	}
	run := r.e.fused.shape(r.e, r.by.name, r.typ(), 0).run
	cutsKept, cutsRejected := r.divide(kept, run), r.divide(rejected, run)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	const each = 16
	for from := 0; from < len(r.images); from += each {
		g.Go(func() error {
			for i := from; i < min(from+each, len(r.images)); i++ {
				result := &r.results[i]
				result.Reset(r.images[i].band.Lines)
				result.Masks, result.DroppedAtEdges = nil, 0
				if r.o.Edges == segment.EdgesDrop {
					for k := i; k < len(counters); k += len(r.images) {
						result.DroppedAtEdges += int64(counters[k])
					}
				}
				err := errors.Join(r.place(&result.Kept, kept[cutsKept[i]:cutsKept[i+1]:cutsKept[i+1]], i, run),
					r.place(&result.Rejected, rejected[cutsRejected[i]:cutsRejected[i+1]:cutsRejected[i+1]], i, run))
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// divide finds where the spans of each image begin among those of all, by where they end.
func (m *Many) divide(spans []segment.Bound, run uint64) []int {
	cuts := make([]int, len(m.images)+1)
	for i := 1; i < len(m.images); i++ {
		start := m.images[i].before * run // of the image's first run
		n, _ := slices.BinarySearchFunc(spans[cuts[i-1]:], start, func(b segment.Bound, start uint64) int {
			if uint64(b.End)-1 < start { // one more is the virtual end
				return -1
			}
			return 1
		})
		cuts[i] = cuts[i-1] + n
	}
	cuts[len(m.images)] = len(spans)
	return cuts
}

// place makes spans by position those of an image.
func (r *manyRun) place(to *segment.Spans, spans []segment.Bound, i int, run uint64) error {
	im := &r.images[i]
	front := uint64(r.samples.at(im.at)) % fusedAlign / r.sampleBytes()
	p := placing{origin: im.before*run + front, pitch: im.pitch, width: uint64(im.band.Samples), keep: r.o.Edges == segment.EdgesKeep}
	if im.band.Lines == 1 {
		p.pitch = p.width
	}
	to.Bounds = spans
	to.First[im.band.Lines] = int64(len(spans))
	return p.place(spans, to.First[:im.band.Lines], to.Edge, 0)
}
