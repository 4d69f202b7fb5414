package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"segscan/kernels"
	"segscan/segment"
	"segscan/viz"
)

// PlotKind is what a plot shows.
type PlotKind string

// Plots: a line as a curve with its segments; the histogram of the page; the lengths of segments; segments by line.
const (
	PlotProfile   PlotKind = "profile"
	PlotHistogram PlotKind = "histogram"
	PlotLengths   PlotKind = "lengths"
	PlotLines     PlotKind = "lines"
)

// Plot is one --plot. Line is of a profile: the page row, or column where lines are columns. Counts is of a histogram:
// "linear", "log", or "" for what suits the samples.
type Plot struct {
	Kind   PlotKind
	Line   int64
	Counts string
}

// suffix is what an output's name adds to Rel.
func (p Plot) suffix(format string) string {
	name := string(p.Kind)
	if p.Kind == PlotProfile {
		name += "-" + strconv.FormatInt(p.Line, 10)
	}
	return "." + name + "." + format
}

func (c *Config) plotFormat() string {
	if c.PlotFormat == "" {
		return viz.PlotFormats()[0]
	}
	return c.PlotFormat
}

// wantsPlot tells whether a kind of plot is asked for.
func (c *Config) wantsPlot(k PlotKind) bool {
	return slices.ContainsFunc(c.Plots, func(p Plot) bool { return p.Kind == k })
}

// plots gathers what the plots of one page show while its bands are segmented.
type plots struct {
	job      *pageJob
	want     []Plot
	begin    func(Plot) (*pending, error)
	profiles map[int64]*viz.Profile
	lengths  viz.Lengths
	lines    *viz.LineCounts
	bars     *viz.Bars // of the histogram; nil without one
}

// newPlots prepares the plots of a page whose thresholds are known. The histogram of a float page may take a pass over its
// samples, to find where the tails end that the axis leaves out.
func newPlots(ctx context.Context, j *pageJob, want []Plot, begin func(Plot) (*pending, error)) (*plots, error) {
	first, _ := j.bands.first()
	p := &plots{job: j, want: want, begin: begin, profiles: map[int64]*viz.Profile{}}
	p.lines = viz.NewLineCounts(first, j.bands.lines())
	if !j.cfg.wantsPlot(PlotHistogram) {
		return p, nil
	}
	if err := j.look(ctx); err != nil {
		return nil, err
	}
	lo, hi := j.pageThresholds()
	var err error
	p.bars, err = j.newBars(ctx, j.seen, lo, hi, lo, hi)
	return p, err
}

// newBars chooses the bars of a histogram, see viz.NewBars. Those of floats are to be filled by bands as the kernel sees them.
func (j *pageJob) newBars(ctx context.Context, h *segment.Histogram, lo, hi float64, at ...float64) (*viz.Bars, error) {
	own := *h
	var err error
	if own.Fine, err = j.fineCounts(ctx, h, viz.TailBins(h)); err != nil {
		return nil, err
	}
	return viz.NewBars(&own, lo, hi, at...), nil
}

// pageThresholds are those of the whole page as compared, NaN where it has none.
func (j *pageJob) pageThresholds() (lo, hi float64) {
	if len(j.report.Lo) != 1 {
		return math.NaN(), math.NaN()
	}
	return j.report.Lo[0], j.report.Hi[0]
}

// span is how far apart the samples are that the kernel sees; 0 where no histogram of them was needed.
func (j *pageJob) span() float64 {
	h := j.seen
	if h == nil && j.hist != nil && !j.bands.filtering() {
		h = j.hist
	}
	if h == nil || h.N == 0 {
		return 0
	}
	return h.Max - h.Min
}

// valueName is what the samples are that the kernel sees: as stored, or what was made of them.
func (j *pageJob) valueName() string {
	var after []string
	if j.bands.field != nil {
		after = append(after, "flat field")
	}
	for _, f := range j.bands.filters {
		after = append(after, filterSteps(f)...)
	}
	if after == nil {
		return "sample value"
	}
	return "sample value after " + strings.Join(after, ", ")
}

// filterSteps names what a filter does, in order.
func filterSteps(f segment.Filter) (steps []string) {
	k, ok := f.(*kernels.Filter)
	if !ok {
		return []string{"filter"}
	}
	if k.Baseline != kernels.NoBaseline {
		steps = append(steps, "baseline")
	}
	if k.Smooth > 0 || k.Smooth2D > 0 {
		steps = append(steps, "smooth")
	}
	return steps
}

