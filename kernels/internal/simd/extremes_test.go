package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// samplesOf are n samples, many of them equal; of floats some are not finite, where wild.
func samplesOf[T Sample](rng *rand.Rand, n int, wild bool) []T {
	v := make([]T, n)
	for i := range v {
		switch v := any(v).(type) {
		case []uint8:
			v[i] = uint8(rng.IntN(256)) >> rng.IntN(8)
		case []uint16:
			v[i] = uint16(rng.IntN(65536)) >> rng.IntN(16)
		case []float32:
			v[i] = float32(rng.IntN(9)-4) * float32(math.Exp(4*rng.NormFloat64()))
			if wild && rng.IntN(9) == 0 {
				v[i] = [...]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[rng.IntN(3)]
			}
		}
	}
	return v
}

// sizes are lengths with and without tails.
func sizes(rng *rand.Rand) []int {
	return []int{0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 64 * (1 + rng.IntN(9)), rng.IntN(900)}
}

func same[T Sample](a, b []T) bool {
	return slices.EqualFunc(a, b, func(x, y T) bool { return x == y || x != x && y != y })
}

func testPair[T Sample](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			for _, shift := range []int{0, 1, 2, 9, 40} {
				l, h := samplesOf[T](rng, n+shift+1, false), samplesOf[T](rng, n+shift+1, false)
				wl, wh := slices.Clone(l), slices.Clone(h)
				for i := range n {
					wl[i], wh[i] = min(l[i], l[i+shift]), max(h[i], h[i+shift])
				}
				PairBy(level, l[:n], h[:n], l[:n], h[:n], l[shift:], h[shift:])
				if !same(l, wl) || !same(h, wh) {
					t.Fatalf("%s, %d %T, shifted by %d: %v %v, want %v %v", level, n, l[0], shift, l, h, wl, wh)
				}
			}
		}
	}
}

// TestPair works in place over lengths with tails, and looks at what lies behind.
func TestPair(t *testing.T) {
	testPair[uint8](t)
	testPair[uint16](t)
	testPair[float32](t)
}

// TestTake leaves out what is not finite.
func TestTake(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			x, l, h := samplesOf[float32](rng, n+1, true), samplesOf[float32](rng, n+1, false), samplesOf[float32](rng, n+1, false)
			wl, wh := slices.Clone(l), slices.Clone(h)
			for i := range n {
				if x[i]-x[i] == 0 {
					wl[i], wh[i] = min(l[i], x[i]), max(h[i], x[i])
				}
			}
			if level.TakeF32(l[:n], h[:n], l, h, x); !same(l, wl) || !same(h, wh) {
				t.Fatalf("%s, %d samples %v: %v %v, want %v %v", level, n, x, l, h, wl, wh)
			}
		}
	}
}

// words are n words to be overwritten, and one that is not.
func words(n int) []uint64 {
	w := make([]uint64, (n+63)/64+1)
	for i := range w {
		w[i] = 0xdeadbeef
	}
	return w
}

// checkMasks compares each bit with what it should be, and the rest with nothing.
func checkMasks(t *testing.T, what string, n int, masks [][]uint64, want func(i, mask int) bool) {
	t.Helper()
	for k, mask := range masks {
		for i := range 64 * (len(mask) - 1) {
			got := mask[i/64]>>(i%64)&1 == 1
			if (i < n && got != want(i, k)) || (i >= n && got) {
				t.Fatalf("%s, %d samples: bit %d of mask %d is %v", what, n, i, k, got)
			}
		}
		if mask[len(mask)-1] != 0xdeadbeef {
			t.Fatalf("%s, %d samples: mask %d goes on", what, n, k)
		}
	}
}

func testMids[T uint8 | uint16](t *testing.T, compare func(Level, []uint64, []uint64, []T, []T, []T, Mids)) {
	rng := rand.New(rand.NewPCG(3, 6))
	top := int(^T(0))
	numbers := []int{0, 1, 2, 3, 30, 31, 254, 255, 256, 509, 510, 511, top, 2 * top, 2*top + 1, 1 << 20}
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			for range 40 {
				v, l, h := samplesOf[T](rng, n, false), samplesOf[T](rng, n, false), samplesOf[T](rng, n, false)
				pairGo(l, h, l, l, h, h)
				m := Mids{numbers[rng.IntN(len(numbers))], numbers[rng.IntN(len(numbers))], numbers[rng.IntN(len(numbers))]}
				if rng.IntN(9) == 0 {
					m.Centre = -m.Centre
				}
				b, a := words(n), words(n)
				compare(level, b, a, v, l, h, m)
				checkMasks(t, fmt.Sprintf("%s, %T, %+v", level, top, m), n, [][]uint64{b, a}, func(i, mask int) bool {
					sum, twice := int(l[i])+int(h[i]), 2*int(v[i])
					if int(h[i])-int(l[i]) < m.Contrast {
						return (sum < m.Centre) == (mask == 0)
					}
					return mask == 0 && twice <= sum || mask == 1 && twice > sum+m.Margin
				})
			}
		}
	}
}

// TestMids compares with the definition, for parameters within and beyond what samples can reach.
func TestMids(t *testing.T) {
	testMids(t, func(level Level, b, a []uint64, v, l, h []uint8, m Mids) { level.MidsU8(b, a, v, l, h, m) })
	testMids(t, func(level Level, b, a []uint64, v, l, h []uint16, m Mids) { level.MidsU16(b, a, v, l, h, m) })
}

func TestMidsF32(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			for range 20 {
				v, l, h := samplesOf[float32](rng, n, true), samplesOf[float32](rng, n, false), samplesOf[float32](rng, n, false)
				pairGo(l, h, l, l, h, h)
				for i := range n {
					if rng.IntN(20) == 0 {
						l[i], h[i] = float32(math.Inf(1)), float32(math.Inf(-1))
					}
				}
				m := FloatMids{max(0, rng.NormFloat64()), max(0, 9*rng.NormFloat64()), 9 * rng.NormFloat64()}
				b, a, nan := words(n), words(n), words(n)
				level.MidsF32(b, a, nan, v, l, h, m)
				checkMasks(t, fmt.Sprintf("%s, %+v", level, m), n, [][]uint64{b, a, nan}, func(i, mask int) bool {
					lo, hi, y := float64(l[i]), float64(h[i]), float64(v[i])
					switch {
					case y != y || mask == 2:
						return y != y && mask == 2
					case lo > hi:
						return false
					case hi-lo < m.Contrast:
						return (lo+hi < m.Centre) == (mask == 0)
					}
					return mask == 0 && 2*y <= lo+hi || mask == 1 && 2*y > lo+hi+m.Margin
				})
			}
		}
	}
}
