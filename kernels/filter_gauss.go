package kernels

// convolver holds what weighted sums along a line need.
type convolver struct{ x, finite, num, den []float64 }

// smooth sets out to the sums of x weighted by w, whose first weight is of the sample itself; x is longer by len(w)-1
// each side. maybe: samples may not be finite. out may share memory with x.
func (c *convolver) smooth(out, x []float32, w []float64, maybe bool) {
	n, r := len(out), len(w)-1
	if !c.load(x, maybe) {
		weigh32(out, c.x, w)
		return
	}
	c.num, c.den = grown(c.num, n), grown(c.den, n)
	weigh(c.num, c.x, w)
	weigh(c.den, c.finite, w)
	copy(out, x[r:r+n]) // overlaps only towards the front
	divide(out, c.num, c.den, true)
}

// sums sets num to the weighted sums of the finite samples of x and den to those of their weights, which is filled only
// where maybe is set. It tells whether any sample is not finite.
func (c *convolver) sums(num, den []float64, x []float32, w []float64, maybe bool) (gaps bool) {
	gaps = c.load(x, maybe)
	weigh(num, c.x, w)
	switch {
	case gaps:
		weigh(den, c.finite, w)
	case maybe:
		for i := range den {
			den[i] = 1
		}
	}
	return gaps
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

func grown(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// weigh sets out[i] to w[0]*x[r+i] and then adds, for d from 1 to r, w[d]*(x[r+i-d]+x[r+i+d]). Eight sums grow at once,
// so that none waits for the one before it.
func weigh(out, x, w []float64) {
	i, r := 0, len(w)-1
	for ; i+8 <= len(out); i += 8 {
		s := weigh8(x[i:], w)
		copy(out[i:], s[:])
	}
	for ; i < len(out); i++ {
		s := float64(w[0] * x[i+r])
		for d := 1; d <= r; d++ {
			s += float64(w[d] * (x[i+r-d] + x[i+r+d]))
		}
		out[i] = s
	}
}

// weigh32 is weigh, rounded to float32.
func weigh32(out []float32, x, w []float64) {
	i, r := 0, len(w)-1
	for ; i+8 <= len(out); i += 8 {
		s := weigh8(x[i:], w)
		to := out[i:][:8]
		for k := range s {
			to[k] = float32(s[k])
		}
	}
	var one [1]float64
	for ; i < len(out); i++ {
		weigh(one[:], x[i:i+2*r+1], w)
		out[i] = float32(one[0])
	}
}

// weigh8 is the first eight sums of weigh.
func weigh8(x, w []float64) [8]float64 {
	r := len(w) - 1
	c := (*[8]float64)(x[r:])
	k := w[0]
	s0, s1, s2, s3 := float64(k*c[0]), float64(k*c[1]), float64(k*c[2]), float64(k*c[3])
	s4, s5, s6, s7 := float64(k*c[4]), float64(k*c[5]), float64(k*c[6]), float64(k*c[7])
	for d, k := range w[1:] {
		a, b := (*[8]float64)(x[r-1-d:]), (*[8]float64)(x[r+1+d:])
		s0 += float64(k * (a[0] + b[0]))
		s1 += float64(k * (a[1] + b[1]))
		s2 += float64(k * (a[2] + b[2]))
		s3 += float64(k * (a[3] + b[3]))
		s4 += float64(k * (a[4] + b[4]))
		s5 += float64(k * (a[5] + b[5]))
		s6 += float64(k * (a[6] + b[6]))
		s7 += float64(k * (a[7] + b[7]))
	}
	return [8]float64{s0, s1, s2, s3, s4, s5, s6, s7}
}
