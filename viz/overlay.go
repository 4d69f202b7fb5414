package viz

import (
	"fmt"
	"image"

	"segscan/segment"
)

// OverlayOptions of NewOverlay. Rejected keeps a third ramp of the palette for rejected spans.
type OverlayOptions struct{ Rejected bool }

// Overlay draws the source in gray, the inside of segments tinted and the boundaries that bound them in a solid
// colour, as one byte a pixel with a palette. It is safe for concurrent use.
type Overlay struct {
	ramps   ramps
	stretch Stretch
	// table[m<<8|v] is the palette index of 8-bit sample v under mark m; wide[v] is the gray level of a 16-bit one.
	table [4 << 8]uint8
	wide  []uint8
}

// NewOverlay makes the overlay of page p, its samples shown by s.
func NewOverlay(p *segment.PageInfo, s Stretch, o OverlayOptions) (*Overlay, error) {
	if !(s.Lo < s.Hi) {
		return nil, fmt.Errorf("stretch from %g to %g is empty", s.Lo, s.Hi)
	}
	v := &Overlay{ramps: newRamps(o.Rejected), stretch: s}
	switch p.Type {
	case segment.U8:
		for m := range Mark(4) {
			for i := range 256 {
				v.table[int(m)<<8|i] = v.index(m, v.level(float64(i)))
			}
		}
	case segment.U16:
		v.wide = make([]uint8, 1<<16)
		for i := range v.wide {
			v.wide[i] = v.level(float64(i))
		}
	}
	return v, nil
}

// Model is an image of the type that Draw returns.
func (v *Overlay) Model() image.Image {
	return image.NewPaletted(image.Rectangle{}, v.ramps.palette)
}

// Draw gives the body rows of b, which must be a row band, under m, which must cover them.
func (v *Overlay) Draw(b segment.Band, m *Marks) (image.Image, error) {
	x0, y0 := int(b.Sample0), int(b.Line0)
	if b.Axis != segment.Rows || m.X0 != x0 || m.Y0 != y0 || m.W != b.Samples || m.H != b.Lines {
		return nil, fmt.Errorf("marks of %d x %d at %d,%d do not cover the band of %d x %d at %d,%d",
			m.W, m.H, m.X0, m.Y0, b.Samples, b.Lines, x0, y0)
	}
	img := image.NewPaletted(image.Rect(x0, y0, x0+b.Samples, y0+b.Lines), v.ramps.palette)
	body := b.Body()
	for l := range b.Lines {
		out := img.Pix[l*img.Stride:][:b.Samples]
		marks := m.Of[l*m.W:][:b.Samples]
		switch at := l * body.Stride; {
		case body.U8 != nil:
			v.row8(out, body.U8[at:][:b.Samples], marks)
		case body.U16 != nil:
			for i, s := range body.U16[at:][:b.Samples] {
				out[i] = v.index(marks[i], v.wide[s])
			}
		case body.F32 != nil:
			for i, s := range body.F32[at:][:b.Samples] {
				out[i] = v.index(marks[i], v.level(float64(s)))
			}
		}
	}
	return img, nil
}

func (v *Overlay) row8(out, in []uint8, marks []Mark) {
	for i, s := range in {
		out[i] = v.table[uint(marks[i]&3)<<8|uint(s)]
	}
}

func (v *Overlay) level(s float64) uint8 {
	return uint8(v.stretch.level(s)*float64(v.ramps.levels-1) + 0.5)
}

func (v *Overlay) index(m Mark, level uint8) uint8 {
	if v.ramps.solid[m&3] {
		return v.ramps.base[m&3]
	}
	return v.ramps.base[m&3] + level
}
