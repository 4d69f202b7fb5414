package tiff

import (
	"fmt"
	"math"
	"slices"
)

// Page is one image with its tags resolved. It is immutable and safe for concurrent use.
type Page struct {
	Index         int // in the file
	Parent        int // page this is a SubIFD of; -1 in the main chain
	Reduced       bool
	Width, Height int64
	Bits          int // of one stored sample
	Format        Format
	Stored        int // samples a pixel as stored
	Compression   Compression
	Photometric   Photometric
	Planar        bool
	Predictor     int
	Orientation   int // 1..8
	Tiled         bool
	// ChunkW x ChunkH pixels are stored together: a tile, or a strip as wide as the page.
	ChunkW, ChunkH int64
	Extra          []uint16 // kind of each sample beyond the colours
	Alpha          AlphaKind
	AlphaAt        int // index of the alpha sample among Channels
	// ColorMap holds 16-bit red, green and blue of each entry, for Palette.
	ColorMap    [][3]uint16
	Description string // of the first 64 KiB, as Software
	Software    string
	Resolution  Resolution
	Warnings    []string
	Damage      string // the first of Warnings that is about damage or a breach of the specification; empty if none

	// Channels are the samples a pixel that Rows hands out: Stored, or one less where CMYK became RGB.
	Channels int
	// Type is the type that Rows hands out; Min and Max its nominal range (NaN for floating point).
	Type     Type
	Min, Max float64

	f         *File
	d         *ifd
	plane     int64 // of an ImageJ stack
	colours   int   // stored samples that make up the colour
	fillLSB   bool
	t4        uint64
	subX      int64 // chroma subsampling of YCbCr
	subY      int64
	ycc       *yccTables
	tables    []byte // JPEGTables
	across    int64
	down      int64
	rowBytes  int64 // of a chunk, one plane
	codecRGB  bool  // the codec hands out RGB already
	keepBits  bool
	offsets   field
	counts    field
	hasCounts bool
}

// Type is the type of the samples that are handed out.
type Type uint8

// Unsigned samples of up to 8 bits are U8, of up to 16 bits U16; all others are F32.
const (
	U8 Type = iota
	U16
	F32
)

// Bytes is the size of a sample.
func (t Type) Bytes() int64 { return [...]int64{1, 2, 4}[t] }

// Page reads and checks the tags of page i, SubIFDs included.
func (f *File) Page(i int) (*Page, error) {
	p, err := f.Look(i)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Look is Page, but where the page cannot be read it gives beside the error what was found out until then, nil if
// that is nothing; such a page has no rows.
func (f *File) Look(i int) (p *Page, err error) {
	defer guard(i, &err)
	if i < 0 || i >= len(f.refs) {
		return nil, fmt.Errorf("tiff: page %d does not exist, the file has %d", i, len(f.refs))
	}
	ref := f.refs[i]
	p = &Page{Index: i, Parent: ref.parent, plane: ref.plane, f: f}
	if p.d, err = f.src.readIFD(ref.off); err != nil {
		return nil, &Error{Page: i, Msg: "directory cannot be read", Err: err, Remedy: remedyDamaged}
	}
	for _, w := range p.d.warnings {
		p.warn("%s", w)
	}
	p.readText()
	for _, step := range []func() error{p.readSize, p.readSamples, p.readColour, p.readCodec, p.readChunks, p.checkCodec,
		p.readPalette, p.checkSize} {
		if err := step(); err != nil {
			return p, err
		}
	}
	p.setRange()
	return p, nil
}

// warn is for what is damaged or against the specification, note for what is sound but worth knowing.
func (p *Page) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	p.note("%s", w)
	if p.Damage == "" {
		p.Damage = w
	}
}

func (p *Page) note(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if len(p.Warnings) < 16 && !slices.Contains(p.Warnings, w) {
		p.Warnings = append(p.Warnings, w)
	}
}

// KeepBits makes Rows hand out gray samples below 8 bits as they are stored, 0 to 2^Bits-1, instead of scaled to 0 to
// 255. It must be called before Rows.
func (p *Page) KeepBits() {
	if p.Bits < 8 && p.Type == U8 && (p.Photometric == WhiteIsZero || p.Photometric == BlackIsZero || p.Photometric == Mask) {
		p.keepBits = true
		p.setRange()
	}
}

func (p *Page) bad(tag Tag, value any, msg, remedy string) error {
	v := ""
	if value != nil {
		v = fmt.Sprint(value)
	}
	return &Error{Page: p.Index, Tag: tag, Value: v, Msg: msg, Remedy: remedy}
}

func (p *Page) refuse(tag Tag, value any, msg, remedy string) error {
	e := p.bad(tag, value, msg, remedy).(*Error)
	e.Err = ErrUnsupported
	return e
}

// uints reads an integer tag: nil where it is absent; at most limit values are taken.
func (p *Page) uints(tag Tag, limit int) ([]uint64, error) {
	f, ok := p.d.fields[tag]
	if !ok {
		return nil, nil
	}
	v, err := p.f.src.uints(f, limit)
	if err != nil {
		return nil, &Error{Page: p.Index, Tag: tag, Msg: "cannot be read", Err: err, Remedy: remedyDamaged}
	}
	return v, nil
}

