package tiff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

func grayOf(v byte) tifftest.Page { return tifftest.Gray(2, 1, 8, []byte{v, v + 1}) }

// TestPages reads the main chain first and SubIFDs after it, in all four forms of file.
func TestPages(t *testing.T) {
	sub := grayOf(40)
	sub.Subs = []tifftest.Page{grayOf(60)}
	second := grayOf(20)
	second.Subs = []tifftest.Page{sub, grayOf(50)}
	for _, big := range []bool{false, true} {
		for _, order := range []tifftest.Order{binary.LittleEndian, binary.BigEndian} {
			f := openBytes(t, tifftest.Build(tifftest.File{Order: order, Big: big, Pages: []tifftest.Page{grayOf(10), second, grayOf(30)}}))
			if f.Pages() != 3 || f.SubIFDs() != 3 {
				t.Fatalf("%d pages and %d SubIFDs, want 3 and 3", f.Pages(), f.SubIFDs())
			}
			for i, want := range []float64{10, 20, 30, 40, 50, 60} {
				p, err := f.Page(i)
				if err != nil {
					t.Fatal(err)
				}
				checkSamples(t, fmt.Sprintf("big %v %v page %d", big, order, i), readAll(t, p), []float64{want, want + 1})
				if parent := []int{-1, -1, -1, 1, 1, 3}[i]; p.Parent != parent {
					t.Errorf("page %d has parent %d, want %d", i, p.Parent, parent)
				}
			}
			if len(f.Warnings()) != 0 {
				t.Errorf("warnings %q", f.Warnings())
			}
			if _, err := f.Page(6); err == nil {
				t.Error("page 6 exists")
			}
		}
	}
}

// TestChains ends at loops, dead ends and damage, with the pages before them and a warning.
func TestChains(t *testing.T) {
	two := tifftest.File{Pages: []tifftest.Page{grayOf(1), grayOf(3)}}
	good := tifftest.Build(two)
	loop := two
	loop.Loop = true
	outside, nested := bytes.Clone(good), grayOf(1)
	binary.LittleEndian.PutUint32(outside[len(outside)-4:], 0xfffffff0)
	damaged := bytes.Clone(good)
	binary.LittleEndian.PutUint32(damaged[len(damaged)-4:], uint32(len(damaged)-1))
	nested = nested.With(map[uint16]any{330: tifftest.IFDs{8, 0x7fffffff}})
	for _, c := range []struct {
		name, want  string
		data        []byte
		pages, subs int
	}{
		{"good", "", good, 2, 0},
		{"loop", "points back", tifftest.Build(loop), 2, 0},
		{"outside", "points outside", outside, 2, 0},
		{"damaged", "cannot be read", damaged, 2, 0},
		{"cut", "missing", good[:len(good)-4], 2, 0},
		{"SubIFDs", "SubIFD of page 0", tifftest.Build(tifftest.File{Pages: []tifftest.Page{nested}}), 1, 0},
	} {
		f := openBytes(t, c.data)
		if f.Pages() != c.pages || f.SubIFDs() != c.subs {
			t.Errorf("%s: %d pages and %d SubIFDs, want %d and %d", c.name, f.Pages(), f.SubIFDs(), c.pages, c.subs)
		}
		warnings := f.Warnings()
		if p, err := f.Page(c.pages - 1); err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else {
			warnings = append(warnings, p.Warnings...)
		}
		if got := strings.Join(warnings, "; "); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: warnings %q, want %q", c.name, got, c.want)
		}
	}
	f, err := Open(bytes.NewReader(good), int64(len(good)), Limits{MaxPages: 1})
	if err != nil || f.Pages() != 1 || len(f.Warnings()) != 1 {
		t.Errorf("limit of one page: %d pages, %v", f.Pages(), err)
	}
}

