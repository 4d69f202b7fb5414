package kernels

import (
	"math/bits"

	"segscan/kernels/internal/simd"
	"segscan/segment"
)

// columnSums are running sums over the lines of a window, one a column, and what follows from them.
type columnSums interface {
	// add takes in a line of the plane.
	add(line int)
	// double takes in once more all lines taken in so far.
	double()
	// shift takes in one line and lets go of another.
	shift(in, out int)
	// row classifies body line l, whose window the sums are of.
	row(l int, le, gt []uint64)
}

// run moves the window down the body.
func (c *Local) run(v *localView, k columnSums, out *segment.Masks) {
	if v.b.Line0 == 0 { // lines above the page are mirror images
		nearest := 1 - v.edge
		for l := nearest; l < nearest+v.rl; l++ {
			k.add(v.line(l))
		}
		k.double()
		k.add(v.line(v.rl * v.edge))
	} else {
		for l := -v.rl; l <= v.rl; l++ {
			k.add(v.line(l))
		}
	}
	for l := range v.b.Lines {
		if l > 0 {
			k.shift(v.line(l+v.rl), v.line(l-v.rl-1))
		}
		le, gt := c.masksOf(out, l)
		k.row(l, le, gt)
	}
}

// sumsPiece is how many windows of a line are worked on at a time: what is held of them stays in the first-level cache.
const sumsPiece = 512

// pieces calls fn for each piece of a line of n samples, with the masks of these.
func pieces(n int, le, gt []uint64, fn func(x0, x1 int, le, gt []uint64)) {
	for x0 := 0; x0 < n; x0 += sumsPiece {
		x1 := min(x0+sumsPiece, n)
		w0, w1 := x0/64, (x1+63)/64
		fn(x0, x1, le[w0:w1], gt[w0:w1])
	}
}

// slide fills sums with those of windows of w columns from the first on; sum is that of the first w-1, and then of the
// first of the next window.
func slide[T uint32 | uint64](sums, col []T, w int, sum T) T {
	in, out := col[w-1:][:len(sums)], col[:len(sums)]
	for i := range sums {
		sum += in[i]
		sums[i] = sum
		sum -= out[i]
	}
	return sum
}

// total adds up, four columns at a time: none waits for another.
func total[T uint32 | uint64](col []T) T {
	var a, b, c, d T
	for len(col) >= 4 {
		x := (*[4]T)(col)
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
		col = col[4:]
	}
	for _, x := range col {
		a += x
	}
	return a + b + c + d
}

func double[T uint32 | uint64](col []T) {
	for i := range col {
		col[i] *= 2
	}
}

// sumsU8 classifies 8-bit samples.
func (c *Local) sumsU8(v *localView, out *segment.Masks) {
	switch {
	case c.Rule == LocalMean:
		k := &meanU8{v: v, p: v.b.V.U8, zeros: make([]uint8, v.columns()), col: make([]uint32, v.columns()), sums: make([]uint32, sumsPiece), m: newMoments(c, sumsPiece)}
		c.run(v, k, out)
	case c.area() <= packedArea:
		k := &packedU8{v: v, p: v.b.V.U8, zeros: make([]uint8, v.columns()), col: make([]uint64, v.columns()), sums: make([]uint64, sumsPiece), m: newMoments(c, sumsPiece)}
		c.run(v, k, out)
	default:
		sumsWide(c, v, v.b.V.U8, out)
	}
}

// meanU8 compares 8-bit samples with means.
type meanU8 struct {
	v     *localView
	p     []uint8
	col   []uint32
	sums  []uint32 // of windows: below 2^31
	zeros []uint8
	m     *moments
}

func (k *meanU8) add(line int) {
	simd.ShiftU8(k.col[k.v.c0:k.v.c1], held(k.v, k.p, line), k.zeros)
	mirrorColumns(k.v, k.col)
}

func (k *meanU8) shift(in, out int) {
	simd.ShiftU8(k.col[k.v.c0:k.v.c1], held(k.v, k.p, in), held(k.v, k.p, out))
	mirrorColumns(k.v, k.col)
}

func (k *meanU8) double() { double(k.col) }

func (k *meanU8) row(l int, le, gt []uint64) {
	x, w := body(k.v, k.p, l), 2*k.v.rs+1
	sum := total(k.col[:w-1])
	off := float64(k.m.n * k.m.c.Offset)
	pieces(len(x), le, gt, func(x0, x1 int, le, gt []uint64) {
		m := k.m.of(0, x1-x0, k.m.n)
		sum = slide(k.sums[:x1-x0], k.col[x0:], w, sum)
		simd.MeansU32(m.t, k.sums, off)
		k.v.ask.sums(k.v, l, x0, m, nil)
		compareInts(m, x[x0:x1], le, gt)
	})
}

// packedArea is the largest window whose sum of squares of 8-bit samples fits 32 bits.
const packedArea = (1<<32 - 1) / (255 * 255)

// packedU8 holds the sum of 8-bit samples in the lower and that of their squares in the upper half of a word.
type packedU8 struct {
	v     *localView
	p     []uint8
	col   []uint64
	sums  []uint64
	zeros []uint8
	m     *moments
}

