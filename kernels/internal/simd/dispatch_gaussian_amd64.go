//go:build !noasm

package simd

import "unsafe"

// These give how many columns they have done; the portable form does the rest.

func (l Level) weighU8(col []float64, rows [][]uint8, pairs []uint32) int {
	n := len(col) &^ 31
	if l < AVX2 || n == 0 {
		return 0
	}
	weighU8AVX2(&col[0], (**uint8)(unsafe.Pointer(&rows[0])), &pairs[0], len(pairs), n)
	return n
}

func (l Level) weighU16(col []float64, rows [][]uint16, twice []uint32) int {
	n := len(col) &^ 31
	if l < AVX2 || n == 0 {
		return 0
	}
	weighU16AVX2(&col[0], (**uint8)(unsafe.Pointer(&rows[0])), &twice[0], len(twice), n)
	return n
}

func (l Level) weighF32(col []float64, rows [][]float32, w []float64) int {
	n := len(col) &^ 15
	if l < AVX2 || n == 0 {
		return 0
	}
	weighF32AVX2(&col[0], (**uint8)(unsafe.Pointer(&rows[0])), &w[0], len(w), n)
	return n
}

func (l Level) weighAlong(sum, col, w []float64) int {
	n := len(sum) &^ 15
	if l < AVX2 || n == 0 {
		return 0
	}
	weighAlongAVX2(&sum[0], &col[len(w)-1], &w[0], len(w), n)
	return n
}
