package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"segscan/internal/batch"
	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
	"segscan/viz"
)

// options is the command line of the main job: the run itself, and what only this package looks at.
type options struct {
	batch.Config
	device, nan    string
	dryRun         bool
	quiet, verbose bool
	help, longHelp bool
	version        bool
	set            *pflag.FlagSet // as parsed
}

// group is a heading of the help text with its flags, in order.
type group struct {
	title string
	flags []flagInfo
}

// flagInfo is what help, completion and the manual page show of a flag. arg is empty for a switch.
type flagInfo struct {
	name, short, arg, text string
	allowed                []string
}

// flagTable collects flags for pflag and for the help at once, so that they cannot differ.
type flagTable struct {
	command string // a subcommand, "" for the main job
	apart   string // why it takes none of the flags withoutBearing, or ""
	set     *pflag.FlagSet
	groups  []group
}

func newFlagTable(command string) *flagTable {
	fs := pflag.NewFlagSet("segscan", pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	return &flagTable{command: command, set: fs}
}

func (t *flagTable) group(title string) { t.groups = append(t.groups, group{title: title}) }

func (t *flagTable) note(f flagInfo) {
	g := &t.groups[len(t.groups)-1]
	g.flags = append(g.flags, f)
}

// value adds a flag that takes a value; arg is its name in the help.
func (t *flagTable) value(name, short, arg string, v *value, text string) {
	t.set.VarP(v, name, short, text)
	t.note(flagInfo{name, short, arg, text, v.allowed})
}

// list adds a flag that may be given more than once.
func (t *flagTable) list(name, arg string, to *[]string, text string) {
	t.set.StringArrayVar(to, name, nil, text)
	t.note(flagInfo{name, "", arg, text, nil})
}

// toggle adds a flag without a value.
func (t *flagTable) toggle(name, short string, to *bool, text string) {
	t.set.BoolVarP(to, name, short, false, text)
	t.note(flagInfo{name, short, "", text, nil})
}

func (t *flagTable) names() []string {
	var names []string
	for _, g := range t.groups {
		for _, f := range g.flags {
			names = append(names, f.name)
		}
	}
	return names
}

// mainFlags is the flags of the main job, bound to o, which gets its defaults.
func mainFlags(o *options) *flagTable {
	t := newFlagTable("")
	t.group("input")
	findFlags(t, o)
	t.value("roi", "", "X,Y,W,H", of(&o.ROI, "rectangle", parseROI), "look at this rectangle of each page only; its border is a line end")
	readFlags(t, o)
	fieldFlags(t, o)

	t.group("kernel")
	kernel := &value{typ: "spec", text: defaultKernel}
	kernel.set = func(s string) error {
		k, err := kernels.Parse(s)
		if err != nil {
			return err
		}
		if o.Kernel != nil {
			return &usageError{"a run has one kernel, and -k " + o.Kernel.String() + " is given too",
				"run once for each, with another -o, or compare them: segscan try -k " + o.Kernel.String() + " -k " + k.String()}
		}
		o.Kernel = k
		return nil
	}
	t.value("kernel", "k", "SPEC", kernel, "what is a boundary and what an activation: NAME[:KEY=VALUE,...] (default "+defaultKernel+"); see segscan kernels")
	t.toggle("invert", "", &o.KernelOptions.Invert, "exchange boundary and activation: for dark marks on a bright ground")
	nanFlag(t, o)

	t.group("meaning")
	axisFlags(t, o)
	t.value("spans", "", "WHICH", choice(&o.AllSpans, word[bool]{"activated", false}, word[bool]{"all", true}),
		"report activated segments (default), or all: the spans between consecutive boundaries with no activation too, if at least one sample "+
			"lies between, and a column that tells them apart. Filters apply to activated segments only; those they drop are not listed")

	refineFlags(t, o)

	t.group("output")
	outFlag(t, o)
	t.toggle("overwrite", "", &o.Overwrite, "replace results that exist (summary.csv keeps its rows of other files). Those of other kinds stay, and a warning names them. "+
		"Rows of the inputs leave summary.csv before anything is replaced: where the run is cut short, --skip-existing with the same flags does the rest")
	t.toggle("skip-existing", "", &o.SkipExisting, "leave out inputs that an earlier run did: all results exist, and summary.csv has their pages; "+
		"others are done anew, and so are records that lack columns asked for. Give the same flags and inputs: others that decide on samples or segments stop the run "+
		"(-k, --invert, --background, --dark, --axis, --edges, --nan, --roi, --channel, --alpha, --auto-orient, --raw-bits and the filters, which summary.csv names with the kernel "+
		"where they are not the default), so do another --pixel-size where records have lengths in units, and columns that records would lose. Not noticed are other looks of "+
		"pictures and plots, and files whose contents have changed. --table takes rows of those left out from their records")
	t.value("overlay", "", "KIND", words(&o.Overlay, "png", "tiff", "none"), "picture of the segments over the image, a file a page: png (default), tiff, none")
	t.value("records", "", "KIND", words(&o.Records, "csv", "json", "none"), "segments of each file: csv (default), json, none")
	t.toggle("subsample", "", &o.Subsample, "columns start_x, end_x in records and table: where between samples the boundaries lie, for gauging. The straight "+
		"line between a boundary and its neighbour inside meets the boundary threshold there (of local kernels, whose T differs from sample to sample: "+
		"the line through v - T of both meets 0, with --invert v - T - margin; of gradient: the top of its derivative); "+
		"of samples after smooth, baseline and --background; empty at line ends and where a sample is NaN or has no threshold. Beside lengths in units there is "+
		"width_u, end_x - start_x in units; length_u is of whole samples")
	t.value("table", "", "FILE|-", text(&o.Table), "segments of all files in one CSV file, or - for stdout")
	t.toggle("json", "", &o.JSON, "one JSON object a page on stdout")
	t.value("pixel-size", "", "SIZE", of(&o.PixelSize, "size", parsePixelSize, "auto", "none"),
		"adds columns of starts and lengths in units: 0.65um, 25nm, 10ms; without it the records of files whose ImageJ or OME "+
			"description states a pixel size have them, and --table never; auto: all have them, empty where nothing is stated; none: none have")
	t.value("png-level", "", "N", of(&o.PNGLevel, "level", parsePNGLevel), "compression of PNG overlays: 0 (none), 1 (fast) to 9 (small; default 5)")
	t.value("tiff-compression", "", "KIND", choice(&o.TIFFCompression, word[raster.TIFFCompression]{"deflate", raster.TIFFDeflate},
		word[raster.TIFFCompression]{"none", raster.TIFFNone}, word[raster.TIFFCompression]{"lzw", raster.TIFFLZW},
		word[raster.TIFFCompression]{"zstd", raster.TIFFZstd}), "compression of TIFF overlays: deflate (default), none, lzw, zstd")

	t.group("picture")
	looks := make([]word[viz.Look], 0, 6)
	for _, l := range viz.Looks() {
		looks = append(looks, word[viz.Look]{l, viz.Look(l)})
	}
	t.value("style", "", "STYLE", choice(&o.Style, looks...),
		"tint (default) colours segments and marks their boundaries; outline draws a line around them; ticks marks "+
			"boundaries only; mask is white inside segments, black outside; classes colours what the kernel calls each "+
			"sample; side shows the source beside the tint")
	t.value("palette", "", "NAME", words(&o.Palette, viz.Palettes()...), "colours, safe for colour-blind readers: "+viz.PaletteText())
	t.toggle("legend", "", &o.Legend, "add a strip below: count, kernel, thresholds, and a scale bar with --pixel-size")
	t.value("stretch", "", "RANGE", of(&o.Stretch, "stretch", parseStretch),
		"samples shown as black to white: LO,HI, or P% left out at each end, or none (the whole range); default: 8-bit as they are, others 0.5%")
	t.value("max-size", "", "N", count(&o.MaxSize, 1), "reduce the image in the picture so that its longer side is at most N pixels; --legend adds its strip below")

	t.group("plots")
	t.value("plot", "", "WHAT", plotValue(&o.Plots),
		"a plot a page, may be repeated: profile=ROW[,ROW] (lines as curves with thresholds and segments), "+
			"histogram[=linear|log] (with thresholds; 8-bit counts linear, others log), lengths (of segments), lines (segments by line)")
	t.value("plot-format", "", "KIND", words(&o.PlotFormat, viz.PlotFormats()...), "plots as png (default) or svg")

	t.group("run")
	o.device = "auto"
	t.value("device", "", "DEVICE", of(&o.device, "device", parseDevice, "auto", "cpu", "cuda"), "auto (default), cpu, cuda[:N], cuda:all; results are the same on every device")
	t.value("compaction", "", "FORM", choice(&o.Compaction, word[segment.Compaction]{"single-pass", segment.SinglePass}, word[segment.Compaction]{"multi-pass", segment.MultiPass}),
		"how segments are gathered: single-pass (default), multi-pass; the same results")
	t.value("jobs", "j", "N", of(&o.Jobs, "count", parseJobs), "files at once and cores used (default 0: all cores)")
	t.toggle("fail-fast", "", &o.FailFast, "stop at the first input that fails (default: go on, list failures at the end)")
	t.toggle("dry-run", "", &o.dryRun, "print inputs and outputs, do nothing")
	t.toggle("quiet", "q", &o.quiet, "print errors only")
	t.toggle("verbose", "v", &o.verbose, "print thresholds, counts and device of each page")
	t.set.BoolVarP(&o.help, "short-help", "h", false, "")
	t.toggle("help", "", &o.longHelp, "print this help (-h: a short one)")
	t.toggle("version", "", &o.version, "print the version")
	return t
}

// count is a flag's whole number, at least so much.
func count(to *int64, least int64) *value {
	return of(to, "count", func(s string) (int64, error) {
		n, err := parseCount(s)
		if err == nil && n < least {
			err = fmt.Errorf("allowed: %d or more", least)
		}
		return n, err
	})
}

// findFlags are those that say which files and pages are looked at.
func findFlags(t *flagTable, o *options) {
	t.toggle("recursive", "r", &o.Recursive, "go into subfolders of folders")
	t.list("include", "GLOB", &o.Include, "take only files of a folder whose path below it matches (** crosses folders); may be repeated")
	t.list("exclude", "GLOB", &o.Exclude, "leave out files whose path matches; may be repeated")
	t.value("page", "", "LIST", of((*[]batch.PageRange)(&o.Pages), "pages", func(s string) ([]batch.PageRange, error) { return parsePages(s) }, "all"),
		"pages of files that have more than one, counted from 0: all (default), 0,2-5, -1 for the last")
}

// readFlags are those that say how a page becomes samples, and what is refused.
func readFlags(t *flagTable, o *options) {
	t.value("channel", "", "CHANNEL", of(&o.Raster.Channel, "channel", parseChannel, channelNames...),
		"what is a sample of a colour image: luma (default), r, g, b, a, hue, sat, val, or a number from 0")
	t.value("alpha", "", "RULE", choice(&o.Raster.Alpha, word[raster.Alpha]{"black", raster.AlphaBlack}, word[raster.Alpha]{"ignore", raster.AlphaIgnore}),
		"transparency: black (default) lays the image over black, ignore never multiplies")
	t.toggle("auto-orient", "", &o.Raster.AutoOrient, "turn the page as its orientation tag says")
	t.toggle("raw-bits", "", &o.Raster.RawBits,
		"stored values as samples: gray of 1, 2, 4 bits as 0..1, 0..3, 0..15 (default: scaled to 0..255), palette pages by index (default: luma of their colours)")
	t.toggle("strict", "", &o.Raster.Strict,
		"refuse files that are damaged beside their pixels or break their format, and animations (default: read them with a warning)")
	o.Raster.MaxPixels = raster.DefaultMaxPixels
	t.value("max-pixels", "", "N", count(&o.Raster.MaxPixels, 1), "refuse larger pages before decoding them (default 2G; k, M, G)")
	o.Raster.MaxRatio = raster.DefaultMaxRatio
	t.value("max-ratio", "", "N", count(&o.Raster.MaxRatio, 1),
		"refuse TIFF pages of more than 256 MiB that decode to more than N bytes for each byte of the file (default 10k)")
}

// fieldFlags name the images of a flat field.
func fieldFlags(t *flagTable, o *options) {
	t.value("background", "", "FILE", text(&o.Background),
		"flat field: FILE is an image of the empty field in the same light; thresholds are for (v-dark)/(background-dark) times its mean, "+
			"as float samples, while records measure the samples as stored. Of several pages, that of the same number if there are as many, else the first")
	t.value("dark", "", "FILE", text(&o.Dark), "an image taken without light, for --background (default 0 everywhere)")
}

// text is a flag's value that is not empty.
func text(to *string) *value {
	return of(to, "text", func(s string) (string, error) {
		if s == "" {
			return "", &usageError{"it is empty", "give it a name, or leave the flag out"}
		}
		return s, nil
	})
}

// nanFlag is --nan; takeNaN makes options of it.
func nanFlag(t *flagTable, o *options) {
	t.value("nan", "", "CLASS", words(&o.nan, "boundary", "other", "error"),
		"class of NaN samples: boundary (default), other, or error: that page fails")
}

func (o *options) takeNaN() {
	o.KernelOptions.NaN = segment.Boundary
	if o.nan == "other" {
		o.KernelOptions.NaN = segment.Other
	}
	o.NaNError = o.nan == "error"
}

// axisFlags say what a line is and where it ends.
func axisFlags(t *flagTable, o *options) {
	axisFlag(t, o)
	t.value("edges", "", "RULE", choice(&o.Edges, word[segment.Edges]{"drop", segment.EdgesDrop}, word[segment.Edges]{"keep", segment.EdgesKeep}),
		"a line end: drop (default) bounds nothing, keep bounds a segment")
}

// axisFlag is --axis.
func axisFlag(t *flagTable, o *options) {
	t.value("axis", "", "AXIS", choice(&o.Axis, word[segment.Axis]{"rows", segment.Rows}, word[segment.Axis]{"cols", segment.Cols}),
		"lines are rows, read left to right (default), or cols, read top to bottom")
}

// refineFlags say which segments are joined and dropped.
func refineFlags(t *flagTable, o *options) {
	t.group("filters (in this order)")
	o.Refine = segment.NoRefine
	t.value("merge-gap", "", "N", count(&o.Refine.MergeGap, 0), "join neighbours of a line at most N samples apart; 0 joins those that share a boundary (default off)")
	t.value("min-length", "", "N", count(&o.Refine.MinLength, 0), "drop segments shorter than N samples, both ends counted")
	t.value("max-length", "", "N", count(&o.Refine.MaxLength, 1), "drop segments longer than N samples")
	t.value("min-activations", "", "N", count(&o.Refine.MinActivations, 0), "drop segments with fewer than N activation samples")
}

// checkRefine finds filters that no segment could pass.
func (o *options) checkRefine() error {
	if r := o.Refine; r.MaxLength > 0 && r.MinLength > r.MaxLength {
		return &usageError{fmt.Sprintf("--min-length %d is more than --max-length %d: no segment could be left", r.MinLength, r.MaxLength), ""}
	}
	return nil
}

// outFlag is --out.
func outFlag(t *flagTable, o *options) {
	o.Out = "segscan-out"
	t.value("out", "o", "DIR", text(&o.Out), "folder of the results (default segscan-out)")
}

const defaultKernel = "multiotsu"

// parseMain reads the arguments of the main job. Errors are *usageError.
func parseMain(args []string) (*options, error) {
	o := &options{}
	t := mainFlags(o)
	if err := t.oneDash(args); err != nil {
		return nil, err
	}
	if err := t.set.Parse(args); err != nil {
		return nil, t.explain(err)
	}
	if o.help || o.longHelp || o.version {
		return o, nil
	}
	o.Inputs = t.set.Args()
	o.set = t.set
	o.takeNaN()
	if o.Kernel == nil {
		if err := t.set.Set("kernel", defaultKernel); err != nil {
			return nil, t.explain(err)
		}
	}
	return o, o.check()
}

// check finds flags that contradict each other.
func (o *options) check() error {
	switch {
	case len(o.Inputs) == 0:
		return &usageError{"no input given", "name a PNG, TIFF or JPEG file, a folder, a glob or - for stdin; segscan -h shows examples"}
	case o.JSON && o.Table == "-":
		return &usageError{"--json and --table - both write to stdout", "give --table a file name, or leave one of them out"}
	case o.quiet && o.verbose:
		return &usageError{"-q and -v contradict each other", "leave one of them out"}
	case o.Overwrite && o.SkipExisting:
		return &usageError{"--overwrite and --skip-existing contradict each other", "leave one of them out"}
	}
	return o.checkRefine()
}

// explain turns what pflag or a value says into a message that names flag, value and what is allowed.
func (t *flagTable) explain(err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		return t.unknownFlag(unknown)
	case errors.As(err, &missing):
		f := missing.GetFlag()
		return &usageError{fmt.Sprintf("--%s needs a value", f.Name), t.usageOf(f.Name)}
	case errors.As(err, &invalid):
		return t.invalidValue(invalid)
	case errors.As(err, &syntax):
		return &usageError{fmt.Sprintf("%q is no flag", syntax.GetSpecifiedFlag()), "write -- before inputs whose name begins with a dash"}
	}
	return &usageError{err.Error(), ""}
}

