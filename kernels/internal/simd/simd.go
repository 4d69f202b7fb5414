// Package simd holds the loops that local kernels run over every sample or column of a line. Every one has a portable
// form in Go (the files that end in _go.go), which is its definition; the forms in assembly, for a Level of
// instructions, give the same bits. Functions use the best level of the machine, methods of Level a chosen one.
package simd

//go:generate go run -C generate . -out ../simd_amd64.s -stubs ../stubs_amd64.go -pkg simd

// Level is a set of instructions that the loops may use. A level must only be used where Levels lists it.
type Level uint8

// The levels.
const (
	Portable Level = iota
	AVX2           // amd64; stands for FMA and POPCNT too
)

// String is the name of the level.
func (l Level) String() string { return [...]string{"portable", "avx2"}[l] }

// Levels lists what this machine can run, Portable first, the fastest last. The build tag noasm leaves Portable only,
// and GODEBUG=cpu.avx2=off switches AVX2 off.
func Levels() []Level { return append([]Level{Portable}, machineLevels()...) }

// Best is the last of Levels.
func Best() Level { return best }

// best is read only: what the processor can do does not change.
var best = func() Level {
	l := Levels()
	return l[len(l)-1]
}()
