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
	v             *localView
	p             []T
	top, bottom   T     // neutral: nothing is above, or below
	lows, highs   [][]T // from a line to the end of its block
	low, high     []T   // from the start of the next block
	l, h          []T   // the window's: of columns, then of windows; room for a block of vectors beyond
	tops, bottoms []T   // top and bottom in every place
}

func newExtremes[T sample](v *localView, p []T, top, bottom T) *windowExtremes[T] {
	e := &windowExtremes[T]{v: v, p: p, top: top, bottom: bottom}
	n := v.columns()
	height := 2*v.rl + 1
	mem := make([]T, n*(2*height+6)+2*slideRoom)
	cut := func() []T {
		x := mem[:n:n]
		mem = mem[n:]
		return x
	}
	for range height {
		e.lows, e.highs = append(e.lows, cut()), append(e.highs, cut())
	}
	e.low, e.high, e.tops, e.bottoms = cut(), cut(), cut(), cut()
	for i := range e.tops {
		e.tops[i], e.bottoms[i] = top, bottom
	}
	e.l, e.h = mem[:n+slideRoom], mem[n+slideRoom:]
	return e
}

// run classifies all lines of the strip by what mids makes of their windows' extremes.
func (e *windowExtremes[T]) run(masks func(l int) (le, gt, nan []uint64), mids func(x, l, h []T, le, gt, nan []uint64)) {
	v := e.v
	height := 2*v.rl + 1
	lo, hi := v.c0, v.c1
	for l := 0; l < v.b.Lines; {
		n := min(height, v.b.Lines-l) // windows that begin in the block
		last := n - 1
		e.clear(e.lows[last], e.highs[last])
		for j := height - 1; j >= 0; j-- {
			at, from := min(j, last), min(j+1, last)
			e.take(e.lows[at], e.highs[at], e.lows[from], e.highs[from], l-v.rl+j)
		}
		e.clear(e.low, e.high)
		for j := range n {
			if j > 0 {
				e.take(e.low, e.high, e.low, e.high, l+v.rl)
			}
			simd.Pair(e.l[lo:hi], e.h[lo:hi], e.lows[j][lo:hi], e.highs[j][lo:hi], e.low[lo:hi], e.high[lo:hi])
			mirrorColumns(v, e.l[:v.columns()])
			mirrorColumns(v, e.h[:v.columns()])
			slideExtremes(e.l, e.h, 2*v.rs+1)
			le, gt, nan := masks(l)
			mids(body(v, e.p, l), e.l, e.h, le, gt, nan)
			l++
		}
	}
}

func (e *windowExtremes[T]) clear(low, high []T) {
	copy(low, e.tops)
	copy(high, e.bottoms)
}

// take sets tl and th to the extremes of sl and sh and of a line, in the columns of the page.
func (e *windowExtremes[T]) take(tl, th, sl, sh []T, line int) {
	v := e.v
	x := held(v, e.p, v.line(line))
	tl, th, sl, sh = tl[v.c0:v.c1], th[v.c0:v.c1], sl[v.c0:v.c1], sh[v.c0:v.c1]
	if x, ok := any(x).([]float32); ok {
		simd.TakeF32(any(tl).([]float32), any(th).([]float32), any(sl).([]float32), any(sh).([]float32), x)
		return
	}
	simd.Pair(tl, th, sl, sh, x, x)
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
