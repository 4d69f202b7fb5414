package kernels

import (
	"segscan/kernels/internal/simd"
	"segscan/segment"
)

// medianU8 classifies 8-bit samples by the medians of windows, strip by strip.
func (c *Local) medianU8(v *localView, out *segment.Masks) {
	p := v.b.V.U8
	k := &medianRows{c: c, le: new([256]int32), gt: new([256]int32)}
	for x := range k.le {
		k.le[x] = c.leastMedian(float64(x), 0)
		k.gt[x] = c.leastMedian(float64(x), c.Margin)
	}
	n := min(c.medianStrip(v.n), v.n)
	buf := make([]uint8, 2*(n+2*v.rs))
	for s0 := 0; s0 < v.n; s0 += n {
		w := v.strip(s0, min(s0+n, v.n))
		k.start(w)
		in, gone := buf[:w.columns()], buf[w.columns():][:w.columns()]
		for l := range w.b.Lines {
			if l == 0 {
				k.first(w, 0, func(l int) []uint8 { return mirrored(w, p, l, in) })
			} else {
				k.m.Shift(mirrored(w, p, l+w.rl, in), mirrored(w, p, l-w.rl-1, gone))
			}
			k.find(false)
			w.ask.medians(w, l, k.med)
			le, gt, _ := c.stripMasks(out, l, s0, w.n)
			k.compareU8(body(w, p, l), le, gt)
		}
	}
}

// medianStrip is how many samples of a line are classified at once: so many that the histograms of their columns and of
// those around stay in the second-level cache, if windows are not very wide.
func (c *Local) medianStrip(n int) int {
	return stripWidth(n, max(512, min(4*max(c.WindowX, c.WindowY), 1024)))
}

// mirrored gives the samples of a line in all columns of the view; they may be in buf.
func mirrored[T any](v *localView, p []T, l int, buf []T) []T {
	x := held(v, p, v.line(l))
	if len(x) == len(buf) {
		return x
	}
	copy(buf[v.c0:], x)
	mirrorColumns(v, buf)
	return buf
}

// leastMedian is the least whole median, 0 to 256, from which on v <= T + above holds.
func (c *Local) leastMedian(v, above float64) int32 {
	for m := range int32(256) {
		if v <= float64(float64(m)-c.Offset)+above {
			return m
		}
	}
	return 256
}

// medianRows finds the medians of codes, line by line.
type medianRows struct {
	c            *Local
	m            *simd.Medians
	w, n         int     // columns and samples of a window
	med          []uint8 // of the windows of a line
	below, count []uint32
	le, gt       *[256]int32 // of a sample, the median from which on v <= T, and v <= T + margin
}

// start makes empty histograms for the columns of a view. The memory of a view before, not narrower, is used again.
func (k *medianRows) start(v *localView) {
	k.w, k.n = 2*v.rs+1, k.c.area()
	if k.m == nil {
		k.m = simd.NewMedians()
		k.med, k.below, k.count = make([]uint8, v.n), make([]uint32, v.n), make([]uint32, v.n)
	}
	k.m.Clear(v.columns())
	k.med, k.below, k.count = k.med[:v.n], k.below[:v.n], k.count[:v.n]
	for i := range k.count {
		k.count[i] = uint32(k.n)
	}
}

// first takes in the lines that windows of a body line see: twice those that are mirror images of each other.
func (k *medianRows) first(v *localView, l int, line func(l int) []uint8) {
	from := l - v.rl
	if v.b.Line0+int64(l) == 0 {
		for i := l; i < l+v.rl; i++ {
			k.m.Add(line(i))
		}
		k.m.Double()
		from = l + v.rl
	}
	for i := from; i <= l+v.rl; i++ {
		k.m.Add(line(i))
	}
}

// find fills in the medians of a line, and, with gaps, the counts.
func (k *medianRows) find(gaps bool) {
	if gaps || k.n+k.n/k.w > simd.MaxMedians {
		k.m.FindAny(k.med, k.below, k.count, k.w, gaps)
	} else {
		k.m.Find(k.med, k.below, k.w, (k.n-1)/2)
	}
}

// compareU8 compares 8-bit samples with medians, by the signs of differences.
func (k *medianRows) compareU8(x []uint8, le, gt []uint64) {
	one := k.c.Margin == 0 // then, what is not one class is the other
	if one && k.c.Offset == 0 {
		simd.CompareCodes(le, gt, x, k.med)
		for i := range le {
			gt[i] = ^le[i] & (^uint64(0) >> max(0, 64*i+64-len(x)))
		}
		return
	}
	for i := range le {
		v := x[64*i : min(64*i+64, len(x))]
		m := k.med[64*i:][:len(v)]
		var below, over uint64
		for j, x := range v {
			below = below>>1 | uint64(int64(k.le[x])-int64(m[j])-1)&(1<<63)
		}
		if one {
			over = ^below & (^uint64(0) << (64 - len(v)))
		} else {
			for j, x := range v {
				over = over>>1 | uint64(int64(m[j])-int64(k.gt[x]))&(1<<63)
			}
		}
		le[i], gt[i] = below>>(64-len(v)), over>>(64-len(v))
	}
}
