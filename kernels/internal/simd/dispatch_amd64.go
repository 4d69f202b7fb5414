//go:build !noasm

package simd

import "unsafe"

func (l Level) count(coarse, fine []Hist, in []uint8) {
	if l < AVX2 || len(in) == 0 {
		countGo(coarse, fine, in)
		return
	}
	countAVX2(&coarse[0][0], &fine[0][0], &in[0], len(in), 32*len(coarse), &steps[0][0])
}

func (l Level) recount(coarse, fine []Hist, in, out []uint8) {
	if l < AVX2 || len(in) == 0 {
		recountGo(coarse, fine, in, out)
		return
	}
	recountAVX2(&coarse[0][0], &fine[0][0], &in[0], &out[0], len(in), 32*len(coarse), &steps[0][0])
}

// fineSums are the segments of mediansAVX2: 16 times 16 counts of 16 bits, and those of whole windows, each after as
// many zeros; then the windows that the segments are of.
type fineSums [17*8 + 16]uint64

func (l Level) medians(med []uint8, below []uint32, coarse, fine []Hist, w, half int) {
	if l < AVX2 {
		mediansGo(med, below, coarse, fine, w, half)
		return
	}
	var s fineSums
	long := none
	for i := range s[17*8:] {
		s[17*8+i] = uint64(long)
	}
	mediansAVX2(&med[0], &below[0], &coarse[0][0], &fine[0][0], len(med), w, 32*len(coarse), uint16(half), &s[0])
}

// items gives how many items are done, too.
func (l Level) items(items []Item, x, w int, key uint32) (done int, less uint32) {
	n := len(items) &^ 3
	if l < AVX2 || n == 0 {
		return 0, 0
	}
	return n, itemsAVX2((*uint64)(unsafe.Pointer(&items[0])), n, uint32(x), uint32(w-1), key)
}
