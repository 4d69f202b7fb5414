package kernels

import (
	"math"

	"segscan/kernels/internal/simd"
	"segscan/segment"
)

// floatSums adds float samples over windows without ever taking one off again, so that no rounding is carried along a
// page. Lines are grouped into blocks as high as the window; a window covers the end of one block and the start of the
// next. Sums to the end of a block are made going up, twice: once for every eighth line, so that little is held, and from
// there for the eight lines when windows reach them, together with the sums from the start of the next block. The same
// goes for samples along the line (van Herk, Pattern Recognit. Lett. 13(7), 1992, who did it for extremes), of eight
// lines side by side.
type floatSums struct {
	floatWindows
	kinds        int             // of sums: samples, their squares but for means, and, with gaps, how many are finite
	stops        [][]float64     // [i*kinds+kind]: of columns, from line 8*i of those windows begin in to the end of their block
	heads        [][]float64     // [kind]: from the start of the next block
	empty        []float64       // zeros
	col          []simd.Together // the windows', of one kind
	tail         []simd.Together // of a block along the line
	sums         []simd.Together // of windows
	rows         [][]float64     // [kind]: the same, line by line
	apart        int             // the rows of two lines
	begins, ends floatLines      // lines that windows begin with, and end with
}

// sumsF32 classifies float samples, strip by strip.
func (c *Local) sumsF32(v *localView, out *segment.Masks) {
	n := stripWidth(v.n, max(1024, 8*(2*v.rs+1)))
	k := &floatSums{}
	for s0 := 0; s0 < v.n; s0 += n {
		w := v.strip(s0, min(s0+n, v.n))
		k.start(c, w)
		k.run(func(l int) (le, gt, nan []uint64) { return c.stripMasks(out, l, s0, w.n) })
	}
}

// stripMasks gives the words of a strip of line l: those of v <= T, of v > T + margin, and where NaN goes, if anywhere.
func (c *Local) stripMasks(out *segment.Masks, l, s0, n int) (le, gt, nan []uint64) {
	b, a := out.Line(l)
	lo, hi := s0/64, (s0+n+63)/64
	b, a = b[lo:hi], a[lo:hi]
	switch c.NaN {
	case segment.Boundary:
		nan = b
	case segment.Activation:
		nan = a
	}
	if c.Swap {
		return a, b, nan
	}
	return b, a, nan
}

// start takes the memory of the strip before, if that had enough; what lies there does not matter.
func (k *floatSums) start(c *Local, v *localView) {
	k.floatWindows = newFloatWindows(c, v)
	k.kinds = 2
	if k.gaps() {
		k.kinds = 3
	} else if c.Rule == LocalMean {
		k.kinds = 1
	}
	columns := v.c1 - v.c0
	k.col, k.tail, k.sums = grown(k.col, v.columns()), grown(k.tail, 2*v.rs+1), grown(k.sums, v.n)
	k.stops = grownRows(k.stops, (2*v.rl+1+eight-1)/eight*k.kinds, columns)
	k.apart = rowApart(8*v.n) / 8
	k.heads, k.rows = grownRows(k.heads, k.kinds, columns), grownRows(k.rows, k.kinds, eight*k.apart)
	k.empty = grown(k.empty, columns)
	clear(k.empty)
	k.begins.start(v, k.kinds == 3)
	k.ends.start(v, k.kinds == 3)
}

// grownRows are so many slices of n elements.
func grownRows(x [][]float64, rows, n int) [][]float64 {
	x = grown(x, rows)
	for i := range x {
		x[i] = grown(x[i], n)
	}
	return x
}

// eight is how many lines are summed at once.
const eight = simd.TogetherLines

// floatLines are eight lines to be summed; where some are not finite, with zeros for what is not, and those of how many are.
type floatLines struct {
	x, ones simd.Lines
	gaps    bool
	close   bool      // lines lie so in memory that all would go to the same few places of the cache
	own     []float32 // room for copies
	apart   int       // two of them
	zeros   []float32
}

func (b *floatLines) start(v *localView, gaps bool) {
	const most = 32 // bytes, of a line of the cache, beyond a part of it that is about as large as the ways of a set
	over := 4 * v.b.V.Stride % 2048
	n := v.c1 - v.c0
	b.gaps, b.close = gaps, over <= most || over >= 2048-most
	b.apart = rowApart(4*n) / 4
	b.own, b.zeros = grown(b.own, 2*eight*b.apart), grown(b.zeros, n)
	clear(b.zeros)
}

// copyOf is room i for a copy of a line.
func (b *floatLines) copyOf(i int) []float32 { return b.own[i*b.apart:][:len(b.zeros)] }

// of are the lines that sums of a kind are of.
func (b *floatLines) of(kind int) *simd.Lines {
	if kind == 2 {
		return &b.ones
	}
	return &b.x
}

// set puts a line of samples at a place, or, if there is none, zeros.
func (b *floatLines) set(i int, x []float32) {
	b.x[i] = x
	if x == nil {
		b.x[i], b.ones[i] = b.zeros, b.zeros
	} else if b.gaps {
		finite, ones := b.copyOf(i), b.copyOf(eight+i)
		for j, y := range x {
			finite[j], ones[j] = y, 1
			if y-y != 0 {
				finite[j], ones[j] = 0, 0
			}
		}
		b.x[i], b.ones[i] = finite, ones
	} else if b.close {
		b.x[i] = b.copyOf(i)
		copy(b.x[i], x)
	}
}

