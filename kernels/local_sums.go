package kernels

import (
	"math/bits"

	"segscan/segment"
)

// columnSums are running sums over the lines of a window, one a column, and what follows from them.
type columnSums interface {
	// add takes in a line of the plane.
	add(line int)
	// shift takes in one line and lets go of another.
	shift(in, out int)
	// row classifies body line l, whose window the sums are of.
	row(l int, le, gt []uint64)
}

// run moves the window down the body.
func (c *Local) run(v *localView, k columnSums, out *segment.Masks) {
	for l := -v.rl; l <= v.rl; l++ {
		k.add(v.line(l))
	}
	for l := range v.b.Lines {
		if l > 0 {
			k.shift(v.line(l+v.rl), v.line(l-v.rl-1))
		}
		le, gt := c.masksOf(out, l)
		k.row(l, le, gt)
	}
}

// sumsU8 classifies 8-bit samples.
func (c *Local) sumsU8(v *localView, out *segment.Masks) {
	n := c.area()
	switch {
	case c.Rule == LocalMean:
		k := &meanU8{v: v, p: v.b.V.U8, col: make([]uint32, v.columns())}
		for x := range k.le {
			k.le[x] = uint64(c.leastSum(float64(x), 0))
			k.ge[x] = uint64(c.leastSum(float64(x), c.Margin))
		}
		c.run(v, k, out)
	case n <= packedArea:
		c.run(v, &packedU8{v: v, p: v.b.V.U8, col: make([]uint64, v.columns()), m: newMoments(c, v.n)}, out)
	default:
		sumsWide(c, v, v.b.V.U8, out)
	}
}

