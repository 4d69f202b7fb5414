package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"segscan/kernels"
)

// NewPlan finds the inputs and names every output, before any work.
//
// A file named outright is taken whatever its extension; folders and globs give files with the extensions of PNG,
// TIFF and JPEG, in any case. Folders are not entered unless Recursive. Symbolic links to files are followed;
// links to folders only where the user named them, or where a glob without ** reaches them, so that loops cannot
// be walked. The output folder is left out of a folder that holds it, and so are pictures that runs of this program
// leave, wherever they are. A file reached twice under one Rel is taken
// once; two files of one Rel are a *UsageError.
//
// A file named outright that is not there fails in Run like one that vanishes later; where nothing else matches
// either, the error is a *NoInputError.
func NewPlan(ctx context.Context, cfg *Config) (*Plan, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	f := &finder{cfg: cfg, plan: &Plan{}, leaveResults: true}
	if err := checkFolder(cfg.Out, "results", outHint); err != nil {
		return nil, err
	}
	if t := cfg.Table; t != "" && t != "-" {
		if err := checkFolder(filepath.Dir(t), "the table", "give --table another name"); err != nil {
			return nil, err
		}
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
	if err := f.plan.nameOutputs(ctx, cfg); err != nil {
		return nil, err
	}
	return f.plan, nil
}

// Find finds the inputs as NewPlan does, for work that writes nothing: no output is named or looked for, and files of
// one Rel may stand side by side. Of cfg it looks at Inputs, Recursive, Include and Exclude. Files are in order of the
// inputs, those of one folder or glob by name.
func Find(ctx context.Context, cfg *Config) (*Plan, error) {
	if err := cfg.checkInputs(); err != nil {
		return nil, err
	}
	f := &finder{cfg: cfg, plan: &Plan{}}
	return f.plan, f.inputs(ctx)
}

// check refuses what no input could make right and fills in the defaults.
func (c *Config) check() error {
	if c.Out == "" {
		c.Out = "segscan-out"
	}
	if c.Kernel == nil || c.Open == nil || c.Engine == nil {
		return errors.New("the configuration lacks a kernel, a decoder or an engine")
	}
	for _, o := range []struct{ flag, value, allowed string }{
		{"--overlay", c.Overlay, "png tiff none"}, {"--records", c.Records, "csv json none"},
	} {
		if o.value != "" && !slices.Contains(strings.Fields(o.allowed), o.value) {
			return &UsageError{Msg: fmt.Sprintf("%s %s is not known", o.flag, o.value), Hint: "it is one of " + o.allowed}
		}
	}
	if c.Overwrite && c.SkipExisting {
		return &UsageError{Msg: "--overwrite and --skip-existing exclude each other", Hint: "give one of them"}
	}
	if c.JSON && c.Table == "-" {
		return &UsageError{Msg: "--json and --table - both write to standard output", Hint: "give the table a file name"}
	}
	if c.Subsample && !kernels.HasCrossings(c.Kernel) {
		return &UsageError{
			Msg:  fmt.Sprintf("--subsample needs a threshold that samples cross, and the kernel %s has none", c.Kernel),
			Hint: "all kernels have one but color, distance and expr, which ask other things of samples; for example multiotsu, hysteresis:lo=40,hi=200, or sauvola under uneven light",
		}
	}
	if err := c.checkField(); err != nil {
		return err
	}
	return c.checkInputs()
}

func (c *Config) checkInputs() error {
	for _, p := range slices.Concat(c.Include, c.Exclude) {
		if !doublestar.ValidatePattern(p) {
			return &UsageError{Msg: fmt.Sprintf("%q is not a valid glob", p), Hint: `a bracket or brace is open, or a \ stands last`}
		}
	}
	if len(c.Inputs) == 0 {
		return &UsageError{Msg: "no input given", Hint: "name files, folders, globs, or - for standard input"}
	}
	if slices.Contains(c.Inputs, "") {
		return &UsageError{Msg: "an input is empty", Hint: "name files, folders, globs, or - for standard input"}
	}
	return nil
}

// finder gathers the files of a plan.
type finder struct {
	cfg          *Config
	plan         *Plan
	out          fs.FileInfo // the output folder, nil if it does not exist
	stdin        bool
	missing      int  // files named outright that are not there
	leaveResults bool // pictures of earlier runs are no inputs
	subfolders   bool // a folder was not entered for want of Recursive
}

// inputs goes through all that was named; each input's files are in order.
func (f *finder) inputs(ctx context.Context) error {
	for _, in := range f.cfg.Inputs {
		before := len(f.plan.Files)
		if err := f.input(ctx, in); err != nil {
			return err
		}
		slices.SortFunc(f.plan.Files[before:], func(a, b PlannedFile) int { return strings.Compare(a.Rel, b.Rel) })
	}
	if len(f.plan.Files) == f.missing && len(f.plan.Failed) == 0 {
		return f.noInput()
	}
	return nil
}

func (f *finder) input(ctx context.Context, in string) error {
	if in == "-" {
		if f.stdin {
			return &UsageError{Msg: "- is given twice", Hint: "standard input can be read once"}
		}
		f.stdin = true
		f.add("-", "stdin")
		return nil
	}
	before := len(f.plan.Files)
	info, err := os.Stat(in)
	switch {
	case err == nil && info.IsDir():
		w := walker{finder: f, depth: 1}
		if f.cfg.Recursive {
			w.depth = -1
		}
		err = w.folder(ctx, in, "", 1)
	case err != nil && errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(in, "*?[{"):
		err = f.glob(ctx, in)
	default:
		if err != nil && errors.Is(err, fs.ErrNotExist) {
			f.missing++
		}
		// What cannot be opened or is no image is for Run to say of that file.
		f.choose(in, filepath.Base(in))
		return nil
	}
	if err == nil && len(f.plan.Files) == before {
		f.plan.Unmatched = append(f.plan.Unmatched, in)
	}
	return err
}

// choose adds the file unless --include or --exclude say otherwise.
func (f *finder) choose(name, rel string) {
	if !f.cfg.chosen(rel) {
		f.plan.Excluded++
		return
	}
	f.add(name, rel)
}

// isField tells the images of the flat field, which folders and globs do not mean as inputs.
func (f *finder) isField(name string) bool {
	if f.cfg.Background == "" {
		return false
	}
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	for _, field := range []string{f.cfg.Background, f.cfg.Dark} {
		if of, err := os.Stat(field); err == nil && os.SameFile(info, of) {
			return true
		}
	}
	return false
}

func (f *finder) add(name, rel string) {
	f.plan.Files = append(f.plan.Files, PlannedFile{Path: name, Rel: rel})
}

// chosen applies the include and exclude globs. A glob without a slash is matched with each part of the path, so
// that *.tif means those of every folder and raw everything in a folder raw.
func (c *Config) chosen(rel string) bool {
	if len(c.Include) > 0 && !matchesAny(c.Include, rel) {
		return false
	}
	return !matchesAny(c.Exclude, rel)
}

func matchesAny(patterns []string, rel string) bool {
	for _, p := range patterns {
		anywhere := !strings.Contains(p, "/")
		for at := rel; at != "." && at != "/" && at != ""; at = path.Dir(at) {
			if doublestar.MatchUnvalidated(p, at) || anywhere && doublestar.MatchUnvalidated(p, path.Base(at)) {
				return true
			}
		}
	}
	return false
}

// noInput explains why nothing is left to do.
func (f *finder) noInput() error {
	p := f.plan
	if f.missing > 0 {
		for _, file := range p.Files {
			return &NoInputError{Msg: recordName(file.Path) + ": no such file or folder"}
		}
	}
	results := "results of earlier runs"
	if p.Results == 1 {
		results = "result of an earlier run"
	}
	msg := "no PNG, TIFF or JPEG file in " + recordName(strings.Join(f.cfg.Inputs, ", "))
	var skipped []string
	for _, s := range []struct {
		n    int
		what string
	}{{p.OtherKinds, "of other kinds"}, {p.Hidden, "hidden"}, {p.Excluded, "excluded"}, {p.LinkedFolders, "linked folders"},
		{p.Results, results}} {
		if s.n > 0 {
			skipped = append(skipped, fmt.Sprintf("%d %s", s.n, s.what))
		}
	}
	if len(skipped) > 0 {
		msg += " (skipped: " + strings.Join(skipped, ", ") + ")"
	}
	hint := ""
	switch {
	case f.subfolders:
		hint = "-r looks into subfolders too"
	case p.Excluded > 0:
		hint = "--include and --exclude leave nothing over"
	case p.OtherKinds > 0:
		hint = "a file named outright is taken whatever its extension"
	}
	return &NoInputError{Msg: msg, Hint: hint}
}

// order sorts the files, drops those named twice and refuses two of one Rel.
func (p *Plan) order() error {
	slices.SortFunc(p.Files, func(a, b PlannedFile) int {
		if c := strings.Compare(a.Rel, b.Rel); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	kept := p.Files[:0]
	for _, f := range p.Files {
		if len(kept) > 0 && kept[len(kept)-1].Rel == f.Rel {
			last := kept[len(kept)-1]
			if sameInput(last.Path, f.Path) {
				continue
			}
			return &UsageError{
				Msg:  fmt.Sprintf("%s and %s would both be written as %s", recordName(last.Path), recordName(f.Path), f.Name()),
				Hint: "name their parent folder instead, with -r, or take them in two runs, each with its own -o",
			}
		}
		kept = append(kept, f)
	}
	p.Files = kept
	return nil
}

// sameInput tells whether two paths are one file by name; links are different names of it.
func sameInput(a, b string) bool {
	if a == "-" || b == "-" {
		return false
	}
	x, err1 := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && x == y
}