// take sets n lines, from body line l on, at places from at on, or back from there; all others are zeros.
func (k *floatSums) take(b *floatLines, l, n, at, by int) {
	for i := range eight {
		b.set(i, nil)
	}
	for i := range n {
		b.set(at+i*by, held(k.v, k.p, k.v.line(l+i)))
	}
}

// run classifies all lines of the strip.
func (k *floatSums) run(masks func(l int) (le, gt, nan []uint64)) {
	v := k.v
	height := 2*v.rl + 1
	for l := 0; l < v.b.Lines; {
		// Lines count from the page's first; blocks begin at multiples of height from half a window before it.
		top := v.b.Line0 + int64(l)
		in := int(top % int64(height)) // of the window's first line in its block
		n := height - in
		lines := min(n, v.b.Lines-l)
		k.closeBlock(l-v.rl, n)
		k.startHeads(l-v.rl+n, in)
		for j := 0; j < lines; j += eight {
			// Windows of these lines begin in them, and end with lines of the next block, but for that which is a block.
			most := min(eight, lines-j)
			k.take(&k.begins, l-v.rl+j, min(eight, n-j), 0, 1)
			if j > 0 {
				k.take(&k.ends, l+v.rl+j, most, 0, 1)
			} else {
				k.take(&k.ends, l+v.rl+1, most-1, 1, 1)
			}
			for kind := range k.kinds {
				k.window(kind, k.stop(j/eight+1, n, kind))
			}
			for i := range most {
				le, gt, nan := masks(l + j + i)
				k.row(l+j+i, i, le, gt, nan)
			}
		}
		l += lines
	}
}

// stop is the sums of a kind from line 8*i to the last of n lines.
func (k *floatSums) stop(i, n, kind int) []float64 {
	if eight*i >= n {
		return k.empty
	}
	return k.stops[i*k.kinds+kind]
}

// closeBlock makes the sums from every eighth line, but the first, to the last of n lines from body line l on.
func (k *floatSums) closeBlock(l, n int) {
	for i := (n - 1) / eight; i > 0; i-- {
		k.take(&k.begins, l+eight*i, min(eight, n-eight*i), 0, 1)
		for kind := range k.kinds {
			simd.AddLines(k.stops[i*k.kinds+kind], k.stop(i+1, n, kind), k.begins.of(kind), kind == 1)
		}
	}
}

// startHeads makes the sums of n lines from body line l on.
func (k *floatSums) startHeads(l, n int) {
	for _, h := range k.heads {
		clear(h)
	}
	for i := 0; i < n; i += eight {
		k.take(&k.ends, l+i, min(eight, n-i), eight-1, -1)
		for kind, h := range k.heads {
			simd.AddLines(h, h, k.ends.of(kind), kind == 1)
		}
	}
}

// window makes the rows of a kind, from the sums behind the lines that windows begin with.
func (k *floatSums) window(kind int, stop []float64) {
	v := k.v
	simd.WindowLines(k.col[v.c0:v.c1], k.heads[kind], stop, k.begins.of(kind), k.ends.of(kind), kind == 1)
	mirrorColumns(v, k.col)
	w := 2*v.rs + 1
	for x := 0; x < v.n; {
		in := int((v.sample + int64(x)) % int64(w)) // of column x in its block
		end := x + w - in                           // of the block; the window of column x ends there or beyond
		last := min(end, v.n)
		simd.TailLines(k.tail[:w-in], k.col[x:end])
		if in == 0 { // the window is the block
			k.sums[x] = k.tail[0]
			simd.HeadLines(k.sums[x+1:last], k.tail[1:], k.col[end:], 0)
		} else {
			simd.HeadLines(k.sums[x:last], k.tail, k.col[end:], in-1)
		}
		x = end
	}
	simd.PartLines(k.rows[kind], k.apart, k.sums)
}

// row classifies body line l, which is line i of the rows.
func (k *floatSums) row(l, i int, le, gt, nan []uint64) {
	m, v := k.m, k.v
	of := func(kind int) []float64 { return k.rows[kind][i*k.apart:][:v.n] }
	m.s = of(0)
	if k.kinds > 1 {
		m.d = of(1)
	}
	switch k.kinds {
	case 1:
		m.scaled()
	case 2:
		simd.Deviations(m.d, m.s, m.n)
		m.scaled()
	default:
		k.count = of(2)
		k.scaledGaps()
	}
	v.ask.sums(v, l, 0, m, k.count)
	k.compare(body(v, k.p, l), le, gt, nan)
}

// scaledGaps works out the thresholds where windows have different numbers of finite samples, together for those that
// have the same.
func (k *floatSums) scaledGaps() {
	for i := 0; i < len(k.count); {
		n, j := k.count[i], i+1
		for j < len(k.count) && k.count[j] == n {
			j++
		}
		if one := k.m.of(i, j, n); n == 0 {
			for i := range one.t {
				one.t[i] = math.NaN()
			}
		} else {
			simd.Deviations(one.d, one.s, n)
			one.scaled()
		}
		i = j
	}
}
