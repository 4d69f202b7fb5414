package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// numbers are n positive floats and one more.
func numbers(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n+1)
	for i := range v {
		v[i] = math.Exp(6 * rng.NormFloat64())
	}
	return v
}

// whole are n whole numbers below a power of two and one more.
func whole(rng *rand.Rand, n, bits int) []uint64 {
	v := make([]uint64, n+1)
	for i := range v {
		v[i] = rng.Uint64() >> (64 - bits) >> rng.IntN(bits)
	}
	return v
}

// equalBits compares floats bit by bit.
func equalBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// TestShifts compares with adding up anew, and looks at the element behind.
func TestShifts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			in, out := samplesOf[uint8](rng, n+1, false), samplesOf[uint8](rng, n+1, false)
			col, pack := make([]uint32, n+1), make([]uint64, n+1)
			for i := range col {
				col[i], pack[i] = 1000+uint32(out[i]), 1000+uint64(out[i])+(70000+uint64(out[i])*uint64(out[i]))<<32
			}
			level.ShiftU8(col[:n], in[:n], out[:n])
			level.ShiftPacked(pack[:n], in[:n], out[:n])
			in[n] = out[n]
			for i := range col {
				if col[i] != 1000+uint32(in[i]) || pack[i] != 1000+uint64(in[i])+(70000+uint64(in[i])*uint64(in[i]))<<32 {
					t.Fatalf("%s, %d columns: %d and %x at %d, after %d", level, n, col[i], pack[i], i, in[i])
				}
			}
			wideIn, wideOut := samplesOf[uint16](rng, n+1, false), samplesOf[uint16](rng, n+1, false)
			one, two := make([]uint64, n+1), make([]uint64, n+1)
			for i := range one {
				one[i], two[i] = 1<<33+uint64(wideOut[i]), 1<<40+uint64(wideOut[i])*uint64(wideOut[i])
			}
			alone := slices.Clone(one)
			level.ShiftU16(one[:n], two[:n], wideIn[:n], wideOut[:n])
			if level.ShiftOneU16(alone[:n], wideIn[:n], wideOut[:n]); !slices.Equal(alone, one) {
				t.Fatalf("%s, %d columns: %v alone, %v with squares", level, n, alone, one)
			}
			wideIn[n] = wideOut[n]
			for i, x := range wideIn {
				if one[i] != 1<<33+uint64(x) || two[i] != 1<<40+uint64(x)*uint64(x) {
					t.Fatalf("%s, %d columns: %d and %d at %d, after %d", level, n, one[i], two[i], i, x)
				}
			}
		}
	}
}

// TestSumsToFloats compares with whole numbers, up to the largest sums that there are.
func TestSumsToFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			// area samples x and y: the variance is a product, never negative.
			sums, one, two := make([]uint64, n), make([]uint64, n), make([]uint64, n)
			area := uint64(1 + rng.IntN(65535))
			ws, wd := make([]float64, n+1), make([]float64, n+1)
			vs, vd := make([]float64, n+1), make([]float64, n+1)
			for i := range n {
				k, x, y := rng.Uint64N(area+1), rng.Uint64N(256), uint64(rng.IntN(2)*255)
				sum, square := k*x+(area-k)*y, k*x*x+(area-k)*y*y
				if square >= 1<<32 {
					sum, square = area, area
				}
				sums[i] = square<<32 | sum
				ws[i], wd[i] = float64(sum), float64(area*square-sum*sum)
				x, y = rng.Uint64N(65536), uint64(rng.IntN(2)*65535)
				one[i], two[i] = k*x+(area-k)*y, k*x*x+(area-k)*y*y
				vs[i], vd[i] = float64(one[i]), float64(area*two[i]-one[i]*one[i])
			}
			s, d := make([]float64, n+1), make([]float64, n+1)
			if level.Unpack(s[:n], d[:n], sums, area); !equalBits(s, ws) || !equalBits(d, wd) {
				t.Fatalf("%s, %d windows of %d: %v %v, want %v %v", level, n, area, s, d, ws, wd)
			}
			if level.Widen(s[:n], d[:n], one, two, area); !equalBits(s, vs) || !equalBits(d, vd) {
				t.Fatalf("%s, %d windows of %d: %v %v, want %v %v", level, n, area, s, d, vs, vd)
			}
			big, small := whole(rng, n, 52)[:n], make([]uint32, n)
			for i, x := range big {
				small[i] = uint32(x >> 21)
				ws[i], wd[i] = float64(x)-2.5, float64(x>>21)+0.1
			}
			level.Means(s[:n], big, 2.5)
			if level.MeansU32(d[:n], small, -0.1); !equalBits(s, ws) || !equalBits(d, wd) {
				t.Fatalf("%s: %v and %v of %v", level, s, d, big)
			}
		}
	}
}

