//go:build noasm || !amd64

package simd

// The only level is the portable one, which does all.

func (Level) shiftU8(_ []uint32, _, _ []uint8) int                                    { return 0 }
func (Level) shiftPacked(_ []uint64, _, _ []uint8) int                                { return 0 }
func (Level) shiftU16(_, _ []uint64, _, _ []uint16) int                               { return 0 }
func (Level) shiftOneU16(_ []uint64, _, _ []uint16) int                               { return 0 }
func (Level) unpack(_, _ []float64, _ []uint64, _ uint64) int                         { return 0 }
func (Level) widen(_, _ []float64, _, _ []uint64, _ uint64) int                       { return 0 }
func (Level) means(_ []float64, _ []uint64, _ float64) int                            { return 0 }
func (Level) meansU32(_ []float64, _ []uint32, _ float64) int                         { return 0 }
func (Level) niblack(_, _, _ []float64, _ float64) int                                { return 0 }
func (Level) sauvola(_, _, _ []float64, _, _ float64) int                             { return 0 }
func (Level) wolf(_, _, _ []float64, _, _, _ float64) int                             { return 0 }
func (Level) phansalkar(_, _, _ []float64, _ *Phansalkar) int                         { return 0 }
func (Level) addLines(_, _ []float64, _ *Lines, _ bool) int                           { return 0 }
func (Level) windowLines(_ []Together, _, _ []float64, _, _ *Lines, _ bool) int       { return 0 }
func (Level) tailLines(_, _ []Together) bool                                          { return false }
func (Level) headLines(_, _, _ []Together, _ int) bool                                { return false }
func (Level) partLines(_ []float64, _ int, _ []Together) int                          { return 0 }
func (Level) deviations(_, _ []float64, _ float64) int                                { return 0 }
func (Level) compareU8(_, _ []uint64, _ []uint8, _ []float64, _, _ float64) int       { return 0 }
func (Level) compareU16(_, _ []uint64, _ []uint16, _ []float64, _, _ float64) int     { return 0 }
func (Level) compareF32(_, _, _ []uint64, _ []float32, _ []float64, _, _ float64) int { return 0 }
func (Level) finite(_ []float32) (done int, all bool)                                 { return 0, true }
func (Level) largest(_ []float64) (done int, top float64)                             { return 0, 0 }
