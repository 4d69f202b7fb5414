package kernels

// narrowOtsu is the answer of scikit-image's threshold_multiotsu (0.19): shares of samples, their running sums and the
// variance of each class are float32, and grey values count from the lowest, which itself weighs 1 in running sums and
// 0 when it is a class on its own.
//
// All cuts are tried in lexicographic order and the first greatest sum is taken, but for those that an upper bound
// rules out: what is summed so far plus the best that the remaining levels can add, in float64.
func (l *levels) narrowOtsu(k int) []int {
	s := newNarrow(l)
	m := len(l.v)
	s.rest = make([][]float64, k+1) // rest[c][i]: the best sum of c classes that fill levels i and up
	s.rest[1] = make([]float64, m)
	for i := range m {
		s.rest[1][i] = float64(s.cost(i, m))
	}
	for c := 2; c < k; c++ {
		s.rest[c] = make([]float64, m)
		for i := 0; i <= m-c; i++ {
			for j := i + 1; j <= m-c+1; j++ {
				s.rest[c][i] = max(s.rest[c][i], float64(s.cost(i, j))+s.rest[c-1][j])
			}
		}
	}
	s.cuts, s.best = make([]int, 0, k-1), make([]int, k-1)
	s.try(0, k, 0)
	for i := range s.best {
		s.best[i]--
	}
	return s.best
}

type narrow struct {
	m         int
	variance  []float32 // of the class of levels i up to, not including, j, at [i*(m+1)+j]
	rest      [][]float64
	cuts      []int // first level of each class but the lowest
	best      []int
	bestValue float32
}

func newNarrow(l *levels) *narrow {
	m := len(l.v)
	s := &narrow{m: m, variance: make([]float32, m*(m+1))}
	share, moment := make([]float32, m), make([]float32, m)
	for i := range m {
		p := float32(float64(l.n[i]) / float64(l.total))
		if i == 0 {
			share[0], moment[0] = p, p
			continue
		}
		share[i] = share[i-1] + p
		moment[i] = moment[i-1] + float32(float32(l.v[i]-l.v[0])*p)
	}
	adjacent := m > 1 && l.v[1]-l.v[0] == 1
	for i := range m {
		for j := i + 1; j <= m; j++ {
			n, sum := share[j-1], moment[j-1]
			if i > 0 {
				n, sum = n-share[i-1], sum-moment[i-1]
			}
			if n > 0 {
				s.variance[i*(m+1)+j] = float32(sum*sum) / n
			}
		}
	}
	if m > 0 && adjacent {
		s.variance[1] = 0
	}
	return s
}

func (s *narrow) cost(i, j int) float32 { return s.variance[i*(s.m+1)+j] }

// slack is more than the rounding of a few float32 additions can gain over the bound.
const slack = 1 - 2e-6

// try goes through the cuts of levels i and up into c classes; bound is the sum of the classes below i.
func (s *narrow) try(i, c int, below float64) {
	if c == 1 {
		s.take(i)
		return
	}
	for j := i + 1; j <= s.m-c+1; j++ {
		sum := below + float64(s.cost(i, j))
		if sum+s.rest[c-1][j] < float64(s.bestValue)*slack {
			continue
		}
		s.cuts = append(s.cuts, j)
		s.try(j, c-1, sum)
		s.cuts = s.cuts[:len(s.cuts)-1]
	}
}

// take adds the classes up in the reference's order: the lowest, the highest, then those between.
func (s *narrow) take(last int) {
	sum := s.cost(0, s.cuts[0]) + s.cost(last, s.m)
	for i := 1; i < len(s.cuts); i++ {
		sum += s.cost(s.cuts[i-1], s.cuts[i])
	}
	if sum > s.bestValue {
		s.bestValue = sum
		copy(s.best, s.cuts)
	}
}
