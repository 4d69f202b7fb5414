package kernels

import (
	"math"
	"slices"

	"segscan/kernels/internal/simd"
	"segscan/segment"
)

// floatSums adds float samples over windows without ever taking one off again, so that no rounding is carried along a
// page. Lines are grouped into blocks as high as the window; a window covers the end of one block and the start of the
// next. Sums to the end of a block are made going up, twice: once for the first lines of groups, so that little is
// held, and from there for the lines of a group when windows reach it. Sums from the start of the next block grow line by line.
// The same goes for samples along the line (van Herk, Pattern Recognit. Lett. 13(7), 1992, who did it for extremes).
type floatSums struct {
	v     *localView
	p     []float32
	sums  int         // kinds: samples, their squares but for means, and, with gaps, how many are finite
	stops [][]float64 // [i*sums+kind]: from line i*group of those held to the end of their block
	group int         // lines
	tails [][]float64 // [j*sums+kind]: from line j of a group
	going [][]float64 // [kind]: to work in
	empty [][]float64 // [kind]: zeros
	heads [][]float64 // [kind]: from the start of the next block
	col   [][]float64 // [kind]: the window's
	tail  []float64   // along the line, of two kinds
	none  []uint64    // masks of NaN
	m     *moments
	count []float64
}

// groupLines is how many lines' sums to the end of their block are at hand: of low windows all, which the cache holds.
func groupLines(height int) int {
	if height < 64 {
		return height
	}
	return 8
}

