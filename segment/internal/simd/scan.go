package simd

import (
	"math/bits"
	"unsafe"
)

// Closing is a word of a line's mask that holds boundaries.
type Closing struct {
	B  uint64 // the boundaries, not 0
	E  uint64 // those that close an activated span
	At uint64 // position in the line of bit 0
}

// Last is the position of the last boundary of the word.
func (c *Closing) Last() int64 { return int64(c.At) + int64(bits.Len64(c.B)) - 1 }

// Close is the flag half of the scan on bits (E = (^B + A + carry) & B, the carry running over all words): it lists
// the words of b that are not 0 with their E in out, which must hold len(b) entries (what lies behind the list is
// overwritten), and says how many there are. at is the position of the first sample. active is 1 if an activation
// came since the last boundary before b, else 0; still is the same after it. len(a) must be len(b) at least.
func Close(out []Closing, b, a []uint64, at, active uint64) (n int, still uint64) {
	return best.Close(out, b, a, at, active)
}

// Close is the function of that name by this level.
func (l Level) Close(out []Closing, b, a []uint64, at, active uint64) (n int, still uint64) {
	return l.closing(out[:len(b)], b, a[:len(b)], at, active)
}

// Pair is the two ends of a span.
type Pair struct{ Start, End uint32 }

// Spans is the index half: it writes a pair for each bit of E in list, which starts at the bit of B before (for the
// first bit of B: at last) and ends at the bit itself, and says how many. out must hold one pair more than that, and
// what lies behind the pairs is overwritten. Positions are taken modulo 2^32.
func Spans[P ~struct{ Start, End uint32 }](out []P, list []Closing, last uint32) int {
	return SpansBy(best, out, list, last)
}

// SpansBy is Spans by a level.
func SpansBy[P ~struct{ Start, End uint32 }](l Level, out []P, list []Closing, last uint32) int {
	// P and Pair have the same memory layout.
	return l.spans(unsafe.Slice((*Pair)(unsafe.Pointer(unsafe.SliceData(out))), len(out)), list, last)
}
