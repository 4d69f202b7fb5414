package batch

import (
	"context"
	"testing"

	"segscan/kernels"
	"segscan/segment"
)

// filterBy is a kernel with a filter of the test's.
type filterBy struct {
	kernels.Spec
	filter segment.Filter
}

func (k filterBy) Filters() []segment.Filter { return []segment.Filter{k.filter} }

// interrupted is a filter during which the run is interrupted.
type interrupted struct {
	cancel  context.CancelFunc
	workers []int
	heard   bool
}

func (*interrupted) Needs() segment.Needs { return segment.Needs{} }

func (f *interrupted) Apply(in segment.Band, out *segment.Band) error {
	*out = in
	return nil
}

func (f *interrupted) ApplyContext(ctx context.Context, workers int, in segment.Band, out *segment.Band) error {
	f.workers = append(f.workers, workers)
	f.cancel()
	f.heard = ctx.Err() != nil
	return ctx.Err()
}

// TestCancelFilter: filters hear of an interruption and of how many cores a run may use, and a page that they leave
// unfinished is interrupted, not failed.
func TestCancelFilter(t *testing.T) {
	for _, jobs := range []int{0, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		f := &interrupted{cancel: cancel}
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("121", "121"))))
		cfg.Jobs, cfg.Kernel = jobs, filterBy{cfg.Kernel, f}
		plan, err := NewPlan(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := Run(ctx, cfg, plan, &listener{})
		cancel()
		if err != nil || !sum.Interrupted || len(sum.Failed) != 0 || sum.Done != 0 {
			t.Errorf("%d jobs: error %v, interrupted %v, failed %v, %d done", jobs, err, sum.Interrupted, sum.Failed, sum.Done)
		}
		if !f.heard || len(f.workers) != 1 || f.workers[0] != jobs {
			t.Errorf("%d jobs: the filter heard %v and has workers %v", jobs, f.heard, f.workers)
		}
		wantList(t, "files", tree(t, cfg.Out), nil)
	}
}
