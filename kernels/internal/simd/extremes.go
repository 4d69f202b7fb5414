package simd

// Pair sets tl to the lower of al and bl, th to the higher of ah and bh, all as long as tl. No float is NaN. The result
// may be one of the operands, or begin before it in the same memory.
func Pair[T Sample](tl, th, al, ah, bl, bh []T) { PairBy(best, tl, th, al, ah, bl, bh) }

// PairBy is Pair by a level.
func PairBy[T Sample](l Level, tl, th, al, ah, bl, bh []T) {
	n := len(tl)
	th, al, ah, bl, bh = th[:n], al[:n], ah[:n], bl[:n], bh[:n]
	done := 0
	switch tl := any(tl).(type) {
	case []uint8:
		done = l.pairU8(tl, any(th).([]uint8), any(al).([]uint8), any(ah).([]uint8), any(bl).([]uint8), any(bh).([]uint8))
	case []uint16:
		done = l.pairU16(tl, any(th).([]uint16), any(al).([]uint16), any(ah).([]uint16), any(bl).([]uint16), any(bh).([]uint16))
	case []float32:
		done = l.pairF32(tl, any(th).([]float32), any(al).([]float32), any(ah).([]float32), any(bl).([]float32), any(bh).([]float32))
	}
	pairGo(tl[done:], th[done:], al[done:], ah[done:], bl[done:], bh[done:])
}

// TakeF32 sets tl to the lower of sl and x, th to the higher of sh and x, all as long as tl; samples x that are NaN or
// infinite count for neither.
func TakeF32(tl, th, sl, sh, x []float32) { best.TakeF32(tl, th, sl, sh, x) }

// TakeF32 is the function of that name by this level.
func (l Level) TakeF32(tl, th, sl, sh, x []float32) {
	n := len(tl)
	th, sl, sh, x = th[:n], sl[:n], sh[:n], x[:n]
	done := l.takeF32(tl, th, sl, sh, x)
	takeF32Go(tl[done:], th[done:], sl[done:], sh[done:], x[done:])
}

// Mids says how integer samples v compare with extremes l and h, in steps of half a sample: 2v <= l+h sets the bit of b,
// 2v > l+h+Margin that of a. Where h-l < Contrast, l+h < Centre sets b, and a is set elsewhere. Margin is at least 0.
type Mids struct{ Margin, Contrast, Centre int }

// MidsU8 compares samples v with the extremes l and h of their windows; b and a hold a bit a sample.
func MidsU8(b, a []uint64, v, l, h []uint8, m Mids) { best.MidsU8(b, a, v, l, h, m) }

// MidsU8 is the function of that name by this level.
func (l Level) MidsU8(b, a []uint64, v, low, high []uint8, m Mids) {
	words := (len(v) + 63) / 64
	w := l.midsU8(b[:words], a[:words], v, low[:len(v)], high[:len(v)], m)
	midsGo(b[w:words], a[w:words], v[64*w:], low[64*w:], high[64*w:], m)
}

// MidsU16 is MidsU8 for 16-bit samples.
func MidsU16(b, a []uint64, v, l, h []uint16, m Mids) { best.MidsU16(b, a, v, l, h, m) }

// MidsU16 is the function of that name by this level.
func (l Level) MidsU16(b, a []uint64, v, low, high []uint16, m Mids) {
	words := (len(v) + 63) / 64
	w := l.midsU16(b[:words], a[:words], v, low[:len(v)], high[:len(v)], m)
	midsGo(b[w:words], a[w:words], v[64*w:], low[64*w:], high[64*w:], m)
}

// FloatMids is Mids for float samples, in float64.
type FloatMids struct{ Margin, Contrast, Centre float64 }

// MidsF32 compares samples v with the extremes l and h of their windows, and marks NaN in nan, which is in neither b
// nor a. A window without extremes has l = +Inf and h = -Inf: its sample is in neither.
func MidsF32(b, a, nan []uint64, v, l, h []float32, m FloatMids) { best.MidsF32(b, a, nan, v, l, h, m) }

// MidsF32 is the function of that name by this level.
func (l Level) MidsF32(b, a, nan []uint64, v, low, high []float32, m FloatMids) {
	words := (len(v) + 63) / 64
	w := l.midsF32(b[:words], a[:words], nan[:words], v, low[:len(v)], high[:len(v)], m)
	midsF32Go(b[w:words], a[w:words], nan[w:words], v[64*w:], low[64*w:], high[64*w:], m)
}

// midsTable holds what the comparisons of midsU8 and midsU16 need, each in all lanes: 1; 1 where half a step of the
// margin rounds down; the margin in whole steps; the largest contrast that is flat; all ones, or none where nothing
// is; 1 where the centre is whole; the least mean of extremes that is up. ok is false where they do not fit.
func midsTable[T uint8 | uint16](m Mids) (p [7]T, ok bool) {
	top := int(^T(0))
	if m.Centre > 2*top || m.Centre < 0 || m.Contrast > top {
		return p, false
	}
	p[0] = 1
	p[1] = T(1 - m.Margin&1)
	p[2] = T(min(m.Margin>>1, top))
	if m.Contrast > 0 {
		p[3], p[4] = T(m.Contrast-1), ^T(0)
	}
	p[5] = T(1 - m.Centre&1)
	p[6] = T((m.Centre + 1) / 2)
	return p, true
}
