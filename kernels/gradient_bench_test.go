package kernels

import (
	"testing"

	"segscan/segment"
)

// BenchmarkGradient tells samples a second and core, as bytes of one each.
func BenchmarkGradient(b *testing.B) {
	const lines, samples = 256, 4096
	p := segment.NewPlane(segment.U8, lines, samples)
	for i := range p.U8 {
		p.U8[i] = uint8(i * i % 251)
	}
	band := segment.Band{Page: &segment.PageInfo{Width: samples, Height: lines}, Lines: lines, Samples: samples, V: p}
	for name, sigma := range map[string]float64{"sigma=1": 1, "sigma=4": 4} {
		b.Run(name, func(b *testing.B) {
			c := &Gradient{Sigma: sigma, Edge: 10, Hi: 200}
			b.SetBytes(lines * samples)
			var m segment.Masks
			for b.Loop() {
				if err := c.Classify(band, &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
