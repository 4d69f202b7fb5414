//go:build !noasm

package simd

import "unsafe"

func (l Level) thresholdU8(b, a []uint64, v []uint8, lo1, hi uint) {
	n := len(v)
	if l < AVX2 || n < 64 || lo1 > 255 {
		thresholdU8Go(b, a, v, lo1, hi)
		return
	}
	w, short, keepA := n/64, -n&63, onesIf(hi <= 255)
	if l == AVX2 {
		notLo1, notHi := uint8(255-lo1), uint8(255-hi)
		thresholdU8AVX2(&b[0], &a[0], &v[0], w, notLo1, notHi, keepA)
		if short != 0 {
			thresholdU8AVX2(&b[w], &a[w], &v[n-64], 1, notLo1, notHi, keepA)
			align(&b[w], &a[w], short)
		}
		return
	}
	thresholdU8AVX512(&b[0], &a[0], &v[0], w, uint8(lo1), uint8(hi), keepA)
	if short != 0 {
		thresholdU8AVX512(&b[w], &a[w], &v[n-64], 1, uint8(lo1), uint8(hi), keepA)
		align(&b[w], &a[w], short)
	}
}

func (l Level) thresholdU16(b, a []uint64, v []uint16, lo1, hi uint) {
	n := len(v)
	if l < AVX2 || n < 64 || lo1 > 65535 {
		thresholdU16Go(b, a, v, lo1, hi)
		return
	}
	w, short, keepA := n/64, -n&63, onesIf(hi <= 65535)
	if l == AVX2 {
		notLo1, notHi := uint16(65535-lo1), uint16(65535-hi)
		thresholdU16AVX2(&b[0], &a[0], &v[0], w, notLo1, notHi, keepA)
		if short != 0 {
			thresholdU16AVX2(&b[w], &a[w], &v[n-64], 1, notLo1, notHi, keepA)
			align(&b[w], &a[w], short)
		}
		return
	}
	thresholdU16AVX512(&b[0], &a[0], &v[0], w, uint16(lo1), uint16(hi), keepA)
	if short != 0 {
		thresholdU16AVX512(&b[w], &a[w], &v[n-64], 1, uint16(lo1), uint16(hi), keepA)
		align(&b[w], &a[w], short)
	}
}

func (l Level) thresholdF32(b, a []uint64, v []float32, lo, hi float32, nanB, nanA bool) {
	n := len(v)
	if l < AVX2 || n < 64 {
		thresholdF32Go(b, a, v, lo, hi, nanB, nanA)
		return
	}
	w, short := n/64, -n&63
	thresholdF32By(l, &b[0], &a[0], &v[0], w, lo, hi, nanB, nanA)
	if short != 0 {
		thresholdF32By(l, &b[w], &a[w], &v[n-64], 1, lo, hi, nanB, nanA)
		align(&b[w], &a[w], short)
	}
}

// thresholdF32By makes the set that is to hold NaN the complement of the opposite comparison, as the portable form
// does.
func thresholdF32By(l Level, b, a *uint64, v *float32, words int, lo, hi float32, nanB, nanA bool) {
	switch {
	case nanB && l == AVX2:
		thresholdF32NaNBAVX2(b, a, v, words, nextUp(lo), hi)
	case nanB:
		thresholdF32NaNBAVX512(b, a, v, words, nextUp(lo), hi)
	case nanA && l == AVX2:
		thresholdF32NaNAAVX2(b, a, v, words, lo, -nextUp(-hi))
	case nanA:
		thresholdF32NaNAAVX512(b, a, v, words, lo, -nextUp(-hi))
	case l == AVX2:
		thresholdF32AVX2(b, a, v, words, lo, hi)
	default:
		thresholdF32AVX512(b, a, v, words, lo, hi)
	}
}

func (l Level) tableU8(b, a []uint64, v []uint8, t *Table8) {
	n := len(v)
	if l < AVX2 || n < 64 {
		tableU8Go(b, a, v, t)
		return
	}
	w, short := n/64, -n&63
	tableU8By(l, &b[0], &a[0], &v[0], w, t)
	if short != 0 {
		tableU8By(l, &b[w], &a[w], &v[n-64], 1, t)
		align(&b[w], &a[w], short)
	}
}

func tableU8By(l Level, b, a *uint64, v *uint8, words int, t *Table8) {
	switch l {
	case AVX2:
		tableU8AVX2(b, a, v, words, &t.rows)
	case AVX512:
		tableU8AVX512(b, a, v, words, &t.rows)
	default:
		tableU8VBMI(b, a, v, words, &t.Of)
	}
}