// TestTolerated reads what libtiff reads although tags are missing or wrong, with one warning each.
func TestTolerated(t *testing.T) {
	gray := tifftest.Gray(4, 2, 8, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	want := floats(1, 2, 3, 4, 5, 6, 7, 8)
	deflated := gray.With(map[uint16]any{259: 8})
	deflated.Chunks = [][]byte{compress(t, encoding{comp: 8}, gray.Chunks[0])}
	rgb := tifftest.Page{Tags: map[uint16]any{256: 1, 257: 1, 258: 8, 262: 2, 277: 4, 278: 1}, Chunks: [][]byte{{1, 2, 3, 4}}}
	strips := gray.With(map[uint16]any{278: nil})
	strips.Chunks = [][]byte{{1, 2, 3, 4}, {5, 6, 7, 8}}
	for _, c := range []struct {
		name, warning string
		page          tifftest.Page
		want          []float64
	}{
		{"no compression", "", gray.With(map[uint16]any{259: nil}), want},
		{"no samples per pixel", "", gray.With(map[uint16]any{277: nil}), want},
		{"no photometric", "PhotometricInterpretation is missing", gray.With(map[uint16]any{262: nil}), want},
		{"no rows per strip", "", gray.With(map[uint16]any{278: nil}), want},
		{"rows per strip too many", "", gray.With(map[uint16]any{278: uint32(0xffffffff)}), want},
		{"no rows per strip, two strips", "RowsPerStrip is missing", strips, want},
		{"no byte counts", "StripByteCounts holds 0 values", gray.With(map[uint16]any{279: []uint32{}}), want},
		{"byte counts of another file", "", gray.With(map[uint16]any{279: uint32(1 << 30)}), want},
		{"byte count of zero", "", gray.With(map[uint16]any{279: uint32(0)}), want},
		{"byte counts missing, compressed", "StripByteCounts holds 0 values", deflated.With(map[uint16]any{279: []uint32{}}), want},
		{"byte count too large, compressed", "", deflated.With(map[uint16]any{279: uint32(1 << 31)}), want},
		{"byte count of zero, compressed", "", deflated.With(map[uint16]any{279: uint32(0)}), want},
		{"one bit count for four samples", "BitsPerSample holds 1 values for 4", rgb, floats(1, 2, 3, 4)},
		{"bad orientation", "Orientation 9", gray.With(map[uint16]any{274: 9}), want},
		{"bad fill order", "FillOrder 3", gray.With(map[uint16]any{266: 3}), want},
		{"bytes as counts", "", gray.With(map[uint16]any{256: uint64(4), 257: tifftest.SLong{2}}), want},
	} {
		p := onePage(t, c.page)
		checkSamples(t, c.name, readAll(t, p), c.want)
		if got := strings.Join(p.Warnings, "; "); c.warning == "" && got != "" || !strings.Contains(got, c.warning) {
			t.Errorf("%s: warnings %q, want %q", c.name, got, c.warning)
		}
	}
	unsorted := openBytes(t, tifftest.Build(tifftest.File{Unsorted: true, Pages: []tifftest.Page{gray}}))
	p, err := unsorted.Page(0)
	if err != nil || len(p.Warnings) != 1 {
		t.Fatalf("tags out of order: %v, %v", p, err)
	}
	checkSamples(t, "tags out of order", readAll(t, p), want)
	bilevel := tifftest.Gray(8, 1, 1, []byte{0x0f}).With(map[uint16]any{258: nil})
	checkSamples(t, "no bits per sample", readAll(t, onePage(t, bilevel)), floats(0, 0, 0, 0, 255, 255, 255, 255))
	sparse := openBytes(t, tifftest.Build(tifftest.File{Pages: []tifftest.Page{gray.With(map[uint16]any{273: 0, 279: 0})}}))
	if p, err = sparse.Page(0); err != nil {
		t.Fatal(err)
	}
	checkSamples(t, "sparse", readAll(t, p), make([]float64, 8))
	if len(sparse.Warnings()) != 1 {
		t.Errorf("sparse: warnings %q", sparse.Warnings())
	}
}

// TestRefused names page, tag and value of what is not read, and says what to do.
func TestRefused(t *testing.T) {
	gray := tifftest.Gray(4, 2, 8, make([]byte, 8))
	rgb := tifftest.Page{Tags: map[uint16]any{256: 1, 257: 1, 258: []uint16{8, 8, 8}, 262: 2, 277: 3, 278: 1}, Chunks: [][]byte{{1, 2, 3}}}
	for _, c := range []struct {
		page        tifftest.Page
		want        string
		unsupported bool
	}{
		{gray.With(map[uint16]any{259: 6}), "page 0: Compression 6 (old-style JPEG compression) is not read; rewrite", true},
		{gray.With(map[uint16]any{259: 34712}), "Compression 34712 (JPEG 2000 compression) is not read", true},
		{gray.With(map[uint16]any{259: 12345}), "Compression 12345 (unknown compression) is not read", true},
		{gray.With(map[uint16]any{262: 32803}), "PhotometricInterpretation 32803 (colour filter array) is not read; develop", true},
		{gray.With(map[uint16]any{262: 32845}), "PhotometricInterpretation 32845 (LogLuv) is not read", true},
		{gray.With(map[uint16]any{339: 6}), "SampleFormat 6 (complex floating point) is not read", true},
		{gray.With(map[uint16]any{339: 3}), "BitsPerSample 8 is no size of a floating-point sample", true},
		{gray.With(map[uint16]any{258: 65}), "BitsPerSample 65 is outside 1 to 64", true},
		{gray.With(map[uint16]any{258: 4, 259: 5, 317: 2}), "Predictor 2 is not read with 4-bit samples", true},
		{gray.With(map[uint16]any{259: 5, 317: 3}), "Predictor 3 is for floating-point samples", false},
		{gray.With(map[uint16]any{259: 5, 317: 4}), "Predictor 4 is none of 1, 2, 3", false},
		{rgb.With(map[uint16]any{258: []uint16{5, 6, 5}}), "BitsPerSample [5 6 5] differs between the samples", true},
		{rgb.With(map[uint16]any{277: 2, 258: []uint16{8, 8}}), "SamplesPerPixel 2 is less than the 3 of RGB", false},
		{rgb.With(map[uint16]any{262: 5, 332: 2, 277: 4, 258: []uint16{8, 8, 8, 8}}), "InkSet 2", true},
		{gray.With(map[uint16]any{256: nil}), "ImageWidth is missing", false},
		{gray.With(map[uint16]any{257: 0}), "ImageLength 0 is not a usable size", false},
		{gray.With(map[uint16]any{256: uint32(1 << 31)}), "ImageWidth 2147483648 is not a usable size", false},
		{gray.With(map[uint16]any{256: "4"}), "ImageWidth cannot be read: has field type 2", false},
		{gray.With(map[uint16]any{284: 3}), "PlanarConfiguration 3 is neither 1 nor 2", false},
		{gray.With(map[uint16]any{277: 0}), "SamplesPerPixel 0", false},
		{gray.With(map[uint16]any{322: 0, 323: 16}), "TileWidth 0 is not a usable size", false},
		{gray.With(map[uint16]any{278: 1}), "StripOffsets holds 1 value, the page needs 2", false},
		{gray.With(map[uint16]any{262: 3}), "ColorMap is missing", false},
		{gray.With(map[uint16]any{262: 3, 320: []uint16{1, 2}}), "ColorMap holds 2 values", false},
		{gray.With(map[uint16]any{259: 4}), "needs 1 bit and 1 sample", false},
		{gray.With(map[uint16]any{258: 1, 259: 3, 292: 2}), "T4Options 2 (uncompressed mode) is not read", true},
		{gray.With(map[uint16]any{258: 16, 259: 7}), "BitsPerSample 16 unsigned integer is not read in JPEG data", true},
		{gray.With(map[uint16]any{259: 50001}), "Compression 50001 (WebP compression) is read for 3 or 4 samples of 8 bits, not for 1 of 8", true},
		{rgb.With(map[uint16]any{262: 6, 530: []uint16{3, 1}}), "YCbCrSubSampling [3 1] is none of 1, 2, 4", false},
	} {
		data := tifftest.Build(tifftest.File{Pages: []tifftest.Page{c.page}})
		_, err := openBytes(t, data).Page(0)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrUnsupported) != c.unsupported {
			t.Errorf("error is %v (unsupported %v), want %q (%v)", err, errors.Is(err, ErrUnsupported), c.want, c.unsupported)
		}
	}
}
