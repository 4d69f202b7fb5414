package kernels

import (
	"context"

	"segscan/kernels/internal/simd"
)

// A tile of the step across lines is as tall as little of it is worked out twice, and so narrow that its lines wait in
// the cache until all that a line sees are there. Workers share the tiles out: a page has many, however far a line sees.
const (
	acrossTall   = 256     // lines at least, and
	acrossTimes  = 8       // this many times its reach
	acrossWide   = 64      // samples at least
	acrossValues = 1 << 16 // that wait, where the tile is no less wide for it
)

// acrossTile is how many samples and lines a tile has in a band of so many lines.
func acrossTile(bandLines, reach int) (samples, lines int) {
	lines = max(acrossTall, acrossTimes*reach)
	return max(acrossWide, acrossValues/(min(lines, bandLines)+2*reach)), lines
}

// acrossGroup is how many columns are turned at a time: as many as rows have in a line of the cache.
const acrossGroup = 8

// acrossShort is how many lines make columns too short to be summed up as such.
const acrossShort = 32

// acrossWork sums smoothed lines across lines. Columns of them are copied into lines, so that what sums along lines does
// so here.
type acrossWork struct {
	w    []float64 // weights
	rows []smoothRow
	seen []*smoothRow // by tile line, from the first that a line of the tile sees
	flat []float64    // what rows' sums are of

	col, ones [acrossGroup][]float64 // columns: sums, and sums of weights
	num, den  [acrossGroup][]float64
}

// smoothRow is a line smoothed along itself: sums of weighted samples and, where gaps is set, of the weights of finite
// ones, which are 1 otherwise.
type smoothRow struct {
	num, den []float64
	gaps     bool
}

// tile2D is tile with a step across lines.
func (w *filterWork) tile2D(ctx context.Context, l0, l1, s0, s1 int) error {
	a, r, n := w.across, len(w.both)-1, s1-s0
	// The tile sees these lines of the page, and mirror images of them.
	from, to := max(0, w.g.l0+int64(l0-r)), min(w.g.lines, w.g.l0+int64(l1+r))
	a.prepare(int(to-from), l1-l0, n)
	gaps := false
	for i := range a.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		k, line := &a.rows[i], from+int64(i)
		x := w.alongLine(line, w.g.s0+int64(s0), n)
		w.conv.sums(k, x, w.both, w.g.in.F32 != nil)
		gaps = gaps || k.gaps
		if l := int(line - w.g.l0); l >= l0 && l < l1 {
			copy(w.g.out.F32[l*w.g.out.Stride+s0:], x[r:r+n]) // samples that are not finite stay
		}
	}
	for i := range a.seen {
		a.seen[i] = &a.rows[fold(w.g.l0+int64(l0-r+i), w.g.lines)-from]
	}
	out := func(l int) []float32 { return w.g.out.F32[(l0+l)*w.g.out.Stride+s0:][:n] }
	if l1-l0 < acrossShort {
		for l := range l1 - l0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			a.line(out(l), l, gaps)
		}
		return nil
	}
	for c := 0; c < n; c += acrossGroup {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.columns(out, l1-l0, c, min(c+acrossGroup, n), gaps)
	}
	return nil
}

// prepare makes room for rows of n samples which lines of a tile see.
func (a *acrossWork) prepare(rows, lines, n int) {
	a.flat = grown(a.flat, rows*n)
	if cap(a.rows) < rows {
		a.rows = make([]smoothRow, rows)
	}
	a.rows = a.rows[:rows]
	for i := range a.rows {
		a.rows[i].num = a.flat[i*n : (i+1)*n]
	}
	seen := lines + 2*len(a.w) - 2
	if cap(a.seen) < seen {
		a.seen = make([]*smoothRow, seen)
	}
	a.seen = a.seen[:seen]
	if lines < acrossShort {
		a.num[0], a.den[0] = grown(a.num[0], n), grown(a.den[0], n)
		return
	}
	for j := range acrossGroup {
		a.col[j], a.num[j] = grown(a.col[j], seen), grown(a.num[j], lines)
	}
}

