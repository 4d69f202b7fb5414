package kernels_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"segscan/internal/raster"
	"segscan/segment"
)

// grayOf is the samples of an 8-bit page, row by row.
func grayOf(t *testing.T, file []byte) []float64 {
	t.Helper()
	r, err := raster.Open(bytes.NewReader(file), int64(len(file)), "test", raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	page, err := r.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	var v []float64
	for b, err := range page.Bands(t.Context(), raster.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		body := b.Body()
		for l := range body.Lines {
			for _, x := range body.U8[l*body.Stride:][:body.Samples] {
				v = append(v, float64(x))
			}
		}
	}
	return v
}

// ties compares classes with the reference's own arithmetic: they may differ only where a sample equals the exact mean of
// its window. It gives how many such samples the reference calls activations.
func ties(t *testing.T, file string, v []float64, classes []segment.Class, w, h, size int) (lifted int) {
	t.Helper()
	exact := windowSums(v, w, h, size)
	mean := uniformFilter(slices.Clone(v), w, h, size)
	for i := range v {
		if v[i] > mean[i] == (classes[i] == segment.Activation) {
			continue
		}
		if float64(size*size)*v[i] != exact[i] {
			t.Errorf("%s: pixel %d,%d = %v with a mean of %v is of class %d", file, i%w, i/w, v[i], mean[i], classes[i])
			return lifted
		}
		if classes[i] == segment.Boundary {
			lifted++
		}
	}
	return lifted
}

// TestLocalCountsEqualReference counts activations against scikit-image. Its local mean carries rounding errors along
// lines, and calls a sample that equals the mean of its window (most of them, where an image is flat) an activation
// where these happen to point down. Here such a sample is a boundary, always; the test adds those that rounding lifts.
func TestLocalCountsEqualReference(t *testing.T) {
	dir := os.Getenv("SEGSCAN_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpus")
	}
	text, err := os.ReadFile(filepath.Join(dir, "thresholds.json"))
	if err != nil {
		t.Skipf("the corpus of reference images is not here (%v); set SEGSCAN_CORPUS to its folder", err)
	}
	var cases []struct {
		File  string
		Local map[string]int
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, c := range cases {
		file, err := os.ReadFile(filepath.Join(dir, "images", c.File))
		if err != nil {
			t.Fatal(err)
		}
		for spec, want := range c.Local {
			classes, w, h := classify(t, file, strings.Replace(spec, "mean:", "localmean:", 1), segment.Rows, nil, 1<<16)
			got := 0
			for _, class := range classes {
				if class == segment.Activation {
					got++
				}
			}
			compared++
			if strings.HasPrefix(spec, "mean:") {
				got += ties(t, c.File, grayOf(t, file), classes, w, h, 31)
			}
			if d := got - want; 2000*max(d, -d) > w*h {
				t.Errorf("%s (%d x %d): %s: %d activations, want %d: %.3f %% of the pixels", c.File, w, h, spec, got, want, 100*float64(d)/float64(w*h))
			} else if d != 0 {
				t.Logf("%s (%d x %d): %s: %d activations, want %d", c.File, w, h, spec, got, want)
			}
		}
	}
	t.Logf("%d counts compared", compared)
}
