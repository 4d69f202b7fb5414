package simd

// Hist holds 16 running counts of 16 bits: lane j, in bits 16*(j%4) of word j/4, is how many samples are at most j.
type Hist [4]uint64

// lane is a count; j = -1 is before the first.
func (h *Hist) lane(j int) int {
	if j < 0 {
		return 0
	}
	return int(h[j>>2] >> (16 * (j & 3)) & 0xffff)
}

// add and sub work on all lanes at once: no count grows beyond 16 bits, or below 0.
func (h *Hist) add(g *Hist) {
	h[0] += g[0]
	h[1] += g[1]
	h[2] += g[2]
	h[3] += g[3]
}

func (h *Hist) sub(g *Hist) {
	h[0] -= g[0]
	h[1] -= g[1]
	h[2] -= g[2]
	h[3] -= g[3]
}

// over is the first lane whose count exceeds half, or 16.
func (h *Hist) over(half int) int {
	for i, w := range h {
		if int(w>>48) <= half {
			continue
		}
		switch {
		case int(w&0xffff) > half:
			return 4 * i
		case int(w>>16&0xffff) > half:
			return 4*i + 1
		case int(w>>32&0xffff) > half:
			return 4*i + 2
		}
		return 4*i + 3
	}
	return 16
}

// stepTable holds, for each value of four bits, what a sample of it adds to a Hist.
type stepTable [16]Hist

// steps is read only.
var steps = func() (t stepTable) {
	for v := range t {
		for j := v; j < 16; j++ {
			t[v][j>>2] |= 1 << (16 * (j & 3))
		}
	}
	return t
}()

func countGo(coarse, fine []Hist, in []uint8) {
	n := len(coarse)
	for x, v := range in {
		coarse[x].add(&steps[v>>4])
		fine[int(v>>4)*n+x].add(&steps[v&15])
	}
}

func recountGo(coarse, fine []Hist, in, out []uint8) {
	n := len(coarse)
	for x, v := range in {
		w := out[x]
		if v == w {
			continue
		}
		coarse[x].add(&steps[v>>4])
		coarse[x].sub(&steps[w>>4])
		fine[int(v>>4)*n+x].add(&steps[v&15])
		fine[int(w>>4)*n+x].sub(&steps[w&15])
	}
}

// segments are what the windows of a line hold of each 16 codes, each up to date for the window that begins at at.
type segments struct {
	at [16]int
	of [16]Hist
}

// none is a place so far back that what was found there is of no use.
const none = -1 << 30

func newSegments() (s segments) {
	for i := range s.at {
		s.at[i] = none
	}
	return s
}

func mediansGo(med []uint8, below []uint32, coarse, fine []Hist, w, half int) {
	n := len(coarse)
	var k Hist
	for x := range w - 1 {
		k.add(&coarse[x])
	}
	s := newSegments()
	for x := range med {
		k.add(&coarse[x+w-1])
		hi := k.over(half)
		base := k.lane(hi - 1)
		f, column := &s.of[hi], fine[hi*n:][:n]
		from := s.at[hi] + 1
		if 2*(x-from) >= w {
			*f = Hist{}
			for i := x; i < x+w; i++ {
				f.add(&column[i])
			}
		} else {
			for i := from; i <= x; i++ {
				f.add(&column[i+w-1])
				f.sub(&column[i-1])
			}
		}
		s.at[hi] = x
		lo := f.over(half - base)
		med[x], below[x] = uint8(hi<<4|lo), uint32(base+f.lane(lo-1))
		k.sub(&coarse[x])
	}
}
