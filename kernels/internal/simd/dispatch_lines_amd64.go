//go:build !noasm

package simd

// These give how many columns they have done, or whether they have; the portable form does the rest.

func (l Level) addLines(t, s []float64, x *Lines, squares bool) int {
	n := len(t) &^ 3
	switch {
	case l < AVX2 || n == 0:
		return 0
	case squares:
		addLinesTwoAVX2(&t[0], &s[0], &x[0], n)
	default:
		addLinesOneAVX2(&t[0], &s[0], &x[0], n)
	}
	return n
}

func (l Level) windowLines(col []Together, heads, stop []float64, tail, head *Lines, squares bool) int {
	n := len(heads) &^ 3
	switch {
	case l < AVX2 || n == 0:
		return 0
	case squares:
		windowLinesTwoAVX2(&col[0][0], &heads[0], &stop[0], &tail[0], &head[0], n)
	default:
		windowLinesOneAVX2(&col[0][0], &heads[0], &stop[0], &tail[0], &head[0], n)
	}
	return n
}

func (l Level) tailLines(tail, col []Together) bool {
	n := len(col)
	if l < AVX2 || n == 0 {
		return n == 0
	}
	tailLinesAVX2(&tail[0][0], &col[0][0], n)
	return true
}

func (l Level) headLines(sum, tail, col []Together, skip int) bool {
	n := len(sum)
	if l < AVX2 || n == 0 {
		return n == 0
	}
	headLinesAVX2(&sum[0][0], &tail[0][0], &col[0][0], skip, n)
	return true
}

func (l Level) partLines(rows []float64, apart int, sums []Together) int {
	done := len(sums) &^ 3
	if l < AVX2 || done == 0 {
		return 0
	}
	partLinesAVX2(&rows[0], 8*apart, &sums[0][0], done)
	return done
}
