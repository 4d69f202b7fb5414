package raster

import (
	"bytes"
	"compress/zlib"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

// benchStrips are h rows of w 8-bit samples, rows of a strip at a time, through z.
func benchStrips(w, h, rows int, z func([]byte) []byte) [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var out [][]byte
	for y := 0; y < h; y += rows {
		raw := make([]byte, w*rows)
		for i := range raw {
			raw[i] = byte(i%w/16 + rng.IntN(8)) // noise in the low bits, as cameras have it
		}
		out = append(out, z(raw))
	}
	return out
}

func deflateStrip(raw []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(raw)
	z.Close()
	return b.Bytes()
}

// BenchmarkTIFF reads a page of 64 Mpx from a file, band by band; the plain read of the uncompressed file beside it
// is what the page cache gives.
func BenchmarkTIFF(b *testing.B) {
	const w, h = 8192, 8192
	same := func(raw []byte) []byte { return raw }
	dir := b.TempDir()
	for _, c := range []struct {
		name string
		rows int
		z    func([]byte) []byte
		tags map[uint16]any
	}{
		{"uncompressed", 64, same, nil},
		{"one-row-strips", 1, same, nil},
		{"deflate", 64, deflateStrip, map[uint16]any{259: 8}},
		{"deflate-one-strip", h, deflateStrip, map[uint16]any{259: 8}},
	} {
		page := tifftest.Gray(w, h, 8, nil).With(map[uint16]any{278: c.rows}).With(c.tags)
		page.Chunks = benchStrips(w, h, c.rows, c.z)
		path := filepath.Join(dir, c.name+".tif")
		if err := os.WriteFile(path, tifftest.Build(tifftest.File{Pages: []tifftest.Page{page}}), 0o600); err != nil {
			b.Fatal(err)
		}
		if c.name == "uncompressed" {
			b.Run("read", func(b *testing.B) { benchRead(b, path, w*h) })
		}
		b.Run(c.name, func(b *testing.B) { benchBands(b, path, w*h) })
	}
}

func benchRead(b *testing.B, path string, pixels int64) {
	b.SetBytes(pixels)
	buf := make([]byte, 4<<20)
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		for off := int64(0); ; off += int64(len(buf)) {
			if n, _ := f.ReadAt(buf, off); n < len(buf) {
				break
			}
		}
		f.Close()
	}
}

func benchBands(b *testing.B, path string, pixels int64) {
	b.SetBytes(pixels)
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		st, err := f.Stat()
		if err != nil {
			b.Fatal(err)
		}
		rd, err := Open(f, st.Size(), "x", Options{})
		if err != nil {
			b.Fatal(err)
		}
		p, err := rd.Page(0)
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range p.Bands(context.Background(), Request{MaxBytes: 4 << 20}) {
			if err != nil {
				b.Fatal(err)
			}
		}
		f.Close()
	}
}
