package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// someWeights are r+1 of them.
func someWeights(rng *rand.Rand, r int) []float64 {
	w := make([]float64, r+1)
	rest := WeightSum
	for d := r; d > 0; d-- {
		w[d] = float64(rng.IntN(rest/2/d + 1))
		rest -= 2 * int(w[d])
	}
	w[0] = float64(rest)
	return w
}

func testDown[T Sample](t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			for _, r := range []int{0, 1, 2, 3, 4, 7, 15, 22} {
				w := someWeights(rng, r)
				rows := make([][]T, 2*r+1)
				for i := range rows {
					rows[i] = samplesOf[T](rng, n+1, false)
				}
				got := make([]float64, n+1)
				got[n] = 77
				DownBy(level, NewWeights(w), got[:n], rows)
				for x := range n {
					want := 0.
					for i, row := range rows {
						want += float64(w[(i+1)/2] * float64(row[x]))
					}
					if math.Float64bits(got[x]) != math.Float64bits(want) {
						t.Fatalf("%s, %T, weights %v: column %d of %d is %v, want %v", level, rows, w, x, n, got[x], want)
					}
				}
				if got[n] != 77 {
					t.Fatalf("%s, %T: the column behind %d was written", level, rows, n)
				}
			}
		}
	}
}

// TestDown compares with adding up one by one.
func TestDown(t *testing.T) {
	testDown[uint8](t)
	testDown[uint16](t)
	testDown[float32](t)
}

// TestDownIsExact weighs the largest samples, whose sums are the largest.
func TestDownIsExact(t *testing.T) {
	const n = 40
	for _, level := range Levels() {
		for _, w := range [][]float64{{WeightSum}, {0, WeightSum / 2}, {2, WeightSum/2 - 2, 1}} {
			k := NewWeights(w)
			u8, u16 := make([][]uint8, 2*len(w)-1), make([][]uint16, 2*len(w)-1)
			for i := range u8 {
				u8[i], u16[i] = make([]uint8, n), make([]uint16, n)
				for x := range n {
					u8[i][x], u16[i][x] = 255, 65535
				}
			}
			a, b := make([]float64, n), make([]float64, n)
			DownBy(level, k, a, u8)
			DownBy(level, k, b, u16)
			for x := range n {
				if a[x] != 255*WeightSum || b[x] != 65535*WeightSum {
					t.Fatalf("%s, weights %v: %v and %v", level, w, a[x], b[x])
				}
			}
		}
	}
}

// TestAlong compares with adding up one by one, in the order that is promised.
func TestAlong(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			for _, r := range []int{0, 1, 2, 15, 22} {
				w, col, exact := someWeights(rng, r), numbers(rng, n+2*r), rng.IntN(2) == 0
				if exact {
					for i, x := range whole(rng, n+2*r, 31) {
						col[i] = float64(x)
					}
				}
				got := make([]float64, n+1)
				got[n] = 77
				NewWeights(w).AlongBy(level, got[:n], col, exact)
				for x := range n {
					want := float64(w[0] * col[x+r])
					for d := 1; d <= r; d++ {
						want += float64(w[d] * (col[x+r-d] + col[x+r+d]))
					}
					if math.Float64bits(got[x]) != math.Float64bits(want) {
						t.Fatalf("%s, weights %v: window %d of %d is %v, want %v", level, w, x, n, got[x], want)
					}
				}
				if got[n] != 77 {
					t.Fatalf("%s: the window behind %d was written", level, n)
				}
			}
		}
	}
}
