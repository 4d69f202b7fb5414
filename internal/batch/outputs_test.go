package batch

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// usage plans and wants a usage error that says all of these.
func usage(t *testing.T, dir string, change func(*Config), inputs []string, says ...string) {
	t.Helper()
	_, err := planOf(t, dir, change, inputs...)
	var u *UsageError
	if !errors.As(err, &u) {
		t.Errorf("inputs %v: got %v, want a usage error", inputs, err)
		return
	}
	for _, s := range says {
		if !strings.Contains(u.Msg+"\n"+u.Hint, s) {
			t.Errorf("%q with hint %q does not say %q", u.Msg, u.Hint, s)
		}
	}
}

func TestOutputsThatWouldMeet(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"p/a.tif", "p/a.tif.p0001", "f/a.png", "f/a.png.overlay.png/b.png", "n/a.tif", "n/a.tif.p0003.overlay.png/b.png",
		"s/summary.csv/a.png", "t/a.png",
	} {
		put(t, dir, name, nil)
	}
	recursive := func(c *Config) { c.Recursive = true }
	usage(t, dir, nil, []string{"p/a.tif", "p/a.tif.p0001"}, "a.tif.p0001", "would meet")
	usage(t, dir, recursive, []string{"f"}, "f", "a.png.overlay.png/b.png", "would meet")
	usage(t, dir, recursive, []string{"n"}, "would meet")
	usage(t, dir, recursive, []string{"s"}, "summary.csv")
	table := func(name string) func(*Config) {
		return func(c *Config) { c.Out, c.Table = "out", name }
	}
	usage(t, dir, table("out/a.png.segments.csv"), []string{"t"}, "output of a.png too")
	usage(t, dir, table("t/../out/a.png.p0012.overlay.png"), []string{"t"}, "output of a.png too")
	usage(t, dir, table("out/summary.csv"), []string{"t"}, "the summary too")
	for _, ok := range []string{"out/all.csv", "all.csv", "out/b.png.segments.csv"} {
		if _, err := planOf(t, dir, table(ok), "t"); err != nil {
			t.Errorf("table %s: %v", ok, err)
		}
	}
	// Without pictures nothing meets there.
	if _, err := planOf(t, dir, func(c *Config) { c.Recursive, c.Overlay = true, "none" }, "f"); err != nil {
		t.Error(err)
	}
}

func TestNeverIntoAnInput(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"in/a.png", "in/a.png.overlay.png", "one/a.png", "table.csv"} {
		put(t, dir, name, []byte("kept"))
	}
	into := func(out string) func(*Config) {
		return func(c *Config) { c.Out, c.Overwrite = out, true }
	}
	usage(t, dir, into("in"), []string{"in"}, "a.png.overlay.png is the input", "-o")
	if err := os.Symlink("in", filepath.Join(dir, "link")); err == nil {
		usage(t, dir, into("link"), []string{"in"}, "is the input")
		os.Symlink("../in/a.png.overlay.png", filepath.Join(dir, "one", "b.png"))
		usage(t, dir, into("in"), []string{"one/b.png", "in/a.png"}, "is the input one/b.png")
	}
	usage(t, dir, func(c *Config) { c.Table, c.Overwrite = "one/a.png", true }, []string{"one/a.png"}, "is the input")
}

// Rels that differ in case are two files where the file system says so.
func TestCase(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "x/A.png", nil)
	put(t, dir, "y/a.png", nil)
	_, err := planOf(t, dir, nil, "x", "y")
	if same := foldsCase(dir); same != (err != nil) {
		t.Errorf("the folder ignores case: %v, but planning gives %v", same, err)
	}
	put(t, dir, "probe", nil)
	_, err = os.Stat(filepath.Join(dir, "PROBE"))
	if got := foldsCase(filepath.Join(dir, "no", "such")); got != (err == nil) {
		t.Errorf("folder said to ignore case: %v, but stat of the other case gives %v", got, err)
	}
}

