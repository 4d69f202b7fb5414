package batch

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"segscan/kernels"
	"segscan/segment"
	"segscan/viz"
)

// plotsThresholds is the kind of plot that Thresholds makes; a run has none of it.
const plotsThresholds PlotKind = "thresholds"

// PlotOfThresholds is what Config.Plots holds for plots of all thresholds; counts is as in Plot.
func PlotOfThresholds(counts string) []Plot { return []Plot{{Kind: plotsThresholds, Counts: counts}} }

// PlanThresholds finds the inputs for Thresholds. Without plots nothing will be written and files of one Rel may stand
// side by side; with plots (see PlotOfThresholds) their files are named and looked for as NewPlan does. Of cfg both
// look at the inputs, what a page is, Raster, ROI, the flat field, Jobs, and of plots Out, Overwrite, PlotFormat and Palette.
func PlanThresholds(ctx context.Context, cfg *Config) (*Plan, error) {
	if err := cfg.checkInputs(); err != nil {
		return nil, err
	}
	if err := cfg.checkField(); err != nil {
		return nil, err
	}
	f := &finder{cfg: cfg, plan: &Plan{}, leaveResults: true}
	if len(cfg.Plots) == 0 {
		return f.plan, f.inputs(ctx)
	}
	if err := checkFolder(cfg.Out, "plots", outHint); err != nil {
		return nil, err
	}
	if info, err := os.Stat(cfg.Out); err == nil {
		f.out = info
	}
	if err := f.inputs(ctx); err != nil {
		return nil, err
	}
	if err := f.plan.order(); err != nil {
		return nil, err
	}
	own := cfg.plotsOnly()
	return f.plan, f.plan.nameOutputs(ctx, &own)
}

// plotsOnly is c for work that writes plots and nothing else.
func (c *Config) plotsOnly() Config {
	own := *c
	own.Overlay, own.Records, own.Table, own.SkipExisting, own.noSummary = "none", "none", "", false, true
	return own
}

// Thresholds looks at the pages of a plan and calls each with what every kernel finds on one, in order of files and
// pages, or with the *FileError of a file, whose further pages are left out; the others are done. The kernels, one or
// more, have the same filters, which run along lines of Axis. An error of each ends the work and is given back. left is
// the files that were not begun because no more plots can be written; see LeftOut. Memory does not grow with the size of pages or the number of files.
func Thresholds(ctx context.Context, cfg *Config, plan *Plan, specs []kernels.Spec, each func(*PageThresholds, error) error) (left int, err error) {
	own := cfg.plotsOnly()
	own.Kernel = specs[0] // a page wants one; its filters are those of all, its thresholds are not looked for
	jobs := own.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	jobs = max(min(jobs, len(plan.Files)), 1)
	r := &runner{cfg: &own, plan: plan, budget: newBudget(), inner: max(runtime.GOMAXPROCS(0)/jobs, 1)}
	defer r.made.leave()
	if r.field, err = own.openField(ctx); err != nil {
		return 0, err
	}
	defer r.field.close()
	if len(own.Plots) > 0 {
		if err := r.made.prepare(own.Out, "plots", outHint, own.Temps); err != nil {
			return 0, err
		}
	}
	return r.thresholds(ctx, jobs, specs, each)
}

// thresholdResult is one call of each to be.
type thresholdResult struct {
	page *PageThresholds
	err  error
}

// pagesAhead is how many pages of a file may wait until it is the file's turn.
const pagesAhead = 16

// thresholds works on some files at a time and hands on their pages in order.
func (r *runner) thresholds(ctx context.Context, jobs int, specs []kernels.Spec, each func(*PageThresholds, error) error) (int, error) {
	left := 0 // known once the queue is closed
	ctx, cancel := context.WithCancelCause(ctx)
	queue := make(chan chan thresholdResult, jobs-1) // with the one in hand: as many files as jobs
	defer func() {
		cancel(nil)
		for results := range queue { // what is in hand ends
			for range results {
			}
		}
	}()
	go func() {
		defer close(queue)
		for i := range r.plan.Files {
			if ctx.Err() != nil {
				return
			}
			results := make(chan thresholdResult, pagesAhead)
			select {
			case queue <- results:
				if r.full.Load() >= stopAfter {
					left = len(r.plan.Files) - i
					close(results)
					return
				}
				go r.thresholdsOf(ctx, &r.plan.Files[i], specs, results)
			case <-ctx.Done():
				return
			}
		}
	}()
	for results := range queue {
		for res := range results {
			if err := each(res.page, res.err); err != nil {
				cancel(err)
				for range results {
				}
				return 0, err
			}
		}
	}
	return left, context.Cause(ctx)
}

