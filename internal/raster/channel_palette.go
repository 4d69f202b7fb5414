package raster

import (
	"fmt"
	"image/color"

	"segscan/segment"
)

// palettes are a page's palette converted once: the chosen channel and the colour channels of every entry.
type palettes struct {
	entries int
	v       segment.Plane // one line of entries
	colour  [4]planeFunc
}

// initPalette converts the palette as if it were a row of RGBA pixels and sets up the lookups. The channels that
// --channel N may name are red, green, blue and, if an entry is not opaque, alpha.
func (c *converter) initPalette(o Options) error {
	l := c.lay
	if len(l.palette) == 0 {
		return fmt.Errorf("the image has an empty palette")
	}
	row := &layout{sample: segment.U8, channels: 3, model: modelRGB, min: 0, max: 255}
	for _, e := range l.palette {
		if e.A != 0xff {
			row.channels, row.alpha, row.alphaAt = 4, alphaUnassociated, 3
		}
	}
	ro := o
	if o.RawBits && c.pick.what == pickNumber {
		ro.Channel = "" // a number counts stored samples then
	}
	rc, err := newConverter(row, ro)
	if err != nil {
		return err
	}
	c.out, c.channels, c.min, c.max, c.colour = rc.out, rc.channels, rc.min, rc.max, segment.U8
	raw := paletteRow(l.palette, row.channels)
	convert := func(f planeFunc, t segment.SampleType) segment.Plane {
		dst := segment.NewPlane(t, 1, len(l.palette))
		f(dst, raw)
		return dst
	}
	c.lut = &palettes{entries: len(l.palette), v: convert(rc.v, rc.out)}
	for i, f := range rc.colourFuncs() {
		lut := convert(f, segment.U8)
		c.lut.colour[i] = func(dst, raw segment.Plane) { lookup(dst, raw, lut) }
	}
	c.v = func(dst, raw segment.Plane) { lookup(dst, raw, c.lut.v) }
	if o.RawBits && (c.pick.what == pickLuma || c.pick.what == pickNumber) {
		return c.keepIndices()
	}
	return nil
}

// keepIndices makes the index itself the page's sample. One beyond the palette is then an error only where colours
// are asked for.
func (c *converter) keepIndices() error {
	l := c.lay
	if c.pick.what == pickNumber && c.pick.n >= l.channels {
		return fmt.Errorf("the image has no channel %d, only %s (--channel)", c.pick.n, channelRange(l.channels))
	}
	c.out, c.channels, c.min, c.max, c.indices = l.sample, l.channels, 0, float64(uint(1)<<l.bits-1), true
	at := c.pick.n
	c.v = func(dst, raw segment.Plane) {
		if dst.U8 != nil {
			takeRows(dst, raw, dst.U8, raw.U8, at)
		} else {
			takeRows(dst, raw, dst.U16, raw.U16, at)
		}
	}
	return nil
}

// takeRows copies sample number at of each pixel.
func takeRows[T any](dst, raw segment.Plane, d, s []T, at int) {
	px := raw.Samples / dst.Samples
	for y := range dst.Lines {
		out, row := d[y*dst.Stride:][:dst.Samples], s[y*raw.Stride:][:raw.Samples]
		for i := range out {
			out[i] = row[i*px+at]
		}
	}
}

func paletteRow(pal []color.NRGBA, channels int) segment.Plane {
	raw := segment.NewPlane(segment.U8, 1, len(pal)*channels)
	for i, e := range pal {
		copy(raw.U8[i*channels:][:channels], []uint8{e.R, e.G, e.B, e.A})
	}
	return raw
}

// lookup maps indices to entries; checkIndices has been called on raw.
func lookup(dst, raw, lut segment.Plane) {
	switch {
	case dst.U8 != nil && raw.U8 != nil:
		lookupRows(dst, raw, dst.U8, raw.U8, lut.U8)
	case dst.U8 != nil:
		lookupRows(dst, raw, dst.U8, raw.U16, lut.U8)
	case raw.U8 != nil:
		lookupRows(dst, raw, dst.F32, raw.U8, lut.F32)
	default:
		lookupRows(dst, raw, dst.F32, raw.U16, lut.F32)
	}
}

func lookupRows[D any, I ints](dst, raw segment.Plane, d []D, s []I, lut []D) {
	px := raw.Samples / dst.Samples
	for y := range dst.Lines {
		out, row := d[y*dst.Stride:][:dst.Samples], s[y*raw.Stride:][:raw.Samples]
		if px == 1 {
			for i := range out {
				out[i] = lut[row[i]]
			}
			continue
		}
		for i := range out {
			out[i] = lut[row[i*px]]
		}
	}
}

// checkIndices refuses an index beyond the palette; x0, y0 is where raw lies in the stored page.
func (c *converter) checkIndices(raw segment.Plane, x0, y0 int) error {
	px, n := c.lay.channels, c.lut.entries
	switch {
	case raw.U8 != nil && n < 1<<8:
		return indexWithin(raw, raw.U8, px, n, x0, y0)
	case raw.U16 != nil && n < 1<<16:
		return indexWithin(raw, raw.U16, px, n, x0, y0)
	}
	return nil
}

func indexWithin[I ints](raw segment.Plane, s []I, px, n, x0, y0 int) error {
	for y := range raw.Lines {
		for i, v := range s[y*raw.Stride:][:raw.Samples] {
			if int(v) >= n && i%px == 0 {
				return fmt.Errorf("pixel %d,%d has palette index %d, but the palette has %d entries", x0+i/px, y0+y, v, n)
			}
		}
	}
	return nil
}
