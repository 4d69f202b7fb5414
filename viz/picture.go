package viz

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"segscan/segment"
)

// PictureOptions of NewPicture. Region is the part of the page that is drawn; zero: all of it. Rejected: rejected
// spans are marked too. Colour: bands carry colour planes (segment.Needs.Channels), which are drawn instead of gray.
// MaxSize bounds the longer side, 0: the page's own size. Legend may be nil.
type PictureOptions struct {
	Look     Look
	Palette  string
	Stretch  Stretch
	Region   image.Rectangle
	Rejected bool
	Colour   bool
	MaxSize  int64
	Legend   *Legend
}

// signalHeight is how many pixels high a page of one row is drawn, and how wide one of one column, so that the
// picture of a signal shows something; signals longer than signalLength are drawn as they are.
const (
	signalHeight = 32
	signalLength = 1 << 16
)

// Picture is one page's picture, drawn by bands of rows from the top. It is not safe for concurrent use.
type Picture struct {
	o              PictureOptions
	region         image.Rectangle
	inks           inks
	ramps          ramps
	sample         segment.SampleType // that the overlays draw
	overlay, plain *overlay           // plain: the source alone, for Side
	zoomX, zoomY   int
	gap            int // columns between the halves of Side
	drawnW, drawnH int // after zoom, before reduction
	w, h           int // of the picture without its legend
	canvas         int // width with what the legend needs
	thick          int
	reduce         *reducer
	packed         *packedPalette // of reduce
	contour        contour
	legend         *legendBox
	counts         int // the legend's item that names the count

	row, line []uint8 // a row of the source, and of the picture
	pix       []uint8 // of the rows last given out
	marks     []Mark
	next      int // page row to be drawn next
	given     int // picture rows given out
}

// NewPicture makes the picture of page p. An error says that an option has no meaning.
func NewPicture(p *segment.PageInfo, o PictureOptions) (*Picture, error) {
	if !(o.Stretch.Lo < o.Stretch.Hi) {
		return nil, fmt.Errorf("stretch from %g to %g is empty", o.Stretch.Lo, o.Stretch.Hi)
	}
	theme, err := themeOf(o.Palette)
	if err != nil {
		return nil, err
	}
	if o.Look == "" {
		o.Look = Tint
	}
	k, err := inksOf(o.Look, theme)
	if err != nil {
		return nil, err
	}
	if o.Region.Empty() {
		o.Region = image.Rect(0, 0, int(p.Width), int(p.Height))
	}
	if o.Region.Empty() {
		return nil, errors.New("there are no pixels to draw")
	}
	o.Colour = o.Colour && o.Look != Mask
	v := &Picture{o: o, region: o.Region, zoomX: 1, zoomY: 1, next: o.Region.Min.Y}
	v.setSize()
	used := []ink{k[None], k[Inside], k[Edge]}
	if o.Rejected && o.Look != Classes {
		used = append(used, k[Rejected])
	} else {
		k[Rejected] = k[None]
	}
	if o.Look == Side {
		used = append(used, ink{})
	}
	v.ramps = newRamps(used, v.extraColours(k)...)
	v.inks = k
	v.setOverlays(p.Type, o.Stretch)
	if v.reduce != nil {
		v.packed = packPalette(v.ramps.palette)
	}
	if o.Legend != nil {
		return v, v.layLegend()
	}
	return v, nil
}

// setOverlays prepares drawing from samples, or colour components, of type t.
func (v *Picture) setOverlays(t segment.SampleType, s Stretch) {
	v.sample = t
	v.overlay = newOverlay(t, s, v.inks, v.ramps, v.o.Colour)
	if v.o.Look == Side {
		v.plain = newOverlay(t, s, inks{}, v.ramps, v.o.Colour)
	}
}

// nominal is the stretch of colour components of a page whose samples are of another type (its hue, say), so that
// their stretch means nothing here.
func nominal(t segment.SampleType, samples Stretch) Stretch {
	switch t {
	case segment.U8:
		return Stretch{0, 255}
	case segment.U16:
		return Stretch{0, 65535}
	}
	return samples
}

// setSize works out the sizes of the stages: zoom, reduction, thickness of marks.
func (v *Picture) setSize() {
	w, h := v.region.Dx(), v.region.Dy()
	if h == 1 && w <= signalLength {
		v.zoomY = signalHeight
	}
	if w == 1 && h <= signalLength {
		v.zoomX = signalHeight
	}
	v.drawnW, v.drawnH = w*v.zoomX, h*v.zoomY
	if v.o.Look == Side {
		v.gap = min(max(2, v.drawnW/64), 64)
		v.drawnW = 2*v.drawnW + v.gap
	}
	rw, rh := reducedSize(int64(v.drawnW), int64(v.drawnH), v.o.MaxSize)
	v.w, v.h = int(rw), int(rh)
	if v.w != v.drawnW || v.h != v.drawnH {
		v.reduce = newReducer(v.drawnW, v.drawnH, v.w, v.h)
	}
	v.canvas = v.w
	v.thick = 1
	if v.o.Look != Mask && v.o.Look != Classes {
		// A viewer shrinks a large picture to some two thousand pixels, where thinner marks would vanish.
		shrunk := float64(max(w, h)) / 2048
		if v.reduce != nil {
			shrunk = max(shrunk, float64(max(v.drawnW, v.drawnH))/float64(max(v.w, v.h)))
		}
		v.thick = min(max(1, int(math.Round(shrunk))), 64)
	}
}

// extraColours are grays for the letters of a legend where the palette has room to spare and too few of its own.
func (v *Picture) extraColours(k inks) []color.RGBA {
	if v.o.Legend == nil && v.o.Look != Side || k[None].share < hides {
		return nil
	}
	var extra []color.RGBA
	for g := 16; g < 256; g += 17 {
		extra = append(extra, color.RGBA{uint8(g), uint8(g), uint8(g), 255})
	}
	return extra
}

