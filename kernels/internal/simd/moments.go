package simd

// ShiftU8 takes a line in and lets one go from the sums of columns.
func ShiftU8(col []uint32, in, out []uint8) { best.ShiftU8(col, in, out) }

// ShiftU8 is the function of that name by this level.
func (l Level) ShiftU8(col []uint32, in, out []uint8) {
	in, out = in[:len(col)], out[:len(col)]
	n := l.shiftU8(col, in, out)
	shiftU8Go(col[n:], in[n:], out[n:])
}

// ShiftPacked is ShiftU8 for sums of Packed samples.
func ShiftPacked(col []uint64, in, out []uint8) { best.ShiftPacked(col, in, out) }

// ShiftPacked is the function of that name by this level.
func (l Level) ShiftPacked(col []uint64, in, out []uint8) {
	in, out = in[:len(col)], out[:len(col)]
	n := l.shiftPacked(col, in, out)
	shiftPackedGo(col[n:], in[n:], out[n:])
}

// ShiftU16 is ShiftU8 for sums of 16-bit samples and of their squares.
func ShiftU16(one, two []uint64, in, out []uint16) { best.ShiftU16(one, two, in, out) }

// ShiftU16 is the function of that name by this level.
func (l Level) ShiftU16(one, two []uint64, in, out []uint16) {
	two, in, out = two[:len(one)], in[:len(one)], out[:len(one)]
	n := l.shiftU16(one, two, in, out)
	shiftU16Go(one[n:], two[n:], in[n:], out[n:])
}

// ShiftOneU16 is ShiftU8 for sums of 16-bit samples.
func ShiftOneU16(col []uint64, in, out []uint16) { best.ShiftOneU16(col, in, out) }

// ShiftOneU16 is the function of that name by this level.
func (l Level) ShiftOneU16(col []uint64, in, out []uint16) {
	in, out = in[:len(col)], out[:len(col)]
	n := l.shiftOneU16(col, in, out)
	shiftOneU16Go(col[n:], in[n:], out[n:])
}

// Unpack makes of sums of area Packed samples the sum s, and d, area^2 times the variance: area times the sum of squares
// less the square of the sum. That must not be negative.
func Unpack(s, d []float64, sums []uint64, area uint64) { best.Unpack(s, d, sums, area) }

// Unpack is the function of that name by this level.
func (l Level) Unpack(s, d []float64, sums []uint64, area uint64) {
	d, sums = d[:len(s)], sums[:len(s)]
	n := l.unpack(s, d, sums, area)
	unpackGo(s[n:], d[n:], sums[n:], area)
}

// Widen is Unpack for sums and sums of squares of area samples of 16 bits; area < 2^16, so that sums are below 2^32.
func Widen(s, d []float64, one, two []uint64, area uint64) { best.Widen(s, d, one, two, area) }

// Widen is the function of that name by this level.
func (l Level) Widen(s, d []float64, one, two []uint64, area uint64) {
	d, one, two = d[:len(s)], one[:len(s)], two[:len(s)]
	n := l.widen(s, d, one, two, area)
	widenGo(s[n:], d[n:], one[n:], two[n:], area)
}

// Means sets t = sums - off, of whole numbers below 2^52.
func Means(t []float64, sums []uint64, off float64) { best.Means(t, sums, off) }

// Means is the function of that name by this level.
func (l Level) Means(t []float64, sums []uint64, off float64) {
	sums = sums[:len(t)]
	n := l.means(t, sums, off)
	meansGo(t[n:], sums[n:], off)
}

// MeansU32 is Means of whole numbers below 2^31.
func MeansU32(t []float64, sums []uint32, off float64) { best.MeansU32(t, sums, off) }

// MeansU32 is the function of that name by this level.
func (l Level) MeansU32(t []float64, sums []uint32, off float64) {
	sums = sums[:len(t)]
	n := l.meansU32(t, sums, off)
	meansGo(t[n:], sums[n:], off)
}

// Niblack sets t = s - k sqrt(d), each product rounded on its own, as in all formulas here. s and d are as long as t.
func Niblack(t, s, d []float64, k float64) { best.Niblack(t, s, d, k) }

// Niblack is the function of that name by this level.
func (l Level) Niblack(t, s, d []float64, k float64) {
	s, d = s[:len(t)], d[:len(t)]
	n := l.niblack(t, s, d, k)
	niblackGo(t[n:], s[n:], d[n:], k)
}

// Sauvola sets t = s (flat + k sqrt(d)).
func Sauvola(t, s, d []float64, flat, k float64) { best.Sauvola(t, s, d, flat, k) }

