package kernels

import (
	"math"

	"segscan/kernels/internal/simd"
	"segscan/segment"
)

// gaussOne is the sum of the weights along one axis. Weights are whole numbers, so that sums of integers are exact, those
// of equal floats too, and a flat window's mean is its samples' value.
const gaussOne = simd.WeightSum

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
	n := stripWidth(v.n, 512) // columns whose lines stay in the first-level cache, or in the second
	if v.rl > 31 {
		n = stripWidth(v.n, 1024)
	}
	down, along := gaussWeights(v.rl), gaussWeights(v.rs)
	for s0 := 0; s0 < v.n; s0 += n {
		w := v.strip(s0, min(s0+n, v.n))
		k := &gaussSums{floatWindows: newFloatWindows(c, w),
			down: down, weighDown: simd.NewWeights(down), weighAlong: simd.NewWeights(along)}
		k.m.n = gaussOne * gaussOne
		k.m.t = k.m.s // all there is to do is to take the offset off
		k.col = [][]float64{make([]float64, w.columns())}
		masks := func(l int) (le, gt, nan []uint64) { return c.stripMasks(out, l, s0, w.n) }
		switch p := &v.b.V; {
		case p.U8 != nil:
			gaussLines(k, p.U8, func(l int) {
				le, gt, _ := masks(l)
				compareInts(k.m, body(w, p.U8, l), le, gt)
			})
		case p.U16 != nil:
			gaussLines(k, p.U16, func(l int) {
				le, gt, _ := masks(l)
				compareInts(k.m, body(w, p.U16, l), le, gt)
			})
		default:
			if k.gaps() {
				k.count = make([]float64, w.n)
				k.col = append(k.col, make([]float64, w.columns()))
			}
			gaussLines(k, p.F32, func(l int) {
				le, gt, nan := masks(l)
				k.compare(body(w, p.F32, l), le, gt, nan)
			})
		}
	}
}

// gaussSums holds the weighted sums of columns, and of finite samples' weights where some are not.
type gaussSums struct {
	floatWindows
	col                   [][]float64
	down                  []float64
	weighDown, weighAlong *simd.Weights
}

// gaussLines works out the thresholds of each body line, and calls compare.
func gaussLines[T sample](k *gaussSums, p []T, compare func(l int)) {
	v, m := k.v, k.m
	height := 2*v.rl + 1
	// Copies of the lines lie one after another: lines of a page often lie so far apart that all would go to the same few
	// places of the cache.
	columns := v.c1 - v.c0
	ring, rows := make([]T, height*columns), make([][]T, height)
	kept := func(l int) []T { return ring[(l+v.rl)%height*columns:][:columns] }
	for l := -v.rl; l < v.rl; l++ {
		copy(kept(l), held(v, p, v.line(l)))
	}
	for l := range v.b.Lines {
		copy(kept(l+v.rl), held(v, p, v.line(l+v.rl)))
		rows[0] = kept(l)
		for d := 1; d <= v.rl; d++ {
			rows[2*d-1], rows[2*d] = kept(l-d), kept(l+d)
		}
		if k.count == nil {
			simd.Down(k.weighDown, k.col[0][v.c0:v.c1], rows)
			mirrorColumns(v, k.col[0])
			k.weighAlong.Along(m.s, k.col[0], k.p == nil)
			if m.c.Offset != 0 {
				m.scaled()
			}
			v.ask.sums(v, l, 0, m, nil)
			compare(l)
			continue
		}
		for kind, col := range k.col {
			page := col[v.c0:v.c1]
			clear(page)
			for i, row := range rows {
				addWeighted(page, row, k.down[(i+1)/2], kind == 1)
			}
			mirrorColumns(v, col)
		}
		k.weighAlong.Along(m.s, k.col[0], false)
		k.weighAlong.Along(k.count, k.col[1], true)
		for i, n := range k.count {
			m.t[i] = m.s[i] - float64(n*m.c.Offset)
			if n == 0 {
				m.t[i] = math.NaN()
			}
		}
		v.ask.sums(v, l, 0, m, k.count)
		compare(l)
	}
}

// addWeighted adds w times the samples of a line, of which infinities and NaN count nothing; ones: each sample counts 1.
func addWeighted[T sample](to []float64, x []T, w float64, ones bool) {
	x = x[:len(to)]
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
