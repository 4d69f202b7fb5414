package gpu

import (
	"math"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// fusedClasses are a classifier as the fused kernels take it; kernels/cuda/fused_classes.cuh explains the fields.
type fusedClasses struct {
	name  string                    // of the kernel
	fill  func(p *cuda.FusedParams) // puts bounds in
	words []uint32                  // what Classes points to; nil: nothing
}

var typeNames = [...]string{segment.U8: "u8", segment.U16: "u16", segment.F32: "f32"}

// fusedClassesOf gives a classifier to the fused kernels, or tells that they do not take it: bounds of each line, and
// classes that come as masks, are for the stages.
func fusedClassesOf(c classSource, t segment.SampleType) (fusedClasses, bool) {
	switch c := c.(type) {
	case *thresholdClasses:
		if c.perLine() {
			return fusedClasses{}, false
		}
		return fusedThresholds(c.bounds[0], c.bounds[1], c.swap, c.nan, t), true
	case *tableClasses:
		if words, few := intervals(c.of, t); few {
			return fusedClasses{"intervals_" + typeNames[t], func(*cuda.FusedParams) {}, words}, true
		}
		return fusedClasses{"table_" + typeNames[t], func(*cuda.FusedParams) {}, tableWords(c.of, t)}, true
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

// intervals makes a table with few intervals into the values where membership changes, for the samples that are no
// boundaries and those that are activations.
func intervals(of []segment.Class, t segment.SampleType) (words []uint32, few bool) {
	n, before := 0, segment.Other
	for _, c := range of {
		if c != before && c != segment.Other {
			n++
		}
		before = c
	}
	if n > mostIntervals {
		return nil, false
	}
	words = make([]uint32, 2*cuda.IntervalWords)
	members(words[:cuda.IntervalWords], t, of, func(c segment.Class) bool { return c != segment.Boundary })
	members(words[cuda.IntervalWords:], t, of, func(c segment.Class) bool { return c == segment.Activation })
	return words, true
}

// members describes the set of values whose class is in, as fused_classes.cuh explains it.
func members(words []uint32, t segment.SampleType, of []segment.Class, in func(segment.Class) bool) {
	ones, top := packed(t)
	var changes [2][]uint32 // below the top bit, and from it on
	for v := 1; v < len(of); v++ {
		if in(of[v]) != in(of[v-1]) {
			side := 0
			if uint32(v) >= top {
				side = 1
			}
			changes[side] = append(changes[side], uint32(v)&^top*ones)
		}
	}
	start := in(of[0])
	starts := [2]bool{start, start != (len(changes[0])%2 == 1)} // a sample with its top bit has reached all low changes
	complement := false
	switch {
	case len(changes[1]) == 0:
		complement = starts[1]
	case len(changes[0]) == 0:
		complement = starts[0]
	}
	at := 5
	for side, list := range changes {
		if len(list)%2 == 1 { // 0 is always reached, so it counts as one more change
			list = append(list, 0)
			starts[side] = !starts[side]
		}
		words[side] = uint32(len(list) / 2)
		words[2+side] = ones32(starts[side] != complement)
		at += copy(words[at:], list)
	}
	words[4] = ones32(complement)
}

// ones32 is all ones, or none.
func ones32(b bool) uint32 {
	if b {
		return math.MaxUint32
	}
	return 0
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
