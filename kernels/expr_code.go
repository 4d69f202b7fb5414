package kernels

import (
	"fmt"
	"math"
	"sync"

	"segscan/segment"
)

// Op is an instruction of a Program. Registers hold one value a sample, in three files: I (int64), F (float64) and B
// (bool). "a", "b", "c" below are the registers A, B, C of the instruction, "dst" is Dst. Integers wrap around as two's
// complement; floats are IEEE 754 binary64, rounded to nearest even after every instruction (no contraction).
type Op uint16

// Instructions.
const (
	OpConstI Op = iota // I[dst] = int64(Imm)
	OpConstF           // F[dst] = Float64frombits(Imm)
	OpConstB           // B[dst] = Imm != 0

	OpLoadI // I[dst] = source A, which holds integers
	OpLoadF // F[dst] = source A, which holds float32
	// OpLeS and OpGeS compare a source with a constant, an int64 for sources of integers and the bits of a finite
	// float64, which is a float32 exactly, for those of float32. NaN samples compare as false.
	OpLeS // B[dst] = source A <= Imm
	OpGeS // B[dst] = source A >= Imm

	OpAddI // I[dst] = I[a] + I[b]
	OpSubI // I[dst] = I[a] - I[b]
	OpMulI // I[dst] = I[a] * I[b]
	OpModI // I[dst] = I[a] % I[b], with the sign of a; a trap where b is 0 (see Program)
	OpNegI // I[dst] = -I[a]
	OpAbsI // I[dst] = -I[a] where I[a] < 0, else I[a]
	OpMinI // I[dst] = I[b] where I[a] > I[b], else I[a]
	OpMaxI // I[dst] = I[b] where I[a] < I[b], else I[a]
	OpAndI // I[dst] = I[a] & I[b]
	OpOrI  // I[dst] = I[a] | I[b]
	OpXorI // I[dst] = I[a] ^ I[b]
	OpShlI // I[dst] = I[a] << I[b], 0 from 64 on; a trap where b < 0
	OpShrI // I[dst] = I[a] >> I[b], arithmetic, the sign from 64 on; a trap where b < 0
	OpSelI // I[dst] = I[a] where B[c], else I[b]
	OpIntF // I[dst] = F[a] without its fraction; the least int64 for NaN and what does not fit

	OpFloatI // F[dst] = I[a], rounded to nearest even
	OpAddF   // F[dst] = F[a] + F[b]
	OpSubF   // F[dst] = F[a] - F[b]
	OpMulF   // F[dst] = F[a] * F[b]
	OpDivF   // F[dst] = F[a] / F[b]
	OpNegF   // F[dst] = -F[a]
	OpAbsF   // F[dst] = -F[a] where F[a] < 0, else F[a] (so -0 stays)
	OpMinF   // F[dst] = F[b] where F[a] > F[b], else F[a] (so a NaN of a stays, one of b does not count)
	OpMaxF   // F[dst] = F[b] where F[a] < F[b], else F[a]
	OpFloorF // F[dst] = the greatest whole number <= F[a]
	OpCeilF  // F[dst] = the least whole number >= F[a]
	OpRoundF // F[dst] = the nearest whole number, halves away from zero
	// OpPowF is F[dst] = math.Pow(F[a], Float64frombits(Imm)). The exponent is 0.5 or -0.5 (a square root, inverted
	// for -0.5) or whole, from -64 to 64: then powers are multiplied up, without exp and log, the same on any machine.
	OpPowF
	OpSelF // F[dst] = F[a] where B[c], else F[b]

	OpEqI  // B[dst] = I[a] == I[b]
	OpLtI  // B[dst] = I[a] < I[b]
	OpLeI  // B[dst] = I[a] <= I[b]
	OpEqF  // B[dst] = F[a] == F[b]
	OpLtF  // B[dst] = F[a] < F[b]
	OpLeF  // B[dst] = F[a] <= F[b]
	OpNotB // B[dst] = !B[a]
	OpAndB // B[dst] = B[a] && B[b]
	OpOrB  // B[dst] = B[a] || B[b]
	OpXorB // B[dst] = B[a] != B[b]
	OpSelB // B[dst] = B[a] where B[c], else B[b]
)

