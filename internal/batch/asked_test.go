package batch

import (
	"image"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"segscan/internal/raster"
	"segscan/segment"
)

// What summaries, legends and plots call a run's kernel is what a command line has behind -k.
func TestAskedAsGiven(t *testing.T) {
	for want, set := range map[string]func(*Config){
		"otsu":                     func(*Config) {},
		"otsu --invert":            func(c *Config) { c.KernelOptions.Invert = true },
		"otsu --background bg.png": func(c *Config) { c.Background = "bg.png" },
		"otsu --background 'a b.png' --dark d/0.tif": func(c *Config) { c.Background, c.Dark = "a b.png", "d/0.tif" },
		`otsu --invert --background 'it'\''s.png'`: func(c *Config) {
			c.KernelOptions.Invert, c.Background = true, "it's.png"
		},
	} {
		cfg := config(t, "a.png")
		cfg.Kernel, cfg.Legend = kernel(t, "otsu"), true
		set(cfg)
		wantText(t, "asked", cfg.asked(), want)
		wantText(t, "legend", (&pageJob{cfg: cfg}).legend().Kernel, want)
	}
}

// Results of a run by another flag that decides on samples or segments are neither taken for those asked for, whichever
// of the two runs has the flag, nor replaced.
func TestSkipExistingNoticesFlags(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "a.png", encode(t, gray("1213331")))
	refine := func(r segment.Refine) func(*Config) { return func(c *Config) { c.Refine = r } }
	for flag, set := range map[string]func(*Config){
		"--invert":            func(c *Config) { c.KernelOptions.Invert = true },
		"--axis cols":         func(c *Config) { c.Axis = segment.Cols },
		"--edges keep":        func(c *Config) { c.Edges = segment.EdgesKeep },
		"--nan other":         func(c *Config) { c.KernelOptions.NaN = segment.Other },
		"--roi 2,0,5,1":       func(c *Config) { r := image.Rect(2, 0, 7, 1); c.ROI = &r },
		"--channel 0":         func(c *Config) { c.Raster.Channel = "0" },
		"--alpha ignore":      func(c *Config) { c.Raster.Alpha = raster.AlphaIgnore },
		"--auto-orient":       func(c *Config) { c.Raster.AutoOrient = true },
		"--raw-bits":          func(c *Config) { c.Raster.RawBits = true },
		"--merge-gap 0":       refine(segment.Refine{MergeGap: 0}),
		"--min-length 2":      refine(segment.Refine{MergeGap: -1, MinLength: 2}),
		"--max-length 3":      refine(segment.Refine{MergeGap: -1, MaxLength: 3}),
		"--min-activations 1": refine(segment.Refine{MergeGap: -1, MinActivations: 1}),
	} {
		t.Run(flag, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			with := func(skip bool, set func(*Config)) *Config {
				c := config(t, in)
				c.Out, c.SkipExisting = out, skip
				set(c)
				return c
			}
			for _, first := range []bool{false, true} {
				plain, now := func(*Config) {}, set
				const kernel = "hysteresis:lo=10,hi=200"
				was, asked := kernel, kernel+" "+flag
				if first {
					plain, now, was, asked = now, plain, asked, was
				}
				succeed(t, with(false, plain))
				before := read(t, out, "a.png.segments.csv") + read(t, out, "summary.csv")
				usage(t, dir, func(to *Config) { *to = *with(true, now) }, []string{in},
					"a.png was segmented before with the kernel "+was+", and "+asked+" is asked for now", "--overwrite")
				wantText(t, "results", read(t, out, "a.png.segments.csv")+read(t, out, "summary.csv"), before)
				if sum := succeed(t, with(true, plain)); sum.Skipped != 1 {
					t.Errorf("the same flags again: %d skipped", sum.Skipped)
				}
				if err := os.RemoveAll(out); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A field added to the options of decoding or the filters of segments must be told in summaries too.
func TestAskedInFullKnowsAllFields(t *testing.T) {
	for want, of := range map[int]any{4: segment.Refine{}, 7: raster.Options{}} {
		if got := reflect.TypeOf(of).NumField(); got != want {
			t.Errorf("%T has %d fields, not %d: does askedInFull tell those that decide on samples or segments?", of, got, want)
		}
	}
}
