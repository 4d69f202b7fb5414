package kernels

import (
	"math"
	"sort"

	"segscan/segment"
)

// Bins of f32 histograms whose middle is zero: -0 and the smallest negative samples, +0 and the smallest positive.
const (
	keyMinusZero uint16 = 0x7fff
	keyPlusZero  uint16 = 0x8000
)

// floatOfKey is the inverse of the order-preserving key of a float32 (sign bit flipped for positive numbers, all bits
// for negative ones).
func floatOfKey(k uint32) float64 {
	if k>>31 == 1 {
		k &^= 1 << 31
	} else {
		k = ^k
	}
	return float64(math.Float32frombits(k)) + 0 // -0 becomes 0
}

// keyOf is the order-preserving key of a float32.
func keyOf(f float64) uint32 {
	b := math.Float32bits(float32(f))
	if b>>31 == 1 {
		return ^b
	}
	return b | 1<<31
}

// binEdges are the smallest and largest sample a page can hold in the bin of key.
func binEdges(h *segment.Histogram, key uint16) (lo, hi float64) {
	lo, hi = floatOfKey(uint32(key)<<16), floatOfKey(uint32(key)<<16|0xffff)
	return max(lo, h.Min), min(hi, h.Max)
}

// isZeroBin tells whether the bin can be taken as the value 0: a zero bin that holds neither of the page's extremes
// unless they are 0.
func isZeroBin(h *segment.Histogram, key uint16) bool {
	switch key {
	case keyMinusZero:
		return uint16(keyOf(h.Min)>>16) != key || h.Min == 0
	case keyPlusZero:
		return uint16(keyOf(h.Max)>>16) != key || h.Max == 0
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

// rankBin is the bin that holds the sample of 1-based rank r, and the rank inside it.
func rankBin(bins []uint64, r uint64) (key int, inside uint64) {
	for k, n := range bins {
		if r <= n {
			return k, r
		}
		r -= n
	}
	return len(bins) - 1, 0
}

// percentile is the smallest value whose cumulative share is at least pct %; exact where the second pass split its bin,
// else the bin's upper edge.
func (l *levels) percentile(pct float64) float64 {
	r := rankOf(pct, l.total)
	if l.typ != segment.F32 {
		i := sort.Search(len(l.v), func(i int) bool { return l.cumN[i+1] >= r })
		return l.v[i]
	}
	k, inside := rankBin(l.h.Bins, r)
	key := uint16(k)
	if fine := fineOf(l.h, key); fine != nil {
		low, _ := rankBin(fine, inside)
		return floatOfKey(uint32(key)<<16 | uint32(low))
	}
	if isZeroBin(l.h, key) {
		return 0
	}
	_, hi := binEdges(l.h, key)
	return hi
}

// rankKnown tells whether percentile(pct) is exact.
func (l *levels) rankKnown(pct float64) bool {
	if l.typ != segment.F32 {
		return true
	}
	k, _ := rankBin(l.h.Bins, rankOf(pct, l.total))
	key := uint16(k)
	lo, hi := binEdges(l.h, key)
	return lo == hi || isZeroBin(l.h, key) || fineOf(l.h, key) != nil
}

// rankFine is the bin to split for an exact percentile.
func rankFine(h *segment.Histogram, pct float64) []uint16 {
	if h.N == 0 {
		return nil
	}
	k, _ := rankBin(h.Bins, rankOf(pct, h.N))
	key := uint16(k)
	if lo, hi := binEdges(h, key); lo == hi || isZeroBin(h, key) {
		return nil
	}
	return []uint16{key}
}

// mad is the median absolute deviation from the median m: the smallest distance within which at least half of the
// samples lie.
func (l *levels) mad(m float64) float64 {
	d := make([]weighted, len(l.v))
	for i := range l.v {
		d[i] = weighted{math.Abs(l.v[i] - m), l.n[i]}
	}
	return weightedMedian(d)
}

type weighted struct {
	x float64
	n uint64
}

func weightedMedian(d []weighted) float64 {
	sort.Slice(d, func(i, j int) bool { return d[i].x < d[j].x })
	var total, seen uint64
	for _, w := range d {
		total += w.n
	}
	for _, w := range d {
		if seen += w.n; seen >= total-seen {
			return w.x
		}
	}
	return 0
}

// madFine are the bins to split for an exact median and median absolute deviation. The median's bin a..b is known
// from the coarse counts; so are bounds of the deviation, and with them the bins its two ends can lie in.
func madFine(h *segment.Histogram) []uint16 {
	if h.N == 0 {
		return nil
	}
	k, _ := rankBin(h.Bins, rankOf(50, h.N))
	a, b := binEdges(h, uint16(k))
	var near, far []weighted
	for k, n := range h.Bins {
		if n > 0 {
			lo, hi := binEdges(h, uint16(k))
			near = append(near, weighted{max(0, lo-b, a-hi), n})
			far = append(far, weighted{max(hi-a, b-lo), n})
		}
	}
	least, most := weightedMedian(near), weightedMedian(far)
	var keys []uint16
	for k, n := range h.Bins {
		key := uint16(k)
		lo, hi := binEdges(h, key)
		below := hi >= a-most && lo <= b-least
		above := hi >= a+least && lo <= b+most
		if n > 0 && lo < hi && !isZeroBin(h, key) && (below || above) {
			keys = append(keys, key)
		}
	}
	if len(keys) > maxFine {
		return rankFine(h, 50)
	}
	return keys
}
