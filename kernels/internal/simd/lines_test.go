package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// sumsTogether are n sums of eight lines and one more.
func sumsTogether(rng *rand.Rand, n int) []Together {
	x := make([]Together, n+1)
	for i := range x {
		x[i] = Together(numbers(rng, TogetherLines))
	}
	return x
}

// someLines are lines of n samples and one more.
func someLines(rng *rand.Rand, n int) (x Lines) {
	for k := range x {
		x[k] = samplesOf[float32](rng, n+1, false)
	}
	return x
}

// TestSumsOfLines adds up columns over lines one by one, in the order that is promised, bit by bit, and looks at the
// element behind.
func TestSumsOfLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			for _, squares := range []bool{false, true} {
				add := func(sum float64, x float32) float64 {
					if squares {
						return sum + float64(float64(x)*float64(x))
					}
					return sum + float64(x)
				}
				stop, tail, head := numbers(rng, n), someLines(rng, n), someLines(rng, n)
				sums, want := make([]float64, n+1), make([]float64, n+1)
				heads := numbers(rng, n)
				col, cols := make([]Together, n+1), make([]Together, n+1)
				ends := append([]float64(nil), heads...)
				for i := range n {
					want[i] = stop[i]
					for k := 7; k >= 0; k-- {
						want[i] = add(want[i], tail[k][i])
						cols[i][k] = want[i]
					}
					for k := range 8 {
						ends[i] = add(ends[i], head[k][i])
						cols[i][k] += ends[i]
					}
				}
				if level.AddLines(sums[:n], stop, &tail, squares); !equalBits(sums, want) {
					t.Fatalf("%s, squares %v: %v, want %v", level, squares, sums, want)
				}
				if level.WindowLines(col[:n], heads[:n], stop, &tail, &head, squares); !slices.Equal(col, cols) || !equalBits(heads, ends) {
					t.Fatalf("%s, squares %v: %v and %v, want %v and %v", level, squares, col, heads, cols, ends)
				}
			}
		}
	}
}

// TestSumsAlongLines adds up columns side by side one by one, in the order that is promised, bit by bit.
func TestSumsAlongLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			skip := rng.IntN(5)
			col, tails := sumsTogether(rng, n+skip), sumsTogether(rng, n)
			tail, sum, part := make([]Together, n+1), make([]Together, n+1), make([]float64, 8*(n+skip)+1)
			wantTail, wantSum, wantPart := make([]Together, n+1), make([]Together, n+1), make([]float64, 8*(n+skip)+1)
			for k := range 8 {
				a := 0.
				for i := n - 1; i >= 0; i-- {
					a += col[i][k]
					wantTail[i][k] = a
				}
				a = 0
				for i := range n + skip {
					a += col[i][k]
					if i >= skip {
						wantSum[i-skip][k] = tails[i-skip][k] + a
					}
				}
				for i := range n {
					wantPart[k*(n+skip)+i] = tails[i][k]
				}
			}
			if level.TailLines(tail, col[:n]); !slices.Equal(tail, wantTail) {
				t.Fatalf("%s, %d columns: tails %v, want %v", level, n, tail, wantTail)
			}
			if level.HeadLines(sum[:n], tails, col, skip); !slices.Equal(sum, wantSum) {
				t.Fatalf("%s, %d columns behind %d: sums %v, want %v", level, n, skip, sum, wantSum)
			}
			if level.PartLines(part, n+skip, tails[:n]); !equalBits(part, wantPart) {
				t.Fatalf("%s, %d columns: rows %v, want %v", level, n, part, wantPart)
			}
		}
	}
}
