package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// unreadable lists corpus files that segscan refuses, with a part of the reason it prints. A listed file that turns
// out right fails the test, so the list can only shrink.
var unreadable = map[string]string{}

// associated16 holds the one run whose answer in the corpus does not follow from its samples.
const associated16 = "image-tiff-images_seq_seq-4c-16b-rgba-5181991f.tiff"

type corpusRun struct {
	Axis       string `json:"axis"`
	Edges      string `json:"edges"`
	Invert     bool   `json:"invert"`
	AutoOrient bool   `json:"auto_orient"`
	Count      int    `json:"count"`
	SHA256     string `json:"sha256"`
}

type corpusCase struct {
	File   string      `json:"file"`
	Page   int         `json:"page"`
	Width  int         `json:"width"`
	Height int         `json:"height"`
	Sample string      `json:"sample"`
	Lo     float64     `json:"lo"`
	Hi     float64     `json:"hi"`
	Runs   []corpusRun `json:"runs"`
}

func corpusDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SEGSCAN_CORPUS")
	if dir == "" {
		dir = "../../../shared/corpus"
	}
	if _, err := os.Stat(filepath.Join(dir, "cases.json")); err != nil {
		t.Skipf("no corpus: %v (set SEGSCAN_CORPUS)", err)
	}
	return dir
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, path), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Every case of the corpus, through the command line: the segments are those of the independent plain loop.
func TestCorpusCases(t *testing.T) {
	dir := corpusDir(t)
	var cases []corpusCase
	readJSON(t, filepath.Join(dir, "cases.json"), &cases)
	checked := 0
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.File, c.Page), func(t *testing.T) {
			for _, r := range c.Runs {
				code, table, stderr := segmentCorpusFile(t, filepath.Join(dir, "images", c.File), c, r)
				reason, listed := unreadable[c.File]
				switch {
				case listed && code == exitSomeFailed && strings.Contains(stderr, reason):
					continue
				case code != 0:
					t.Fatalf("exit %d: %s", code, stderr)
				}
				lines, n := boundLines(t, table)
				if c.File == associated16 && r.Edges == "keep" && r.Invert {
					// Gray is 4k+1 at pixel k, as TestCorpusAssociated of internal/raster works out: under lo 2 and hi 7
					// with the classes exchanged, pixel 0 is an activation between the line's start and pixel 2.
					if want := "0,0,2\n"; string(lines) != want {
						t.Fatalf("%+v: got %q, want %q", r, lines, want)
					}
					checked++
					continue
				}
				if n != r.Count || fmt.Sprintf("%x", sha256.Sum256(lines)) != r.SHA256 {
					t.Fatalf("%+v: got %d segments, want %d, or other bounds", r, n, r.Count)
				}
				if listed {
					t.Fatalf("right, yet listed as unreadable (%s): take it off the list", reason)
				}
				checked++
			}
		})
	}
	if want := 1012 - 5*len(unreadable); checked < want {
		t.Errorf("compared %d runs, want at least %d", checked, want)
	}
}

func segmentCorpusFile(t *testing.T, path string, c corpusCase, r corpusRun, more ...string) (code int, table []byte, stderr string) {
	t.Helper()
	args := []string{path, "-o", filepath.Join(t.TempDir(), "out"), "--overlay", "none", "--records", "none", "--table", "-", "-q",
		"--page", strconv.Itoa(c.Page), "--axis", r.Axis, "--edges", r.Edges, "-k", fmt.Sprintf("hysteresis:lo=%v,hi=%v",
			strconv.FormatFloat(c.Lo, 'g', -1, 64), strconv.FormatFloat(c.Hi, 'g', -1, 64))}
	if r.Invert {
		args = append(args, "--invert")
	}
	if r.AutoOrient {
		args = append(args, "--auto-orient")
	}
	var out, messages bytes.Buffer
	code = Run(append(args, more...), strings.NewReader(""), &out, &messages)
	return code, out.Bytes(), messages.String()
}

// boundLines cuts the table down to the lines that the corpus hashes: line,start,end.
func boundLines(t *testing.T, table []byte) (lines []byte, n int) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"file", "page", "line", "start", "end"}; len(rows) == 0 || strings.Join(rows[0][:5], ",") != strings.Join(want, ",") {
		t.Fatalf("table has no header of %v", want)
	}
	var b bytes.Buffer
	for _, r := range rows[1:] {
		fmt.Fprintf(&b, "%s,%s,%s\n", r[2], r[3], r[4])
	}
	return b.Bytes(), len(rows) - 1
}

// A changed bound must not go unseen by the comparison above.
func TestBoundLinesSeeOneBound(t *testing.T) {
	a, _ := boundLines(t, []byte("file,page,line,start,end\nx,0,1,2,3\n"))
	b, _ := boundLines(t, []byte("file,page,line,start,end\nx,0,1,2,4\n"))
	if bytes.Equal(a, b) {
		t.Error("two different bounds compare equal")
	}
}

// Files to be refused are, by name; damaged and hostile ones fail alone, and a good file beside them is done.
func TestCorpusHostileFiles(t *testing.T) {
	dir := corpusDir(t)
	var refuse []struct{ File, Why string }
	readJSON(t, filepath.Join(dir, "refuse.json"), &refuse)
	for _, r := range refuse {
		code, stderr := withGoodFile(t, filepath.Join(dir, "images", r.File))
		if code != exitSomeFailed || !strings.Contains(strings.ToLower(stderr), "jpeg") {
			t.Errorf("%s: exit %d, want %d and a word on %s:\n%s", r.File, code, exitSomeFailed, r.Why, stderr)
		}
	}
	// What the corpus allows to be read with a warning.
	lenient := map[string]bool{"pillow-truncated_end_chunk.png": true, "invalid-noend.png": true}
	files, err := fs.Glob(os.DirFS(dir), "hostile/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no hostile files (%v)", err)
	}
	for _, f := range files {
		code, stderr := withGoodFile(t, filepath.Join(dir, f))
		switch {
		case code == exitSomeFailed && strings.Contains(stderr, filepath.Base(f)+": "):
		case code == 0 && lenient[filepath.Base(f)] && strings.Contains(stderr, filepath.Base(f)+": "):
		default:
			t.Errorf("%s: exit %d:\n%s", f, code, stderr)
		}
	}
}

// withGoodFile runs path beside a sample and checks that the sample came out.
func withGoodFile(t *testing.T, path string) (code int, stderr string) {
	t.Helper()
	var out, messages bytes.Buffer
	dir := filepath.Join(t.TempDir(), "out")
	code = Run([]string{path, "../../samples/signal.png", "-o", dir}, strings.NewReader(""), &out, &messages)
	if _, err := os.Stat(filepath.Join(dir, "signal.png.segments.csv")); errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: the good file beside it was not done", path)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%s: left behind %v (%v)", path, left, err)
	}
	return code, messages.String()
}
