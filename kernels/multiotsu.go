package kernels

import (
	"math"

	"segscan/segment"
)

// narrowSpan is how many grey values apart the extremes may be for scikit-image's answer to be taken.
const narrowSpan = 256

// nearTie is how much more within-class variance than the least scikit-image's answer may leave.
const nearTie = 1.01

// multiOtsu is the last level of each class but the highest, for k classes or as many as there are levels.
//
// For integers that span at most 256 grey values, as 8-bit samples do, it is what scikit-image finds, so that
// thresholds are the same: it works in single precision and weighs the lowest grey value as one more, which moves
// cuts that are nearly as good as the best by a step or two. Where that would leave more than 1 % more variance within
// the classes (a handful of values close together), and for anything wider, the cut is exact.
func (l *levels) multiOtsu(k int) []int {
	m := len(l.v)
	if k = min(k, m); k == m {
		all := make([]int, m-1)
		for i := range all {
			all[i] = i
		}
		return all
	}
	exact := l.exactOtsu(k)
	if l.typ != segment.F32 && l.v[m-1]-l.v[0] < narrowSpan {
		if narrow := l.narrowOtsu(k); l.within(narrow) <= nearTie*l.within(exact) {
			return narrow
		}
	}
	return exact
}

// within is the sum of squared distances of the samples from the mean of their class.
func (l *levels) within(cuts []int) float64 {
	var sum float64
	from := 0
	for c := range len(cuts) + 1 {
		to := len(l.v)
		if c < len(cuts) {
			to = cuts[c] + 1
		}
		mean := l.v[0] + l.meanBetween(from, to)
		for i := from; i < to; i++ {
			d := l.v[i] - mean
			sum += float64(float64(l.n[i]) * float64(d*d))
		}
		from = to
	}
	return sum
}

// exactOtsu cuts the levels into k classes of greatest between-class variance and gives the last level of each class
// but the highest. Ties go to the first in lexicographic order. (Otsu 1979; Liao, Chen and Chung 2001 for the form
// that is maximised: the sum over classes of S*S/n, with n samples of sum S.)
//
// That cost satisfies the quadrangle inequality, so the first best cut of a suffix moves right with the suffix's
// start, and divide and conquer finds all of them in O(k m log m) for m levels and O(k m) memory, where trying all
// cuts takes m^(k-1). Sums that differ by less than rounding are compared in twice the precision, so that ties
// between exact sums are seen as ties.
func (l *levels) exactOtsu(k int) []int {
	m := len(l.v)
	d := &otsuCuts{l: l, best: make([]pairSum, m), next: make([]pairSum, m)}
	for i := range m {
		d.best[i] = l.classCost(i, m)
	}
	cuts := make([][]int32, k+1) // cuts[c][i]: first level after the first of c classes that fill levels i and up
	for c := 2; c <= k; c++ {
		d.cut, d.last = make([]int32, m), m-c+1
		cuts[c] = d.cut
		if c == k {
			d.solve(0, 0, 1, d.last)
		} else {
			d.solve(0, m-c, 1, d.last)
		}
		d.best, d.next = d.next, d.best
	}
	found := make([]int, 0, k-1)
	at := 0
	for c := k; c >= 2; c-- {
		at = int(cuts[c][at])
		found = append(found, at-1)
	}
	return found
}

// otsuCuts is one layer of the dynamic programme: best holds the suffixes' values with one class less.
type otsuCuts struct {
	l          *levels
	best, next []pairSum
	cut        []int32
	last       int // the highest level a cut can lie before
}

// solve fills next and cut for suffixes starting at i0..i1, whose first best cuts lie in c0..c1.
func (d *otsuCuts) solve(i0, i1, c0, c1 int) {
	if i0 > i1 {
		return
	}
	i := (i0 + i1) / 2
	at := max(c0, i+1)
	value := d.at(i, at)
	for c := at + 1; c <= c1; c++ {
		rough := d.l.roughCost(i, c) + d.best[c].hi
		if rough < value.hi*(1-1e-10) {
			continue
		}
		if v := d.at(i, c); v.exceeds(value) {
			value, at = v, c
		}
	}
	d.next[i], d.cut[i] = value, int32(at)
	d.solve(i0, i-1, c0, at)
	d.solve(i+1, i1, at, c1)
}

func (d *otsuCuts) at(i, c int) pairSum { return d.l.classCost(i, c).plus(d.best[c]) }

// roughCost is S*S/n of levels i up to, not including, j.
func (l *levels) roughCost(i, j int) float64 {
	s := l.cumS[j] - l.cumS[i]
	return float64(s*s) / float64(l.cumN[j]-l.cumN[i])
}

// classCost is roughCost in twice the precision.
func (l *levels) classCost(i, j int) pairSum {
	s, n := l.cumS[j]-l.cumS[i], float64(l.cumN[j]-l.cumN[i])
	p := float64(s * s)
	q := p / n
	rest := math.FMA(-q, n, p) + math.FMA(s, s, -p)
	return pairSum{q, 0}.plus(pairSum{rest / n, 0})
}

// pairSum is an unevaluated sum hi+lo of two floats, |lo| at most half a unit of hi's last place.
type pairSum struct{ hi, lo float64 }

func (a pairSum) plus(b pairSum) pairSum {
	s := a.hi + b.hi
	t := s - a.hi
	e := (a.hi - (s - t)) + (b.hi - t) + (a.lo + b.lo)
	hi := s + e
	return pairSum{hi, e - (hi - s)}
}

// exceeds tells whether a > b by more than what rounding of pair sums explains.
func (a pairSum) exceeds(b pairSum) bool {
	return (a.hi-b.hi)+(a.lo-b.lo) > math.Abs(b.hi)*1e-28
}
