package raster

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"
)

// photo is a picture with smooth shading, edges and noise, so that an encoder uses all filters on it.
func photo(w, h int, rgb bool) image.Image {
	rnd := rand.New(rand.NewPCG(1, 2))
	g, c := image.NewGray(image.Rect(0, 0, w, h)), image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := 110 + 60*math.Sin(float64(x)/90)*math.Cos(float64(y)/70) + 4*rnd.NormFloat64()
			if (x/150+y/130)%3 == 0 {
				v += 50
			}
			k := uint8(min(255, max(0, v)))
			g.SetGray(x, y, color.Gray{Y: k})
			c.SetRGBA(x, y, color.RGBA{R: k, G: uint8(255 - int(k)/2), B: uint8(int(k)/3 + x%256/8), A: 255})
		}
	}
	if rgb {
		return c
	}
	return g
}

func encodePNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// BenchmarkPNG reads 8-bit images: std is image/png alone, bands this package with its gray conversion.
func BenchmarkPNG(b *testing.B) {
	const w, h = 2000, 1500
	for _, rgb := range []bool{false, true} {
		name := map[bool]string{false: "gray", true: "rgb"}[rgb]
		data := encodePNG(b, photo(w, h, rgb))
		b.Run(name+"/std", func(b *testing.B) {
			b.SetBytes(w * h)
			for b.Loop() {
				if _, err := png.Decode(bytes.NewReader(data)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/bands", func(b *testing.B) {
			b.SetBytes(w * h)
			for b.Loop() {
				r, err := Open(bytes.NewReader(data), int64(len(data)), "", Options{})
				if err != nil {
					b.Fatal(err)
				}
				p, err := r.Page(0)
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range p.Bands(context.Background(), Request{}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
