//go:build !noasm

package simd

// These give how many elements, or words of masks, they have done; the portable form does the rest.

func (l Level) shiftU8(col []uint32, in, out []uint8) int {
	n := len(col) &^ 7
	if l < AVX2 || n == 0 {
		return 0
	}
	shiftU8AVX2(&col[0], &in[0], &out[0], n)
	return n
}

func (l Level) shiftPacked(col []uint64, in, out []uint8) int {
	n := len(col) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	shiftPackedAVX2(&col[0], &in[0], &out[0], n)
	return n
}

func (l Level) shiftU16(one, two []uint64, in, out []uint16) int {
	n := len(one) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	shiftU16AVX2(&one[0], &two[0], &in[0], &out[0], n)
	return n
}

func (l Level) shiftOneU16(col []uint64, in, out []uint16) int {
	n := len(col) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	shiftOneU16AVX2(&col[0], &in[0], &out[0], n)
	return n
}

func (l Level) unpack(s, d []float64, sums []uint64, area uint64) int {
	n := len(s) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	unpackAVX2(&s[0], &d[0], &sums[0], n, area)
	return n
}

func (l Level) widen(s, d []float64, one, two []uint64, area uint64) int {
	n := len(s) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	widenAVX2(&s[0], &d[0], &one[0], &two[0], n, area)
	return n
}

func (l Level) means(t []float64, sums []uint64, off float64) int {
	n := len(t) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	meansAVX2(&t[0], &sums[0], n, off)
	return n
}

func (l Level) meansU32(t []float64, sums []uint32, off float64) int {
	n := len(t) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	meansU32AVX2(&t[0], &sums[0], n, off)
	return n
}

func (l Level) niblack(t, s, d []float64, k float64) int {
	n := len(t) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	niblackAVX2(&t[0], &s[0], &d[0], n, k)
	return n
}

func (l Level) sauvola(t, s, d []float64, flat, k float64) int {
	n := len(t) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	sauvolaAVX2(&t[0], &s[0], &d[0], n, flat, k)
	return n
}

func (l Level) wolf(t, s, d []float64, k, weight, least float64) int {
	n := len(t) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	wolfAVX2(&t[0], &s[0], &d[0], n, k, weight, least)
	return n
}

func (l Level) phansalkar(t, s, d []float64, f *Phansalkar) int {
	n := len(t) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	phansalkarAVX2(&t[0], &s[0], &d[0], n, &f.Exp[0], f.Least, f.Steps, float64(len(f.Exp)-1), f.Flat, f.P, f.K)
	return n
}

func (l Level) largest(d []float64) (done int, top float64) {
	n := len(d) &^ 15
	if l < AVX2 || n == 0 {
		return 0, 0
	}
	return n, largestAVX2(&d[0], n)
}

func (l Level) finite(x []float32) (done int, all bool) {
	n := len(x) / 32
	if l < AVX2 || n == 0 {
		return 0, true
	}
	return 32 * n, finiteAVX2(&x[0], n)
}

func (l Level) deviations(d, s []float64, area float64) int {
	n := len(d) &^ 3
	if l < AVX2 || n == 0 {
		return 0
	}
	deviationsAVX2(&d[0], &s[0], n, area)
	return n
}

func (l Level) compareU8(b, a []uint64, v []uint8, t []float64, n, margin float64) int {
	words := len(v) / 64
	if l < AVX2 || words == 0 {
		return 0
	}
	compareU8AVX2(&b[0], &a[0], &v[0], &t[0], words, n, margin)
	return words
}

func (l Level) compareU16(b, a []uint64, v []uint16, t []float64, n, margin float64) int {
	words := len(v) / 64
	if l < AVX2 || words == 0 {
		return 0
	}
	compareU16AVX2(&b[0], &a[0], &v[0], &t[0], words, n, margin)
	return words
}

func (l Level) compareF32(b, a, nan []uint64, v []float32, t []float64, n, margin float64) int {
	words := len(v) / 64
	if l < AVX2 || words == 0 {
		return 0
	}
	compareF32AVX2(&b[0], &a[0], &nan[0], &v[0], &t[0], words, n, margin)
	return words
}
