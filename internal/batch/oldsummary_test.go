package batch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folderOf has results of a.png to d.png of the kernel of config. The run that it gives does the first three with another
// one; the pages it opens are those of f.
func folderOf(t *testing.T) (cfg *Config, f *fakeFile) {
	t.Helper()
	dir := t.TempDir()
	var inputs []string
	for _, name := range []string{"a.png", "b.png", "c.png", "d.png"} {
		inputs = append(inputs, put(t, dir, name, nil))
	}
	f = fakePages(bytesPage("1201", "1221"))
	first := config(t, inputs...)
	first.Out, first.Open = filepath.Join(dir, "out"), f.open
	succeed(t, first)
	cfg = config(t, inputs[:3]...)
	cfg.Out, cfg.Open, cfg.Kernel = first.Out, f.open, kernel(t, "hysteresis:lo=10,hi=201")
	cfg.Overwrite = true
	return cfg, f
}

// rowsIn lists the files of a summary with the upper threshold of the kernel that it names.
func rowsIn(t *testing.T, folder string) string {
	t.Helper()
	s := readSummary(filepath.Join(folder, "summary.csv"))
	if s.unread != nil || s.foreign != "" {
		t.Fatalf("the summary: %v %s", s.unread, s.foreign)
	}
	var rows []string
	for _, r := range s.without(nil) {
		rows = append(rows, r.name[:1]+strings.TrimPrefix(s.rows[r.name][0].asked, "hysteresis:lo=10,hi="))
	}
	return strings.Join(rows, " ")
}

// goOn is cfg with SkipExisting into folder; it tells which files it did.
func goOn(t *testing.T, cfg *Config, folder string) string {
	t.Helper()
	next := *cfg
	next.Out, next.Overwrite, next.SkipExisting = folder, false, true
	var done []string
	for _, r := range succeed(t, &next).Rows {
		done = append(done, r.File[:1])
	}
	return strings.Join(done, " ")
}

// snapshot calls fn when the first file is done.
type snapshot struct {
	listener
	fn func()
}

func (s *snapshot) FileDone(f PlannedFile, n int64, err error) {
	s.listener.FileDone(f, n, err)
	if len(s.lines) == 1 {
		s.fn()
	}
}

