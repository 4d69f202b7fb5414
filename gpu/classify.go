// The classify stage: from samples, or masks, to pairs. Its device text is kernels/cuda/classify.cu, its CPU mirror
// segment/classify.go.

package gpu

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	rules "segscan/kernels"
	"segscan/kernels/cuda"
	"segscan/segment"
)

// classSource is a classifier made ready for the device.
type classSource interface {
	// planes tells where bit planes of the classes come from.
	planes() planeSource
	// need plans the buffers for a step of lines with words words of masks each.
	need(w *plan, b *segmentBuffers, lines, words uint64)
	// send copies to those buffers what lines l0 to l1-1 need.
	send(ctx context.Context, s *segmentRun, l0, l1 int) error
	// launch starts the kernel; it runs on the thread.
	launch(s *segmentRun) error
}

// planeSource says whether classes pass through bit planes.
type planeSource uint8

// noPlanes: samples become pairs at once. sentPlanes: the CPU makes masks, which the result has already if it is to have
// them, and they are copied to the device. madePlanes: the device makes them.
const (
	noPlanes planeSource = iota
	sentPlanes
	madePlanes
)

// classes makes a classifier ready. Thresholds, tables and what deviceClasses takes run on the device; any other runs
// here, and its masks are put into keep if that is not nil.
func (l *loaded) classes(ctx context.Context, c segment.Classifier, keep *segment.Masks) (classSource, error) {
	switch c := c.(type) {
	case segment.Thresholds:
		return l.thresholds(&c)
	case *segment.Thresholds:
		return l.thresholds(c)
	case segment.Table:
		return l.table(&c)
	case *segment.Table:
		return l.table(c)
	}
	if source, err := l.deviceClasses(c); source != nil || err != nil {
		return source, err
	}
	why := Reason(c, l.band.C[0].Type())
	if why == "" {
		why = "so much memory for each block"
	}
	l.e.onCPU(why)
	m := keep
	if m == nil {
		m = new(segment.Masks)
		m.Resize(l.band.Lines, l.band.Samples)
	}
	return &maskClasses{m}, classifyHere(ctx, l.band, c, m)
}

// deviceClasses makes a classifier ready that the device has a kernel for; nil where it has none.
func (l *loaded) deviceClasses(c segment.Classifier) (classSource, error) {
	if Reason(c, l.band.C[0].Type()) != "" {
		return nil, nil
	}
	switch c := c.(type) {
	case *rules.Local:
		if c.Rule == rules.LocalMedian {
			return l.medianClasses(c)
		}
		return l.localClasses(c)
	case *rules.Code:
		return l.codeClasses(c)
	}
	return nil, nil
}

// Reason says what of a classifier a device does not do, so that the CPU finds its classes and they are copied to the
// device as bit planes; it is empty where the device finds them itself. colour is the type of the band's colour channels,
// if there are any.
func Reason(c segment.Classifier, colour segment.SampleType) string {
	switch c := c.(type) {
	case segment.Thresholds, *segment.Thresholds, segment.Table, *segment.Table, *rules.Local:
		return ""
	case *rules.Code:
		return codeReason(c, colour)
	}
	return "this kind of kernel"
}

// onCPU says what the CPU does for the device.
func (e *Engine) onCPU(reason string) {
	if e.o.OnCPU != nil {
		e.o.OnCPU(reason)
	}
}

// KernelOnDevice tells by the name of a kernel with no filters whether a device finds its classes itself, at least as a
// rule. Others than these do if they look at each gray sample alone.
func KernelOnDevice(name string, needs segment.Needs) bool {
	switch name {
	case "localmean", "niblack", "sauvola", "wolf", "phansalkar", "bernsen", "contrast", "localgaussian", "localmedian", "expr":
		return true
	}
	return needs == segment.Needs{}
}

// CoreRate is about how many samples a second one core classifies by a kernel, where that is much slower than
// segmenting them; else 0.
func CoreRate(name string) float64 {
	switch name {
	case "localgaussian", "localmedian":
		return 0.03e9
	case "localmean", "niblack", "sauvola", "wolf", "phansalkar", "bernsen", "contrast":
		return 0.2e9
	case "expr":
		return 0.3e9
	}
	return 0
}

// thresholdClasses are lo and hi as the kernel compares them, for all lines or for each.
type thresholdClasses struct {
	bounds []uint32 // lo, hi
	swap   bool
	nan    segment.Class
}

func (l *loaded) thresholds(t *segment.Thresholds) (classSource, error) {
	bounds, err := t.Compared(l.typ(), l.band.Line0, l.band.Lines)
	if err != nil {
		return nil, err
	}
	c := &thresholdClasses{swap: t.Swap, nan: t.NaN, bounds: make([]uint32, 0, 2*len(bounds))}
	for _, b := range bounds {
		lo, hi := comparedBits(b, l.typ())
		c.bounds = append(c.bounds, lo, hi)
	}
	return c, nil
}

// comparedBits are bounds as kernels take them: int32, or the bits of a float32.
func comparedBits(b segment.Compared, t segment.SampleType) (lo, hi uint32) {
	if t == segment.F32 {
		return math.Float32bits(b.Lo), math.Float32bits(b.Hi)
	}
	return uint32(b.LoInt), uint32(b.HiInt)
}

func (c *thresholdClasses) planes() planeSource { return noPlanes }
func (c *thresholdClasses) perLine() bool       { return len(c.bounds) > 2 }

func (c *thresholdClasses) need(w *plan, b *segmentBuffers, lines, _ uint64) {
	if c.perLine() {
		w.add(&b.bounds, 8*lines)
	}
}

