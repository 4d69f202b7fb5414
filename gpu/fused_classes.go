package gpu

import (
	"slices"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// fusedClasses are a classifier as the fused kernels take it; kernels/cuda/fused_classes.cuh explains the fields.
type fusedClasses struct {
	name  string                    // of the kernel
	fill  func(p *cuda.FusedParams) // puts bounds in
	words []uint32                  // what Classes points to; nil: nothing, or bounds
	lines []uint32                  // instead: lo and hi of each line of the band
}

// classBytes is the device memory that Classes points to, for so many lines at once.
func (c *fusedClasses) classBytes(lines uint64) uint64 {
	if c.lines != nil {
		return 8 * lines
	}
	return 4 * uint64(len(c.words))
}

var typeNames = [...]string{segment.U8: "u8", segment.U16: "u16", segment.F32: "f32"}

// fusedClassesOf gives a classifier to the fused kernels, or tells that they do not take it: classes that come as masks
// are for the stages.
func fusedClassesOf(c classSource, t segment.SampleType) (fusedClasses, bool) {
	switch c := c.(type) {
	case *thresholdClasses:
		if c.perLine() {
			return fusedClasses{name: "lines_" + typeNames[t], lines: c.bounds, fill: func(p *cuda.FusedParams) {
				p.Swap, p.NanClass = flag(c.swap), uint32(c.nan)
			}}, true
		}
		return fusedThresholds(c.bounds[0], c.bounds[1], c.swap, c.nan, t), true
	case *tableClasses:
		if sets, few := intervals(c.of, t); few {
			return fusedClasses{name: "intervals_" + typeNames[t], fill: sets.fill, words: sets.words()}, true
		}
		return fusedClasses{name: "table_" + typeNames[t], fill: func(*cuda.FusedParams) {}, words: tableWords(c.of, t)}, true
	}
	return fusedClasses{}, false
}

// packed is how samples of a type lie in a word: a one in each, the top bit of one.
func packed(t segment.SampleType) (ones, top uint32) {
	if t == segment.U8 {
		return 0x01010101, 1 << 7
	}
	return 0x00010001, 1 << 15
}

// fusedThresholds takes lo and hi as the classify kernels do.
func fusedThresholds(lo, hi uint32, swap bool, nan segment.Class, t segment.SampleType) fusedClasses {
	return fusedClasses{name: typeNames[t], fill: func(p *cuda.FusedParams) {
		p.Swap, p.NanClass = flag(swap), uint32(nan)
		if t == segment.F32 {
			p.CutLo, p.CutHi = lo, hi
			return
		}
		above := int32(lo) + 1 // the least value that is no boundary
		p.CutLo, p.TopLo = bound(above, t, cuda.HighLo, &p.HighBits)
		p.CutHi, p.TopHi = bound(max(int32(hi), above), t, cuda.HighHi, &p.HighBits)
	}}
}

// bound packs a bound that samples reach or not: 0 to one more than the greatest value.
func bound(v int32, t segment.SampleType, bit uint32, high *uint32) (cut, tops uint32) {
	ones, top := packed(t)
	if uint32(v) >= 2*top { // no sample does
		return 0, 0
	}
	if uint32(v)&top != 0 {
		*high |= bit
	}
	return uint32(v) &^ top * ones, top * ones
}

// mostIntervals is how many intervals of boundaries and activations go through compares; with more a table is faster.
const mostIntervals = 4

// valueSet is a set of sample values by those at which membership changes, packed, in pairs: below the top bit, and from
// it on, without it; or the complement of that.
type valueSet struct {
	changes    [2][]uint32
	complement bool
}

// intervalSets are the samples that are no boundaries, and those that are activations.
type intervalSets [2]valueSet

// intervals makes a table with few intervals into the two sets.
func intervals(of []segment.Class, t segment.SampleType) (sets intervalSets, few bool) {
	n, before := 0, segment.Other
	for _, c := range of {
		if c != before && c != segment.Other {
			n++
		}
		before = c
	}
	if n > mostIntervals {
		return sets, false
	}
	return intervalSets{
		members(t, of, func(c segment.Class) bool { return c != segment.Boundary }),
		members(t, of, func(c segment.Class) bool { return c == segment.Activation }),
	}, true
}

// members describes the set of values whose class is in, as fused_classes.cuh explains it.
func members(t segment.SampleType, of []segment.Class, in func(segment.Class) bool) valueSet {
	ones, top := packed(t)
	var s valueSet
	for v := 1; v < len(of); v++ {
		if in(of[v]) != in(of[v-1]) {
			side := 0
			if uint32(v) >= top {
				side = 1
			}
			s.changes[side] = append(s.changes[side], uint32(v)&^top*ones)
		}
	}
	start := in(of[0])
	starts := [2]bool{start, start != (len(s.changes[0])%2 == 1)} // a sample with its top bit has reached all low changes
	switch {
	case len(s.changes[1]) == 0:
		s.complement = starts[1]
	case len(s.changes[0]) == 0:
		s.complement = starts[0]
	}
	never := top * ones // 0 is always reached, all top bits never are
	for side, list := range s.changes {
		begins := starts[side] != s.complement
		switch {
		case len(list)%2 == 1 && begins:
			s.changes[side] = append(list, 0)
		case len(list)%2 == 1:
			s.changes[side] = append(list, never)
		case begins:
			s.changes[side] = append(list, 0, never)
		}
	}
	return s
}

// pair is a set's only pair and whether it is from the top bit on. A set without any is that of a pair twice the same.
func (s *valueSet) pair() (pair [2]uint32, high, only bool) {
	switch list := slices.Concat(s.changes[0], s.changes[1]); len(list) {
	case 0:
		return pair, false, true
	case 2:
		return [2]uint32(list), len(s.changes[1]) > 0, true
	}
	return pair, false, false
}

// fill puts the sets into the parameters, but for lists of pairs.
func (s intervalSets) fill(p *cuda.FusedParams) {
	for i := range s {
		if s[i].complement {
			p.Swap |= 1 << i
		}
	}
	n, nHigh, one := s[0].pair()
	a, aHigh, two := s[1].pair()
	if !one || !two {
		p.HighBits = cuda.IntervalLists
		return
	}
	p.CutLo, p.TopLo, p.CutHi, p.TopHi = n[0], n[1], a[0], a[1]
	p.HighBits = flag(nHigh)*cuda.HighLo | flag(aHigh)*cuda.HighHi
}

// words are the lists of pairs.
func (s intervalSets) words() []uint32 {
	words := make([]uint32, 2*cuda.IntervalWords)
	for i := range s {
		set := words[i*cuda.IntervalWords:]
		set[0], set[1] = uint32(len(s[i].changes[0])/2), uint32(len(s[i].changes[1])/2)
		copy(set[2:cuda.IntervalWords], slices.Concat(s[i].changes[0], s[i].changes[1]))
	}
	return words
}

// tableWords packs a table: of u8 a byte a value, bit 7 no boundary, bit 6 activation; of u16 two bits, the class.
func tableWords(of []segment.Class, t segment.SampleType) []uint32 {
	if t == segment.U8 {
		words := make([]uint32, len(of)/4)
		for v, c := range of {
			var b uint32
			if c != segment.Boundary {
				b |= 1 << 7
			}
			if c == segment.Activation {
				b |= 1 << 6
			}
			words[v/4] |= b << (v % 4 * 8)
		}
		return words
	}
	words := make([]uint32, len(of)/16)
	for v, c := range of {
		words[v/16] |= uint32(c) << (v % 16 * 2)
	}
	return words
}