// checkPlots refuses profiles of lines that the page, or its region, does not have.
func (j *pageJob) checkPlots() error {
	first, _ := j.bands.first()
	last := first + j.bands.lines() - 1
	for _, p := range j.cfg.Plots {
		if p.Kind == PlotProfile && (p.Line < first || p.Line > last) {
			return fmt.Errorf("there is no %s %d to plot: there are %d to %d; see --plot", j.lineName(), p.Line, first, last)
		}
	}
	return nil
}

// lineName is what a line of the page is.
func (j *pageJob) lineName() string {
	if j.cfg.Axis == segment.Cols {
		return "column"
	}
	return "row"
}

// band takes the spans of one segmented band of samples as the kernel sees them: it is them that thresholds are for.
func (p *plots) band(b *segment.Band, kept, rejected *segment.Spans) {
	defer p.job.clock.add("plot", time.Now())
	for i := range b.Lines {
		p.lines.Add(b.Line0+int64(i), len(kept.Line(i)))
	}
	p.lengths.Add(kept.Bounds)
	if p.bars != nil {
		p.bars.Add(b)
	}
	for _, w := range p.want {
		if i := w.Line - b.Line0; w.Kind == PlotProfile && i >= 0 && i < int64(b.Lines) {
			p.profiles[w.Line] = viz.NewProfile(b, int(i), kept.Line(int(i)), rejected.Line(int(i)))
		}
	}
}

// finish draws and writes every plot.
func (p *plots) finish(ctx context.Context) error {
	defer p.job.clock.add("plot", time.Now())
	for _, w := range p.want {
		if err := ctx.Err(); err != nil {
			return err
		}
		drawing, err := p.draw(w)
		if err != nil {
			return fmt.Errorf("plotting %s: %w", w.Kind, err)
		}
		out, err := p.begin(w)
		if err != nil {
			return err
		}
		if err := drawing.Write(out, p.job.cfg.plotFormat()); err != nil {
			return plotting(w.Kind, err)
		}
		if err := out.finish(); err != nil {
			return err
		}
	}
	return nil
}

// plotting names the plot that an error concerns; one of its file names that already.
func plotting(k PlotKind, err error) error {
	if o := (*OutputError)(nil); errors.As(err, &o) {
		return o
	}
	return fmt.Errorf("plotting %s: %w", k, err)
}

func (p *plots) draw(w Plot) (*viz.Plot, error) {
	j := p.job
	s := viz.PlotStyle{
		Title: j.title, Note: "-k " + j.cfg.asked(), Palette: j.cfg.Palette,
		PixelSize: j.pixel.Size, Unit: j.pixel.Unit, Value: j.valueName(), Span: j.span(),
	}
	invert := j.cfg.KernelOptions.Invert
	switch w.Kind {
	case PlotProfile:
		profile := p.profiles[w.Line]
		s.Title += fmt.Sprintf(", %s %d: %s", j.lineName(), w.Line, viz.CountText(int64(profile.Segments)))
		lo, hi := j.thresholdsOf(w.Line)
		return profile.Plot(s, lo, hi, invert)
	case PlotHistogram:
		lo, hi := j.pageThresholds()
		var t []float64
		if len(j.report.Lo) == 1 && len(j.report.T) > 2 {
			t = j.report.T
		}
		s.Title += ": " + viz.Grouped(j.pixels()) + " samples"
		if j.pixels() == 1 {
			s.Title = strings.TrimSuffix(s.Title, "s")
		}
		logarithmic := w.Counts == "log" || w.Counts == "" && j.kernelInfo().Type != segment.U8
		return viz.HistogramPlot(s, j.seen, p.bars, lo, hi, t, invert, logarithmic)
	case PlotLengths:
		s.Title += ": " + viz.CountText(j.totals.count)
		return p.lengths.Plot(s)
	case PlotLines:
		s.Title += ": " + viz.CountText(j.totals.count)
		return p.lines.Plot(s, j.lineName())
	}
	return nil, fmt.Errorf("there is no plot called %q", w.Kind)
}

// thresholdsOf gives the thresholds of a page line as compared, NaN where there are none.
func (j *pageJob) thresholdsOf(line int64) (lo, hi float64) {
	first, _ := j.bands.first()
	at := line - first
	switch n := int64(len(j.report.Lo)); {
	case n == 0:
		return math.NaN(), math.NaN()
	case n == 1:
		at = 0
	case at >= n:
		return math.NaN(), math.NaN()
	}
	return j.report.Lo[at], j.report.Hi[at]
}
