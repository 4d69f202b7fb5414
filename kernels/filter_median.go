package kernels

import (
	"math/bits"

	"segscan/segment"
)

// medianWork subtracts running medians. Samples get slots, in their order: integers one a value, floats one a sample,
// by a radix sort of the piece in hand. The window is a count of each slot, and the slots that are taken a set of bits
// with a summary, after van Emde Boas (Inf. Process. Lett. 6(3), 1977). The median is a place in it (Huang, Yang and
// Tang, IEEE Trans. Acoust. Speech Signal Process. 27(1), 1979), which each sample that comes or goes moves by one member
// at most, so that a sample costs about the same whatever the window's length, and medians are exact.
type medianWork struct {
	slot   []uint32  // of each sample; noSlot: not finite
	value  []float32 // of each slot of floats
	count  []uint16  // of each slot
	taken  []uint64  // the slots whose count is not 0
	some   []uint64  // the words of taken that are not 0
	pairs  []uint64  // sorting: keys, and the samples they are of
	others []uint64
	digits [1 << digitBits]uint32
}

const (
	digitBits = 12
	noSlot    = ^uint32(0)
)

// run sets out[i] to x[h+i] less the median of x[i] to x[i+2h], of the finite ones; x holds 2h samples more than out,
// made of samples of type t.
func (m *medianWork) run(out, x []float32, h int, t segment.SampleType) {
	slots := 1 << 8
	switch t {
	case segment.U16:
		slots = 1 << 16
	case segment.F32:
		slots = len(x)
	}
	m.prepare(len(x), slots)
	members := 0
	if t == segment.F32 {
		m.rank(x)
	} else {
		for i, v := range x {
			m.slot[i] = uint32(int32(v)) // whole, and not negative
		}
	}
	comes, goes := m.slot[2*h:], m.slot
	for _, s := range m.slot[:2*h] {
		members += m.insert(s)
	}
	at, below := 0, 0 // below members have slots under at
	for i := range out {
		if s := comes[i]; s != noSlot {
			members += m.insert(s)
			below += int(uint64(int(s)-at) >> 63)
		}
		if members > 0 {
			want := (members - 1) / 2
			for below > want {
				at = m.before(at)
				below -= int(m.count[at])
			}
			for n := int(m.count[at]); below+n <= want; n = int(m.count[at]) {
				below += n
				at = m.after(at)
			}
		}
		y := x[h+i]
		switch {
		case t != segment.F32:
			y -= float32(at)
		case finite(y):
			y -= m.value[at]
		}
		out[i] = y
		if s := goes[i]; s != noSlot {
			members -= m.remove(s)
			below -= int(uint64(int(s)-at) >> 63)
		}
	}
	for _, s := range m.slot[len(out):] { // what is left, so that the set is empty for the next piece
		if s != noSlot {
			m.remove(s)
		}
	}
}

// prepare makes room for n samples in an empty set of slots.
func (m *medianWork) prepare(n, slots int) {
	if len(m.count) < slots {
		m.count = make([]uint16, slots)
		m.taken = make([]uint64, (slots+63)/64)
		m.some = make([]uint64, (len(m.taken)+63)/64)
	}
	if cap(m.slot) < n {
		m.slot = make([]uint32, n)
	}
	m.slot = m.slot[:n]
}

// insert adds a member and returns 1, unless it is none.
func (m *medianWork) insert(s uint32) int {
	if s == noSlot {
		return 0
	}
	m.count[s]++
	m.taken[s/64] |= 1 << (s % 64)
	m.some[s/4096] |= 1 << (s / 64 % 64)
	return 1
}

// remove takes a member away and returns 1.
func (m *medianWork) remove(s uint32) int {
	m.count[s]--
	if m.count[s] == 0 {
		m.taken[s/64] &^= 1 << (s % 64)
		if m.taken[s/64] == 0 {
			m.some[s/4096] &^= 1 << (s / 64 % 64)
		}
	}
	return 1
}

// after is the first slot beyond s that is taken; there is one.
func (m *medianWork) after(at int) int {
	s := uint(at) + 1
	if s%64 != 0 {
		if w := m.taken[s/64] >> (s % 64); w != 0 {
			return int(s) + bits.TrailingZeros64(w)
		}
		s = (s/64 + 1) * 64
	}
	k := s / 64
	i := k / 64
	w := m.some[i] >> (k % 64) << (k % 64)
	for w == 0 {
		i++
		w = m.some[i]
	}
	k = i*64 + uint(bits.TrailingZeros64(w))
	return int(k)*64 + bits.TrailingZeros64(m.taken[k])
}

// before is the last slot under s that is taken; there is one.
func (m *medianWork) before(at int) int {
	s := uint(at)
	k := s / 64
	if w := m.taken[k] & (1<<(s%64) - 1); w != 0 {
		return int(k)*64 + bits.Len64(w) - 1
	}
	i := k / 64
	w := m.some[i] & (1<<(k%64) - 1)
	for w == 0 {
		i--
		w = m.some[i]
	}
	k = i*64 + uint(bits.Len64(w)) - 1
	return int(k)*64 + bits.Len64(m.taken[k]) - 1
}

// rank gives the finite samples of x their slots, and slots their values.
func (m *medianWork) rank(x []float32) {
	if cap(m.pairs) < len(x) {
		m.pairs, m.others = make([]uint64, len(x)), make([]uint64, len(x))
		m.value = make([]float32, len(x))
	}
	pairs := m.pairs[:0]
	least, most := noSlot, uint32(0)
	for i, v := range x {
		m.slot[i] = noSlot
		if finite(v) {
			k := segment.FloatKey(v)
			least, most = min(least, k), max(most, k)
			pairs = append(pairs, uint64(k)<<32|uint64(i))
		}
	}
	if len(pairs) == 0 {
		return
	}
	for i := range pairs { // the fewer digits, the fewer passes
		pairs[i] -= uint64(least) << 32
	}
	others := m.others[:len(pairs)]
	for shift := 0; shift < bits.Len32(most-least); shift += digitBits {
		m.pass(others, pairs, 32+shift)
		pairs, others = others, pairs
	}
	for r, p := range pairs {
		m.slot[uint32(p)] = uint32(r)
		m.value[r] = x[uint32(p)] + 0 // 0 for -0: which of the two comes first is chance
	}
}

// pass sorts from by the digit at shift into to, keeping the order of equal ones.
func (m *medianWork) pass(to, from []uint64, shift int) {
	c := &m.digits
	clear(c[:])
	for _, p := range from {
		c[p>>shift%(1<<digitBits)]++
	}
	sum := uint32(0)
	for i, n := range c {
		c[i] = sum
		sum += n
	}
	for _, p := range from {
		d := p >> shift % (1 << digitBits)
		to[c[d]] = p
		c[d]++
	}
}
