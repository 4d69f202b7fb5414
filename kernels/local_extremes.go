package kernels

import (
	"math"

	"segscan/kernels/internal/simd"
	"segscan/segment"
)

// sample is any type of samples.
type sample = simd.Sample

// extremes classifies by the least and greatest samples of windows.
func (c *Local) extremes(v *localView, out *segment.Masks) {
	// Strips keep the lines that a step works on in the first-level cache, and are wide beside what lies around them.
	n := stripWidth(v.n, max(2048/v.b.V.Type().Bytes(), 8*(2*v.rs+1)))
	for s0 := 0; s0 < v.n; s0 += n {
		w := v.strip(s0, min(s0+n, v.n))
		masks := func(l int) (le, gt, nan []uint64) { return c.stripMasks(out, l, s0, w.n) }
		switch p := &v.b.V; {
		case p.U8 != nil:
			m := c.mids()
			newExtremes(w, p.U8, math.MaxUint8, 0).run(masks, func(x, l, h []uint8, le, gt, _ []uint64) {
				simd.MidsU8(le, gt, x, l, h, m)
			})
		case p.U16 != nil:
			m := c.mids()
			newExtremes(w, p.U16, math.MaxUint16, 0).run(masks, func(x, l, h []uint16, le, gt, _ []uint64) {
				simd.MidsU16(le, gt, x, l, h, m)
			})
		default:
			inf := float32(math.Inf(1))
			m := c.floatMids()
			none := make([]uint64, (w.n+63)/64)
			newExtremes(w, p.F32, inf, -inf).run(masks, func(x, l, h []float32, le, gt, nan []uint64) {
				simd.MidsF32(le, gt, none, x, l, h, m)
				for i := range nan {
					nan[i] |= none[i]
				}
			})
		}
	}
}

// mids is what integer samples are compared with; all is doubled, so that nothing is halved: v <= (l+h)/2 is 2v <= l+h.
func (c *Local) mids() simd.Mids {
	const far = 1 << 20 // beyond twice every sample
	m := simd.Mids{Margin: int(min(math.Floor(2*c.Margin), far))}
	if c.Rule == LocalBernsen {
		m.Contrast, m.Centre = int(min(math.Ceil(c.Contrast), far)), int(max(-far, min(math.Ceil(2*c.Centre), far)))
	}
	return m
}

// floatMids is mids for float samples.
func (c *Local) floatMids() simd.FloatMids {
	m := simd.FloatMids{Margin: 2 * c.Margin}
	if c.Rule == LocalBernsen {
		m.Contrast, m.Centre = c.Contrast, 2*c.Centre
	}
	return m
}

// windowExtremes finds the least and the greatest sample of every window in a number of comparisons that does not
// depend on its size: van Herk, Pattern Recognit. Lett. 13(7), 1992; Gil and Werman, IEEE Trans. Pattern Anal. Mach.
// Intell. 15(5), 1993. Lines are grouped into blocks as high as the window, which covers the end of one and the start
// of the next. Order does not matter to extremes, so blocks begin anywhere.
type windowExtremes[T sample] struct {
	v      *localView
	p      []T
	group  int             // lines
	stops  []extremeRow[T] // from line i*group of a block to its end
	rows   []extremeRow[T] // from line j of a group to the end of its block
	going  extremeRow[T]   // to work in
	start  extremeRow[T]   // from the start of the next block
	window extremeRow[T]   // of columns, then of windows; room for a block of vectors beyond
	none   extremeRow[T]   // of nothing: what is neither below nor above anything
	inPage extremeRow[T]   // the window's, of the columns of the page
}

// extremeRow holds the least and the greatest samples of columns.
type extremeRow[T sample] struct{ low, high []T }

func newExtremes[T sample](v *localView, p []T, top, bottom T) *windowExtremes[T] {
	n, height := v.columns(), 2*v.rl+1
	e := &windowExtremes[T]{v: v, p: p, group: groupLines(height)}
	stops := (height-1)/e.group + 1
	mem := make([]T, 2*n*(stops+e.group+3)+2*(n+slideRoom))
	cut := func(n int) (r extremeRow[T]) {
		r.low, r.high, mem = mem[:n:n], mem[n:2*n:2*n], mem[2*n:]
		return r
	}
	for range stops {
		e.stops = append(e.stops, cut(n))
	}
	for range e.group {
		e.rows = append(e.rows, cut(n))
	}
	e.going, e.start, e.none, e.window = cut(n), cut(n), cut(n), cut(n+slideRoom)
	for i := range n {
		e.none.low[i], e.none.high[i] = top, bottom
	}
	e.inPage = e.window.page(v)
	return e
}

