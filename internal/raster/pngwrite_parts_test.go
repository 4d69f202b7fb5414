package raster

import (
	"bytes"
	"compress/flate"
	"hash/adler32"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"testing"
)

// The sum of two runs joined is that of both in one.
func TestWriteJoinAdler(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	full := bytes.Repeat([]byte{255}, 20_000)
	noise := make([]byte, 20_000)
	for i := range noise {
		noise[i] = uint8(r.Uint32())
	}
	for _, b := range [][]byte{full, noise} {
		for n := 0; n <= len(b); n += 1 + n/20 {
			cut := r.IntN(n + 1)
			got := writeJoinAdler(adler32.Checksum(b[:cut]), adler32.Checksum(b[cut:n]), int64(n-cut))
			if want := adler32.Checksum(b[:n]); got != want {
				t.Fatalf("%d bytes joined at %d: got %#x, want %#x", n, cut, got, want)
			}
		}
	}
}

// Each filter equals its definition in the PNG specification, byte for byte, at every length and distance, and writes
// nothing behind the row.
func TestPNGWriterFilters(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, bpp := range []int{1, 2, 3, 4, 6, 8} {
		for n := 1; n < 70; n++ {
			row, above := make([]byte, n), make([]byte, n)
			for i := range row {
				row[i], above[i] = uint8(r.Uint32()), uint8(r.Uint32())
			}
			for f := pngWriterFilterNone; f <= pngWriterFilterAverage; f++ {
				got := bytes.Repeat([]byte{0xa5}, n+16)
				pngWriterFilterRow(f, got[:n], row, above, bpp)
				for i := range n {
					left := 0
					if i >= bpp {
						left = int(row[i-bpp])
					}
					predicted := []int{0, left, int(above[i]), (left + int(above[i])) / 2}[f]
					if want := uint8(int(row[i]) - predicted); got[i] != want {
						t.Fatalf("filter %d, distance %d, %d bytes, at %d: got %d, want %d", f, bpp, n, i, got[i], want)
					}
				}
				for i, v := range got[n:] {
					if v != 0xa5 {
						t.Fatalf("filter %d, distance %d, %d bytes: wrote %d bytes behind the row", f, bpp, n, i+1)
					}
				}
			}
		}
	}
}

// Every way to encode a piece gives a stream of its filtered rows, whose checksum is kept, at any distance of samples.
func TestPNGWriterWays(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, bpp := range []int{1, 2, 3, 4, 6, 8} {
		for _, width := range []int{1, 2, 7, 300, 33_000} {
			rowLen := bpp * width
			rows := max(2, 100_000/rowLen)
			c := newPNGWriterPiece(rowLen, bpp, rows, PNGDefaultLevel)
			above := make([]byte, rowLen)
			c.reset(above)
			for y := range rows {
				row := c.addRow()
				for i := range row {
					switch row[i] = uint8(r.IntN(9)); {
					case i/50%3 == 0:
						row[i] = c.row(y - 1)[i]
					case i/50%3 == 1 && i >= bpp:
						row[i] = row[i-bpp]
					}
				}
			}
			c.final = true
			for f := pngWriterFilterNone; f <= pngWriterFilterAverage; f++ {
				for mode := pngWriterMatches; mode <= pngWriterHuffman; mode++ {
					if err := c.encode(pngWriterWay{f, mode}); err != nil {
						t.Fatal(err)
					}
					got, err := io.ReadAll(flate.NewReader(bytes.NewReader(c.out)))
					if err != nil {
						t.Fatalf("%d x %d bytes, filter %d, mode %d: %v", width, bpp, f, mode, err)
					}
					var want []byte
					for y := range rows {
						want = append(append(want, byte(f)), make([]byte, rowLen)...)
						pngWriterFilterRow(f, want[len(want)-rowLen:], c.row(y), c.row(y-1), bpp)
					}
					if !bytes.Equal(got, want) || c.sum != adler32.Checksum(want) {
						t.Fatalf("%d x %d bytes, filter %d, mode %d: other rows or another checksum", width, bpp, f, mode)
					}
				}
			}
		}
	}
}

// What repeats neither in a row nor from row to row is not left to a mode that cannot find it.
func TestPNGWriterFindsPatterns(t *testing.T) {
	const w, h = 2000, 300
	r := rand.New(rand.NewPCG(21, 22))
	tile := make([]uint8, 100*100)
	for i := range tile {
		tile[i] = uint8(r.Uint32())
	}
	for name, f := range map[string]func(x, y int) uint8{
		"checks": func(x, y int) uint8 { return uint8(x ^ y&1) },
		"tiles":  func(x, y int) uint8 { return tile[y%100*100+x%100] },
		"waves":  func(x, y int) uint8 { return uint8((x + y) / 8) },
	} {
		m := image.NewGray(image.Rect(0, 0, w, h))
		for i := range m.Pix {
			m.Pix[i] = f(i%w, i/w)
		}
		var std bytes.Buffer
		if err := png.Encode(&std, m); err != nil {
			t.Fatal(err)
		}
		if n := len(pngWriterBytes(t, m, PNGOptions{}, []int{h})); n > 4*std.Len()+200 {
			t.Errorf("%s: %d bytes, image/png takes %d", name, n, std.Len())
		}
	}
}

// The choice of filter and mode is near the best of all: within 5 % in total on every kind of overlay.
func TestPNGWriterChoosesWell(t *testing.T) {
	const w, h = 2000, 400
	for _, kind := range []string{"text", "scan", "cells", "spectrogram", "smooth"} {
		m := benchOverlay(kind, w, h)
		chosen, best := 0, 0
		for y := 0; y < h; y += 200 {
			c := newPNGWriterPiece(w, 1, 200, 5)
			c.reset(nil)
			for i := range 200 {
				copy(c.addRow(), m.Pix[(y+i)*w:])
			}
			size := func(way pngWriterWay) int {
				if err := c.encode(way); err != nil {
					t.Fatal(err)
				}
				return len(c.out)
			}
			way, _ := c.choose()
			chosen += size(way)
			least := 1 << 62
			for f := pngWriterFilterNone; f <= pngWriterFilterAverage; f++ {
				least = min(least, size(pngWriterWay{f, pngWriterMatches}), size(pngWriterWay{f, pngWriterHuffman}), size(pngWriterWay{f, pngWriterRows}))
			}
			best += least
		}
		if chosen*100 > best*105 {
			t.Errorf("%s: %d bytes, the best choice gives %d", kind, chosen, best)
		}
	}
}

// A higher level is not larger, but for a hundredth: levels compress by different means.
func TestPNGWriterLevels(t *testing.T) {
	for _, kind := range []string{"text", "cells", "smooth"} {
		m := benchOverlay(kind, 1500, 400)
		last := 1 << 62
		for _, level := range []int{PNGStored, 1, PNGDefaultLevel, 9} {
			n := len(pngWriterBytes(t, m, PNGOptions{Level: level}, []int{400}))
			if n > last+last/100 {
				t.Errorf("%s: level %d takes %d bytes, a lower one %d", kind, level, n, last)
			}
			last = n
		}
	}
}
