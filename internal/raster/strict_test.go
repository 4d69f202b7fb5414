package raster

import (
	"bytes"
	"strings"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

// Damage that leaves the pixels whole is a warning, and an error under Strict; what is sound but worth knowing stays
// a warning.
func TestStrict(t *testing.T) {
	head, data, end := pngHeader(2, 1, 8, 0, 0), pngChunk("IDAT", deflated([]byte{0, 7, 8})), pngChunk("IEND", nil)
	broken := pngChunk("tEXt", []byte("a\x00b"))
	broken[len(broken)-1] ^= 1
	gray := tifftest.Gray(2, 1, 8, []byte{7, 8})
	loop := tifftest.Build(tifftest.File{Pages: []tifftest.Page{gray}, Loop: true})
	for _, c := range []struct {
		name, want string
		strict     bool // refuses it
		file       []byte
	}{
		{"sound PNG", "", false, pngFile(head, data, end)},
		{"ancillary CRC", "tEXt is damaged", true, pngFile(head, broken, data, end)},
		{"bytes after the end", "3 bytes after the end", true, append(pngFile(head, data, end), "abc"...)},
		{"no IEND", "IEND) is missing", true, pngFile(head, data)},
		{"data after the last row", "goes on after the last row", true, pngFile(head, pngChunk("IDAT", deflated([]byte{0, 7, 8, 9})), end)},
		{"animation", "animation of 2 frames", true, pngFile(head, pngChunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0}), data, end)},
		{"orientation", "orientation tag 6", false, buildTIFF(gray.With(map[uint16]any{274: 6}))},
		{"sound TIFF", "", false, buildTIFF(gray)},
		{"pages in a circle", "points back", true, loop},
		{"no photometric tag", "PhotometricInterpretation is missing", true, buildTIFF(gray.With(map[uint16]any{262: nil}))},
		{"tags out of order", "ascending order", true, tifftest.Build(tifftest.File{Pages: []tifftest.Page{gray}, Unsorted: true})},
		{"second sample", "the first is taken as gray", false, buildTIFF(rowTIFF(1, 2, 8, 2, 7, 0, 8, 0))},
		{"wide integers", "held as float32", false, buildTIFF(tifftest.Gray(2, 1, 32, []byte{7, 0, 0, 0, 8, 0, 0, 0}))},
		{"not stored", "that are not stored", false, buildTIFF(tifftest.Gray(2, 1, 8, nil).With(map[uint16]any{273: 0, 279: 0}))},
	} {
		lines, warnings, err := readAll(c.file, Options{})
		if err != nil || len(lines) != 1 {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if said := strings.Join(warnings, "; "); !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%s: warnings %q, want %q", c.name, said, c.want)
		}
		_, _, err = readAll(c.file, Options{Strict: true})
		switch {
		case c.strict && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--strict")):
			t.Errorf("%s: strictly %v, want %q", c.name, err, c.want)
		case !c.strict && err != nil:
			t.Errorf("%s: strictly %v", c.name, err)
		}
	}
}

// A page of a TIFF beside a damaged one is read strictly all the same.
func TestStrictIsByPage(t *testing.T) {
	gray := tifftest.Gray(1, 1, 8, []byte{7})
	data := buildTIFF(gray, gray.With(map[uint16]any{262: nil}))
	r, err := Open(bytes.NewReader(data), int64(len(data)), "f", Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Page(0); err != nil {
		t.Error(err)
	}
	if _, err := r.Page(1); err == nil {
		t.Error("the second page lacks a tag")
	}
}

func TestMaxRatio(t *testing.T) {
	// 20000 x 20000 pixels that are not stored: 400 MB from a file of some hundred bytes.
	data := buildTIFF(tifftest.Gray(20000, 20000, 8, nil).With(map[uint16]any{273: 0, 279: 0}))
	for ratio, want := range map[int64]string{0: "more than 10000 to 1", 5000: "more than 5000 to 1", 100_000_000: ""} {
		r, err := openBytes(data, Options{MaxRatio: ratio})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Page(0)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--max-ratio")) {
			t.Errorf("ratio %d: %v, want %q", ratio, err, want)
		}
	}
}
