package kernels

import (
	"container/heap"
	"math"

	"segscan/segment"
)

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
	entropy *entropies
}

// entropies are those of memberships by the distance from the class's mean, 0 where not asked for yet: a line of few
// samples asks for few of 65536, and lines of the same reach, as all of f32 have, share them.
type entropies struct {
	reach float64
	of    []float64
}

// reset makes room for distances up to reach, and keeps what holds for it.
func (e *entropies) reset(reach int) {
	if e.reach == float64(reach) {
		return
	}
	e.reach = float64(reach)
	if cap(e.of) <= reach {
		e.of = make([]float64, reach+1)
		return
	}
	e.of = e.of[:reach+1]
	clear(e.of)
}

// find works out the entropy at a distance above 0.
func (e *entropies) find(d int) float64 {
	mu := 1 / (1 + float64(d)/e.reach)
	e.of[d] = -float64(mu*math.Log(mu)) - float64((1-mu)*math.Log(1-mu))
	return e.of[d]
}

func newFuzzy(l *levels) *fuzzy {
	m := len(l.v)
	z := &fuzzy{pos: make([]int, m), n: make([]float64, m), cumN: l.cumN, cumPos: make([]float64, m+1), entropy: l.entropy}
	if z.entropy == nil {
		z.entropy = new(entropies)
	}
	span := l.v[m-1] - l.v[0]
	for i, v := range l.v {
		x := v - l.v[0]
		if l.typ == segment.F32 {
			x = math.Round(x / span * 65535)
		}
		z.pos[i], z.n[i] = int(x), float64(l.n[i])
		z.cumPos[i+1] = z.cumPos[i] + float64(z.n[i]*x)
	}
	z.entropy.reset(z.pos[m-1])
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
		h := z.entropy.of[d]
		if h == 0 && d > 0 {
			h = z.entropy.find(d)
		}
		sum += float64(z.n[i] * h)
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
