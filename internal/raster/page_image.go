package raster

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"

	"segscan/segment"
)

// FromImage makes a page of a decoded image: its bounds may begin anywhere, and its rows may be any stride apart.
// Gray keeps 8 bits, Gray16 and the other 16-bit types 16; kinds not known to this package are read through At, as
// 16-bit colours.
func FromImage(img image.Image, name string, o Options) (Page, error) {
	return newPage(name, 0, 1, newImageSource(img), o)
}

// imageSource is a decoded image as a pixelSource.
type imageSource struct {
	img image.Image
	lay layout
	// row writes pixels [x0, x1) of row y, in the image's own coordinates, as interleaved samples.
	row func(dst segment.Plane, x0, x1, y int)
}

func (s *imageSource) layout() *layout { return &s.lay }

func newImageSource(img image.Image) *imageSource {
	b := img.Bounds()
	s := &imageSource{img: img, lay: layout{
		width: int64(b.Dx()), height: int64(b.Dy()), resident: true, channels: 1, bits: 8, max: math.MaxUint8}}
	l := &s.lay
	deep := func() { l.sample, l.bits, l.max = segment.U16, 16, math.MaxUint16 }
	switch m := img.(type) {
	case *image.Gray:
		s.row = bytesRow(m.Pix, m.PixOffset, 1)
	case *image.Gray16:
		deep()
		s.row = wordsRow(m.Pix, m.PixOffset, 1)
	case *image.NRGBA:
		l.channels, l.model, l.alpha, l.alphaAt = 4, modelRGB, alphaUnassociated, 3
		s.row = bytesRow(m.Pix, m.PixOffset, 4)
	case *image.RGBA:
		l.channels, l.model, l.alpha, l.alphaAt = 4, modelRGB, alphaAssociated, 3
		s.row = bytesRow(m.Pix, m.PixOffset, 4)
	case *image.NRGBA64:
		deep()
		l.channels, l.model, l.alpha, l.alphaAt = 4, modelRGB, alphaUnassociated, 3
		s.row = wordsRow(m.Pix, m.PixOffset, 4)
	case *image.RGBA64:
		deep()
		l.channels, l.model, l.alpha, l.alphaAt = 4, modelRGB, alphaAssociated, 3
		s.row = wordsRow(m.Pix, m.PixOffset, 4)
	case *image.Paletted:
		l.model = modelPalette
		for _, c := range m.Palette {
			l.palette = append(l.palette, color.NRGBAModel.Convert(c).(color.NRGBA))
		}
		s.row = bytesRow(m.Pix, m.PixOffset, 1)
	case *image.YCbCr:
		s.narrowRGB(func(x, y int) (uint32, uint32, uint32) {
			yi, ci := m.YOffset(x, y), m.COffset(x, y)
			r, g, b, _ := color.YCbCr{Y: m.Y[yi], Cb: m.Cb[ci], Cr: m.Cr[ci]}.RGBA()
			return r, g, b
		})
	case *image.CMYK:
		s.narrowRGB(func(x, y int) (uint32, uint32, uint32) {
			p := m.Pix[m.PixOffset(x, y):][:4:4]
			r, g, b, _ := color.CMYK{C: p[0], M: p[1], Y: p[2], K: p[3]}.RGBA()
			return r, g, b
		})
	default:
		deep()
		l.channels, l.model, l.alpha, l.alphaAt = 4, modelRGB, alphaAssociated, 3
		s.row = func(dst segment.Plane, x0, x1, y int) {
			for i := range x1 - x0 {
				r, g, b, a := img.At(x0+i, y).RGBA()
				p := dst.U16[4*i:][:4:4]
				p[0], p[1], p[2], p[3] = uint16(r), uint16(g), uint16(b), uint16(a)
			}
		}
	}
	return s
}

// narrowRGB sets up a source of 8-bit colours that Go's RGBA methods compute in 16 bits.
func (s *imageSource) narrowRGB(at func(x, y int) (r, g, b uint32)) {
	l := &s.lay
	l.sample, l.channels, l.model, l.narrow = segment.U16, 3, modelRGB, true
	s.row = func(dst segment.Plane, x0, x1, y int) {
		for i := range x1 - x0 {
			r, g, b := at(x0+i, y)
			p := dst.U16[3*i:][:3:3]
			p[0], p[1], p[2] = uint16(r), uint16(g), uint16(b)
		}
	}
}

func bytesRow(pix []uint8, offset func(x, y int) int, px int) func(segment.Plane, int, int, int) {
	return func(dst segment.Plane, x0, x1, y int) {
		copy(dst.U8, pix[offset(x0, y):][:(x1-x0)*px])
	}
}

// wordsRow reads the big-endian 16-bit samples of Go's image types.
func wordsRow(pix []uint8, offset func(x, y int) int, px int) func(segment.Plane, int, int, int) {
	return func(dst segment.Plane, x0, x1, y int) {
		bigEndianWords(dst.U16[:(x1-x0)*px], pix[offset(x0, y):])
	}
}

// bigEndianWords fills dst from the bytes of src.
func bigEndianWords(dst []uint16, src []byte) {
	src = src[:2*len(dst)]
	for i := range dst {
		dst[i] = uint16(src[2*i])<<8 | uint16(src[2*i+1])
	}
}

func (s *imageSource) rows(_ context.Context, win image.Rectangle) (rowReader, error) {
	return &imageRows{s: s, win: win.Add(s.img.Bounds().Min)}, nil
}

// imageRows is a pass over the rows of win, which is in the image's coordinates.
type imageRows struct {
	s   *imageSource
	win image.Rectangle
}

func (r *imageRows) next(dst segment.Plane) error {
	if dst.Lines > r.win.Dy() {
		return fmt.Errorf("%d rows asked for, %d are left", dst.Lines, r.win.Dy())
	}
	for l := range dst.Lines {
		r.s.row(dst.Sub(l, 0, 1, dst.Samples), r.win.Min.X, r.win.Max.X, r.win.Min.Y)
		r.win.Min.Y++
	}
	return nil
}

func (r *imageRows) close() error { return nil }
