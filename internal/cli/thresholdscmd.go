package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"segscan/internal/batch"
	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
	"segscan/viz"
)

const thresholdsHelp = `prints, page by page, which threshold every global kernel finds and how many of
the samples lie above it; segments nothing, and writes plots only

Thresholds are those of a run with -k KERNEL: boundaries lie up to the first,
activations above the last. percentile and mad place both ends themselves: where
boundaries end, and where activations begin, with samples of just that value
counted as above. Shares are of the finite samples. A kernel that has no answer
for a page says why, and what would have one. With filters they are those of the
filtered samples, for a run with -k KERNEL:KEYS.

  segscan thresholds scan.tif              a table
  segscan thresholds --csv scans/*.tif     a line a threshold, for a spreadsheet
  segscan thresholds --plot scan.tif       the histogram with all of them, into
                                           segscan-out/scan.tif.thresholds.png
  segscan thresholds --with baseline=median:201,smooth=2 signal.png
                                           of filtered samples
`

// thresholdsOptions is the command line of thresholds.
type thresholdsOptions struct {
	options
	csv, plot bool
	counts    string
	with      []string       // as given
	kernels   []kernels.Spec // with the filters given
}

// thresholdsFlags are those of the main job that bear on the samples of a page, and what is written.
func thresholdsFlags(o *thresholdsOptions) *flagTable {
	t := newFlagTable("thresholds")
	t.apart = "it looks at every global kernel, and at each page as a whole"
	t.group("input")
	findFlags(t, &o.options)
	t.value("roi", "", "X,Y,W,H", of(&o.ROI, "rectangle", parseROI), "look at this rectangle of each page only")
	readFlags(t, &o.options)
	fieldFlags(t, &o.options)
	t.group("filters")
	t.value("with", "", "KEYS", gathered(&o.with), "KEY=VALUE,... that filter the samples first, as with every kernel of a run: baseline=median:201,smooth=2, "+
		"baseline=opening:51 or smooth2d=1.5; may be repeated, for more keys")
	axisFlag(t, &o.options)
	t.group("output")
	t.toggle("csv", "", &o.csv, "one line a threshold, with a header; its role is t, or lo and hi of kernels that place both ends themselves")
	t.toggle("json", "", &o.JSON, "one JSON object a page")
	t.toggle("plot", "", &o.plot, "draw the histogram of each page with all thresholds, into DIR/NAME.thresholds.png")
	t.value("counts", "", "SCALE", words(&o.counts, "auto", "linear", "log"), "counts of the plot: linear, log, or auto (default: 8-bit linear, others log)")
	t.value("plot-format", "", "KIND", words(&o.PlotFormat, viz.PlotFormats()...), "plots as png (default) or svg")
	t.value("palette", "", "NAME", words(&o.Palette, viz.Palettes()...), "colours of the plot: "+viz.PaletteText())
	outFlag(t, &o.options)
	t.toggle("overwrite", "", &o.Overwrite, "replace plots that exist")
	t.group("run")
	t.value("jobs", "j", "N", of(&o.Jobs, "count", parseJobs), "files at once (default 0: as many as cores)")
	t.toggle("quiet", "q", &o.quiet, "print errors and the result only")
	t.set.BoolVarP(&o.longHelp, "help", "h", false, "")
	return t
}

// withoutBearing are flags of the main job that change no threshold of a page.
var withoutBearing = set("kernel", "k", "invert", "nan", "edges", "spans", "merge-gap", "min-length", "max-length",
	"min-activations", "device", "compaction", "pixel-size", "overlay", "records", "style")

