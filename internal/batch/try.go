package batch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"slices"
	"strings"

	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
	"segscan/viz"
)

// Trial is one kernel tried on a page in one polarity. Boundary and Activation are conditions such as "v ≤ 39", or
// empty. Same names other kernels that found the same thresholds. Counts are of the whole page, Coverage in percent of
// its samples.
type Trial struct {
	Spec                   string
	Invert                 bool
	Boundary, Activation   string
	Same                   []string
	Count                  int64
	MeanLength, Coverage   float64
	classifier             segment.Classifier
	lo, hi                 float64
	key                    [2]float64 // equal for trials of the same result
	total, covered, length int64
	spans                  segment.Spans // in the window
	profile                *viz.Profile  // of a page of one line
}

// Command is what gives this trial's segments, after the program's name.
func (t *Trial) Command() string {
	c := "-k " + shellWord(t.Spec)
	if t.Invert {
		c += " --invert"
	}
	return c
}

// shellWord quotes a word that a shell would take apart.
func shellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:=,.+-_%/@") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Trials is what Try found: kernels in the order they were given, both polarities of each together. LeftOut says of
// others why they are not among them. Shown is empty where the sheet shows all of the page. Output is the sheet.
type Trials struct {
	File          string
	Page          int
	Width, Height int64
	Sample        string
	Trials        []Trial
	LeftOut       []string
	Shown         string
	Warnings      []string
	Output        string
}

// trySuffix ends the name of the contact sheet.
const trySuffix = ".try.png"

// Try segments one page of one file with each of the kernels, in both polarities, and writes a contact sheet into
// the output folder. Kernels that find no thresholds, no segments either way, or none that depend on the image, are
// left out. An output that exists is refused before any work unless Overwrite is set. Of cfg it looks at the inputs,
// what a page and a line is, Edges, NaN classes, Raster, Palette, Stretch and Out. Errors of the file are *FileError.
func Try(ctx context.Context, cfg *Config, specs []kernels.Spec) (*Trials, error) {
	plan, err := Find(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if len(plan.Files) != 1 {
		return nil, &UsageError{
			Msg:  fmt.Sprintf("%s holds %d files; one is tried at a time", recordName(cfg.Inputs[0]), len(plan.Files)),
			Hint: "name one of them",
		}
	}
	f := &plan.Files[0]
	t, err := tryFile(ctx, cfg, f, specs)
	var usage *UsageError
	if err != nil && !errors.As(err, &usage) && ctx.Err() == nil {
		err = &FileError{File: f.Name(), Page: -1, Err: err}
	}
	return t, err
}

func tryFile(ctx context.Context, cfg *Config, f *PlannedFile, specs []kernels.Spec) (*Trials, error) {
	src, err := openSource(ctx, cfg, f)
	if err != nil {
		return nil, err
	}
	defer src.close()
	rd, err := cfg.Open(src, src.size, f.Name(), cfg.Raster)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	number, err := cfg.onePage(rd)
	if err != nil {
		return nil, err
	}
	path := cfg.outputPath(f.Rel, pageName(trySuffix, number, rd.Pages()))
	if err := cfg.mayWrite(path, f); err != nil {
		return nil, err
	}
	page, err := rd.Page(number)
	if err != nil {
		return nil, err
	}
	eng, _, err := cfg.Engine(page.Info())
	if err != nil {
		return nil, err
	}
	own := *cfg
	own.Kernel, own.Plots = specs[0], nil
	job, err := newPageJob(&own, page, eng)
	if err != nil {
		return nil, err
	}
	defer job.bands.close()
	w := &tryWork{job: job, file: f}
	if err := w.run(ctx, specs); err != nil {
		return nil, err
	}
	info := page.Info()
	t := &Trials{
		File: f.Name(), Page: number, Width: info.Width, Height: info.Height, Sample: info.Type.String(),
		Trials: w.trials, LeftOut: w.leftOut, Shown: w.shown(), Output: path,
		Warnings: slices.Concat(rd.Warnings(), info.Warnings),
	}
	sheet, err := w.sheet(ctx, t, rd.Pages())
	if err != nil {
		return nil, err
	}
	return t, cfg.writeSheet(path, sheet)
}

// onePage is the page to try: the first unless one is named.
func (c *Config) onePage(rd raster.Reader) (int, error) {
	if c.Pages == nil {
		return 0, nil
	}
	pages, err := c.Pages.resolve(rd.Pages(), rd.Pages())
	if err == nil && len(pages) != 1 {
		err = &UsageError{Msg: fmt.Sprintf("--page names %d pages; one is tried at a time", len(pages)), Hint: "--page 0 is the first"}
	}
	if err != nil {
		return 0, err
	}
	return pages[0], nil
}

// mayWrite refuses an output that exists, or is the input.
func (c *Config) mayWrite(path string, f *PlannedFile) error {
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	if err := (&Plan{Files: []PlannedFile{*f}}).checkInputs([]string{path}); err != nil {
		return err
	}
	if c.Overwrite {
		return nil
	}
	return &UsageError{Msg: recordName(path) + " exists", Hint: "--overwrite replaces it, or give another -o"}
}

func (c *Config) writeSheet(path string, sheet *image.RGBA) error {
	out, err := newPending(path, c.Temps)
	if err != nil {
		return err
	}
	defer out.discard()
	w := raster.NewPNGWriter(out, raster.PNGOptions{})
	err = w.NextPage(int64(sheet.Rect.Dx()), int64(sheet.Rect.Dy()), &raster.RGB{})
	if err == nil {
		err = w.WriteBand(sheet)
	}
	if e := w.Close(); err == nil {
		err = e
	}
	if err != nil {
		return writing(path, err)
	}
	return out.commit(c.Overwrite)
}
