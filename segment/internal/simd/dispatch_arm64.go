//go:build !noasm

package simd

func (l Level) thresholdU8(b, a []uint64, v []uint8, lo1, hi uint) {
	n := len(v)
	if l != NEON || n < 64 || lo1 > 255 {
		thresholdU8Go(b, a, v, lo1, hi)
		return
	}
	w, short, keepA := n/64, -n&63, onesIf(hi <= 255)
	thresholdU8NEON(&b[0], &a[0], &v[0], w, uint8(lo1), uint8(hi), keepA)
	if short != 0 {
		thresholdU8NEON(&b[w], &a[w], &v[n-64], 1, uint8(lo1), uint8(hi), keepA)
		align(&b[w], &a[w], short)
	}
}

func (l Level) thresholdU16(b, a []uint64, v []uint16, lo1, hi uint) {
	n := len(v)
	if l != NEON || n < 64 || lo1 > 65535 {
		thresholdU16Go(b, a, v, lo1, hi)
		return
	}
	w, short, keepA := n/64, -n&63, onesIf(hi <= 65535)
	thresholdU16NEON(&b[0], &a[0], &v[0], w, uint16(lo1), uint16(hi), keepA)
	if short != 0 {
		thresholdU16NEON(&b[w], &a[w], &v[n-64], 1, uint16(lo1), uint16(hi), keepA)
		align(&b[w], &a[w], short)
	}
}

func (l Level) thresholdF32(b, a []uint64, v []float32, lo, hi float32, nanB, nanA bool) {
	n := len(v)
	if l != NEON || n < 64 {
		thresholdF32Go(b, a, v, lo, hi, nanB, nanA)
		return
	}
	w, short := n/64, -n&63
	thresholdF32By(&b[0], &a[0], &v[0], w, lo, hi, nanB, nanA)
	if short != 0 {
		thresholdF32By(&b[w], &a[w], &v[n-64], 1, lo, hi, nanB, nanA)
		align(&b[w], &a[w], short)
	}
}

// thresholdF32By makes the set that is to hold NaN the complement of the opposite comparison, as the portable form
// does.
func thresholdF32By(b, a *uint64, v *float32, words int, lo, hi float32, nanB, nanA bool) {
	switch {
	case nanB:
		thresholdF32NaNBNEON(b, a, v, words, nextUp(lo), hi)
	case nanA:
		thresholdF32NaNANEON(b, a, v, words, lo, -nextUp(-hi))
	default:
		thresholdF32NEON(b, a, v, words, lo, hi)
	}
}

func (l Level) tableU8(b, a []uint64, v []uint8, t *Table8) {
	n := len(v)
	if l != NEON || n < 64 {
		tableU8Go(b, a, v, t)
		return
	}
	w, short := n/64, -n&63
	tableU8NEON(&b[0], &a[0], &v[0], w, &t.Of)
	if short != 0 {
		tableU8NEON(&b[w], &a[w], &v[n-64], 1, &t.Of)
		align(&b[w], &a[w], short)
	}
}

func (l Level) tableU16(b, a []uint64, v []uint16, t *Table16) {
	n := len(v)
	if l != NEON || n < 64 {
		tableU16Go(b, a, v, t)
		return
	}
	w, short := n/64, -n&63
	tableU16NEON(&b[0], &a[0], &v[0], w, &t.Of)
	if short != 0 {
		tableU16NEON(&b[w], &a[w], &v[n-64], 1, &t.Of)
		align(&b[w], &a[w], short)
	}
}

func (l Level) histogramU8(tables *[8][256]uint32, v []uint8) {
	if n := len(v) / 16; l == NEON && n > 0 {
		histogramU8NEON(tables, &v[0], n)
		v = v[16*n:]
	}
	histogramU8Go(tables, v)
}

func (l Level) histogramU16(table *[65536]uint32, v []uint16) {
	if n := len(v) / 8; l == NEON && n > 0 {
		histogramU16NEON(table, &v[0], n)
		v = v[8*n:]
	}
	histogramU16Go(table, v)
}

// keysF32 leaves a block with samples that are not finite, and the rest, to the portable form.
func (l Level) keysF32(keys []uint16, v []float32, c *F32Counts) int {
	n := len(v) / 8
	if l != NEON || n == 0 {
		return keysF32Go(keys, v, c)
	}
	least, most := [4]uint32{c.Min, c.Min, c.Min, c.Min}, [4]uint32{c.Max, c.Max, c.Max, c.Max}
	done := 8 * keysF32NEON(&v[0], n, &keys[0], &least, &most)
	for i := range least {
		c.Min, c.Max = min(c.Min, least[i]), max(c.Max, most[i])
	}
	return done + keysF32Go(keys[done:], v[done:], c)
}

// What follows has the portable form only: it is not about samples by the image, or the compiler's loop is as good.

func (Level) statU8(v []uint8) (sum uint64, lo, hi uint8)       { return statU8Go(v) }
func (Level) statU16(v []uint16) (sum uint64, lo, hi uint16)    { return statU16Go(v) }
func (Level) sum(v []uint64) uint64                             { return sumGo(v) }
func (Level) spans(out []Pair, list []Closing, last uint32) int { return spansGo(out, list, last) }
func (Level) closing(out []Closing, b, a []uint64, at, active uint64) (int, uint64) {
	return closingGo(out, b, a, at, active)
}
func (Level) fourSumsF32(v *[256]float32) (sum, square [4]float64) { return fourSumsF32Go(v) }
