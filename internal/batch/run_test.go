package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
)

// noise is a picture of w x h samples of all classes.
func noise(w, h int, seed uint64) *image.Gray {
	r := rand.New(rand.NewPCG(seed, 1))
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = class("0123312"[r.IntN(7)])
	}
	return img
}

// Everything that is written is the same bytes whatever the number of jobs and the size of bands.
func TestSameness(t *testing.T) {
	dir := t.TempDir()
	for i := range 6 {
		put(t, dir, fmt.Sprintf("in/%d/n%d.png", i%3, i), encode(t, noise(70+i, 20, uint64(i))))
	}
	put(t, dir, "in/bad.png", []byte("nothing"))
	type outcome struct{ files, stdout, heard string }
	one := func(axis segment.Axis, jobs int, maxBytes int64) outcome {
		cfg := config(t, filepath.Join(dir, "in"))
		var out bytes.Buffer
		cfg.Recursive, cfg.Jobs, cfg.MaxBytes, cfg.Axis, cfg.AllSpans = true, jobs, maxBytes, axis, true
		cfg.JSON, cfg.Stdout, cfg.Table = true, &out, filepath.Join(cfg.Out, "all.csv")
		cfg.Kernel = kernel(t, "multiotsu")
		sum, l := run(t, cfg)
		if sum.Done != 6 || len(sum.Failed) != 1 {
			t.Errorf("jobs %d: %d done, failed %v", jobs, sum.Done, sum.Failed)
		}
		var all strings.Builder
		for _, name := range tree(t, cfg.Out) {
			fmt.Fprintf(&all, "%s %x\n", name, read(t, cfg.Out, name))
		}
		seconds := regexp.MustCompile(`"seconds":\{[^}]*\}`)
		return outcome{all.String(), seconds.ReplaceAllString(out.String(), ""), strings.Join(l.lines, "\n")}
	}
	for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
		want := one(axis, 1, 0)
		if n := strings.Count(want.files, "\n"); n != 6*2+2 {
			t.Errorf("%d files were written, want 14", n)
		}
		for _, jobs := range []int{2, 8} {
			for _, maxBytes := range []int64{1, 500} {
				if got := one(axis, jobs, maxBytes); got != want {
					t.Errorf("axis %v: %d jobs with bands of %d bytes give something else than one job", axis, jobs, maxBytes)
				}
			}
		}
	}
}

// The table holds the rows of all files in order, whatever came first, also beyond what is kept in memory.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		put(t, dir, fmt.Sprintf("in/n%d.png", i), encode(t, noise(700, 300, uint64(i))))
	}
	for _, to := range []string{"-", filepath.Join(dir, "sub", "all.csv")} {
		cfg := config(t, filepath.Join(dir, "in"))
		var out bytes.Buffer
		cfg.Jobs, cfg.Table, cfg.Stdout, cfg.Overlay = 3, to, &out, "none"
		succeed(t, cfg)
		want := plainHeader
		for i := range 3 {
			want += strings.TrimPrefix(read(t, cfg.Out, fmt.Sprintf("n%d.png.segments.csv", i)), plainHeader)
		}
		if len(want) < 2*spoolLimit {
			t.Fatalf("%d bytes do not leave memory", len(want))
		}
		got := out.String()
		if to != "-" {
			got = read(t, to)
		}
		if got != want {
			t.Errorf("table %s differs from the records, %d bytes and %d", to, len(got), len(want))
		}
		wantList(t, "files", tree(t, cfg.Out), []string{"n0.png.segments.csv", "n1.png.segments.csv",
			"n2.png.segments.csv", "summary.csv"})
	}
	cfg := config(t, put(t, dir, "empty.png", nil))
	var out bytes.Buffer
	cfg.Table, cfg.Stdout = "-", &out
	run(t, cfg)
	wantText(t, "table of nothing", out.String(), plainHeader)
}

func TestStdin(t *testing.T) {
	png := encode(t, gray("121"))
	cfg := config(t, "-")
	cfg.Stdin = bytes.NewReader(png)
	succeed(t, cfg)
	wantText(t, "records", read(t, cfg.Out, "stdin.segments.csv"), plainHeader+"stdin,0,0,0,2,3,1,250,250,250,\n")

	// More than is kept in memory goes to a file that is removed.
	t.Setenv("TMPDIR", t.TempDir())
	cfg = config(t, "-")
	cfg.Stdin = io.MultiReader(bytes.NewReader(png), bytes.NewReader(make([]byte, stdinMemory)))
	cfg.Open = func(r io.ReaderAt, size int64, name string, o raster.Options) (raster.Reader, error) {
		if size != int64(len(png))+stdinMemory {
			t.Errorf("size %d", size)
		}
		return raster.Open(r, int64(len(png)), name, o)
	}
	succeed(t, cfg)
	wantText(t, "records", read(t, cfg.Out, "stdin.segments.csv"), plainHeader+"stdin,0,0,0,2,3,1,250,250,250,\n")
	wantList(t, "temporary files", tree(t, os.TempDir()), nil)
}

