package batch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math/bits"
	"time"

	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
)

// pageJob takes one page from bands of samples to rows, picture and summary.
type pageJob struct {
	cfg    *Config
	info   *segment.PageInfo
	eng    segment.Engine
	bands  *bandSource
	pixel  PixelSize // of a sample of a line; zero: not known
	from   string    // where it is from
	clock  stages
	rows   *rowWriter
	paint  *painter           // nil without a picture
	plots  *plots             // nil without plots
	title  string             // of plots
	hist   *segment.Histogram // of the samples as stored
	seen   *segment.Histogram // of the samples that the kernel sees, where kernel or plot needs it
	result segment.Result

	kept, rejected spanStats
	totals         totals
	report         kernels.Report
	before         int64 // segments before filters
	dropped        int64 // at line ends
	activations    int64 // samples
	boundaries     bool  // there are some
}

// newPageJob checks that the page can be segmented as asked.
func newPageJob(cfg *Config, page raster.Page, eng segment.Engine) (*pageJob, error) {
	info := page.Info()
	region, err := cfg.region(info)
	if err != nil {
		return nil, err
	}
	j := &pageJob{cfg: cfg, info: info, eng: eng, totals: newTotals()}
	j.pixel, j.from = cfg.pixelSize(page)
	filters := cfg.Kernel.Filters()
	j.bands = &bandSource{
		page: page, eng: eng, region: region, filters: filters, workers: cfg.Jobs, clock: &j.clock,
		request: raster.Request{
			Axis: cfg.Axis, Needs: behind(filters, cfg.Kernel.Needs().Needs), ROI: cfg.ROI, MaxBytes: cfg.MaxBytes, Alloc: eng.Alloc,
		},
	}
	return j, j.checkPlots()
}

// behind is what must be seen of a page so that a kernel sees what it needs behind filters.
func behind(filters []segment.Filter, needs segment.Needs) segment.Needs {
	for _, f := range filters { // one filter sees what the one before it made of its own halo
		n := f.Needs()
		needs.HaloLines += n.HaloLines
		needs.HaloSamples += n.HaloSamples
		needs.Channels = needs.Channels || n.Channels
	}
	return needs
}

// region is the part of the page to segment.
func (c *Config) region(p *segment.PageInfo) (image.Rectangle, error) {
	if p.Width <= 0 || p.Height <= 0 {
		return image.Rectangle{}, fmt.Errorf("the page has no pixels: %d x %d", p.Width, p.Height)
	}
	page := image.Rect(0, 0, int(p.Width), int(p.Height))
	if c.ROI == nil {
		return page, nil
	}
	if c.ROI.Empty() || !c.ROI.In(page) {
		return image.Rectangle{}, fmt.Errorf("the region %s does not lie inside the page of %d x %d pixels; see --roi",
			roiText(c.ROI), p.Width, p.Height)
	}
	return *c.ROI, nil
}

// pageOutputs is where a page goes: rows begins its rows, picture its picture or is nil. Neither is called before
// the page turned out to have thresholds, so that nothing is opened for nothing.
type pageOutputs struct {
	rows    func() (*rowWriter, error)
	picture func(raster.TIFFTags) (*picture, error)
	plots   []Plot // to be made, begun by plot
	plot    func(Plot) (*pending, error)
}

func (j *pageJob) run(ctx context.Context, out pageOutputs) error {
	defer j.bands.close()
	if out.picture != nil && j.cfg.Axis == segment.Rows && j.colour() {
		j.bands.request.Needs.Channels = true // drawn from the bands that are segmented
	}
	if err := j.histogram(ctx, out.picture != nil); err != nil {
		return err
	}
	classifier, err := j.bind(ctx)
	if err != nil {
		return err
	}
	if j.rows, err = out.rows(); err != nil {
		return err
	}
	if out.picture != nil {
		if j.paint, err = newPainter(j, out.picture); err != nil {
			return err
		}
		defer j.paint.discard()
	}
	if len(out.plots) > 0 {
		if j.plots, err = newPlots(ctx, j, out.plots, out.plot); err != nil {
			return err
		}
	}
	err = j.bands.compared(ctx, func(b *segment.Band, l segment.Loaded, c *comparedBand) error {
		return j.band(ctx, b, l, c, classifier)
	})
	if err != nil {
		return err
	}
	if j.paint != nil {
		if err := j.paint.finish(ctx); err != nil {
			return err
		}
	}
	if j.plots != nil {
		return j.plots.finish(ctx)
	}
	return nil
}

