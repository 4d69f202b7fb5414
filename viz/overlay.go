package viz

import (
	"encoding/binary"
	"image"

	"segscan/segment"
)

// overlay draws rows of a gray page as palette indices, or rows of a colour page as RGBA.
type overlay struct {
	inks    inks
	ramps   ramps
	stretch Stretch
	// table[m][g] is the palette index under mark m of an 8-bit sample g, or of gray level g of a wider one.
	table [4][256]uint8
	// wide[v] is the gray of a 16-bit sample as a level of the ramps, or of a colour component as 0..255.
	wide []uint8
	// mixed[m][c][v] is colour component c under mark m of a component that is shown as v.
	mixed  [4][3][256]uint8
	colour bool
}

// newOverlay prepares drawing of samples, or of colour components, of type t.
func newOverlay(t segment.SampleType, s Stretch, k inks, r ramps, colour bool) *overlay {
	v := &overlay{inks: k, ramps: r, stretch: s, colour: colour}
	for m := range Mark(4) {
		for g := range 256 {
			level := min(g, r.levels-1)
			if t == segment.U8 {
				level = v.level(float64(g), r.levels)
			}
			v.table[m][g] = r.index(k[m], level)
			c := k[m].over(uint8(g), uint8(g), uint8(g))
			v.mixed[m][0][g], v.mixed[m][1][g], v.mixed[m][2][g] = c.R, c.G, c.B
		}
	}
	if t == segment.U16 || colour && t == segment.U8 {
		v.wide = make([]uint8, 1<<(8*t.Bytes()))
		for i := range v.wide {
			v.wide[i] = uint8(v.level(float64(i), v.grays()))
		}
	}
	return v
}

// grays is how many grays samples wider than 8 bits are shown in.
func (v *overlay) grays() int {
	if v.colour {
		return 256
	}
	return v.ramps.levels
}

// level is the nearest of n levels of gray to a sample.
func (v *overlay) level(s float64, n int) int {
	return int(v.stretch.level(s)*float64(n-1) + 0.5)
}

// model is an image of the type of the rows.
func (v *overlay) model() image.Image {
	if v.colour {
		return &image.RGBA{}
	}
	return image.NewPaletted(image.Rectangle{}, v.ramps.palette)
}

// source is the planes a band is drawn from.
type source struct {
	v segment.Plane
	c [3]segment.Plane
}

func sourceOf(b *segment.Band, colour bool) source {
	s := source{v: b.Body()}
	if colour {
		for i := range s.c {
			s.c[i] = b.C[i].Sub(b.Before.Lines, b.Before.Samples, b.Lines, b.Samples)
		}
	}
	return s
}

// row draws line l of the source under marks: one byte a pixel, or four for a colour page.
func (v *overlay) row(dst []uint8, s *source, l int, marks []Mark) {
	if v.colour {
		v.colourRow(dst, s, l, marks)
		return
	}
	n := len(marks)
	at := l * s.v.Stride
	switch {
	case s.v.U8 != nil:
		v.row8(dst[:n], s.v.U8[at:][:n], marks)
	case s.v.U16 != nil:
		for i, x := range s.v.U16[at:][:n] {
			dst[i] = v.table[marks[i]&3][v.wide[x]]
		}
	case s.v.F32 != nil:
		for i, x := range s.v.F32[at:][:n] {
			dst[i] = v.table[marks[i]&3][uint8(v.level(float64(x), v.ramps.levels))]
		}
	}
}

// row8 looks at eight marks at a time, which are the same nearly always.
func (v *overlay) row8(dst, in []uint8, marks []Mark) {
	i := 0
	for ; i+8 <= len(in) && i+8 <= len(dst) && i+8 <= len(marks); i += 8 {
		m := marks[i : i+8 : i+8]
		a, d := in[i:i+8:i+8], dst[i:i+8:i+8]
		if !sameMarks(m) {
			for k := range d {
				d[k] = v.table[m[k]&3][a[k]]
			}
			continue
		}
		t := &v.table[m[0]&3]
		binary.LittleEndian.PutUint64(d, uint64(t[a[0]])|uint64(t[a[1]])<<8|uint64(t[a[2]])<<16|uint64(t[a[3]])<<24|
			uint64(t[a[4]])<<32|uint64(t[a[5]])<<40|uint64(t[a[6]])<<48|uint64(t[a[7]])<<56)
	}
	for ; i < len(in); i++ {
		dst[i] = v.table[marks[i]&3][in[i]]
	}
}

// sameMarks tells whether eight marks are one mark.
func sameMarks(m []Mark) bool {
	w := uint64(m[0]) | uint64(m[1])<<8 | uint64(m[2])<<16 | uint64(m[3])<<24 |
		uint64(m[4])<<32 | uint64(m[5])<<40 | uint64(m[6])<<48 | uint64(m[7])<<56
	return w == uint64(m[0])*0x0101010101010101
}

// colourRow draws the source's colours as the stretch shows them, then lays inks over those that are marked.
func (v *overlay) colourRow(dst []uint8, s *source, l int, marks []Mark) {
	n := len(marks)
	dst = dst[:4*n]
	for c := range s.c {
		p := &s.c[c]
		at := l * p.Stride
		switch {
		case p.U8 != nil:
			for i, x := range p.U8[at:][:n] {
				dst[4*i+c] = v.wide[x]
			}
		case p.U16 != nil:
			for i, x := range p.U16[at:][:n] {
				dst[4*i+c] = v.wide[x]
			}
		case p.F32 != nil:
			for i, x := range p.F32[at:][:n] {
				dst[4*i+c] = uint8(v.level(float64(x), 256))
			}
		}
	}
	for i, m := range marks {
		d := dst[4*i : 4*i+4 : 4*i+4]
		d[3] = 255
		k := &v.inks[m&3]
		if k.share == 0 {
			continue
		}
		if k.coloured() { // over another colour a tint would be a third one
			y := luma(d[0], d[1], d[2])
			d[0], d[1], d[2] = y, y, y
		}
		d[0], d[1], d[2] = v.mixed[m&3][0][d[0]], v.mixed[m&3][1][d[1]], v.mixed[m&3][2][d[2]]
	}
}

// luma is the gray of a colour, as color.GrayModel has it.
func luma(r, g, b uint8) uint8 {
	return uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
}
