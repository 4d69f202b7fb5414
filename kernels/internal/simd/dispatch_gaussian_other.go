//go:build noasm || !amd64

package simd

// The only level is the portable one, which does all.

func (Level) weighU8(_ []float64, _ [][]uint8, _ []uint32) int     { return 0 }
func (Level) weighU16(_ []float64, _ [][]uint16, _ []uint32) int   { return 0 }
func (Level) weighF32(_ []float64, _ [][]float32, _ []float64) int { return 0 }
func (Level) weighAlong(_, _, _ []float64, _ bool) int             { return 0 }