func TestExisting(t *testing.T) {
	dir := t.TempDir()
	a := put(t, dir, "in/a.png", encode(t, gray("121")))
	put(t, dir, "in/b.png", encode(t, gray("12121")))
	first := config(t, a)
	first.Out = filepath.Join(dir, "out")
	succeed(t, first)
	before := read(t, first.Out, "a.png.segments.csv")
	again := func(change func(*Config)) *Config {
		c := config(t, filepath.Join(dir, "in"))
		c.Out = first.Out
		change(c)
		return c
	}
	usage(t, dir, func(c *Config) { c.Out = first.Out }, []string{"in"},
		"a.png.segments.csv exists, and 1 more", "--overwrite", "--skip-existing", "-o")

	// Results of two kernels are not mixed.
	usage(t, dir, func(c *Config) {
		c.Out, c.SkipExisting, c.Kernel = first.Out, true, kernel(t, "hysteresis:lo=10,hi=201")
	}, []string{"in"}, "a.png was segmented before with the kernel hysteresis:lo=10,hi=200", "hi=201", "--overwrite")

	// Left alone: records, picture and the summary's row. New: b.
	cfg := again(func(c *Config) { c.SkipExisting, c.Table = true, filepath.Join(dir, "out", "all.csv") })
	sum := succeed(t, cfg)
	if sum.Skipped != 1 || sum.Done != 1 || sum.Plan.Existing != 1 {
		t.Errorf("skipped %d (planned %d), done %d", sum.Skipped, sum.Plan.Existing, sum.Done)
	}
	wantText(t, "records left alone", read(t, cfg.Out, "a.png.segments.csv"), before)
	summary := read(t, cfg.Out, "summary.csv")
	if !strings.Contains(summary, "\na.png,0,3,1,u8,\"hysteresis:lo=10,hi=200\"") ||
		!strings.Contains(summary, "\nb.png,0,5,1,u8,\"hysteresis:lo=10,hi=200\"") {
		t.Errorf("summary lacks the old row or the new one:\n%s", summary)
	}
	wantText(t, "table", read(t, cfg.Out, "all.csv"), plainHeader+"a.png,0,0,0,2,3,1,250,250,250,\n"+
		"b.png,0,0,0,2,3,1,250,250,250,\nb.png,0,0,2,4,3,1,250,250,250,\n")

	// All there: nothing is touched.
	sum = succeed(t, again(func(c *Config) { c.SkipExisting = true }))
	if sum.Skipped != 2 || sum.Done != 0 || len(sum.Outputs) != 0 {
		t.Errorf("skipped %d, done %d, wrote %v", sum.Skipped, sum.Done, sum.Outputs)
	}
	wantText(t, "summary left alone", read(t, cfg.Out, "summary.csv"), summary)

	// Another input: the rows of the others stay, in order.
	other := again(func(c *Config) {
		c.SkipExisting = true
		c.Inputs = []string{put(t, dir, "else/aa.png", encode(t, gray("1"))), filepath.Join(dir, "in", "b.png")}
	})
	succeed(t, other)
	var files []string
	for _, line := range strings.Split(strings.TrimSpace(read(t, cfg.Out, "summary.csv")), "\n")[1:] {
		files = append(files, strings.SplitN(line, ",", 2)[0])
	}
	wantList(t, "files of the summary", files, []string{"a.png", "aa.png", "b.png"})
	for _, name := range []string{"aa.png.overlay.png", "aa.png.segments.csv"} {
		os.Remove(filepath.Join(cfg.Out, name))
	}

	// One output is missing: the file is done anew as a whole, so that its outputs belong together.
	if err := os.Remove(filepath.Join(cfg.Out, "a.png.overlay.png")); err != nil {
		t.Fatal(err)
	}
	put(t, cfg.Out, "a.png.segments.csv", []byte("of other samples"))
	if sum := succeed(t, again(func(c *Config) { c.SkipExisting = true })); sum.Done != 1 || sum.Skipped != 1 {
		t.Errorf("done %d, skipped %d", sum.Done, sum.Skipped)
	}
	wantText(t, "records done anew", read(t, cfg.Out, "a.png.segments.csv"), before)
	if _, err := os.Stat(filepath.Join(cfg.Out, "a.png.overlay.png")); err != nil {
		t.Error(err)
	}

	// A summary of something else is no more replaced than other files.
	kept := read(t, cfg.Out, "summary.csv")
	put(t, cfg.Out, "summary.csv", []byte("my,notes\n"))
	for _, skip := range []bool{true, false} {
		usage(t, dir, func(c *Config) { c.Out, c.SkipExisting = cfg.Out, skip }, []string{"else/aa.png"},
			"summary.csv exists", "other columns", "--overwrite")
	}
	put(t, cfg.Out, "summary.csv", []byte(kept))

	succeed(t, again(func(c *Config) { c.Overwrite = true }))
	wantText(t, "replaced records", read(t, cfg.Out, "a.png.segments.csv"), before)
	wantList(t, "files", tree(t, cfg.Out), []string{"a.png.overlay.png", "a.png.segments.csv", "all.csv",
		"b.png.overlay.png", "b.png.segments.csv", "summary.csv"})
}

