package raster

import (
	"context"
	"fmt"
	"image"
	"iter"

	"segscan/segment"
)

// bandPlan is a Request worked out for a page. Lines and samples count along the request's axis on the page as
// shown, from 0; windows are of the stored page.
type bandPlan struct {
	p       *page
	req     Request
	turn    turn // from stored pixels to lines and samples
	lines   int  // of the whole page
	samples int  // of the whole page
	l0, l1  int  // body lines, all bands
	s0, s1  int  // body samples
	before  int  // halo samples held before and after the body
	after   int
	step    int // body lines a band
	colour  bool
}

func (p *page) plan(r Request) (*bandPlan, error) {
	w, h := int(p.info.Width), int(p.info.Height)
	roi := image.Rect(0, 0, w, h)
	if r.ROI != nil {
		roi = r.ROI.Intersect(roi)
		if roi.Empty() {
			return nil, fmt.Errorf("region %d,%d,%d,%d lies outside the image of %d x %d (--roi)",
				r.ROI.Min.X, r.ROI.Min.Y, r.ROI.Dx(), r.ROI.Dy(), w, h)
		}
	}
	b := &bandPlan{p: p, req: r, turn: p.turn.lines(r.Axis), colour: r.Needs.Channels,
		lines: h, samples: w, l0: roi.Min.Y, l1: roi.Max.Y, s0: roi.Min.X, s1: roi.Max.X}
	if r.Axis == segment.Cols {
		b.lines, b.samples = w, h
		b.l0, b.l1, b.s0, b.s1 = roi.Min.X, roi.Max.X, roi.Min.Y, roi.Max.Y
	}
	b.before = min(r.Needs.HaloSamples, b.s0)
	b.after = min(r.Needs.HaloSamples, b.samples-b.s1)
	if b.req.MaxBytes <= 0 {
		b.req.MaxBytes = DefaultBandBytes
	}
	perLine := int64(b.width()) * int64(p.conv.out.Bytes())
	if b.colour {
		perLine += 4 * int64(b.width()) * int64(p.conv.colour.Bytes())
	}
	// A body shorter than its halo would read every line many times over.
	halo := int64(r.Needs.HaloLines)
	fit := max(b.req.MaxBytes/perLine-2*halo, halo, 1)
	if from, to := b.around(b.l0, b.l1); int64(to-from) <= b.req.MaxBytes/perLine {
		fit = int64(b.l1 - b.l0) // one band has no halo beyond the page's border
	}
	b.step = int(min(fit, int64(b.l1-b.l0)))
	return b, nil
}

// width is the number of samples held of a line, halo included.
func (b *bandPlan) width() int { return b.before + b.s1 - b.s0 + b.after }

// around gives the lines held for a body [l0, l1), halo included.
func (b *bandPlan) around(l0, l1 int) (int, int) {
	return max(0, l0-b.req.Needs.HaloLines), min(b.lines, l1+b.req.Needs.HaloLines)
}

// window is the stored window of the lines [l0, l1), halo samples included.
func (b *bandPlan) window(l0, l1 int) image.Rectangle {
	return b.turn.window(l0, l1, b.s0-b.before, b.s1+b.after, int(b.p.lay.width), int(b.p.lay.height))
}

// streams tells whether bands follow each other down the stored page, so that one pass serves them all.
func (b *bandPlan) streams() bool { return !b.turn.swap && !b.turn.flipY }

func (p *page) Bands(ctx context.Context, r Request) iter.Seq2[segment.Band, error] {
	return func(yield func(segment.Band, error) bool) {
		b, err := p.plan(r)
		if err != nil {
			yield(segment.Band{}, err)
			return
		}
		f := &filler{b: b, ctx: ctx}
		defer f.close()
		err = guard("decoding", f.prepare)
		for l := b.l0; err == nil && l < b.l1; l += b.step {
			var band segment.Band
			if err = ctx.Err(); err == nil {
				err = guard("decoding", func() (err error) {
					band, err = f.band(l, min(l+b.step, b.l1))
					return err
				})
			}
			if err == nil && !yield(band, nil) {
				return
			}
		}
		if err != nil {
			yield(segment.Band{}, err)
		}
	}
}

// filler makes the bands of one iteration, in one buffer.
type filler struct {
	b   *bandPlan
	ctx context.Context

	whole    *keptPlane // set: bands come from here
	v        segment.Plane
	c        [4]segment.Plane
	releases []func()

	pass cursor // of a streaming iteration
	from int    // lines [from, to) of the page are in the buffer's top
	to   int
}

func (f *filler) close() {
	if f.pass != nil {
		f.pass.close()
	}
	for _, r := range f.releases {
		r()
	}
}

func (f *filler) prepare() error {
	b := f.b
	first, last := b.around(b.l0, b.l1)
	win := b.window(first, last)
	if !b.colour {
		var err error
		if f.whole, err = b.p.keep(f.ctx, win, b.req.MaxBytes); err != nil {
			return err
		}
	}
	if f.whole != nil && b.streams() && !b.turn.flipX && b.req.Alloc == nil {
		return nil // bands are windows of what is kept
	}
	lines := 0
	for l := b.l0; l < b.l1; l += b.step {
		l0, l1 := b.around(l, min(l+b.step, b.l1))
		lines = max(lines, l1-l0)
	}
	var err error
	if f.v, err = f.alloc(b.p.conv.out, lines, b.width()); err != nil {
		return err
	}
	if b.colour {
		for i := range f.c {
			if f.c[i], err = f.alloc(b.p.conv.colour, lines, b.width()); err != nil {
				return err
			}
		}
	}
	if b.streams() {
		f.pass, err = f.open(win)
		f.from, f.to = first, first
	}
	return err
}

