package kernels

import (
	"math"
	"math/big"
	"slices"
	"sort"

	"segscan/segment"
)

// methodNames are the methods usable in a threshold value: each gives one threshold t of a page (or line).
func methodNames() []string {
	return []string{"mean", "median", "otsu", "li", "yen", "isodata", "triangle", "minimum", "kapur", "huang", "moments"}
}

func isMethod(name string) bool { return slices.Contains(methodNames(), name) }

// method gives the threshold t of a histogram that is not degenerate: the last value of the lower class, but for mean
// and li a number between values.
func (l *levels) method(name string) (float64, error) {
	if l.last.name != name {
		t, err := l.find(name)
		l.last = methodResult{name, t, err}
	}
	return l.last.t, l.last.err
}

// find is method, worked out.
func (l *levels) find(name string) (float64, error) {
	switch name {
	case "mean":
		return l.mean(), nil
	case "median":
		return l.percentile(50), nil
	}
	if err := l.apart(); err != nil {
		return 0, err
	}
	switch name {
	case "otsu":
		return l.hi[l.exactOtsu(2)[0]], nil
	case "li":
		return l.li(), nil
	case "yen":
		return l.hi[l.yen()], nil
	case "isodata":
		return l.isodata(), nil
	case "triangle":
		return l.triangle(), nil
	case "minimum":
		return l.minimum()
	case "kapur":
		return l.hi[l.kapur()], nil
	case "huang":
		return l.hi[l.huang()], nil
	}
	return l.hi[l.moments()], nil
}

// li iterates to the threshold of minimum cross entropy between the image and its two-valued version: the
// logarithmic mean of the two class means, starting at the mean (Li and Tam 1998). Steps go one way, so it ends. Values count from the lowest one,
// as the logarithm wants them positive; a lower class of that value alone has it as its threshold. Integers stop at a step of half a grey value, f32 when no sample changes
// class.
func (l *levels) li() float64 {
	m := len(l.v)
	next := l.cumS[m] / float64(l.total)
	last := -1
	for t := math.Inf(-1); math.Abs(next-t) > 0.5 || l.typ == segment.F32; {
		t = next
		cut := sort.Search(m, func(i int) bool { return l.v[i]-l.v[0] > t })
		cut = min(max(cut, 1), m-1)
		if cut == last {
			break
		}
		back, fore := l.meanBetween(0, cut), l.meanBetween(cut, m)
		if back == 0 { // the limit of the formula below
			next = 0
			break
		}
		next = (back - fore) / (math.Log(back) - math.Log(fore))
		last = cut
	}
	return l.v[0] + next
}

// better tells whether x exceeds best by more than rounding, so that equal criteria go to the lower threshold.
func better(x, best float64) bool {
	return math.IsInf(best, -1) && !math.IsNaN(x) && !math.IsInf(x, -1) || x > best+1e-12*math.Abs(best)
}

// yen maximises the correlation criterion of the two classes (Yen, Chang and Chang 1995). Criteria are compared in
// single precision, as scikit-image does: where the criterion is that flat, the lowest threshold is taken.
func (l *levels) yen() int {
	m, n := len(l.v), float64(l.total)
	above := make([]float64, m+1) // sums of squared shares from level i up
	for i := m - 1; i >= 0; i-- {
		p := float64(l.n[i]) / n
		above[i] = above[i+1] + float64(p*p)
	}
	at, best, below := 0, float32(math.Inf(-1)), 0.0
	for i := range m - 1 {
		p := float64(l.n[i]) / n
		below += float64(p * p)
		p1, p2 := float64(l.cumN[i+1])/n, float64(l.total-l.cumN[i+1])/n
		if x := float32(2*math.Log(p1*p2) - math.Log(below*above[i+1])); x > best {
			at, best = i, x
		}
	}
	return at
}

// kapur maximises the sum of the entropies of the two classes (Kapur, Sahoo and Wong 1985).
func (l *levels) kapur() int {
	m, n := len(l.v), float64(l.total)
	var all float64
	entropy := make([]float64, m) // of the levels up to i: sum of -p log p
	for i := range m {
		p := float64(l.n[i]) / n
		all -= float64(p * math.Log(p))
		entropy[i] = all
	}
	at, best := 0, math.Inf(-1)
	for i := range m - 1 {
		p1, p2 := float64(l.cumN[i+1])/n, float64(l.total-l.cumN[i+1])/n
		x := math.Log(p1*p2) + entropy[i]/p1 + (all-entropy[i])/p2
		if better(x, best) {
			at, best = i, x
		}
	}
	return at
}

// moments keeps the first three moments of the image in its two-valued version (Tsai 1985): that fixes the share of
// the lower class, which depends on the skewness g alone, (1 + g/sqrt(4+g*g)) / 2. The threshold is the smallest value with
// at least that share.
func (l *levels) moments() int {
	m, n := len(l.v), float64(l.total)
	scale := l.v[m-1] - l.v[0]
	mean := l.cumS[m] / n / scale
	var m2, m3 float64
	for i, v := range l.v {
		d := (v-l.v[0])/scale - mean
		w := float64(float64(l.n[i]) * float64(d*d))
		m2 += w
		m3 += float64(w * d)
	}
	g := m3 / n / math.Pow(m2/n, 1.5)
	share := (1 + g/math.Sqrt(4+g*g)) / 2
	at := sort.Search(m, func(i int) bool { return float64(l.cumN[i+1])/n >= share-1e-9 })
	return min(at, m-2)
}

// isodata is the lowest t that is midway between the means of the samples up to t and above t, cut off to a whole
// grey value (Ridler and Calvard 1978). The midway point rises with t, so the first level whose successor lies above
// it is the one. On f32, t is the last value of that level.
func (l *levels) isodata() float64 {
	m := len(l.v)
	for i := range m - 1 {
		mid := l.midway(i + 1)
		if mid < l.v[i+1] {
			if l.typ == segment.F32 {
				return l.hi[i]
			}
			return mid
		}
	}
	return l.hi[m-2]
}

// midway is the middle of the two class means for a cut before level c; for integers the floor of the exact middle.
func (l *levels) midway(c int) float64 {
	m := len(l.v)
	x := l.meanBetween(0, c)/2 + l.meanBetween(c, m)/2
	if l.typ == segment.F32 {
		return l.v[0] + x
	}
	near := math.Round(x)
	if math.Abs(x-near) > 1e-4 {
		return l.v[0] + math.Floor(x)
	}
	// x is near-on a whole number: compare S1*n2 + S2*n1 with 2*near*n1*n2 exactly.
	whole := func(x float64) *big.Int { return big.NewInt(int64(x)) }
	count := func(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
	n1, n2 := count(l.cumN[c]), count(l.total-l.cumN[c])
	left := new(big.Int).Mul(whole(l.cumS[c]), n2)
	left.Add(left, new(big.Int).Mul(whole(l.cumS[m]-l.cumS[c]), n1))
	right := new(big.Int).Mul(n1, n2)
	right.Mul(right, whole(2*near))
	if left.Cmp(right) < 0 {
		near--
	}
	return l.v[0] + near
}
