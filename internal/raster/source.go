package raster

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"runtime/debug"
	"strconv"
	"strings"

	"segscan/segment"
)

// This file is what a format reader builds on. It describes a page by a layout, hands out its stored samples window
// by window through a pixelSource, and calls newPage (page.go), which does the rest: the size limit, gray, channels
// and alpha, orientation, axis, region, halos and bands.

// colorModel says what the samples of a pixel are.
type colorModel uint8

const (
	modelGray    colorModel = iota // sample 0 is gray, 0 is black
	modelRGB                       // samples 0, 1, 2 are red, green, blue
	modelPalette                   // sample 0 is an index into layout.palette (u8 or u16 samples)
)

// alphaKind says how the sample layout.alphaAt, if any, combines with the colour.
type alphaKind uint8

const (
	alphaNone         alphaKind = iota
	alphaUnassociated           // colours are multiplied by it (unless told to ignore it)
	alphaAssociated             // colours are multiplied already and taken as stored
)

// layout describes the samples a pixelSource hands out: `channels` interleaved samples a pixel, all of one type, with
// the photometric meaning resolved (white-is-zero inverted; YCbCr, CMYK and Lab turned into RGB; 1, 2 and 4 bits
// scaled to 0..255 unless they are palette indices; signed, wide, half and double samples as f32). Samples beyond
// the colour that are not alpha are ignored, and reached only by number (--channel N).
type layout struct {
	width, height int64 // as stored, before orientation
	sample        segment.SampleType
	channels      int
	model         colorModel
	palette       []color.NRGBA // for modelPalette; an index beyond it is an error

	alpha   alphaKind
	alphaAt int // index of the alpha sample, if alpha != alphaNone
	// alphaMax is the alpha of an opaque pixel; 0 stands for 255, 65535 or 1 by sample type.
	alphaMax float64

	// narrow: the u16 samples are colours of an 8-bit image widened to 16 bits (YCbCr and CMYK as Go's RGBA methods
	// give them), to be rounded to 8 bits only after gray conversion. The page is u8 then.
	narrow bool

	bits     int     // bits a sample as stored, for PageInfo
	min, max float64 // nominal range of a sample, for PageInfo; NaN, NaN for float

	orientation int // 1..8 as in TIFF and EXIF; 0 is 1

	// chunk is the number of rows decoded together (a strip, a row of tiles); 0 or 1: rows are independent.
	chunk int
	// resident: the source holds its samples in memory, so that keeping converted samples gains nothing.
	resident bool

	warnings []string // go into PageInfo.Warnings

	tags  TIFFTags // what the file says of resolution and contents
	scale Scale
}

// pixelSource is one page of a file. It must allow several passes at once.
type pixelSource interface {
	layout() *layout
	// rows starts a pass over the window win of the stored page (never empty, always inside it), from its top row.
	rows(ctx context.Context, win image.Rectangle) (rowReader, error)
}

// rowReader is one pass over the rows of a window.
type rowReader interface {
	// next writes the next dst.Lines rows of the window to dst, whose rows hold win.Dx()*channels samples of the
	// layout's type, dst.Stride apart. What lies between the rows must stay as it is. The sum of all calls never
	// exceeds the window; a pass may end early.
	next(dst segment.Plane) error
	// close ends the pass; it may be called before the last row.
	close() error
}

// checkSize refuses pages that are empty or hold more than o.MaxPixels pixels. Readers call it before they allocate
// anything that grows with the size; newPage calls it too.
func checkSize(width, height int64, o Options) error {
	if width <= 0 || height <= 0 {
		return fmt.Errorf("image is %d x %d: a side is empty", width, height)
	}
	limit := o.MaxPixels
	if limit <= 0 {
		limit = DefaultMaxPixels
	}
	if width > limit/height {
		return fmt.Errorf("image is %d x %d (%s), above the limit of %s (--max-pixels)",
			width, height, pixelCount(float64(width)*float64(height)), pixelCount(float64(limit)))
	}
	return nil
}

// pixelCount prints a number of pixels to three digits.
func pixelCount(n float64) string {
	unit := "px"
	for _, u := range []string{"kpx", "Mpx", "Gpx", "Tpx", "Ppx", "Epx"} {
		if n < 1000 {
			break
		}
		n, unit = n/1000, u
	}
	decimals := 0
	switch {
	case n < 10:
		decimals = 2
	case n < 100:
		decimals = 1
	}
	s := strconv.FormatFloat(n, 'f', decimals, 64)
	if decimals > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + " " + unit
}

// guard runs f and turns a panic into an error, so that a damaged file never ends the program. Every goroutine that
// decodes must run under it.
func guard(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{what: what, value: p, stack: debug.Stack()}
		}
	}()
	return f()
}

// panicError is a panic met while decoding. The stack is kept for whoever debugs it, not for the message.
type panicError struct {
	what  string
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("%s: internal error: %v", e.what, e.value)
}
