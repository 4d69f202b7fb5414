package segment

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortedHistogram: all but the bins is as the engine has it.
func TestSortedHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))}
	for _, n := range []int{1, 2, 63, 64, 65, 700} {
		for _, gaps := range []int{1, 3, 1000} { // one in so many
			line := make([]float32, n)
			for i := range line {
				line[i] = float32(rng.NormFloat64())
				if rng.IntN(gaps) == 0 {
					line[i] = odd[rng.IntN(len(odd))]
				}
			}
			l, err := NewCPU(1).Load(context.Background(), Band{Lines: 1, Samples: n, V: Plane{F32: line, Lines: 1, Samples: n, Stride: n}})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]Histogram, 1)
			want[0].Type, want[0].Bins = F32, make([]uint64, 65536)
			if err := l.Histogram(context.Background(), true, want); err != nil {
				t.Fatal(err)
			}
			got := SortedHistogram(line, nil)
			bits := func(h Histogram) []uint64 {
				return []uint64{h.N, h.NotFinite, h.NaN, math.Float64bits(h.Sum), math.Float64bits(h.SumSq), math.Float64bits(h.Min), math.Float64bits(h.Max)}
			}
			if a, b := bits(got), bits(want[0]); !slices.Equal(a, b) {
				t.Errorf("%v: %v, want %v", line, a, b)
			}
			if !slices.IsSorted(got.Sorted) || uint64(len(got.Sorted)) != got.N {
				t.Errorf("%v is sorted as %v", line, got.Sorted)
			}
		}
	}
}