// Size is that of the picture, its legend included.
func (v *Picture) Size() (w, h int64) {
	h = int64(v.h)
	if v.legend != nil {
		h += int64(v.legend.height)
	}
	return int64(v.canvas), h
}

// Thick is the length of boundary marks that Marks should paint.
func (v *Picture) Thick() int { return v.thick }

// ShowsClasses tells that Marks are to be painted from classes instead of spans.
func (v *Picture) ShowsClasses() bool { return v.o.Look == Classes }

// Model is an image of the type of the rows: *image.Paletted, or *image.RGBA whose alpha is 255.
func (v *Picture) Model() image.Image {
	if v.reduce != nil {
		return &image.RGBA{}
	}
	return v.overlay.model()
}

// paletted tells whether the rows are palette indices.
func (v *Picture) paletted() bool { return v.reduce == nil && !v.o.Colour }

// Draw takes the body rows of b, a row band that follows the one before, under m, which covers them. It returns the
// picture's next rows, nil if none is complete. They are valid until the next call.
func (v *Picture) Draw(b segment.Band, m *Marks) (image.Image, error) {
	x0, y0 := int(b.Sample0), int(b.Line0)
	switch {
	case b.Axis != segment.Rows || m.X0 != x0 || m.Y0 != y0 || m.W != b.Samples || m.H != b.Lines:
		return nil, fmt.Errorf("marks of %d x %d at %d,%d do not cover the band of %d x %d at %d,%d",
			m.W, m.H, m.X0, m.Y0, b.Samples, b.Lines, x0, y0)
	case x0 != v.region.Min.X || b.Samples != v.region.Dx() || y0 != v.next || y0+b.Lines > v.region.Max.Y:
		return nil, fmt.Errorf("rows %d to %d, %d pixels wide, were drawn where row %d of a picture %d wide was next",
			y0, y0+b.Lines-1, b.Samples, v.next, v.region.Dx())
	}
	v.next += b.Lines
	v.pix = v.pix[:0]
	if t := b.C[0].Type(); v.o.Colour && t != v.sample {
		v.setOverlays(t, nominal(t, v.o.Stretch))
	}
	src := sourceOf(&b, v.o.Colour)
	for l := range b.Lines {
		marks := m.Of[l*m.W:][:m.W]
		if v.o.Look == Outline {
			v.marks = append(v.marks[:0], marks...)
			v.contour.row(v.marks, v.thick)
			marks = v.marks
		}
		v.drawRow(&src, l, marks)
	}
	return v.rows(), nil
}

// drawRow draws one row of the source and adds what rows of the picture it completes.
func (v *Picture) drawRow(src *source, l int, marks []Mark) {
	unit := v.unit()
	n := len(marks) * unit
	if v.reduce == nil && v.zoomX == 1 && v.zoomY == 1 && v.plain == nil {
		at := len(v.pix)
		v.pix = grow(v.pix, n)
		v.overlay.row(v.pix[at:], src, l, marks)
		v.pad()
		return
	}
	v.row, v.line = grow(v.row[:0], n), v.line[:0]
	if v.plain != nil {
		v.plain.row(v.row, src, l, marks)
		v.line = widen(v.line, v.row, unit, v.zoomX)
		v.line = v.colour(v.line, v.gap, frameGray, !v.o.Colour)
	}
	v.overlay.row(v.row, src, l, marks)
	v.line = widen(v.line, v.row, unit, v.zoomX)
	for range v.zoomY {
		switch {
		case v.reduce == nil:
			v.add(v.line)
		case v.o.Colour:
			v.reduce.addRGBA(v.line, v.add)
		default:
			v.reduce.addIndices(v.line, v.packed, v.add)
		}
	}
}

// unit is the bytes of a pixel as the overlay draws it.
func (v *Picture) unit() int {
	if v.o.Colour {
		return 4
	}
	return 1
}

// add appends a finished row and what fills the canvas beside it.
func (v *Picture) add(row []uint8) {
	v.pix = append(v.pix, row...)
	v.pad()
}

func (v *Picture) pad() {
	if v.canvas > v.w {
		v.pix = v.colour(v.pix, v.canvas-v.w, paper, v.paletted())
	}
}

// colour appends n pixels of a colour, as palette indices or as RGBA.
func (v *Picture) colour(to []uint8, n int, c color.RGBA, indices bool) []uint8 {
	if indices {
		return append(to, bytes.Repeat([]uint8{uint8(v.ramps.palette.Index(c))}, n)...)
	}
	return append(to, bytes.Repeat([]uint8{c.R, c.G, c.B, 255}, n)...)
}

// rows wraps what has been drawn since the last call.
func (v *Picture) rows() image.Image {
	unit := 4
	if v.paletted() {
		unit = 1
	}
	stride := unit * v.canvas
	n := len(v.pix) / stride
	if n == 0 {
		return nil
	}
	r := image.Rect(0, v.given, v.canvas, v.given+n)
	v.given += n
	if unit == 1 {
		return &image.Paletted{Pix: v.pix, Stride: stride, Rect: r, Palette: v.ramps.palette}
	}
	return &image.RGBA{Pix: v.pix, Stride: stride, Rect: r}
}

// grow lengthens b by n bytes of any content.
func grow(b []uint8, n int) []uint8 { return slices.Grow(b, n)[:len(b)+n] }

// widen appends pixels of unit bytes, each k times.
func widen(to, row []uint8, unit, k int) []uint8 {
	if k == 1 {
		return append(to, row...)
	}
	for i := 0; i < len(row); i += unit {
		for range k {
			to = append(to, row[i:i+unit]...)
		}
	}
	return to
}
