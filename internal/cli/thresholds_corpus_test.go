package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// dividedAlpha has colours that its alpha multiplied already. The reference divides them by it, rounds down, and
// multiplies them again, which makes 4 of its 2365 samples one less; here they are taken as stored. Only the mean shows it,
// and is worked out from the file's bytes: 32955 / 2365.
const (
	dividedAlpha     = "pillow-pil136.tiff"
	dividedAlphaMean = 32955. / 2365
)

// Thresholds of every corpus file, read by the project's own readers, are those of scikit-image.
func TestCorpusThresholds(t *testing.T) {
	dir := corpusDir(t)
	var cases []struct {
		File, Sample string
		Global       map[string]any
	}
	readJSON(t, filepath.Join(dir, "thresholds.json"), &cases)
	args := []string{"thresholds", "--json", "-q"}
	want := map[string]int{}
	for i, c := range cases {
		if testing.Short() && i%8 != 0 && c.File != dividedAlpha {
			continue
		}
		want[c.File] = i
		args = append(args, filepath.Join(dir, "images", c.File))
	}
	var out, messages bytes.Buffer
	if code := Run(args, strings.NewReader(""), &out, &messages); code != 0 {
		t.Fatalf("exit %d: %s", code, messages.String())
	}
	compared := 0
	for line := range strings.Lines(out.String()) {
		var page struct {
			File, Sample string
			Page         int
			Kernels      []struct {
				Kernel     string
				Thresholds []struct{ Value float64 }
			}
		}
		if err := json.Unmarshal([]byte(line), &page); err != nil {
			t.Fatal(err)
		}
		i, ok := want[page.File]
		if !ok || page.Page != 0 {
			continue
		}
		c := cases[i]
		if page.Sample != c.Sample {
			t.Errorf("%s: samples are %s, want %s", c.File, page.Sample, c.Sample)
		}
		found := map[string][]float64{}
		for _, k := range page.Kernels {
			for _, v := range k.Thresholds {
				found[k.Kernel] = append(found[k.Kernel], v.Value)
			}
		}
		for method, answer := range c.Global {
			compared++
			name, slack := method, 0.
			var values []float64
			switch v := answer.(type) {
			case float64:
				values = []float64{v}
			case []any:
				for _, x := range v {
					values = append(values, x.(float64))
				}
			}
			switch method {
			case "multiotsu3":
				name = "multiotsu"
			case "li":
				slack = 0.5
			case "mean":
				if c.File == dividedAlpha {
					values = []float64{dividedAlphaMean}
				}
				slack = 1e-6 * math.Abs(values[0])
			}
			got := found[name]
			same := len(got) == len(values)
			for k := 0; same && k < len(got); k++ {
				same = math.Abs(got[k]-values[k]) <= slack
			}
			if !same {
				t.Errorf("%s: %s is %v, want %v", c.File, name, got, values)
			}
		}
		delete(want, page.File)
	}
	if len(want) > 0 {
		t.Errorf("no thresholds of %v", want)
	}
	t.Logf("%d thresholds compared", compared)
}
