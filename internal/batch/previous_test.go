package batch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rows of earlier runs into the same folder stay in the summary, whatever the flags; those of a file done anew, or
// that fails now, are not doubled or lost.
func TestSummaryIsMerged(t *testing.T) {
	dir := t.TempDir()
	a, b := put(t, dir, "a.png", encode(t, gray("121"))), put(t, dir, "b.png", encode(t, gray("12121")))
	into := func(inputs ...string) *Config {
		c := config(t, inputs...)
		c.Out = filepath.Join(dir, "out")
		return c
	}
	succeed(t, into(a))
	first := read(t, dir, "out", "summary.csv")
	succeed(t, into(b)) // no flag is needed: nothing of b exists
	both := read(t, dir, "out", "summary.csv")
	if !strings.HasPrefix(both, first) || !strings.Contains(both, "\nb.png,0,5,1,") {
		t.Errorf("after a, then b:\n%s", both)
	}
	again := into(b)
	again.Overwrite = true
	succeed(t, again)
	wantText(t, "b replaced", read(t, dir, "out", "summary.csv"), both)

	put(t, dir, "b.png", []byte("no image any more"))
	failing := into(a, b)
	failing.Overwrite = true
	if sum, _ := run(t, failing); sum.Done != 1 || len(sum.Failed) != 1 {
		t.Errorf("done %d, failed %v", sum.Done, sum.Failed)
	}
	wantText(t, "b fails, its results stay", read(t, dir, "out", "summary.csv"), both)
}

// A file of which only some pages were done is not done.
func TestSomePagesAreNotAll(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "s.tif", nil))
	cfg.Open = fakePages(bytesPage("121"), bytesPage("000"), bytesPage("1221")).open
	cfg.Pages = PageList{{0, 0}}
	succeed(t, cfg)
	cfg.SkipExisting = true
	if sum := succeed(t, cfg); sum.Skipped != 1 || sum.Plan.Existing != 1 {
		t.Errorf("the same page again: %d skipped, %d done", sum.Skipped, sum.Done)
	}
	cfg.Pages = PageList{{2, 2}} // page 0 is done too, or its rows would vanish
	if sum := succeed(t, cfg); sum.Skipped != 0 || sum.Pages != 2 {
		t.Errorf("another page: %d skipped, %d pages done", sum.Skipped, sum.Pages)
	}
	cfg.Pages = nil
	if sum := succeed(t, cfg); sum.Skipped != 0 || sum.Pages != 3 {
		t.Errorf("all pages: %d skipped, %d pages done", sum.Skipped, sum.Pages)
	}
	wantText(t, "records", read(t, cfg.Out, "s.tif.segments.csv"),
		plainHeader+"s.tif,0,0,0,2,3,1,250,250,250,\ns.tif,2,0,0,3,4,2,250,250,250,\n")
	for _, overlay := range []string{"png", "none"} { // without pictures only the file tells its pages
		cfg.Overlay = overlay
		if sum := succeed(t, cfg); sum.Skipped != 1 || sum.Done != 0 {
			t.Errorf("all pages again, overlay %s: %d skipped, %d done", overlay, sum.Skipped, sum.Done)
		}
	}
	os.Remove(filepath.Join(cfg.Out, "s.tif.p0001.overlay.png"))
	cfg.Overlay = "png"
	if sum := succeed(t, cfg); sum.Done != 1 || sum.Pages != 3 {
		t.Errorf("a picture is missing: %d files, %d pages done", sum.Done, sum.Pages)
	}
	os.Remove(filepath.Join(cfg.Out, "summary.csv"))
	if sum := succeed(t, cfg); sum.Done != 1 {
		t.Errorf("no summary says what was done: %d done", sum.Done)
	}
}

func TestTableWithSkipExisting(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "in/a.png", encode(t, gray("121")))
	b := put(t, dir, "in/b.png", encode(t, gray("12121")))
	notes := put(t, dir, "notes.csv", []byte("precious,notes\n"))
	table := filepath.Join(dir, "t.csv")
	with := func(table string, inputs ...string) *Config {
		c := config(t, inputs...)
		c.Out, c.SkipExisting, c.Table = filepath.Join(dir, "out"), true, table
		return c
	}
	in := filepath.Join(dir, "in")
	succeed(t, with("", in))

	// All is done, but there is no table yet: it is made from the records.
	sum := succeed(t, with(table, in))
	want := plainHeader + "a.png,0,0,0,2,3,1,250,250,250,\nb.png,0,0,0,2,3,1,250,250,250,\nb.png,0,0,2,4,3,1,250,250,250,\n"
	if sum.Done != 0 || sum.Skipped != 2 {
		t.Errorf("%d done, %d skipped", sum.Done, sum.Skipped)
	}
	wantText(t, "table", read(t, table), want)
	succeed(t, with(table, in))
	wantText(t, "table again", read(t, table), want)

	refused := func(c *Config, says ...string) {
		t.Helper()
		usage(t, dir, func(to *Config) { *to = *c }, c.Inputs, says...)
	}
	refused(with(notes, in), "notes.csv exists and is no table of segments", "--overwrite")
	wantText(t, "notes", read(t, notes), "precious,notes\n")
	refused(with(table, b), "holds rows of a.png, which is no input of this run", "--overwrite")
	wantText(t, "table left alone", read(t, table), want)

	// Records that cannot give rows of the table are done anew.
	put(t, dir, "out/a.png.segments.csv", []byte("file,page\n"))
	if sum := succeed(t, with(table, in)); sum.Done != 1 {
		t.Errorf("%d done", sum.Done)
	}
	wantText(t, "table after new records", read(t, table), want)
}

// Two runs at once into one folder: the one that ends last keeps the rows of the other.
func TestSummaryOfTwoRunsAtOnce(t *testing.T) {
	dir := t.TempDir()
	b, c := put(t, dir, "b.png", encode(t, gray("121"))), put(t, dir, "c.png", encode(t, gray("12121")))
	long := config(t, put(t, dir, "a.png", nil), c)
	out := filepath.Join(dir, "out")
	long.Out = out
	pages := fakePages(bytesPage("121"))
	pages.onPage = func(int) {
		if _, err := os.Stat(filepath.Join(out, "summary.csv")); err == nil {
			return
		}
		short := config(t, b)
		short.Out = out
		succeed(t, short)
	}
	long.Open = pages.open
	succeed(t, long)
	var files []string
	for _, line := range strings.Split(strings.TrimSpace(read(t, out, "summary.csv")), "\n") {
		name, _, _ := strings.Cut(line, ",")
		files = append(files, name)
	}
	wantList(t, "rows", files, []string{"file", "a.png", "b.png", "c.png"})
}