// One line a page; failures name the file, others are done, nothing half-written stays.
func TestFailuresOfSingleFiles(t *testing.T) {
	dir := t.TempDir()
	good := put(t, dir, "in/good.png", encode(t, gray("121")))
	gone := put(t, dir, "in/gone.png", nil)
	put(t, dir, "in/empty.png", nil)
	cfg := config(t, filepath.Join(dir, "in"), filepath.Join(dir, "missing.png"))
	plan, err := NewPlan(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(gone)
	l := &listener{}
	sum, err := Run(context.Background(), cfg, plan, l)
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Open(gone)
	notThere := "cannot be opened: " + bare(err).Error()
	wantList(t, "heard", l.lines, []string{
		"failed empty.png: file is empty", "failed gone.png: " + notThere, "done good.png", "failed missing.png: " + notThere,
	})
	if sum.Done != 1 || len(sum.Failed) != 3 || l.files != 4 {
		t.Errorf("done %d of %d, failed %v", sum.Done, l.files, sum.Failed)
	}
	wantList(t, "files", tree(t, cfg.Out), []string{"good.png.overlay.png", "good.png.segments.csv", "summary.csv"})

	// A page in the middle fails: no output of that file is left, not even of its other pages.
	for name, f := range map[string]*fakeFile{
		"its data ends early": {pages: []segment.Plane{bytesPage("121", "121"), bytesPage("121", "121")}, broken: 1, panics: -1},
		"internal error: index out of range; please report it with this file": {
			pages: []segment.Plane{bytesPage("121", "121"), bytesPage("121")}, broken: -1, panics: 1},
		"the page has no pixels: 0 x 0": {pages: []segment.Plane{bytesPage("121"), {}}, broken: -1, panics: -1},
	} {
		for _, maxBytes := range []int64{0, 3} {
			cfg := config(t, good)
			cfg.Open, cfg.MaxBytes, cfg.Table, cfg.Records = f.open, maxBytes, filepath.Join(cfg.Out, "t.csv"), "json"
			sum, _ := run(t, cfg)
			if len(sum.Failed) != 1 || sum.Failed[0].Page != 1 || sum.Failed[0].Err.Error() != name {
				t.Errorf("failed %v, want page 1: %s", sum.Failed, name)
			}
			if _, err := os.Stat(cfg.Out); err == nil {
				wantList(t, "files after "+name, tree(t, cfg.Out), nil)
			}
		}
	}
}

func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "in/a/x.png", encode(t, gray("121")))
	put(t, dir, "in/b.png", encode(t, gray("121")))
	long := strings.Repeat("n", 250) + ".png"
	put(t, dir, "in/"+long, encode(t, gray("121")))
	cfg := config(t, filepath.Join(dir, "in"))
	cfg.Recursive = true
	put(t, cfg.Out, "a", nil) // a file where a folder must be
	sum, _ := run(t, cfg)
	if sum.Done != 1 || len(sum.Failed) != 2 {
		t.Fatalf("done %d, failed %v", sum.Done, sum.Failed)
	}
	for i, says := range []string{"a/x.png: writing " + cfg.Out, long + ": writing " + cfg.Out} {
		if got := sum.Failed[i].Error(); !strings.HasPrefix(got, says) {
			t.Errorf("%q does not begin with %q", got, says)
		}
	}
	wantList(t, "files", tree(t, cfg.Out), []string{"a", "b.png.overlay.png", "b.png.segments.csv", "summary.csv"})

	cfg = config(t, filepath.Join(dir, "in", "b.png"))
	cfg.Table = filepath.Join(put(t, dir, "file", nil), "t.csv")
	usage(t, dir, func(c *Config) { c.Table = cfg.Table }, cfg.Inputs, "file is a file, not a folder for the table", "--table")

	// A table that cannot be written at the end is a failure of its own.
	cfg.Table = filepath.Join(dir, "late.csv")
	plan, err := NewPlan(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "late.csv/x", nil)
	sum, err = Run(context.Background(), cfg, plan, &listener{})
	if err != nil || sum.Done != 1 || len(sum.Failed) != 1 || sum.Failed[0].File != cfg.Table {
		t.Fatalf("done %d, failed %v, %v", sum.Done, sum.Failed, err)
	}
	if got := sum.Failed[0].Error(); strings.Count(got, "late.csv") != 1 || !strings.Contains(got, "cannot be written") {
		t.Errorf("%q", got)
	}
}