// thresholdsOf does one file and closes results. When ctx ends, nothing more is sent.
func (r *runner) thresholdsOf(ctx context.Context, f *PlannedFile, specs []kernels.Spec, results chan<- thresholdResult) {
	defer close(results)
	send := func(res thresholdResult) error {
		select {
		case results <- res:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	w := &thresholdWork{
		fileWork: &fileWork{runner: r, file: f, page: -1}, specs: specs,
		each: func(p *PageThresholds) error { return send(thresholdResult{page: p}) },
	}
	if err := w.thresholds(ctx); err != nil && ctx.Err() == nil {
		if takesNoMore(err) {
			r.full.Add(1)
		}
		_ = send(thresholdResult{err: err}) // if it cannot be sent, nobody asks any more
	}
}

// plotThresholds draws the histogram of a page with what was found, and gives the name of the file.
func (w *thresholdWork) plotThresholds(ctx context.Context, j *pageJob, p *PageThresholds, h *segment.Histogram) (string, error) {
	plot := w.cfg.Plots[0]
	path := w.cfg.outputPath(w.file.Rel, pageName(plot.suffix(w.cfg.plotFormat()), p.Page, w.of))
	s := viz.PlotStyle{Title: p.File, Note: "thresholds of every global kernel", Palette: w.cfg.Palette, Value: j.valueName()}
	if f := p.FilterText(); f != "" {
		s.Note += " with " + f
	}
	if w.several {
		s.Title += fmt.Sprintf(", page %d", p.Page)
	}
	s.Title += ": " + viz.Grouped(int64(p.Samples)) + " samples"
	if p.Samples == 1 {
		s.Title = strings.TrimSuffix(s.Title, "s")
	}
	var rows []viz.MarkedKernel
	var at []float64
	for _, k := range p.Kernels {
		row := viz.MarkedKernel{Name: k.Name}
		for i, t := range k.Thresholds {
			at = append(at, t.Value)
			row.At = append(row.At, viz.MarkedThreshold{
				Value: t.Value, Boundary: k.Bounds(i), Activation: k.Activates(i), AtIt: t.Role == RoleHi,
			})
		}
		rows = append(rows, row)
	}
	logarithmic := plot.Counts == "log" || plot.Counts == "" && p.Type != segment.U8
	bars, err := j.countBars(ctx, h, at)
	if err != nil {
		return "", err
	}
	drawing, err := viz.ThresholdsPlot(s, h, bars, rows, logarithmic)
	if err != nil {
		return "", plotting(plotsThresholds, err)
	}
	out, err := newPending(path, w.cfg.Temps)
	if err != nil {
		return "", err
	}
	defer out.discard()
	if err := drawing.Write(out, w.cfg.plotFormat()); err != nil {
		return "", plotting(plotsThresholds, err)
	}
	return path, out.commit(w.cfg.Overwrite)
}

// countBars counts the samples of a page into bars that reach to the values at. Those of floats take a pass over its samples.
func (j *pageJob) countBars(ctx context.Context, h *segment.Histogram, at []float64) (*viz.Bars, error) {
	bars, err := j.newBars(ctx, h, math.NaN(), math.NaN(), at...)
	if err != nil || h.Type != segment.F32 {
		return bars, err
	}
	err = j.bands.compared(ctx, func(_ *segment.Band, _ segment.Loaded, c *comparedBand) error {
		defer j.clock.add("plot", time.Now())
		bars.Add(&c.Band)
		return nil
	})
	return bars, err
}
