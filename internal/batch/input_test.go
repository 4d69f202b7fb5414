package batch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// planOf plans in dir, where inputs are relative to it.
func planOf(t *testing.T, dir string, change func(*Config), inputs ...string) (*Plan, error) {
	t.Helper()
	t.Chdir(dir)
	cfg := config(t, inputs...)
	if change != nil {
		change(cfg)
	}
	return NewPlan(context.Background(), cfg)
}

func rels(p *Plan) []string {
	var names []string
	for _, f := range p.Files {
		names = append(names, f.Name())
	}
	return names
}

// photos is a folder with what folders hold.
func photos(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range []string{
		"in/b.PNG", "in/a.tiff", "in/c.Jpeg", "in/notes.txt", "in/.hidden.png", "in/._a.tiff", "in/B.tif",
		"in/sub/d.jpg", "in/sub/deep/e.tif", "in/__MACOSX/f.png", "in/.AppleDouble/g.png", "in/sub/x.dat",
	} {
		put(t, dir, name, nil)
	}
	return dir
}

func TestFoldersAndGlobs(t *testing.T) {
	dir := photos(t)
	recursive := func(c *Config) { c.Recursive = true }
	for _, c := range []struct {
		name                    string
		change                  func(*Config)
		inputs                  []string
		want                    string
		other, hidden, excluded int
	}{
		{"folder", nil, []string{"in"}, "B.tif a.tiff b.PNG c.Jpeg", 1, 2, 0},
		{"folder with a slash", nil, []string{"in/"}, "B.tif a.tiff b.PNG c.Jpeg", 1, 2, 0},
		{"recursive", recursive, []string{"in"}, "B.tif a.tiff b.PNG c.Jpeg sub/d.jpg sub/deep/e.tif", 2, 4, 0},
		{"two folders", nil, []string{"in", "in/sub"}, "B.tif a.tiff b.PNG c.Jpeg d.jpg", 2, 2, 0},
		{"files whatever they are called", nil, []string{"in/notes.txt", "in/.hidden.png"}, ".hidden.png notes.txt", 0, 0, 0},
		{"a glob of one folder", nil, []string{"in/*.tif*"}, "B.tif a.tiff", 0, 1, 0},
		{"a glob of folders", nil, []string{"in/*/*"}, "sub/d.jpg", 1, 2, 0},
		{"a deep glob", nil, []string{"in/**/*.{tif,jpg}"}, "B.tif sub/d.jpg sub/deep/e.tif", 0, 2, 0},
		{"a glob of the whole path", nil, []string{"*/s?b/*.jpg"}, "in/sub/d.jpg", 0, 0, 0},
		{"a glob for hidden names", nil, []string{"in/.h*"}, ".hidden.png", 0, 0, 0},
		{"a glob and its file", nil, []string{"in/*.PNG", "in/b.PNG"}, "b.PNG", 0, 0, 0},
		{"include", func(c *Config) { c.Recursive, c.Include = true, []string{"*.tif"} }, []string{"in"},
			"B.tif sub/deep/e.tif", 2, 4, 4},
		{"exclude", func(c *Config) { c.Recursive, c.Exclude = true, []string{"deep", "sub/*.jpg"} }, []string{"in"},
			"B.tif a.tiff b.PNG c.Jpeg", 2, 4, 2},
		{"exclude of named files", func(c *Config) { c.Exclude = []string{"b*"} }, []string{"in/b.PNG", "in/B.tif"},
			"B.tif", 0, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := planOf(t, dir, c.change, c.inputs...)
			if err != nil {
				t.Fatal(err)
			}
			wantText(t, "files", strings.Join(rels(p), " "), c.want)
			if p.OtherKinds != c.other || p.Hidden != c.hidden || p.Excluded != c.excluded {
				t.Errorf("counts %d of other kinds, %d hidden, %d excluded, want %d, %d, %d",
					p.OtherKinds, p.Hidden, p.Excluded, c.other, c.hidden, c.excluded)
			}
		})
	}
}

// A file whose name looks like a glob is that file.
func TestBracketsInNames(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a[1].png", nil)
	put(t, dir, "a1.png", nil)
	for in, want := range map[string]string{"a[1].png": "a[1].png", "a[12].png": "a1.png", "a*.png": "a1.png a[1].png"} {
		p, err := planOf(t, dir, nil, in)
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, "files of "+in, strings.Join(rels(p), " "), want)
	}
}

func TestOutputFolderIsNoInput(t *testing.T) {
	dir := photos(t)
	put(t, dir, "in/results/old.png.overlay.png", nil)
	for _, out := range []string{"in/results", "in/sub/../results/"} {
		p, err := planOf(t, dir, func(c *Config) { c.Recursive, c.Out = true, out }, "in")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range rels(p) {
			if strings.HasPrefix(name, "results") {
				t.Errorf("with -o %s, %s is an input", out, name)
			}
		}
	}
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "in/a.png", nil)
	put(t, dir, "far/b.png", nil)
	for name, target := range map[string]string{
		"in/file.png": "../far/b.png", "in/folder": "../far", "in/loop": ".", "in/gone.png": "nowhere", "named": "far",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("symbolic links cannot be made here:", err)
		}
	}
	p, err := planOf(t, dir, func(c *Config) { c.Recursive = true }, "in", "named")
	if err != nil {
		t.Fatal(err)
	}
	// gone.png fails in the run, so that somebody hears of it; the linked folders are not entered, the named one is.
	wantText(t, "files", strings.Join(rels(p), " "), "a.png b.png file.png gone.png")
	if p.LinkedFolders != 2 {
		t.Errorf("%d linked folders, want 2", p.LinkedFolders)
	}
	if p, err = planOf(t, dir, nil, "in/*/b.png"); err != nil {
		t.Fatal(err)
	}
	wantText(t, "files", strings.Join(rels(p), " "), "folder/b.png")
}

