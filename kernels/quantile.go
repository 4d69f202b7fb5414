package kernels

import (
	"math"
	"sort"

	"segscan/segment"
)

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
	if l.h.Sorted != nil {
		return float64(l.h.Sorted[r-1]) + 0
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
	if l.typ != segment.F32 || l.h.Sorted != nil {
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
	keys := rankFine(h, 50)
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
