// The scan on bits: the production form of the FlagAndIndex scan. B holds the boundaries of a line, A the
// activations, N = ^B. An activation is carried rightwards through non-boundaries until a boundary takes it, and
// that is integer addition: E = (N + A + carry) & B are the boundaries that close an activated span, since adding
// any non-empty subset of a run of ones of N carries out of that run exactly once. The carry out of the top says
// "active at the end of the word". The other half of the scan, the index, is the last set bit of B before a
// boundary.

package segment

import "math/bits"

// bitScan is the state of the scan between two words of a line.
type bitScan struct {
	active uint64 // 1: an activation came since the last boundary
	armed  bool   // a boundary, real or virtual, lies behind
	seen   bool   // a real boundary came since the scan began
	last   int64  // position of the last boundary; -1: the virtual one before the line
	first  int64  // of the first real boundary since the scan began, if seen
	lead   bool   // first closed an activated run
}

// atFirst notes the first real boundary since the scan began, the lowest bit of b, in the word at pos; closing says
// which boundaries take an activation.
func (st *bitScan) atFirst(b, closing uint64, pos int64) {
	st.seen, st.first, st.lead = true, pos+int64(bits.TrailingZeros64(b)), closing&b&-b != 0
}

// spansIn is the room that kept and both need in a slice for so many words: the spans that can end in them, and one
// that both writes ahead.
func spansIn(words int) int { return 32*words + 1 }

// kept scans words of b and a, whose first sample is at pos in the line, and puts the activated spans that end
// there into out, which must hold spansIn(len(b)); it returns how many. A span from the virtual boundary starts
// at 0.
func (st *bitScan) kept(b, a []uint64, pos int64, out []Bound) int {
	a = a[:len(b)]
	n, active, last := 0, st.active, uint32(max(st.last, 0))
	for i := 0; i < len(b); i++ {
		bw := b[i]
		if bw == 0 {
			i, active = passBy(b, a, i, active)
			if i == len(b) {
				break
			}
			bw = b[i]
		}
		base := uint32(pos) + uint32(i)*64
		sum, carry := bits.Add64(^bw, a[i], active)
		active = carry
		e := sum & bw
		if !st.seen {
			st.atFirst(bw, e, int64(base))
			if !st.armed { // it closes nothing
				e &^= bw & -bw
			}
		}
		for ; e != 0; e &= e - 1 {
			end := uint32(bits.TrailingZeros64(e))
			start := last
			if before := bw & (1<<(end&63) - 1); before != 0 {
				start = base + uint32(bits.Len64(before)-1)
			}
			out[n] = Bound{start, base + end}
			n++
		}
		last = base + uint32(bits.Len64(bw)-1)
	}
	st.leave(active, last)
	return n
}

// passBy goes on from word i over words without boundaries, where the addition only carries what is active.
func passBy(b, a []uint64, i int, active uint64) (int, uint64) {
	a = a[:len(b)]
	var any uint64
	for ; i < len(b) && b[i] == 0; i++ {
		any |= a[i]
	}
	if any != 0 {
		active = 1
	}
	return i, active
}

// both is kept that also puts the rejected spans, those with no activation between boundaries that are not
// neighbours, into rej.
func (st *bitScan) both(b, a []uint64, pos int64, out, rej []Bound) (n, nr int) {
	a = a[:len(b)]
	active, last := st.active, uint32(max(st.last, 0))
	var beside uint64 // 1: the sample before the word is a boundary
	if st.armed && st.last == pos-1 {
		beside = 1
	}
	for i := 0; i < len(b); i++ {
		bw := b[i]
		if bw == 0 {
			beside = 0
			i, active = passBy(b, a, i, active)
			if i == len(b) {
				break
			}
			bw = b[i]
		}
		base := uint32(pos) + uint32(i)*64
		sum, carry := bits.Add64(^bw, a[i], active)
		active = carry
		e := sum & bw
		r := bw &^ e &^ (bw<<1 | beside)
		beside = bw >> 63
		if !st.seen {
			st.atFirst(bw, e, int64(base))
			if !st.armed {
				e &^= bw & -bw
				r &^= bw & -bw
			}
		}
		for ends := e | r; ends != 0; ends &= ends - 1 {
			end := uint32(bits.TrailingZeros64(ends))
			start := last
			if before := bw & (1<<(end&63) - 1); before != 0 {
				start = base + uint32(bits.Len64(before)-1)
			}
			// Which of both is hard to predict: write it to both, and go on in one.
			span, isKept := Bound{start, base + end}, int(e>>(end&63)&1)
			out[n], rej[nr] = span, span
			n, nr = n+isKept, nr+1-isKept
		}
		last = base + uint32(bits.Len64(bw)-1)
	}
	st.leave(active, last)
	return n, nr
}

// leave stores what the loops kept in registers.
func (st *bitScan) leave(active uint64, last uint32) {
	st.active = active
	if st.seen {
		st.armed, st.last = true, int64(last)
	}
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
