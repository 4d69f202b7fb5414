package raster

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

// benchOverlay draws what overlays look like: 7 bits of gray, and a tint inside the runs between two dark samples
// that hold a bright one, as indices gray | tint<<7.
func benchOverlay(kind string, w, h int) *image.Paletted {
	pal := make(color.Palette, 256)
	for i := range pal {
		g := uint8((i & 127) * 255 / 127)
		pal[i] = color.RGBA{g, g, g, 255}
		if i >= 128 {
			pal[i] = color.RGBA{g/2 + 127, g / 2, g / 2, 255}
		}
	}
	m := image.NewPaletted(image.Rect(0, 0, w, h), pal)
	gray, lo, hi := benchGray(kind, w, h)
	for y := range h {
		row := m.Pix[y*m.Stride : y*m.Stride+w]
		last, active := -1, false
		for x, g := range gray[y*w : y*w+w] {
			row[x] = uint8(min(max(g, 0), 255)) >> 1
			switch {
			case g <= lo:
				if active && last >= 0 {
					for i := last; i <= x; i++ {
						row[i] |= 128
					}
				}
				last, active = x, false
			case g >= hi:
				active = true
			}
		}
	}
	return m
}

// benchGray returns gray values and thresholds: "text" (print without noise), "scan" (print on paper), "cells" (spots
// on a noisy ground), "spectrogram" (ridges in strong noise) and "smooth" (waves without noise).
func benchGray(kind string, w, h int) (g []float64, lo, hi float64) {
	r := rand.New(rand.NewPCG(1, 2))
	g = make([]float64, w*h)
	lo, hi = 70, 120
	each := func(f func(x, y float64) float64) {
		for i := range g {
			g[i] += f(float64(i%w), float64(i/w))
		}
	}
	switch kind {
	case "text", "scan":
		lo, hi = 60, 180
		each(func(x, y float64) float64 { return 240 })
		for y := 20; y+24 < h; y += 40 {
			for x := 30; x+30 < w; x += 11 + r.IntN(10) {
				for range r.IntN(4) {
					x0, y0, y1 := x+r.IntN(8), y+r.IntN(10), y+12+r.IntN(12)
					for yy := y0; yy < y1; yy++ {
						copy(g[yy*w+x0:], []float64{140, 30, 30, 30, 140})
					}
				}
			}
		}
		if kind == "scan" {
			each(func(x, y float64) float64 { return 8*math.Sin(x/700) + 3*r.NormFloat64() })
		}
	case "cells":
		each(func(x, y float64) float64 { return 30 + 10*math.Sin((x+y)/500) + 4*r.NormFloat64() })
		for range w * h / 2500 {
			cx, cy, s, a := r.IntN(w), r.IntN(h), 5+r.Float64()*10, 60+r.Float64()*120
			for y := max(0, cy-45); y < min(h, cy+45); y++ {
				for x := max(0, cx-45); x < min(w, cx+45); x++ {
					g[y*w+x] += a * math.Exp(-float64((x-cx)*(x-cx)+(y-cy)*(y-cy))/2/s/s)
				}
			}
		}
	case "spectrogram":
		each(func(x, y float64) float64 {
			p := 20 + 40*math.Exp(-2*y/float64(h)) + 10*r.NormFloat64()
			for k := 1.0; k < 5; k++ {
				d := y - k*float64(h)/7 - 20*math.Sin(x/90/k)
				p += 110 * math.Exp(-d*d/50)
			}
			return p
		})
	case "smooth":
		each(func(x, y float64) float64 { return 128 + 60*math.Sin(x/90)*math.Cos(y/70) + 40*math.Sin((x+2*y)/300) })
	}
	return g, lo, hi
}

