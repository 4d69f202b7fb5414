package kernels

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"segscan/segment"
)

// bruteOtsu tries every cut into k classes in lexicographic order, in rational numbers, and keeps the first best.
func bruteOtsu(l *levels, k int) []int {
	m := len(l.v)
	cost := func(i, j int) *big.Rat { // levels i..j
		var n, s int64
		for ; i <= j; i++ {
			n += int64(l.n[i])
			s += int64(l.n[i]) * int64(l.v[i])
		}
		return big.NewRat(s*s, n)
	}
	var best *big.Rat
	var found, cuts []int
	var try func(from int, sum *big.Rat)
	try = func(from int, sum *big.Rat) {
		if len(cuts) == k-1 {
			sum = new(big.Rat).Add(sum, cost(from, m-1))
			if best == nil || sum.Cmp(best) > 0 {
				best, found = sum, slices.Clone(cuts)
			}
			return
		}
		for at := from; at < m-(k-1-len(cuts)); at++ {
			cuts = append(cuts, at)
			try(at+1, new(big.Rat).Add(sum, cost(from, at)))
			cuts = cuts[:len(cuts)-1]
		}
	}
	try(0, new(big.Rat))
	return found
}

func TestExactOtsuEqualsBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ties := 0
	for round := range 400 {
		h := randomHistogram(r, segment.U16, 2+r.IntN(12), []int{12, 40, 65536}[round%3])
		if round%4 == 0 { // symmetric, so that mirrored cuts tie
			h = counts(segment.U16)
			for range 4 {
				x, n := r.IntN(20), 1+r.Uint64N(5)
				h.Bins[x] += n
				h.Bins[40-x] += n
				h.N += 2 * n
			}
			ties++
		}
		l := newLevels(h, false)
		for k := 2; k <= min(5, len(l.v)); k++ {
			if got, want := l.exactOtsu(k), bruteOtsu(l, k); !slices.Equal(got, want) {
				t.Fatalf("round %d, %d classes of %v: %v, want %v", round, k, l.v, got, want)
			}
		}
	}
	if ties == 0 {
		t.Error("no symmetric histogram was tried")
	}
}

// narrowBrute is scikit-image's definition, without the bound: all cuts, single precision, first greatest.
func narrowBrute(l *levels, k int) []int {
	s := newNarrow(l)
	s.best = make([]int, k-1)
	var try func(i, c int)
	try = func(i, c int) {
		if c == 1 {
			s.take(i)
			return
		}
		for j := i + 1; j <= s.m-c+1; j++ {
			s.cuts = append(s.cuts, j)
			try(j, c-1)
			s.cuts = s.cuts[:len(s.cuts)-1]
		}
	}
	try(0, k)
	for i := range s.best {
		s.best[i]--
	}
	return s.best
}

func TestNarrowOtsuBoundsNothingAway(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 200 {
		l := newLevels(randomHistogram(r, segment.U8, 10+r.IntN(60), 256), false)
		for k := 2; k <= 4; k++ {
			if len(l.v) < k {
				continue
			}
			if got, want := l.narrowOtsu(k), narrowBrute(l, k); !slices.Equal(got, want) {
				t.Fatalf("round %d, %d classes: %v, want %v", round, k, got, want)
			}
		}
	}
}

// With S*S/n counted from the lowest value of 0 0 0 1 1 10 11 20 20 21, three classes are 0..1, 10..11 and 20..21.
func TestMultiOtsuByHand(t *testing.T) {
	for _, typ := range []segment.SampleType{segment.U8, segment.U16} {
		h := counts(typ, 0, 3, 1, 2, 10, 1, 11, 1, 20, 2, 21, 1)
		c, r := bound(t, "multiotsu", h)
		if fmt.Sprint(r.T, c.Lo, c.Hi) != "[1 11] [1] [12]" {
			t.Errorf("%s: %v %v %v", typ, r.T, c.Lo, c.Hi)
		}
		if _, r := bound(t, "multiotsu:classes=5", h); len(r.T) != 4 {
			t.Errorf("five classes have the thresholds %v", r.T)
		}
	}
}

func TestMultiOtsuFewValues(t *testing.T) {
	for _, c := range []struct {
		spec string
		h    *segment.Histogram
		want string
	}{
		// Two values a < b: boundary v <= a, activation v >= b, whatever the number of classes.
		{"multiotsu", counts(segment.U8, 10, 5, 200, 1), "[10] [10] [200] []"},
		{"multiotsu:classes=2", counts(segment.U16, 10, 5, 2000, 1), "[10] [10] [2000] []"},
		{"multiotsu:classes=5", counts(segment.U8, 0, 1, 1, 1), "[0] [0] [1] []"},
		// As many values as classes, and fewer: a class each.
		{"multiotsu", counts(segment.U8, 10, 5, 50, 1, 90, 2), "[10 50] [10] [51] []"},
		{"multiotsu:classes=5", counts(segment.U16, 10, 5, 50, 1, 900, 2), "[10 50] [10] [51] []"},
	} {
		th, r := bound(t, c.spec, c.h)
		if got := fmt.Sprint(r.T, th.Lo, th.Hi, r.Warnings); got != c.want {
			t.Errorf("%s: %s, want %s", c.spec, got, c.want)
		}
	}
}

// full16 is a 16-bit histogram with every value present: three broad humps and noise.
func full16() *segment.Histogram {
	r := rand.New(rand.NewPCG(7, 8))
	h := counts(segment.U16)
	for x := range h.Bins {
		n := 1 + r.Uint64N(30)
		for _, c := range []int{9000, 30000, 52000} {
			n += uint64(40 * max(0, 1-float64((x-c)*(x-c))/3e7))
		}
		h.Bins[x] = n
		h.N += n
	}
	h.Min, h.Max = 0, 65535
	return h
}

func BenchmarkMultiOtsu(b *testing.B) {
	h := full16()
	for _, k := range []int{2, 3, 5} {
		b.Run(fmt.Sprintf("u16/classes=%d", k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				newLevels(h, false).multiOtsu(k)
			}
		})
	}
	narrow := counts(segment.U8)
	for x := range narrow.Bins {
		narrow.Bins[x] = h.Bins[x*256]
		narrow.N += narrow.Bins[x]
	}
	for _, k := range []int{3, 5} {
		b.Run(fmt.Sprintf("u8/classes=%d", k), func(b *testing.B) {
			for b.Loop() {
				newLevels(narrow, false).multiOtsu(k)
			}
		})
	}
}

func BenchmarkMethods(b *testing.B) {
	l := newLevels(full16(), false)
	for _, m := range methodNames() {
		b.Run(m, func(b *testing.B) {
			for b.Loop() {
				_, _ = l.find(m) // minimum has no answer here, after its full work
			}
		})
	}
}
