package kernels

import (
	"math"

	"segscan/kernels/internal/simd"
)

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

// of is the same for windows x0 to x1-1, which hold n samples.
func (m *moments) of(x0, x1 int, n float64) *moments {
	return &moments{c: m.c, n: n, s: m.s[x0:x1], d: m.d[x0:x1], t: m.t[x0:x1], exp: m.exp}
}

// scaled works out t from s and d. Every product is rounded on its own: a fused multiplication would make results
// depend on the processor.
func (m *moments) scaled() {
	c, n := m.c, m.n
	if c.most != nil {
		m.note(c.most)
		return
	}
	switch c.Rule {
	case LocalMean, LocalGaussian:
		off := float64(n * c.Offset)
		for i, s := range m.s {
			m.t[i] = s - off
		}
	case LocalNiblack:
		simd.Niblack(m.t, m.s, m.d, c.K)
	case LocalSauvola:
		simd.Sauvola(m.t, m.s, m.d, 1-c.K, c.perDeviation(n))
	case LocalWolf:
		simd.Wolf(m.t, m.s, m.d, c.perDeviation(n), c.K, float64(n*c.Min))
	case LocalPhansalkar:
		f := simd.Phansalkar{Least: float64(n * c.Min), Flat: 1 - c.K, P: c.P, K: c.perDeviation(n), Exp: m.exp}
		// x = q m, of samples scaled to 0..1, in steps of the table.
		if c.Max > c.Min {
			f.Steps = c.Q * decaySteps / float64(n*(c.Max-c.Min))
		}
		f.Set(m.t, m.s, m.d)
	}
}

// perDeviation is k/r by n, as deviations come times n. Where no sample differs from another, r is 0, and so is this.
func (c *Local) perDeviation(n float64) float64 {
	if !(c.R > 0) {
		return 0
	}
	return c.K / float64(n*c.R)
}

// decaySteps is how many entries of the table of exp(-x) lie between two whole numbers.
const decaySteps = simd.DecaySteps

// decay is exp(-x/decaySteps) for 0 <= x <= 1.
func decay(x float64) float64 { return simd.Decay(x) }

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

// compareInts sets the bits of v <= T in le and of v > T + margin in gt.
func compareInts[T uint8 | uint16](m *moments, v []T, le, gt []uint64) {
	margin := float64(m.n * m.c.Margin)
	switch v := any(v).(type) {
	case []uint8:
		simd.CompareU8(le, gt, v, m.t, m.n, margin)
	case []uint16:
		simd.CompareU16(le, gt, v, m.t, m.n, margin)
	}
}
