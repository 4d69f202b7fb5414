//go:build noasm || !amd64

package simd

// The only level is the portable one.

func (Level) count(coarse, fine []Hist, in []uint8)        { countGo(coarse, fine, in) }
func (Level) recount(coarse, fine []Hist, in, out []uint8) { recountGo(coarse, fine, in, out) }
func (Level) medians(med []uint8, below []uint32, coarse, fine []Hist, w, half int) {
	mediansGo(med, below, coarse, fine, w, half)
}
