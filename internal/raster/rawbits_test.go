package raster

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"segscan/internal/raster/internal/tifftest"
	"segscan/segment"
)

// Stored bits are the samples, whatever the format, and the nominal range is theirs.
func TestRawBits(t *testing.T) {
	palette := pngChunk("PLTE", []byte{10, 10, 10, 20, 20, 20, 30, 30, 30})
	fourBit := tifftest.Gray(4, 1, 4, []byte{0x05, 0xaf})
	tiffPalette := rowTIFF(3, 1, 8, 2, 1, 0).With(map[uint16]any{320: []uint16{0x1000, 0xffff, 0x1000, 0xffff, 0x1000, 0xffff}})
	for _, c := range []struct {
		name string
		data []byte
		o    Options
		max  float64
		want []float64
	}{
		{"PNG, 1 bit", pngFile(pngHeader(4, 1, 1, 0, 0), pngChunk("IDAT", deflated([]byte{0, 0b0101_0000})), pngChunk("IEND", nil)),
			Options{}, 1, []float64{0, 1, 0, 1}},
		{"PNG, 2 bits, interlaced", pngFile(pngHeader(1, 1, 2, 0, 1), pngChunk("IDAT", deflated([]byte{0, 0b1000_0000})), pngChunk("IEND", nil)),
			Options{}, 3, []float64{2}},
		{"PNG, 4 bits", pngFile(pngHeader(3, 1, 4, 0, 0), pngChunk("IDAT", deflated([]byte{0, 0x0a, 0xf0})), pngChunk("IEND", nil)),
			Options{}, 15, []float64{0, 10, 15}},
		// The transparent value 10 is laid over black, the others stay.
		{"PNG, 4 bits, transparent colour", pngFile(pngHeader(3, 1, 4, 0, 0), pngChunk("tRNS", []byte{0, 10}), pngChunk("IDAT", deflated([]byte{0, 0x3a, 0xf0})), pngChunk("IEND", nil)),
			Options{}, 15, []float64{3, 0, 15}},
		{"PNG, 8 bits", pngFile(pngHeader(1, 1, 8, 0, 0), pngChunk("IDAT", deflated([]byte{0, 77})), pngChunk("IEND", nil)),
			Options{}, 255, []float64{77}},
		{"PNG, palette", pngFile(pngHeader(3, 1, 2, 3, 0), palette, pngChunk("IDAT", deflated([]byte{0, 0b0001_1000})), pngChunk("IEND", nil)),
			Options{}, 3, []float64{0, 1, 2}},
		{"PNG, palette, index beyond it", pngFile(pngHeader(1, 1, 2, 3, 0), palette, pngChunk("IDAT", deflated([]byte{0, 0b1100_0000})), pngChunk("IEND", nil)),
			Options{}, 3, []float64{3}},
		{"PNG, palette, red", pngFile(pngHeader(3, 1, 2, 3, 0), palette, pngChunk("IDAT", deflated([]byte{0, 0b0001_1000})), pngChunk("IEND", nil)),
			Options{Channel: "r"}, 255, []float64{10, 20, 30}},
		{"TIFF, 4 bits", buildTIFF(fourBit), Options{}, 15, []float64{0, 5, 10, 15}},
		{"TIFF, 4 bits, white is zero", buildTIFF(fourBit.With(map[uint16]any{262: 0})), Options{}, 15, []float64{15, 10, 5, 0}},
		{"TIFF, 12 bits", buildTIFF(tifftest.Gray(1, 1, 12, []byte{0xab, 0xc0})), Options{}, 4095, []float64{0xabc}},
		{"TIFF, palette", buildTIFF(tiffPalette), Options{}, 255, []float64{1, 0}},
		{"TIFF, palette, by number", buildTIFF(tiffPalette), Options{Channel: "0"}, 255, []float64{1, 0}},
	} {
		c.o.RawBits = true
		lines, info := pageLines(t, c.data, 0, c.o, Request{})
		if fmt.Sprint(lines) != fmt.Sprint([][]float64{c.want}) || info.Min != 0 || info.Max != c.max {
			t.Errorf("%s: %v in %v..%v, want %v up to %v", c.name, lines, info.Min, info.Max, c.want, c.max)
		}
	}
	if _, err := openBytes(buildTIFF(tiffPalette), Options{RawBits: true, Channel: "1"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readAll(buildTIFF(tiffPalette), Options{RawBits: true, Channel: "1"}); err == nil || !strings.Contains(err.Error(), "no channel 1") {
		t.Errorf("a palette page has a second sample: %v", err)
	}
}

// An index beyond the palette has no colour to show.
func TestRawBitsColoursOfIndices(t *testing.T) {
	for index, want := range map[byte]string{1: "", 3: "palette index 3"} {
		data := pngFile(pngHeader(1, 1, 2, 3, 0), pngChunk("PLTE", []byte{10, 10, 10, 20, 21, 22, 30, 30, 30}),
			pngChunk("IDAT", deflated([]byte{0, index << 6})), pngChunk("IEND", nil))
		r, err := openBytes(data, Options{RawBits: true})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range p.Bands(t.Context(), Request{Needs: segment.Needs{Channels: true}}) {
			switch {
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("index %d: %v", index, err)
			case want == "" && (err != nil || b.V.U8[0] != 1 || b.C[0].U8[0] != 20 || b.C[1].U8[0] != 21 || b.C[2].U8[0] != 22):
				t.Errorf("index %d: %+v, %v", index, b, err)
			}
		}
	}
}

// For every kind of PNG, scaling the stored bits of gray gives what is read without them.
func TestRawBitsScale(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	checked := 0
	for _, k := range pngKinds() {
		data := k.make(rnd, 13, 9, 100)
		raw, _, err := readAll(data, Options{RawBits: true})
		if err != nil {
			t.Fatalf("%v: %v", k, err)
		}
		plain, _, err := readAll(data, Options{})
		if err != nil {
			t.Fatalf("%v: %v", k, err)
		}
		if k.colour == 3 {
			continue
		}
		if k.colour == 0 && k.depth < 8 {
			for y := range raw {
				for x := range raw[y] {
					raw[y][x] *= float64(255 / (int(1)<<k.depth - 1))
				}
			}
			checked++
		}
		t.Run(k.String(), func(t *testing.T) { sameLines(t, raw, plain) })
	}
	if checked != 12 {
		t.Errorf("%d kinds of few bits, want 12", checked)
	}
}
