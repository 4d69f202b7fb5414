package simd

import "unsafe"

// SlideRoom is how many samples behind the columns of a row Slide reads and overwrites, to no effect.
const SlideRoom = 192

// Slide replaces l[i] and h[i] by the least of l and the greatest of h in w columns from i on, for all i that have so
// many of the first len(l)-SlideRoom columns; what comes behind them is then anything. Windows grow by steps of doubling
// and, where they can, fourfold. No float is NaN.
func Slide[T Sample](l, h []T, w int) { SlideBy(best, l, h, w) }

// SlideBy is Slide by a level.
func SlideBy[T Sample](level Level, l, h []T, w int) {
	h = h[:len(l)]
	columns := len(l) - SlideRoom
	if w < 2 || columns < w {
		return
	}
	size := int(unsafe.Sizeof(l[0]))
	// blocks of 32 bytes hold all windows of k columns.
	blocks := func(k int) int { return ((columns-k+1)*size + 31) / 32 }
	ahead := func(k, i int) int { return min(i*k, w-k) * size }
	k := 1
	if near := 16 / size; w >= near && level >= AVX2 {
		if w <= 2*near {
			k = w
			slideTwo(l, h, blocks(k), ahead(near, 1))
		} else {
			k = min(w, 4*near)
			slideFour(l, h, blocks(k), ahead(near, 1), ahead(near, 2), ahead(near, 3))
		}
	}
	for k < w {
		to := min(w, 2*k)
		if level >= AVX2 && to < w {
			if to = min(w, 8*k); k*size == 64 && to >= 7*k {
				slideEight(l, h, (blocks(to)+7)/8, (to-k)*size)
				k = to
				continue
			}
			to = min(w, 4*k)
			if k*size == 64 && to >= 3*k {
				slideNext(l, h, (blocks(to)+3)/4, ahead(k, 3))
				k = to
				continue
			}
			slideFar(l, h, blocks(to), ahead(k, 1), ahead(k, 2), ahead(k, 3))
		} else {
			n, by := blocks(to)*32/size, to-k
			PairBy(level, l[:n], h[:n], l[:n], h[:n], l[by:], h[by:])
		}
		k = to
	}
}
