package raster

import (
	"errors"
	"fmt"
	"image"
	"image/color"
)

// writeKind is what the samples of a written page mean.
type writeKind uint8

const (
	writeGray writeKind = iota
	writePalette
	writeRGB
	writeRGBA  // unassociated alpha
	writeFloat // one IEEE 754 sample a pixel
)

// writeFormat is the layout of the rows of a page that is being written.
type writeFormat struct {
	kind     writeKind
	bits     int // a sample: 1, 2, 4, 8, 16 or 32
	channels int
	palette  color.Palette
	model    string // type of the model, for messages
}

// writeFormatOf reads the colour type of a page from the type (and palette) of a model image.
func writeFormatOf(model image.Image) (writeFormat, error) {
	f := writeFormat{bits: 8, channels: 1, model: fmt.Sprintf("%T", model)}
	switch m := model.(type) {
	case *image.Gray:
	case *image.Gray16:
		f.bits = 16
	case *Gray32:
		f.bits = 32
	case *Float32:
		f.kind, f.bits = writeFloat, 32
	case *image.Paletted:
		f.kind, f.palette = writePalette, m.Palette
		switch n := len(m.Palette); {
		case n == 0:
			return f, errors.New("the palette of the page is empty, give it 1 to 256 colours")
		case n > 256:
			return f, fmt.Errorf("the palette of the page has %d colours, 256 is the most", n)
		case n <= 2:
			f.bits = 1
		case n <= 4:
			f.bits = 2
		case n <= 16:
			f.bits = 4
		}
		for i, c := range m.Palette {
			if c == nil {
				return f, fmt.Errorf("colour %d of the palette is nil", i)
			}
		}
	case *RGB:
		f.kind, f.channels = writeRGB, 3
	case *RGB48:
		f.kind, f.channels, f.bits = writeRGB, 3, 16
	case *image.RGBA, *image.NRGBA:
		f.kind, f.channels = writeRGBA, 4
	case *image.RGBA64, *image.NRGBA64:
		f.kind, f.channels, f.bits = writeRGBA, 4, 16
	default:
		return f, fmt.Errorf("pages of type %T cannot be written, convert to gray, a palette, RGB or RGBA", model)
	}
	return f, nil
}

// rowBytes is the length of one packed row of w pixels.
func (f *writeFormat) rowBytes(w int64) int64 {
	return (w*int64(f.bits*f.channels) + 7) / 8
}

// writeRows is the memory of a band, checked: row y holds width pixels from pix[y*stride].
type writeRows struct {
	pix    []uint8
	stride int
}

func (r writeRows) row(y, n int) []uint8 { return r.pix[y*r.stride : y*r.stride+n] }

// writeCheckRows verifies that a band of h rows of n elements lies inside its memory.
func writeCheckRows(have, stride, n, h int) error {
	if h > 1 && stride < n {
		return fmt.Errorf("the band's stride is %d, its rows need %d", stride, n)
	}
	if need := int64(h-1)*int64(stride) + int64(n); int64(have) < need {
		return fmt.Errorf("the band's memory holds %d elements, its bounds need %d", have, need)
	}
	return nil
}

// writePage counts the rows of the page that is being written and refuses bands that do not fit.
type writePage struct {
	w, h, done int64
	format     writeFormat
}

// accept checks the size of a band and returns its height.
func (p *writePage) accept(img image.Image) (int, error) {
	if img == nil {
		return 0, errors.New("the band is nil")
	}
	b := img.Bounds()
	if b.Empty() || int64(b.Dx()) != p.w {
		return 0, fmt.Errorf("the band is %d x %d pixels, the page is %d wide", b.Dx(), b.Dy(), p.w)
	}
	if p.done+int64(b.Dy()) > p.h {
		return 0, fmt.Errorf("the band ends at row %d, the page has %d", p.done+int64(b.Dy()), p.h)
	}
	return b.Dy(), nil
}

// complete says whether all rows came.
func (p *writePage) complete() error {
	if p.done != p.h {
		return fmt.Errorf("the page is incomplete: %d of %d rows were written", p.done, p.h)
	}
	return nil
}

var errWriterClosed = errors.New("the writer is closed")