// Sources of OpLoadI, OpLoadF, OpLeS and OpGeS: the sample, the colour channels of its pixel, and its place in the page.
// X and Y are integers, in pixels of the page whatever the axis.
const (
	SourceV uint16 = iota
	SourceR
	SourceG
	SourceB
	SourceA
	SourceX
	SourceY
)

// NoReg in Instr.C: the instruction has no guard.
const NoReg uint16 = math.MaxUint16

// Instr is one instruction. The size and layout are those of C: 24 bytes, Imm at 16.
type Instr struct {
	Op           Op
	Dst, A, B, C uint16
	_            [3]uint16
	Imm          uint64
}

// Program computes two bools a sample. Instrs run in order, without jumps; Ints, Floats and Bools are the registers used
// of each file. The first Setup instructions are constants, whose registers nothing else writes. Boundary and Activation
// are registers of file B. They are not disjoint: a boundary wins.
//
// A trap is a division of integers by zero or a shift by a negative count, where the expression really asks for it: at
// samples where B[c] holds (everywhere, if C is NoReg) and v is not NaN. The page then fails. What dst holds at a sample
// that traps, or would but for its guard, has no meaning and is used by nothing that counts. A device may leave pages
// that trap to Code.Classify, which words the error.
type Program struct {
	Instrs                   []Instr
	Setup                    int
	Ints, Floats, Bools      int
	Boundary, Activation     uint16
	SampleFloats             bool // v is float32
	ColourInts, ColourFloats bool // it reads r g b a, as integers or as float32
	UsesPlace                bool // it reads x or y
	CanTrap                  bool

	traps  map[int]trap // by instruction
	tests  []exprTest   // comparisons of a source with constants, in pairs where possible
	testOf []testRef    // by instruction; those of OpLeS and OpGeS
}

// trap says where a trap comes from.
type trap struct {
	key  string // boundary or activation
	what string
}

// exprTest is source <= lo and source >= hi, either of which may be absent: lo -Inf, hi +Inf.
type exprTest struct {
	source uint16
	lo, hi float64
}

// testRef is a test and which of its two sets.
type testRef struct {
	test int
	high bool
}

// Code is the classifier of an expr kernel for one page, where it is neither a table nor a pair of thresholds. Programs
// run on every sample but those whose v is NaN, which get class NaN; Swap exchanges the two classes of the others
// afterwards (--invert). Use it by pointer.
type Code struct {
	NaN  segment.Class
	Swap bool

	page     *segment.PageInfo
	channels bool
	ints     *Program // for colour channels of integers, or none
	floats   *Program // for colour channels of float32
	intsErr  error
	floatErr error
	pool     sync.Pool // *exprMachine
}

// Program gives the code for colour channels of a sample type (any, if the expressions use none). An error means that
// the expressions make no sense for that type, or that the page cannot have it.
func (c *Code) Program(colour segment.SampleType) (*Program, error) {
	p, err := c.ints, c.intsErr
	if c.channels && colour == segment.F32 {
		p, err = c.floats, c.floatErr
	}
	if p == nil && err == nil {
		err = fmt.Errorf("kernel expr: colours of %s samples on a page of %s", colour, c.page.Type)
	}
	return p, err
}

// Needs says that each sample is looked at alone.
func (c *Code) Needs() segment.Needs { return segment.Needs{Channels: c.channels} }

// exprTrapError is what a trap makes of a page.
type exprTrapError struct {
	trap trap
	x, y int64
}

func (e *exprTrapError) Error() string {
	return fmt.Sprintf("kernel expr: %s: %s at pixel x=%d, y=%d; guard it with a condition before it, as in x > 0 && v %% x == 1",
		e.trap.key, e.trap.what, e.x, e.y)
}
