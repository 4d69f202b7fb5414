package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAlongAnyWeights holds sums with weights that are no whole numbers against the definition, bit by bit.
func TestAlongAnyWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	for _, level := range Levels() {
		for _, n := range []int{1, 3, 15, 16, 17, 40, 100} {
			for _, r := range []int{0, 1, 2, 8, 31} {
				w, col := make([]float64, r+1), make([]float64, n+2*r)
				for i := range w {
					w[i] = rng.Float64()
				}
				for i := range col {
					col[i] = rng.NormFloat64() * 1e3
				}
				got := make([]float64, n+1)
				got[n] = 77
				AlongBy(level, got[:n], col, w)
				for i := range n {
					want := float64(w[0] * col[i+r])
					for d := 1; d <= r; d++ {
						want += float64(w[d] * (col[i+r-d] + col[i+r+d]))
					}
					if math.Float64bits(got[i]) != math.Float64bits(want) {
						t.Fatalf("%s, %d weights: sum %d of %d is %v, want %v", level, r+1, i, n, got[i], want)
					}
				}
				if got[n] != 77 {
					t.Fatalf("%s: the sum behind %d was written", level, n)
				}
			}
		}
	}
}
