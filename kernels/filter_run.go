package kernels

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Samples and lines that are filtered at a time along lines, where reaches are small; a piece holds four times its reach
// at least, so that little is worked out twice.
const (
	filterSamples = 1 << 13
	filterLines   = 16
)

// run fills g.out, tile by tile, on up to workers goroutines (0: as many as the program may use).
func (f *Filter) run(ctx context.Context, workers int, g *filterGeometry) error {
	n := f.Needs()
	samples, lines := max(filterSamples, 4*n.HaloSamples), filterLines
	if n.HaloLines > 0 {
		samples, lines = acrossTile(g.out.Lines, n.HaloLines)
	}
	samples = min(samples, g.out.Samples)
	across := (g.out.Samples + samples - 1) / samples
	tiles := across * ((g.out.Lines + lines - 1) / lines)
	plan := f.plan()
	return eachPart(ctx, workers, tiles, func() func(int) error {
		w := newFilterWork(plan, g, samples)
		return func(tile int) error {
			l, s := tile/across*lines, tile%across*samples
			return w.tile(ctx, l, min(l+lines, g.out.Lines), s, min(s+samples, g.out.Samples))
		}
	})
}

// eachPart calls what worker returns with 0 to n-1, from up to workers goroutines (0: as many as may run), each with a
// worker of its own, until one fails or ctx ends. A panic becomes an error.
func eachPart(ctx context.Context, workers, n int, worker func() func(int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var failed atomic.Pointer[error]
	work := func() {
		var err error
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("internal error: %v\n%s", p, debug.Stack())
			}
			if err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		}()
		do := worker()
		for i := next.Add(1) - 1; i < int64(n) && failed.Load() == nil; i = next.Add(1) - 1 {
			if err = ctx.Err(); err == nil {
				err = do(int(i))
			}
			if err != nil {
				return
			}
		}
	}
	var group sync.WaitGroup
	for range min(workers, n) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// filterPlan is what the steps of a filter share.
type filterPlan struct {
	*Filter
	along    []float64 // weights of Smooth
	both     []float64 // of Smooth2D
	reach    int       // samples seen each side, by all steps
	baseline int       // by the baseline
}

func (f *Filter) plan() *filterPlan {
	return &filterPlan{Filter: f, along: gaussian(f.Smooth), both: gaussian(f.Smooth2D), reach: f.Needs().HaloSamples, baseline: f.baselineReach()}
}

// filterWork is the memory of one worker.
type filterWork struct {
	*filterPlan
	g      *filterGeometry
	source []float32 // a piece of a line with its reach
	x      []float32 // on its way, shorter with each step
	conv   convolver
	median medianWork
	open   openingWork

	across *acrossWork // nil: no step across lines
}

func newFilterWork(p *filterPlan, g *filterGeometry, samples int) *filterWork {
	w := &filterWork{filterPlan: p, g: g}
	w.source = make([]float32, samples+2*p.reach)
	w.x = make([]float32, samples+2*p.reach)
	if len(p.both) > 1 {
		w.across = &acrossWork{w: p.both}
	}
	return w
}

// tile filters lines l0 to l1-1, samples s0 to s1-1 of g.out. It looks at ctx before every line.
func (w *filterWork) tile(ctx context.Context, l0, l1, s0, s1 int) error {
	if w.across != nil {
		return w.tile2D(ctx, l0, l1, s0, s1)
	}
	for l := l0; l < l1; l++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := w.g.out.F32[l*w.g.out.Stride+s0 : l*w.g.out.Stride+s1]
		copy(to, w.alongLine(w.g.l0+int64(l), w.g.s0+int64(s0), s1-s0))
	}
	return nil
}

// alongLine makes all steps but Smooth2D for n samples of a line of the page from sample s on, and as many more each
// side as Smooth2D sees. The result is valid until the next call.
func (w *filterWork) alongLine(line, s int64, n int) []float32 {
	src := w.source[:n+2*w.reach]
	w.g.fetch(src, line, s-int64(w.reach))
	x := src
	if w.Baseline != NoBaseline {
		x = w.x[:len(src)-2*w.baseline]
		if w.Baseline == BaselineMedian {
			w.median.run(x, src, w.baseline, w.g.in.Type())
		} else {
			w.open.run(x, src, w.Window, w.g.in.Type())
		}
	}
	if r := len(w.along) - 1; r > 0 {
		to := w.x[:len(x)-2*r] // where a sample is written, all that is read of x has been taken over
		w.conv.smooth(to, x, w.along, w.g.in.F32 != nil)
		x = to
	}
	return x
}

// inOrder maps float32 to int32 so that numbers keep their order and both zeros are 0.
func inOrder(x float32) int32 {
	b := int32(math.Float32bits(x + 0))
	return b ^ b>>31&math.MaxInt32
}

// fromOrder is its inverse.
func fromOrder(k int32) float32 { return math.Float32frombits(uint32(k ^ k>>31&math.MaxInt32)) }

var _ ContextFilter = (*Filter)(nil)
