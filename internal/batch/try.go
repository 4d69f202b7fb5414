package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
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
	group                  int
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

// TryOptions says what is tried; a kernel that is given twice is tried once. Chosen kernels are the user's own: all that
// can be bound are shown, with what they warn of; of others only those that find something by themselves, which conditions
// on colours do not. LeftOut begins the list of what is not tried. Beside are the words of the command line that the main
// job needs too, for the same samples and segments.
type TryOptions struct {
	Kernels []kernels.Spec
	Chosen  bool
	LeftOut LeftOutList
	Beside  []string
}

// beside is Beside as one would type it.
func (o *TryOptions) beside() string {
	var words []string
	for _, w := range o.Beside {
		words = append(words, shellWord(w))
	}
	return strings.Join(words, " ")
}

// kernels are those to look at, each once. None is a *UsageError.
func (o *TryOptions) kernels() ([]kernels.Spec, error) {
	var list []kernels.Spec
	seen := map[string]bool{}
	colours := "" // the first kernel that is left out for what it looks at
	for _, s := range o.Kernels {
		name := s.String()
		switch {
		case seen[name]:
		case !o.Chosen && s.Needs().Channels: // nothing is known of the user's own conditions, and channels need not be read
			colours = cmp.Or(colours, name)
		default:
			list = append(list, s)
		}
		seen[name] = true
	}
	switch {
	case len(list) > 0:
		return list, nil
	case colours != "":
		return nil, &UsageError{
			Msg:  fmt.Sprintf("there is nothing to try: the kernel %s looks at colours, and such kernels are tried only if they are chosen", colours),
			Hint: "choose them (-k), or add a kernel that finds its thresholds itself, such as multiotsu",
		}
	}
	return nil, &UsageError{Msg: "there is nothing to try: no kernel is given", Hint: "give one, such as multiotsu"}
}

// Trials is what Try found: kernels in the order they were given, both polarities of each together; Beside goes with the
// command of each. LeftOut says of others why they are not among them. Shown is empty where the sheet shows all of the
// page. Output is the sheet.
type Trials struct {
	File          string
	Page          int
	Width, Height int64
	Sample        string
	Trials        []Trial
	Beside        string
	LeftOut       LeftOutList
	Shown         string
	Warnings      []string
	Output        string
}

// trySuffix ends the name of the contact sheet.
const trySuffix = ".try.png"

// Try segments one page of one file with each of the kernels, in both polarities, and writes a contact sheet into
// the output folder. Kernels that find no thresholds are left out, and unless they are chosen those that find no segments
// either way, or whose thresholds do not depend on the image. A folder that takes nothing is refused before any work, and
// so are an output that exists unless Overwrite is set, and options that leave no kernel to try. Of cfg it looks at the inputs, what a page and a line is, the flat
// field, Edges, NaN, Refine, Raster, Palette, Stretch and Out. Errors of the file are *FileError.
func Try(ctx context.Context, cfg *Config, o TryOptions) (*Trials, error) {
	list, err := o.kernels()
	if err != nil {
		return nil, err
	}
	o.Kernels = list
	for _, s := range list {
		own := *cfg
		own.Kernel = s
		if err := own.checkField(); err != nil {
			return nil, err
		}
	}
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
	if err := checkFolder(cfg.Out, "results", outHint); err != nil {
		return nil, err
	}
	field, err := cfg.openField(ctx)
	if err != nil {
		return nil, err
	}
	defer field.close()
	f := &plan.Files[0]
	t, err := tryFile(ctx, cfg, f, field, o)
	var usage *UsageError
	if err != nil && !errors.As(err, &usage) && ctx.Err() == nil {
		err = &FileError{File: f.Name(), Page: -1, Err: err}
	}
	return t, err
}

func tryFile(ctx context.Context, cfg *Config, f *PlannedFile, field *flatField, o TryOptions) (*Trials, error) {
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
	number, pages, err := cfg.onePage(rd)
	if err != nil {
		return nil, err
	}
	path := cfg.outputPath(f.Rel, pageName(trySuffix, number, pages))
	if err := cfg.mayWrite(path, f); err != nil {
		return nil, err
	}
	var made folders
	defer made.leave()
	if err := made.prepare(filepath.Dir(path), "results", outHint, cfg.Temps); err != nil {
		return nil, err
	}
	page, err := rd.Page(number)
	if err != nil {
		return nil, err
	}
	w := &tryWork{chosen: o.Chosen, leftOut: slices.Clone(o.LeftOut)}
	if err := w.begin(ctx, cfg, page, field, o.Kernels); err != nil {
		return nil, err
	}
	defer w.close()
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	info := page.Info()
	t := &Trials{
		File: f.Name(), Page: number, Width: info.Width, Height: info.Height, Sample: info.Type.String(),
		Trials: w.trials, Beside: o.beside(), LeftOut: w.leftOut, Shown: w.shown(), Output: path,
		Warnings: slices.Concat(rd.Warnings(), info.Warnings, w.warnings),
	}
	sheet, err := w.sheet(ctx, t, pages)
	if err != nil {
		return nil, err
	}
	return t, cfg.writeSheet(path, sheet)
}

// onePage is the page to try, the first unless one is named, and the number of pages that the sheet's name goes by.
func (c *Config) onePage(rd raster.Reader) (page, of int, err error) {
	pages, of, err := c.choosePages(rd)
	switch {
	case err != nil:
		return 0, 0, err
	case c.Pages != nil && len(pages) != 1:
		return 0, 0, &UsageError{Msg: fmt.Sprintf("--page names %d pages; one is tried at a time", len(pages)), Hint: "--page 0 is the first"}
	}
	return pages[0], of, nil
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
