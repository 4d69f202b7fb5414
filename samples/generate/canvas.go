package main

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
)

// canvas is a picture in floating point, 0 black to 1 white, drawn on before it is rounded to samples.
type canvas struct {
	w, h int
	at   []float64
	rng  *rand.Rand
}

// newCanvas is filled with v; seed fixes its noise.
func newCanvas(w, h int, v float64, seed uint64) *canvas {
	c := &canvas{w: w, h: h, at: make([]float64, w*h), rng: rand.New(rand.NewPCG(seed, 0x5e65ca9))}
	for i := range c.at {
		c.at[i] = v
	}
	return c
}

// each sets every pixel to f of its place and value.
func (c *canvas) each(f func(x, y int, v float64) float64) {
	for y := range c.h {
		for x := range c.w {
			i := y*c.w + x
			c.at[i] = f(x, y, c.at[i])
		}
	}
}

// noise adds normal noise of standard deviation sd.
func (c *canvas) noise(sd float64) {
	c.each(func(_, _ int, v float64) float64 { return v + sd*c.rng.NormFloat64() })
}

// gauss is the bell curve of height 1 and standard deviation s at distance d.
func gauss(d, s float64) float64 { return math.Exp(-d * d / (2 * s * s)) }

// plateau is 1 within half of the middle and falls off over soft beyond it.
func plateau(d, half, soft float64) float64 { return falloff(math.Abs(d)-half, soft) }

// falloff is 1 up to 0 and goes to 0 at soft.
func falloff(d, soft float64) float64 {
	switch {
	case d <= 0:
		return 1
	case d >= soft:
		return 0
	default:
		return 0.5 + 0.5*math.Cos(math.Pi*d/soft)
	}
}

func quantize(v float64, top int) int { return int(math.Round(min(max(v, 0), 1) * float64(top))) }

func (c *canvas) gray8() *image.Gray {
	img := image.NewGray(image.Rect(0, 0, c.w, c.h))
	c.each(func(x, y int, v float64) float64 {
		img.SetGray(x, y, color.Gray{Y: uint8(quantize(v, 255))})
		return v
	})
	return img
}

// gray16 spreads 0..1 over 0..top.
func (c *canvas) gray16(top int) *image.Gray16 {
	img := image.NewGray16(image.Rect(0, 0, c.w, c.h))
	c.each(func(x, y int, v float64) float64 {
		img.SetGray16(x, y, color.Gray16{Y: uint16(quantize(v, top))})
		return v
	})
	return img
}