func (f *filler) alloc(t segment.SampleType, lines, samples int) (segment.Plane, error) {
	if f.b.req.Alloc == nil {
		return segment.NewPlane(t, lines, samples), nil
	}
	n := lines * samples
	p, release := f.b.req.Alloc(t, n)
	if release != nil {
		f.releases = append(f.releases, release)
	}
	q := segment.Plane{Lines: lines, Samples: samples, Stride: samples}
	switch {
	case t == segment.U8 && len(p.U8) >= n:
		q.U8 = p.U8[:n]
	case t == segment.U16 && len(p.U16) >= n:
		q.U16 = p.U16[:n]
	case t == segment.F32 && len(p.F32) >= n:
		q.F32 = p.F32[:n]
	default:
		return q, fmt.Errorf("memory for %d %s samples was asked for, not given", n, t)
	}
	return q, nil
}

func (f *filler) open(win image.Rectangle) (cursor, error) {
	if f.whole != nil {
		return &planeCursor{f.whole.sub(win)}, nil
	}
	return f.b.p.open(f.ctx, win, f.b.colour)
}

// band fills the buffer with the band of body lines [l0, l1) and describes it.
func (f *filler) band(l0, l1 int) (segment.Band, error) {
	b := f.b
	first, last := b.around(l0, l1)
	out := segment.Band{
		Page: &b.p.info, Axis: b.req.Axis, Line0: int64(l0), Sample0: int64(b.s0),
		Lines: l1 - l0, Samples: b.s1 - b.s0,
		Before: segment.Halo{Lines: l0 - first, Samples: b.before},
		After:  segment.Halo{Lines: last - l1, Samples: b.after},
	}
	if f.v.Samples == 0 {
		out.V = f.whole.sub(b.window(first, last))
		return out, nil
	}
	out.V = f.v.Sub(0, 0, last-first, b.width())
	if b.colour {
		for i := range f.c {
			out.C[i] = f.c[i].Sub(0, 0, last-first, b.width())
		}
	}
	if b.streams() {
		return out, f.advance(&out, first, last)
	}
	return out, f.turned(&out, b.window(first, last))
}

// advance moves the lines that two bands share to the top of the buffer and reads the rest.
func (f *filler) advance(out *segment.Band, first, last int) error {
	keep := f.to - first
	if keep > 0 && first > f.from {
		moveUp(f.v, first-f.from, keep)
		for i := range f.c {
			moveUp(f.c[i], first-f.from, keep)
		}
	}
	keep = max(keep, 0)
	fresh := last - first - keep
	v := out.V.Sub(keep, 0, fresh, out.V.Samples)
	var c [4]segment.Plane
	for i := range c {
		c[i] = out.C[i].Sub(keep, 0, fresh, out.C[i].Samples)
	}
	if fresh > 0 {
		if err := f.pass.read(v, &c); err != nil {
			return err
		}
	}
	if f.b.turn.flipX {
		flipSamples(v)
		for i := range c {
			flipSamples(c[i])
		}
	}
	f.from, f.to = first, last
	return nil
}

// turned fills a band whose lines are not stored rows from the top down: it reads stored rows a few at a time and
// puts every sample where it belongs.
func (f *filler) turned(out *segment.Band, win image.Rectangle) error {
	pass, err := f.open(win)
	if err != nil {
		return err
	}
	defer pass.close()
	w, h := win.Dx(), win.Dy()
	t := f.b.turn
	if pc, ok := pass.(*planeCursor); ok {
		t.place(out.V, pc.p, 0, h)
		return nil
	}
	const scratch = 4 << 20 // bytes
	n := max(1, min(h, scratch/(w*f.b.p.conv.out.Bytes())))
	if n > placeBlock {
		n -= n % placeBlock
	}
	v := segment.NewPlane(f.b.p.conv.out, n, w)
	var c [4]segment.Plane
	if f.b.colour {
		for i := range c {
			c[i] = segment.NewPlane(f.b.p.conv.colour, n, w)
		}
	}
	for y := 0; y < h; y += n {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		k := min(n, h-y)
		vk := v.Sub(0, 0, k, w)
		var ck [4]segment.Plane
		for i := range c {
			ck[i] = c[i].Sub(0, 0, k, c[i].Samples)
		}
		if err := pass.read(vk, &ck); err != nil {
			return err
		}
		t.place(out.V, vk, y, h)
		for i := range ck {
			t.place(out.C[i], ck[i], y, h)
		}
	}
	return nil
}

// moveUp copies lines [at, at+n) of p to its top.
func moveUp(p segment.Plane, at, n int) {
	for l := range n {
		to, from := l*p.Stride, (at+l)*p.Stride
		switch {
		case p.U8 != nil:
			copy(p.U8[to:to+p.Samples], p.U8[from:from+p.Samples])
		case p.U16 != nil:
			copy(p.U16[to:to+p.Samples], p.U16[from:from+p.Samples])
		case p.F32 != nil:
			copy(p.F32[to:to+p.Samples], p.F32[from:from+p.Samples])
		}
	}
}
