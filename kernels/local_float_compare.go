package kernels

import (
	"segscan/kernels/internal/simd"
)

// floatWindows compares float samples with the thresholds of windows.
type floatWindows struct {
	v     *localView
	p     []float32
	m     *moments
	none  []uint64  // masks of NaN
	count []float64 // of the finite samples of each window of a line, if some are not
}

func newFloatWindows(c *Local, v *localView) floatWindows {
	return floatWindows{v: v, p: v.b.V.F32, m: newMoments(c, v.n), none: make([]uint64, (v.n+63)/64)}
}

// gaps tells whether any sample that windows see is not finite.
func (k *floatWindows) gaps() bool {
	for l := -k.v.rl; l < k.v.b.Lines+k.v.rl; l++ {
		if !simd.Finite(held(k.v, k.p, k.v.line(l))) {
			return true
		}
	}
	return false
}

func (k *floatWindows) compare(x []float32, le, gt, nan []uint64) {
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
func (k *floatWindows) compareGaps(x []float32, le, gt []uint64) {
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
