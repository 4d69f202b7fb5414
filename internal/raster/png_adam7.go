package raster

import (
	"context"
	"image"

	"segscan/internal/raster/internal/png"
	"segscan/segment"
)

// interlacedBytes bounds the samples an interlaced image is put together in. A window beyond it is decoded several
// times, a part of its rows each time: every part needs all seven passes.
const interlacedBytes = 64 << 20

// pngInterlaced reads a window of an interlaced image.
type pngInterlaced struct {
	s    *pngSource
	ctx  context.Context
	win  image.Rectangle
	part segment.Plane // rows [y0, y0+part.Lines) of the image
	y0   int
	y    int // next row to hand out
	max  int // rows of a part
}

func newPNGInterlaced(ctx context.Context, s *pngSource, win image.Rectangle) *pngInterlaced {
	row := win.Dx() * s.lay.channels * s.lay.sample.Bytes()
	return &pngInterlaced{s: s, ctx: ctx, win: win, y: win.Min.Y, max: max(1, min(win.Dy(), interlacedBytes/row))}
}

func (r *pngInterlaced) close() error { return nil }

func (r *pngInterlaced) next(dst segment.Plane) error {
	for at := 0; at < dst.Lines; {
		if r.y >= r.y0+r.part.Lines || r.part.Lines == 0 {
			if err := r.decode(); err != nil {
				return err
			}
		}
		n := min(dst.Lines-at, r.y0+r.part.Lines-r.y)
		turn{}.place(dst.Sub(at, 0, n, dst.Samples), r.part.Sub(r.y-r.y0, 0, n, dst.Samples), 0, n)
		at += n
		r.y += n
	}
	return nil
}

// decode goes through all passes and keeps the rows of the next part.
func (r *pngInterlaced) decode() error {
	l := &r.s.lay
	if r.part.Lines == 0 {
		r.part = segment.NewPlane(l.sample, r.max, r.win.Dx()*l.channels)
	}
	r.y0 = r.y
	r.part.Lines = min(r.max, r.win.Max.Y-r.y0)
	d := png.NewDecoder(r.ctx, r.s.r, r.s.in)
	row := make([]byte, r.s.in.RowBytes(r.s.in.Width)) // the last pass has rows as long as the image's
	wide := segment.NewPlane(l.sample, 1, r.s.in.Width*l.channels)
	for y := 0; ; y++ {
		p, w, left := d.Pass()
		if left == 0 {
			return r.s.finish(d)
		}
		if left == passRows(p, r.s.in.Height) {
			y = 0
		}
		n := r.s.in.RowBytes(w)
		if err := d.Rows(row[:n], n, 1); err != nil {
			return err
		}
		if at := p.Y0 + y*p.DY - r.y0; at >= 0 && at < r.part.Lines {
			r.s.samples(wide.Sub(0, 0, 1, w*l.channels), row[:n], 0, w)
			r.scatter(p, at, w, wide)
		}
	}
}

func passRows(p png.Pass, height int) int { return (height - p.Y0 + p.DY - 1) / p.DY }

// scatter puts the w pixels of a pass row to their places in row `at` of the part.
func (r *pngInterlaced) scatter(p png.Pass, at, w int, row segment.Plane) {
	ch := r.s.lay.channels
	to := r.part.Sub(at, 0, 1, r.part.Samples)
	if to.U8 != nil {
		scatterRow(to.U8, row.U8, p, w, ch, r.win)
	} else {
		scatterRow(to.U16, row.U16, p, w, ch, r.win)
	}
}

func scatterRow[T ints](dst, src []T, p png.Pass, w, ch int, win image.Rectangle) {
	first := max(0, (win.Min.X-p.X0+p.DX-1)/p.DX)
	for i := first; i < w; i++ {
		x := p.X0 + i*p.DX
		if x >= win.Max.X {
			return
		}
		copy(dst[(x-win.Min.X)*ch:][:ch], src[i*ch:][:ch])
	}
}
