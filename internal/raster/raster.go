// Package raster reads PNG, TIFF and JPEG files as bands of samples and writes PNG and TIFF by bands of rows. It
// depends on segment only and never prints.
package raster

import (
	"context"
	"image"
	"io"
	"iter"

	"segscan/segment"
)

// Alpha says what becomes of transparency.
type Alpha uint8

// AlphaBlack composes over black: unassociated alpha multiplies, associated alpha is taken as stored. AlphaIgnore
// never multiplies.
const (
	AlphaBlack Alpha = iota
	AlphaIgnore
)

// Options of Open. Channel is "" or "luma" for gray, r g b a, hue sat val, or a 0-based number. MaxPixels bounds
// Width*Height of a page, checked before pixels are decoded (0: DefaultMaxPixels). MaxRatio bounds what a TIFF page
// may decode to, in bytes for each byte of its file; the first 256 MiB are free (0: DefaultMaxRatio).
//
// RawBits takes stored values as samples: gray of fewer than 8 bits is not scaled to 0..255 but spans 0..2^bits-1,
// and the gray of a palette page is the index (channels asked for by letter or name are those of the colours still).
//
// Strict makes errors of warnings that a file is damaged, breaks its specification or, an animated PNG, holds frames
// that are not read. Without it a damaged file is read where its pixels are whole.
type Options struct {
	Channel    string
	Alpha      Alpha
	AutoOrient bool
	MaxPixels  int64
	MaxRatio   int64
	RawBits    bool
	Strict     bool
}

// DefaultMaxPixels is the default of --max-pixels, DefaultMaxRatio that of --max-ratio.
const (
	DefaultMaxPixels = 2_000_000_000
	DefaultMaxRatio  = 10_000
)

// Request describes the bands wanted. ROI limits the page to a rectangle (nil: all of it); its border is a line
// end, and band positions stay those of the page; halos still show what lies beyond the region, up to the page's
// border. A region that juts out of the page is cut to it; one that misses it is an error. MaxBytes bounds the
// samples of one band (0: DefaultBandBytes); a line longer than that is one band, and a body is never shorter than
// its halo. Alloc may be nil.
type Request struct {
	Axis     segment.Axis
	Needs    segment.Needs
	ROI      *image.Rectangle
	MaxBytes int64
	Alloc    func(segment.SampleType, int) (segment.Plane, func())
}

// Reader is an open file. Close releases what it holds. Warnings concern the file as a whole; those that only decoding
// can find (data after the image, say) are there once the pages have been ranged over.
type Reader interface {
	Format() string // "png", "tiff" or "jpeg"
	Pages() int
	Page(i int) (Page, error)
	Warnings() []string
	Close() error
}

// Page is one page. Bands may be ranged over again: thresholds first, then segments. Only whole lines are handed out,
// from the first to the last. A band's memory is valid until the next iteration step and must not be written to. An
// error ends the iteration.
type Page interface {
	Info() *segment.PageInfo
	Bands(ctx context.Context, r Request) iter.Seq2[segment.Band, error]
}

// Described is a Page whose file may say more of it than its pixels. Every page of this package is one.
type Described interface {
	// Tags are resolution and description for a TIFF made from the page. Descriptions that list pages (ImageJ's, OME's)
	// are not among them, for they would be wrong of a single one; of ImageJ's the unit of length stays.
	Tags() TIFFTags
	// Scale is the size of a pixel as an ImageJ or OME description gives it.
	Scale() Scale
}

// Scale is the size of a pixel: X units along rows, Y along columns of the page as shown. From names the description
// it comes from; the zero value says that there is none.
type Scale struct {
	X, Y float64
	Unit string // as --pixel-size spells it
	From string // "ImageJ" or "OME"
}

// Writer takes bands of rows from the top. Bytes depend on pixels and options only.
type Writer interface {
	// NextPage starts a page of w x h pixels in the colour type of model (image.Gray, Gray16, Paletted, RGBA,
	// NRGBA, ...; only its type and palette are read).
	NextPage(w, h int64, model image.Image) error
	WriteBand(img image.Image) error
	Close() error
}

// Opener is the shape of Open, for packages that take it as a parameter.
type Opener func(r io.ReaderAt, size int64, name string, o Options) (Reader, error)