// The pictures of a file of several pages are numbered, and found again.
func TestSeveralPages(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "s.tif", nil))
	cfg.Open = fakePages(bytesPage("121"), bytesPage("000"), bytesPage("1221")).open
	sum := succeed(t, cfg)
	names := []string{"s.tif.p0000.overlay.png", "s.tif.p0001.overlay.png", "s.tif.p0002.overlay.png",
		"s.tif.segments.csv", "summary.csv"}
	wantList(t, "files", tree(t, cfg.Out), names)
	wantText(t, "records", read(t, cfg.Out, "s.tif.segments.csv"),
		plainHeader+"s.tif,0,0,0,2,3,1,250,250,250,\ns.tif,2,0,0,3,4,2,250,250,250,\n")
	if sum.Pages != 3 || len(sum.Rows) != 3 || sum.Rows[2].Page != 2 {
		t.Errorf("%d pages, rows %v", sum.Pages, sum.Rows)
	}
	os.Remove(filepath.Join(cfg.Out, "s.tif.segments.csv"))
	summary := read(t, cfg.Out, "summary.csv")
	os.Remove(filepath.Join(cfg.Out, "summary.csv"))
	usage(t, ".", func(c *Config) { c.Out = cfg.Out }, cfg.Inputs, "s.tif.p0000.overlay.png exists, and 2 more")

	// Pages asked for: what exists is known once the file is open.
	put(t, cfg.Out, "summary.csv", []byte(summary))
	cfg.SkipExisting, cfg.Records, cfg.Pages = true, "none", PageList{{1, 2}}
	if sum := succeed(t, cfg); sum.Skipped != 1 || sum.Done != 0 {
		t.Errorf("skipped %d, done %d", sum.Skipped, sum.Done)
	}
	os.Remove(filepath.Join(cfg.Out, names[2])) // then all of the file is done, page 0 too, which was done before
	if sum := succeed(t, cfg); sum.Skipped != 0 || sum.Done != 1 || sum.Pages != 3 {
		t.Errorf("skipped %d, done %d, wrote %v", sum.Skipped, sum.Done, sum.Outputs)
	}
}

// Pictures of pages that a file has lost go with the records that told of them; those of pages not asked for stay.
func TestPicturesOfLostPages(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "s.tif", nil))
	four := []string{"121", "121", "121", "121"}
	open := func(n int) {
		f := fakePages()
		for _, l := range four[:n] {
			f.pages = append(f.pages, bytesPage(l))
		}
		cfg.Open = f.open
	}
	open(4)
	succeed(t, cfg)
	put(t, cfg.Out, "s.tif.p0003.notes.png", nil)
	cfg.Overwrite, cfg.Pages = true, PageList{{0, 0}}
	open(3)
	succeed(t, cfg)
	wantList(t, "three pages", tree(t, cfg.Out), []string{"s.tif.p0000.overlay.png", "s.tif.p0001.overlay.png",
		"s.tif.p0002.overlay.png", "s.tif.p0003.notes.png", "s.tif.segments.csv", "summary.csv"})
	open(1)
	succeed(t, cfg)
	wantList(t, "one page", tree(t, cfg.Out), []string{"s.tif.overlay.png", "s.tif.p0003.notes.png", "s.tif.segments.csv", "summary.csv"})
	open(2)
	succeed(t, cfg)
	wantList(t, "two pages", tree(t, cfg.Out), []string{"s.tif.p0000.overlay.png", "s.tif.p0003.notes.png", "s.tif.segments.csv", "summary.csv"})
}

func TestRegionMustLieInside(t *testing.T) {
	for _, r := range []image.Rectangle{image.Rect(0, 0, 4, 1), image.Rect(5, 5, 6, 6), image.Rect(1, 0, 1, 1), image.Rect(-1, 0, 2, 1)} {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("121"))))
		cfg.ROI = &r
		sum, _ := run(t, cfg)
		if len(sum.Failed) != 1 || !strings.Contains(sum.Failed[0].Error(), "page of 3 x 1 pixels") {
			t.Errorf("region %v: %v", r, sum.Failed)
		}
		if _, err := os.Stat(cfg.Out); err == nil {
			t.Errorf("region %v: an output folder was made for nothing", r)
		}
	}
}

// Results in the current folder are found as those of any other are.
func TestExistingInTheCurrentFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	in := put(t, dir, "in/a.png", encode(t, gray("121")))
	for _, out := range []string{".", "./"} {
		cfg := config(t, in)
		cfg.Out, cfg.Overwrite = out, true
		succeed(t, cfg)
		cfg.Overwrite = false
		usage(t, dir, func(c *Config) { c.Out = out }, []string{in}, "a.png.segments.csv exists, and 1 more")
		cfg.SkipExisting = true
		if sum := succeed(t, cfg); sum.Skipped != 1 || sum.Done != 0 {
			t.Errorf("-o %s: %d skipped, %d done", out, sum.Skipped, sum.Done)
		}
	}
}
