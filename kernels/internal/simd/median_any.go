package simd

// wideHist is Hist with counts of 32 bits.
type wideHist [16]uint32

func (h *wideHist) add(g *Hist) {
	for i, w := range g {
		to := (*[4]uint32)(h[4*i:])
		to[0] += uint32(w & 0xffff)
		to[1] += uint32(w >> 16 & 0xffff)
		to[2] += uint32(w >> 32 & 0xffff)
		to[3] += uint32(w >> 48)
	}
}

func (h *wideHist) sub(g *Hist) {
	for i, w := range g {
		to := (*[4]uint32)(h[4*i:])
		to[0] -= uint32(w & 0xffff)
		to[1] -= uint32(w >> 16 & 0xffff)
		to[2] -= uint32(w >> 32 & 0xffff)
		to[3] -= uint32(w >> 48)
	}
}

// over is the first lane whose count exceeds half, and the count before it.
func (h *wideHist) over(half uint32) (lane int, before uint32) {
	for i, n := range h {
		if n > half {
			return i, before
		}
		before = n
	}
	return 16, before
}

// anyMedians is mediansGo with wide counts; lane top of the coarse ones counts all codes that are to count.
func anyMedians(med []uint8, below, count []uint32, coarse, fine []Hist, w, top int) {
	n := len(coarse)
	var k wideHist
	for x := range w - 1 {
		k.add(&coarse[x])
	}
	var of [16]wideHist
	at := newSegments().at
	for x := range med {
		k.add(&coarse[x+w-1])
		count[x] = k[top]
		if count[x] == 0 {
			med[x], below[x] = 0, 0
			k.sub(&coarse[x])
			continue
		}
		half := (count[x] - 1) / 2
		hi, base := k.over(half)
		f, column := &of[hi], fine[hi*n:][:n]
		from := at[hi] + 1
		if 2*(x-from) >= w {
			*f = wideHist{}
			for i := x; i < x+w; i++ {
				f.add(&column[i])
			}
		} else {
			for i := from; i <= x; i++ {
				f.add(&column[i+w-1])
				f.sub(&column[i-1])
			}
		}
		at[hi] = x
		lo, before := f.over(half - base)
		med[x], below[x] = uint8(hi<<4|lo), base+before
		k.sub(&coarse[x])
	}
}
