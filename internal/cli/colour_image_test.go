package cli

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/image/tiff"
)

// inks are the colours of the letters of mkcolour; t is a translucent red.
var inks = map[rune]color.NRGBA{
	'w': {255, 255, 255, 255}, 'k': {0, 0, 0, 255}, 'r': {220, 20, 30, 255}, 'o': {240, 120, 20, 255},
	'g': {30, 150, 60, 255}, 't': {220, 20, 30, 60},
}

// writeColours makes an 8-bit .png or a 16-bit .tif of lines of letters, `wrrw/kggk`.
func writeColours(path, pixels string) error {
	lines := strings.Split(pixels, "/")
	r := image.Rect(0, 0, len(lines[0]), len(lines))
	m8, m16 := image.NewNRGBA(r), image.NewNRGBA64(r)
	for y, l := range lines {
		for x, letter := range l {
			c, ok := inks[letter]
			if !ok || x >= r.Dx() {
				return fmt.Errorf("line %q: no colour is called %c, or the line is longer than the first", l, letter)
			}
			m8.SetNRGBA(x, y, c)
			m16.SetNRGBA64(x, y, color.NRGBA64{uint16(c.R) * 257, uint16(c.G) * 257, uint16(c.B) * 257, uint16(c.A) * 257})
		}
	}
	var b bytes.Buffer
	var err error
	if filepath.Ext(path) == ".tif" {
		err = tiff.Encode(&b, m16, &tiff.Options{Compression: tiff.Deflate})
	} else {
		err = png.Encode(&b, m8)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}
