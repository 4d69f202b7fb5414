package raster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

// corpusDir is the folder of real files with known answers, or skips the test.
func corpusDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("SEGSCAN_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(filepath.Join(dir, "cases.json")); err != nil {
		t.Skipf("no corpus at %s (set SEGSCAN_CORPUS)", dir)
	}
	return dir
}

type corpusCase struct {
	File             string
	Page             int
	Width, Height    int64
	Sample           string
	Lo, Hi, Min, Max float64
	Alpha            string
	AutoOrient       bool `json:"auto_orient"`
	Orientation      int
	Runs             []corpusRun
}

type corpusRun struct {
	Axis, Edges string
	Invert      bool
	AutoOrient  bool `json:"auto_orient"`
	Count       int
	SHA256      string
}

func corpusCases(t testing.TB, dir string, keep func(*corpusCase) bool) []corpusCase {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []corpusCase
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(c corpusCase) bool { return !keep(&c) })
}

// plainSegments is design's definition as a loop over one line of classes.
func plainSegments(cls []segment.Class, keepEdges bool) [][2]int {
	var out [][2]int
	last, active := -1, false
	armed := keepEdges // the virtual boundary at -1
	for i, c := range cls {
		switch c {
		case segment.Boundary:
			if armed && active {
				out = append(out, [2]int{max(last, 0), i})
			}
			last, armed, active = i, true, false
		case segment.Activation:
			active = true
		}
	}
	if keepEdges && armed && active {
		out = append(out, [2]int{max(last, 0), len(cls) - 1})
	}
	return out
}

// runDigest segments whole lines of samples with thresholds lo and hi.
func runDigest(lines [][]float64, lo, hi float64, r corpusRun) (count int, sum string) {
	h := sha256.New()
	for l, line := range lines {
		cls := make([]segment.Class, len(line))
		for i, v := range line {
			switch b, a := v <= lo, v >= hi; {
			case b && !r.Invert, !b && a && r.Invert:
				cls[i] = segment.Boundary
			case a && !r.Invert, b && r.Invert:
				cls[i] = segment.Activation
			}
		}
		for _, s := range plainSegments(cls, r.Edges == "keep") {
			fmt.Fprintf(h, "%d,%d,%d\n", l, s[0], s[1])
			count++
		}
	}
	return count, hex.EncodeToString(h.Sum(nil))
}

// bodyLines gathers the bodies of a page's bands as float64 lines.
func bodyLines(p Page, r Request) ([][]float64, error) {
	var lines [][]float64
	for b, err := range p.Bands(context.Background(), r) {
		if err != nil {
			return nil, err
		}
		body := b.Body()
		for l := range b.Lines {
			lines = append(lines, planeLine(body, l))
		}
	}
	return lines, nil
}

func planeLine(p segment.Plane, l int) []float64 {
	line := make([]float64, p.Samples)
	for i := range line {
		switch at := l*p.Stride + i; {
		case p.U8 != nil:
			line[i] = float64(p.U8[at])
		case p.U16 != nil:
			line[i] = float64(p.U16[at])
		default:
			line[i] = float64(p.F32[at])
		}
	}
	return line
}

// checkCorpusCase compares every run of a case.
func checkCorpusCase(t *testing.T, dir string, c corpusCase) {
	data, err := os.ReadFile(filepath.Join(dir, "images", c.File))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Runs {
		orient := c.AutoOrient || r.AutoOrient
		rd, err := Open(bytes.NewReader(data), int64(len(data)), c.File, Options{AutoOrient: orient})
		if err != nil {
			t.Fatal(err)
		}
		p, err := rd.Page(c.Page)
		if err != nil {
			t.Fatal(err)
		}
		req := Request{MaxBytes: 10_000}
		if r.Axis == "cols" {
			req.Axis = segment.Cols
		}
		lines, err := bodyLines(p, req)
		if err != nil {
			t.Fatal(err)
		}
		in := p.Info()
		w, h := c.Width, c.Height // as stored
		if orient && c.Orientation >= 5 {
			w, h = h, w
		}
		if in.Width != w || in.Height != h || in.Type.String() != c.Sample {
			t.Errorf("page is %dx%d %s, want %dx%d %s", in.Width, in.Height, in.Type, w, h, c.Sample)
		}
		count, sum := runDigest(lines, c.Lo, c.Hi, r)
		if count != r.Count || sum != r.SHA256 {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, l := range lines {
				lo, hi = min(lo, slices.Min(l)), max(hi, slices.Max(l))
			}
			t.Errorf("axis %s edges %s invert %v orient %v: %d segments (%.12s), want %d (%.12s); samples %v..%v, want %v..%v",
				r.Axis, r.Edges, r.Invert, orient, count, sum, r.Count, r.SHA256, lo, hi, c.Min, c.Max)
		}
		rd.Close()
	}
}

func TestCorpusPNG(t *testing.T) {
	dir := corpusDir(t)
	cases := corpusCases(t, dir, func(c *corpusCase) bool { return strings.HasSuffix(c.File, ".png") })
	if len(cases) < 90 {
		t.Errorf("the corpus holds %d PNG cases, expected at least 90", len(cases))
	}
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) { checkCorpusCase(t, dir, c) })
	}
}
