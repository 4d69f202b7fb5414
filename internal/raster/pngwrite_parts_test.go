package raster

import (
	"bytes"
	"hash/adler32"
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
