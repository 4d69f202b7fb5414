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
	// Strips are wide beside what lies around them; their lines need not stay in the first-level cache.
	n := stripWidth(v.n, max(4096, 8*(2*v.rs+1)))
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
// depend on its size, after van Herk, Pattern Recognit. Lett. 13(7), 1992; Gil and Werman, IEEE Trans. Pattern Anal.
// Mach. Intell. 15(5), 1993. A window of lines begins in one group of lines and ends in a block of as many: it is the
// rest of the group, the blocks between, and the start of the last block. Order does not matter to extremes, and
// neither does what counts twice, so that groups begin with windows and blocks where these end.
type windowExtremes[T sample] struct {
	v *localView
	p []T
	extremeGroups
	rows   []extremeRow[T] // from line j of a group to the end of the blocks between
	blocks blockQueue[T]   // those between, and the one that windows end in
	going  extremeRow[T]   // to work in
	window extremeRow[T]   // of columns, then of windows; room for simd.Slide behind
	none   extremeRow[T]   // of nothing: what is neither below nor above anything
	inPage extremeRow[T]   // the window's, of the columns of the page
}

// extremeRow holds the least and the greatest samples of columns.
type extremeRow[T sample] struct{ low, high []T }

func newExtremes[T sample](v *localView, p []T, top, bottom T) *windowExtremes[T] {
	e := &windowExtremes[T]{v: v, p: p, extremeGroups: groupExtremes(2*v.rl + 1)}
	n, size := v.c1-v.c0, v.b.V.Type().Bytes()
	apart, wide := rowApart(n*size)/size, rowApart((v.columns()+simd.SlideRoom)*size)/size
	mem := make([]T, 2*apart*(e.group+e.between+4)+2*wide)
	cut := func(n, apart int) (r extremeRow[T]) {
		r.low, r.high, mem = mem[:n:n], mem[apart:][:n:n], mem[2*apart:]
		return r
	}
	for range e.group {
		e.rows = append(e.rows, cut(n, apart))
	}
	for range e.between + 1 {
		e.blocks.rows = append(e.blocks.rows, cut(n, apart))
	}
	e.going, e.blocks.late, e.none = cut(n, apart), cut(n, apart), cut(n, apart)
	e.window = cut(v.columns()+simd.SlideRoom, wide)
	for i := range n {
		e.none.low[i], e.none.high[i] = top, bottom
	}
	e.inPage = e.window.slice(v.c0, v.c1)
	return e
}

// rowApart is how far rows of so many bytes lie apart: no vector of an aligned row is in two lines of the cache, and
// the same place of the next row is not in the same set of lines, nor is it taken for the same in a page of memory.
func rowApart(n int) int {
	n = (n + 63) &^ 63
	for n&4095 < 448 || n&4095 > 4096-448 {
		n += 64
	}
	return n
}

// run classifies all lines of the strip by what mids makes of their windows' extremes.
func (e *windowExtremes[T]) run(masks func(l int) (le, gt, nan []uint64), mids func(x, l, h []T, le, gt, nan []uint64)) {
	v := e.v
	for l := v.rl + 1 - e.between*e.group; l <= v.rl; l++ { // the blocks that the first window covers
		if (v.rl+1-l)%e.group == 0 {
			e.blocks.last().set(e.none)
		}
		e.take(e.blocks.last(), e.blocks.last(), l)
		if (v.rl-l)%e.group == 0 {
			e.blocks.next++
		}
	}
	for l := range v.b.Lines {
		j := l % e.group
		if j == 0 {
			e.open(l - v.rl)
			e.blocks.last().set(e.none)
		} else {
			e.take(e.blocks.last(), e.blocks.last(), l+v.rl)
		}
		e.inPage.pair(e.rows[j], e.blocks.last())
		e.window.slice(0, v.c0).set(e.none)
		e.window.slice(v.c1, v.columns()).set(e.none)
		simd.Slide(e.window.low, e.window.high, 2*v.rs+1)
		le, gt, nan := masks(l)
		askExtremes(v, l, e.window.low, e.window.high)
		mids(body(v, e.p, l), e.window.low, e.window.high, le, gt, nan)
		if j == e.group-1 && l+1 < v.b.Lines && e.between > 0 {
			e.take(e.blocks.last(), e.blocks.last(), l+1+v.rl)
			e.blocks.pass()
		}
	}
}

// open makes the rows of the group that begins with a line.
func (e *windowExtremes[T]) open(line int) {
	from := e.none
	if e.between > 0 {
		from = e.blocks.all(e.going)
	}
	for i := e.group + e.gap - 1; i >= 0; i-- {
		to := e.going
		if i < e.group {
			to = e.rows[i]
		}
		e.take(to, from, line+i)
		from = to
	}
}

// take sets to to the extremes of from and of a line, in the columns of the page. A line beyond the page is the mirror
// image of one that the window has too.
func (e *windowExtremes[T]) take(to, from extremeRow[T], line int) {
	v := e.v
	if q := v.b.Line0 + int64(line); q < 0 || q >= v.lines {
		if &to.low[0] != &from.low[0] {
			to.set(from)
		}
		return
	}
	x := held(v, e.p, v.line(line))
	if x, ok := any(x).([]float32); ok {
		simd.TakeF32(any(to.low).([]float32), any(to.high).([]float32), any(from.low).([]float32), any(from.high).([]float32), x)
		return
	}
	to.pair(from, extremeRow[T]{x, x})
}
