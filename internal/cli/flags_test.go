package cli

import (
	"errors"
	"image"
	"reflect"
	"strings"
	"testing"

	"segscan/internal/batch"
	"segscan/internal/raster"
	"segscan/segment"
	"segscan/viz"
)

func TestDefaults(t *testing.T) {
	o, err := parseMain([]string{"a.png"})
	if err != nil {
		t.Fatal(err)
	}
	if o.Out != "segscan-out" || o.Overlay != "png" || o.Records != "csv" || o.Table != "" || o.Jobs != 0 || o.device != "auto" {
		t.Errorf("output and run defaults: %+v", o)
	}
	if o.Refine != segment.NoRefine || o.Raster.MaxPixels != raster.DefaultMaxPixels || o.ROI != nil || o.Pages != nil {
		t.Errorf("filters and input defaults: %+v", o)
	}
	if o.KernelOptions.NaN != segment.Boundary || o.KernelOptions.Invert || o.NaNError || o.AllSpans || o.Edges != segment.EdgesDrop || o.Axis != segment.Rows {
		t.Errorf("meaning defaults: %+v", o)
	}
	if got := o.Kernel.String(); got != defaultKernel {
		t.Errorf("kernel %q, want %q", got, defaultKernel)
	}
}

func TestEveryFlagArrives(t *testing.T) {
	o, err := parseMain(strings.Fields("in1 -r --include *.png --include **/b* --exclude c* --page -1 --roi 1,2,3,4 --channel hue --alpha ignore" +
		" --auto-orient --raw-bits --strict --max-ratio 2k --png-level 9 --tiff-compression zstd --max-pixels 5M -k otsu --invert --nan other --axis cols --edges keep --spans all --merge-gap 0 --min-length 2" +
		" --max-length 1k --min-activations 3 -o results --overwrite --overlay tiff --records json --table t.csv --pixel-size 2um" +
		" --style side --palette tol --legend --stretch -5,1e3 --max-size 2k --plot profile=3,1 --plot histogram=log --plot histogram --plot profile=3 --plot-format svg --device cpu --compaction multi-pass -j 3 --fail-fast --dry-run -v in2 -- -in3"))
	if err != nil {
		t.Fatal(err)
	}
	roi := image.Rect(1, 2, 4, 6)
	want := batch.Config{
		Inputs: []string{"in1", "in2", "-in3"}, Out: "results", Recursive: true, Include: []string{"*.png", "**/b*"}, Exclude: []string{"c*"},
		Overwrite: true, Kernel: o.Kernel, Axis: segment.Cols, Edges: segment.EdgesKeep, Compaction: segment.MultiPass, AllSpans: true,
		Refine: segment.Refine{MergeGap: 0, MinLength: 2, MaxLength: 1000, MinActivations: 3},
		Raster: raster.Options{Channel: "hue", Alpha: raster.AlphaIgnore, AutoOrient: true, MaxPixels: 5_000_000,
			MaxRatio: 2000, RawBits: true, Strict: true},
		PNGLevel: 9, TIFFCompression: raster.TIFFZstd,
		ROI: &roi, Pages: batch.PageList{{From: -1, To: -1}}, Overlay: "tiff",
		Plots:      []batch.Plot{{Kind: batch.PlotProfile, Line: 3}, {Kind: batch.PlotProfile, Line: 1}, {Kind: batch.PlotHistogram}},
		PlotFormat: "svg",
		Style:      viz.Side, Palette: "tol", Legend: true, MaxSize: 2000,
		Stretch: viz.StretchRule{Kind: viz.StretchFixed, Fix: viz.Stretch{Lo: -5, Hi: 1000}}, Records: "json", Table: "t.csv",
		PixelSize: batch.PixelSize{Size: 2, Unit: "um"}, Jobs: 3, FailFast: true,
	}
	want.KernelOptions.Invert = true
	if !reflect.DeepEqual(o.Config, want) {
		t.Errorf("got  %+v\nwant %+v", o.Config, want)
	}
	if o.Kernel.String() != "otsu" || o.device != "cpu" || !o.dryRun || !o.verbose || o.quiet {
		t.Errorf("kernel %v device %q dry-run %v verbose %v quiet %v", o.Kernel, o.device, o.dryRun, o.verbose, o.quiet)
	}
	if o, err := parseMain([]string{"--nan", "error", "--json", "--skip-existing", "-q", "x"}); err != nil || !o.NaNError || !o.JSON || !o.SkipExisting || !o.quiet {
		t.Errorf("got %+v, %v", o, err)
	}
}