// What appears between planning and writing is not overwritten, and what was renamed before is taken back.
func TestLateCollision(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", nil))
	f := fakePages(bytesPage("121"))
	f.onPage = func(int) { put(t, cfg.Out, "a.png.segments.csv", []byte("somebody's")) }
	cfg.Open = f.open
	sum, _ := run(t, cfg)
	if len(sum.Failed) != 1 || !strings.Contains(sum.Failed[0].Error(), "a.png.segments.csv: it exists by now; --overwrite") {
		t.Errorf("failed %v", sum.Failed)
	}
	wantList(t, "files", tree(t, cfg.Out), []string{"a.png.segments.csv"})
	wantText(t, "records", read(t, cfg.Out, "a.png.segments.csv"), "somebody's")
}

func TestFailFast(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 {
		put(t, dir, fmt.Sprintf("in/f%02d.png", i), encode(t, gray("121")))
	}
	put(t, dir, "in/f03.png", []byte("broken"))
	put(t, dir, "in/f30.png", []byte("broken"))
	cfg := config(t, filepath.Join(dir, "in"))
	cfg.FailFast = true
	if sum, _ := run(t, cfg); sum.Done != 3 || len(sum.Failed) != 1 || sum.Failed[0].File != "f03.png" || sum.Interrupted {
		t.Errorf("one job: %d done, failed %v", sum.Done, sum.Failed)
	}
}

// An interruption removes what is in hand and keeps what is done.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	for i := range 9 {
		put(t, dir, fmt.Sprintf("in/f%d.png", i), nil)
	}
	for _, jobs := range []int{1, 3} {
		ctx, cancel := context.WithCancel(context.Background())
		var opened atomic.Int32
		f := fakePages(bytesPage("121", "121"), bytesPage("121"))
		f.onPage = func(i int) {
			if i == 1 && opened.Add(1) == 4 {
				cancel()
			}
		}
		cfg := config(t, filepath.Join(dir, "in"))
		cfg.Open, cfg.Jobs, cfg.Table = f.open, jobs, filepath.Join(dir, "table.csv")
		plan, err := NewPlan(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := Run(ctx, cfg, plan, &listener{})
		if err != nil || !sum.Interrupted || len(sum.Failed) != 0 {
			t.Errorf("%d jobs: error %v, interrupted %v, failed %v", jobs, err, sum.Interrupted, sum.Failed)
		}
		if sum.Done > 8 || jobs == 1 && sum.Done != 3 {
			t.Errorf("%d jobs: %d files done", jobs, sum.Done)
		}
		want := []string{"summary.csv"}
		for _, r := range sum.Rows {
			if r.Page == 0 {
				want = append([]string{r.File + ".p0000.overlay.png", r.File + ".p0001.overlay.png", r.File + ".segments.csv"}, want...)
			}
		}
		if got := tree(t, cfg.Out); sum.Done > 0 && len(got) != len(want) {
			t.Errorf("%d jobs: files %v, want %v", jobs, got, want)
		}
		if _, err := os.Stat(cfg.Table); err == nil {
			t.Error("a table that was cut short is there")
		}
	}
}

// A reader of standard output that goes away ends the run.
func TestBrokenStdout(t *testing.T) {
	dir := t.TempDir()
	for i := range 30 {
		put(t, dir, fmt.Sprintf("f%02d.png", i), encode(t, gray("121")))
	}
	cfg := config(t, dir)
	cfg.JSON, cfg.Stdout, cfg.Jobs = true, brokenWriter{}, 2
	plan, err := NewPlan(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Run(context.Background(), cfg, plan, &listener{})
	if !errors.Is(err, errBroken) || sum.Done == 30 || sum.Interrupted {
		t.Errorf("error %v, %d done, interrupted %v", err, sum.Done, sum.Interrupted)
	}
}

var errBroken = errors.New("nobody reads")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// usageKernel can work on no page.
type usageKernel struct{ kernels.Spec }

func (usageKernel) Bind(*segment.PageInfo, []segment.Histogram, kernels.Options) (segment.Classifier, kernels.Report, error) {
	return nil, kernels.Report{}, fmt.Errorf("binding: %w", &kernels.UsageError{Msg: "never", Hint: "another"})
}

func TestKernelThatNoPageCanUse(t *testing.T) {
	dir := t.TempDir()
	for i := range 9 {
		put(t, dir, fmt.Sprintf("f%d.png", i), encode(t, gray("121")))
	}
	cfg := config(t, dir)
	cfg.Kernel, cfg.Jobs = usageKernel{cfg.Kernel}, 3
	plan, err := NewPlan(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Run(context.Background(), cfg, plan, &listener{})
	var u *UsageError
	if !errors.As(err, &u) || u.Msg != "never" || u.Hint != "another" || sum.Done != 0 {
		t.Errorf("error %#v, %d done", err, sum.Done)
	}
	if _, err := os.Stat(cfg.Out); err == nil {
		t.Error("something was written")
	}
}
