package kernels_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
)

// classify runs an expr kernel over a whole file and gives the class of each pixel, row by row.
func classify(t *testing.T, file []byte, spec string, axis segment.Axis, roi *image.Rectangle, maxBytes int64) (classes []segment.Class, w, h int) {
	t.Helper()
	r, err := raster.Open(bytes.NewReader(file), int64(len(file)), "test", raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	page, err := r.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernels.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := k.Bind(page.Info(), nil, kernels.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, h = int(page.Info().Width), int(page.Info().Height)
	classes = make([]segment.Class, w*h)
	for b, err := range page.Bands(context.Background(), raster.Request{Axis: axis, Needs: k.Needs().Needs, ROI: roi, MaxBytes: maxBytes}) {
		if err != nil {
			t.Fatal(err)
		}
		var m segment.Masks
		if err := c.Classify(b, &m); err != nil {
			t.Fatal(err)
		}
		for i, class := range m.Classes() {
			line, sample := int(b.Line0)+i/b.Samples, int(b.Sample0)+i%b.Samples
			if axis == segment.Cols {
				line, sample = sample, line
			}
			classes[line*w+sample] = class
		}
	}
	return classes, w, h
}

const exprW, exprH = 23, 17

func draw(m interface {
	Set(x, y int, c color.Color)
}) {
	for y := range exprH {
		for x := range exprW {
			m.Set(x, y, color.RGBA64{uint16(x * 2800), uint16(y * 3800), uint16((x + y) * 1600), 0xffff})
		}
	}
}

func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// floatTIFF is one strip of uncompressed little-endian float32 samples of exprW x exprH pixels.
func floatTIFF(channels int, at func(x, y, c int) float32) []byte {
	var data bytes.Buffer
	for y := range exprH {
		for x := range exprW {
			for c := range channels {
				_ = binary.Write(&data, binary.LittleEndian, at(x, y, c)) // a buffer takes everything
			}
		}
	}
	photometric := uint32(1)
	if channels == 3 {
		photometric = 2
	}
	b := []byte("II*\x00\x08\x00\x00\x00")
	tags := [][4]uint32{{256, 4, 1, exprW}, {257, 4, 1, exprH}, {259, 3, 1, 1}, {262, 3, 1, photometric}, {273, 4, 1, 0},
		{277, 3, 1, uint32(channels)}, {278, 4, 1, exprH}, {279, 4, 1, uint32(data.Len())}}
	// BitsPerSample and SampleFormat, one a channel, lie behind the directory: at most 8 bytes each.
	n := len(tags) + 2
	extra := uint32(8 + 2 + 12*n + 4)
	tags = append(tags[:2], append([][4]uint32{{258, 3, uint32(channels), extra}}, tags[2:]...)...)
	tags = append(tags, [4]uint32{339, 3, uint32(channels), extra + 8})
	b = binary.LittleEndian.AppendUint16(b, uint16(n))
	for _, tag := range tags {
		if tag[0] == 273 {
			tag[3] = extra + 16
		}
		if channels == 1 && tag[0] == 258 {
			tag[3] = 32
		}
		if channels == 1 && tag[0] == 339 {
			tag[3] = 3
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(tag[0]))
		b = binary.LittleEndian.AppendUint16(b, uint16(tag[1]))
		b = binary.LittleEndian.AppendUint32(b, tag[2])
		b = binary.LittleEndian.AppendUint32(b, tag[3])
	}
	b = append(b, 0, 0, 0, 0)
	for _, v := range []uint16{32, 3} {
		for range 4 {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
	}
	return append(b, data.Bytes()...)
}

// TestExprColours checks that files of every kind give the colours and places that a condition asks for, along rows and
// columns, in bands and in a region.
func TestExprColours(t *testing.T) {
	gray8, gray16 := image.NewGray(image.Rect(0, 0, exprW, exprH)), image.NewGray16(image.Rect(0, 0, exprW, exprH))
	rgb8, rgb16 := image.NewNRGBA(gray8.Rect), image.NewNRGBA64(gray8.Rect)
	var colours color.Palette
	for i := range 200 {
		colours = append(colours, color.RGBA{uint8(i), uint8(255 - i), uint8(i * 7), 255})
	}
	palette := image.NewPaletted(gray8.Rect, colours)
	for _, m := range []interface{ Set(x, y int, c color.Color) }{gray8, gray16, rgb8, rgb16, palette} {
		draw(m)
	}
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, rgb8, nil); err != nil {
		t.Fatal(err)
	}
	decoded, err := jpeg.Decode(bytes.NewReader(jpg.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	ramp := func(x, y, c int) float32 {
		return [...]float32{float32(x)/10 + float32(y)/2, float32(x)/10 - float32(y)*0.7, 8 - float32(x)/5}[c]
	}
	fromImage := func(m image.Image, shift int) func(x, y, c int) float64 {
		return func(x, y, c int) float64 {
			r, g, b, a := m.At(x, y).RGBA()
			return float64([]uint32{r, g, b, a}[c] >> shift)
		}
	}
	fromFloats := func(channels int) func(x, y, c int) float64 {
		return func(x, y, c int) float64 {
			if c == 3 {
				return 1
			}
			return float64(ramp(x, y, min(c, channels-1)))
		}
	}
	for _, c := range []struct {
		name string
		file []byte
		at   func(x, y, c int) float64
		unit float64 // of a, opaque
	}{
		{"gray 8", pngOf(t, gray8), fromImage(gray8, 8), 255},
		{"gray 16", pngOf(t, gray16), fromImage(gray16, 0), 65535},
		{"colour 8", pngOf(t, rgb8), fromImage(rgb8, 8), 255},
		{"colour 16", pngOf(t, rgb16), fromImage(rgb16, 0), 65535},
		{"palette", pngOf(t, palette), fromImage(palette, 8), 255},
		{"jpeg", jpg.Bytes(), fromImage(decoded, 8), 255},
		{"gray float", floatTIFF(1, ramp), fromFloats(1), 1},
		{"colour float", floatTIFF(3, ramp), fromFloats(3), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := fmt.Sprintf("expr:boundary=a!=%v || r>g+x,activation=b>r && x!=3 && y<height-2 && x<width-1", c.unit)
			if c.at(5, 5, 0) == c.at(5, 5, 1) { // gray
				got, _, _ := classify(t, c.file, "expr:boundary=v==r && v==g && v==b,activation=true", segment.Cols, nil, 400)
				for i, class := range got {
					if class != segment.Boundary {
						t.Fatalf("the colours of gray pixel %d are not its sample", i)
					}
				}
			}
			roi := image.Rect(2, 1, exprW-3, exprH-1)
			for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
				for _, region := range []*image.Rectangle{nil, &roi} {
					got, w, h := classify(t, c.file, spec, axis, region, 400)
					if w != exprW || h != exprH {
						t.Fatalf("a page of %d x %d", w, h)
					}
					seen := map[segment.Class]int{}
					for y := range h {
						for x := range w {
							want := segment.Other
							r, g, b, a := c.at(x, y, 0), c.at(x, y, 1), c.at(x, y, 2), c.at(x, y, 3)
							switch {
							case region != nil && !image.Pt(x, y).In(*region):
							case a != c.unit || r > g+float64(x):
								want = segment.Boundary
							case b > r && x != 3 && y < h-2 && x < w-1:
								want = segment.Activation
							}
							seen[want]++
							if got[y*w+x] != want {
								t.Fatalf("axis %d, region %v: pixel %d,%d (%v %v %v %v) is %d, want %d", axis, region, x, y, r, g, b, a, got[y*w+x], want)
							}
						}
					}
					if colour := c.at(5, 5, 0) != c.at(5, 5, 1); colour && len(seen) < 3 {
						t.Errorf("too little was seen: %v", seen)
					}
				}
			}
		})
	}
}
