package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"segscan/segment"
)

// TestLocalMedianOfAwkwardSamples compares with sorting where codes are hard to choose: one value, two, many that are
// equal, steps, the ends of the type's range, both zeros, numbers too small to be normal, and samples that are not finite,
// with offsets that no sample reaches as well.
func TestLocalMedianOfAwkwardSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	inf, tiny := math.Inf(1), float64(math.SmallestNonzeroFloat32)
	pages := map[string]func(i int) float64{
		"one value":  func(int) float64 { return 77 },
		"two values": func(i int) float64 { return float64(i * 7919 % 13 % 2 * 200) },
		"flat ground": func(int) float64 {
			return [...]float64{100, 100, 100, 100, 100, 101, 99, float64(rng.IntN(256))}[rng.IntN(8)]
		},
		"steps": func(i int) float64 { return float64(i % 60) },
		"ends":  func(int) float64 { return [...]float64{0, 1, 255, 65535, 65534}[rng.IntN(5)] },
		"floats": func(int) float64 {
			return [...]float64{math.MaxFloat32, -math.MaxFloat32, 0, math.Copysign(0, -1), tiny, -tiny, 3, inf, -inf, math.NaN()}[rng.IntN(10)]
		},
		"beside zero": func(i int) float64 { return float64(i*7919%5 - 2) }, // thresholds of 0, of which there are many next to it
		"fine":        func(int) float64 { return float64(float32(1 + 1e-6*rng.Float64())) },
		"no numbers": func(i int) float64 {
			if i%40 == 0 {
				return 5
			}
			return math.NaN()
		},
	}
	for name, pixel := range pages {
		for _, keys := range []string{"", ",offset=0.5", ",offset=-300", ",offset=1e30", ",offset=-1e-7,margin=3", ",margin=1e38", ",offset=70000", ",offset=1,margin=1"} {
			for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
				p := newTestPage(rng, typ, 61, 19)
				for i := range p.px {
					p.px[i] = pixel(i)
					switch typ {
					case segment.U8:
						p.px[i] = math.Floor(max(0, min(p.px[i], 255)))
					case segment.U16:
						p.px[i] = math.Floor(max(0, min(p.px[i], 65535)))
					}
					if typ != segment.F32 && p.px[i] != p.px[i] {
						p.px[i] = 9
					}
				}
				c := p.bind(t, "localmedian:window=7x3"+keys, Options{NaN: segment.Activation})
				for i, class := range p.classes(t, c, segment.Axis(rng.IntN(2)), 8) {
					v, T := p.px[i], p.oracle(c, i%p.w, i/p.w)
					want := segment.Other
					switch {
					case v != v:
						want = segment.Activation
					case v <= T:
						want = segment.Boundary
					case v > T+c.Margin:
						want = segment.Activation
					}
					if class != want {
						t.Fatalf("%s, %s: pixel %d,%d = %v with T = %v is %d, want %d", name+keys, typ, i%p.w, i/p.w, v, T, class, want)
					}
				}
			}
		}
	}
}

// TestLocalMedianOfLargeWindows uses windows that hold more samples than 16 bits can count.
func TestLocalMedianOfLargeWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		p := newTestPage(rng, typ, 310, 280)
		c := p.bind(t, "localmedian:window=301x275", Options{})
		got := p.classes(t, c, segment.Rows, 280)
		for range 12 {
			i := rng.IntN(len(p.px))
			want := segment.Activation
			if p.px[i] <= p.oracle(c, i%p.w, i/p.w) {
				want = segment.Boundary
			}
			if got[i] != want {
				t.Fatalf("%s: pixel %d,%d = %v is %d, want %d", typ, i%p.w, i/p.w, p.px[i], got[i], want)
			}
		}
	}
}

// TestBlockLines divides lines without a low last block, and keeps to about the size asked for.
func TestBlockLines(t *testing.T) {
	for _, c := range [][3]int{{1, 256, 1}, {100, 256, 100}, {288, 256, 288}, {289, 256, 145}, {1024, 1020, 1024}, {1024, 256, 256}, {5000, 1024, 1000}} {
		if got := blockLines(c[0], c[1]); got != c[2] {
			t.Errorf("%d lines in blocks of about %d: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
