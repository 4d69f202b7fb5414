package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Blocks of one value, blocks of a few and noise, of every length; counts add up over calls of different levels.
func TestCounters(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	h8, h16 := make(map[Level]*Counter8), make(map[Level]*Counter16)
	for _, l := range Levels() {
		h8[l], h16[l] = new(Counter8), new(Counter16)
	}
	w8, w16 := new([256]uint64), new([65536]uint64)
	d8, d16 := new([256]uint64), new([65536]uint64)
	for n := 0; n < 300; n += 1 + n/20 {
		for _, values := range []uint32{1, 2, 300, 65536} {
			g8, g16 := make([]uint8, n+2), make([]uint16, n+2) // what is around must not be counted
			v8, v16 := g8[1:n+1], g16[1:n+1]
			base := rng.Uint32()
			for i := range v8 {
				x := base + rng.Uint32N(values)
				v8[i], v16[i] = uint8(x), uint16(x)
				w8[v8[i]]++
				w16[v16[i]]++
			}
			CountU8(d8, v8)
			CountU16(d16, v16)
			for _, l := range Levels() {
				h8[l].AddBy(l, v8)
				h16[l].AddBy(l, v16)
				if values == 300 || n%7 == 0 {
					if *h8[l].Bins() != *w8 || *h16[l].Bins() != *w16 {
						t.Fatalf("%s, %d samples of %d values: counts differ", l, n, values)
					}
				}
			}
			if *d8 != *w8 || *d16 != *w16 {
				t.Fatalf("%d samples of %d values: direct counts differ", n, values)
			}
		}
	}
	for _, l := range Levels() {
		if *h8[l].Bins() != *w8 || *h16[l].Bins() != *w16 {
			t.Fatalf("%s: counts differ at the end", l)
		}
	}
}

// Tables of 32 bits are put away before they can overflow.
func TestCountersDoNotOverflow(t *testing.T) {
	var c8 Counter8
	var c16 Counter16
	c8.since, c16.since = math.MaxUint32-5, math.MaxUint32-5
	c8.tables[0][7], c16.table[place16(7)] = math.MaxUint32-5, math.MaxUint32-5
	v8, v16 := make([]uint8, 100), make([]uint16, 100)
	for i := range v8 {
		v8[i], v16[i] = 7, 7
	}
	for range 2 {
		c8.Add(v8)
		c16.Add(v16)
	}
	if want := uint64(math.MaxUint32) + 195; c8.Bins()[7] != want || c16.Bins()[7] != want {
		t.Fatalf("counts %d and %d, want %d", c8.Bins()[7], c16.Bins()[7], want)
	}
}

func TestPlacesAreABijection(t *testing.T) {
	for v := range 65536 {
		if p := place16(uint16(v)); place16(p) != uint16(v) {
			t.Fatalf("place %d of %d is the place of %d", p, v, place16(p))
		}
	}
}

// Samples that are not finite are rare, so that whole blocks hold none, or everywhere.
func TestHistogramF32(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, n := range []int{0, 1, 7, 8, 63, 64, 65, 127, 128, 1000, 1023, 1024, 1025, 1088, 2500} {
		for _, rare := range []int{1, 5, 300, 5000} {
			v := make([]float32, n)
			for i := range v {
				v[i] = math.Float32frombits(rng.Uint32() &^ (1 << 30)) // finite
				if rng.IntN(rare) == 0 {
					v[i] = specials[rng.IntN(len(specials))]
				}
			}
			want, w := new([65536]uint64), NewF32Counts()
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
				got, c := new(Counter16), NewF32Counts()
				l.HistogramF32(got, v, &c)
				if *got.Bins() != *want || c != w {
					t.Fatalf("%s, %d samples, 1 in %d odd: histograms differ, %+v and %+v", l, n, rare, c, w)
				}
			}
			got, c := new([65536]uint64), NewF32Counts()
			CountF32(got, v, &c)
			if *got != *want || c != w {
				t.Fatalf("%d samples, 1 in %d odd: direct counts differ, %+v and %+v", n, rare, c, w)
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
