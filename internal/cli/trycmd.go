package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"segscan/internal/batch"
	"segscan/internal/raster"
	"segscan/segment"
	"segscan/viz"
)

const tryHelp = `the first thing to run on a new kind of image: segments one page of FILE with
every kernel that chooses its thresholds itself, bright on dark and dark on
bright, prints what each finds, and writes a contact sheet of pictures with the
command that makes each into segscan-out/FILE.try.png

Flags mean the same as without try. Those that change what is found are printed
below the commands, as "each with": a run needs them too.

  segscan try scan.tif                     every kernel
  segscan try --background empty.tif scan.tif
                                           uneven light corrected first
  segscan try --with baseline=median:201,smooth=2 signal.png
                                           every kernel, of filtered samples
  segscan try -k otsu -k sauvola:window=51 scan.tif
                                           these kernels only
`

// tryOptions is the command line of try.
type tryOptions struct {
	options
	kernels []string // as given
	with    []string // as given
}

// tryFlags are those of the main job that bear on what a page, a line and a segment is, and where the sheet goes.
func tryFlags(o *tryOptions) *flagTable {
	t := newFlagTable("try")
	t.group("page")
	t.value("page", "", "N", of((*[]batch.PageRange)(&o.Pages), "page", func(s string) ([]batch.PageRange, error) { return parsePages(s) }),
		"the page to look at, counted from 0 (default the first); -1 is the last")
	t.value("roi", "", "X,Y,W,H", of(&o.ROI, "rectangle", parseROI), "look at this rectangle only")
	readFlags(t, &o.options)
	fieldFlags(t, &o.options)
	t.group("kernels")
	t.value("kernel", "k", "SPEC", o.kernelValue(), "try this kernel, may be repeated (default: every one that chooses its thresholds itself)")
	t.value("with", "", "KEYS", gathered(&o.with), "KEY=VALUE,... for each kernel: baseline=median:201,smooth=2 or smooth2d=1.5 filter the samples first, "+
		"per=line finds thresholds for each line, window=51 is for local kernels; kernels without such a key are left out, or refused if -k names them; may be repeated, for more keys")
	nanFlag(t, &o.options)
	t.group("meaning")
	axisFlags(t, &o.options)
	refineFlags(t, &o.options)
	t.group("output")
	outFlag(t, &o.options)
	t.toggle("overwrite", "", &o.Overwrite, "replace a sheet that exists")
	t.value("palette", "", "NAME", words(&o.Palette, viz.Palettes()...), "colours: "+viz.PaletteText())
	t.value("stretch", "", "RANGE", of(&o.Stretch, "stretch", parseStretch), "samples shown as black to white: LO,HI or P% or none")
	t.toggle("quiet", "q", &o.quiet, "print the table only")
	t.set.BoolVarP(&o.longHelp, "help", "h", false, "")
	return t
}

// parseTry reads the command line. Errors are *usageError.
func parseTry(args []string) (*tryOptions, batch.TryOptions, error) {
	o := &tryOptions{}
	t := tryFlags(o)
	var list batch.TryOptions
	if err := t.oneDash(args); err != nil {
		return nil, list, err
	}
	if err := t.set.Parse(args); err != nil {
		return nil, list, t.explain(err)
	}
	o.takeNaN()
	o.Inputs = t.set.Args()
	switch {
	case len(o.Inputs) == 0:
		return nil, list, &usageError{"try needs a file to look at", "segscan try --help"}
	case len(o.Inputs) > 1:
		return nil, list, &usageError{fmt.Sprintf("try looks at one file, not at %d", len(o.Inputs)), "segscan try --help"}
	}
	if err := o.checkRefine(); err != nil {
		return nil, list, err
	}
	list, err := o.candidates()
	list.Beside = beside(t.set)
	return o, list, err
}

// try compares kernels on one page.
func (a *app) try(args []string) (err error) {
	o, list, err := parseTry(args)
	switch {
	case err != nil:
		return err
	case a.stdinTerm && o.Inputs[0] == "-":
		return &usageError{"stdin is a terminal", "pipe an image into segscan try -, or name a file"}
	}
	engine := segment.NewCPU(0)
	defer func() { err = errors.Join(err, engine.Close()) }()
	o.Engine = func(*segment.PageInfo) (segment.Engine, string, error) { return engine, "", nil }
	o.Open, o.Stdin = raster.Open, a.stdin
	o.Temps = &a.temps
	found, err := batch.Try(a.ctx, &o.Config, list)
	if err != nil {
		return err
	}
	for _, w := range found.Warnings {
		if !o.quiet {
			a.stderr.message(found.File, "warning: "+w, "")
		}
	}
	if err := a.print(trialsTable(found)); err != nil {
		return err
	}
	if !o.quiet {
		a.stderr.write(fmt.Sprintf("%-10s%s\n", "results", clean(found.Output)))
	}
	return nil
}

// trialsTable is what the sheet shows, as text.
func trialsTable(t *batch.Trials) string {
	number := func(v float64, format string) string {
		if math.IsNaN(v) {
			return "-"
		}
		return fmt.Sprintf(format, v)
	}
	plain := strings.NewReplacer("≤", "<=", "≥", ">=")
	rows := [][]string{{"segments", "mean length", "covered", "boundary", "activation", "kernel"}}
	for i := range t.Trials {
		r := &t.Trials[i]
		rows = append(rows, []string{
			thousands(r.Count), number(r.MeanLength, "%.1f"), number(r.Coverage, "%.1f%%"), dash(plain.Replace(r.Boundary)),
			dash(plain.Replace(r.Activation)), r.Command(),
		})
	}
	var b strings.Builder
	b.WriteString(columns(rows, "rrr"))
	if t.Beside != "" {
		b.WriteString("each with: " + cleanText(t.Beside) + "\n")
	}
	for _, r := range t.Trials {
		if len(r.Same) > 0 && !r.Invert {
			b.WriteString("the same as -k " + r.Spec + ": " + strings.Join(r.Same, ", ") + "\n")
		}
	}
	for _, l := range t.LeftOut {
		b.WriteString("left out: " + cleanText(l.String()) + "\n")
	}
	return b.String()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// columns lines up rows of cells. Those of columns that align has an r for are aligned to the right.
func columns(rows [][]string, align string) string {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		line := ""
		for i, c := range r {
			space := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if i < len(align) && align[i] == 'r' {
				c = space + c
			} else {
				c += space
			}
			line += c + "  "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
