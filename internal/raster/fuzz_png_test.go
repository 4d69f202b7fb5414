package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image/png"
	"io"
	"strings"
	"testing"

	"segscan/segment"
)

// stricter are the errors for files that image/png reads: what the PNG specification calls an error.
var stricter = []string{
	"palette index", "unknown critical chunk", "two IHDR chunks", "Apple CgBI", "no chunk begins here",
	// image/png stops at the last row's checksum, before damage that follows in the file.
	"is truncated in chunk", "is truncated at byte", "in the head of a chunk", "is damaged (bad CRC)", "bad CRC in IDAT",
	"palette (PLTE) comes after", "two palettes",
}

// repaired gives every chunk of a damaged file the CRC it should have, so that mutations get past the checks.
func repaired(data []byte) []byte {
	out := bytes.Clone(data)
	for at := len(pngSignature); at+12 <= len(out); {
		n := int(binary.BigEndian.Uint32(out[at:]))
		if n > len(out)-at-12 {
			break
		}
		binary.BigEndian.PutUint32(out[at+8+n:], crc32.ChecksumIEEE(out[at+4:at+8+n]))
		at += 12 + n
	}
	return out
}

// FuzzPNG reads arbitrary bytes, with CRCs put right or not.
func FuzzPNG(f *testing.F) {
	for _, k := range pngKinds() {
		f.Add(k.make(newRand(uint64(k.depth)), 9, 5, 60), true)
	}
	s := smallPNG()
	f.Add(pngFile(s.head, pngChunk("IDAT", s.data)), false)
	f.Fuzz(func(t *testing.T, data []byte, repair bool) {
		if !strings.HasPrefix(string(data), pngSignature) {
			return
		}
		if repair {
			data = repaired(data)
		}
		comparePNG(t, data)
	})
}

// FuzzPNGPixels reads well-formed files of any kind whose image data, before compression, is arbitrary.
func FuzzPNGPixels(f *testing.F) {
	kinds := pngKinds()
	for i, k := range kinds {
		f.Add(uint8(i), uint16(9), uint16(5), []byte{0, 1, 2}, k.filtered(newRand(uint64(i)), 9, 5))
	}
	f.Fuzz(func(t *testing.T, kind uint8, w, h uint16, extra, pixels []byte) {
		k := kinds[int(kind)%len(kinds)]
		chunks := [][]byte{pngHeader(int(w), int(h), k.depth, k.colour, k.interlace)}
		if k.colour == 3 {
			chunks = append(chunks, pngChunk("PLTE", extra))
		}
		if k.trns {
			chunks = append(chunks, pngChunk("tRNS", extra))
		}
		comparePNG(t, pngFile(append(chunks, pngChunk("IDAT", deflated(pixels)), pngChunk("IEND", nil))...))
	})
}

// comparePNG: what image/png reads, this package must read to the same gray, but for what it is stricter about by
// intent; and no input may reach the guard against panics.
func comparePNG(t *testing.T, data []byte) {
	const limit = 1 << 18
	got, warnings, err := readAll(data, Options{MaxPixels: limit})
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
	for _, w := range warnings {
		if strings.Contains(w, "tRNS") {
			return // transparency that image/png applies, or refuses, is ignored with a warning
		}
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
