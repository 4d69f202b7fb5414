package kernels

import (
	"math"

	"segscan/segment"
)

// gaussOne is the sum of the weights along one axis. Weights are whole numbers, so that sums of integers are exact, those
// of equal floats too, and a flat window's mean is its samples' value.
const gaussOne = 1 << 14

// gaussWeights are those of distances 0 to r, the standard deviation being a third of r: exp(-4.5 (d/r)^2), rounded down
// but for the middle one, which takes the rest.
func gaussWeights(r int) []float64 {
	w := make([]float64, r+1)
	table := decayTable(5)
	sum := 0.
	for d := range w {
		if r == 0 {
			return []float64{gaussOne}
		}
		x := decaySteps * 4.5 * float64(d*d) / float64(r*r)
		at := int(x)
		w[d] = float64(table[at] * decay(x-float64(at)))
		sum += w[d]
		if d > 0 {
			sum += w[d]
		}
	}
	rest := float64(gaussOne)
	for d := r; d > 0; d-- {
		w[d] = math.Floor(gaussOne * w[d] / sum)
		rest -= 2 * w[d]
	}
	w[0] = rest
	return w
}

// gaussian classifies by weighted means, strip by strip: down the columns, then along the lines, for the middle first and
// then for pairs at equal distance, outwards.
func (c *Local) gaussian(v *localView, out *segment.Masks) {
	const n = 4096
	for s0 := 0; s0 < v.n; s0 += n {
		w := v.strip(s0, min(s0+n, v.n))
		masks := func(l int) (le, gt, nan []uint64) { return c.stripMasks(out, l, s0, w.n) }
		k := &gaussSums{floatSums: floatSums{v: w, p: v.b.V.F32, m: newMoments(c, w.n), none: make([]uint64, (w.n+63)/64)}, down: gaussWeights(w.rl), along: gaussWeights(w.rs)}
		k.m.n = gaussOne * gaussOne
		k.col = [][]float64{make([]float64, w.columns())}
		if k.p != nil && k.gaps() {
			k.count = make([]float64, w.n)
			k.col = append(k.col, make([]float64, w.columns()))
		}
		for l := range v.b.Lines {
			le, gt, nan := masks(l)
			switch p := &v.b.V; {
			case p.U8 != nil:
				gaussLine(k, p.U8, l)
				compareInts(k.m, body(w, p.U8, l), le, gt)
			case p.U16 != nil:
				gaussLine(k, p.U16, l)
				compareInts(k.m, body(w, p.U16, l), le, gt)
			default:
				gaussLine(k, p.F32, l)
				k.compare(body(w, p.F32, l), le, gt, nan)
			}
		}
	}
}

// gaussSums holds the weighted sums of columns, and of finite samples' weights where some are not.
type gaussSums struct {
	floatSums
	down, along []float64
}

// gaussLine works out the thresholds of body line l.
func gaussLine[T sample](k *gaussSums, p []T, l int) {
	v, m := k.v, k.m
	for kind, col := range k.col {
		page := col[v.c0:v.c1]
		clear(page)
		for d, w := range k.down {
			addWeighted(page, held(v, p, v.line(l-d)), w, k.count != nil, kind == 1)
			if d > 0 {
				addWeighted(page, held(v, p, v.line(l+d)), w, k.count != nil, kind == 1)
			}
		}
		mirrorColumns(v, col)
		to := m.s
		if kind == 1 {
			to = k.count
		}
		k.weigh(col, to)
	}
	if k.count == nil {
		m.scaled()
		return
	}
	for i, n := range k.count {
		m.t[i] = m.s[i] - float64(n*m.c.Offset)
		if n == 0 {
			m.t[i] = math.NaN()
		}
	}
}

// addWeighted adds w times the samples of a line; gaps: infinities and NaN among them count nothing; ones: each sample
// counts 1.
func addWeighted[T sample](to []float64, x []T, w float64, gaps, ones bool) {
	x = x[:len(to)]
	if !gaps {
		for i := range to {
			to[i] += float64(w * float64(x[i]))
		}
		return
	}
	for i, y := range x {
		switch {
		case y-y != 0:
		case ones:
			to[i] += w
		default:
			to[i] += float64(w * float64(y))
		}
	}
}

// weigh sums col over each window along the line.
func (k *gaussSums) weigh(col, sum []float64) {
	rs, w := k.v.rs, k.along[0]
	middle := col[rs:][:len(sum)]
	for i := range sum {
		sum[i] = float64(w * middle[i])
	}
	for d := 1; d <= rs; d++ {
		w = k.along[d]
		a, b := col[rs-d:][:len(sum)], col[rs+d:][:len(sum)]
		for i := range sum {
			sum[i] += float64(w * (a[i] + b[i]))
		}
	}
}
