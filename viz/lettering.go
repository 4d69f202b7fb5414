package viz

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// lettering writes text of one size.
type lettering struct {
	face           font.Face
	size           int // in pixels
	ascent, height int // of a line
}

// newLettering makes letters of so many pixels; mono ones are all as wide.
func newLettering(size int, mono bool) (*lettering, error) {
	ttf := goregular.TTF
	if mono {
		ttf = gomono.TTF
	}
	f, err := opentype.Parse(ttf)
	if err != nil {
		return nil, fmt.Errorf("reading the font: %w", err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(size), DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return nil, fmt.Errorf("setting up the font: %w", err)
	}
	m := face.Metrics()
	return &lettering{face: face, size: size, ascent: m.Ascent.Ceil(), height: m.Height.Ceil() + size/8}, nil
}

// width is that of text in pixels.
func (t *lettering) width(text string) int { return font.MeasureString(t.face, text).Ceil() }

// draw writes text with the top left corner of its line at (x, y).
func (t *lettering) draw(dst draw.Image, x, y int, c color.Color, text string) {
	d := font.Drawer{Dst: dst, Src: image.NewUniform(c), Face: t.face, Dot: fixed.P(x, y+t.ascent)}
	d.DrawString(text)
}

// wrap breaks text into lines of at most width pixels, between words, or inside a word that is longer than a line. A
// line always holds a character.
func (t *lettering) wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for {
			joined := word
			if line != "" {
				joined = line + " " + word
			}
			if t.width(joined) <= width {
				line = joined
				break
			}
			if line != "" {
				lines = append(lines, line)
				line = ""
				continue
			}
			n := t.fitting(word, width)
			lines = append(lines, word[:n])
			word = word[n:]
			if word == "" {
				break
			}
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fitting is how many bytes of a word fit a width, at least one character; rather up to a comma or colon.
func (t *lettering) fitting(word string, width int) int {
	fit, nice := 0, 0
	for i, r := range word {
		end := i + len(string(r))
		if fit > 0 && t.width(word[:end]) > width {
			break
		}
		fit = end
		if r == ',' || r == ':' {
			nice = end
		}
	}
	if nice > 0 && fit < len(word) {
		return nice
	}
	return fit
}

// fillRect colours a rectangle.
func fillRect(dst draw.Image, r image.Rectangle, c color.Color) {
	draw.Draw(dst, r, image.NewUniform(c), image.Point{}, draw.Src)
}
