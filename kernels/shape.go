package kernels

import (
	"fmt"
	"math"
	"sort"

	"segscan/segment"
)

// uniformBins is the number of bins of equal width that triangle and minimum see where one bin a value makes no sense.
const uniformBins = 256

// shape is a histogram on an even axis, as triangle and minimum need it: one bin a value from the lowest to the
// highest integer present; for f32, and where many integers would be too many, 256 bins of equal width between the
// extremes, over which samples known only to a range are spread evenly. It holds the bins that are not empty: number at[i]
// of bins has counts[i] samples. The first and the last bin are among them.
type shape struct {
	l      *levels
	at     []int
	counts []float64
	bins   int
	width  float64 // of a bin; 1 of integers is one bin a value
}

// shape of integers has at most most bins of one value each.
func (l *levels) shape(most int) shape {
	m := len(l.v)
	first, last := l.lo[0], l.hi[m-1]
	if l.typ != segment.F32 && last-first < float64(most) {
		s := shape{l: l, at: make([]int, m), counts: make([]float64, m), bins: int(last-first) + 1, width: 1}
		for i, v := range l.v {
			s.at[i], s.counts[i] = int(v-first), float64(l.n[i])
		}
		return s
	}
	s := shape{l: l, bins: uniformBins, width: (last - first) / uniformBins}
	var counts [uniformBins]float64
	for i := range l.v {
		a, b := (l.lo[i]-first)/s.width, (l.hi[i]-first)/s.width
		from, to := min(int(a), uniformBins-1), min(int(b), uniformBins-1)
		if from == to {
			counts[from] += float64(l.n[i])
			continue
		}
		for k := from; k <= to; k++ {
			share := (min(b, float64(k+1)) - max(a, float64(k))) / (b - a)
			counts[k] += float64(float64(l.n[i]) * share)
		}
	}
	for k, n := range counts {
		if n > 0 {
			s.at, s.counts = append(s.at, k), append(s.counts, n)
		}
	}
	return s
}

// upTo is the threshold that keeps bins up to k in the lower class: the last value below the bin's upper edge.
func (s shape) upTo(k int) float64 {
	l := s.l
	if s.width == 1 && l.typ != segment.F32 {
		return l.lo[0] + float64(k)
	}
	edge := l.lo[0] + float64(s.width*float64(k+1))
	i := sort.Search(len(l.v), func(i int) bool { return l.lo[i] >= edge }) - 1
	if i = max(i, 0); l.hi[i] < edge {
		return l.hi[i]
	}
	if l.typ == segment.F32 && l.lo[i] < l.hi[i] {
		return max(l.lo[i], floorTo(segment.F32, math.Nextafter(edge, math.Inf(-1))))
	}
	return l.hi[i]
}

// triangle takes the bin farthest below the line from the histogram's peak to the end of its longer tail (Zack,
// Rogers and Latt 1977). Of a stretch of empty bins the one next to the peak is farthest, so a line of few values in a
// wide range costs no more than its values.
func (l *levels) triangle() float64 {
	s := l.shape(math.MaxInt)
	peak := 0
	for i, n := range s.counts {
		if n > s.counts[peak] {
			peak = i
		}
	}
	last := s.bins - 1
	flip := s.at[peak] < last-s.at[peak]
	// The bins from the end of the tail, which is 0, to the peak.
	i, step, place := 0, 1, func(i int) int { return s.at[i] }
	if flip {
		i, step, place = len(s.at)-1, -1, func(i int) int { return last - s.at[i] }
	}
	most, far := s.counts[peak], float64(place(peak))
	// The distance times a constant; whole numbers for integers, so equal ones are seen as equal.
	best, found := math.Inf(-1), 0
	try := func(k int, n float64) {
		if d := float64(most*float64(k)) - float64(far*n); d > best {
			best, found = d, k
		}
	}
	for before := 0; ; i += step {
		k := place(i)
		if k > before+1 {
			try(k-1, 0)
		}
		if i == peak {
			break
		}
		try(k, s.counts[i])
		before = k
	}
	if flip {
		found = last - found
	}
	return s.upTo(found)
}

