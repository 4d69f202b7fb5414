package raster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"strings"
	"testing"

	"segscan/internal/raster/internal/tifftest"
	"segscan/segment"
)

func buildTIFF(pages ...tifftest.Page) []byte { return tifftest.Build(tifftest.File{Pages: pages}) }

func rowTIFF(photo, spp, bits, w int, samples ...byte) tifftest.Page {
	return tifftest.Page{Tags: map[uint16]any{256: w, 257: 1, 258: bits, 259: 1, 262: photo, 277: spp, 278: 1}, Chunks: [][]byte{samples}}
}

func pageLines(t *testing.T, data []byte, page int, o Options, r Request) ([][]float64, *segment.PageInfo) {
	t.Helper()
	rd, err := Open(bytes.NewReader(data), int64(len(data)), "f.tif", o)
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Close()
	p, err := rd.Page(page)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := bodyLines(p, r)
	if err != nil {
		t.Fatal(err)
	}
	return lines, p.Info()
}

// TestTIFFMeaning takes kinds of page through to the samples that are segmented. Gray of r, g, b is
// (19595*257r + 38470*257g + 7471*257b + 1<<15) >> 24, as Go's color.GrayModel has it.
func TestTIFFMeaning(t *testing.T) {
	for _, c := range []struct {
		name string
		page tifftest.Page
		o    Options
		typ  segment.SampleType
		want []float64
	}{
		{"gray", rowTIFF(1, 1, 8, 2, 7, 200), Options{}, segment.U8, []float64{7, 200}},
		{"white is zero", rowTIFF(0, 1, 8, 2, 7, 200), Options{}, segment.U8, []float64{248, 55}},
		{"gray and unassociated alpha", rowTIFF(1, 2, 8, 2, 200, 128, 200, 255).With(map[uint16]any{338: 2}), Options{}, segment.U8,
			[]float64{100, 200}}, // 200*128/255 = 100.4
		{"gray and associated alpha", rowTIFF(1, 2, 8, 2, 200, 128, 200, 255).With(map[uint16]any{338: 1}), Options{}, segment.U8,
			[]float64{200, 200}},
		{"alpha ignored", rowTIFF(1, 2, 8, 2, 200, 128, 200, 255).With(map[uint16]any{338: 2}), Options{Alpha: AlphaIgnore}, segment.U8,
			[]float64{200, 200}},
		{"extra sample", rowTIFF(2, 4, 8, 1, 90, 90, 90, 0).With(map[uint16]any{338: 0}), Options{}, segment.U8, []float64{90}},
		{"extra sample unspoken of", rowTIFF(2, 4, 8, 1, 90, 90, 90, 0), Options{}, segment.U8, []float64{90}},
		{"extra sample by number", rowTIFF(2, 4, 8, 1, 90, 90, 90, 3), Options{Channel: "3"}, segment.U8, []float64{3}},
		{"green", rowTIFF(2, 3, 8, 1, 90, 91, 92), Options{Channel: "g"}, segment.U8, []float64{91}},
		{"white and alpha at 12 bits", rowTIFF(1, 2, 12, 1, 0xff, 0xf8, 0x00).With(map[uint16]any{338: 2}), Options{}, segment.U16,
			[]float64{2048}}, // 4095 * 2048/4095
		{"palette", rowTIFF(3, 1, 8, 2, 1, 0).With(map[uint16]any{320: []uint16{0x1000, 0xffff, 0x1000, 0xffff, 0x1000, 0xffff}}), Options{},
			segment.U8, []float64{255, 16}},
		{"signed", rowTIFF(1, 1, 8, 2, 0x80, 5).With(map[uint16]any{339: 2}), Options{}, segment.F32, []float64{-128, 5}},
		{"CMYK", rowTIFF(5, 4, 8, 1, 0, 0, 0, 155), Options{}, segment.U8, []float64{100}},
	} {
		lines, info := pageLines(t, buildTIFF(c.page), 0, c.o, Request{})
		if info.Type != c.typ || fmt.Sprint(lines) != fmt.Sprint([][]float64{c.want}) {
			t.Errorf("%s: %v %v, want %v %v", c.name, info.Type, lines, c.typ, c.want)
		}
	}
}

// TestTIFFInfo reports what the page is, and what is not done about it.
func TestTIFFInfo(t *testing.T) {
	page := tifftest.Gray(3, 2, 12, make([]byte, 10)).With(map[uint16]any{274: 6})
	_, info := pageLines(t, buildTIFF(page, page), 1, Options{}, Request{})
	if info.File != "f.tif" || info.Page != 1 || info.Pages != 2 || info.Width != 3 || info.Height != 2 || info.Bits != 12 ||
		info.Min != 0 || info.Max != 4095 || info.Channels != 1 {
		t.Errorf("%+v", info)
	}
	if len(info.Warnings) != 1 || !strings.Contains(info.Warnings[0], "auto-orient") {
		t.Errorf("warnings %q", info.Warnings)
	}
	_, info = pageLines(t, buildTIFF(page), 0, Options{AutoOrient: true}, Request{})
	if info.Width != 2 || info.Height != 3 || len(info.Warnings) != 0 {
		t.Errorf("turned: %+v", info)
	}
	float := rowTIFF(1, 1, 32, 1, 0, 0, 0, 0).With(map[uint16]any{339: 3})
	if _, info = pageLines(t, buildTIFF(float), 0, Options{}, Request{}); !math.IsNaN(info.Min) || !math.IsNaN(info.Max) {
		t.Errorf("float: %+v", info)
	}
}

