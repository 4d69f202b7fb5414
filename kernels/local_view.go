package kernels

import (
	"errors"
	"fmt"

	"segscan/segment"
)

// localView is what windows see of a band's lines. Columns count from half a window before the first body sample:
// body sample s lies under columns s to s+2*rs. Those of the page are columns [c0, c1), held by the plane from sample
// from on; the others mirror them.
type localView struct {
	b      *segment.Band
	rl, rs int   // half the window over lines and along samples
	edge   int   // 1: the border is a mirror between samples, 0: the border sample is
	lines  int64 // of the page
	first  int64 // line of the page that is the plane's first
	sample int64 // sample of the page that is the first body sample
	n      int   // body samples
	c0, c1 int
	from   int
	ask    *asked // nil: nothing
}

// view checks that the band holds what windows need.
func (c *Local) view(b *segment.Band) (*localView, error) {
	if b.Page == nil {
		return nil, errors.New("the band does not say what page it is of")
	}
	lines, samples := b.Page.Height, b.Page.Width
	if b.Axis == segment.Cols {
		lines, samples = samples, lines
	}
	wl, ws := c.sides(b.Axis)
	if wl < 1 || ws < 1 || wl%2 == 0 || ws%2 == 0 || wl > MaxLocalWindow || ws > MaxLocalWindow || int64(wl) > lines || int64(ws) > samples {
		return nil, fmt.Errorf("a window of %d x %d on a page of %d x %d", c.WindowX, c.WindowY, b.Page.Width, b.Page.Height)
	}
	v := &localView{b: b, rl: wl / 2, rs: ws / 2, lines: lines, first: b.Line0 - int64(b.Before.Lines), sample: b.Sample0, n: b.Samples, ask: c.ask}
	if c.repeats() {
		v.edge = 1
	}
	l0 := max(0, b.Line0-int64(v.rl))
	l1 := min(lines, b.Line0+int64(b.Lines+v.rl))
	s0 := max(0, b.Sample0-int64(v.rs))
	s1 := min(samples, b.Sample0+int64(b.Samples+v.rs))
	if b.Line0 < 0 || b.Sample0 < 0 || b.Line0+int64(b.Lines) > lines || b.Sample0+int64(b.Samples) > samples {
		return nil, fmt.Errorf("%d lines from %d and %d samples from %d do not lie in a page of %d x %d",
			b.Lines, b.Line0, b.Samples, b.Sample0, b.Page.Width, b.Page.Height)
	}
	if l0 < v.first || l1 > b.Line0+int64(b.Lines+b.After.Lines) ||
		s0 < b.Sample0-int64(b.Before.Samples) || s1 > b.Sample0+int64(b.Samples+b.After.Samples) {
		return nil, fmt.Errorf("a window of %d x %d sees beyond a halo of %d and %d lines and %d and %d samples",
			c.WindowX, c.WindowY, b.Before.Lines, b.After.Lines, b.Before.Samples, b.After.Samples)
	}
	v.c0 = int(s0 - (b.Sample0 - int64(v.rs)))
	v.c1 = v.c0 + int(s1-s0)
	v.from = b.Before.Samples - int(b.Sample0-s0)
	return v, nil
}

// strip is the view of body samples s0 to s1-1.
func (v *localView) strip(s0, s1 int) *localView {
	w := *v
	w.sample, w.n = v.sample+int64(s0), s1-s0
	w.c0 = max(0, v.c0-s0)
	w.c1 = min(w.columns(), v.c1-s0)
	w.from = v.from + max(0, s0-v.c0)
	return &w
}

// stripWidth divides n samples into strips of about so many, all alike: every one looks at the samples around it again,
// so that a narrow last one would cost much. It is a multiple of 64, as masks want.
func stripWidth(n, about int) int {
	strips := max(1, (n+about/2)/about)
	return ((n+strips-1)/strips + 63) &^ 63
}

// columns is the number of columns, mirrored ones included.
func (v *localView) columns() int { return v.n + 2*v.rs }

// line is the line of the plane that windows see at body line l, from -rl to the body's lines + rl.
func (v *localView) line(l int) int {
	q := v.b.Line0 + int64(l)
	if q < 0 {
		q = -q - int64(v.edge)
	} else if q >= v.lines {
		q = 2*(v.lines-1) - q + int64(v.edge)
	}
	return int(q - v.first)
}

// held is the plane's samples that lie at columns [c0, c1), on a line of the plane.
func held[T any](v *localView, p []T, line int) []T {
	at := line*v.b.V.Stride + v.from
	return p[at : at+v.c1-v.c0]
}

// body is the body's samples of body line l.
func body[T any](v *localView, p []T, l int) []T {
	at := (v.b.Before.Lines+l)*v.b.V.Stride + v.from + v.rs - v.c0
	return p[at : at+v.n]
}

// mirrorColumns fills the columns outside the page; what a column holds must not depend on its neighbours.
func mirrorColumns[T any](v *localView, x []T) {
	if n := v.c0; n > 0 {
		copyBack(x[:n], x[n+1-v.edge:][:n])
	}
	if n := len(x) - v.c1; n > 0 {
		copyBack(x[v.c1:], x[v.c1-1+v.edge-n:][:n])
	}
}

// copyBack copies backwards; to is as long as from.
func copyBack[T any](to, from []T) {
	for len(from) >= 4 {
		x, y := (*[4]T)(from), (*[4]T)(to[len(to)-4:])
		y[3], y[2], y[1], y[0] = x[0], x[1], x[2], x[3]
		from, to = from[4:], to[:len(to)-4]
	}
	for i, x := range from {
		to[len(from)-1-i] = x
	}
}
