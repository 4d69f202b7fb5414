package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"segscan/segment"
)

// BenchmarkFilter tells samples a second and core, as bytes of one each: on 8-bit and float samples, of noise (for which
// medians are slowest) on a drift.
func BenchmarkFilter(b *testing.B) {
	const lines, samples = 256, 4096
	rng := rand.New(rand.NewPCG(1, 2))
	value := func(s int) float64 { return 128 + 60*math.Sin(float64(s)/500) + 20*rng.Float64() }
	u8, f32 := segment.NewPlane(segment.U8, lines, samples), segment.NewPlane(segment.F32, lines, samples)
	for i := range u8.U8 {
		u8.U8[i], f32.F32[i] = uint8(value(i%samples)), float32(value(i%samples))
	}
	for _, key := range []string{"smooth=2", "smooth=20", "smooth2d=2", "baseline=opening:51", "baseline=opening:1001", "baseline=median:51", "baseline=median:1001", "baseline=median:5001", "baseline=median:101,smooth=2"} {
		for _, p := range []segment.Plane{u8, f32} {
			b.Run(key+"/"+p.Type().String(), func(b *testing.B) {
				f := parsed(b, "otsu:"+key).Filters()[0]
				band := segment.Band{Page: &segment.PageInfo{Width: 2 * samples, Height: lines}, Lines: lines, Samples: samples, V: p}
				if f.(*Filter).Window <= samples {
					band.Page.Width = samples
				} else { // two lines' samples in one
					band.Page.Height, band.Lines, band.Samples = lines/2, lines/2, 2*samples
					band.V.Lines, band.V.Samples, band.V.Stride = lines/2, 2*samples, 2*samples
				}
				b.SetBytes(lines * samples)
				var out segment.Band
				for b.Loop() {
					if err := f.Apply(band, &out); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
