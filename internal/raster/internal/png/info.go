package png

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"io"
)

// Signature begins every PNG file.
const Signature = "\x89PNG\r\n\x1a\n"

// Colour types.
const (
	Gray      = 0
	RGB       = 2
	Paletted  = 3
	GrayAlpha = 4
	RGBA      = 6
)

// Info is what the chunks of a file say.
type Info struct {
	Width, Height int
	Depth         int // bits a sample: 1, 2, 4, 8 or 16
	ColorType     int
	Interlaced    bool // Adam7

	Palette []color.NRGBA // tRNS applied; only for Paletted
	// Transparent is the gray or RGB value (in samples of Depth bits, low byte only up to 8) that is transparent.
	HasTransparent bool
	Transparent    [3]uint16

	Gamma           uint32 // gAMA in 100000ths, 0 if absent
	SignificantBits []byte // sBIT
	Exif            []byte // eXIf, a TIFF header with directories
	Density         Density
	Texts           []Text   // tEXt, zTXt and iTXt, the first maxTexts of them
	Ancillary       []string // names of sound ancillary chunks, each once, the first maxTexts of them
	Frames          uint32   // of an animation (acTL), 0 if it is none

	Warnings []string

	dataAt    int64 // of the first IDAT chunk's length field
	dataBytes int64 // in all consecutive IDAT chunks
	size      int64 // of the file
}

// Density is pHYs: pixels a metre, or, if not Metric, a ratio only. Zero: the file does not say.
type Density struct {
	X, Y   uint32
	Metric bool
}

// Text is a keyword with its text, UTF-8 of at most 4 KiB. Compressed texts are left empty.
type Text struct{ Key, Value string }

const maxTexts = 64

// Channels is the number of samples a pixel, as stored.
func (in *Info) Channels() int {
	switch in.ColorType {
	case RGB:
		return 3
	case GrayAlpha:
		return 2
	case RGBA:
		return 4
	}
	return 1
}

// RowBytes is the size of a row of w pixels, without its filter byte.
func (in *Info) RowBytes(w int) int { return (w*in.Channels()*in.Depth + 7) / 8 }

// maxWarnings bounds what a file made to warn can make us keep.
const maxWarnings = 16

func (in *Info) warn(format string, a ...any) {
	m := fmt.Sprintf(format, a...)
	for _, w := range in.Warnings {
		if w == m {
			return
		}
	}
	if len(in.Warnings) < maxWarnings {
		in.Warnings = append(in.Warnings, m)
	} else if len(in.Warnings) == maxWarnings {
		in.Warnings = append(in.Warnings, "further warnings are left out")
	}
}

// Scan reads the chunks of a file of size bytes, image data aside, up to IEND. It allocates nothing that grows with
// the size of the image.
func Scan(r io.ReaderAt, size int64) (*Info, error) {
	s := scanner{r: r, size: size, in: &Info{size: size}}
	sig, err := s.bytes(0, len(Signature))
	if err != nil {
		return nil, err
	}
	if string(sig) != Signature {
		return nil, fmt.Errorf("not a PNG file")
	}
	s.pos = int64(len(Signature))
	for {
		done, err := s.chunk()
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	if s.in.dataAt == 0 {
		return nil, fmt.Errorf("file has no image data (IDAT)")
	}
	if s.in.ColorType == Paletted && s.in.Palette == nil {
		return nil, fmt.Errorf("file has no palette (PLTE)")
	}
	return s.in, nil
}

// CheckData refuses image data that is too short to hold the image: deflate packs at most 1032 bytes into one, so a
// small file can never make a reader allocate much.
func (in *Info) CheckData() error {
	const ratio = 1032
	var need float64
	for _, p := range in.passes() {
		w, h := p.size(in.Width, in.Height)
		if w > 0 {
			need += float64(h) * (1 + float64(in.Channels()*in.Depth)*float64(w)/8)
		}
	}
	if need > ratio*float64(in.dataBytes+1) {
		return fmt.Errorf("image data is truncated: %d bytes cannot hold an image of %d x %d",
			in.dataBytes, in.Width, in.Height)
	}
	return nil
}

func (in *Info) parseIHDR(b []byte) error {
	if len(b) != 13 {
		return fmt.Errorf("chunk IHDR holds %d bytes instead of 13", len(b))
	}
	w, h := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if w == 0 || h == 0 || w > 1<<31-1 || h > 1<<31-1 {
		return fmt.Errorf("image is %d x %d: a side is empty or beyond what PNG allows", w, h)
	}
	in.Width, in.Height = int(w), int(h)
	in.Depth, in.ColorType = int(b[8]), int(b[9])
	depths := map[int]string{
		Gray: "\x01\x02\x04\x08\x10", RGB: "\x08\x10", Paletted: "\x01\x02\x04\x08", GrayAlpha: "\x08\x10", RGBA: "\x08\x10",
	}[in.ColorType]
	ok := false
	for _, d := range []byte(depths) {
		ok = ok || int(d) == in.Depth
	}
	switch {
	case !ok:
		return fmt.Errorf("colour type %d with %d bits a sample is not a PNG kind", in.ColorType, in.Depth)
	case b[10] != 0:
		return fmt.Errorf("unknown compression method %d", b[10])
	case b[11] != 0:
		return fmt.Errorf("unknown filter method %d", b[11])
	case b[12] > 1:
		return fmt.Errorf("unknown interlace method %d", b[12])
	}
	in.Interlaced = b[12] == 1
	return nil
}

func (in *Info) parsePLTE(b []byte) error {
	switch in.ColorType {
	case Gray, GrayAlpha:
		in.warn("chunk PLTE in a gray image is ignored")
		return nil
	case RGB, RGBA: // a suggestion for screens of few colours
		return nil
	}
	if in.Palette != nil {
		return fmt.Errorf("file has two palettes (PLTE)")
	}
	if n := len(b) / 3; len(b)%3 != 0 || n == 0 || n > 1<<in.Depth {
		return fmt.Errorf("chunk PLTE holds %d bytes, which is no palette for %d bits", len(b), in.Depth)
	}
	in.Palette = make([]color.NRGBA, len(b)/3)
	for i := range in.Palette {
		in.Palette[i] = color.NRGBA{R: b[3*i], G: b[3*i+1], B: b[3*i+2], A: 0xff}
	}
	return nil
}

func (in *Info) parseTRNS(b []byte) {
	want := map[int]int{Gray: 2, RGB: 6}[in.ColorType]
	switch {
	case in.ColorType == Paletted:
		if len(b) > len(in.Palette) {
			in.warn("chunk tRNS holds %d entries, the palette %d: ignored", len(b), len(in.Palette))
			return
		}
		for i, a := range b {
			in.Palette[i].A = a
		}
	case want == 0:
		in.warn("chunk tRNS in an image with alpha is ignored")
	case len(b) != want:
		in.warn("chunk tRNS holds %d bytes instead of %d: ignored", len(b), want)
	default:
		in.HasTransparent = true
		for i := range len(b) / 2 {
			v := binary.BigEndian.Uint16(b[2*i:])
			if in.Depth <= 8 {
				v &= 0xff // as libpng and image/png do
			}
			in.Transparent[i] = v
		}
	}
}
