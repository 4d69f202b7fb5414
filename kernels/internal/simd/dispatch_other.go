//go:build noasm || !amd64

package simd

// The only level is the portable one.

func (Level) count(coarse, fine []Hist, in []uint8)        { countGo(coarse, fine, in) }
func (Level) recount(coarse, fine []Hist, in, out []uint8) { recountGo(coarse, fine, in, out) }
func (m *Medians) find(med []uint8, below []uint32, w, half int) {
	mediansGo(med, below, m.coarse, m.fine, w, half)
}

// fineSums are not used.
type fineSums struct{}

func (Level) pairU8(_, _, _, _, _, _ []uint8) int                          { return 0 }
func (Level) pairU16(_, _, _, _, _, _ []uint16) int                        { return 0 }
func (Level) pairF32(_, _, _, _, _, _ []float32) int                       { return 0 }
func (Level) takeF32(_, _, _, _, _ []float32) int                          { return 0 }
func (Level) midsU8(_, _ []uint64, _, _, _ []uint8, _ Mids) int            { return 0 }
func (Level) midsU16(_, _ []uint64, _, _, _ []uint16, _ Mids) int          { return 0 }
func (Level) midsF32(_, _, _ []uint64, _, _, _ []float32, _ FloatMids) int { return 0 }
func (Level) compareCodes(_, _ []uint64, _, _ []uint8) int                 { return 0 }
func (Level) keysF32(_ []uint32, _ []float32) int                          { return 0 }
func (Level) keysU16(_ []uint32, _ []uint16) int                           { return 0 }
func (Level) items(_ []Item, _, _ int, _ uint32) (done int, less uint32)   { return 0, 0 }

// The steps of Slide for other levels are not reached.

func slideTwo[T Sample](_, _ []T, _, _ int)        {}
func slideFour[T Sample](_, _ []T, _, _, _, _ int) {}
func slideEight[T Sample](_, _ []T, _, _ int)      {}
func slideNext[T Sample](_, _ []T, _, _ int)       {}
func slideFar[T Sample](_, _ []T, _, _, _, _ int)  {}
