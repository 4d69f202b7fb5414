package raster

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"testing"
)

// writeModels names the colour types that both writers take.
var writeModels = []string{
	"gray", "gray16", "palette1", "palette2", "palette3", "palette4", "palette16", "palette100", "palette256",
	"palette-alpha", "rgb", "rgb48", "rgba", "nrgba", "rgba64", "nrgba64",
}

// writeImage makes an image of a model with random content: noise, flat runs and repeats, so that every way to
// compress is met. Its bounds do not begin at zero, its stride is longer than its rows, and the gaps hold other bytes.
func writeImage(tb testing.TB, r *rand.Rand, model string, w, h int) image.Image {
	tb.Helper()
	big := image.Rect(-3, -2, w+4, h+3)
	in := image.Rect(0, 0, w, h)
	fill := func(pix []uint8, top int) {
		kind := r.IntN(3)
		run, v := 0, 0
		for i := range pix {
			switch {
			case kind == 0:
				v = r.IntN(top)
			case kind == 1 && run == 0:
				v, run = r.IntN(top), 1+r.IntN(30)
			case kind == 2:
				v = (i/3 + i/w%7) % top
			}
			run = max(0, run-1)
			pix[i] = uint8(v)
		}
	}
	paletted := func(n int, alpha bool) image.Image {
		p := make(color.Palette, n)
		for i := range p {
			c := color.NRGBA{R: uint8(r.IntN(256)), G: uint8(i), B: uint8(i * 7), A: 255}
			if alpha && i%3 == 1 {
				c.A = uint8(i)
			}
			p[i] = c
		}
		m := image.NewPaletted(big, p)
		fill(m.Pix, n)
		return m.SubImage(in)
	}
	switch model {
	case "gray":
		m := image.NewGray(big)
		fill(m.Pix, 256)
		return m.SubImage(in)
	case "gray16":
		m := image.NewGray16(big)
		fill(m.Pix, 256)
		return m.SubImage(in)
	case "palette1", "palette2", "palette3", "palette4", "palette16", "palette100", "palette256":
		n := map[string]int{"palette1": 1, "palette2": 2, "palette3": 3, "palette4": 4, "palette16": 16,
			"palette100": 100, "palette256": 256}[model]
		return paletted(n, false)
	case "palette-alpha":
		return paletted(40, true)
	case "rgb":
		m := &RGB{Pix: make([]uint8, 3*w*h+5*h), Stride: 3*w + 5, Rect: in}
		fill(m.Pix, 256)
		return m
	case "rgb48":
		m := &RGB48{Pix: make([]uint16, 3*w*h+5*h), Stride: 3*w + 5, Rect: image.Rect(7, 9, 7+w, 9+h)}
		for i := range m.Pix {
			m.Pix[i] = uint16(i * 77)
			if i%5 == 0 {
				m.Pix[i] = uint16(r.Uint32())
			}
		}
		return m
	case "rgba", "rgba64":
		var m draw.Image = image.NewRGBA(big)
		if model == "rgba64" {
			m = image.NewRGBA64(big)
		}
		for y := range h {
			for x := range w {
				c := color.NRGBA64{R: uint16(r.Uint32()), G: uint16(x), B: uint16(y * 257), A: 65535}
				if x%4 == 2 {
					c.A = uint16(r.Uint32())
				}
				m.Set(x, y, c)
			}
		}
		return m.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(in)
	case "nrgba":
		m := image.NewNRGBA(big)
		fill(m.Pix, 256)
		return m.SubImage(in)
	case "nrgba64":
		m := image.NewNRGBA64(big)
		fill(m.Pix, 256)
		return m.SubImage(in)
	}
	tb.Fatalf("no model %s", model)
	return nil
}

// writeSub is rows y0 to y1 of a band, counted from its top.
func writeSub(tb testing.TB, m image.Image, y0, y1 int) image.Image {
	tb.Helper()
	b := m.Bounds()
	r := image.Rect(b.Min.X, b.Min.Y+y0, b.Max.X, b.Min.Y+y1)
	switch m := m.(type) {
	case interface {
		SubImage(image.Rectangle) image.Image
	}:
		return m.SubImage(r)
	case *RGB:
		return &RGB{Pix: m.Pix[y0*m.Stride:], Stride: m.Stride, Rect: r}
	case *RGB48:
		return &RGB48{Pix: m.Pix[y0*m.Stride:], Stride: m.Stride, Rect: r}
	case *Gray32:
		return &Gray32{Pix: m.Pix[y0*m.Stride:], Stride: m.Stride, Rect: r}
	case *Float32:
		return &Float32{Pix: m.Pix[y0*m.Stride:], Stride: m.Stride, Rect: r}
	}
	tb.Fatalf("no part of a %T", m)
	return nil
}

// writeCuts are heights of bands that together are h.
func writeCuts(r *rand.Rand, h int) []int {
	var cuts []int
	for h > 0 {
		n := 1 + r.IntN(h)
		if r.IntN(2) == 0 {
			n = 1 + r.IntN(min(h, 7))
		}
		cuts = append(cuts, n)
		h -= n
	}
	return cuts
}

// writePageIn writes one page of a writer in bands of the given heights.
func writePageIn(tb testing.TB, w Writer, m image.Image, cuts []int) {
	tb.Helper()
	b := m.Bounds()
	if err := w.NextPage(int64(b.Dx()), int64(b.Dy()), m); err != nil {
		tb.Fatal(err)
	}
	y := 0
	for _, n := range cuts {
		if err := w.WriteBand(writeSub(tb, m, y, y+n)); err != nil {
			tb.Fatal(err)
		}
		y += n
	}
}

// writeDiff returns the first pixel that differs, as 16-bit unassociated colours; ok says there is one.
func writeDiff(got, want image.Image) (at image.Point, g, w color.NRGBA64, ok bool) {
	gb, wb := got.Bounds(), want.Bounds()
	if gb.Dx() != wb.Dx() || gb.Dy() != wb.Dy() {
		return image.Pt(math.MinInt, math.MinInt), g, w, true
	}
	for y := range wb.Dy() {
		for x := range wb.Dx() {
			g = color.NRGBA64Model.Convert(got.At(gb.Min.X+x, gb.Min.Y+y)).(color.NRGBA64)
			w = color.NRGBA64Model.Convert(want.At(wb.Min.X+x, wb.Min.Y+y)).(color.NRGBA64)
			if g != w {
				return image.Pt(x, y), g, w, true
			}
		}
	}
	return at, g, w, false
}
