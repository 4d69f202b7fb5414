package kernels

import (
	"fmt"
	"math"
	"sort"
	"strings"

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

// sameRank is the error of two percentiles, as the user gave them, that are both x, with percentages that are not; mark
// stands before those.
func (l *levels) sameRank(low, high, mark string, x float64) error {
	i := sort.Search(len(l.v)-1, func(i int) bool { return l.hi[i] >= x })
	share := func(n uint64, round func(float64) float64) string { // to a hundredth of a percent
		return formatNumber(round(1e4*float64(n)/float64(l.total)) / 100)
	}
	lowKey, _, _ := strings.Cut(low, "=")
	highKey, _, _ := strings.Cut(high, "=")
	var ways []string
	if n := l.cumN[i+1]; n < l.total { // some samples are more
		if up := share(n, math.Ceil); up == "100" {
			ways = append(ways, highKey+" of "+mark+up)
		} else {
			ways = append(ways, highKey+" above "+mark+up)
		}
	}
	if n := l.cumN[i]; n > 0 {
		ways = append(ways, lowKey+" of at most "+mark+share(n, math.Floor))
	}
	return fmt.Errorf("%s gives %s and %s gives %s on this page, but %s must be below %s; as at least %s%% of the samples are %s, use %s",
		low, shortNumber(x), high, shortNumber(x), lowKey, highKey, share(l.n[i], math.Floor), shortNumber(x), strings.Join(ways, ", or "))
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

// madScale makes the median absolute deviation of a normal distribution its standard deviation (Hampel, J. Am. Stat.
// Assoc. 69(346), 1974).
const madScale = 1.4826

// deviation is the median and the scaled median absolute deviation, which is an error where it is 0.
func (l *levels) deviation() (median, scaled float64, err error) {
	if err := l.apart(); err != nil {
		return 0, 0, err
	}
	median = l.percentile(50)
	if scaled = float64(madScale * l.mad(median)); scaled == 0 {
		return 0, 0, fmt.Errorf("the median absolute deviation is 0, as at least half of the samples are %s", formatNumber(median))
	}
	return median, scaled, nil
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
