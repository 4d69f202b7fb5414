package tiff

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Rational is a numerator and a denominator.
type Rational [2]uint32

// Value is 0 where the fraction is no finite number above 0.
func (r Rational) Value() float64 {
	if r[1] == 0 {
		return 0
	}
	return float64(r[0]) / float64(r[1])
}

// inverse is 1/r, or a decimal of up to five digits whose inverse rounds to r where r's numerator is long enough for
// that to be no accident: ImageJ writes 0.65 um a pixel as 1538462/1000000, and 0.65 is meant. 0 where r is not above 0.
func (r Rational) inverse() float64 {
	num, den := float64(r[0]), float64(r[1])
	if num == 0 || den == 0 {
		return 0
	}
	for digits := 1; digits <= 5 && num >= 1e5; digits++ {
		v, err := strconv.ParseFloat(strconv.FormatFloat(den/num, 'e', digits-1, 64), 64)
		if err == nil && v > 0 && math.Abs(den/v-num) <= 0.5 {
			return v
		}
	}
	return den / num
}

// Resolution is what the resolution tags say: pixels per Unit ("inch", "cm" or "" for none).
type Resolution struct {
	X, Y Rational
	Unit string
}

// Meta is what the description of the first page says of the whole file.
type Meta struct {
	Kind string // "ImageJ", "OME" or ""
	// PixelX and PixelY are the size of a pixel in Unit; 0: not given.
	PixelX, PixelY float64
	Unit           string
	// Calibration is the lines of an ImageJ description that give resolution tags their unit.
	Calibration string
	// Images is the number of pages an ImageJ description promises.
	Images int
	// Order is the order of the page axes, the fastest first, such as "CZT"; Sizes their lengths.
	Order string
	Sizes [3]int
}

// Axes names where page i of the main chain lies, such as "c=1 z=4 t=0", leaving out axes of length 1; "" if the
// file does not say, or says it for another number of pages than it has.
func (f *File) Axes(i int) string {
	m, total := f.meta, 1
	for _, n := range m.Sizes {
		total *= n
	}
	if m.Order == "" || total != f.main || total <= 1 || i < 0 || i >= f.main {
		return ""
	}
	var out []string
	for k, n := range m.Sizes {
		if n > 1 {
			out = append(out, fmt.Sprintf("%c=%d", m.Order[k]|0x20, i%n))
		}
		i /= n
	}
	return strings.Join(out, " ")
}

// maxDescription bounds the description that is searched.
const maxDescription = 64 << 20

// readMeta reads the first page's description. What it cannot make sense of is left out.
func (f *File) readMeta() {
	d, err := f.src.readIFD(f.refs[0].off)
	if err != nil {
		return
	}
	e, ok := d.fields[TagDescription]
	if !ok || typeSize(e.typ) != 1 || e.off < 0 || e.count > maxDescription || e.off > f.src.size-int64(e.count) {
		return
	}
	text := io.NewSectionReader(f.src.r, e.off, int64(e.count))
	head := make([]byte, min(e.count, 4096))
	if _, err := io.ReadFull(text, head); err != nil {
		return
	}
	switch s, _, _ := strings.Cut(string(head), "\x00"); {
	case strings.HasPrefix(s, "ImageJ="):
		f.meta = imageJ(s)
		if m := &f.meta; m.Unit != "" {
			m.PixelX, m.PixelY = f.perPixel(d, TagXResolution), f.perPixel(d, TagYResolution)
			if m.PixelX == 0 || m.PixelY == 0 {
				m.PixelX, m.PixelY, m.Unit = 0, 0, ""
			}
		}
	case strings.Contains(s, "<OME"):
		if _, err := text.Seek(0, io.SeekStart); err == nil {
			f.meta = ome(text)
		}
	}
}

// perPixel is the inverse of a resolution tag; 0 if it is not a usable number.
func (f *File) perPixel(d *ifd, tag Tag) float64 {
	e, ok := d.fields[tag]
	if !ok {
		return 0
	}
	if e.typ == 5 && e.count == 1 {
		b, err := f.src.bytes(e, 8)
		if err != nil {
			return 0
		}
		return Rational{f.src.order.Uint32(b), f.src.order.Uint32(b[4:])}.inverse()
	}
	v, err := f.src.floats(e, 16)
	if err != nil || len(v) == 0 || !(v[0] > 0) || math.IsInf(v[0], 0) {
		return 0
	}
	return 1 / v[0]
}

// imageJ reads the key=value lines of an ImageJ description. Its pages go channel by channel, then slice, then frame.
func imageJ(s string) Meta {
	m := Meta{Kind: "ImageJ", Order: "CZT", Sizes: [3]int{1, 1, 1}, Images: 1}
	first := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		k, v, _ := strings.Cut(line, "=")
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > 1<<30 {
			n = 1
		}
		switch k {
		case "images":
			m.Images = n
		case "channels":
			m.Sizes[0] = n
		case "slices":
			m.Sizes[1] = n
		case "frames":
			m.Sizes[2] = n
		case "ImageJ":
			first = line
		case "unit":
			m.Unit = unitName(v)
			m.Calibration = first + "\n" + line + "\n"
		}
	}
	return m
}