// sumsF32 classifies float samples, strip by strip.
func (c *Local) sumsF32(v *localView, out *segment.Masks) {
	n := stripWidth(v.n, max(2048, 8*(2*v.rs+1)))
	var mem []float64
	for s0 := 0; s0 < v.n; s0 += n {
		w := v.strip(s0, min(s0+n, v.n))
		k := newFloatSums(c, w, &mem)
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

// newFloatSums takes its memory from the strip before, if that had enough; what lies there does not matter.
func newFloatSums(c *Local, v *localView, keep *[]float64) *floatSums {
	k := &floatSums{v: v, p: v.b.V.F32, sums: 2, m: newMoments(c, v.n), tail: make([]float64, 2*v.columns()), none: make([]uint64, (v.n+63)/64)}
	if k.gaps() {
		k.sums = 3
		k.count = make([]float64, v.n)
	} else if c.Rule == LocalMean {
		k.sums = 1
	}
	n := v.columns()
	k.group = groupLines(2*v.rl + 1)
	stops := (2*v.rl+k.group)/k.group + 1
	size := (stops + k.group + 4) * k.sums * n
	*keep = slices.Grow((*keep)[:0], size)[:size]
	mem := *keep
	cut := func(rows int) (x [][]float64) {
		for range rows * k.sums {
			x = append(x, mem[:n:n])
			mem = mem[n:]
		}
		return x
	}
	k.stops, k.tails, k.going, k.empty, k.heads, k.col = cut(stops), cut(k.group), cut(1), cut(1), cut(1), cut(1)
	for i := range k.empty {
		clear(k.empty[i])
	}
	return k
}

// gaps tells whether any sample that windows see is not finite.
func (k *floatSums) gaps() bool {
	for l := -k.v.rl; l < k.v.b.Lines+k.v.rl; l++ {
		if !simd.Finite(held(k.v, k.p, k.v.line(l))) {
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
		k.closeBlock(l-v.rl, n, min(n, v.b.Lines-l))
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
			if j%k.group == 0 {
				k.openGroup(l-j-v.rl, j, n)
			}
			k.window(j%k.group, in+j == 0)
			le, gt, nan := masks(l)
			k.row(l, le, gt, nan)
			l++
		}
	}
}

// closeBlock makes the sums from body line l+j, for j that groups begin with, to the last of n lines; of those behind the
// group of line m-1 it keeps the first alone.
func (k *floatSums) closeBlock(l, n, m int) {
	from := k.empty
	for j := n - 1; j >= k.group; j-- {
		to := k.going
		if j%k.group == 0 && j < m+k.group {
			to = k.stops[j/k.group*k.sums:][:k.sums]
		}
		k.addTo(to, from, l+j)
		from = to
	}
}

// openGroup makes the sums from each body line l+j of the group that begins with line j to the last of n lines.
func (k *floatSums) openGroup(l, j, n int) {
	end, from := j+k.group, k.empty
	if end < n {
		from = k.stops[end/k.group*k.sums:][:k.sums]
	}
	for i := min(end, n) - 1; i >= j; i-- {
		to := k.tails[(i-j)*k.sums:][:k.sums]
		k.addTo(to, from, l+i)
		from = to
	}
}

// addTo sets to = sums + the samples of a line, in the columns of the page.
func (k *floatSums) addTo(to, sums [][]float64, line int) {
	v := k.v
	x := held(v, k.p, v.line(line))
	t1, s1 := to[0][v.c0:v.c1][:len(x)], sums[0][v.c0:v.c1][:len(x)]
	if k.sums == 1 {
		simd.AddOneF32(t1, s1, x)
		return
	}
	t2, s2 := to[1][v.c0:v.c1][:len(x)], sums[1][v.c0:v.c1][:len(x)]
	if k.sums == 2 {
		simd.AddF32(t1, t2, s1, s2, x)
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
			simd.AddF64(col, tail, k.heads[i])
		}
		mirrorColumns(k.v, col)
	}
}

// slideTwo sums both kinds of col over each window along the line, into one and two; apart they would wait for one
// addition after the other.
func (k *floatSums) slideTwo(one, two []float64) {
	w := 2*k.v.rs + 1
	n := len(k.tail) / 2
	c1, c2 := k.col[0][:n], k.col[1][:n]
	t1, t2 := k.tail[:n], k.tail[n:][:n]
	two = two[:len(one)]
	for x := 0; x < len(one); {
		in := int((k.v.sample + int64(x)) % int64(w)) // of column x in its block
		if in == 0 && x+2*w <= len(one) {
			twoBlocks(one[x:], t1, c1[x:], w)
			twoBlocks(two[x:], t2, c2[x:], w)
			x += 2 * w
			continue
		}
		end := x + w - in // of the block; the window of column x ends there or beyond
		var a1, a2 float64
		for i := end - 1; i >= x; i-- {
			a1, a2 = c1[i]+a1, c2[i]+a2
			t1[i], t2[i] = a1, a2
		}
		a1, a2 = 0, 0
		for i := end; i < x+w-1; i++ {
			a1, a2 = a1+c1[i], a2+c2[i]
		}
		if x+w == end { // the window is the block
			one[x], two[x] = t1[x], t2[x]
			x++
		}
		for ; x < end && x < len(one); x++ {
			a1, a2 = a1+c1[x+w-1], a2+c2[x+w-1]
			one[x], two[x] = t1[x]+a1, t2[x]+a2
		}
	}
}

// twoBlocks sums the windows that begin in two blocks of w columns, both at once: either would wait for one addition after
// the other.
func twoBlocks(sum, tail, col []float64, w int) {
	c1, c2, c3 := col[:w], col[w:2*w], col[2*w:3*w-1]
	t1, t2 := tail[:w], tail[w:2*w]
	var a, b float64
	for i := w - 1; i >= 0; i-- {
		a, b = c1[i]+a, c2[i]+b
		t1[i], t2[i] = a, b
	}
	s1, s2 := sum[:w], sum[w:2*w]
	s1[0], s2[0] = t1[0], t2[0]
	c2, t1, t2, s1, s2 = c2[:len(c3)], t1[1:], t2[1:], s1[1:], s2[1:]
	t1, t2, s1, s2 = t1[:len(c3)], t2[:len(c3)], s1[:len(c3)], s2[:len(c3)]
	a, b = 0, 0
	for i := range c3 {
		a, b = a+c2[i], b+c3[i]
		s1[i], s2[i] = t1[i]+a, t2[i]+b
	}
}

// slideOne is slideTwo of one kind.
func (k *floatSums) slideOne(col, sum []float64) {
	w := 2*k.v.rs + 1
	tail := k.tail[:len(col)]
	for x := 0; x < len(sum); {
		in := int((k.v.sample + int64(x)) % int64(w))
		if in == 0 && x+2*w <= len(sum) {
			twoBlocks(sum[x:], tail, col[x:], w)
			x += 2 * w
			continue
		}
		end := x + w - in
		acc := 0.
		for i := end - 1; i >= x; i-- {
			acc = col[i] + acc
			tail[i] = acc
		}
		acc = 0
		for i := end; i < x+w-1; i++ {
			acc += col[i]
		}
		if x+w == end {
			sum[x] = tail[x]
			x++
		}
		for ; x < end && x < len(sum); x++ {
			acc += col[x+w-1]
			sum[x] = tail[x] + acc
		}
	}
}

// row classifies body line l.
func (k *floatSums) row(l int, le, gt, nan []uint64) {
	m := k.m
	x := body(k.v, k.p, l)
	if k.sums == 1 {
		k.slideOne(k.col[0], m.s)
		m.scaled()
		k.compare(x, le, gt, nan)
		return
	}
	k.slideTwo(m.s, m.d)
	if k.sums == 3 {
		k.slideOne(k.col[2], k.count)
		for i := 0; i < len(k.count); {
			n, j := k.count[i], i+1
			for j < len(k.count) && k.count[j] == n {
				j++
			}
			if one := m.of(i, j, n); n == 0 {
				for i := range one.t {
					one.t[i] = math.NaN()
				}
			} else {
				simd.Deviations(one.d, one.s, n)
				one.scaled()
			}
			i = j
		}
	} else {
		simd.Deviations(m.d, m.s, m.n)
		m.scaled()
	}
	k.compare(x, le, gt, nan)
}

func (k *floatSums) compare(x []float32, le, gt, nan []uint64) {
	m := k.m
	if m.c.most != nil {
		return
	}
	if k.count == nil {
		simd.CompareF32(le, gt, k.none, x, m.t, m.n, float64(m.n*m.c.Margin))
	} else {
		k.compareGaps(x, le, gt)
	}
	for i := range nan {
		nan[i] |= k.none[i]
	}
}

// compareGaps is for windows of different numbers of samples.
func (k *floatSums) compareGaps(x []float32, le, gt []uint64) {
	margin := k.m.c.Margin
	for i := range le {
		v := x[64*i : min(64*i+64, len(x))]
		t, count := k.m.t[64*i:][:len(v)], k.count[64*i:][:len(v)]
		var b, a, none uint64
		for j := range v {
			y := float64(count[j] * float64(v[j]))
			b = b>>1 | bit(y <= t[j])<<63
			a = a>>1 | bit(y > t[j]+float64(count[j]*margin))<<63
			none = none>>1 | bit(v[j] != v[j])<<63
		}
		le[i], gt[i], k.none[i] = b>>(64-len(v)), a>>(64-len(v)), none>>(64-len(v))
	}
}
