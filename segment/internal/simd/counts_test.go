package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestHistograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for n := 0; n < 70; n += 1 + n/20 {
		v8, v16 := make([]uint8, n), make([]uint16, n)
		for i := range v8 {
			v8[i], v16[i] = uint8(rng.Uint32N(256)), uint16(rng.Uint32N(3)*30000)
		}
		var h8, w8 [256]uint64
		var h16, w16 [65536]uint64
		h8[3], w8[3], h16[3], w16[3] = 9, 9, 9, 9 // it adds
		HistogramU8(&h8, v8)
		HistogramU16(&h16, v16)
		for i := range v8 {
			w8[v8[i]]++
			w16[v16[i]]++
		}
		if h8 != w8 || h16 != w16 {
			t.Fatalf("%d samples: histograms differ", n)
		}
	}
}

// Samples that are not finite are rare, so that whole blocks hold none, or everywhere.
func TestHistogramF32(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, n := range []int{0, 1, 63, 64, 65, 127, 128, 1000, 1023, 1024, 1025, 1088, 2500} {
		for _, rare := range []int{1, 5, 300, 5000} {
			v := make([]float32, n)
			for i := range v {
				v[i] = math.Float32frombits(rng.Uint32() &^ (1 << 30)) // finite
				if rng.IntN(rare) == 0 {
					v[i] = specials[rng.IntN(len(specials))]
				}
			}
			want, w := new([65536]uint64), NewF32Counts()
			want[3] = 9
			for _, x := range v {
				switch y := float64(x); {
				case math.IsNaN(y):
					w.NaN++
				case math.IsInf(y, 0):
					w.Inf++
				default:
					want[Key(x)>>16]++
					w.Min, w.Max = min(w.Min, Key(x)), max(w.Max, Key(x))
				}
			}
			for _, l := range Levels() {
				got, c := new([65536]uint64), NewF32Counts()
				got[3] = 9
				l.HistogramF32(got, v, &c)
				if *got != *want || c != w {
					t.Fatalf("%s, %d samples, 1 in %d odd: histograms differ, %+v and %+v", l, n, rare, c, w)
				}
			}
		}
	}
}

// Sums must have the same bits, so they must be added in the same order.
func TestFourSumsF32(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	reordered := false
	for try := range 300 {
		var v [256]float32
		for i := range v {
			v[i] = float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(60))))
			if try%3 != 0 && rng.IntN(20) == 0 {
				v[i] = specials[rng.IntN(len(specials))]
			}
		}
		var sum, square [4]float64
		for k := range 4 {
			var backwards float64
			for i := range 64 {
				if x := float64(v[64*k+i]); !math.IsNaN(x) && !math.IsInf(x, 0) {
					sum[k] += x
					square[k] += x * x
				}
				if x := float64(v[64*k+63-i]); !math.IsNaN(x) && !math.IsInf(x, 0) {
					backwards += x
				}
			}
			reordered = reordered || backwards != sum[k]
		}
		for _, l := range Levels() {
			gotSum, gotSquare := l.FourSumsF32(&v)
			for k := range 4 {
				if math.Float64bits(gotSum[k]) != math.Float64bits(sum[k]) || math.Float64bits(gotSquare[k]) != math.Float64bits(square[k]) {
					t.Fatalf("%s, block %d: %v and %v, want %v and %v", l, k, gotSum[k], gotSquare[k], sum[k], square[k])
				}
			}
		}
	}
	if !reordered {
		t.Fatal("the samples are such that any order gives the same sums")
	}
}
