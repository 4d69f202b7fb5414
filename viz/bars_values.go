package viz

import (
	"math"
	"slices"
)

const (
	fewestSteps  = 16   // values, from which on it matters that bars hold as many each
	manyValues   = 1024 // values of a page that are kept; one that has more is not in steps
	valuePlaces  = 4 * manyValues
	stepDistance = 0.1 // of a step, by which values may miss it
)

// valueCounts counts values one by one while they are few: floats are often made of integers and then lie in steps, such as
// 1/255, which bars of another width would hold unevenly.
type valueCounts struct {
	bits  []uint32 // open addressing; a place is taken if its count is not 0
	count []uint64
	n     int
	many  bool
}

func newValueCounts() *valueCounts {
	return &valueCounts{bits: make([]uint32, valuePlaces), count: make([]uint64, valuePlaces)}
}

// add counts a finite value.
func (c *valueCounts) add(v float32) {
	bits := math.Float32bits(v + 0) // of both zeros 0
	i := bits * 2654435761 >> 20    // Fibonacci hashing to twelve bits, Knuth, The Art of Computer Programming 3, 6.4
	for c.count[i] != 0 && c.bits[i] != bits {
		i = (i + 1) % valuePlaces
	}
	if c.count[i] == 0 {
		if c.n == manyValues {
			*c = valueCounts{many: true}
			return
		}
		c.n++
		c.bits[i] = bits
	}
	c.count[i]++
}

// sorted are the values in ascending order, nil if there were too many.
func (c *valueCounts) sorted() (all []valueCount) {
	for i, n := range c.count {
		if n > 0 {
			all = append(all, valueCount{float64(math.Float32frombits(c.bits[i])), n})
		}
	}
	slices.SortFunc(all, func(a, b valueCount) int {
		if a.v < b.v {
			return -1
		}
		return 1
	})
	return all
}

type valueCount struct {
	v float64
	n uint64
}

// stepOf is the step that values in ascending order lie in, 0 if they lie in none.
func stepOf(all []valueCount) float64 {
	if len(all) < fewestSteps {
		return 0
	}
	least := math.Inf(1)
	for i := range all[1:] {
		least = min(least, all[i+1].v-all[i].v)
	}
	steps := 0.0 // the least distance is a step with the rounding of two floats, which their sum is without
	for i := range all[1:] {
		steps += math.Round((all[i+1].v - all[i].v) / least)
	}
	step := (all[len(all)-1].v - all[0].v) / steps
	for _, c := range all {
		if at := (c.v - all[0].v) / step; math.Abs(at-math.Round(at)) > stepDistance {
			return 0
		}
	}
	return step
}

// evened are the same samples in bars that hold as many steps each, if their values lie in steps.
func (b *Bars) evened() *Bars {
	if b.values == nil {
		return b
	}
	all := b.values.sorted()
	step := stepOf(all)
	if step == 0 {
		return b
	}
	wide := max(1, math.Round(b.step/step)) * step
	lo, hi := min(b.shown.Lo, all[0].v), max(b.shown.Hi, all[len(all)-1].v)
	from := all[0].v - step/2
	if lo < from {
		from -= float64(math.Ceil((from-lo)/wide) * wide)
	}
	n := int((hi-from)/wide) + 1
	e := &Bars{from: from, step: wide, lo: b.lo, hi: b.hi, below: b.below, above: b.above, floats: true, count: make([][barKinds]uint64, n)}
	for _, c := range all {
		e.add(c.v, c.n)
	}
	return e
}