func TestNothingToDo(t *testing.T) {
	dir := photos(t)
	os.Mkdir(filepath.Join(dir, "empty"), 0o777)
	for _, c := range []struct {
		inputs    []string
		msg, hint string
	}{
		{[]string{"nosuch.png"}, "nosuch.png: no such file or folder", ""},
		{[]string{"nosuch", "also.png"}, "nosuch: no such file or folder", ""},
		{[]string{"empty"}, "no PNG, TIFF or JPEG file in empty", ""},
		{[]string{"."}, "no PNG, TIFF or JPEG file in .", "-r looks into subfolders too"},
		{[]string{"in/sub/*.dat"}, "no PNG, TIFF or JPEG file in in/sub/*.dat (skipped: 1 of other kinds)",
			"a file named outright is taken whatever its extension"},
		{[]string{"no/where/*.png"}, "no PNG, TIFF or JPEG file in no/where/*.png", ""},
	} {
		_, err := planOf(t, dir, nil, c.inputs...)
		var none *NoInputError
		if !errors.As(err, &none) || none.Msg != c.msg || none.Hint != c.hint {
			t.Errorf("%v: got %#v, want %q with hint %q", c.inputs, err, c.msg, c.hint)
		}
	}
	p, err := planOf(t, dir, nil, "in/b.PNG", "nosuch.png", "empty", "x*.png")
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, "files", strings.Join(rels(p), " "), "b.PNG nosuch.png")
	wantText(t, "unmatched", strings.Join(p.Unmatched, " "), "empty x*.png")
}

func TestUsageErrorsOfInputs(t *testing.T) {
	dir := photos(t)
	put(t, dir, "other/b.PNG", nil)
	put(t, dir, "file", nil)
	for _, c := range []struct {
		name   string
		change func(*Config)
		inputs []string
		want   string
	}{
		{"one Rel", nil, []string{"in/b.PNG", "other"}, "in/b.PNG and other/b.PNG would both be written as b.PNG"},
		{"stdin twice", nil, []string{"-", "-"}, "- is given twice"},
		{"stdin and its namesake", nil, []string{"-", "stdin"}, "- and stdin would both be written as stdin"},
		{"an open brace", nil, []string{"in/{a"}, "in/{a is neither a file nor a valid glob"},
		{"an open bracket", func(c *Config) { c.Include = []string{"["} }, []string{"in"}, `"[" is not a valid glob`},
		{"no input", nil, nil, "no input given"},
		{"out is a file", func(c *Config) { c.Out = "file" }, []string{"in"}, "file is a file, not a folder for results"},
		{"both", func(c *Config) { c.Overwrite, c.SkipExisting = true, true }, []string{"in"},
			"--overwrite and --skip-existing exclude each other"},
		{"two on stdout", func(c *Config) { c.JSON, c.Table = true, "-" }, []string{"in"},
			"--json and --table - both write to standard output"},
		{"a format", func(c *Config) { c.Overlay = "gif" }, []string{"in"}, "--overlay gif is not known"},
	} {
		_, err := planOf(t, dir, c.change, c.inputs...)
		var usage *UsageError
		if !errors.As(err, &usage) || usage.Msg != c.want || usage.Hint == "" {
			t.Errorf("%s: got %#v, want %q with a hint", c.name, err, c.want)
		}
	}
}

func TestNamesOutsideUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("file names are UTF-8 here")
	}
	dir := t.TempDir()
	put(t, dir, "in/\xe9t\xe9,1.png", encode(t, gray("121")))
	cfg := config(t, filepath.Join(dir, "in"))
	succeed(t, cfg)
	wantText(t, "records", read(t, cfg.Out, "\xe9t\xe9,1.png.segments.csv"),
		plainHeader+`"\xe9t\xe9,1.png",0,0,0,2,3,1,250,250,250,`+"\n")
}

func TestPageLists(t *testing.T) {
	list := func(r ...int) PageList {
		l := PageList{}
		for i := 0; i < len(r); i += 2 {
			l = append(l, PageRange{r[i], r[i+1]})
		}
		return l
	}
	for _, c := range []struct {
		list     PageList
		n, extra int
		want     []int
	}{
		{nil, 3, 0, []int{0, 1, 2}}, {list(0, 0, 2, -1), 5, 0, []int{0, 2, 3, 4}}, {list(-1, -1), 3, 0, []int{2}},
		{list(1, 2, 0, 1), 3, 0, []int{0, 1, 2}}, {list(3, 3), 3, 0, nil}, {list(-4, -1), 3, 0, nil}, {list(2, -2), 3, 0, nil},
		{nil, 3, 2, []int{0, 1, 2}}, {list(2, 4), 3, 2, []int{2, 3, 4}}, {list(-1, -1), 3, 2, []int{2}}, {list(5, 5), 3, 2, nil},
	} {
		got, err := c.list.resolve(c.n, c.extra)
		if (err == nil) != (c.want != nil) || len(got) != len(c.want) {
			t.Errorf("%v of %d pages: %v, %v; want %v", c.list, c.n, got, err, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%v of %d pages: %v, want %v", c.list, c.n, got, c.want)
			}
		}
	}
}
