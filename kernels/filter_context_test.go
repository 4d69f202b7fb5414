package kernels

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"segscan/segment"
)

// stepContext ends when it has been asked for its error often enough.
type stepContext struct {
	context.Context
	asked, end atomic.Int64
}

func (c *stepContext) Err() error {
	if c.asked.Add(1) > c.end.Load() {
		return context.Canceled
	}
	return nil
}

// contextFilters are filters whose windows are wide for the pages below, and of all kinds.
func contextFilters() []Filter {
	return []Filter{
		{Smooth: 20},
		{Smooth2D: 20},
		{Smooth: 5, Smooth2D: 60},
		{Baseline: BaselineMedian, Window: 251},
		{Baseline: BaselineOpening, Window: 251},
		{Baseline: BaselineMedian, Window: 31, Smooth: 3, Smooth2D: 9},
	}
}

func wholeBand(p segment.Plane) segment.Band {
	return cutBand(p, segment.Rows, 0, p.Lines, 0, p.Samples, segment.Needs{})
}

// TestFiltersEnd: a filter looks at its context once a line at least, and does no more once that has ended, however many
// workers there are.
func TestFiltersEnd(t *testing.T) {
	page := filterPage(rand.New(rand.NewPCG(8, 9)), segment.F32, 200, 700)
	for _, f := range contextFilters() {
		for _, workers := range []int{1, 4} {
			ctx := &stepContext{Context: t.Context()}
			ctx.end.Store(math.MaxInt64)
			var out segment.Band
			if err := f.ApplyContext(ctx, workers, wholeBand(page), &out); err != nil {
				t.Fatal(err)
			}
			all := ctx.asked.Load()
			if all < int64(page.Lines) {
				t.Errorf("%s: %d looks at the context in %d lines", &f, all, page.Lines)
			}
			for _, end := range []int64{0, 1, all / 3, all / 2, all - 1} {
				ctx.asked.Store(0)
				ctx.end.Store(end)
				_, err := ApplyFilters(ctx, workers, wholeBand(page), []segment.Filter{&f})
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s, ended after %d of %d looks: %v", &f, end, all, err)
				}
				// Each worker may see the end once, and what asks whose error it is once more.
				if more := ctx.asked.Load() - end; more > int64(workers)+1 {
					t.Errorf("%s on %d workers, ended after %d of %d looks: %d more", &f, workers, end, all, more)
				}
			}
		}
	}
}

// TestFilterWorkersAgree: one worker gives what several do, with missing samples and without, bit by bit, in tiles of
// which there are several each way.
func TestFilterWorkersAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		page := filterPage(rng, typ, 2*acrossTall+9, 3*acrossWide+5)
		if typ == segment.F32 {
			page.F32[1234], page.F32[5678] = float32(math.NaN()), float32(math.Inf(1))
		}
		for _, f := range []Filter{{Smooth2D: 1.5}, {Smooth2D: 8}, {Smooth2D: 40}, {Baseline: BaselineOpening, Window: 31, Smooth: 3, Smooth2D: 9}} {
			var one, many segment.Band
			if err := f.ApplyContext(t.Context(), 1, wholeBand(page), &one); err != nil {
				t.Fatal(err)
			}
			if err := f.ApplyContext(t.Context(), 5, wholeBand(page), &many); err != nil {
				t.Fatal(err)
			}
			for i, v := range one.V.F32 {
				if !sameFloats(v, many.V.F32[i]) {
					t.Fatalf("%s of %s: sample %d is %v by one worker and %v by several", &f, typ, i, v, many.V.F32[i])
				}
			}
		}
	}
}

// TestAcrossTiles: however far a filter sees and however large a page is, workers find tiles to share, and what waits of
// one takes little memory.
func TestAcrossTiles(t *testing.T) {
	for _, sigma := range []float64{0.2, 1, 5, 20, 50, 100, MaxSigma} {
		for _, lines := range []int{1, 100, 3000, 1e6} {
			r := gaussRadius(sigma)
			wide, tall := acrossTile(lines, r)
			rows := min(tall, lines) + 2*r
			if bytes := 8 * wide * rows; bytes > 6<<20 {
				t.Errorf("sigma %v: %d lines of %d samples wait, %d bytes", sigma, rows, wide, bytes)
			}
			if lines == 3000 && 4000/wide*(1+3000/tall) < 30 {
				t.Errorf("sigma %v: a page of 4000 x 3000 has tiles of %d x %d", sigma, wide, tall)
			}
			if rows > 4*tall {
				t.Errorf("sigma %v: %d lines wait for %d", sigma, rows, tall)
			}
		}
	}
}

// TestFilterPanicsAreErrors: what fails in a worker is an error of the filter.
func TestFilterPanicsAreErrors(t *testing.T) {
	b := wholeBand(filterPage(rand.New(rand.NewPCG(2, 3)), segment.U8, 40, 90))
	b.V.U8 = b.V.U8[:1000:1000] // shorter than it says
	for _, f := range []Filter{{Smooth: 1}, {Smooth2D: 1}, {Baseline: BaselineMedian, Window: 9}} {
		var out segment.Band
		if err := f.Apply(b, &out); err == nil {
			t.Errorf("%s of a plane that is too short works", &f)
		}
	}
}
