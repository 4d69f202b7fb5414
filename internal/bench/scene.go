package bench

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// scene is a generated page that looks like what people segment. Its samples are in 0..255 before they become 8 or 16
// bits; lo and hi are the bounds for them.
type scene struct {
	name   string
	file   string // its name as an input; the ending says its format
	wide   bool   // 16 bits
	lo, hi float64
	draw   func(g *canvas) error
}

// scenes are those of the pipeline: print on paper as a scanner sees it, the same as a program draws it, spots on a noisy
// ground, ridges in strong noise.
func scenes() []scene {
	return []scene{
		{"scan", "scan.png", false, 60, 180, func(g *canvas) error { defer g.paper(); return g.print() }},
		{"text", "text.tif", false, 60, 180, (*canvas).print},
		{"cells", "cells.tif", true, 45, 80, (*canvas).cells},
		{"spectrogram", "spectrogram.png", true, 40, 90, (*canvas).spectrogram},
	}
}

// canvas is the samples of a scene being drawn.
type canvas struct {
	w, h int
	v    []float64
	rng  *rand.Rand
}

func newCanvas(w, h int) *canvas {
	return &canvas{w, h, make([]float64, w*h), rand.New(rand.NewPCG(7, 11))}
}

// add adds f to every sample.
func (g *canvas) add(f func(x, y float64) float64) {
	for y := range g.h {
		row := g.v[y*g.w:][:g.w]
		for x := range row {
			row[x] += f(float64(x), float64(y))
		}
	}
}

// letters are drawn as often as texts have them; a blank ends a word.
const letters = "etaoinshrdlcumwfgypbvk etaoinshrd etaon ETSR,."

// print draws dark text on white, with letters of several sizes.
func (g *canvas) print() error {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return fmt.Errorf("reading the font: %w", err)
	}
	ink := image.NewAlpha(image.Rect(0, 0, g.w, g.h))
	for top := 24; top < g.h; {
		points := []float64{18, 22, 22, 22, 30}[g.rng.IntN(5)]
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: points, DPI: 72})
		if err != nil {
			return fmt.Errorf("sizing the font: %w", err)
		}
		d := font.Drawer{Dst: ink, Src: image.Opaque, Face: face, Dot: fixed.P(32, top+int(points))}
		for d.Dot.X < fixed.I(g.w-48) {
			k := g.rng.IntN(len(letters))
			d.DrawString(letters[k : k+1])
		}
		top += int(1.5 * points)
	}
	for i, a := range ink.Pix {
		g.v[i] += 235 - 215*float64(a)/255
	}
	return nil
}

// paper adds uneven light and the noise of a scanner.
func (g *canvas) paper() {
	g.add(func(x, y float64) float64 { return 7*math.Sin(x/650+y/1900) + 3*g.rng.NormFloat64() })
}

// cells draws round spots of several sizes on a ground that is noisy and not quite even.
func (g *canvas) cells() error {
	g.add(func(x, y float64) float64 { return 32 + 9*math.Sin((x+y)/480) + 4*g.rng.NormFloat64() })
	for range g.w * g.h / 2600 {
		cx, cy := g.rng.IntN(g.w), g.rng.IntN(g.h)
		size, bright := 4+9*g.rng.Float64(), 60+110*g.rng.Float64()
		reach := int(3 * size)
		for y := max(0, cy-reach); y < min(g.h, cy+reach); y++ {
			for x := max(0, cx-reach); x < min(g.w, cx+reach); x++ {
				d := float64((x-cx)*(x-cx) + (y-cy)*(y-cy))
				g.v[y*g.w+x] += bright * math.Exp(-d/(2*size*size))
			}
		}
	}
	return nil
}

// spectrogram draws a tone and its overtones, which wander, in noise that fades with the frequency.
func (g *canvas) spectrogram() error {
	h := float64(g.h)
	g.add(func(x, y float64) float64 {
		v := 18 + 36*math.Exp(-2*y/h) + 9*g.rng.NormFloat64()
		for k := 1.0; k <= 4; k++ {
			d := y - k*h/6 - 22*math.Sin(x/(85*k))
			v += 105 / k * math.Exp(-d*d/45)
		}
		return v
	})
	return nil
}

// samples8 and samples16 are the scene as stored: 0..255, or the same times 256 with the noise in the low byte kept.
func (g *canvas) samples8() []uint8 {
	out := make([]uint8, len(g.v))
	for i, v := range g.v {
		out[i] = uint8(min(max(v, 0), 255))
	}
	return out
}

func (g *canvas) samples16() []uint16 {
	out := make([]uint16, len(g.v))
	for i, v := range g.v {
		out[i] = uint16(min(max(256*v, 0), 65535))
	}
	return out
}