// uint reads the first value of a tag, or def where the tag is absent or empty.
func (p *Page) uint(tag Tag, def uint64) (uint64, error) {
	v, err := p.uints(tag, 1<<16)
	if err != nil || len(v) == 0 {
		return def, err
	}
	return v[0], nil
}

// optional is uint for a tag the image can do without: where it cannot be read, it is def and a warning.
func (p *Page) optional(tag Tag, def uint64) uint64 {
	v, err := p.uint(tag, def)
	if err != nil {
		p.warn("%v cannot be read and is taken as %d", tag, def)
		return def
	}
	return v
}

func (p *Page) readSize() error {
	for _, s := range []struct {
		tag Tag
		to  *int64
	}{{TagWidth, &p.Width}, {TagLength, &p.Height}} {
		if _, ok := p.d.fields[s.tag]; !ok {
			return p.bad(s.tag, nil, "is missing", remedyDamaged)
		}
		v, err := p.uint(s.tag, 0)
		if err != nil {
			return err
		}
		if v == 0 || v > math.MaxInt32 {
			return p.bad(s.tag, v, "is not a usable size", remedyDamaged)
		}
		*s.to = int64(v)
	}
	p.Orientation = int(p.optional(TagOrientation, 1))
	if p.Orientation < 1 || p.Orientation > 8 {
		p.warn("Orientation %d is none of 1 to 8 and is ignored", p.Orientation)
		p.Orientation = 1
	}
	p.Reduced = p.optional(TagNewSubfileType, 0)&1 != 0
	return nil
}

// same reads a tag that holds one value a sample and must be the same for all. Fewer or more values than samples
// are common and harmless.
func (p *Page) same(tag Tag, def uint64) (uint64, error) {
	v, err := p.uints(tag, 1<<16)
	if err != nil || len(v) == 0 {
		return def, err
	}
	for _, x := range v[:min(len(v), max(p.Stored, 1))] {
		if x != v[0] {
			return 0, p.refuse(tag, v[:min(len(v), 8)], "differs between the samples of a pixel", remedyConvert)
		}
	}
	if len(v) != p.Stored {
		p.note("%v holds %d values for %d samples a pixel; the first is used for all", tag, len(v), p.Stored)
	}
	return v[0], nil
}

func (p *Page) readSamples() error {
	spp, err := p.uint(TagSamplesPerPixel, 1)
	if err != nil {
		return err
	}
	if spp == 0 || spp > math.MaxUint16 {
		return p.bad(TagSamplesPerPixel, spp, "is not a usable number", remedyDamaged)
	}
	p.Stored = int(spp)
	bits, err := p.same(TagBitsPerSample, 1)
	if err != nil {
		return err
	}
	if bits == 0 || bits > 64 {
		return p.refuse(TagBitsPerSample, bits, "is outside 1 to 64", remedyConvert)
	}
	p.Bits = int(bits)
	format, err := p.same(TagSampleFormat, uint64(Uint))
	if err != nil {
		return err
	}
	p.Format = Format(min(format, math.MaxUint16))
	switch p.Format {
	case Uint, Int:
	case Void:
		p.Format = Uint
	case Float:
		if !slices.Contains([]int{16, 24, 32, 64}, p.Bits) {
			return p.refuse(TagBitsPerSample, bits, "is no size of a floating-point sample (16, 24, 32, 64)", remedyConvert)
		}
	default:
		return p.refuse(TagSampleFormat, fmt.Sprintf("%d (%v)", format, p.Format), "is not read", remedyConvert)
	}
	planar, err := p.uint(TagPlanarConfig, 1)
	if err != nil {
		return err
	}
	if planar != 1 && planar != 2 {
		return p.bad(TagPlanarConfig, planar, "is neither 1 nor 2", remedyDamaged)
	}
	p.Planar = planar == 2 && p.Stored > 1
	switch {
	case p.Format == Uint && p.Bits <= 8:
		p.Type = U8
	case p.Format == Uint && p.Bits <= 16:
		p.Type = U16
	default:
		p.Type = F32
		if p.Format != Float && p.Bits > 24 {
			p.note("%d-bit integers are held as float32: beyond 16777216 the last digits are lost", p.Bits)
		}
	}
	return nil
}

// setRange sets the nominal range of the samples handed out.
func (p *Page) setRange() {
	p.Min, p.Max = 0, math.Ldexp(1, p.Bits)-1
	switch {
	case p.Photometric == CIELab || p.Photometric == ICCLab:
		p.Max = 255
		if p.Type == U16 {
			p.Max = 65535
		}
	case p.Format == Float:
		p.Min, p.Max = math.NaN(), math.NaN()
	case p.Format == Int:
		p.Min, p.Max = -math.Ldexp(1, p.Bits-1), math.Ldexp(1, p.Bits-1)-1
	case p.Type == U8 && !p.keepBits:
		p.Max = 255
	case p.Bits == 16:
		// Cameras of 10 to 14 bits may say so here.
		m := p.optional(TagMaxSampleValue, 65535)
		if m >= 255 && m < 65535 && m&(m+1) == 0 {
			p.Max = float64(m)
		}
	}
}
