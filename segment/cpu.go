package segment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"segscan/segment/internal/simd"
)

// NewCPU gives the production engine: the scan on bits, on up to workers goroutines a call (0: GOMAXPROCS), which
// share out the lines of a band and also the inside of very long lines. Results do not depend on workers. It holds
// nothing that must be closed, keeps a band's own memory rather than a copy (which must stay as it is until
// Release), and turns panics, its classifiers' and filters' among them, into errors.
func NewCPU(workers int) Engine {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &cpuEngine{workers: workers, tile: cpuTile, chunk: cpuChunk}
}

// Samples a worker takes at a time (its unit of waiting, cancelling and sharing), and samples classified before the
// scan reads their masks: both masks of a chunk are 4 KiB and stay in the first-level cache.
const (
	cpuTile  = 1 << 18
	cpuChunk = 1 << 14
)

// cpuEngine's tile and chunk are multiples of 64.
type cpuEngine struct {
	workers, tile, chunk int

	mu   sync.Mutex
	free []*cpuScratch
}

// cpuScratch is what one worker needs while it runs a tile; it is kept for the next call.
type cpuScratch struct {
	b, a  []uint64
	list  []simd.Closing
	spans [singlePassDepth]tileSpans // a few MiB at most: a tile is small
	masks Masks                      // of classifiers the engine does not know
}

func newCPUScratch(words int) *cpuScratch {
	return &cpuScratch{b: make([]uint64, words), a: make([]uint64, words), list: make([]simd.Closing, words)}
}

func (e *cpuEngine) Device() string { return "cpu" }

// Slots is the number of workers: a small band keeps only one of them busy.
func (e *cpuEngine) Slots() int { return e.workers }

func (e *cpuEngine) Close() error { return nil }

func (e *cpuEngine) Alloc(t SampleType, n int) (Plane, func()) { return NewPlane(t, 1, n), func() {} }

func (e *cpuEngine) Load(ctx context.Context, b Band) (Loaded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("load band: %w", err)
	}
	return &cpuLoaded{engine: e, band: b, body: b.Body()}, nil
}

// check says what of a band's geometry does not fit its plane.
func (b *Band) check() error {
	v := &b.V
	if b.Lines < 0 || b.Samples < 0 || b.Before.Lines < 0 || b.Before.Samples < 0 || b.After.Lines < 0 || b.After.Samples < 0 {
		return errors.New("a negative size")
	}
	if int64(b.Samples) > math.MaxUint32 {
		return fmt.Errorf("lines of %d samples; at most %d", b.Samples, uint32(math.MaxUint32))
	}
	if b.Lines == 0 || b.Samples == 0 {
		return nil
	}
	lines, samples := b.Before.Lines+b.Lines+b.After.Lines, b.Before.Samples+b.Samples+b.After.Samples
	if lines > v.Lines || samples > v.Samples || v.Samples > v.Stride {
		return fmt.Errorf("body and halo of %d x %d do not fit a plane of %d x %d with stride %d", lines, samples, v.Lines, v.Samples, v.Stride)
	}
	have := max(len(v.U8), len(v.U16), len(v.F32))
	if need := (lines-1)*v.Stride + samples; have < need {
		return fmt.Errorf("a plane of %d samples where %d are needed", have, need)
	}
	return nil
}

// borrow takes scratch for n workers, and giveBack returns it.
func (e *cpuEngine) borrow(n int) []*cpuScratch {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := make([]*cpuScratch, n)
	for i := range s {
		if k := len(e.free); k > 0 {
			s[i], e.free = e.free[k-1], e.free[:k-1]
		} else {
			s[i] = newCPUScratch(e.chunk / 64)
		}
	}
	return s
}

func (e *cpuEngine) giveBack(s []*cpuScratch) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.free = append(e.free, s...)
}

// tiling cuts lines x samples into tiles: runs of whole lines, or, where lines are long, pieces of one line each.
type tiling struct {
	lines, samples int
	perTile        int // lines a tile, if perLine is 1
	perLine        int // tiles a line
	piece          int // samples a piece, a multiple of 64
}

// tiling makes tiles of about e.tile samples, and smaller ones where a band has too few of those to keep all workers
// busy, down to an eighth.
func (e *cpuEngine) tiling(lines, samples int) tiling {
	size := e.tile
	if e.workers > 1 {
		each := int64(lines) * int64(samples) / int64(4*e.workers)
		size = int(min(int64(size), max(int64(size/8), each))) &^ 63
	}
	size = max(size, 64)
	t := tiling{lines: lines, samples: samples, perTile: max(1, size/max(1, samples)), perLine: 1, piece: size}
	if samples >= 2*size {
		t.perLine = (samples + size - 1) / size
	}
	return t
}

// aroundHalo is how many lines a tile should hold where each classifies around a halo of so many lines again: several
// times the halo, and more than that where there are tiles enough for all workers.
func (t *tiling) aroundHalo(halo, workers int) int {
	enough := t.lines
	if workers > 1 {
		enough = t.lines / (2 * workers)
	}
	return min(max(4*halo, enough), 16*halo)
}

func (t *tiling) tiles() int {
	if t.perLine > 1 {
		return t.lines * t.perLine
	}
	return (t.lines + t.perTile - 1) / t.perTile
}

// of gives the lines and samples of a tile, l0 to l1-1 and s0 to s1-1.
func (t *tiling) of(tile int) (l0, l1, s0, s1 int) {
	if t.perLine > 1 {
		l0 = tile / t.perLine
		s0 = tile % t.perLine * t.piece
		return l0, l0 + 1, s0, min(s0+t.piece, t.samples)
	}
	l0 = tile * t.perTile
	return l0, min(l0+t.perTile, t.lines), 0, t.samples
}

// cpuLoaded is a band at the CPU engine.
type cpuLoaded struct {
	engine   *cpuEngine
	band     Band
	body     Plane
	released atomic.Bool
}

var errReleased = errors.New("the band has been released")

func (l *cpuLoaded) Release() { l.released.Store(true) }

// guard runs the body of a method: not on a released band, and with panics turned into errors.
func (l *cpuLoaded) guard(ctx context.Context, what string, f func() error) error {
	if l.released.Load() {
		return fmt.Errorf("%s: %w", what, errReleased)
	}
	// One tile on one worker: runTiles is what makes errors of panics.
	if err := runTiles(ctx, 1, 1, nil, func(_, _ int) error { return f() }); err != nil {
		if err == ctx.Err() {
			return err
		}
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (l *cpuLoaded) Filter(ctx context.Context, f Filter) (Loaded, error) {
	out := Band{}
	err := l.guard(ctx, "filter", func() error {
		if err := f.Apply(l.band, &out); err != nil {
			return err
		}
		if out.Lines != l.band.Lines || out.Samples != l.band.Samples {
			return fmt.Errorf("%T made a body of %d x %d from one of %d x %d", f, out.Lines, out.Samples, l.band.Lines, l.band.Samples)
		}
		return out.check()
	})
	if err != nil {
		return nil, err
	}
	return &cpuLoaded{engine: l.engine, band: out, body: out.Body()}, nil
}