func (t *flagTable) invalidValue(e *pflag.InvalidValueError) error {
	f := e.GetFlag()
	name := "--" + f.Name
	if f.Name == "kernel" {
		name = "-k"
	}
	if f.Value.Type() == "bool" {
		return &usageError{fmt.Sprintf("%s takes no value, not %q", name, e.GetValue()), ""}
	}
	msg := fmt.Sprintf("%s %q: %s", name, shortened(e.GetValue(), mostEchoed), shortened(fmt.Sprint(e.Unwrap()), 4*mostEchoed))
	var own *usageError
	var kernel *kernels.UsageError
	switch {
	case errors.As(e, &own):
		return &usageError{msg, own.hint}
	case errors.As(e, &kernel):
		return &usageError{msg, kernel.Hint}
	}
	return &usageError{msg, ""}
}

// mostEchoed is how much of a value is repeated in a message.
const mostEchoed = 100

// shortened is s, or its beginning if it is longer than most bytes.
func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// usageOf is the line of a flag in the help, as a hint.
func (t *flagTable) usageOf(name string) string {
	for _, g := range t.groups {
		for _, f := range g.flags {
			if f.name == name {
				return strings.TrimSpace("--" + f.name + " " + f.arg + ": " + f.text)
			}
		}
	}
	return ""
}
