package simd

// Level is a set of instructions that the loops may use. Every level gives the same bits as Portable; later ones are
// faster. A level must only be used where Levels lists it.
type Level uint8

// The levels. AVX2 stands for BMI1, BMI2 and LZCNT too, AVX512 for F, BW, DQ and VL on top of these.
const (
	Portable   Level = iota
	NEON             // arm64
	AVX2             // amd64, from here on
	AVX512           // masks from comparisons
	AVX512VBMI       // permutations of bytes
)

// String is the name of the level.
func (l Level) String() string {
	return [...]string{"portable", "neon", "avx2", "avx512", "avx512vbmi"}[l]
}

// Levels lists what this machine can run, Portable first, the fastest last. The build tag noasm leaves Portable only,
// and the environment variable GODEBUG can switch off single features, as in cpu.avx512bw=off or cpu.avx2=off.
func Levels() []Level { return append([]Level{Portable}, machineLevels()...) }

// Best is the last of Levels.
func Best() Level { return best }

// best is read only: what the processor can do does not change.
var best = func() Level {
	l := Levels()
	return l[len(l)-1]
}()
