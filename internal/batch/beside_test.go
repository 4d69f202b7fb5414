package batch

import (
	"path/filepath"
	"strings"
	"testing"
)

// Results of an earlier run that this one leaves beside its own are named, once for all files, where they tell of other
// thresholds or of results that were replaced; what no run of this program made is not, and nothing is removed.
func TestLeftBeside(t *testing.T) {
	dir := t.TempDir()
	a, b := put(t, dir, "in/a.png", encode(t, gray("1213"))), put(t, dir, "in/b.png", encode(t, gray("1213")))
	out := filepath.Join(dir, "out")
	warnings := func(change func(*Config), inputs ...string) string {
		c := config(t, inputs...)
		c.Out = out
		change(c)
		sum, l := run(t, c)
		if len(sum.Failed) > 0 {
			t.Fatal(sum.Failed)
		}
		var found []string
		for _, line := range l.lines {
			if strings.Contains(line, "earlier run") {
				found = append(found, line)
			}
		}
		return strings.Join(found, "\n")
	}
	put(t, out, "b.png.overlay.png.txt", nil)
	put(t, out, "bb.png.overlay.png", nil)
	expect := func(what, got string, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if !strings.Contains(got, p) {
				t.Errorf("%s: %q, which lacks %q", what, got, p)
			}
		}
		if len(parts) == 0 && got != "" || strings.Count(got, "\n") > 0 {
			t.Errorf("%s: %q", what, got)
		}
	}
	expect("the first run", warnings(func(*Config) {}, a, b))
	expect("the same kinds anew", warnings(func(c *Config) { c.Overwrite = true }, a, b))
	put(t, out, "b.png.lines.png", []byte("as of a run with --plot lines"))
	expect("another kind, with the same kernel", warnings(func(c *Config) { c.Records, c.Overlay = "json", "none" }, a))
	other := func(c *Config) { c.Kernel = kernel(t, "hysteresis:lo=10,hi=201") }
	expect("replaced without pictures", warnings(func(c *Config) { other(c); c.Overwrite, c.Overlay = true, "none" }, b),
		"results of an earlier run stay beside those of this one: "+filepath.ToSlash(out)+"/b.png.lines.png and 1 more", "--overlay")
	expect("of two files", warnings(func(c *Config) { c.Overwrite, c.Overlay, c.Records = true, "none", "json" }, a, b),
		filepath.ToSlash(out)+"/a.png.overlay.png and 4 more") // with a's CSV, and b's CSV, picture and plot
	for _, name := range []string{"a.png.overlay.png", "a.png.segments.csv", "b.png.overlay.png", "b.png.segments.csv", "b.png.lines.png", "bb.png.overlay.png"} {
		read(t, out, name)
	}
	tiff := func(c *Config) { other(c); c.Out, c.Records, c.Overlay = out, "none", "tiff" }
	usage(t, dir, tiff, []string{b}, "b.png was segmented before", "lo=10,hi=201 is asked for now", "--overwrite")
	expect("another kind, with another kernel", warnings(func(c *Config) { tiff(c); c.Overwrite = true }, b),
		"b.png.lines.png and 3 more")
	expect("made anew by --skip-existing", warnings(func(c *Config) { c.SkipExisting, c.Overlay = true, "tiff" }, a),
		"a.png.overlay.png and 1 more") // with the records in JSON
}

// Pages that are not done this time keep their pictures; those that the file has no more are removed as ever.
func TestLeftBesideOfPages(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "s.tif", nil))
	cfg.Open = fakePages(bytesPage("121"), bytesPage("121"), bytesPage("1221")).open
	succeed(t, cfg)
	cfg.Overwrite, cfg.Pages = true, PageList{{0, 1}}
	_, l := run(t, cfg)
	if got := strings.Join(l.lines, "\n"); !strings.Contains(got, "s.tif.p0002.overlay.png") || strings.Contains(got, "more") {
		t.Errorf("one page left out: %q", got)
	}
	cfg.Open, cfg.Pages = fakePages(bytesPage("121"), bytesPage("121")).open, nil
	_, l = run(t, cfg)
	if got := strings.Join(l.lines, "\n"); strings.Contains(got, "earlier run") {
		t.Errorf("one page less: %q", got)
	}
}