func benchWritePNG(tb testing.TB, b *bytes.Buffer, m image.Image, o PNGOptions) {
	b.Reset()
	w := NewPNGWriter(b, o)
	r := m.Bounds()
	if err := w.NextPage(int64(r.Dx()), int64(r.Dy()), m); err != nil {
		tb.Fatal(err)
	}
	if err := w.WriteBand(m); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkPNGOverlay compares with image/png at its default level on the same palette images: Mpx/s, and the size in
// hundredths of image/png's.
func BenchmarkPNGOverlay(b *testing.B) {
	const w, h = 4000, 2000
	for _, kind := range []string{"text", "scan", "cells", "spectrogram", "smooth"} {
		m := benchOverlay(kind, w, h)
		var std bytes.Buffer
		if err := png.Encode(&std, m); err != nil {
			b.Fatal(err)
		}
		rate := func(b *testing.B) {
			b.ReportMetric(w*h*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mpx/s")
		}
		b.Run(kind+"/image-png", func(b *testing.B) {
			for b.Loop() {
				std.Reset()
				if err := png.Encode(&std, m); err != nil {
					b.Fatal(err)
				}
			}
			rate(b)
		})
		for workers := 1; workers <= min(2, runtime.GOMAXPROCS(0)); workers++ {
			b.Run(kind+"/workers="+string(rune('0'+workers)), func(b *testing.B) {
				var out bytes.Buffer
				for b.Loop() {
					benchWritePNG(b, &out, m, PNGOptions{Workers: workers})
				}
				rate(b)
				b.ReportMetric(100*float64(out.Len())/float64(std.Len()), "%size")
			})
		}
	}
}

// benchColour returns a palette image as RGB, for this package and for image/png.
func benchColour(p *image.Paletted) (*RGB, *image.RGBA) {
	rgb, rgba := NewRGB(p.Rect), image.NewRGBA(p.Rect)
	for i, v := range p.Pix {
		c := p.Palette[v].(color.RGBA)
		rgb.Pix[3*i], rgb.Pix[3*i+1], rgb.Pix[3*i+2] = c.R, c.G, c.B
		copy(rgba.Pix[4*i:], []uint8{c.R, c.G, c.B, 255})
	}
	return rgb, rgba
}

// BenchmarkPNGColour is the same picture without a palette: why overlays have one.
func BenchmarkPNGColour(b *testing.B) {
	const w, h = 2000, 1000
	for _, kind := range []string{"scan", "cells"} {
		rgb, rgba := benchColour(benchOverlay(kind, w, h))
		var std, out bytes.Buffer
		b.Run(kind+"/image-png", func(b *testing.B) {
			for b.Loop() {
				std.Reset()
				if err := png.Encode(&std, rgba); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(w*h*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mpx/s")
		})
		b.Run(kind+"/workers=1", func(b *testing.B) {
			for b.Loop() {
				benchWritePNG(b, &out, rgb, PNGOptions{})
			}
			b.ReportMetric(w*h*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mpx/s")
			b.ReportMetric(100*float64(out.Len())/float64(max(1, std.Len())), "%size")
		})
	}
}

// BenchmarkTIFFOverlay writes the same overlays with each compression; the size is in hundredths of the pixels'.
func BenchmarkTIFFOverlay(b *testing.B) {
	const w, h = 4000, 2000
	for _, kind := range []string{"text", "cells"} {
		m := benchOverlay(kind, w, h)
		for name, c := range map[string]TIFFCompression{"none": TIFFNone, "lzw": TIFFLZW, "deflate": TIFFDeflate, "zstd": TIFFZstd} {
			b.Run(kind+"/"+name, func(b *testing.B) {
				var f tiffWriterFile
				for b.Loop() {
					f.b, f.at = f.b[:0], 0
					t := NewTIFFWriter(&f, TIFFOptions{Compression: c, Predictor: TIFFPredict})
					if err := errors.Join(t.NextPage(w, h, m), t.WriteBand(m), t.Close()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(w*h*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mpx/s")
				b.ReportMetric(100*float64(len(f.b))/(w*h), "%size")
			})
		}
	}
}