// TestTIFFSubIFDs are behind the pages, and said.
func TestTIFFSubIFDs(t *testing.T) {
	main := rowTIFF(1, 1, 8, 1, 5)
	main.Subs = []tifftest.Page{rowTIFF(1, 1, 8, 1, 6)}
	data := buildTIFF(main, rowTIFF(1, 1, 8, 1, 7))
	rd, err := Open(bytes.NewReader(data), int64(len(data)), "f.tif", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rd.Format() != "tiff" || rd.Pages() != 2 || rd.(ExtraPager).ExtraPages() != 1 {
		t.Errorf("%s with %d pages", rd.Format(), rd.Pages())
	}
	if w := rd.Warnings(); len(w) != 1 || !strings.Contains(w[0], "--page 2") {
		t.Errorf("warnings %q", w)
	}
	if lines, _ := pageLines(t, data, 2, Options{}, Request{}); lines[0][0] != 6 {
		t.Errorf("page 2 is %v, want 6", lines)
	}
	if _, err := rd.Page(3); err == nil {
		t.Error("page 3 exists")
	}
}

// TestTIFFBands reads windows along both axes out of strips and tiles, with bands of a few lines.
func TestTIFFBands(t *testing.T) {
	const w, h = 50, 40
	raw := make([]byte, w*h)
	for i := range raw {
		raw[i] = byte(i * 7)
	}
	strips := tifftest.Gray(w, h, 8, nil).With(map[uint16]any{278: 7, 259: 8})
	strips.Chunks = nil
	for y := 0; y < h; y += 7 {
		strips.Chunks = append(strips.Chunks, deflateStrip(raw[y*w:min(y+7, h)*w]))
	}
	roi := image.Rect(11, 5, 37, 33)
	for _, page := range []tifftest.Page{tifftest.Gray(w, h, 8, raw), strips} {
		for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
			lines, _ := pageLines(t, buildTIFF(page), 0, Options{}, Request{Axis: axis, ROI: &roi, MaxBytes: 100})
			for l, line := range lines {
				for s, v := range line {
					x, y := roi.Min.X+s, roi.Min.Y+l
					if axis == segment.Cols {
						x, y = roi.Min.X+l, roi.Min.Y+s
					}
					if want := float64(raw[y*w+x]); v != want {
						t.Fatalf("%d chunks axis %v: pixel %d,%d is %v, want %v", len(page.Chunks), axis, x, y, v, want)
					}
				}
			}
			if len(lines) != []int{roi.Dy(), roi.Dx()}[axis] {
				t.Errorf("axis %v: %d lines", axis, len(lines))
			}
		}
	}
}

// TestTIFFLimits: pages above --max-pixels are refused before a sample is read, and cancelling ends a pass.
func TestTIFFLimits(t *testing.T) {
	data := buildTIFF(tifftest.Gray(100, 100, 8, make([]byte, 10_000)))
	rd, err := Open(bytes.NewReader(data), int64(len(data)), "f.tif", Options{MaxPixels: 9999})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rd.Page(0); err == nil || !strings.Contains(err.Error(), "--max-pixels") {
		t.Errorf("error is %v", err)
	}
	if rd, err = Open(bytes.NewReader(data), int64(len(data)), "f.tif", Options{}); err != nil {
		t.Fatal(err)
	}
	p, err := rd.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err = range p.Bands(ctx, Request{}) {
		if err != nil {
			break
		}
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
}

// TestTIFFPixelSize is what descriptions say.
func TestTIFFPixelSize(t *testing.T) {
	page := rowTIFF(1, 1, 8, 1, 5).With(map[uint16]any{270: "ImageJ=1.53\nimages=1\nunit=micron\n",
		282: []tifftest.Rational{{4, 1}}, 283: []tifftest.Rational{{4, 1}}})
	for _, c := range []struct {
		page tifftest.Page
		want Scale
	}{{page, Scale{0.25, 0.25, "um", "ImageJ"}}, {rowTIFF(1, 1, 8, 1, 5), Scale{}},
		{page.With(map[uint16]any{283: []tifftest.Rational{{5, 1}}}), Scale{0.25, 0.2, "um", "ImageJ"}},
		// ImageJ writes 0.65 as the inverse of 1538462/1000000; 12 pixels a unit are no decimal.
		{page.With(map[uint16]any{282: []tifftest.Rational{{1538462, 1000000}}, 283: []tifftest.Rational{{12, 1}}}),
			Scale{0.65, 1. / 12, "um", "ImageJ"}},
		{page.With(map[uint16]any{282: []tifftest.Rational{{3000000, 1000000}}, 283: []tifftest.Rational{{0, 1}}}), Scale{}}} {
		data := buildTIFF(c.page)
		rd, err := Open(bytes.NewReader(data), int64(len(data)), "f.tif", Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := rd.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.(Described).Scale(); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}
