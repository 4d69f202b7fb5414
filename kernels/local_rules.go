package kernels

import "math"

// moments turns the sums of windows into thresholds. All is scaled by n, the number of samples in a window, so that
// nothing is divided: s is the sum of the samples, sqrt(d) = n times the standard deviation, t = n T.
type moments struct {
	c       *Local
	n       float64
	s, d, t []float64
	exp     []float64 // of LocalPhansalkar, shared, read only
}

func newMoments(c *Local, samples int) *moments {
	mem := make([]float64, 3*samples)
	m := &moments{c: c, n: float64(c.area()), s: mem[:samples], d: mem[samples : 2*samples], t: mem[2*samples:]}
	if c.Rule == LocalPhansalkar {
		m.exp = decayTable(c.Q)
	}
	return m
}

// scaled works out t from s and d. Every product is rounded on its own: a fused multiplication would make results
// depend on the processor.
func (m *moments) scaled() {
	c, n := m.c, m.n
	s := m.s
	d, t := m.d[:len(s)], m.t[:len(s)]
	if c.most != nil {
		m.note(c.most)
		return
	}
	switch c.Rule {
	case LocalMean, LocalGaussian:
		off := float64(n * c.Offset)
		for i := range s {
			t[i] = s[i] - off
		}
	case LocalNiblack:
		k := c.K
		for i := range s {
			t[i] = s[i] - float64(k*math.Sqrt(d[i]))
		}
	case LocalSauvola:
		flat, k := 1-c.K, c.perDeviation(n)
		for i := range s {
			t[i] = float64(s[i] * (flat + float64(k*math.Sqrt(d[i]))))
		}
	case LocalWolf:
		least, k := float64(n*c.Min), c.perDeviation(n)
		for i := range s {
			t[i] = s[i] + float64((float64(k*math.Sqrt(d[i]))-c.K)*(s[i]-least))
		}
	case LocalPhansalkar:
		m.phansalkar()
	}
}

// perDeviation is k/r by n, as deviations come times n. Where no sample differs from another, r is 0, and so is this.
func (c *Local) perDeviation(n float64) float64 {
	if !(c.R > 0) {
		return 0
	}
	return c.K / float64(n*c.R)
}

func (m *moments) phansalkar() {
	c, n := m.c, m.n
	s := m.s
	d, t := m.d[:len(s)], m.t[:len(s)]
	least, flat, k, p := float64(n*c.Min), 1-c.K, c.perDeviation(n), c.P
	// x = q m, of samples scaled to 0..1, in steps of the table.
	steps := 0.
	if c.Max > c.Min {
		steps = c.Q * decaySteps / float64(n*(c.Max-c.Min))
	}
	top := float64(len(m.exp) - 1)
	for i := range s {
		above := s[i] - least
		x := float64(above * steps)
		if !(x > 0) {
			x = 0
		} else if x > top {
			x = top
		}
		at := int(x)
		e := float64(m.exp[at] * decay(x-float64(at)))
		t[i] = least + float64(above*(flat+float64(p*e)+float64(k*math.Sqrt(d[i]))))
	}
}

// decaySteps is how many entries of the table of exp(-x) lie between two whole numbers.
const decaySteps = 64

// decayTable holds exp(-i/decaySteps) for x up to q. It is worked out here, from sums and products alone, since
// math.Exp differs in its last bits between processors.
func decayTable(q float64) []float64 {
	step := 1.
	for i := 16; i > 0; i-- { // Taylor, from the last term
		step = 1 - float64(step*(1./decaySteps))/float64(i)
	}
	table := make([]float64, int(math.Ceil(q*decaySteps))+1)
	e := 1.
	for i := range table {
		table[i] = e
		e = float64(e * step)
	}
	return table
}

// decay is exp(-x/decaySteps) for 0 <= x <= 1, to 1e-13: the first terms of Taylor's series.
func decay(x float64) float64 {
	y := float64(x * (1. / decaySteps))
	e := 1./24 - float64(y*(1./120))
	e = 1./6 - float64(y*e)
	e = 1./2 - float64(y*e)
	e = 1 - float64(y*e)
	return 1 - float64(y*e)
}

// compareInts sets the bits of v <= T in le and of v > T + margin in gt.
func compareInts[T uint8 | uint16](m *moments, v []T, le, gt []uint64) {
	n, margin := m.n, float64(m.n*m.c.Margin)
	for i := range le {
		x := v[64*i : min(64*i+64, len(v))]
		t := m.t[64*i:][:len(x)]
		var b, a uint64
		if margin == 0 {
			for j := range x { // the sign of T - v; both are finite, and of equals it is +0
				b = b>>1 | ^math.Float64bits(t[j]-float64(n*float64(x[j])))&(1<<63)
			}
			b >>= 64 - len(x)
			le[i], gt[i] = b, ^b&(^uint64(0)>>(64-len(x)))
			continue
		}
		for j := range x {
			nv := float64(n * float64(x[j]))
			b = b>>1 | bit(nv <= t[j])<<63
			a = a>>1 | bit(nv > t[j]+margin)<<63
		}
		le[i], gt[i] = b>>(64-len(x)), a>>(64-len(x))
	}
}
