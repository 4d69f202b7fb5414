package kernels

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"segscan/segment"
)

// corpusDir is where the reference images lie; a checkout without them skips.
func corpusDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SEGSCAN_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(filepath.Join(dir, "thresholds.json")); err != nil {
		t.Skipf("the corpus of reference images is not here (%v); set SEGSCAN_CORPUS to its folder", err)
	}
	return dir
}

type corpusCase struct {
	File, Sample string
	Global       map[string]any
}

func corpusCases(t *testing.T, dir string) []corpusCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "thresholds.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []corpusCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// grayHistogram decodes a file with the standard decoders and counts its gray samples.
func grayHistogram(path string, t segment.SampleType) (*segment.Histogram, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var img image.Image
	if strings.HasSuffix(path, ".png") {
		img, err = png.Decode(f)
	} else {
		img, err = tiff.Decode(f)
	}
	if err != nil {
		return nil, err
	}
	h := &segment.Histogram{Type: t, Bins: make([]uint64, 256)}
	if t == segment.U16 {
		h.Bins = make([]uint64, 1<<16)
	}
	pixels, ok := img.(image.RGBA64Image)
	if !ok {
		return nil, fmt.Errorf("%T gives no 16-bit pixels", img)
	}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := pixels.RGBA64At(x, y)
			if t == segment.U16 {
				h.Bins[color.Gray16Model.Convert(c).(color.Gray16).Y]++
			} else {
				h.Bins[color.GrayModel.Convert(c).(color.Gray).Y]++
			}
			h.N++
		}
	}
	h.Min, h.Max = extremes(h.Bins)
	return h, nil
}

func extremes(bins []uint64) (lo, hi float64) {
	lo, hi = math.NaN(), math.NaN()
	for x, n := range bins {
		if n > 0 {
			if math.IsNaN(lo) {
				lo = float64(x)
			}
			hi = float64(x)
		}
	}
	return lo, hi
}

// misread are corpus files that the standard decoders do not read, or read as other samples than the reference's; what
// is wrong is known and is the readers' matter, not the thresholds': with the project's own readers the command line
// compares all files.
func misread() map[string]string {
	return map[string]string{
		"image-tiff-libtiffpic_depth_flower-minisblack-04.tif": "4 bits a sample",
		"image-tiff-libtiffpic_depth_flower-palette-04.tif":    "4 bits a sample",
		"image-tiff-libtiffpic_depth_flower-rgb-planar-08.tif": "planar samples",
		"image-tiff-libtiffpic_jello.tif":                      "16-bit colour maps are cut to 8 bits another way",
		"image-tiff-libtiffpic_quad-lzw.tif":                   "old-style LZW",
		"image-tiff-libtiffpic_ycbcr-cat.tif":                  "YCbCr",
		"pillow-16bit.r.tif":                                   "bit order within bytes",
		"pillow-pil136.tiff":                                   "alpha of associated samples",
		"pillow-tiff_gray_2_4_bpp_hopper4.tif":                 "4 bits a sample",
		"pillow-tiff_gray_2_4_bpp_hopper4R.tif":                "4 bits a sample",
		"pillow-tiff_wrong_bits_per_sample.tiff":               "fewer bit counts than samples",
		"pillow-tiff_wrong_bits_per_sample_3.tiff":             "fewer bit counts than samples",
	}
}

func TestThresholdsEqualReference(t *testing.T) {
	dir := corpusDir(t)
	skip := misread()
	compared, files := 0, 0
	for _, c := range corpusCases(t, dir) {
		if skip[c.File] != "" {
			continue
		}
		typ := segment.U8
		if c.Sample == "u16" {
			typ = segment.U16
		}
		h, err := grayHistogram(filepath.Join(dir, "images", c.File), typ)
		if err != nil {
			t.Errorf("%s: %v", c.File, err)
			continue
		}
		files++
		p := &segment.PageInfo{Type: typ, Min: 0, Max: float64(len(h.Bins) - 1)}
		for method, want := range c.Global {
			compared++
			if method == "multiotsu3" {
				compareMulti(t, c.File, p, h, want.([]any))
				continue
			}
			got, err := bindT(method, p, h)
			if want == nil {
				if err == nil {
					t.Errorf("%s: %s is %v, the reference has no answer", c.File, method, got)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v, want %v", c.File, method, err, want)
				continue
			}
			w, slack := want.(float64), 0.0
			switch method {
			case "li":
				slack = 0.5
			case "mean":
				slack = 1e-6 * math.Abs(w)
			}
			if len(got) != 1 || math.Abs(got[0]-w) > slack {
				t.Errorf("%s: %s is %v, want %v", c.File, method, got, w)
			}
		}
	}
	if files+len(skip) < len(corpusCases(t, dir)) {
		t.Errorf("%d files compared and %d left out, which is not all", files, len(skip))
	}
	t.Logf("%d thresholds of %d files compared", compared, files)
}

func bindT(spec string, p *segment.PageInfo, h *segment.Histogram) ([]float64, error) {
	s, err := Parse(spec)
	if err != nil {
		return nil, err
	}
	_, r, err := s.Bind(p, []segment.Histogram{*h}, Options{})
	return r.T, err
}

func compareMulti(t *testing.T, file string, p *segment.PageInfo, h *segment.Histogram, want []any) {
	t.Helper()
	got, err := bindT("multiotsu", p, h)
	if err != nil || len(got) != 2 || got[0] != want[0].(float64) || got[1] != want[1].(float64) {
		t.Errorf("%s: multiotsu is %v (%v), want %v", file, got, err, want)
	}
}