// What is on the disk after the first file is what a run leaves that is killed there: no row of an earlier run's results
// may stand beside this one's, so that nothing of the mix is taken for done.
func TestKilledRunLeavesNoOldRows(t *testing.T) {
	cfg, _ := folderOf(t)
	killed := filepath.Join(t.TempDir(), "killed")
	plan, err := NewPlan(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	obs := &snapshot{fn: func() {
		if err := os.CopyFS(killed, os.DirFS(cfg.Out)); err != nil {
			t.Error(err)
		}
	}}
	if _, err := Run(context.Background(), cfg, plan, obs); err != nil {
		t.Fatal(err)
	}
	wantText(t, "rows after the whole run", rowsIn(t, cfg.Out), "a201 b201 c201 d200")
	wantText(t, "rows of a run that is killed", rowsIn(t, killed), "d200")
	wantText(t, "files done after that", goOn(t, cfg, killed), "a b c")
	wantText(t, "rows in the end", rowsIn(t, killed), "a201 b201 c201 d200")
}

// A run that ends in good order before its end has the rows of what it did. With Overwrite SkipExisting goes on with the
// rest; without, results that are there are wanted, and so are their rows.
func TestInterruptedRunKeepsRightRows(t *testing.T) {
	interrupt := func(cfg *Config, f *fakeFile, at int) {
		t.Helper()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		page := 0
		f.onPage = func(int) {
			if page++; page == at {
				cancel()
			}
		}
		defer func() { f.onPage = nil }()
		plan, err := NewPlan(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if sum, err := Run(ctx, cfg, plan, &listener{}); err != nil || !sum.Interrupted || sum.Done != at-1 {
			t.Fatalf("error %v, %+v", err, sum)
		}
	}
	cfg, f := folderOf(t)
	before := read(t, cfg.Out, "summary.csv")
	interrupt(cfg, f, 1)
	wantText(t, "summary where nothing was replaced", read(t, cfg.Out, "summary.csv"), before)
	interrupt(cfg, f, 2)
	wantText(t, "rows after one file", rowsIn(t, cfg.Out), "a201 d200")
	wantText(t, "files done after that", goOn(t, cfg, cfg.Out), "b c")

	cfg, f = folderOf(t)
	cfg.Overwrite, cfg.SkipExisting = false, true
	cfg.Kernel = kernel(t, "hysteresis:lo=10,hi=200")
	for _, name := range []string{"a", "b", "c"} {
		if err := os.Remove(filepath.Join(cfg.Out, name+".png.overlay.png")); err != nil {
			t.Fatal(err)
		}
	}
	interrupt(cfg, f, 2)
	wantText(t, "summary with SkipExisting", read(t, cfg.Out, "summary.csv"), before)
	wantText(t, "files done after that", goOn(t, cfg, cfg.Out), "b c")
}

// After a full disk SkipExisting goes on with the same flags, with the files that failed for it too.
func TestGoOnAfterFullDisk(t *testing.T) {
	cfg, _ := folderOf(t)
	full := *cfg
	full.Engine = failing(writing("out/x", os.ErrPermission))
	if sum, _ := run(t, &full); len(sum.Failed) != 3 || sum.Done != 0 {
		t.Fatalf("%d done, failed %v", sum.Done, sum.Failed)
	}
	full.Inputs = append([]string{put(t, t.TempDir(), "0.png", nil)}, cfg.Inputs...)
	if sum, _ := run(t, &full); sum.LeftOut != 1 {
		t.Fatalf("%d left out, failed %v", sum.LeftOut, sum.Failed)
	}
	wantText(t, "rows", rowsIn(t, cfg.Out), "d200")
	wantText(t, "files done after that", goOn(t, cfg, cfg.Out), "a b c")
}

// A summary that cannot be replaced ends the run before any result is replaced.
func TestSummaryThatCannotBeReplaced(t *testing.T) {
	cfg, _ := folderOf(t)
	plan, err := NewPlan(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	before := read(t, cfg.Out, "a.png.segments.csv")
	path := filepath.Join(cfg.Out, "summary.csv")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	put(t, path, "x", nil)
	put(t, cfg.Out, "a.png.overlay.png", []byte("as before"))
	_, err = Run(context.Background(), cfg, plan, &listener{})
	if u, ok := err.(*UsageError); !ok || !strings.HasPrefix(u.Msg, path+" cannot be written, ") || !strings.HasPrefix(u.Hint, "nothing has been replaced") {
		t.Errorf("error %v", err)
	}
	wantText(t, "records", read(t, cfg.Out, "a.png.segments.csv"), before)
	wantText(t, "picture", read(t, cfg.Out, "a.png.overlay.png"), "as before")
}

// A summary that cannot be read may hold rows of other files, so not even Overwrite replaces it. An empty one holds none.
func TestSummaryThatCannotBeRead(t *testing.T) {
	cfg, _ := folderOf(t)
	path := filepath.Join(cfg.Out, "summary.csv")
	whole := read(t, path)
	refused := func(overwrite bool, says ...string) {
		t.Helper()
		usage(t, t.TempDir(), func(c *Config) { *c = *cfg; c.Overwrite, c.SkipExisting = overwrite, !overwrite }, cfg.Inputs, says...)
	}
	for _, overwrite := range []bool{true, false} {
		put(t, path, "", []byte(strings.Replace(whole, "b.png,0,", "b.png,zero,", 1)))
		refused(overwrite, "summary.csv cannot be read: line 3 has no number of a page", "move it away")
		put(t, path, "", []byte(whole[:len(whole)-20]))
		refused(overwrite, "summary.csv cannot be read: record on line 5: wrong number of fields")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("nothing", path); err != nil {
			t.Skip("no links here:", err)
		}
		refused(overwrite, "summary.csv cannot be read: it is a link to nothing")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	put(t, path, "", nil)
	refused(false, "summary.csv exists and is no summary of segments: it is empty", "--overwrite replaces it")
	succeed(t, cfg)
	wantText(t, "rows", rowsIn(t, cfg.Out), "a201 b201 c201")
}

// Another run may change rows of other files while this one is at work: the summary has theirs in the end.
func TestRowsOfOthersAreThoseOfTheEnd(t *testing.T) {
	cfg, f := folderOf(t)
	other := *cfg
	cfg.Inputs, other.Inputs = cfg.Inputs[:1], cfg.Inputs[1:2]
	f.onPage = func(int) {
		f.onPage = nil
		succeed(t, &other)
	}
	succeed(t, cfg)
	wantText(t, "rows", rowsIn(t, cfg.Out), "a201 b201 c200 d200")
}

// Where standard output breaks, files may be done that nobody accounts for any more: their old rows must not stay.
func TestBrokenStdoutLeavesNoOldRows(t *testing.T) {
	dir := t.TempDir()
	name := func(i int) string { return string(rune('a'+i)) + ".png" }
	for i := range 12 {
		put(t, dir, "in/"+name(i), encode(t, gray("121")))
	}
	cfg := config(t, filepath.Join(dir, "in"))
	succeed(t, cfg)
	before := readSummary(filepath.Join(cfg.Out, "summary.csv"))
	for i := range 12 {
		put(t, dir, "in/"+name(i), encode(t, gray("12121")))
		if err := os.Remove(filepath.Join(cfg.Out, name(i)+".overlay.png")); err != nil {
			t.Fatal(err)
		}
	}
	cfg.SkipExisting, cfg.JSON, cfg.Stdout, cfg.Jobs = true, true, brokenWriter{}, 4
	plan, err := NewPlan(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), cfg, plan, &listener{}); err == nil {
		t.Fatal("no error of standard output")
	}
	now := readSummary(filepath.Join(cfg.Out, "summary.csv"))
	for i := range 12 {
		rows := now.rows[name(i)]
		replaced := strings.Count(read(t, cfg.Out, name(i)+".segments.csv"), "\n") > 2
		if replaced && len(rows) == 1 && string(rows[0].line) == string(before.rows[name(i)][0].line) {
			t.Errorf("%s has new records and its old row", name(i))
		}
		if !replaced && len(rows) != 1 {
			t.Errorf("%s was not replaced, and has %d rows", name(i), len(rows))
		}
	}
}
