package raster

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func isTIFF(name string) bool {
	return strings.HasSuffix(name, ".tif") || strings.HasSuffix(name, ".tiff")
}

func TestCorpusTIFF(t *testing.T) {
	dir := corpusDir(t)
	cases := corpusCases(t, dir, func(c *corpusCase) bool { return isTIFF(c.File) })
	if len(cases) < 90 {
		t.Errorf("the corpus holds %d TIFF cases, expected at least 90", len(cases))
	}
	for _, c := range cases {
		if c.File == associated16 {
			c.Runs = slices.DeleteFunc(c.Runs, func(r corpusRun) bool { return r.Axis == "rows" && r.Edges == "keep" && r.Invert })
			if len(c.Runs) != 4 {
				t.Errorf("%s has %d other runs, want 4", c.File, len(c.Runs))
			}
		}
		t.Run(fmt.Sprintf("%s/%d", c.File, c.Page), func(t *testing.T) { checkCorpusCase(t, dir, c) })
	}
}

const associated16 = "image-tiff-images_seq_seq-4c-16b-rgba-5181991f.tiff"

// TestCorpusAssociated works out by hand the one run that the corpus has otherwise. The samples of the file count 0,
// 1, 2, 3, 4 ... over red, green, blue and associated alpha, and associated alpha is taken as stored. So the gray of
// pixel k is (19595*4k + 38470*(4k+1) + 7471*(4k+2) + 32768) >> 16 = 4k+1: 1, 5, 9, ... With lo 2, hi 7 and the
// classes exchanged, pixel 0 (1 <= 2) is an activation, pixel 1 (5) other and every one from pixel 2 (9) on a
// boundary: under keep, the virtual boundary before row 0 and pixel 2 enclose an activation, and nothing else does.
// The corpus says that there is no segment at all, which needs every sample to be at least 7.
func TestCorpusAssociated(t *testing.T) {
	lines := openLines(t, filepath.Join(corpusDir(t), "images", associated16))
	for y, line := range lines {
		for x, v := range line {
			if want := float64(4*(16*y+x) + 1); v != want {
				t.Fatalf("gray of pixel %d,%d is %v, want %v", x, y, v, want)
			}
		}
	}
	count, sum := runDigest(lines, 2, 7, corpusRun{Edges: "keep", Invert: true})
	want := sha256.Sum256([]byte("0,0,2\n"))
	if count != 1 || sum != hex.EncodeToString(want[:]) {
		t.Errorf("%d segments (%.12s), want 0,0,2", count, sum)
	}
}

// TestCorpusLossy holds JPEG and WebP data against the gray of libtiff's decoders.
func TestCorpusLossy(t *testing.T) {
	dir := corpusDir(t)
	var cases []struct{ File, Gray string }
	readJSON(t, filepath.Join(dir, "lossy.json"), &cases)
	if len(cases) < 8 {
		t.Errorf("the corpus holds %d lossy files, expected at least 8", len(cases))
	}
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) {
			// The expected gray is of the colours alone: where the geotiff's alpha is 0, it is not black.
			got := openLinesWith(t, filepath.Join(dir, "images", c.File), Options{Alpha: AlphaIgnore})
			f, err := os.Open(filepath.Join(dir, c.Gray))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			m, _, err := image.Decode(f)
			if err != nil {
				t.Fatal(err)
			}
			want := m.(*image.Gray)
			if len(got) != want.Rect.Dy() || len(got[0]) != want.Rect.Dx() {
				t.Fatalf("page is %d x %d, want %v", len(got[0]), len(got), want.Rect)
			}
			sum, most := 0.0, 0.0
			for y, line := range got {
				for x, v := range line {
					d := math.Abs(v - float64(want.GrayAt(x, y).Y))
					sum, most = sum+d, max(most, d)
				}
			}
			mean := sum / float64(len(got)*len(got[0]))
			t.Logf("mean difference %.3f, largest %v", mean, most)
			if mean > 1 || most > 16 {
				t.Errorf("mean difference %.3f, largest %v; want at most 1 and 16", mean, most)
			}
		})
	}
}

func readJSON(t *testing.T, path string, to any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, to); err != nil {
		t.Fatal(err)
	}
}

func openLines(t *testing.T, path string) [][]float64 { return openLinesWith(t, path, Options{}) }

func openLinesWith(t *testing.T, path string, o Options) [][]float64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := readAllPages(data, 0, o)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// readAllPages reads every page and gives the lines of one.
func readAllPages(data []byte, page int, o Options) (lines [][]float64, err error) {
	rd, err := Open(bytes.NewReader(data), int64(len(data)), "x", o)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	for i := range rd.Pages() {
		p, err := rd.Page(i)
		if err != nil {
			return nil, err
		}
		l, err := bodyLines(p, Request{MaxBytes: 10_000})
		if err != nil {
			return nil, err
		}
		if i == page {
			lines = l
		}
	}
	return lines, nil
}

func TestCorpusRefused(t *testing.T) {
	dir := corpusDir(t)
	var cases []struct{ File, Why string }
	readJSON(t, filepath.Join(dir, "refuse.json"), &cases)
	for _, c := range cases {
		if !isTIFF(c.File) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, "images", c.File))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readAllPages(data, 0, Options{}); err == nil || !strings.Contains(err.Error(), c.Why) {
			t.Errorf("%s: error is %v, want one that says %q", c.File, err, c.Why)
		}
	}
}

func TestCorpusHostileTIFF(t *testing.T) {
	dir := corpusDir(t)
	files, err := filepath.Glob(filepath.Join(dir, "hostile", "*.tif*"))
	if err != nil || len(files) < 11 {
		t.Fatalf("%d hostile files, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = readAllPages(data, 0, Options{})
		t.Logf("%s: %v (%v)", filepath.Base(f), err, time.Since(start))
		if err == nil {
			t.Errorf("%s is read without an error", filepath.Base(f))
		}
	}
}
