package batch

import (
	"context"
	"fmt"
	"image"
	"iter"
	"math"
	"slices"

	"segscan/internal/raster"
	"segscan/segment"
)

// fieldCursor goes through the images along with the bands of a page.
type fieldCursor struct {
	*pageField
	region        image.Rectangle // of the page, which must be free of zeros
	axis          segment.Axis
	sample0       int64 // of the page, the first that is held of a line
	width         int
	halo          int // lines
	bright, black fieldLines
}

// fieldLines are lines of one image: those that are held, from base to to-1, and the band that the next come from.
type fieldLines struct {
	next     func() (segment.Band, error, bool)
	stop     func()
	band     segment.Band
	used     int // lines of band that have been taken
	base, to int64
	v        []float32
}

// cursor begins a pass over what s reads of its page.
func (k *pageField) cursor(ctx context.Context, s *bandSource) *fieldCursor {
	info := k.background.Info()
	across, down := s.request.Needs.HaloSamples, s.request.Needs.HaloLines
	if s.request.Axis == segment.Cols {
		across, down = down, across
	}
	r := s.region
	held := image.Rect(r.Min.X-across, r.Min.Y-down, r.Max.X+across, r.Max.Y+down).Intersect(image.Rect(0, 0, int(info.Width), int(info.Height)))
	c := k.open(ctx, s.request.Axis, held)
	c.region, c.halo = r, s.request.Needs.HaloLines
	return c
}

func (k *pageField) open(ctx context.Context, axis segment.Axis, held image.Rectangle) *fieldCursor {
	c := &fieldCursor{pageField: k, axis: axis, sample0: int64(held.Min.X), width: held.Dx()}
	line0 := int64(held.Min.Y)
	if axis == segment.Cols {
		c.sample0, c.width, line0 = int64(held.Min.Y), held.Dy(), int64(held.Min.X)
	}
	begin := func(p raster.Page) fieldLines {
		f := fieldLines{base: line0, to: line0}
		f.next, f.stop = iter.Pull2(p.Bands(ctx, raster.Request{Axis: axis, ROI: &held}))
		return f
	}
	c.bright = begin(k.background)
	if k.dark != nil {
		c.black = begin(k.dark)
	}
	return c
}

func (c *fieldCursor) close() {
	if c == nil {
		return
	}
	c.bright.stop()
	if c.black.stop != nil {
		c.black.stop()
	}
}

// fill holds lines keep..to-1 at least; both go forward from call to call.
func (c *fieldCursor) fill(keep, to int64) error {
	if err := c.bright.fill(keep, to, c.width); err != nil {
		return fmt.Errorf("%s: %w", c.backgroundName, err)
	}
	if c.dark == nil {
		return nil
	}
	if err := c.black.fill(keep, to, c.width); err != nil {
		return fmt.Errorf("%s: %w", c.darkName, err)
	}
	return nil
}

func (f *fieldLines) fill(keep, to int64, width int) error {
	// Lines are moved up only once most of those held are of no use any more.
	if old := min(keep, f.to) - f.base; old > 2*(f.to-f.base-old)+8 {
		f.v = slices.Delete(f.v, 0, int(old)*width)
		f.base += old
	}
	for ; f.to < to; f.to++ {
		if f.used == f.band.Lines {
			b, err, ok := f.next()
			switch {
			case err != nil:
				return err
			case !ok || b.Samples != width || b.Line0 != f.to:
				return fmt.Errorf("the decoder ended at line %d", f.to)
			}
			f.band, f.used = b, 0
		}
		if len(f.v) == 0 && f.to < keep {
			f.base = f.to + 1 // passed over
		} else {
			body := f.band.Body()
			f.v = appendFloats(f.v, &body, f.used)
		}
		f.used++
	}
	return nil
}

// appendFloats appends a line of p; integers of 16 bits are floats exactly.
func appendFloats(dst []float32, p *segment.Plane, l int) []float32 {
	from, to := l*p.Stride, l*p.Stride+p.Samples
	switch {
	case p.U8 != nil:
		for _, v := range p.U8[from:to] {
			dst = append(dst, float32(v))
		}
	case p.U16 != nil:
		for _, v := range p.U16[from:to] {
			dst = append(dst, float32(v))
		}
	default:
		dst = append(dst, p.F32[from:to]...)
	}
	return dst
}

// at gives dark and background less dark of a sample that is held, and whether that is of use.
func (c *fieldCursor) at(line int64, i int) (dark, gain float64, ok bool) {
	gain = float64(c.bright.v[int(line-c.bright.base)*c.width+i])
	if c.dark != nil {
		dark = float64(c.black.v[int(line-c.black.base)*c.width+i])
		gain -= dark
	}
	return dark, gain, gain > 0 && !math.IsInf(gain, 0)
}

// flatten replaces the samples of a band, its halo included, by corrected ones. It fails where background less dark is
// not more than 0 inside the region; beyond it, where samples only show to filters and windows, they become NaN.
func (c *fieldCursor) flatten(b *segment.Band) error {
	first, last := b.Line0-int64(b.Before.Lines), b.Line0+int64(b.Lines+b.After.Lines)
	again := last - int64(2*c.halo) // the next band may begin with the line there
	lines, samples := int(last-first), b.Before.Samples+b.Samples+b.After.Samples
	skip := int(b.Sample0 - int64(b.Before.Samples) - c.sample0)
	out := segment.NewPlane(segment.F32, lines, samples)
	var raw []float32
	for l := range lines {
		line := first + int64(l)
		if err := c.fill(min(line, max(first, again)), line+1); err != nil {
			return err
		}
		raw = appendFloats(raw[:0], &b.V, l)
		to := out.F32[l*samples:][:samples]
		for i := range to {
			dark, gain, ok := c.at(line, skip+i)
			if !ok {
				if err := c.useless(line, c.sample0+int64(skip+i), dark, gain); err != nil {
					return err
				}
				to[i] = float32(math.NaN())
				continue
			}
			to[i] = float32(float64((float64(raw[i])-dark)/gain) * c.mean)
		}
	}
	b.V = out
	return nil
}

// useless is the error of a pixel of the region.
func (c *fieldCursor) useless(line, sample int64, dark, gain float64) error {
	at := image.Pt(int(sample), int(line))
	if c.axis == segment.Cols {
		at.X, at.Y = at.Y, at.X
	}
	if !at.In(c.region) {
		return nil
	}
	what := fmt.Sprintf("is %v at pixel %d,%d", dark+gain, at.X, at.Y)
	if c.dark != nil {
		what += fmt.Sprintf(", where %s is %v", c.darkName, dark)
	}
	return fmt.Errorf("%s %s, and nothing can be divided by that; give an image without dark pixels, or leave that part out with --roi", c.backgroundName, what)
}
