package kernels

import (
	"container/heap"
	"fmt"
	"math"
	"sort"

	"segscan/segment"
)

// uniformBins is the number of bins of equal width that triangle and minimum see where one bin a value makes no sense.
const uniformBins = 256

// shape is a histogram on an even axis, as triangle and minimum need it: one bin a value from the lowest to the
// highest integer present; for f32, and for one line of 16-bit samples (too few to fill 65536 bins), 256 bins of
// equal width between the extremes, over which samples known only to a range are spread evenly.
type shape struct {
	l      *levels
	counts []float64
	width  float64 // of a bin
}

func (l *levels) shape() shape {
	m := len(l.v)
	first, last := l.lo[0], l.hi[m-1]
	if l.typ != segment.F32 && !(l.perLine && last-first >= uniformBins) {
		s := shape{l, make([]float64, int(last-first)+1), 1}
		for i, v := range l.v {
			s.counts[int(v-first)] = float64(l.n[i])
		}
		return s
	}
	s := shape{l, make([]float64, uniformBins), (last - first) / uniformBins}
	for i := range l.v {
		a, b := (l.lo[i]-first)/s.width, (l.hi[i]-first)/s.width
		from, to := min(int(a), uniformBins-1), min(int(b), uniformBins-1)
		if from == to {
			s.counts[from] += float64(l.n[i])
			continue
		}
		for k := from; k <= to; k++ {
			share := (min(b, float64(k+1)) - max(a, float64(k))) / (b - a)
			s.counts[k] += float64(float64(l.n[i]) * share)
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
// Rogers and Latt 1977).
func (l *levels) triangle() float64 {
	s := l.shape()
	c := s.counts
	last, peak := len(c)-1, 0
	for k, n := range c {
		if n > c[peak] {
			peak = k
		}
	}
	flip := peak < last-peak
	at := func(k int) float64 {
		if flip {
			return c[last-k]
		}
		return c[k]
	}
	if flip {
		peak = last - peak
	}
	// The distance times a constant; whole numbers for integers, so equal ones are seen as equal.
	best, found := math.Inf(-1), 0
	for k := range peak {
		if d := float64(at(peak)*float64(k)) - float64(float64(peak)*at(k)); d > best {
			best, found = d, k
		}
	}
	if flip {
		found = last - found
	}
	return s.upTo(found)
}

// maxSmoothings is how often minimum smooths a histogram before it gives up.
const maxSmoothings = 10000

// minimum smooths the histogram with a mean of three until two maxima are left and takes the lowest bin between them
// (Prewitt and Mendelsohn 1966). A maximum is a rise, or the start, followed by a fall.
func (l *levels) minimum() (float64, error) {
	s := l.shape()
	c := s.counts
	next := make([]float64, len(c))
	for range maxSmoothings {
		smooth(c, next)
		c, next = next, c
		peaks, count := maxima(c)
		if count > 2 {
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

// smooth writes the mean of each bin and its two neighbours; the outermost bins are repeated beyond the ends.
func smooth(c, out []float64) {
	before, here := c[0], c[0]
	for k, after := range c[1:] {
		out[k] = (before + here + after) / 3
		before, here = here, after
	}
	out[len(c)-1] = (before + here + here) / 3
}

// maxima finds the first two places where the counts fall after having risen, and how many there are (3 for more).
func maxima(c []float64) (at [2]int, count int) {
	rising := true
	for k := range len(c) - 1 {
		switch {
		case rising && c[k+1] < c[k]:
			rising = false
			if count == 2 {
				return at, 3
			}
			at[count] = k
			count++
		case !rising && c[k+1] > c[k]:
			rising = true
		}
	}
	return at, count
}

// huang minimises the fuzziness of the two classes: the sum over samples of the entropy of their membership
// 1/(1+|v-mean|/range) in their class, with class means rounded to whole grey values (Huang and Wang 1995). f32 values
// are put on 65536 even steps first.
//
// Trying each threshold takes m*m steps for m levels. Instead, the fuzziness of all cuts in an interval is bounded from
// below: class means rise with the cut, so samples outside the interval cannot be nearer to their mean than to the
// range of means. Intervals are split in the order of their bounds until the best cut known is no worse than any
// bound; the answer is that of trying them all.
func (l *levels) huang() int {
	z := newFuzzy(l)
	last := len(l.v) - 2
	best, at := math.Inf(1), 0
	try := func(cut int) {
		e := z.bound(cut, cut)
		if e < best-1e-12*math.Abs(best) || math.IsInf(best, 1) || e <= best+1e-12*best && cut < at {
			best, at = min(e, best), cut
		}
	}
	queue := &intervals{{0, 0, last}}
	for queue.Len() > 0 {
		iv := heap.Pop(queue).(interval)
		if iv.bound > best+1e-12*best {
			break
		}
		mid := (iv.from + iv.to) / 2
		try(mid)
		for _, part := range [2]interval{{0, iv.from, mid - 1}, {0, mid + 1, iv.to}} {
			if part.from > part.to {
				continue
			}
			part.bound = z.bound(part.from, part.to)
			if part.bound <= best+1e-12*best {
				heap.Push(queue, part)
			}
		}
	}
	return at
}

// fuzzy holds what huang needs: levels on whole positions, prefix sums, and the entropy by distance.
type fuzzy struct {
	pos     []int
	n       []float64
	cumN    []uint64
	cumPos  []float64
	entropy []float64
}

func newFuzzy(l *levels) *fuzzy {
	m := len(l.v)
	z := &fuzzy{pos: make([]int, m), n: make([]float64, m), cumN: l.cumN, cumPos: make([]float64, m+1)}
	span := l.v[m-1] - l.v[0]
	for i, v := range l.v {
		x := v - l.v[0]
		if l.typ == segment.F32 {
			x = math.Round(x / span * 65535)
		}
		z.pos[i], z.n[i] = int(x), float64(l.n[i])
		z.cumPos[i+1] = z.cumPos[i] + float64(z.n[i]*x)
	}
	reach := z.pos[m-1]
	z.entropy = make([]float64, reach+1)
	for d := 1; d <= reach; d++ {
		mu := 1 / (1 + float64(d)/float64(reach))
		z.entropy[d] = -float64(mu*math.Log(mu)) - float64((1-mu)*math.Log(1-mu))
	}
	return z
}

// mean is the rounded mean position of levels i up to, not including, j.
func (z *fuzzy) mean(i, j int) int {
	return int(math.Round((z.cumPos[j] - z.cumPos[i]) / float64(z.cumN[j]-z.cumN[i])))
}

// bound is a lower bound of the fuzziness of every cut after one of the levels a..b; exact for a == b.
func (z *fuzzy) bound(a, b int) float64 {
	m := len(z.pos)
	return z.away(0, a+1, z.mean(0, a+1), z.mean(0, b+1)) + z.away(b+1, m, z.mean(a+1, m), z.mean(b+1, m))
}

// away sums the entropies of levels i up to, not including, j by their distance to the positions p..q.
func (z *fuzzy) away(i, j, p, q int) float64 {
	var sum float64
	for ; i < j; i++ {
		d := max(p-z.pos[i], z.pos[i]-q, 0)
		sum += float64(z.n[i] * z.entropy[d])
	}
	return sum
}

type interval struct {
	bound    float64
	from, to int
}

// intervals is a heap by bound, then by position, so that the order of work never depends on chance.
type intervals []interval

func (q intervals) Len() int { return len(q) }
func (q intervals) Less(i, j int) bool {
	return q[i].bound < q[j].bound || q[i].bound == q[j].bound && q[i].from < q[j].from
}
func (q intervals) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *intervals) Push(x any)   { *q = append(*q, x.(interval)) }
func (q *intervals) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}
