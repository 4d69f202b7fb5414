package kernels

import (
	"fmt"
	"math"

	"segscan/segment"
)

// maxLevels bounds the levels of an f32 page; beyond it neighbouring values share a level.
const maxLevels = 1 << 17

// levels is a histogram reduced to what it holds: level i stands for n[i] samples within lo[i]..hi[i], taken to lie
// at v[i]; levels rise. Integers have one level a value present. So have f32 samples in the bins of the second
// pass (Histogram.Fine); other f32 bins are one level each, which stands at its middle. A threshold that keeps level i
// in the lower class is hi[i]: the value itself, or the largest float32 of its bin (or of the page).
//
// f32 samples within ±1e-40 that no second pass tells apart are taken as 0.
type levels struct {
	typ       segment.SampleType
	h         *segment.Histogram
	perLine   bool
	v, lo, hi []float64
	n         []uint64
	total     uint64
	exact     bool      // every level is one value
	cumN      []uint64  // cumN[i] counts the samples below level i; one more entry than levels
	cumS      []float64 // of v-v[0], exact for integers up to 1e11 samples

	entropy *entropies // of huang, from line to line; nil: new ones
	last    methodResult
}

// methodResult is what a method gave, which two thresholds and the report of a page may ask for.
type methodResult struct {
	name string
	t    float64
	err  error
}

func newLevels(h *segment.Histogram, perLine bool) *levels {
	l := &levels{typ: h.Type, h: h, perLine: perLine, exact: true}
	if h.Sorted != nil {
		l.addSorted(h.Sorted)
	} else if h.Type == segment.F32 {
		shift := 0
		for fineLevels(h, shift) > maxLevels {
			shift++
		}
		l.addF32(shift)
	} else {
		for x, n := range h.Bins {
			if n > 0 {
				l.add(float64(x), float64(x), float64(x), n)
			}
		}
	}
	l.cumN, l.cumS = make([]uint64, len(l.v)+1), make([]float64, len(l.v)+1)
	for i, n := range l.n {
		l.cumN[i+1] = l.cumN[i] + n
		l.cumS[i+1] = l.cumS[i] + float64(float64(n)*(l.v[i]-l.v[0]))
	}
	l.total = l.cumN[len(l.v)]
	return l
}

// addSorted appends a level a value.
func (l *levels) addSorted(x []float32) {
	for from := 0; from < len(x); {
		to := from + 1
		for to < len(x) && x[to] == x[from] {
			to++
		}
		v := float64(x[from]) + 0 // 0 for -0
		l.add(v, v, v, uint64(to-from))
		from = to
	}
}

// add appends a level, or adds to the last one if that reaches to it (both bins next to zero count as 0).
func (l *levels) add(v, lo, hi float64, n uint64) {
	if k := len(l.v) - 1; k >= 0 && lo <= l.hi[k] {
		l.n[k] += n
		l.hi[k] = max(hi, l.hi[k])
		return
	}
	l.v, l.lo, l.hi, l.n = append(l.v, v), append(l.lo, lo), append(l.hi, hi), append(l.n, n)
	l.exact = l.exact && lo == hi
}

// degenerate tells that no threshold exists: fewer than two distinct values.
func (l *levels) degenerate() bool {
	if l.typ == segment.F32 {
		return l.total == 0 || !(l.h.Min < l.h.Max)
	}
	return len(l.v) < 2
}

// apart is an error if there are no two levels to part, though there are several values: only where the second pass
// of f32 samples was left out.
func (l *levels) apart() error {
	if len(l.v) > 1 {
		return nil
	}
	return fmt.Errorf("the samples lie too close together, from %s to %s, for the bins of one histogram; leave per=line out, or use percentile",
		formatNumber(l.h.Min), formatNumber(l.h.Max))
}

// mean of the finite samples (as a threshold: Glasbey, CVGIP: Graph. Models Image Process. 55(6), 1993).
func (l *levels) mean() float64 {
	if l.typ == segment.F32 {
		return l.h.Sum / float64(l.total)
	}
	return l.v[0] + l.cumS[len(l.v)]/float64(l.total)
}

// sd is the standard deviation (of the samples as the whole population).
func (l *levels) sd() float64 {
	m, n := l.mean(), float64(l.total)
	if !l.exact {
		return math.Sqrt(max(0, l.h.SumSq/n-float64(m*m)))
	}
	var s float64
	for i, v := range l.v {
		d := v - m
		s += float64(float64(l.n[i]) * float64(d*d))
	}
	return math.Sqrt(s / n)
}

// meanBetween is the mean of levels i up to, not including, j, less v[0].
func (l *levels) meanBetween(i, j int) float64 {
	return (l.cumS[j] - l.cumS[i]) / float64(l.cumN[j]-l.cumN[i])
}

// crude tells that more than 1/64 of the samples share a level of several values, so that a second pass would have
// made thresholds finer.
func (l *levels) crude() bool {
	for i, n := range l.n {
		if l.lo[i] < l.hi[i] && n > l.total/maxFine {
			return true
		}
	}
	return false
}
