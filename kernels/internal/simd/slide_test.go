package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func testSlide[T Sample](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for _, level := range Levels() {
		for _, w := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 96, 97, 111, 112, 113, 127, 191, 192, 193, 200, 223, 224, 255, 257, 447, 448, 511, 1023} {
			for _, n := range []int{1, w - 1, w, w + 1, w + 30, w + 31, w + 32, w + 64 + rng.IntN(300)} {
				l, h := samplesOf[T](rng, n+SlideRoom, false), samplesOf[T](rng, n+SlideRoom, false)
				for i := range 4 { // far between, so that the extremes come from anywhere in a window
					l[rng.IntN(n+1)], h[rng.IntN(n+1)] = 0, T(200+i)
				}
				wl, wh := slices.Clone(l), slices.Clone(h)
				for i := range max(0, n-w+1) {
					wl[i], wh[i] = slices.Min(l[i:i+w]), slices.Max(h[i:i+w])
				}
				SlideBy(level, l, h, w)
				if k := max(0, n-w+1); !same(l[:k], wl[:k]) || !same(h[:k], wh[:k]) {
					t.Fatalf("%s, %T, %d of %d columns: %v %v, want %v %v", level, l, w, n, l[:k], h[:k], wl[:k], wh[:k])
				}
			}
		}
	}
}

// TestSlide compares with the extremes of every window one by one.
func TestSlide(t *testing.T) {
	testSlide[uint8](t)
	testSlide[uint16](t)
	testSlide[float32](t)
}

func guardSlide[T Sample](t *testing.T, rng *rand.Rand, level Level, n int, first bool) {
	for _, w := range []int{2, 5, 16, 17, 31, 33, 48, 65, 96, 112, 130, 192, 224, 448} {
		l := fencedLike(t, samplesOf[T](rng, n+SlideRoom, false), first)
		h := fencedLike(t, samplesOf[T](rng, n+SlideRoom, false), first)
		SlideBy(level, l, h, w)
	}
}

func benchmarkSlide[T Sample](b *testing.B) {
	const n = 4096
	for _, w := range []int{31, 255} {
		b.Run(fmt.Sprintf("%T/%d", *new(T), w), func(b *testing.B) {
			l, h := make([]T, n+w+SlideRoom), make([]T, n+w+SlideRoom)
			for b.Loop() {
				Slide(l, h, w)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gpx/s")
		})
	}
}

func BenchmarkSlide(b *testing.B) {
	benchmarkSlide[uint8](b)
	benchmarkSlide[uint16](b)
	benchmarkSlide[float32](b)
}