// unitName spells a unit of length as --pixel-size does; "" for none and for those that are not lengths.
func unitName(v string) string {
	switch v = strings.ReplaceAll(strings.TrimSpace(v), `\u00B5`, "u"); strings.ToLower(v) {
	case "micron", "microns", "um", "µm", "μm", "micrometer", "micrometers":
		return "um"
	case "nm", "mm", "cm", "m", "pm":
		return strings.ToLower(v)
	case "inch", "in":
		return "in"
	}
	return ""
}

// ome reads the attributes of the first Pixels element of an OME-XML description.
func ome(r io.Reader) Meta {
	dec := xml.NewDecoder(r)
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		t, err := dec.RawToken()
		if err != nil {
			return Meta{}
		}
		el, ok := t.(xml.StartElement)
		if !ok || el.Name.Local != "Pixels" {
			continue
		}
		a := map[string]string{}
		for _, at := range el.Attr {
			a[at.Name.Local] = at.Value
		}
		m := Meta{Kind: "OME", Sizes: [3]int{1, 1, 1}}
		if o := strings.TrimPrefix(a["DimensionOrder"], "XY"); len(o) == 3 && strings.Trim(o, "CZT") == "" {
			m.Order = o
			for k := range 3 {
				if n, err := strconv.Atoi(a["Size"+o[k:k+1]]); err == nil && n > 0 && n < 1<<20 {
					m.Sizes[k] = n
				}
			}
		}
		x, y := omeLength(a, "PhysicalSizeX"), omeLength(a, "PhysicalSizeY")
		unit := a["PhysicalSizeXUnit"]
		if unit == "" {
			unit = "um"
		}
		if unit = unitName(unit); unit != "" && x > 0 && y > 0 && a["PhysicalSizeXUnit"] == a["PhysicalSizeYUnit"] {
			m.PixelX, m.PixelY, m.Unit = x, y, unit
		}
		return m
	}
}

func omeLength(a map[string]string, key string) float64 {
	v, err := strconv.ParseFloat(a[key], 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	return v
}

// longText bounds a description that is kept. Longer ones, such as OME-XML of many pages, are cut.
const longText = 64 << 10

// Cut tells whether a description may have been cut.
func Cut(text string) bool { return len(text) >= longText }

// readText reads descriptions and resolution, which an image can do without.
func (p *Page) readText() {
	for tag, to := range map[Tag]*string{TagDescription: &p.Description, TagSoftware: &p.Software} {
		if f, ok := p.d.fields[tag]; ok {
			*to, _ = p.f.src.text(f, longText)
		}
	}
	p.Resolution.Unit = map[uint64]string{2: "inch", 3: "cm"}[p.optional(TagResolutionUnit, 2)]
	for tag, to := range map[Tag]*Rational{TagXResolution: &p.Resolution.X, TagYResolution: &p.Resolution.Y} {
		f, ok := p.d.fields[tag]
		if !ok || f.typ != 5 || f.count < 1 {
			continue
		}
		f.count = 1
		if b, err := p.f.src.bytes(f, 8); err == nil {
			*to = Rational{p.f.src.order.Uint32(b), p.f.src.order.Uint32(b[4:])}
		}
	}
}

// expandImageJ adds the images of a stack that ImageJ wrote behind a single directory, one after the other, because
// they are too large for classic TIFF.
func (f *File) expandImageJ() {
	m := f.meta
	if m.Kind != "ImageJ" || m.Images <= 1 || f.main != 1 {
		return
	}
	p, err := f.Page(0)
	if err != nil {
		return // said when the page is asked for
	}
	first, bytes, ok := p.contiguous()
	if !ok {
		f.warn("the description promises %d images, but the file has one directory and its data is not in one piece; one is read", m.Images)
		return
	}
	n := min((f.src.size-first)/bytes, int64(m.Images), int64(f.limits.MaxPages))
	if n < int64(m.Images) {
		f.warn("the description promises %d images, the file holds %d", m.Images, max(n, 1))
	}
	for i := int64(1); i < n; i++ {
		f.refs = append(f.refs, pageRef{off: f.refs[0].off, parent: -1, plane: i})
	}
	f.main = len(f.refs)
}

// contiguous gives place and length of a page stored uncompressed in one piece.
func (p *Page) contiguous() (first, bytes int64, ok bool) {
	if p.Compression != CompNone || p.Tiled || p.subsampled() {
		return 0, 0, false
	}
	t := chunkTable{p: p}
	for i := range p.down * p.planes() {
		off, _, err := t.at(i)
		if err != nil || i > 0 && off != first+bytes {
			return 0, 0, false
		}
		if i == 0 {
			first = off
		}
		rows := min(p.ChunkH, p.Height-i%p.down*p.ChunkH)
		bytes += rows * p.rowBytes
	}
	return first, bytes, bytes > 0
}

// stackOffset moves a place in the first image of a stack to this page's image.
func (p *Page) stackOffset(off int64) (int64, error) {
	size := p.rowBytes * p.Height * p.planes()
	if size <= 0 || p.plane > (p.f.src.size-off)/size {
		return 0, &Error{Page: p.Index, Msg: fmt.Sprintf("image %d of the stack is outside the file", p.plane), Remedy: remedyDamaged}
	}
	return off + p.plane*size, nil
}