// leastSum is the least sum of a window, 0 to 2^32-1, whose mean reaches v - above: from there on v <= T + above holds.
func (c *Local) leastSum(v, above float64) int64 {
	n := float64(c.area())
	holds := func(sum int64) bool { return float64(n*v) <= float64(sum)-float64(n*c.Offset)+float64(n*above) }
	lo, hi := int64(0), int64(1)<<32-1
	for lo < hi {
		if mid := (lo + hi) / 2; holds(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// meanU8 compares 8-bit samples with means: by what a window's sum must be at least for v <= T, and for v <= T + margin.
type meanU8 struct {
	v      *localView
	p      []uint8
	col    []uint32
	le, ge [256]uint64
}

func (k *meanU8) add(line int) {
	for i, x := range held(k.v, k.p, line) {
		k.col[k.v.c0+i] += uint32(x)
	}
	mirrorColumns(k.v, k.col)
}

func (k *meanU8) shift(in, out int) {
	a, o := held(k.v, k.p, in), held(k.v, k.p, out)
	col := k.col[k.v.c0:k.v.c1]
	a, o = a[:len(col)], o[:len(col)]
	for i := range col {
		col[i] += uint32(a[i]) - uint32(o[i])
	}
	mirrorColumns(k.v, k.col)
}

func (k *meanU8) row(l int, le, gt []uint64) {
	x := body(k.v, k.p, l)
	w := 2 * k.v.rs
	var sum uint64
	for _, c := range k.col[:w] {
		sum += uint64(c)
	}
	one := k.le == k.ge // without a margin, what is not one class is the other
	for i := range le {
		v := x[64*i : min(64*i+64, len(x))]
		in, out := k.col[64*i+w:][:len(v)], k.col[64*i:][:len(v)]
		var below, over uint64 // by the sign of what the sum has beyond the least one
		if one {
			for j, x := range v {
				sum += uint64(in[j])
				below = below>>1 | (sum-k.le[x])&(1<<63)
				sum -= uint64(out[j])
			}
			over = below
		} else {
			for j, x := range v {
				sum += uint64(in[j])
				below = below>>1 | (sum-k.le[x])&(1<<63)
				over = over>>1 | (sum-k.ge[x])&(1<<63)
				sum -= uint64(out[j])
			}
		}
		le[i], gt[i] = ^below>>(64-len(v)), over>>(64-len(v))
	}
}

// packedArea is the largest window whose sum of squares of 8-bit samples fits 32 bits.
const packedArea = (1<<32 - 1) / (255 * 255)

// packedU8 holds the sum of 8-bit samples in the lower and that of their squares in the upper half of a word.
type packedU8 struct {
	v   *localView
	p   []uint8
	col []uint64
	m   *moments
}

func packed(x uint8) uint64 { return uint64(x) * (uint64(x)<<32 | 1) }

func (k *packedU8) add(line int) {
	for i, x := range held(k.v, k.p, line) {
		k.col[k.v.c0+i] += packed(x)
	}
	mirrorColumns(k.v, k.col)
}

func (k *packedU8) shift(in, out int) {
	a, o := held(k.v, k.p, in), held(k.v, k.p, out)
	col := k.col[k.v.c0:k.v.c1]
	a, o = a[:len(col)], o[:len(col)]
	for i := range col {
		col[i] += packed(a[i]) - packed(o[i])
	}
	mirrorColumns(k.v, k.col)
}

func (k *packedU8) row(l int, le, gt []uint64) {
	w := 2 * k.v.rs
	var sum uint64
	for _, c := range k.col[:w] {
		sum += c
	}
	n := uint64(k.m.n)
	s := k.m.s
	in, out, d := k.col[w:][:len(s)], k.col[:len(s)], k.m.d[:len(s)]
	for i := range s {
		sum += in[i]
		one, two := sum&(1<<32-1), sum>>32
		s[i] = float64(int64(one))
		d[i] = float64(int64(n*two - one*one)) // below 2^63: n*n*255*255, n at most packedArea
		sum -= out[i]
	}
	k.m.scaled()
	compareInts(k.m, body(k.v, k.p, l), le, gt)
}

// wideSums holds sums and sums of squares of integers of any kind.
type wideSums[T uint8 | uint16] struct {
	v        *localView
	p        []T
	one, two []uint64
	m        *moments
}

func sumsWide[T uint8 | uint16](c *Local, v *localView, p []T, out *segment.Masks) {
	n := v.columns()
	c.run(v, &wideSums[T]{v: v, p: p, one: make([]uint64, n), two: make([]uint64, n), m: newMoments(c, v.n)}, out)
}

func (k *wideSums[T]) add(line int) {
	for i, x := range held(k.v, k.p, line) {
		k.one[k.v.c0+i] += uint64(x)
		k.two[k.v.c0+i] += uint64(x) * uint64(x)
	}
	k.mirror()
}

func (k *wideSums[T]) mirror() {
	mirrorColumns(k.v, k.one)
	mirrorColumns(k.v, k.two)
}

func (k *wideSums[T]) shift(in, out int) {
	a, o := held(k.v, k.p, in), held(k.v, k.p, out)
	one, two := k.one[k.v.c0:k.v.c1], k.two[k.v.c0:k.v.c1]
	a, o, two = a[:len(one)], o[:len(one)], two[:len(one)]
	for i := range one {
		x, y := uint64(a[i]), uint64(o[i])
		one[i] += x - y
		two[i] += (x - y) * (x + y) // modulo 2^64, as all of it
	}
	k.mirror()
}

func (k *wideSums[T]) row(l int, le, gt []uint64) {
	w := 2 * k.v.rs
	var one, two uint64
	for i := range w {
		one += k.one[i]
		two += k.two[i]
	}
	n := uint64(k.m.n)
	s := k.m.s
	d := k.m.d[:len(s)]
	in1, out1 := k.one[w:][:len(s)], k.one[:len(s)]
	in2, out2 := k.two[w:][:len(s)], k.two[:len(s)]
	// n*two and one*one are at most (n*65535)^2.
	fits := n <= 1<<32/65536
	for i := range s {
		one += in1[i]
		two += in2[i]
		s[i] = float64(int64(one))
		if fits {
			d[i] = float64(n*two - one*one)
		} else {
			d[i] = wideDeviation(n, one, two)
		}
		one -= out1[i]
		two -= out2[i]
	}
	k.m.scaled()
	compareInts(k.m, body(k.v, k.p, l), le, gt)
}

// wideDeviation is n*two - one*one, which is at least 0, as a float64.
func wideDeviation(n, one, two uint64) float64 {
	h1, l1 := bits.Mul64(n, two)
	h2, l2 := bits.Mul64(one, one)
	lo, borrow := bits.Sub64(l1, l2, 0)
	hi, _ := bits.Sub64(h1, h2, borrow)
	return float64(float64(hi)*(1<<64)) + float64(lo)
}
