package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

var lines = []string{
	"Rows are read left to right;",
	"a segment lies between two",
	"boundaries that follow each",
	"other and holds an activation.",
}

// text is a scanned page turned bright on dark: paper grain, ink that is not quite even, soft edges.
func text() (image.Image, error) {
	const w, h, size, lead = 520, 216, 30, 48
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("parse font: %w", err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("make font face: %w", err)
	}
	page := image.NewGray(image.Rect(0, 0, w, h))
	draw.Draw(page, page.Bounds(), image.NewUniform(color.Gray{Y: 0}), image.Point{}, draw.Src)
	d := font.Drawer{Dst: page, Src: image.White, Face: face}
	for i, s := range lines {
		d.Dot = fixed.P(30, 52+i*lead)
		d.DrawString(s)
	}
	c := newCanvas(w, h, 0.11, 7)
	c.each(func(x, y int, v float64) float64 { return v + 0.74*float64(page.GrayAt(x, y).Y)/255 })
	c.noise(0.016)
	return c.gray8(), face.Close()
}
