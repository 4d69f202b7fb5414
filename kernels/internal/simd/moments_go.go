package simd

import "math"

func shiftU8Go(col []uint32, in, out []uint8) {
	in, out = in[:len(col)], out[:len(col)]
	for i := range col {
		col[i] += uint32(in[i]) - uint32(out[i])
	}
}

// Packed is an 8-bit sample in the lower and its square in the upper half of a word.
func Packed(x uint8) uint64 { return uint64(x) * (uint64(x)<<32 | 1) }

func shiftPackedGo(col []uint64, in, out []uint8) {
	in, out = in[:len(col)], out[:len(col)]
	for i := range col {
		col[i] += Packed(in[i]) - Packed(out[i])
	}
}

func shiftU16Go(one, two []uint64, in, out []uint16) {
	two, in, out = two[:len(one)], in[:len(one)], out[:len(one)]
	for i := range one {
		x, y := uint64(in[i]), uint64(out[i])
		one[i] += x - y
		two[i] += (x - y) * (x + y) // modulo 2^64, as all of it
	}
}

func shiftOneU16Go(col []uint64, in, out []uint16) {
	in, out = in[:len(col)], out[:len(col)]
	for i := range col {
		col[i] += uint64(in[i]) - uint64(out[i])
	}
}

func unpackGo(s, d []float64, sums []uint64, area uint64) {
	d, sums = d[:len(s)], sums[:len(s)]
	for i, sum := range sums {
		one, two := sum&(1<<32-1), sum>>32
		s[i], d[i] = float64(int64(one)), float64(area*two-one*one)
	}
}

func widenGo(s, d []float64, one, two []uint64, area uint64) {
	d, one, two = d[:len(s)], one[:len(s)], two[:len(s)]
	for i := range s {
		s[i], d[i] = float64(int64(one[i])), float64(area*two[i]-one[i]*one[i])
	}
}

func meansGo[T uint32 | uint64](t []float64, sums []T, off float64) {
	sums = sums[:len(t)]
	for i := range t {
		t[i] = float64(int64(sums[i])) - off
	}
}

func niblackGo(t, s, d []float64, k float64) {
	s, d = s[:len(t)], d[:len(t)]
	for i := range t {
		t[i] = s[i] - float64(k*math.Sqrt(d[i]))
	}
}

func sauvolaGo(t, s, d []float64, flat, k float64) {
	s, d = s[:len(t)], d[:len(t)]
	for i := range t {
		t[i] = float64(s[i] * (flat + float64(k*math.Sqrt(d[i]))))
	}
}

func wolfGo(t, s, d []float64, k, weight, least float64) {
	s, d = s[:len(t)], d[:len(t)]
	for i := range t {
		t[i] = s[i] + float64((float64(k*math.Sqrt(d[i]))-weight)*(s[i]-least))
	}
}

func phansalkarGo(t, s, d []float64, f *Phansalkar) {
	s, d = s[:len(t)], d[:len(t)]
	top := float64(len(f.Exp) - 1)
	for i := range t {
		above := s[i] - f.Least
		x := float64(above * f.Steps)
		if !(x > 0) {
			x = 0
		} else if x > top {
			x = top
		}
		at := int(x)
		e := float64(f.Exp[at] * Decay(x-float64(at)))
		t[i] = f.Least + float64(above*(f.Flat+float64(f.P*e)+float64(f.K*math.Sqrt(d[i]))))
	}
}

// DecaySteps is how many entries of the table of exp(-x) lie between two whole numbers.
const DecaySteps = 64

// Decay is exp(-x/DecaySteps) for 0 <= x <= 1, to 1e-13: the first terms of Taylor's series.
func Decay(x float64) float64 {
	y := float64(x * (1. / DecaySteps))
	e := 1./24 - float64(y*(1./120))
	e = 1./6 - float64(y*e)
	e = 1./2 - float64(y*e)
	e = 1 - float64(y*e)
	return 1 - float64(y*e)
}

func compareGo[T Sample](b, a []uint64, v []T, t []float64, n, margin float64) {
	for i := range b {
		x := v[64*i : min(64*i+64, len(v))]
		t := t[64*i:][:len(x)]
		var le, gt uint64
		for j := range x {
			y := float64(n * float64(x[j]))
			le = le>>1 | bit(y <= t[j])<<63
			gt = gt>>1 | bit(y > t[j]+margin)<<63
		}
		b[i], a[i] = le>>(64-len(x)), gt>>(64-len(x))
	}
}

func notNumbersGo(nan []uint64, v []float32) {
	for i := range nan {
		x := v[64*i : min(64*i+64, len(v))]
		var none uint64
		for j := range x {
			none |= bit(x[j] != x[j]) << j
		}
		nan[i] = none
	}
}

func largestGo(d []float64) float64 {
	top := 0.
	for _, y := range d {
		if y > top {
			top = y
		}
	}
	return top
}

func finiteGo(x []float32) bool {
	var bad uint64
	for _, y := range x {
		bad |= bit(y-y != 0)
	}
	return bad == 0
}

func deviationsGo(d, s []float64, area float64) {
	s = s[:len(d)]
	for i, s := range s {
		x := float64(area*d[i]) - float64(s*s)
		if x < 0 {
			x = 0
		}
		d[i] = x
	}
}
