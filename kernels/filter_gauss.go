package kernels

import "segscan/kernels/internal/simd"

// convolver holds what weighted sums along a line need.
type convolver struct{ x, finite, num, den []float64 }

// smooth sets out to the sums of x weighted by w, whose first weight is of the sample itself; x is longer by len(w)-1
// each side. maybe: samples may not be finite. out may share memory with x.
func (c *convolver) smooth(out, x []float32, w []float64, maybe bool) {
	n, r := len(out), len(w)-1
	if !c.load(x, maybe) {
		c.along(out, c.x, w)
		return
	}
	c.num, c.den = grown(c.num, n), grown(c.den, n)
	simd.Along(c.num, c.x, w)
	simd.Along(c.den, c.finite, w)
	copy(out, x[r:r+n]) // overlaps only towards the front
	divide(out, c.num, c.den, true)
}

// sums sets k's sums of the samples of x. maybe: samples may not be finite.
func (c *convolver) sums(k *smoothRow, x []float32, w []float64, maybe bool) {
	k.gaps = c.load(x, maybe)
	simd.Along(k.num, c.x, w)
	if k.gaps {
		k.den = grown(k.den, len(k.num))
		simd.Along(k.den, c.finite, w)
	}
}

// load takes x over as float64. With gaps, samples that are not finite become 0, and c.finite is 1 for the others.
func (c *convolver) load(x []float32, maybe bool) (gaps bool) {
	c.x = grown(c.x, len(x))
	to := c.x
	if !maybe {
		for i, v := range x {
			to[i] = float64(v)
		}
		return false
	}
	var bad uint64
	for i, v := range x {
		to[i] = float64(v)
		bad |= bit(v-v != 0)
	}
	if bad == 0 {
		return false
	}
	c.finite = grown(c.finite, len(x))
	for i, v := range x {
		c.finite[i] = 1
		if !finite(v) {
			to[i], c.finite[i] = 0, 0
		}
	}
	return true
}

// grown is a slice of n elements of any values, in the memory of x if that is enough.
func grown[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// along weighs x into out, rounded to float32.
func (c *convolver) along(out []float32, x, w []float64) {
	c.num = grown(c.num, len(out))
	simd.Along(c.num, x, w)
	for i, v := range c.num {
		out[i] = float32(v)
	}
}
