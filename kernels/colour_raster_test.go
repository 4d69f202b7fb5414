package kernels_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/image/tiff"

	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
)

// colourPicture is small and has every kind of colour: dull and vivid, dark and bright, translucent.
func colourPicture(m interface {
	Set(x, y int, c color.Color)
}, alpha bool) {
	rng := rand.New(rand.NewPCG(7, 7))
	for y := range exprH {
		for x := range exprW {
			c := color.NRGBA64{uint16(rng.Uint32()), uint16(rng.Uint32()), uint16(rng.Uint32()), 0xffff}
			if y%3 == 0 {
				c.G, c.B = c.R-c.R/uint16(x+2), c.R
			}
			if alpha && x%2 == 0 {
				c.A = uint16(rng.Uint32())
			}
			m.Set(x, y, c)
		}
	}
}

func tiffOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tiff.Encode(&b, m, &tiff.Options{Compression: tiff.Deflate}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// samplesOf reads a channel of a whole file, row by row.
func samplesOf(t *testing.T, file []byte, channel string) []float64 {
	t.Helper()
	r, err := raster.Open(bytes.NewReader(file), int64(len(file)), "test", raster.Options{Channel: channel})
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for b, err := range page.Bands(context.Background(), raster.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		for k := range b.Lines * b.Samples {
			switch v := b.Body(); {
			case v.U8 != nil:
				out = append(out, float64(v.U8[k]))
			case v.U16 != nil:
				out = append(out, float64(v.U16[k]))
			default:
				out = append(out, float64(v.F32[k]))
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return out
}

// TestColourFiles: hue, saturation and value of opaque files of every kind are those of --channel, rgb ranges those of
// their channels, along rows and columns, in a region, and in bands of a line or two.
func TestColourFiles(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, exprW, exprH))
	rgb8, rgb16 := image.NewNRGBA(gray.Rect), image.NewNRGBA64(gray.Rect)
	var colours color.Palette
	for i := range 200 {
		colours = append(colours, color.RGBA{uint8(i * 5), uint8(255 - i), uint8(i * 7), 255})
	}
	palette := image.NewPaletted(gray.Rect, colours)
	for _, m := range []interface{ Set(x, y int, c color.Color) }{gray, rgb8, rgb16, palette} {
		colourPicture(m, false)
	}
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, rgb8, nil); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	floats := make([]float32, exprW*exprH*3)
	for i := range floats {
		floats[i] = rng.Float32()
	}
	nan := float32(math.NaN())
	floats[5], floats[100] = nan, nan
	const hsv = "color:space=hsv,activation=h:200..40+s:0.25..,boundary=s:..20%+v:..0.9"
	for _, c := range []struct {
		name string
		file []byte
		unit float64
	}{
		{"gray png", pngOf(t, gray), 255},
		{"8-bit png", pngOf(t, rgb8), 255},
		{"16-bit png", pngOf(t, rgb16), 65535},
		{"palette png", pngOf(t, palette), 255},
		{"jpeg", jpg.Bytes(), 255},
		{"8-bit tiff", tiffOf(t, rgb8), 255},
		{"16-bit tiff", tiffOf(t, rgb16), 65535},
		{"float tiff", floatTIFF(3, func(x, y, c int) float32 { return floats[(y*exprW+x)*3+c] }), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			same := c.file
			if c.name == "jpeg" { // whose hues are taken before colours are rounded to 8 bits
				same = rebuilt(t, c.file)
			}
			h, s, v := samplesOf(t, same, "hue"), samplesOf(t, same, "sat"), samplesOf(t, same, "val")
			r, b, luma := samplesOf(t, c.file, "r"), samplesOf(t, c.file, "b"), samplesOf(t, c.file, "")
			lo, hi := math.Round(c.unit*300)/1000, math.Round(c.unit*700)/1000
			rgb := "color:space=rgb,boundary=r:.." + fmt.Sprint(lo) + "+b:" + fmt.Sprint(lo) + "..,activation=r:" + fmt.Sprint(hi) + ".."
			lo32, hi32 := float64(float32(lo)), float64(float32(hi))
			for _, q := range []struct {
				spec  string
				class func(i int) segment.Class
			}{
				{hsv, func(i int) segment.Class {
					switch {
					case s[i] <= float64(float32(0.2)) && v[i] <= float64(float32(0.9)):
						return segment.Boundary
					case (h[i] >= 200 || h[i] <= 40) && s[i] >= 0.25:
						return segment.Activation
					}
					return segment.Other
				}},
				{rgb, func(i int) segment.Class {
					if c.unit > 1 {
						lo32, hi32 = lo, hi
					}
					switch {
					case r[i] <= lo32 && b[i] >= lo32:
						return segment.Boundary
					case r[i] >= hi32:
						return segment.Activation
					}
					return segment.Other
				}},
			} {
				var want []segment.Class
				for i := range h {
					class := q.class(i)
					if math.IsNaN(luma[i]) {
						class = segment.Other // as classify has it
					}
					want = append(want, class)
				}
				for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
					got, _, _ := classify(t, c.file, q.spec, axis, nil, 400)
					if !slices.Equal(got, want) {
						t.Errorf("%s, axis %d: %v, want %v", q.spec, axis, got, want)
					}
					roi := image.Rect(3, 2, exprW-1, exprH-4)
					got, _, _ = classify(t, c.file, q.spec, axis, &roi, 300)
					for y := roi.Min.Y; y < roi.Max.Y; y++ {
						from, to := y*exprW+roi.Min.X, y*exprW+roi.Max.X
						if !slices.Equal(got[from:to], want[from:to]) {
							t.Errorf("%s, axis %d, row %d of a region: %v, want %v", q.spec, axis, y, got[from:to], want[from:to])
						}
					}
				}
				for class := range segment.Class(3) {
					if !slices.Contains(want, class) && c.name != "gray png" {
						t.Errorf("%s asks for no sample of class %d", q.spec, class)
					}
				}
			}
		})
	}
}

