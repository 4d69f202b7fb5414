package kernels

import (
	"math"

	"segscan/segment"
)

// sample is any type of samples.
type sample interface{ uint8 | uint16 | float32 }

// extremes classifies by the least and greatest samples of windows.
func (c *Local) extremes(v *localView, out *segment.Masks) {
	// Strips keep the lines of a block in the cache.
	height := 2*v.rl + 1
	n := max((1<<19)/(height*v.b.V.Type().Bytes())-2*v.rs, 2*v.rs, 512) &^ 63
	for s0 := 0; s0 < v.n; s0 += n {
		w := v.strip(s0, min(s0+n, v.n))
		masks := func(l int) (le, gt, nan []uint64) { return c.stripMasks(out, l, s0, w.n) }
		switch p := &v.b.V; {
		case p.U8 != nil:
			e := newExtremes(c, w, p.U8, math.MaxUint8, 0)
			e.pair, e.slide = pairBytes, slideBytes
			e.run(masks, midsOf[uint8](c))
		case p.U16 != nil:
			newExtremes(c, w, p.U16, math.MaxUint16, 0).run(masks, midsOf[uint16](c))
		default:
			inf := float32(math.Inf(1))
			newExtremes(c, w, p.F32, inf, -inf).run(masks, floatMidsOf(c))
		}
	}
}

// windowExtremes finds the least and the greatest sample of every window in a number of comparisons that does not
// depend on its size: van Herk, Pattern Recognit. Lett. 13(7), 1992; Gil and Werman, IEEE Trans. Pattern Anal. Mach.
// Intell. 15(5), 1993. Lines are grouped into blocks as high as the window, which covers the end of one and the start
// of the next. Order does not matter to extremes, so blocks begin anywhere.
type windowExtremes[T sample] struct {
	v           *localView
	p           []T
	top, bottom T     // neutral: nothing is above, or below
	lows, highs [][]T // from a line to the end of its block
	low, high   []T   // from the start of the next block
	l, h        []T   // the window's: of columns, then of windows
	tl, th      []T
	pair        func(tl, th, al, ah, bl, bh []T)
	slide       func(l, h, tl, th []T, w int)
}

func newExtremes[T sample](c *Local, v *localView, p []T, top, bottom T) *windowExtremes[T] {
	e := &windowExtremes[T]{v: v, p: p, top: top, bottom: bottom, pair: pairSamples[T], slide: slideSamples[T]}
	n := v.columns()
	height := 2*v.rl + 1
	mem := make([]T, n*(2*height+6))
	cut := func() []T {
		x := mem[:n:n]
		mem = mem[n:]
		return x
	}
	for range height {
		e.lows, e.highs = append(e.lows, cut()), append(e.highs, cut())
	}
	e.low, e.high, e.l, e.h, e.tl, e.th = cut(), cut(), cut(), cut(), cut(), cut()
	return e
}

// run classifies all lines of the strip by what mids makes of their windows' extremes.
func (e *windowExtremes[T]) run(masks func(l int) (le, gt, nan []uint64), mids func(x, l, h []T, le, gt, nan []uint64)) {
	v := e.v
	height := 2*v.rl + 1
	lo, hi := v.c0, v.c1
	for l := 0; l < v.b.Lines; {
		for j := height - 1; j >= 0; j-- {
			if j == height-1 {
				e.clear(e.lows[j], e.highs[j])
				e.take(e.lows[j], e.highs[j], e.lows[j], e.highs[j], l-v.rl+j)
				continue
			}
			e.take(e.lows[j], e.highs[j], e.lows[j+1], e.highs[j+1], l-v.rl+j)
		}
		e.clear(e.low, e.high)
		for j := 0; j < height && l < v.b.Lines; j++ {
			if j > 0 {
				e.take(e.low, e.high, e.low, e.high, l+v.rl)
			}
			e.pair(e.l[lo:hi], e.h[lo:hi], e.lows[j][lo:hi], e.highs[j][lo:hi], e.low[lo:hi], e.high[lo:hi])
			mirrorColumns(v, e.l)
			mirrorColumns(v, e.h)
			e.slide(e.l, e.h, e.tl, e.th, 2*v.rs+1)
			le, gt, nan := masks(l)
			mids(body(v, e.p, l), e.l, e.h, le, gt, nan)
			l++
		}
	}
}

func (e *windowExtremes[T]) clear(low, high []T) {
	for i := range low {
		low[i], high[i] = e.top, e.bottom
	}
}

// take sets tl and th to the extremes of sl and sh and of a line, in the columns of the page.
func (e *windowExtremes[T]) take(tl, th, sl, sh []T, line int) {
	v := e.v
	x := held(v, e.p, v.line(line))
	tl, th, sl, sh = tl[v.c0:v.c1], th[v.c0:v.c1], sl[v.c0:v.c1], sh[v.c0:v.c1]
	if v.b.V.F32 == nil {
		e.pair(tl, th, sl, sh, x, x)
		return
	}
	tl, th, sl, sh = tl[:len(x)], th[:len(x)], sl[:len(x)], sh[:len(x)]
	for i, y := range x {
		if y-y == 0 { // neither NaN nor infinite
			tl[i], th[i] = lower(sl[i], y), higher(sh[i], y)
		} else {
			tl[i], th[i] = sl[i], sh[i]
		}
	}
}

// lower and higher are min and max without their care for NaN, which never gets here, and for the sign of 0.
func lower[T sample](a, b T) T {
	if b < a {
		return b
	}
	return a
}

func higher[T sample](a, b T) T {
	if b > a {
		return b
	}
	return a
}

// pairSamples sets tl to the lower of al and bl, th to the higher of ah and bh.
func pairSamples[T sample](tl, th, al, ah, bl, bh []T) {
	th, al, ah, bl, bh = th[:len(tl)], al[:len(tl)], ah[:len(tl)], bl[:len(tl)], bh[:len(tl)]
	for i := range tl {
		tl[i], th[i] = lower(al[i], bl[i]), higher(ah[i], bh[i])
	}
}

// slideSamples replaces l[i] and h[i] by the extremes of w columns from i on, for all i that have so many.
func slideSamples[T sample](l, h, tl, th []T, w int) {
	n := len(l) - w + 1
	for x := 0; x < n; x += w {
		// Blocks end with x+w-1; each window from x on covers the end of one and the start of the next.
		end := x + w
		low, high := l[end-1], h[end-1]
		for i := end - 1; i >= x; i-- {
			low, high = lower(low, l[i]), higher(high, h[i])
			tl[i], th[i] = low, high
		}
		l[x], h[x] = tl[x], th[x]
		m := min(w, n-x)
		if m < 2 {
			continue
		}
		low, high = l[end], h[end]
		for i := 1; i < m; i++ {
			low, high = lower(low, l[end+i-1]), higher(high, h[end+i-1])
			l[x+i], h[x+i] = lower(tl[x+i], low), higher(th[x+i], high)
		}
	}
}
