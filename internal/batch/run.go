package batch

import (
	"context"
	"errors"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Run does the work of a plan. Files fail on their own: what went wrong with one is in Summary.Failed, and the
// others are done. Outputs of a file appear together or not at all. When ctx ends, files in hand are finished or
// removed, the summary says Interrupted and holds what was done before.
//
// The error is a *UsageError where nothing can be written to the output folder, or the kernel can work on no image, or the
// summary there cannot be replaced, or says that standard output or the run itself failed; the summary is of what was
// done until then.
//
// With SkipExisting files that the plan found done stay as they are, and all others are done as a whole. The table takes
// the rows of those left alone from their records. The summary keeps the rows that it has of files that are not in the
// plan. Those of files that the run is to do leave it before any result is replaced, and come back where the results
// stay, but for files that a run with Overwrite did not come to before its end.
func Run(ctx context.Context, cfg *Config, plan *Plan, obs Observer) (*Summary, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	start := time.Now()
	jobs := cfg.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	jobs = max(min(jobs, len(plan.Files)), 1)
	r := &runner{cfg: cfg, plan: plan, obs: obs, budget: newBudget(), inner: max(runtime.GOMAXPROCS(0)/jobs, 1)}
	r.sum = &Summary{Plan: plan}
	var err error
	if r.field, err = cfg.openField(ctx); err != nil {
		return nil, err
	}
	defer r.field.close()
	defer r.made.leave()
	if err := r.prepareFolders(); err != nil {
		return nil, err
	}
	if ctx.Err() == nil {
		if err := r.takeOutRows(); err != nil {
			return nil, err
		}
	}
	obs.Start(len(plan.Files), plan.bytes())
	for _, in := range plan.Unmatched {
		obs.Warn(recordName(in), "nothing here to segment", "")
	}
	plan.warnLeftovers(obs)
	r.sum.Failed = append(r.sum.Failed, plan.Failed...)
	c := newCollector(r)
	err = r.work(ctx, jobs, c)
	if left := len(plan.Files) - r.sum.Done - r.sum.Skipped - (len(r.sum.Failed) - len(plan.Failed)); r.full.Load() >= stopAfter && left > 0 {
		r.sum.LeftOut = left
	}
	err = errors.Join(err, c.finish(ctx.Err() != nil, err != nil))
	r.sum.Seconds = time.Since(start).Seconds()
	return r.sum, err
}

// bytes adds up the sizes of the files as far as they are known.
func (p *Plan) bytes() int64 {
	var n int64
	for i := range p.Files {
		if f := &p.Files[i]; !f.Skip && f.Path != "-" {
			if info, err := os.Stat(f.Path); err == nil && info.Mode().IsRegular() {
				n += info.Size()
			}
		}
	}
	return n
}

type runner struct {
	cfg    *Config
	plan   *Plan
	obs    Observer
	sum    *Summary
	budget *budget
	inner  int        // cores left to each file for its picture
	field  *flatField // nil for none
	made   folders
	// rowsOut: the summary had rows of files that this run is to do, and has them no more; see takeOutRows.
	rowsOut bool
	full    atomic.Int64 // files that failed because nothing more can be written
}

// ahead is how many files, for each job, may be done or in hand beyond the first one that is not: it bounds what
// waits for its turn.
const ahead = 8

// work runs the files on a fixed number of workers and gives results to c in order.
func (r *runner) work(ctx context.Context, jobs int, c *collector) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &pool{
		runner: r, tasks: make(chan int), results: make(chan *fileResult),
		window: make(chan struct{}, jobs*ahead), stop: make(chan struct{}),
	}
	go p.start(ctx, jobs)
	waiting := map[int]*fileResult{}
	next := 0
	var fatal error
	for res := range p.results {
		waiting[res.index] = res
		if res.usage != nil && fatal == nil {
			fatal = res.usage
		}
		for ; fatal == nil && waiting[next] != nil; next++ {
			fatal = c.take(waiting[next])
			delete(waiting, next)
			<-p.window
		}
		if fatal != nil {
			p.halt()
			cancel()
		}
	}
	// After a stop some files were never begun: what was done behind them counts all the same.
	for _, i := range slices.Sorted(maps.Keys(waiting)) {
		if fatal == nil {
			fatal = c.take(waiting[i])
		} else {
			c.leaveUntold(waiting[i])
		}
	}
	return fatal
}

// pool hands files to workers in order.
type pool struct {
	*runner
	tasks   chan int
	results chan *fileResult
	window  chan struct{}
	stop    chan struct{} // closed when no further file is to be begun
	once    sync.Once
}

// halt lets the files in hand be the last.
func (p *pool) halt() { p.once.Do(func() { close(p.stop) }) }

// worker does files until there are no more. The worker whose file fails is the one that stops the others, so that
// with one of them nothing is begun after the first failure.
func (p *pool) worker(ctx context.Context) {
	for i := range p.tasks {
		select {
		case <-p.stop:
			continue
		default:
		}
		res := p.process(ctx, i)
		if res.err != nil && (p.cfg.FailFast || res.usage != nil || takesNoMore(res.err) && p.full.Add(1) >= stopAfter) {
			p.halt()
		}
		p.results <- res
	}
}

// start runs until all files are given out, or none is wanted any more, and the workers are done.
func (p *pool) start(ctx context.Context, jobs int) {
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() { p.worker(ctx) })
	}
	defer func() {
		close(p.tasks)
		workers.Wait()
		close(p.results)
	}()
	for i := range p.plan.Files {
		select {
		case p.window <- struct{}{}:
		case <-p.stop:
			return
		case <-ctx.Done():
			return
		}
		select {
		case p.tasks <- i:
		case <-p.stop:
			return
		case <-ctx.Done():
			return
		}
	}
}
