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

// newFineSums gives segments in one line of the cache each: what is stored of a window is read at once, which takes much
// longer where the vector lies in two lines.
func newFineSums() *fineSums {
	const line = 64
	mem := make([]uint64, len(fineSums{})+line/8-1)
	over := uintptr(unsafe.Pointer(&mem[0])) % line
	return (*fineSums)(mem[(line-over)%line/8:])
}

func (m *Medians) find(med []uint8, below []uint32, w, half int) {
	if m.level < AVX2 {
		mediansGo(med, below, m.coarse, m.fine, w, half)
		return
	}
	if m.sums == nil {
		m.sums = newFineSums()
	}
	s := m.sums
	clear(s[:17*8])
	long := none
	for i := range s[17*8:] {
		s[17*8+i] = uint64(long)
	}
	mediansAVX2(&med[0], &below[0], &m.coarse[0][0], &m.fine[0][0], len(med), w, 32*len(m.coarse), uint16(half), &s[0])
}

// items gives how many items are done, too.
func (l Level) items(items []Item, x, w int, key uint32) (done int, less uint32) {
	n := len(items) &^ 3
	if l < AVX2 || n == 0 {
		return 0, 0
	}
	return n, itemsAVX2((*uint64)(unsafe.Pointer(&items[0])), n, uint32(x), uint32(w-1), key)
}

// compareCodes gives how many words it has done, keysF32 and keysU16 how many samples.

func (l Level) compareCodes(le, eq []uint64, v, m []uint8) int {
	words := len(v) / 64
	if l < AVX2 || words == 0 {
		return 0
	}
	compareCodesAVX2(&le[0], &eq[0], &v[0], &m[0], words)
	return words
}

func (l Level) keysF32(to []uint32, x []float32) int {
	n := len(x) &^ 7
	if l < AVX2 || n == 0 {
		return 0
	}
	keysF32AVX2(&to[0], &x[0], n)
	return n
}

func (l Level) keysU16(to []uint32, x []uint16) int {
	n := len(x) &^ 7
	if l < AVX2 || n == 0 {
		return 0
	}
	keysU16AVX2(&to[0], &x[0], n)
	return n
}
