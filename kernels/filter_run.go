package kernels

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"segscan/segment"
)

// Samples and lines that are filtered at a time, where reaches are small; a piece holds four times its reach at least,
// so that little is worked out twice.
const (
	filterSamples = 1 << 13
	filterStrip   = 1024 // of a step across lines, whose rows wait in the cache
	filterLines   = 64
)

// run fills g.out, tile by tile, on as many goroutines as the program may use.
func (f *Filter) run(g *filterGeometry) error {
	n := f.Needs()
	samples, lines := max(filterSamples, 4*n.HaloSamples), filterLines
	if n.HaloLines > 0 {
		samples, lines = max(filterStrip, 4*n.HaloSamples), max(filterLines, 8*n.HaloLines)
	}
	across := (g.out.Samples + samples - 1) / samples
	tiles := across * ((g.out.Lines + lines - 1) / lines)
	plan := f.plan()
	return eachPart(tiles, func() func(int) {
		w := newFilterWork(plan, g, min(samples, g.out.Samples))
		return func(tile int) {
			l, s := tile/across*lines, tile%across*samples
			w.tile(l, min(l+lines, g.out.Lines), s, min(s+samples, g.out.Samples))
		}
	})
}

// eachPart calls what worker returns with 0 to n-1, from as many goroutines as may run, each with a worker of its own. A
// panic becomes an error.
func eachPart(n int, worker func() func(int)) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	work := func() {
		defer func() {
			if p := recover(); p != nil {
				err := fmt.Errorf("internal error: %v\n%s", p, debug.Stack())
				failed.CompareAndSwap(nil, &err)
			}
		}()
		do := worker()
		for i := next.Add(1) - 1; i < int64(n) && failed.Load() == nil; i = next.Add(1) - 1 {
			do(int(i))
		}
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
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

	rows []smoothRow // of Smooth2D, by line modulo their number
	num  []float64
	den  []float64
}

func newFilterWork(p *filterPlan, g *filterGeometry, samples int) *filterWork {
	w := &filterWork{filterPlan: p, g: g}
	w.source = make([]float32, samples+2*p.reach)
	w.x = make([]float32, samples+2*p.reach)
	if r := len(p.both) - 1; r > 0 {
		w.rows = make([]smoothRow, 2*r+1)
		for i := range w.rows {
			w.rows[i].num, w.rows[i].den = make([]float64, samples), make([]float64, samples)
		}
		w.num, w.den = make([]float64, samples), make([]float64, samples)
	}
	return w
}

// tile filters lines l0 to l1-1, samples s0 to s1-1 of g.out.
func (w *filterWork) tile(l0, l1, s0, s1 int) {
	line := func(l int) []float32 { return w.g.out.F32[l*w.g.out.Stride+s0 : l*w.g.out.Stride+s1] }
	from := w.g.s0 + int64(s0)
	if w.rows == nil {
		for l := l0; l < l1; l++ {
			copy(line(l), w.alongLine(w.g.l0+int64(l), from, s1-s0))
		}
		return
	}
	w.tile2D(l0, l1, from, s1-s0, line)
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

// smoothRow is a line smoothed along itself: sums of weighted samples and, where gaps is set, of the weights of finite
// ones. x is the line as it was before.
type smoothRow struct {
	num, den []float64
	gaps     bool
}

// tile2D is tile with a step across lines.
func (w *filterWork) tile2D(l0, l1 int, s int64, n int, line func(int) []float32) {
	r := len(w.both) - 1
	row := func(l int) *smoothRow { return &w.rows[(l+len(w.rows))%len(w.rows)] }
	for l := l0 - r; l < l1+r; l++ {
		x := w.alongLine(fold(w.g.l0+int64(l), w.g.lines), s, n)
		k := row(l)
		k.gaps = w.conv.sums(k.num[:n], k.den[:n], x, w.both, w.g.in.F32 != nil)
		at := l - r // the line whose last row this is
		if l >= l0 && l < l1 {
			copy(line(l), x[r:r+n]) // samples that are not finite stay
		}
		if at < l0 {
			continue
		}
		gaps := false
		for i := range w.rows {
			gaps = gaps || w.rows[i].gaps
		}
		num, den := w.num[:n], w.den[:n]
		w.acrossLines(num, at, n, row, func(k *smoothRow) []float64 { return k.num })
		if gaps {
			w.acrossLines(den, at, n, row, func(k *smoothRow) []float64 { return k.den })
		}
		divide(line(at), num, den, gaps)
	}
}

// acrossLines adds what of gives of the rows around line l, in order of their distance.
func (w *filterWork) acrossLines(to []float64, l, n int, row func(int) *smoothRow, of func(*smoothRow) []float64) {
	for i, x := range of(row(l))[:n] {
		to[i] = float64(w.both[0] * x)
	}
	for d := 1; d < len(w.both); d++ {
		k := w.both[d]
		a, b := of(row(l - d))[:n], of(row(l + d))[:n]
		for i := range to {
			to[i] += float64(k * (a[i] + b[i]))
		}
	}
}

// divide sets the finite ones of to, which hold the samples so far where gaps is set, to num over den.
func divide(to []float32, num, den []float64, gaps bool) {
	num = num[:len(to)]
	if !gaps {
		for i, x := range num {
			to[i] = float32(x)
		}
		return
	}
	den = den[:len(to)]
	for i, x := range num {
		if finite(to[i]) {
			to[i] = float32(x / den[i])
		}
	}
}

// inOrder maps float32 to int32 so that numbers keep their order and both zeros are 0.
func inOrder(x float32) int32 {
	b := int32(math.Float32bits(x + 0))
	return b ^ b>>31&math.MaxInt32
}

// fromOrder is its inverse.
func fromOrder(k int32) float32 { return math.Float32frombits(uint32(k ^ k>>31&math.MaxInt32)) }

var _ segment.Filter = (*Filter)(nil)