func (l Level) tableU16(b, a []uint64, v []uint16, t *Table16) {
	n := len(v)
	if l < AVX2 || n < 64 {
		tableU16Go(b, a, v, t)
		return
	}
	w, short := n/64, -n&63
	tableU16By(l, &b[0], &a[0], &v[0], w, t)
	if short != 0 {
		tableU16By(l, &b[w], &a[w], &v[n-64], 1, t)
		align(&b[w], &a[w], short)
	}
}

func tableU16By(l Level, b, a *uint64, v *uint16, words int, t *Table16) {
	if l == AVX2 {
		tableU16AVX2(b, a, v, words, &t.Of[0])
		return
	}
	tableU16AVX512(b, a, v, words, &t.Of[0]) // reads 4 bytes for each entry; t.B follows t.Of
}

func (l Level) closing(out []Closing, b, a []uint64, at, active uint64) (n int, still uint64) {
	if l < AVX2 || len(b) == 0 {
		return closingGo(out, b, a, at, active)
	}
	bytes, still := closingBMI(&out[0].B, &b[0], &a[0], len(b), at, active)
	return int(uint(bytes) / uint(unsafe.Sizeof(Closing{}))), still
}

func (l Level) spans(out []Pair, list []Closing, last uint32) int {
	if l < AVX2 || len(list) == 0 {
		return spansGo(out, list, last)
	}
	return spansBMI((*uint64)(unsafe.Pointer(&out[0])), &list[0].B, len(list), uint64(last)) / int(unsafe.Sizeof(Pair{}))
}

func (l Level) statU8(v []uint8) (sum uint64, lo, hi uint8) {
	n := len(v) / 64
	if l < AVX2 || n == 0 {
		return statU8Go(v)
	}
	var los, his [32]uint8
	sum = statU8AVX2(&v[0], n, &los, &his)
	_, lo, _ = statU8Go(los[:])
	_, _, hi = statU8Go(his[:])
	if rest := v[n*64:]; len(rest) > 0 {
		s, l, h := statU8Go(rest)
		sum, lo, hi = sum+s, min(lo, l), max(hi, h)
	}
	return sum, lo, hi
}

func (l Level) statU16(v []uint16) (sum uint64, lo, hi uint16) {
	n := len(v) / 32
	if l < AVX2 || n == 0 {
		return statU16Go(v)
	}
	var los, his [16]uint16
	sum = statU16AVX2(&v[0], n, &los, &his)
	_, lo, _ = statU16Go(los[:])
	_, _, hi = statU16Go(his[:])
	if rest := v[n*32:]; len(rest) > 0 {
		s, l, h := statU16Go(rest)
		sum, lo, hi = sum+s, min(lo, l), max(hi, h)
	}
	return sum, lo, hi
}

func (l Level) sum(v []uint64) uint64 {
	n := len(v) &^ 31
	if l < AVX2 || n == 0 {
		return sumGo(v)
	}
	return readAllAVX2(&v[0], n) + sumGo(v[n:])
}

func (l Level) histogramU8(tables *[8][256]uint32, v []uint8) {
	if n := len(v) / 32; l >= AVX2 && n > 0 {
		histogramU8AVX2(tables, &v[0], n)
		v = v[32*n:]
	}
	histogramU8Go(tables, v)
}

func (l Level) histogramU16(table *[65536]uint32, v []uint16) {
	if n := len(v) / 16; l >= AVX2 && n > 0 {
		histogramU16AVX2(table, &v[0], n)
		v = v[16*n:]
	}
	histogramU16Go(table, v)
}

// keysF32 leaves a block with samples that are not finite, and the rest, to the portable form.
func (l Level) keysF32(keys []uint16, v []float32, c *F32Counts) int {
	n := len(v) / 64
	if l < AVX2 || n == 0 {
		return keysF32Go(keys, v, c)
	}
	var least, most [8]uint32
	for i := range least {
		least[i], most[i] = c.Min, c.Max
	}
	done := 64 * keysF32AVX2(&v[0], n, &keys[0], &least, &most)
	for i := range least {
		c.Min, c.Max = min(c.Min, least[i]), max(c.Max, most[i])
	}
	return done + keysF32Go(keys[done:], v[done:], c)
}

func (l Level) fourSumsF32(v *[256]float32) (sum, square [4]float64) {
	if l < AVX2 {
		return fourSumsF32Go(v)
	}
	var out [8]float64
	fourSumsF32AVX2(&v[0], &out)
	return [4]float64(out[:4]), [4]float64(out[4:])
}