// histogram gathers one histogram of the samples as stored, if kernel, picture, plot or --nan error need it.
func (j *pageJob) histogram(ctx context.Context, picture bool) error {
	needs := kernels.PageNeeds(j.cfg.Kernel, j.kernelInfo())
	nan := j.cfg.NaNError && j.info.Type == segment.F32
	kernel := needs.Histogram && !needs.PerLine && !j.bands.filtering()
	plot := j.cfg.wantsPlot(PlotHistogram) && !j.bands.filtering()
	if !nan && !kernel && !plot && !(picture && j.cfg.Stretch.NeedsHistogram(j.info.Type)) {
		return nil
	}
	h, err := j.count(ctx, j.info.Type)
	if err != nil {
		return err
	}
	j.hist = h
	return j.cfg.checkNaN(h)
}

// checkNaN fails a page that holds NaN under --nan error.
func (c *Config) checkNaN(h *segment.Histogram) error {
	switch {
	case !c.NaNError || h.NaN == 0:
		return nil
	case h.NaN == 1:
		return errors.New("1 sample is NaN; --nan boundary or --nan other takes it")
	}
	return fmt.Errorf("%d samples are NaN; --nan boundary or --nan other takes them", h.NaN)
}

// count is one pass that adds all samples as stored to a new histogram.
func (j *pageJob) count(ctx context.Context, t segment.SampleType) (*segment.Histogram, error) {
	h := []segment.Histogram{newHistogram(t)}
	if err := j.countInto(ctx, h); err != nil {
		return nil, err
	}
	return &h[0], nil
}

func (j *pageJob) countInto(ctx context.Context, h []segment.Histogram) error {
	return j.bands.each(ctx, func(_ *segment.Band, l segment.Loaded) error {
		defer j.clock.add("histogram", time.Now())
		return l.Histogram(ctx, false, h)
	})
}

// countCompared is countInto of the samples that the kernel sees.
func (j *pageJob) countCompared(ctx context.Context, h []segment.Histogram) error {
	return j.bands.compared(ctx, func(_ *segment.Band, _ segment.Loaded, c *comparedBand) error {
		defer j.clock.add("histogram", time.Now())
		return c.loaded.Histogram(ctx, false, h)
	})
}

// kernelInfo is the page as the kernel sees it: flat field and filters make float samples.
func (j *pageJob) kernelInfo() *segment.PageInfo {
	if !j.bands.filtering() {
		return j.info
	}
	info := *j.info
	info.Type = segment.F32
	return &info
}

// bind gives the kernel its histograms and takes the classifier.
func (j *pageJob) bind(ctx context.Context) (segment.Classifier, error) {
	k, info := j.cfg.Kernel, j.kernelInfo()
	needs := kernels.PageNeeds(k, info)
	if needs.PerLine {
		return j.bindLines(ctx, info)
	}
	var hs []segment.Histogram
	if needs.Histogram {
		if err := j.look(ctx); err != nil {
			return nil, err
		}
		hs = []segment.Histogram{*j.seen}
		if keys := fineBins(k, info, hs); len(keys) > 0 {
			hs[0].Fine = newFine(keys)
			if err := j.countCompared(ctx, hs); err != nil {
				return nil, err
			}
		}
	}
	c, report, err := j.bindTo(ctx, k, info, hs, j.cfg.KernelOptions)
	if err != nil {
		return nil, bindError(err)
	}
	j.report = report
	return c, nil
}

// look gathers the histogram of what the kernel sees.
func (j *pageJob) look(ctx context.Context) error {
	if j.seen != nil {
		return nil
	}
	if j.seen = j.hist; !j.bands.filtering() {
		return nil
	}
	h := []segment.Histogram{newHistogram(segment.F32)}
	if err := j.countCompared(ctx, h); err != nil {
		return err
	}
	j.seen = &h[0]
	return nil
}

// bindTo binds a kernel to the page, after a pass over its samples where the kernel asks for one.
func (j *pageJob) bindTo(ctx context.Context, k kernels.Spec, info *segment.PageInfo, hs []segment.Histogram, o kernels.Options) (segment.Classifier, kernels.Report, error) {
	s, ok := k.(kernels.Surveyed)
	if !ok {
		return k.Bind(info, hs, o)
	}
	survey, err := s.Survey(info)
	if err != nil {
		return nil, kernels.Report{}, err
	}
	err = j.bands.compared(ctx, func(_ *segment.Band, _ segment.Loaded, c *comparedBand) error {
		defer j.clock.add("survey", time.Now())
		if l, ok := c.loaded.(interface {
			Survey(context.Context, kernels.Survey) (bool, error)
		}); ok {
			if done, err := l.Survey(ctx, survey); done || err != nil {
				return err
			}
		}
		return survey.Add(c.Band)
	})
	if err != nil {
		return nil, kernels.Report{}, err
	}
	return survey.Bind(o)
}

