//go:build !noasm

package simd

// These give how many samples, or words of masks, they have done; the portable form does the rest.

func (l Level) pairU8(tl, th, al, ah, bl, bh []uint8) int {
	n := len(tl) / 32
	if l < AVX2 || n == 0 {
		return 0
	}
	pairU8AVX2(&tl[0], &th[0], &al[0], &ah[0], &bl[0], &bh[0], n)
	return 32 * n
}

func (l Level) pairU16(tl, th, al, ah, bl, bh []uint16) int {
	n := len(tl) / 16
	if l < AVX2 || n == 0 {
		return 0
	}
	pairU16AVX2(&tl[0], &th[0], &al[0], &ah[0], &bl[0], &bh[0], n)
	return 16 * n
}

func (l Level) pairF32(tl, th, al, ah, bl, bh []float32) int {
	n := len(tl) / 8
	if l < AVX2 || n == 0 {
		return 0
	}
	pairF32AVX2(&tl[0], &th[0], &al[0], &ah[0], &bl[0], &bh[0], n)
	return 8 * n
}

func (l Level) takeF32(tl, th, sl, sh, x []float32) int {
	n := len(tl) / 8
	if l < AVX2 || n == 0 {
		return 0
	}
	takeF32AVX2(&tl[0], &th[0], &sl[0], &sh[0], &x[0], n)
	return 8 * n
}

func (l Level) midsU8(b, a []uint64, v, low, high []uint8, m Mids) int {
	p, ok := midsTable[uint8](m)
	n := len(v) / 64
	if l < AVX2 || n == 0 || !ok {
		return 0
	}
	midsU8AVX2(&b[0], &a[0], &v[0], &low[0], &high[0], n, &p[0])
	return n
}

func (l Level) midsU16(b, a []uint64, v, low, high []uint16, m Mids) int {
	p, ok := midsTable[uint16](m)
	n := len(v) / 64
	if l < AVX2 || n == 0 || !ok {
		return 0
	}
	midsU16AVX2(&b[0], &a[0], &v[0], &low[0], &high[0], n, &p[0])
	return n
}

func (l Level) midsF32(b, a, nan []uint64, v, low, high []float32, m FloatMids) int {
	n := len(v) / 64
	if l < AVX2 || n == 0 {
		return 0
	}
	midsF32AVX2(&b[0], &a[0], &nan[0], &v[0], &low[0], &high[0], n, &[3]float64{m.Margin, m.Contrast, m.Centre})
	return n
}

// The steps of Slide for AVX2; blocks is at least 1.

func slideTwo[T Sample](l, h []T, blocks, one int) {
	switch l := any(l).(type) {
	case []uint8:
		slideTwoU8AVX2(&l[0], &any(h).([]uint8)[0], blocks, one)
	case []uint16:
		slideTwoU16AVX2(&l[0], &any(h).([]uint16)[0], blocks, one)
	case []float32:
		slideTwoF32AVX2(&l[0], &any(h).([]float32)[0], blocks, one)
	}
}

func slideFour[T Sample](l, h []T, blocks, one, two, three int) {
	switch l := any(l).(type) {
	case []uint8:
		slideFourU8AVX2(&l[0], &any(h).([]uint8)[0], blocks, one, two, three)
	case []uint16:
		slideFourU16AVX2(&l[0], &any(h).([]uint16)[0], blocks, one, two, three)
	case []float32:
		slideFourF32AVX2(&l[0], &any(h).([]float32)[0], blocks, one, two, three)
	}
}

func slideFar[T Sample](l, h []T, blocks, one, two, three int) {
	switch l := any(l).(type) {
	case []uint8:
		slideFarU8AVX2(&l[0], &any(h).([]uint8)[0], blocks, one, two, three)
	case []uint16:
		slideFarU16AVX2(&l[0], &any(h).([]uint16)[0], blocks, one, two, three)
	case []float32:
		slideFarF32AVX2(&l[0], &any(h).([]float32)[0], blocks, one, two, three)
	}
}

func slideNext[T Sample](l, h []T, blocks, last int) {
	switch l := any(l).(type) {
	case []uint8:
		slideNextU8AVX2(&l[0], &any(h).([]uint8)[0], blocks, last)
	case []uint16:
		slideNextU16AVX2(&l[0], &any(h).([]uint16)[0], blocks, last)
	case []float32:
		slideNextF32AVX2(&l[0], &any(h).([]float32)[0], blocks, last)
	}
}

func slideEight[T Sample](l, h []T, blocks, last int) {
	switch l := any(l).(type) {
	case []uint8:
		slideEightU8AVX2(&l[0], &any(h).([]uint8)[0], blocks, last)
	case []uint16:
		slideEightU16AVX2(&l[0], &any(h).([]uint16)[0], blocks, last)
	case []float32:
		slideEightF32AVX2(&l[0], &any(h).([]float32)[0], blocks, last)
	}
}
