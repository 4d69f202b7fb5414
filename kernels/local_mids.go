package kernels

import "math"

// midsOf compares integer samples with the middle of their window's extremes; all is doubled, so that nothing is
// halved: v <= (l+h)/2 is 2v <= l+h.
func midsOf[T uint8 | uint16](c *Local) func(x, l, h []T, le, gt, _ []uint64) {
	const far = 1 << 20 // beyond twice every sample
	margin := int(min(math.Floor(2*c.Margin), far))
	contrast, centre := 0, 0
	if c.Rule == LocalBernsen {
		contrast, centre = int(min(math.Ceil(c.Contrast), far)), int(max(-far, min(math.Ceil(2*c.Centre), far)))
	}
	return func(x, l, h []T, le, gt, _ []uint64) {
		for i := range le {
			v := x[64*i : min(64*i+64, len(x))]
			low, high := l[64*i:][:len(v)], h[64*i:][:len(v)]
			var b, a uint64
			switch {
			case contrast == 0 && margin == 0: // what is not one class is the other
				for j := range v {
					b = b>>1 | uint64(2*int(v[j])-int(low[j])-int(high[j])-1)&(1<<63)
				}
				a = ^b & (^uint64(0) << (64 - len(v)))
			case contrast == 0:
				for j := range v {
					d := 2*int(v[j]) - int(low[j]) - int(high[j])
					b = b>>1 | uint64(d-1)&(1<<63)
					a = a>>1 | uint64(margin-d)&(1<<63)
				}
			case margin == 0:
				for j := range v {
					sum := int(low[j]) + int(high[j])
					flat, up := uint64(int(high[j])-int(low[j])-contrast), ^uint64(sum-centre) // by their signs
					b = b>>1 | (uint64(2*int(v[j])-sum-1)&^flat|flat&^up)&(1<<63)
				}
				a = ^b & (^uint64(0) << (64 - len(v)))
			default:
				for j := range v {
					sum := int(low[j]) + int(high[j])
					d := 2*int(v[j]) - sum
					flat, up := uint64(int(high[j])-int(low[j])-contrast), ^uint64(sum-centre) // by their signs
					b = b>>1 | (uint64(d-1)&^flat|flat&^up)&(1<<63)
					a = a>>1 | (uint64(margin-d)&^flat|flat&up)&(1<<63)
				}
			}
			le[i], gt[i] = b>>(64-len(v)), a>>(64-len(v))
		}
	}
}

// floatMidsOf is midsOf for float samples. A window without a finite sample has extremes +Inf and -Inf, whose sum is
// NaN and compares with nothing.
func floatMidsOf(c *Local) func(x, l, h []float32, le, gt, nan []uint64) {
	margin, contrast, centre := 2*c.Margin, 0., 0.
	if c.Rule == LocalBernsen {
		contrast, centre = c.Contrast, 2*c.Centre
	}
	return func(x, l, h []float32, le, gt, nan []uint64) {
		for i := range le {
			v := x[64*i : min(64*i+64, len(x))]
			low, high := l[64*i:][:len(v)], h[64*i:][:len(v)]
			var b, a, none uint64
			for j := range v {
				lo, hi, y := float64(low[j]), float64(high[j]), float64(v[j])
				sum := lo + hi
				flat := bit(hi-lo < contrast)
				b = b>>1 | (bit(2*y <= sum)&^flat|flat&bit(sum < centre))<<63
				a = a>>1 | (bit(2*y > sum+margin)&^flat|flat&bit(sum >= centre))<<63
				none = none>>1 | bit(v[j] != v[j])<<63
			}
			le[i], gt[i] = (b&^none)>>(64-len(v)), (a&^none)>>(64-len(v))
			if nan != nil {
				nan[i] |= none >> (64 - len(v))
			}
		}
	}
}
