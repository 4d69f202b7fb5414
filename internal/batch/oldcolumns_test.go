package batch

import (
	"path/filepath"
	"slices"
	"testing"

	"segscan/segment"
)

// Under --skip-existing results of another kernel, axis or pixel size are never replaced, whatever else is missing.
func TestSkipExistingReplacesNoOtherResults(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "a.png", encode(t, gray("1213331")))
	out := filepath.Join(dir, "out")
	with := func(change ...func(*Config)) *Config {
		c := config(t, in)
		c.Out, c.Overlay, c.SkipExisting = out, "none", true
		for _, f := range change {
			f(c)
		}
		return c
	}
	refused := func(c *Config, says ...string) {
		t.Helper()
		before := read(t, out, "a.png.segments.csv") + read(t, out, "summary.csv")
		usage(t, dir, func(to *Config) { *to = *c }, c.Inputs, says...)
		wantText(t, "results", read(t, out, "a.png.segments.csv")+read(t, out, "summary.csv"), before)
	}
	other := func(c *Config) { c.Kernel = kernel(t, "hysteresis:lo=10,hi=201") }
	subsample := func(c *Config) { c.Subsample = true }
	picture := func(c *Config) { c.Overlay = "png" }
	cols := func(c *Config) { c.Axis = segment.Cols }
	nothing := func(c *Config) { c.Records = "none" }
	unasked := func(c *Config) { c.SkipExisting = false }
	um := func(size float64) func(*Config) {
		return func(c *Config) { c.PixelSize = PixelSize{Size: size, Unit: "um"} }
	}
	succeed(t, with())
	const before = "a.png was segmented before with the kernel hysteresis:lo=10,hi=200, and "
	for _, also := range []func(*Config){subsample, picture, nothing, um(2)} {
		refused(with(other, also), before+"hysteresis:lo=10,hi=201 is asked for now")
		refused(with(cols, also), before+"hysteresis:lo=10,hi=200 --axis cols is asked for now")
	}
	refused(with(other, nothing, unasked), before, "--overwrite")

	succeed(t, with(subsample, um(0.65)))
	refused(with(subsample, um(3)), "a.png was measured before with a pixel size of 0.65um, and 3um is asked for now", "--overwrite")
	refused(with(subsample, func(c *Config) { c.PixelSize = PixelSize{Size: 0.65, Unit: "mm"} }), "0.65um, and 0.65mm")
	refused(with(picture), "doing a.png anew would take the columns start_x, end_x, start_u, length_u, width_u, unit out of its records",
		"give --subsample --pixel-size 0.65um to keep them, --overwrite to drop them, or another -o")
	refused(with(subsample, func(c *Config) { c.PixelSize.Rule = PixelNone }), "start_u, length_u, width_u, unit out", "give --pixel-size 0.65um")
	if sum := succeed(t, with(subsample, um(0.65))); sum.Skipped != 1 || sum.Plan.Lacking != 0 {
		t.Errorf("the same size: %d skipped, %d lacking", sum.Skipped, sum.Plan.Lacking)
	}
	sum := succeed(t, with(subsample, um(0.65), func(c *Config) { c.AllSpans = true }))
	if sum.Plan.Lacking != 1 || !slices.Equal(sum.Plan.LackingColumns, []string{"activated"}) {
		t.Errorf("made anew for %v in %d files", sum.Plan.LackingColumns, sum.Plan.Lacking)
	}

	// The fields of JSON are looked at as columns are; auto gives it none where nothing is stated.
	csv := out
	out = filepath.Join(dir, "json")
	asJSON := func(c *Config) { c.Records = "json" }
	refusedJSON := func(c *Config, says ...string) {
		t.Helper()
		before := read(t, out, "a.png.segments.json")
		usage(t, dir, func(to *Config) { *to = *c }, c.Inputs, says...)
		wantText(t, "JSON", read(t, out, "a.png.segments.json"), before)
	}
	succeed(t, with(asJSON))
	auto := func(c *Config) { c.PixelSize.Rule = PixelColumns }
	for _, f := range []func(*Config){asJSON, auto} {
		if sum := succeed(t, with(asJSON, f)); sum.Skipped != 1 {
			t.Errorf("JSON again: %d done", sum.Done)
		}
	}
	if sum := succeed(t, with(asJSON, subsample, um(0.65))); sum.Plan.Lacking != 1 {
		t.Errorf("JSON without fields asked for: %d done, %v", sum.Done, sum.Plan.LackingColumns)
	}
	refusedJSON(with(asJSON, subsample, um(3)), "with a pixel size of 0.65um, and 3um")
	refusedJSON(with(asJSON, picture), "the columns start_x, end_x, start_u, length_u, width_u, unit out", "give --subsample --pixel-size 0.65um")
	refusedJSON(with(asJSON, func(c *Config) { c.PixelSize.Rule = PixelNone }), "unit out of its records")
	if sum := succeed(t, with(asJSON, subsample, um(0.65))); sum.Skipped != 1 {
		t.Errorf("JSON with all that is asked for: %d done", sum.Done)
	}
	if sum := succeed(t, with(asJSON)); sum.Skipped != 1 {
		t.Errorf("JSON with more than is asked for: %d done", sum.Done)
	}
	out = csv

	// auto leaves the columns empty where nothing is stated: a size fills them, and takes nothing away.
	out = filepath.Join(dir, "auto")
	succeed(t, with(func(c *Config) { c.PixelSize.Rule = PixelColumns }))
	if sum := succeed(t, with(um(2))); sum.Done != 1 || sum.Plan.Lacking != 1 {
		t.Errorf("empty columns: %d done, %d lacking", sum.Done, sum.Plan.Lacking)
	}
	refused(with(um(3)), "with a pixel size of 2um, and 3um")
}
