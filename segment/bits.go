// The scan on bits: the production form of the FlagAndIndex scan. B holds the boundaries of a line, A the
// activations, N = ^B. An activation is carried rightwards through non-boundaries until a boundary takes it, and
// that is integer addition: E = (N + A + carry) & B are the boundaries that close an activated span, since adding
// any non-empty subset of a run of ones of N carries out of that run exactly once. The carry out of the top says
// "active at the end of the word". The other half of the scan, the index, is the last set bit of B before a
// boundary.

package segment

import (
	"math/bits"

	"segscan/segment/internal/simd"
)

// bitScan is the state of the scan between two words of a line.
type bitScan struct {
	active uint64 // 1: an activation came since the last boundary
	armed  bool   // a boundary, real or virtual, lies behind
	seen   bool   // a real boundary came since the scan began
	last   int64  // position of the last boundary; -1: the virtual one before the line
	first  int64  // of the first real boundary since the scan began, if seen
	lead   bool   // first closed an activated run
}

// spansIn is the room that spans need in a slice for so many words: those that can end in them, and one that is
// written ahead.
func spansIn(words int) int { return 32*words + 1 }

// kept scans words of b and a, whose first sample is at pos in the line, and puts the activated spans that end
// there into out, which must hold spansIn(len(b)); it returns how many. A span from the virtual boundary starts
// at 0. list is scratch of len(b) entries.
func (st *bitScan) kept(b, a []uint64, pos int64, list []simd.Closing, out []Bound) int {
	list = st.closing(b, a, pos, list)
	if len(list) == 0 {
		return 0
	}
	last := uint32(max(st.last, 0))
	st.leave(list)
	return simd.Spans(out, list, last)
}

// both is kept that also puts the rejected spans, those with no activation between boundaries that are not
// neighbours, into rej.
func (st *bitScan) both(b, a []uint64, pos int64, list []simd.Closing, out, rej []Bound) (n, nr int) {
	armed := st.armed
	list = st.closing(b, a, pos, list)
	if len(list) == 0 {
		return 0, 0
	}
	last, before := uint32(max(st.last, 0)), st.last
	st.leave(list)
	n = simd.Spans(out, list, last)
	for i := range list {
		c := &list[i]
		rejected := c.B &^ c.E &^ (c.B << 1)
		if armed && before == int64(c.At)-1 {
			rejected &^= 1
		}
		if !armed { // the first boundary closes nothing
			rejected &^= c.B & -c.B
			armed = true
		}
		c.E = rejected
		before = c.Last()
	}
	return n, simd.Spans(rej, list, last)
}

// closing lists the words of b that hold boundaries and notes the first real boundary since the scan began. A line's
// very first one closes nothing.
func (st *bitScan) closing(b, a []uint64, pos int64, list []simd.Closing) []simd.Closing {
	var n int
	n, st.active = simd.Close(list, b, a, uint64(pos), st.active)
	if n > 0 && !st.seen {
		c := &list[0]
		lowest := c.B & -c.B
		st.seen, st.first, st.lead = true, int64(c.At)+int64(bits.TrailingZeros64(lowest)), c.E&lowest != 0
		if !st.armed {
			c.E &^= lowest
		}
	}
	return list[:n]
}

// leave notes the last boundary of a list that is not empty.
func (st *bitScan) leave(list []simd.Closing) {
	st.armed, st.last = true, list[len(list)-1].Last()
}

// stretch sums up a run of consecutive samples of one line for the scan across them: what the bit scan would have
// to know of the samples before it, or tell those after it. Under EdgesKeep the virtual boundary before the line is
// part of its first stretch.
type stretch struct {
	head        bool // a line starts here: nothing before it matters
	bound       bool // it holds a boundary, the first one at first, the last one at last
	first, last int64
	lead        bool // an activation comes before the first boundary (without one: anywhere)
	tail        bool // an activation comes after the last boundary (without one: anywhere)
}

// joinStretch is the associative operator on neighbouring stretches, x left of y: the operator of FlagAndIndex for
// runs of samples.
func joinStretch(x, y stretch) stretch {
	switch {
	case y.head:
		return y
	case !y.bound && !x.bound:
		x.tail = x.tail || y.tail
		x.lead = x.tail
		return x
	case !y.bound:
		x.tail = x.tail || y.tail
		return x
	case !x.bound:
		y.head, y.lead = x.head, x.tail || y.lead
		return y
	}
	x.last, x.tail = y.last, y.tail
	return x
}
