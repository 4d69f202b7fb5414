package raster

import (
	"fmt"
	"strings"
)

// TIFFCompression is how the strips of a TIFF file are compressed; the numbers are those of tag 259.
type TIFFCompression uint16

// Compressions. The zero value of TIFFOptions means TIFFNone.
const (
	TIFFNone    TIFFCompression = 1
	TIFFLZW     TIFFCompression = 5
	TIFFDeflate TIFFCompression = 8
	TIFFZstd    TIFFCompression = 50000
)

// TIFFPredictor says whether samples are stored as differences to their left neighbours, which compresses better
// where neighbours are alike. Pages of fewer than 8 bits and uncompressed pages never are.
type TIFFPredictor uint8

// TIFFPredictAuto predicts gray, colour and float samples but not palette indices, TIFFPredict those too.
const (
	TIFFPredictAuto TIFFPredictor = iota
	TIFFPredictNone
	TIFFPredict
)

// TIFFSize says how offsets are stored.
type TIFFSize uint8

// TIFFSizeAuto writes classic TIFF, and BigTIFF when the finished file is 4 GiB or longer.
const (
	TIFFSizeAuto TIFFSize = iota
	TIFFClassic           // fail when the file would be 4 GiB or longer
	TIFFBig
)

// TIFFOptions of NewTIFFWriter. Level is 1 to 9 for deflate and 1 to 22 for Zstandard (0: a default). Workers bounds
// the goroutines that compress (0 or 1: none). Tags gives the descriptive tags of page i, from 0; nil: none.
type TIFFOptions struct {
	Compression TIFFCompression
	Predictor   TIFFPredictor
	Level       int
	Size        TIFFSize
	Workers     int
	Tags        func(page int) TIFFTags
}

// TIFFTags are the tags of a page that do not follow from its pixels. Empty ones are not written.
type TIFFTags struct {
	Description string // 270
	Software    string // 305
	Resolution  TIFFResolution
}

// TIFFResolution is the number of pixels a unit, as numerator and denominator, carried exactly. Unit is 1 for none, 2
// for the inch, 3 for the centimetre. The zero value is no resolution.
type TIFFResolution struct {
	X, Y [2]uint32
	Unit uint16
}

func (o *TIFFOptions) check() error {
	top := 0
	switch o.Compression {
	case 0:
		o.Compression = TIFFNone
	case TIFFNone, TIFFLZW:
	case TIFFDeflate:
		top = 9
	case TIFFZstd:
		top = 22
	default:
		return fmt.Errorf("tiff compression %d cannot be written, use none, lzw, deflate or zstd", o.Compression)
	}
	if o.Level < 0 || o.Level > top {
		if top == 0 {
			return fmt.Errorf("tiff compression level %d has no meaning without deflate or zstd", o.Level)
		}
		return fmt.Errorf("tiff compression level %d is unknown, use 1 to %d", o.Level, top)
	}
	if o.Predictor > TIFFPredict {
		return fmt.Errorf("tiff predictor option %d is unknown", o.Predictor)
	}
	if o.Size > TIFFBig {
		return fmt.Errorf("tiff size option %d is unknown", o.Size)
	}
	return nil
}

func (t *TIFFTags) check() error {
	if strings.ContainsRune(t.Description, 0) || strings.ContainsRune(t.Software, 0) {
		return fmt.Errorf("tiff texts cannot hold a zero byte")
	}
	r := t.Resolution
	if r == (TIFFResolution{}) {
		return nil
	}
	if r.X[1] == 0 || r.Y[1] == 0 {
		return fmt.Errorf("the tiff resolution %d/%d x %d/%d divides by zero", r.X[0], r.X[1], r.Y[0], r.Y[1])
	}
	if r.Unit < 1 || r.Unit > 3 {
		return fmt.Errorf("the tiff resolution unit %d is unknown, use 1 (none), 2 (inch) or 3 (centimetre)", r.Unit)
	}
	return nil
}