func (k *packedU8) add(line int) {
	simd.ShiftPacked(k.col[k.v.c0:k.v.c1], held(k.v, k.p, line), k.zeros)
	mirrorColumns(k.v, k.col)
}

func (k *packedU8) shift(in, out int) {
	simd.ShiftPacked(k.col[k.v.c0:k.v.c1], held(k.v, k.p, in), held(k.v, k.p, out))
	mirrorColumns(k.v, k.col)
}

func (k *packedU8) double() { double(k.col) }

func (k *packedU8) row(l int, le, gt []uint64) {
	x, w := body(k.v, k.p, l), 2*k.v.rs+1
	sum := total(k.col[:w-1])
	pieces(len(x), le, gt, func(x0, x1 int, le, gt []uint64) {
		m := k.m.of(0, x1-x0, k.m.n)
		sum = slide(k.sums[:x1-x0], k.col[x0:], w, sum)
		simd.Unpack(m.s, m.d, k.sums, uint64(m.n)) // d < 2^63: n*n*255*255, n at most packedArea
		m.scaled()
		if m.c.most == nil {
			k.v.ask.sums(k.v, l, x0, m, nil)
			compareInts(m, x[x0:x1], le, gt)
		}
	})
}

// wideSums holds sums of integers of any kind and, but for means, sums of squares.
type wideSums[T uint8 | uint16] struct {
	v            *localView
	p            []T
	one, two     []uint64 // of columns
	ones, square []uint64 // of windows
	zeros        []T
	m            *moments
}

func sumsWide[T uint8 | uint16](c *Local, v *localView, p []T, out *segment.Masks) {
	n := v.columns()
	mem := make([]uint64, 2*n+2*sumsPiece)
	k := &wideSums[T]{v: v, p: p, zeros: make([]T, n), one: mem[:n], two: mem[n : 2*n], ones: mem[2*n:][:sumsPiece], square: mem[2*n+sumsPiece:],
		m: newMoments(c, sumsPiece)}
	if c.Rule == LocalMean {
		k.two = nil
	}
	c.run(v, k, out)
}

func (k *wideSums[T]) add(line int) {
	k.take(held(k.v, k.p, line), k.zeros)
}

func (k *wideSums[T]) shift(in, out int) {
	k.take(held(k.v, k.p, in), held(k.v, k.p, out))
}

func (k *wideSums[T]) double() {
	double(k.one)
	double(k.two)
}

// take takes a line in and lets o go.
func (k *wideSums[T]) take(a, o []T) {
	one := k.one[k.v.c0:k.v.c1]
	wide, ok := any(a).([]uint16)
	if ok && k.two == nil {
		simd.ShiftOneU16(one, wide, any(o).([]uint16))
		mirrorColumns(k.v, k.one)
		return
	}
	two := k.two[k.v.c0:k.v.c1]
	if ok {
		simd.ShiftU16(one, two, wide, any(o).([]uint16))
	} else {
		a, o, two := a[:len(one)], o[:len(one)], two[:len(one)]
		for i := range one {
			x, y := uint64(a[i]), uint64(o[i])
			one[i] += x - y
			two[i] += x*x - y*y
		}
	}
	mirrorColumns(k.v, k.one)
	mirrorColumns(k.v, k.two)
}

func (k *wideSums[T]) row(l int, le, gt []uint64) {
	x, w := body(k.v, k.p, l), 2*k.v.rs+1
	one, two := total(k.one[:w-1]), uint64(0)
	if k.two != nil {
		two = total(k.two[:w-1])
	}
	area := uint64(k.m.n)
	pieces(len(x), le, gt, func(x0, x1 int, le, gt []uint64) {
		m := k.m.of(0, x1-x0, k.m.n)
		ones, square := k.ones[:x1-x0], k.square[:x1-x0]
		one = slide(ones, k.one[x0:], w, one)
		if k.two == nil {
			simd.Means(m.t, ones, float64(m.n*m.c.Offset))
			k.v.ask.sums(k.v, l, x0, m, nil)
			compareInts(m, x[x0:x1], le, gt)
			return
		}
		two = slide(square, k.two[x0:], w, two)
		if area < 1<<16 { // n*two and one*one are at most (n*65535)^2
			simd.Widen(m.s, m.d, ones, square, area)
		} else {
			simd.Means(m.s, ones, 0)
			for i, two := range square {
				m.d[i] = wideDeviation(area, ones[i], two)
			}
		}
		m.scaled()
		if m.c.most == nil {
			k.v.ask.sums(k.v, l, x0, m, nil)
			compareInts(m, x[x0:x1], le, gt)
		}
	})
}

// wideDeviation is n*two - one*one, which is at least 0, as a float64.
func wideDeviation(n, one, two uint64) float64 {
	h1, l1 := bits.Mul64(n, two)
	h2, l2 := bits.Mul64(one, one)
	lo, borrow := bits.Sub64(l1, l2, 0)
	hi, _ := bits.Sub64(h1, h2, borrow)
	return float64(float64(hi)*(1<<64)) + float64(lo)
}