// page is the part of a row that lies in the page.
func (r extremeRow[T]) page(v *localView) extremeRow[T] {
	return extremeRow[T]{r.low[v.c0:v.c1], r.high[v.c0:v.c1]}
}

// run classifies all lines of the strip by what mids makes of their windows' extremes. As with sums of floats, the rows
// to the end of a block are made for the first lines of groups, and from there for the lines of a group.
func (e *windowExtremes[T]) run(masks func(l int) (le, gt, nan []uint64), mids func(x, l, h []T, le, gt, nan []uint64)) {
	v := e.v
	height := 2*v.rl + 1
	for l := 0; l < v.b.Lines; {
		n := min(height, v.b.Lines-l) // windows that begin in the block
		first := l - v.rl
		e.closeBlock(first, height, n)
		copy(e.start.low, e.none.low)
		copy(e.start.high, e.none.high)
		for j := range n {
			if j > 0 {
				e.take(e.start, e.start, l+v.rl)
			}
			if j%e.group == 0 {
				e.openGroup(first, j, height)
			}
			end, start := e.rows[j%e.group].page(v), e.start.page(v)
			simd.Pair(e.inPage.low, e.inPage.high, end.low, end.high, start.low, start.high)
			mirrorColumns(v, e.window.low[:v.columns()])
			mirrorColumns(v, e.window.high[:v.columns()])
			slideExtremes(e.window.low, e.window.high, 2*v.rs+1)
			le, gt, nan := masks(l)
			mids(body(v, e.p, l), e.window.low, e.window.high, le, gt, nan)
			l++
		}
	}
}

// closeBlock makes the rows from line l+j, for j that groups begin with, to the last of n lines; of those behind the group
// of line m-1 it keeps the first alone.
func (e *windowExtremes[T]) closeBlock(l, n, m int) {
	from := e.none
	for j := n - 1; j >= e.group; j-- {
		to := e.going
		if j%e.group == 0 && j < m+e.group {
			to = e.stops[j/e.group]
		}
		e.take(to, from, l+j)
		from = to
	}
}

// openGroup makes the rows from each line l+j of the group that begins with line j to the last of n lines.
func (e *windowExtremes[T]) openGroup(l, j, n int) {
	end, from := j+e.group, e.none
	if end < n {
		from = e.stops[end/e.group]
	}
	for i := min(end, n) - 1; i >= j; i-- {
		e.take(e.rows[i-j], from, l+i)
		from = e.rows[i-j]
	}
}

// take sets to to the extremes of from and of a line, in the columns of the page.
func (e *windowExtremes[T]) take(to, from extremeRow[T], line int) {
	v := e.v
	x := held(v, e.p, v.line(line))
	to, from = to.page(v), from.page(v)
	if x, ok := any(x).([]float32); ok {
		simd.TakeF32(any(to.low).([]float32), any(to.high).([]float32), any(from.low).([]float32), any(from.high).([]float32), x)
		return
	}
	simd.Pair(to.low, to.high, from.low, from.high, x, x)
}

// slideRoom is how many samples behind the last column slideExtremes overwrites, in whole vectors.
const slideRoom = 32

// slideExtremes replaces l[i] and h[i] by the extremes of w columns from i on, for all i that have so many, by doubling:
// of 2, 4, 8 ... columns, and at last of two runs that overlap. That takes more steps for wider windows, one for each
// doubling, and each takes many columns at a time. slideRoom samples behind the columns take part, to no effect.
func slideExtremes[T sample](l, h []T, w int) {
	columns := len(l) - slideRoom
	double := func(by int) {
		n := min((columns-by+slideRoom-1)&^(slideRoom-1), len(l)-by)
		simd.Pair(l[:n], h[:n], l[:n], h[:n], l[by:], h[by:])
	}
	k := 1
	for ; 2*k <= w; k *= 2 {
		double(k)
	}
	if k < w {
		double(w - k)
	}
}
