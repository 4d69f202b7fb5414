package kernels

import (
	"math"

	"segscan/segment"
)

// floatSums adds float samples over windows without ever taking one off again, so that no rounding is carried along a
// page. Lines are grouped into blocks as high as the window; a window covers the end of one block and the start of the
// next. Sums to the end of a block are made once a block, going up; sums from the start of the next grow line by line.
// The same goes for samples along the line (van Herk, Pattern Recognit. Lett. 13(7), 1992, who did it for extremes).
type floatSums struct {
	v     *localView
	p     []float32
	sums  int         // kinds: samples, their squares, and, with gaps, how many are finite
	tails [][]float64 // [j*sums+kind]: from line j of those held to the end of its block
	heads [][]float64 // [kind]: from the start of the next block
	col   [][]float64 // [kind]: the window's
	tail  []float64   // along the line
	m     *moments
	count []float64
}

// stripBytes is about what the sums of a strip of columns may take.
const stripBytes = 8 << 20

// sumsF32 classifies float samples, strip by strip.
func (c *Local) sumsF32(v *localView, out *segment.Masks) {
	height := 2*v.rl + 1
	n := stripBytes/(8*3*height) - 2*v.rs
	n = max(n, 2*v.rs, 256) &^ 63
	for s0 := 0; s0 < v.n; s0 += n {
		w := v.strip(s0, min(s0+n, v.n))
		k := newFloatSums(c, w)
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

func newFloatSums(c *Local, v *localView) *floatSums {
	k := &floatSums{v: v, p: v.b.V.F32, sums: 2, m: newMoments(c, v.n), tail: make([]float64, v.columns())}
	if k.gaps() {
		k.sums = 3
		k.count = make([]float64, v.n)
	}
	n := v.columns()
	height := 2*v.rl + 1
	mem := make([]float64, (height+2)*k.sums*n)
	cut := func() []float64 {
		x := mem[:n:n]
		mem = mem[n:]
		return x
	}
	for range height * k.sums {
		k.tails = append(k.tails, cut())
	}
	for range k.sums {
		k.heads, k.col = append(k.heads, cut()), append(k.col, cut())
	}
	return k
}

// gaps tells whether any sample that windows see is not finite.
func (k *floatSums) gaps() bool {
	for l := -k.v.rl; l < k.v.b.Lines+k.v.rl; l++ {
		var bad uint64
		for _, x := range held(k.v, k.p, k.v.line(l)) {
			bad |= bit(x-x != 0)
		}
		if bad != 0 {
			return true
		}
	}
	return false
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
		k.closeBlock(l-v.rl, n)
		for i := range k.heads {
			clear(k.heads[i])
		}
		for j := range in {
			k.addTo(k.heads, k.heads, l-v.rl+n+j)
		}
		for j := 0; j < n && l < v.b.Lines; j++ {
			if j > 0 {
				k.addTo(k.heads, k.heads, l+v.rl)
			}
			k.window(j, in+j == 0)
			le, gt, nan := masks(l)
			k.row(l, le, gt, nan)
			l++
		}
	}
}

// closeBlock makes the sums from each of n lines from body line l on to the last of them.
func (k *floatSums) closeBlock(l, n int) {
	for j := n - 1; j >= 0; j-- {
		to := k.tails[j*k.sums:][:k.sums]
		if j == n-1 {
			for i := range to {
				clear(to[i])
			}
			k.addTo(to, to, l+j)
			continue
		}
		k.addTo(to, k.tails[(j+1)*k.sums:][:k.sums], l+j)
	}
}

// addTo sets to = sums + the samples of a line, in the columns of the page.
func (k *floatSums) addTo(to, sums [][]float64, line int) {
	v := k.v
	x := held(v, k.p, v.line(line))
	t1, t2 := to[0][v.c0:v.c1][:len(x)], to[1][v.c0:v.c1][:len(x)]
	s1, s2 := sums[0][v.c0:v.c1][:len(x)], sums[1][v.c0:v.c1][:len(x)]
	if k.sums == 2 {
		for i := range x {
			y := float64(x[i])
			t1[i] = s1[i] + y
			t2[i] = s2[i] + float64(y*y)
		}
		return
	}
	t3, s3 := to[2][v.c0:v.c1][:len(x)], sums[2][v.c0:v.c1][:len(x)]
	for i := range x {
		y, one := float64(x[i]), 1.
		if x[i]-x[i] != 0 {
			y, one = 0, 0
		}
		t1[i] = s1[i] + y
		t2[i] = s2[i] + float64(y*y)
		t3[i] = s3[i] + one
	}
}

// window puts the sums of the columns together; whole: the window is a block.
func (k *floatSums) window(j int, whole bool) {
	for i := range k.col {
		col, tail := k.col[i], k.tails[j*k.sums+i]
		if whole {
			copy(col, tail)
		} else {
			head := k.heads[i][:len(col)]
			tail = tail[:len(col)]
			for x := range col {
				col[x] = tail[x] + head[x]
			}
		}
		mirrorColumns(k.v, col)
	}
}

// slide sums col over each window along the line, into sum.
func (k *floatSums) slide(col, sum []float64) {
	w := 2*k.v.rs + 1
	tail := k.tail[:len(col)]
	for x := 0; x < len(sum); {
		in := int((k.v.sample + int64(x)) % int64(w)) // of column x in its block
		n := w - in
		end := x + n // of the block; the window of column x ends there or beyond
		acc := 0.
		for i := end - 1; i >= x; i-- {
			acc = col[i] + acc
			tail[i] = acc
		}
		acc = 0
		for i := end; i < x+w-1; i++ {
			acc += col[i]
		}
		for ; x < end && x < len(sum); x++ {
			if at := x + w - 1; at >= end {
				acc += col[at]
				sum[x] = tail[x] + acc
			} else {
				sum[x] = tail[x]
			}
		}
	}
}

// row classifies body line l.
func (k *floatSums) row(l int, le, gt, nan []uint64) {
	m := k.m
	x := body(k.v, k.p, l)
	k.slide(k.col[0], m.s)
	k.slide(k.col[1], m.d)
	if k.sums == 3 {
		k.slide(k.col[2], k.count)
		for i, n := range k.count {
			one := moments{c: m.c, n: n, s: m.s[i : i+1], d: m.d[i : i+1], t: m.t[i : i+1], exp: m.exp}
			if n == 0 {
				one.t[0] = math.NaN()
				continue
			}
			one.deviations()
			one.scaled()
		}
	} else {
		m.deviations()
		m.scaled()
	}
	k.compare(x, le, gt, nan)
}

// deviations turns sums of squares into what scaled expects; rounding must not make them negative.
func (m *moments) deviations() {
	d := m.d[:len(m.s)]
	for i, s := range m.s {
		x := float64(m.n*d[i]) - float64(s*s)
		if x < 0 {
			x = 0
		}
		d[i] = x
	}
}

func (k *floatSums) compare(x []float32, le, gt, nan []uint64) {
	margin := k.m.c.Margin
	n := k.m.n
	for i := range le {
		v := x[64*i : min(64*i+64, len(x))]
		t := k.m.t[64*i:][:len(v)]
		var b, a, none uint64
		for j := range v {
			if k.count != nil {
				n = k.count[64*i+j]
			}
			y := float64(n * float64(v[j]))
			b = b>>1 | bit(y <= t[j])<<63
			a = a>>1 | bit(y > t[j]+float64(n*margin))<<63
			none = none>>1 | bit(v[j] != v[j])<<63
		}
		le[i], gt[i] = b>>(64-len(v)), a>>(64-len(v))
		if nan != nil {
			nan[i] |= none >> (64 - len(v))
		}
	}
}
