package raster

import (
	"context"
	"image"

	"segscan/segment"
)

// cursor reads converted rows of a stored window from the top: v one sample a pixel, c the colour channels if their
// planes are set. All have the same number of lines.
type cursor interface {
	read(v segment.Plane, c *[4]segment.Plane) error
	close() error
}

// planeCursor reads rows that are in memory already.
type planeCursor struct{ p segment.Plane }

func (c *planeCursor) read(v segment.Plane, _ *[4]segment.Plane) error {
	turn{}.place(v, c.p.Sub(0, 0, v.Lines, v.Samples), 0, v.Lines)
	c.p = c.p.Sub(v.Lines, 0, c.p.Lines-v.Lines, c.p.Samples)
	return nil
}

func (c *planeCursor) close() error { return nil }

// rawCursor reads stored rows and converts them.
type rawCursor struct {
	ctx    context.Context
	conv   *converter
	rows   rowReader
	colour [4]planeFunc
	raw    segment.Plane // a few rows
	x0, y  int
}

// rawBytes bounds the stored samples held for conversion (but one row is held always).
const rawBytes = 4 << 20

func (p *page) open(ctx context.Context, win image.Rectangle, colour bool) (cursor, error) {
	rows, err := p.src.rows(ctx, win)
	if err != nil {
		return nil, err
	}
	c := &rawCursor{ctx: ctx, conv: p.conv, rows: rows, x0: win.Min.X, y: win.Min.Y}
	if colour {
		c.colour = p.conv.colourFuncs()
	}
	if colour || !p.conv.direct {
		c.raw = segment.NewPlane(p.lay.sample, p.rawRows(win), win.Dx()*p.lay.channels)
	}
	return c, nil
}

// rawRows is how many stored rows are converted at a time: whole chunks where they fit.
func (p *page) rawRows(win image.Rectangle) int {
	row := win.Dx() * p.lay.channels * p.lay.sample.Bytes()
	n := max(1, rawBytes/row)
	if k := p.lay.chunk; k > 1 && n > k {
		n -= n % k
	}
	return min(n, win.Dy())
}

func (c *rawCursor) read(v segment.Plane, colour *[4]segment.Plane) error {
	if c.raw.Samples == 0 {
		c.y += v.Lines
		return c.rows.next(v)
	}
	for at := 0; at < v.Lines; {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n := min(c.raw.Lines, v.Lines-at)
		raw := c.raw.Sub(0, 0, n, c.raw.Samples)
		if err := c.rows.next(raw); err != nil {
			return err
		}
		if c.conv.lut != nil && (!c.conv.indices || c.colour[0] != nil) {
			if err := c.conv.checkIndices(raw, c.x0, c.y); err != nil {
				return err
			}
		}
		if dst := v.Sub(at, 0, n, v.Samples); c.conv.direct {
			turn{}.place(dst, raw, 0, n)
		} else {
			c.conv.v(dst, raw)
		}
		for i, f := range c.colour {
			if f != nil {
				f(colour[i].Sub(at, 0, n, v.Samples), raw)
			}
		}
		at += n
		c.y += n
	}
	return nil
}

func (c *rawCursor) close() error { return c.rows.close() }

// keep gives the converted samples of the stored window win from memory if they fit into maxBytes: a page is often
// gone through two or three times, and decoding costs more than the scan. It gives nil where they do not fit, or
// where the source holds its samples itself.
func (p *page) keep(ctx context.Context, win image.Rectangle, maxBytes int64) (*keptPlane, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept != nil && win.In(p.kept.win) {
		return p.kept, nil
	}
	if p.lay.resident || int64(win.Dx())*int64(win.Dy())*int64(p.conv.out.Bytes()) > maxBytes {
		return nil, nil
	}
	c, err := p.open(ctx, win, false)
	if err != nil {
		return nil, err
	}
	defer c.close()
	k := &keptPlane{win: win, v: segment.NewPlane(p.conv.out, win.Dy(), win.Dx())}
	if err := c.read(k.v, nil); err != nil {
		return nil, err
	}
	p.kept = k
	return k, nil
}

// sub is the window win, which lies within what is kept.
func (k *keptPlane) sub(win image.Rectangle) segment.Plane {
	return k.v.Sub(win.Min.Y-k.win.Min.Y, win.Min.X-k.win.Min.X, win.Dy(), win.Dx())
}
