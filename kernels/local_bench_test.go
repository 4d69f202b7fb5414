package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"segscan/segment"
)

// BenchmarkLocal measures classification on one core, in gigapixels a second of processor time, of a page of 4 Mpx.
func BenchmarkLocal(b *testing.B) {
	const w, h = 4096, 1024
	rng := rand.New(rand.NewPCG(1, 1))
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		p := &segment.PageInfo{Type: typ, Width: w, Height: h, Max: 255}
		v := segment.NewPlane(typ, h, w)
		level := 0.
		for i := range w * h {
			level = 0.9*level + rng.NormFloat64()
			x := 128 + 20*level
			switch typ {
			case segment.U8:
				v.U8[i] = uint8(max(0, min(x, 255)))
			case segment.U16:
				v.U16[i] = uint16(max(0, min(100*x, 65535)))
			default:
				v.F32[i] = float32(x)
			}
		}
		for _, k := range localKernels() {
			for _, window := range []int{31, 255} {
				b.Run(fmt.Sprintf("%s/%s/%d", typ, k.info.Name, window), func(b *testing.B) {
					s, err := Parse(fmt.Sprintf("%s:window=%d", k.info.Name, window))
					if err != nil {
						b.Fatal(err)
					}
					band := segment.Band{Page: p, Lines: h, Samples: w, V: v}
					var c segment.Classifier
					bind := func() {
						if c, _, err = s.Bind(p, []segment.Histogram{{N: 1, Max: 255}}, Options{}); err != nil {
							b.Fatal(err)
						}
					}
					wolf, survey := s.(Surveyed)
					if survey { // its pass over the page counts
						bind = func() {
							v, err := wolf.Survey(p)
							if err != nil {
								b.Fatal(err)
							}
							if err := v.Add(band); err != nil {
								b.Fatal(err)
							}
							if c, _, err = v.Bind(Options{}); err != nil {
								b.Fatal(err)
							}
						}
					}
					bind()
					var m segment.Masks
					begin := cpuTime()
					for b.Loop() {
						if survey {
							bind()
						}
						if err := c.Classify(band, &m); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(w*h)*float64(b.N)/(cpuTime()-begin).Seconds()/1e9, "Gpx/s")
				})
			}
		}
	}
}
