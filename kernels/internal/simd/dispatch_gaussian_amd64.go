//go:build !noasm

package simd

import "unsafe"

// These give how many columns they have done; the portable form does the rest. Columns that do not fill a block are done
// with some that are done already.

func (l Level) weighU8(col []float64, rows [][]uint8, pairs []uint32) int {
	n := len(col)
	if l < AVX2 || n < 32 {
		return 0
	}
	whole := n &^ 31
	weighU8AVX2(&col[0], (**uint8)(unsafe.Pointer(&rows[0])), &pairs[0], len(pairs), 0, whole)
	if whole < n {
		weighU8AVX2(&col[0], (**uint8)(unsafe.Pointer(&rows[0])), &pairs[0], len(pairs), n-32, n)
	}
	return n
}

func (l Level) weighU16(col []float64, rows [][]uint16, twice []uint32) int {
	n := len(col)
	if l < AVX2 || n < 32 {
		return 0
	}
	whole := n &^ 31
	weighU16AVX2(&col[0], (**uint8)(unsafe.Pointer(&rows[0])), &twice[0], len(twice), 0, whole)
	if whole < n {
		weighU16AVX2(&col[0], (**uint8)(unsafe.Pointer(&rows[0])), &twice[0], len(twice), n-32, n)
	}
	return n
}

func (l Level) weighF32(col []float64, rows [][]float32, w []float64) int {
	n := len(col)
	if l < AVX2 || n < 16 {
		return 0
	}
	whole := n &^ 15
	weighF32AVX2(&col[0], (**uint8)(unsafe.Pointer(&rows[0])), &w[0], len(w), 0, whole)
	if whole < n {
		weighF32AVX2(&col[0], (**uint8)(unsafe.Pointer(&rows[0])), &w[0], len(w), n-16, n)
	}
	return n
}

func (l Level) weighAlong(sum, col, w []float64, exact bool) int {
	n := len(sum)
	if l < AVX2 || n < 32 {
		return 0
	}
	weigh := weighAlongAVX2
	if exact {
		weigh = weighWholeAVX2
	}
	whole := n &^ 31
	weigh(&sum[0], &col[len(w)-1], &w[0], len(w), 0, whole)
	if whole < n {
		weigh(&sum[0], &col[len(w)-1], &w[0], len(w), n-32, n)
	}
	return n
}