// columns sums columns c to end-1 of the rows into all lines of the tile.
func (a *acrossWork) columns(out func(l int) []float32, lines, c, end int, gaps bool) {
	if end-c < acrossGroup {
		for i, k := range a.seen {
			for j, x := range k.num[c:end] {
				a.col[j][i] = x
			}
		}
	} else {
		c0, c1, c2, c3, c4, c5, c6, c7 := a.col[0], a.col[1], a.col[2], a.col[3], a.col[4], a.col[5], a.col[6], a.col[7]
		for i, k := range a.seen {
			x := (*[acrossGroup]float64)(k.num[c:])
			c0[i], c1[i], c2[i], c3[i], c4[i], c5[i], c6[i], c7[i] = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
		}
	}
	for j := range end - c {
		simd.Along(a.num[j][:lines], a.col[j], a.w)
	}
	if gaps {
		a.divideColumns(out, lines, c, end)
		return
	}
	for l := range lines {
		to := out(l)[c:end]
		for j := range to {
			to[j] = float32(a.num[j][l])
		}
	}
}

// divideColumns is the end of columns where samples are missing: sums over those of the weights.
func (a *acrossWork) divideColumns(out func(l int) []float32, lines, c, end int) {
	for j := c; j < end; j++ {
		ones := grown(a.ones[j-c], len(a.seen))
		missing := false
		for i, k := range a.seen {
			if ones[i] = 1; k.gaps {
				ones[i] = k.den[j]
				missing = missing || ones[i] != 1
			}
		}
		a.ones[j-c], a.den[j-c] = ones, grown(a.den[j-c], lines)
		if missing {
			simd.Along(a.den[j-c], ones, a.w)
			continue
		}
		for l := range a.den[j-c] {
			a.den[j-c][l] = 1 // as weights have a sum of 1, to the last bit
		}
	}
	for l := range lines {
		to := out(l)[c:end]
		for j, x := range to {
			if finite(x) {
				to[j] = float32(a.num[j][l] / a.den[j][l])
			}
		}
	}
}

// line sums the rows that line l of the tile sees, in the order in which columns are summed.
func (a *acrossWork) line(to []float32, l int, gaps bool) {
	r := len(a.w) - 1
	seen := a.seen[l : l+2*r+1]
	num := a.num[0][:len(to)]
	for i, x := range seen[r].num {
		num[i] = float64(a.w[0] * x)
	}
	for d := 1; d <= r; d++ {
		k, x, y := a.w[d], seen[r-d].num[:len(num)], seen[r+d].num[:len(num)]
		for i := range num {
			num[i] += float64(k * (x[i] + y[i]))
		}
	}
	if !gaps {
		divide(to, num, nil, false)
		return
	}
	den := a.den[0][:len(to)]
	for i := range den {
		den[i] = float64(a.w[0] * seen[r].weight(i))
	}
	for d := 1; d <= r; d++ {
		k, x, y := a.w[d], seen[r-d], seen[r+d]
		for i := range den {
			den[i] += float64(k * (x.weight(i) + y.weight(i)))
		}
	}
	divide(to, num, den, true)
}

// weight is the sum of the weights of the finite samples that a sample sees along its line.
func (k *smoothRow) weight(i int) float64 {
	if k.gaps {
		return k.den[i]
	}
	return 1
}

// divide sets the finite ones of to, which hold the samples so far where gaps is set, to num over den.
func divide(to []float32, num, den []float64, gaps bool) {
	num = num[:len(to)]
	if !gaps {
		for i, x := range num {
			to[i] = float32(x)
		}
		return
	}
	den = den[:len(to)]
	for i, x := range num {
		if finite(to[i]) {
			to[i] = float32(x / den[i])
		}
	}
}