// parseThresholds reads the command line. Errors are *usageError.
func parseThresholds(args []string) (*thresholdsOptions, error) {
	o := &thresholdsOptions{}
	t := thresholdsFlags(o)
	if err := t.oneDash(args); err != nil {
		return nil, err
	}
	if err := t.set.Parse(args); err != nil {
		return nil, t.explain(err)
	}
	o.set, o.Inputs = t.set, t.set.Args()
	if o.longHelp {
		return o, nil
	}
	switch {
	case len(o.Inputs) == 0:
		return nil, &usageError{"no input given", "segscan thresholds --help"}
	case o.csv && o.JSON:
		return nil, &usageError{"--csv and --json both write to stdout", "leave one of them out"}
	case t.set.Changed("axis") && len(o.with) == 0:
		return nil, &usageError{"--axis is about filters, and there is no --with", "leave it out: which way lines run changes no histogram"}
	}
	var err error
	if o.kernels, err = globalKernels(o.with); err != nil {
		return nil, err
	}
	if o.plot {
		o.Plots = batch.PlotOfThresholds(strings.TrimPrefix(o.counts, "auto"))
		return o, nil
	}
	for _, name := range []string{"counts", "plot-format", "palette", "out", "overwrite"} {
		if t.set.Changed(name) {
			hint := "add --plot, or leave it out"
			if name == "out" {
				hint = "add --plot, or leave it out: thresholds go to stdout, and > FILE saves them"
			}
			return nil, &usageError{"--" + name + " is about plots, and there is no --plot", hint}
		}
	}
	return o, nil
}

// thresholds reports on files. Those that fail make it end as the main job does.
func (a *app) thresholds(args []string) (err error) {
	o, err := parseThresholds(args)
	switch {
	case err != nil:
		return err
	case o.longHelp:
		return a.print("usage: segscan thresholds [flags] INPUT...\n\n" + thresholdsHelp + thresholdsFlags(&thresholdsOptions{}).text())
	case a.stdinTerm && slices.Contains(o.Inputs, "-"):
		return &usageError{"stdin is a terminal", "pipe an image into segscan thresholds -, or name a file"}
	}
	engine := segment.NewCPU(0)
	defer func() { err = errors.Join(err, engine.Close()) }()
	o.Engine = func(*segment.PageInfo) (segment.Engine, string, error) { return engine, "", nil }
	o.Open, o.Stdin, o.Temps = raster.Open, a.stdin, &a.temps
	plan, err := batch.PlanThresholds(a.ctx, &o.Config)
	if err != nil {
		return err
	}
	defer limitCores(o.Jobs)()
	p := &thresholdsPrinter{app: a, o: o, say: newReporter(a.stderr, &o.options, nil)}
	defer p.say.finish(nil)
	for _, f := range plan.Failed {
		p.fail(f)
	}
	for _, in := range plan.Unmatched {
		p.say.Warn(in, "nothing here to look at", "")
	}
	if o.csv {
		if err := a.print(string(batch.ThresholdColumns())); err != nil {
			return err
		}
	}
	left, err := batch.Thresholds(a.ctx, &o.Config, plan, o.kernels, p.page)
	if err != nil {
		return err
	}
	if left > 0 {
		p.failed = true
		a.stderr.message("", batch.LeftOut(o.Out, left), "give another -o, or make room and add --overwrite")
	}
	p.end()
	if p.failed {
		return &someFailed{}
	}
	return nil
}

// thresholdsPrinter prints pages as they come.
type thresholdsPrinter struct {
	*app
	o       *thresholdsOptions
	say     *reporter
	failed  bool
	printed int // pages
	plots   int
	plot    string // the last one
}

func (p *thresholdsPrinter) fail(err error) {
	p.failed = true
	p.say.FileDone(batch.PlannedFile{}, 0, err)
}

// page prints a page, or why a file failed.
func (p *thresholdsPrinter) page(t *batch.PageThresholds, err error) error {
	if err != nil {
		p.fail(err)
		return nil
	}
	for _, w := range t.Warnings {
		p.say.Warn(t.File, w, "")
	}
	if t.Plot != "" {
		p.plots, p.plot = p.plots+1, t.Plot
	}
	var out []byte
	switch {
	case p.o.JSON:
		out, err = t.JSON()
	case p.o.csv:
		out, err = t.CSV()
	default:
		if p.printed++; p.printed > 1 {
			out = []byte("\n")
		}
		out = append(out, thresholdsTable(t)...)
	}
	if err != nil {
		return fmt.Errorf("writing the thresholds of %s: %w", t.File, err)
	}
	return p.print(string(out))
}

// end says where the plots are.
func (p *thresholdsPrinter) end() {
	switch {
	case p.plots == 0 || p.o.quiet || p.stdout.broken():
	case p.plots == 1:
		p.stderr.write(fmt.Sprintf("%-10s%s\n", "plot", clean(p.plot)))
	default:
		p.stderr.write(fmt.Sprintf("%-10s%s in %s\n", "plots", thousands(int64(p.plots)), clean(p.o.Out)))
	}
}