// TestFormulas compares every level with the portable form, bit by bit, and that with the formula as one would write it.
func TestFormulas(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	f := &Phansalkar{Least: -3, Steps: 0.7, Flat: 0.75, P: 2, K: 0.001, Exp: numbers(rng, 640)}
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-9*(1+math.Abs(want)) }
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			s, d := numbers(rng, n), numbers(rng, n)
			for i := range s {
				switch rng.IntN(20) {
				case 0:
					s[i] = -s[i]
				case 1:
					d[i] = 0
				case 2:
					s[i] = math.NaN()
				}
			}
			for name, set := range map[string]struct {
				level, portable func(t []float64)
				plain           func(s, root float64) float64
			}{
				"niblack": {func(t []float64) { level.Niblack(t, s, d, 0.2) }, func(t []float64) { niblackGo(t, s, d, 0.2) },
					func(s, root float64) float64 { return s - 0.2*root }},
				"sauvola": {func(t []float64) { level.Sauvola(t, s, d, 0.8, 0.003) }, func(t []float64) { sauvolaGo(t, s, d, 0.8, 0.003) },
					func(s, root float64) float64 { return s * (0.8 + 0.003*root) }},
				"wolf": {func(t []float64) { level.Wolf(t, s, d, 0.003, 0.5, 7) }, func(t []float64) { wolfGo(t, s, d, 0.003, 0.5, 7) },
					func(s, root float64) float64 { return s + (0.003*root-0.5)*(s-7) }},
				"phansalkar": {func(t []float64) { level.Phansalkar(t, s, d, f) }, func(t []float64) { phansalkarGo(t, s, d, f) },
					func(s, root float64) float64 {
						u := s + 3
						x := max(0, min(0.7*u, 640))
						e := f.Exp[int(x)] * math.Exp(-(x-math.Floor(x))/DecaySteps)
						return -3 + u*(0.75+2*e+0.001*root)
					}},
			} {
				got, want := make([]float64, n+1), make([]float64, n+1)
				set.level(got[:n])
				set.portable(want[:n])
				if !equalBits(got, want) {
					t.Fatalf("%s, %s of %d windows: %v, want %v", level, name, n, got, want)
				}
				for i := range n {
					if s[i] == s[i] && !near(got[i], set.plain(s[i], math.Sqrt(d[i]))) {
						t.Fatalf("%s, %s of %v and %v: %v, want %v", level, name, s[i], d[i], got[i], set.plain(s[i], math.Sqrt(d[i])))
					}
				}
			}
			got, want := slices.Clone(d), slices.Clone(d)
			level.Deviations(got[:n], s[:n], 9)
			deviationsGo(want[:n], s[:n], 9)
			if !slices.EqualFunc(got, want, func(x, y float64) bool { return x == y || x != x && y != y }) {
				t.Fatalf("%s, deviations of %d windows: %v, want %v", level, n, got, want)
			}
		}
	}
}

func testCompare[T Sample](t *testing.T, compare func(level Level, b, a, nan []uint64, v []T, t []float64, n, margin float64)) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			for _, margin := range []float64{0, 3, 1e9} {
				v, thresholds := samplesOf[T](rng, n, true), make([]float64, n)
				for i := range thresholds {
					thresholds[i] = 9*float64(v[i]) + float64(rng.IntN(9)-4)
					if rng.IntN(20) == 0 {
						thresholds[i] = math.NaN()
					}
				}
				b, a, nan := words(n), words(n), words(n)
				compare(level, b, a, nan, v, thresholds, 9, margin)
				checkMasks(t, fmt.Sprintf("%s, %T, margin %v", level, v, margin), n, [][]uint64{b, a, nan}, func(i, mask int) bool {
					switch mask {
					case 0:
						return 9*float64(v[i]) <= thresholds[i]
					case 1:
						return 9*float64(v[i]) > thresholds[i]+margin
					}
					return v[i] != v[i]
				})
			}
		}
	}
}

// TestCompare compares with the definition, with thresholds that are reached, missed or not numbers.
func TestCompare(t *testing.T) {
	testCompare(t, func(level Level, b, a, nan []uint64, v []uint8, t []float64, n, margin float64) {
		level.CompareU8(b, a, v, t, n, margin)
		clear(nan[:len(nan)-1])
	})
	testCompare(t, func(level Level, b, a, nan []uint64, v []uint16, t []float64, n, margin float64) {
		level.CompareU16(b, a, v, t, n, margin)
		clear(nan[:len(nan)-1])
	})
	testCompare(t, func(level Level, b, a, nan []uint64, v []float32, t []float64, n, margin float64) {
		level.CompareF32(b, a, nan, v, t, n, margin)
	})
}

// TestFinite puts what is not finite into every place in turn, and behind the last.
func TestFinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			x := append(samplesOf[float32](rng, n, false), float32(math.NaN()))
			if !level.Finite(x[:n]) {
				t.Fatalf("%s: not all of %d samples are finite", level, n)
			}
			for i := range n {
				was := x[i]
				x[i] = [...]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[i%3]
				if level.Finite(x[:n]) {
					t.Fatalf("%s: %v at %d of %d samples was missed", level, x[i], i, n)
				}
				x[i] = was
			}
		}
	}
}

// TestLargest puts the largest into every place in turn, among numbers below 0 and NaN.
func TestLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			d := make([]float64, n, n+1)
			for i := range d {
				d[i] = [...]float64{math.NaN(), -1, 0}[rng.IntN(3)]
			}
			_ = append(d, 99)
			if got := level.Largest(d); got != 0 {
				t.Fatalf("%s, %d numbers: %v", level, n, got)
			}
			for i := range d {
				was := d[i]
				d[i] = 2.5
				if got := level.Largest(d); got != 2.5 {
					t.Fatalf("%s, %d numbers, the largest at %d: %v", level, n, i, got)
				}
				d[i] = was
			}
		}
	}
}
