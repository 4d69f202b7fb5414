package batch

import (
	"context"
	"testing"
)

func TestResultsAreNoInputs(t *testing.T) {
	for name, want := range map[string]bool{
		"a.png.overlay.png": true, "a.tif.p0007.overlay.tiff": true, "scan.overlay.png": true, "A.PNG.OVERLAY.PNG": true,
		"a.png.histogram.png": true, "a.tif.p0000.profile-12.png": true, "stdin.lengths.png": true, "a.jpeg.try.png": true,
		"a.png": false, "overlay.png": false, ".overlay.png": false, "a.lines.png": false, "my.try.png": false,
		"a.png.profile.png": false, "a.overlay.png.jpg": false, "a.overlay.jpg": false,
	} {
		if got := resultName(name); got != want {
			t.Errorf("%s: a result %v, want %v", name, got, want)
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"in/a.png", "in/old/a.png.overlay.png", "in/old/a.png.lines.png"} {
		put(t, dir, name, encode(t, gray("121")))
	}
	count := func(files, results int, inputs ...string) {
		t.Helper()
		p, err := planOf(t, dir, func(c *Config) { c.Recursive = true }, inputs...)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Files) != files || p.Results != results {
			t.Errorf("%v: %d files, %d results; want %d, %d", inputs, len(p.Files), p.Results, files, results)
		}
	}
	count(1, 2, "in")
	count(1, 2, "in/**/*.png")
	count(1, 0, "in/**/*.overlay.png") // asked for by their kind
	count(1, 0, "in/old/a.png.overlay.png")

	t.Chdir(dir)
	p, err := Find(context.Background(), &Config{Inputs: []string{"in"}, Recursive: true})
	if err != nil || len(p.Files) != 3 {
		t.Errorf("to look at: %d files, %v", len(p.Files), err)
	}
}
