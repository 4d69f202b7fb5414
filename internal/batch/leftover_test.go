package batch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Temporary files that a killed run left are named by a later one into the same folders, and stay; those that are young, of
// another name or elsewhere are not.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "in/sub/a.png", encode(t, gray("121")))
	cfg := config(t, filepath.Join(dir, "in"))
	cfg.Out, cfg.Recursive, cfg.Overwrite = filepath.Join(dir, "out"), true, true
	warned := func() string {
		t.Helper()
		sum, l := run(t, cfg)
		if len(sum.Failed) > 0 {
			t.Fatal(sum.Failed)
		}
		var found []string
		for _, line := range l.lines {
			if strings.Contains(line, "killed") {
				found = append(found, line)
			}
		}
		return strings.Join(found, "\n")
	}
	leave := func(name string, age time.Duration) string {
		t.Helper()
		path := put(t, cfg.Out, name, []byte("half"))
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(path)
	}
	const old = 25 * time.Hour
	leave(".segscan-young.tmp", 23*time.Hour)
	leave(".segscan-other", old)
	leave(".other.tmp", old)
	leave("elsewhere/.segscan-1.tmp", old)
	if err := os.Mkdir(filepath.Join(cfg.Out, ".segscan-folder.tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	wantText(t, "none", warned(), "")
	below := leave("sub/.segscan-2.tmp", old)
	const unless = ", unless a run into that folder has been at work for more than a day"
	wantText(t, "one below", warned(), "warn : a run that was killed has left "+below+"; remove it"+unless)
	top := leave(".segscan-1.tmp", old)
	wantText(t, "two", warned(), "warn : a run that was killed has left "+top+" and 1 more; remove them"+unless)
	wantText(t, "what was half written", read(t, top)+read(t, below), "halfhalf")

	// What the program itself leaves when it is killed has such a name.
	f, err := createTemp(cfg.Out)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	name, err := filepath.Rel(cfg.Out, f.Name())
	if err != nil {
		t.Fatal(err)
	}
	leave(name, old)
	if got := warned(); !strings.Contains(got, " and 2 more; ") {
		t.Errorf("with one of its own: %q", got)
	}
}