// TestMistakes: each message names the flag, the value and what is allowed, the hint the remedy.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ args, msg, hint string }{
		{"", "no input given", "segscan -h"},
		{"--axis colls x", `--axis "colls": not one of rows, cols`, "did you mean cols?"},
		{"--overlya none x", "unknown flag --overlya", "did you mean --overlay?"},
		{"--pages 1 x", "unknown flag --pages", "did you mean --page?"},
		{"--threads 4 x", "unknown flag --threads", "did you mean --jobs?"},
		{"--frobnicate x", "unknown flag --frobnicate", "segscan --help"},
		{"-x a", "unknown flag -x", "--help"},
		{"-qx a", "unknown flag -x", "--help"},
		{"-jobs 4 a", "unknown flag -jobs", "did you mean --jobs?"},
		{"-overlay=none a", "unknown flag -overlay", "did you mean --overlay?"},
		{"x -o", "--out needs a value", "--out DIR"},
		{"--invert=3 x", `--invert takes no value, not "3"`, ""},
		{"--merge-gap -1 x", `--merge-gap "-1": allowed: a whole number, not below 0`, ""},
		{"--min-length 1.5 x", `--min-length "1.5": allowed: a whole number, without a fraction`, ""},
		{"--min-length 1.0005k x", `--min-length "1.0005k": allowed: a whole number, without a fraction`, ""},
		{"--min-length -2k x", `--min-length "-2k": allowed: a whole number, not below 0`, ""},
		{"--min-length +3 x", `--min-length "+3": allowed: a whole number, with k, M or G`, ""},
		{"--max-length 0 x", `--max-length "0": allowed: 1 or more`, ""},
		{"--max-pixels lots x", `--max-pixels "lots": allowed: a whole number, with k, M or G`, ""},
		{"--jobs 1M x", `--jobs "1M": allowed: up to 65536`, ""},
		{"--roi 1,2,3 x", `--roi "1,2,3": allowed: X,Y,W,H`, ""},
		{"--page 3-1 x", `--page "3-1": "3-1" ends before it begins`, ""},
		{"--channel red x", `--channel "red": allowed: luma, r, g, b, a, hue, sat, val, or a channel number`, ""},
		{"--device gpu x", `--device "gpu": allowed: auto, cpu, cuda`, ""},
		{"--pixel-size 3 x", `--pixel-size "3": the unit is missing`, ""},
		{"--style tnit x", `--style "tnit": not one of tint, outline, ticks, mask, classes, side`, "did you mean tint?"},
		{"--palette okobe x", `--palette "okobe": not one of okabe, tol, viridis, gray`, "did you mean okabe?"},
		{"--stretch 5 x", `--stretch "5": allowed: LO,HI`, ""},
		{"--stretch 7,7 x", `--stretch "7,7": LO must be less than HI`, ""},
		{"--stretch nan,7 x", `--stretch "nan,7": allowed: LO,HI`, ""},
		{"--stretch 50% x", `--stretch "50%": allowed: 0% to less than 50%`, ""},
		{"--max-size 0 x", `--max-size "0": allowed: 1 or more`, ""},
		{"--plot profiel=3 x", `--plot "profiel=3": allowed: profile=ROW[,ROW], histogram, lengths, lines`, "did you mean profile?"},
		{"--plot profile x", `--plot "profile": profile needs the lines to show`, "profile=0"},
		{"--plot profile=1,-2 x", `--plot "profile=1,-2": "-2" is no line`, ""},
		{"--plot histogram=cubic x", `--plot "histogram=cubic": allowed: histogram, histogram=linear or histogram=log`, ""},
		{"--plot lines=4 x", `--plot "lines=4": lines takes no value`, ""},
		{"--plot-format pdf x", `--plot-format "pdf": not one of png, svg`, ""},
		{"--json --table - x", "--json and --table - both write to stdout", "leave one of them out"},
		{"-q -v x", "-q and -v contradict each other", ""},
		{"--overwrite --skip-existing x", "--overwrite and --skip-existing contradict each other", ""},
		{"--min-length 5 --max-length 4 x", "--min-length 5 is more than --max-length 4", ""},
		{"-k nosuchkernel x", `-k "nosuchkernel":`, ""},
		{"-k multiotus x", `-k "multiotus":`, "multiotsu"},
		{"--table= x", `--table "": it is empty`, ""},
	} {
		_, err := parseMain(strings.Fields(c.args))
		var usage *usageError
		if !errors.As(err, &usage) {
			t.Errorf("%q: got %v, want a usage error", c.args, err)
			continue
		}
		if !strings.Contains(usage.msg, c.msg) || !strings.Contains(usage.hint, c.hint) {
			t.Errorf("%q:\n got %q, hint %q\nwant %q, hint %q", c.args, usage.msg, usage.hint, c.msg, c.hint)
		}
	}
}

// TestReservedNames: names of later versions are refused by name, and do not stand in the help.
func TestReservedNames(t *testing.T) {
	help := longHelp()
	for name := range reservedFlags {
		_, err := parseMain([]string{"--" + name, "x"})
		if err == nil || !strings.Contains(err.Error(), "--"+name+" is reserved for a later version") {
			t.Errorf("--%s: got %v", name, err)
		}
		if strings.Contains(help, "--"+name+" ") {
			t.Errorf("--%s stands in the help", name)
		}
	}
	for word := range reservedWords {
		var out, errs strings.Builder
		if code := Run([]string{word}, strings.NewReader(""), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "reserved for a later version") {
			t.Errorf("%s: exit %d, %q", word, code, errs.String())
		}
	}
}

func TestHelpFitsATerminal(t *testing.T) {
	for _, text := range []string{longHelp(), shortHelp(), thresholdsHelp, thresholdsFlags(&thresholdsOptions{}).text()} {
		for _, l := range strings.Split(text, "\n") {
			if len([]rune(l)) > textWidth {
				t.Errorf("%d columns: %q", len([]rune(l)), l)
			}
		}
	}
	for _, name := range mainFlags(&options{}).names() {
		if !strings.Contains(longHelp(), "--"+name) {
			t.Errorf("--%s is not in the help", name)
		}
	}
}
