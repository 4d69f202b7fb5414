package kernels

import "segscan/segment"

// Bins of f32 histograms next to zero: the smallest negative samples, and 0 with the smallest positive ones.
const (
	keyBelowZero uint16 = 0x7fff
	keyZero      uint16 = 0x8000
)

// floatOfKey is segment.FloatFromKey in float64, with 0 for both zeros.
func floatOfKey(k uint32) float64 { return float64(segment.FloatFromKey(k)) + 0 }

func keyOf(f float64) uint16 { return uint16(segment.FloatKey(float32(f)) >> 16) }

// binEdges are the smallest and largest sample a page can hold in the bin of key.
func binEdges(h *segment.Histogram, key uint16) (lo, hi float64) {
	lo, hi = floatOfKey(uint32(key)<<16), floatOfKey(uint32(key)<<16|0xffff)
	return max(lo, h.Min), min(hi, h.Max)
}

// isZeroBin tells whether the bin can be taken as the value 0: a zero bin that holds neither of the page's extremes
// unless they are 0.
func isZeroBin(h *segment.Histogram, key uint16) bool {
	switch key {
	case keyBelowZero:
		return keyOf(h.Min) != key || h.Min == 0
	case keyZero:
		return keyOf(h.Max) != key || h.Max == 0
	}
	return false
}

// fineOf gives the counts of a second pass for key, or nil.
func fineOf(h *segment.Histogram, key uint16) []uint64 {
	if f := h.Fine[key]; len(f) == 1<<16 {
		return f
	}
	return nil
}

// addF32 appends the levels of an f32 histogram; in bins of the second pass 1<<shift neighbouring values share one.
func (l *levels) addF32(shift int) {
	for k, n := range l.h.Bins {
		if n == 0 {
			continue
		}
		key := uint16(k)
		fine := fineOf(l.h, key)
		switch {
		case fine != nil:
			l.addFine(key, fine, shift)
		case isZeroBin(l.h, key):
			l.add(0, 0, 0, n)
		default:
			lo, hi := binEdges(l.h, key)
			l.add(lo+(hi-lo)/2, lo, hi, n)
		}
	}
}

func (l *levels) addFine(key uint16, fine []uint64, shift int) {
	for at := 0; at < len(fine); at += 1 << shift {
		var n uint64
		var sum, lo, hi float64
		for i, c := range fine[at : at+1<<shift] {
			if c == 0 {
				continue
			}
			hi = floatOfKey(uint32(key)<<16 | uint32(at+i))
			if n == 0 {
				lo = hi
			}
			n += c
			sum += float64(float64(c) * (hi - lo))
		}
		if n > 0 {
			l.add(lo+sum/float64(n), lo, hi, n)
		}
	}
}

// fineLevels is how many levels addF32 makes at most.
func fineLevels(h *segment.Histogram, shift int) int {
	levels := 0
	for k, n := range h.Bins {
		if n == 0 {
			continue
		}
		fine := fineOf(h, uint16(k))
		if fine == nil {
			levels++
			continue
		}
		for at := 0; at < len(fine); at += 1 << shift {
			for _, c := range fine[at : at+1<<shift] {
				if c > 0 {
					levels++
					break
				}
			}
		}
	}
	return levels
}

// maxFine bounds the bins of a page that are split by value in a second pass (512 KiB each).
const maxFine = 64

// denseBins are the bins that a method needs split by value: all of them if the samples occupy few, else those that
// hold more than 1/64 of the samples. So every level is one value, or holds at most 1/64 of the samples.
func denseBins(h *segment.Histogram) []uint16 {
	var all, dense []uint16
	for k, n := range h.Bins {
		key := uint16(k)
		if n == 0 || isZeroBin(h, key) {
			continue
		}
		if lo, hi := binEdges(h, key); lo == hi {
			continue
		}
		if len(all) <= maxFine {
			all = append(all, key)
		}
		if n > h.N/maxFine {
			dense = append(dense, key)
		}
	}
	if len(all) <= maxFine {
		return all
	}
	return dense
}