// Sauvola is the function of that name by this level.
func (l Level) Sauvola(t, s, d []float64, flat, k float64) {
	s, d = s[:len(t)], d[:len(t)]
	n := l.sauvola(t, s, d, flat, k)
	sauvolaGo(t[n:], s[n:], d[n:], flat, k)
}

// Wolf sets t = s + (k sqrt(d) - weight) (s - least).
func Wolf(t, s, d []float64, k, weight, least float64) { best.Wolf(t, s, d, k, weight, least) }

// Wolf is the function of that name by this level.
func (l Level) Wolf(t, s, d []float64, k, weight, least float64) {
	s, d = s[:len(t)], d[:len(t)]
	n := l.wolf(t, s, d, k, weight, least)
	wolfGo(t[n:], s[n:], d[n:], k, weight, least)
}

// Phansalkar sets t = Least + u (Flat + P e(Steps u) + K sqrt(d)), u = s - Least and e(x) = exp(-x/DecaySteps) by the
// table Exp of whole x, of which the first and the last count for what lies beyond.
type Phansalkar struct {
	Least, Steps, Flat, P, K float64
	Exp                      []float64
}

// Set sets t from s and d, as long as t.
func (f *Phansalkar) Set(t, s, d []float64) { best.Phansalkar(t, s, d, f) }

// Phansalkar is Set by this level.
func (l Level) Phansalkar(t, s, d []float64, f *Phansalkar) {
	s, d = s[:len(t)], d[:len(t)]
	n := l.phansalkar(t, s, d, f)
	phansalkarGo(t[n:], s[n:], d[n:], f)
}

// CompareU8 sets the bits of n v <= t in b, and of n v > t + margin in a, one a sample.
func CompareU8(b, a []uint64, v []uint8, t []float64, n, margin float64) {
	best.CompareU8(b, a, v, t, n, margin)
}

// CompareU8 is the function of that name by this level.
func (l Level) CompareU8(b, a []uint64, v []uint8, t []float64, n, margin float64) {
	words := (len(v) + 63) / 64
	w := l.compareU8(b[:words], a[:words], v, t[:len(v)], n, margin)
	compareGo(b[w:words], a[w:words], v[64*w:], t[64*w:], n, margin)
}

// CompareU16 is CompareU8 for 16-bit samples.
func CompareU16(b, a []uint64, v []uint16, t []float64, n, margin float64) {
	best.CompareU16(b, a, v, t, n, margin)
}

// CompareU16 is the function of that name by this level.
func (l Level) CompareU16(b, a []uint64, v []uint16, t []float64, n, margin float64) {
	words := (len(v) + 63) / 64
	w := l.compareU16(b[:words], a[:words], v, t[:len(v)], n, margin)
	compareGo(b[w:words], a[w:words], v[64*w:], t[64*w:], n, margin)
}

// CompareF32 is CompareU8 for float samples, and marks NaN in nan.
func CompareF32(b, a, nan []uint64, v []float32, t []float64, n, margin float64) {
	best.CompareF32(b, a, nan, v, t, n, margin)
}

// CompareF32 is the function of that name by this level.
func (l Level) CompareF32(b, a, nan []uint64, v []float32, t []float64, n, margin float64) {
	words := (len(v) + 63) / 64
	w := l.compareF32(b[:words], a[:words], nan[:words], v, t[:len(v)], n, margin)
	compareGo(b[w:words], a[w:words], v[64*w:], t[64*w:], n, margin)
	notNumbersGo(nan[w:words], v[64*w:])
}

// Largest is the largest number of d, or 0; NaN does not count.
func Largest(d []float64) float64 { return best.Largest(d) }

// Largest is the function of that name by this level.
func (l Level) Largest(d []float64) float64 {
	n, top := l.largest(d)
	return max(top, largestGo(d[n:]))
}

// Finite tells whether no sample is NaN or infinite.
func Finite(x []float32) bool { return best.Finite(x) }

// Finite is the function of that name by this level.
func (l Level) Finite(x []float32) bool {
	n, all := l.finite(x)
	return all && finiteGo(x[n:])
}

// Deviations replaces sums of squares d by area d - s^2, or 0 where rounding makes that negative.
func Deviations(d, s []float64, area float64) { best.Deviations(d, s, area) }

// Deviations is the function of that name by this level.
func (l Level) Deviations(d, s []float64, area float64) {
	s = s[:len(d)]
	n := l.deviations(d, s, area)
	deviationsGo(d[n:], s[n:], area)
}