// maxSmoothings is how often minimum smooths a histogram before it gives up.
const maxSmoothings = 10000

// lineBins bounds the bins that minimum smooths for a line of integers: a line without an answer costs bins times
// maxSmoothings steps.
const lineBins = 1 << 12

// minimum smooths the histogram with a mean of three until two maxima are left and takes the lowest bin between them
// (Prewitt and Mendelsohn 1966). A maximum is a rise, or the start, followed by a fall.
func (l *levels) minimum() (float64, error) {
	most := math.MaxInt
	if l.perLine {
		most = lineBins
	}
	s := l.shape(most)
	c, next := make([]float64, s.bins), make([]float64, s.bins)
	for i, k := range s.at {
		c[k] = s.counts[i]
	}
	var slopes [5]int
	for step := range maxSmoothings {
		if step > 0 && step%growthSteps == 0 {
			for k := range c {
				c[k] *= growth
			}
		}
		smooth(c, next)
		c, next = next, c
		if wavy(c, &slopes) { // as most often, and seen without looking at all bins
			continue
		}
		peaks, count, steps := maxima(c)
		if count > 2 {
			slopes = steps
			continue
		}
		if count < 2 {
			break
		}
		at := peaks[0]
		for k := peaks[0]; k <= peaks[1]; k++ {
			if c[k] < c[at] {
				at = k
			}
		}
		return s.upTo(at), nil
	}
	return 0, fmt.Errorf("the histogram is not bimodal (smoothing does not leave two peaks, each with a fall after it); try otsu, li or multiotsu")
}

// Bins grow threefold with each smoothing, as nothing is divided; after so many, which make it 2^811.5, they are made smaller
// by a power of 2 that leaves no more than a factor of 2^10 after maxSmoothings.
const (
	growthSteps = 512
	growth      = 0x1p-811
)

// smooth writes three times the mean of each bin and its two neighbours, which rounds less than a mean does; the outermost
// bins are repeated beyond the ends.
func smooth(c, out []float64) {
	last := len(c) - 1
	out[0], out[last] = c[0]+c[0]+c[1], c[last-1]+c[last]+c[last]
	k := 1
	for ; k+4 <= last; k += 4 {
		x, y := (*[6]float64)(c[k-1:]), (*[4]float64)(out[k:])
		y[0], y[1], y[2], y[3] = x[0]+x[1]+x[2], x[1]+x[2]+x[3], x[2]+x[3]+x[4], x[3]+x[4]+x[5]
	}
	for ; k < last; k++ {
		out[k] = c[k-1] + c[k] + c[k+1]
	}
}

// maxima finds the first two places where the counts fall after having risen, and how many there are (3 for more). Of
// more it gives the steepest steps of the first three falls and of the two rises between.
func maxima(c []float64) (at [2]int, count int, slopes [5]int) {
	rising := true // at the start a fall is a maximum too
	for k := range len(c) - 1 {
		d := c[k+1] - c[k]
		switch {
		case rising && d < 0:
			if count < 2 {
				at[count] = k
			}
			rising, count = false, count+1
			slopes[2*count-2] = k
		case !rising && d > 0:
			if count == 3 {
				return at, count, slopes
			}
			rising = true
			slopes[2*count-1] = k
		case d != 0 && count > 0:
			run := &slopes[2*count-2]
			if rising {
				run = &slopes[2*count-1]
			}
			if math.Abs(d) > math.Abs(c[*run+1]-c[*run]) {
				*run = k
			}
		}
	}
	return at, count, slopes
}

// wavy tells that there are still more than two maxima, by steps that fall, rise, fall, rise and fall.
func wavy(c []float64, slopes *[5]int) bool {
	down := func(i int) bool { k := slopes[i]; return c[k+1] < c[k] }
	up := func(i int) bool { k := slopes[i]; return c[k+1] > c[k] }
	return down(0) && up(1) && down(2) && up(3) && down(4)
}