// rebuilt is a PNG of the 8-bit colours of a file.
func rebuilt(t *testing.T, file []byte) []byte {
	t.Helper()
	r, g, b := samplesOf(t, file, "r"), samplesOf(t, file, "g"), samplesOf(t, file, "b")
	m := image.NewNRGBA(image.Rect(0, 0, exprW, exprH))
	for i := range r {
		m.SetNRGBA(i%exprW, i/exprW, color.NRGBA{uint8(r[i]), uint8(g[i]), uint8(b[i]), 255})
	}
	return pngOf(t, m)
}

// TestColourAlpha: a translucent colour lies over black, or is as stored.
func TestColourAlpha(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 4, 1))
	for x, c := range []color.NRGBA{{200, 0, 0, 255}, {200, 0, 0, 100}, {200, 0, 0, 0}, {0, 200, 0, 255}} {
		m.SetNRGBA(x, 0, c)
	}
	for _, c := range []struct {
		alpha raster.Alpha
		spec  string
		want  []segment.Class
	}{
		// 200 times 100/255 is 78: value 0.31.
		{raster.AlphaBlack, "color:space=hsv,activation=v:30%..+h:350..10,boundary=v:..10%", []segment.Class{2, 2, 1, 0}},
		{raster.AlphaBlack, "color:space=hsv,activation=v:31%..+h:350..10,boundary=v:..10%", []segment.Class{2, 0, 1, 0}},
		{raster.AlphaIgnore, "color:space=hsv,activation=v:31%..+h:350..10,boundary=v:..10%", []segment.Class{2, 2, 2, 0}},
		{raster.AlphaIgnore, "distance:to=#c80000,near=0.001", []segment.Class{2, 2, 2, 1}},
		{raster.AlphaBlack, "distance:to=#c80000,near=0.001,metric=ciede2000", []segment.Class{2, 1, 1, 1}},
		{raster.AlphaBlack, "color:space=rgb,activation=r:78..78", []segment.Class{1, 2, 1, 1}},
	} {
		file := pngOf(t, m)
		r, err := raster.Open(bytes.NewReader(file), int64(len(file)), "test", raster.Options{Alpha: c.alpha})
		if err != nil {
			t.Fatal(err)
		}
		page, err := r.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		k, err := kernels.Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		classifier, _, err := k.Bind(page.Info(), nil, kernels.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range page.Bands(context.Background(), raster.Request{Needs: k.Needs().Needs}) {
			if err != nil {
				t.Fatal(err)
			}
			var masks segment.Masks
			if err := classifier.Classify(b, &masks); err != nil {
				t.Fatal(err)
			}
			if got := masks.Classes(); !slices.Equal(got, c.want) {
				t.Errorf("%s, alpha %d: %v, want %v", c.spec, c.alpha, got, c.want)
			}
		}
	}
}
