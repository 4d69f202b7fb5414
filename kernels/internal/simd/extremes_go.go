package simd

// Sample is any type of samples.
type Sample interface{ uint8 | uint16 | float32 }

// lower and higher are min and max without their care for NaN, which never gets here, and for the sign of 0.
func lower[T Sample](a, b T) T {
	if b < a {
		return b
	}
	return a
}

func higher[T Sample](a, b T) T {
	if b > a {
		return b
	}
	return a
}

func pairGo[T Sample](tl, th, al, ah, bl, bh []T) {
	th, al, ah, bl, bh = th[:len(tl)], al[:len(tl)], ah[:len(tl)], bl[:len(tl)], bh[:len(tl)]
	for i := range tl {
		tl[i], th[i] = lower(al[i], bl[i]), higher(ah[i], bh[i])
	}
}

func takeF32Go(tl, th, sl, sh, x []float32) {
	th, sl, sh, x = th[:len(tl)], sl[:len(tl)], sh[:len(tl)], x[:len(tl)]
	for i, y := range x {
		if y-y == 0 { // neither NaN nor infinite
			tl[i], th[i] = lower(sl[i], y), higher(sh[i], y)
		} else {
			tl[i], th[i] = sl[i], sh[i]
		}
	}
}

// midsGo decides by the signs of differences.
func midsGo[T uint8 | uint16](b, a []uint64, v, l, h []T, m Mids) {
	for i := range b {
		v := v[64*i : min(64*i+64, len(v))]
		low, high := l[64*i:][:len(v)], h[64*i:][:len(v)]
		var le, gt uint64
		for j := range v {
			sum := int(low[j]) + int(high[j])
			d := 2*int(v[j]) - sum
			flat, up := uint64(int(high[j])-int(low[j])-m.Contrast), ^uint64(sum-m.Centre)
			le = le>>1 | (uint64(d-1)&^flat|flat&^up)&(1<<63)
			gt = gt>>1 | (uint64(m.Margin-d)&^flat|flat&up)&(1<<63)
		}
		b[i], a[i] = le>>(64-len(v)), gt>>(64-len(v))
	}
}

func midsF32Go(b, a, nan []uint64, v, l, h []float32, m FloatMids) {
	for i := range b {
		v := v[64*i : min(64*i+64, len(v))]
		low, high := l[64*i:][:len(v)], h[64*i:][:len(v)]
		var le, gt, none uint64
		for j := range v {
			lo, hi, y := float64(low[j]), float64(high[j]), float64(v[j])
			sum := lo + hi
			flat := bit(hi-lo < m.Contrast)
			le = le>>1 | (bit(y+y <= sum)&^flat|flat&bit(sum < m.Centre))<<63
			gt = gt>>1 | (bit(y+y > sum+m.Margin)&^flat|flat&bit(sum >= m.Centre))<<63
			none = none>>1 | bit(y != y)<<63
		}
		b[i], a[i], nan[i] = (le&^none)>>(64-len(v)), (gt&^none)>>(64-len(v)), none>>(64-len(v))
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