func (c *thresholdClasses) send(ctx context.Context, s *segmentRun, l0, l1 int) error {
	if !c.perLine() {
		return nil
	}
	return s.lane.uploadBytes(ctx, s.buffers.bounds.ptr, bytesOf(c.bounds[2*l0:2*l1]))
}

func (c *thresholdClasses) launch(s *segmentRun) error {
	p := s.classifyParams()
	p.Swap, p.NanClass = flag(c.swap), uint32(c.nan)
	if c.perLine() {
		p.Bounds = s.buffers.bounds.ptr
	} else {
		p.Lo, p.Hi = c.bounds[0], c.bounds[1]
	}
	k := &s.e.kernels.classify[s.typ()]
	return k.launch(s.e.driver, s.lane.stream, k.tiles(s.n), p)
}

// tableClasses holds a class, one byte, for each sample value.
type tableClasses struct{ of []segment.Class }

func (l *loaded) table(t *segment.Table) (classSource, error) {
	return &tableClasses{t.Of}, t.Check(l.typ())
}

func (c *tableClasses) planes() planeSource { return noPlanes }

func (c *tableClasses) need(w *plan, b *segmentBuffers, _, _ uint64) {
	w.add(&b.table, uint64(len(c.of)))
}

func (c *tableClasses) send(ctx context.Context, s *segmentRun, _, _ int) error {
	return s.lane.uploadBytes(ctx, s.buffers.table.ptr, bytesOf(c.of))
}

func (c *tableClasses) launch(s *segmentRun) error {
	p := s.classifyParams()
	p.Table = s.buffers.table.ptr
	k := &s.e.kernels.classifyTable[s.typ()]
	return k.launch(s.e.driver, s.lane.stream, k.tiles(s.n), p)
}

// maskClasses are classes that were found on the CPU.
type maskClasses struct{ m *segment.Masks }

func (c *maskClasses) planes() planeSource { return sentPlanes }

func (c *maskClasses) need(w *plan, b *segmentBuffers, lines, words uint64) {
	w.add(&b.boundary, 8*lines*words)
	w.add(&b.activation, 8*lines*words)
}

func (c *maskClasses) send(ctx context.Context, s *segmentRun, l0, l1 int) error {
	lo, hi := l0*c.m.Words, l1*c.m.Words
	if err := s.lane.uploadBytes(ctx, s.buffers.boundary.ptr, bytesOf(c.m.B[lo:hi])); err != nil {
		return err
	}
	return s.lane.uploadBytes(ctx, s.buffers.activation.ptr, bytesOf(c.m.A[lo:hi]))
}

func (c *maskClasses) launch(s *segmentRun) error {
	k := &s.e.kernels.classifyMasks
	return k.launch(s.e.driver, s.lane.stream, k.tiles(s.n), s.maskParams())
}

// classify lifts every sample to its pair.
func (s *segmentRun) classify() error {
	if err := s.classes.launch(s); err != nil {
		return err
	}
	return s.e.synced("classify")
}

// packMasks makes bit planes of the pairs.
func (s *segmentRun) packMasks() error {
	p, k := s.maskParams(), &s.e.kernels.packMasks
	warps := uint64(k.threads) / 32 // a word each
	if err := k.launch(s.e.driver, s.lane.stream, (p.Words+warps-1)/warps, p); err != nil {
		return err
	}
	return s.e.synced("pack_masks")
}

func (s *segmentRun) classifyParams() *cuda.ClassifyParams {
	return &cuda.ClassifyParams{Samples: s.at, Pairs: s.buffers.pairs.ptr, N: s.n, Pitch: s.pitch,
		Width: uint32(s.band.Samples), Pos: s.pos, Continued: flag(s.continued)}
}

func (s *segmentRun) maskParams() *cuda.MaskParams {
	words := (uint64(s.band.Samples) + 63) / 64
	return &cuda.MaskParams{Pairs: s.buffers.pairs.ptr, Boundary: s.buffers.boundary.ptr, Activation: s.buffers.activation.ptr,
		N: s.n, Words: s.lines * words, Width: uint32(s.band.Samples), WordsPerLine: uint32(words), Pos: s.pos, Continued: flag(s.continued)}
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// classifyHere runs a classifier on the CPU, on several runs of lines at once, into m, which has the body's shape.
func classifyHere(ctx context.Context, band segment.Band, c segment.Classifier, m *segment.Masks) error {
	halo := c.Needs().HaloLines
	cores := runtime.GOMAXPROCS(0)
	// Each run classifies around its halo again, so runs much shorter than that would multiply the work.
	each := max(1, 4*halo, (band.Lines+cores-1)/cores)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cores)
	for l0 := 0; l0 < band.Lines; l0 += each {
		l1 := min(l0+each, band.Lines)
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return guarded(func() error { return classifyLines(band.Window(l0, l1, halo), c, m, l0) })
		})
	}
	return g.Wait()
}

// classifyLines classifies a band, the lines from l0 on of the one that m is for.
func classifyLines(b segment.Band, c segment.Classifier, m *segment.Masks, l0 int) error {
	lo, hi := l0*m.Words, (l0+b.Lines)*m.Words
	want := segment.Masks{Lines: b.Lines, Samples: m.Samples, Words: m.Words, B: m.B[lo:hi:hi], A: m.A[lo:hi:hi]}
	got := want
	if err := c.Classify(b, &got); err != nil {
		return err
	}
	if got.Lines != want.Lines || got.Samples != want.Samples || got.Words != want.Words || len(got.B) != len(want.B) || len(got.A) != len(want.A) {
		return fmt.Errorf("%T gave masks of %d x %d for %d x %d samples", c, got.Lines, got.Samples, want.Lines, want.Samples)
	}
	copy(want.B, got.B) // no work if it wrote into m's memory
	copy(want.A, got.A)
	want.Tidy()
	return nil
}