func fineBins(k kernels.Spec, info *segment.PageInfo, h []segment.Histogram) []uint16 {
	if info.Type != segment.F32 {
		return nil
	}
	return k.FineBins(info, h)
}

// bindError tells a kernel that no page could use, which ends the run, from one that this page cannot.
func bindError(err error) error {
	var u *kernels.UsageError
	if errors.As(err, &u) {
		return &UsageError{Msg: u.Msg, Hint: u.Hint}
	}
	return err
}

// band segments one band by the samples that the kernel sees, measures those stored, and hands rows and picture on.
func (j *pageJob) band(ctx context.Context, b *segment.Band, l segment.Loaded, seen *comparedBand, c segment.Classifier) error {
	start := time.Now()
	o := segment.Options{Edges: j.cfg.Edges, Compaction: j.cfg.Compaction, Rejected: j.cfg.AllSpans, Masks: true}
	err := seen.loaded.Segment(ctx, c, o, nil, &j.result)
	j.clock.add("segment", start)
	if err != nil {
		return err
	}
	r := &j.result
	j.before += int64(len(r.Kept.Bounds))
	j.dropped += r.DroppedAtEdges
	for _, w := range r.Masks.A {
		j.activations += int64(bits.OnesCount64(w))
	}
	for i := 0; i < len(r.Masks.B) && !j.boundaries; i++ {
		j.boundaries = r.Masks.B[i] != 0
	}
	if err := j.refine(ctx, l); err != nil {
		return err
	}
	if err := j.cross(ctx, seen, c); err != nil {
		return err
	}
	j.totals.band(b, &j.kept)
	start = time.Now()
	if err := j.rows.band(b, &j.kept, &j.rejected); err != nil {
		return err
	}
	j.clock.add("records", start)
	if j.plots != nil {
		j.plots.band(&seen.Band, j.kept.Spans, j.rejected.Spans)
	}
	if j.paint != nil {
		return j.paint.band(b, j.kept.Spans, j.rejected.Spans, r.Masks)
	}
	return nil
}

// automaticHint is what to say when an automatic kernel calls more than half of the page an activation: then
// bright and dark are most often the other way round.
const (
	automaticWarning = "more than half of the page is activation"
	automaticHint    = "--invert exchanges boundary and activation"
)

// summary is the page's row; the first warnings are those of the file.
func (j *pageJob) summary(name string, fileWarnings []string, device, reason string) PageSummary {
	s := PageSummary{
		File: name, Page: j.info.Page, Width: j.info.Width, Height: j.info.Height, Sample: j.info.Type.String(),
		Kernel: j.cfg.Kernel.String(), Thresholds: j.report.T, Lo: j.report.Lo, Hi: j.report.Hi, Rule: j.report.Text, RuleText: j.report.Short,
		CountBeforeFilters: j.before, DroppedAtEdges: j.dropped, Device: device, FallbackReason: reason,
		PixelSize: j.pixel, PixelSizeFrom: j.from, Filtered: j.bands.filtering(),
		Background: recordName(j.cfg.Background), Dark: recordName(j.cfg.Dark),
	}
	s.Warnings = append(s.Warnings, fileWarnings...)
	s.Warnings = append(s.Warnings, j.info.Warnings...)
	s.Warnings = append(s.Warnings, j.report.Warnings...)
	if w := j.report.Missing.Activation; j.activations == 0 && w != "" {
		s.Warnings = append(s.Warnings, w)
	}
	if w := j.report.Missing.Boundary; !j.boundaries && w != "" {
		s.Warnings = append(s.Warnings, w)
	}
	if j.mostlyActive() {
		s.Warnings = append(s.Warnings, automaticWarning)
	}
	j.totals.fill(&s, j.pixels())
	return s
}

func (j *pageJob) pixels() int64 { return j.bands.lines() * j.bands.samples() }

func (j *pageJob) mostlyActive() bool { return j.report.Automatic && 2*j.activations > j.pixels() }
