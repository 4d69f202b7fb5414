package cli

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"

	"segscan/internal/raster"
)

// levels are the gray values of classes under -k hysteresis:lo=10,hi=200: other, boundary, activation.
var levels = map[rune]uint8{'0': 128, '1': 0, '2': 255, 'n': 77}

// grayImage draws lines of classes, `01020/00000`; a line `120*300` is repeated 300 times.
func grayImage(pixels string) (*image.Gray, error) {
	var lines []string
	for _, l := range strings.Split(pixels, "/") {
		n := 1
		if at := strings.IndexByte(l, '*'); at >= 0 {
			if _, err := fmt.Sscanf(l[at:], "*%d", &n); err != nil {
				return nil, fmt.Errorf("line %q: %w", l, err)
			}
			l = l[:at]
		}
		for range n {
			lines = append(lines, l)
		}
	}
	m := image.NewGray(image.Rect(0, 0, len(lines[0]), len(lines)))
	for y, l := range lines {
		for x, c := range l {
			v, ok := levels[c]
			if !ok || x >= len(lines[0]) {
				return nil, fmt.Errorf("line %q: a pixel is 0, 1, 2 or n, and all lines are as long as the first", l)
			}
			m.SetGray(x, y, color.Gray{Y: v})
		}
	}
	return m, nil
}

// writeImage makes a .png, .jpg or .tif; a TIFF has a page for each part between bars, and is of 32-bit floats if
// one of its pixels is n, NaN.
func writeImage(path, pixels string) error {
	float := strings.Contains(pixels, "n")
	var pages []*image.Gray
	for _, p := range strings.Split(pixels, "|") {
		m, err := grayImage(p)
		if err != nil {
			return err
		}
		pages = append(pages, m)
	}
	var b bytes.Buffer
	var err error
	switch ext := filepath.Ext(path); {
	case ext == ".tif" || ext == ".tiff":
		b.Write(tiffPages(pages, float))
	case len(pages) > 1:
		return fmt.Errorf("%s: only a TIFF has pages", path)
	case ext == ".jpg":
		err = jpeg.Encode(&b, pages[0], &jpeg.Options{Quality: 100})
	default:
		err = png.Encode(&b, pages[0])
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// writeImageJ makes a TIFF of one page whose pixels are 0.65 um wide and high, as ImageJ says it.
func writeImageJ(path, pixels string) error {
	m, err := grayImage(pixels)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	size := [2]uint32{1538462, 1000000}
	w := raster.NewTIFFWriter(f, raster.TIFFOptions{Compression: raster.TIFFLZW, Tags: func(int) raster.TIFFTags {
		return raster.TIFFTags{Description: "ImageJ=1.53t\nunit=micron\n", Resolution: raster.TIFFResolution{X: size, Y: size, Unit: 1}}
	}})
	b := m.Bounds()
	return errors.Join(w.NextPage(int64(b.Dx()), int64(b.Dy()), m), w.WriteBand(m), w.Close(), f.Close())
}

// tiffPages is a plain little-endian TIFF, one uncompressed strip a page: 8-bit gray, or the same values as floats.
func tiffPages(pages []*image.Gray, float bool) []byte {
	le := binary.LittleEndian
	out := []byte{'I', 'I', 42, 0, 0, 0, 0, 0}
	link := 4 // where the offset of the next page goes
	for _, m := range pages {
		strip := len(out)
		bits, format := uint32(8), uint32(1)
		if float {
			bits, format = 32, 3
			for _, v := range m.Pix {
				f := float32(v)
				if v == levels['n'] {
					f = float32(math.NaN())
				}
				out = le.AppendUint32(out, math.Float32bits(f))
			}
		} else {
			out = append(out, m.Pix...)
		}
		length := uint32(len(out) - strip)
		if len(out)%2 == 1 {
			out = append(out, 0)
		}
		le.PutUint32(out[link:], uint32(len(out)))
		w, h := uint32(m.Rect.Dx()), uint32(m.Rect.Dy())
		tags := [][2]uint32{{256, w}, {257, h}, {258, bits}, {259, 1}, {262, 1}, {273, uint32(strip)}, {277, 1}, {278, h}, {279, length}, {339, format}}
		out = le.AppendUint16(out, uint16(len(tags)))
		for _, t := range tags {
			out = le.AppendUint16(out, uint16(t[0]))
			out = le.AppendUint16(out, 4) // LONG
			out = le.AppendUint32(out, 1)
			out = le.AppendUint32(out, t[1])
		}
		link = len(out)
		out = le.AppendUint32(out, 0)
	}
	return out
}
