package raster

import (
	"bytes"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"

	"segscan/segment"
)

// stricter are the errors for files that image/png reads: what the PNG specification calls an error.
var stricter = []string{
	"palette index", "unknown critical chunk", "two IHDR chunks", "Apple CgBI",
	// image/png stops at the last row's checksum, before damage that follows in the file.
	"is truncated in chunk", "is truncated at byte", "in the head of a chunk", "is damaged (bad CRC)", "bad CRC in IDAT",
	"palette (PLTE) comes after", "two palettes",
}

// FuzzPNG reads arbitrary bytes: what image/png reads, this package must read to the same gray, but for what it is
// stricter about by intent; and no input may reach the guard against panics.
func FuzzPNG(f *testing.F) {
	for _, k := range pngKinds() {
		f.Add(k.make(newRand(uint64(k.depth)), 9, 5, 60))
	}
	s := smallPNG()
	f.Add(pngFile(s.head, pngChunk("IDAT", s.data)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !strings.HasPrefix(string(data), pngSignature) {
			return
		}
		const limit = 1 << 20
		got, _, err := readAll(data, Options{MaxPixels: limit})
		if err != nil && strings.Contains(err.Error(), "internal error") {
			t.Fatal(err)
		}
		cfg, cfgErr := png.DecodeConfig(bytes.NewReader(data))
		if cfgErr != nil || cfg.Width*cfg.Height > limit {
			return
		}
		m, stdErr := png.Decode(bytes.NewReader(data))
		if stdErr != nil {
			return
		}
		if err != nil {
			for _, s := range stricter {
				if strings.Contains(err.Error(), s) {
					return
				}
			}
			t.Fatalf("image/png reads it, but: %v", err)
		}
		r, err := openBytes(data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		sameLines(t, got, grayOf(m, p.Info().Type == segment.U16))
		cols, err := bodyLines(p, Request{Axis: segment.Cols, MaxBytes: 100})
		if err != nil {
			t.Fatal(err)
		}
		for x := range cols {
			for y, v := range cols[x] {
				if v != got[y][x] {
					t.Fatalf("column %d row %d is %v, row-wise %v", x, y, v, got[y][x])
				}
			}
		}
	})
}

// FuzzOpen reads arbitrary bytes of any format; only panics and endless work are failures.
func FuzzOpen(f *testing.F) {
	f.Add(encodeJPEG(f, photo(9, 9, true)))
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("GIF89a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Open(bytes.NewReader(data), int64(len(data)), "f", Options{MaxPixels: 1 << 18})
		for i := 0; err == nil && i < min(r.Pages(), 3); i++ {
			var p Page
			if p, err = r.Page(i); err == nil {
				_, err = bodyLines(p, Request{MaxBytes: 1000})
			}
		}
		if err != nil && (strings.Contains(err.Error(), "internal error") || errors.Is(err, io.ErrNoProgress)) {
			t.Fatal(err)
		}
	})
}
