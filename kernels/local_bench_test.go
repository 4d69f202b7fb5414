package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"segscan/segment"
)

// benchPage is a page of samples that differ from their neighbours, but not by much.
func benchPage(typ segment.SampleType, w, h int) segment.Band {
	rng := rand.New(rand.NewPCG(1, 1))
	p := &segment.PageInfo{Type: typ, Width: int64(w), Height: int64(h), Max: 255}
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
	return segment.Band{Page: p, Lines: h, Samples: w, V: v}
}

// benchLocal gives the function that classifies a page by a local kernel. A survey of the page counts.
func benchLocal(b *testing.B, band segment.Band, spec string) func() {
	s, err := Parse(spec)
	if err != nil {
		b.Fatal(err)
	}
	var m segment.Masks
	c := bindBand(b, s, &band)
	_, survey := s.(Surveyed)
	return func() {
		if survey {
			c = bindBand(b, s, &band)
		}
		if err := c.Classify(band, &m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLocal measures classification on one core of pages of several sizes: in gigapixels a second of processor time
// with windows of 31 and of 255, by turns, and how many times as long the wide ones take. All are medians of the turns.
func BenchmarkLocal(b *testing.B) {
	for _, size := range []struct{ w, h int }{{1000, 700}, {2048, 2048}, {4096, 1024}, {4096, 4096}} {
		for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
			var band segment.Band
			for _, k := range localKernels() {
				b.Run(fmt.Sprintf("%dx%d/%s/%s", size.w, size.h, typ, k.info.Name), func(b *testing.B) {
					if band.Page == nil {
						band = benchPage(typ, size.w, size.h)
					}
					var took [2][]time.Duration
					var classify [2]func()
					for i, window := range []int{31, 255} {
						classify[i] = benchLocal(b, band, fmt.Sprintf("%s:window=%d", k.info.Name, window))
						classify[i]()
					}
					for b.Loop() {
						for i, f := range classify {
							begin := cpuTime()
							f()
							took[i] = append(took[i], cpuTime()-begin)
						}
					}
					for _, t := range took {
						slices.Sort(t)
					}
					near, wide := took[0][len(took[0])/2].Seconds(), took[1][len(took[1])/2].Seconds()
					pixels := float64(size.w*size.h) / 1e9
					b.ReportMetric(pixels/near, "Gpx/s-31")
					b.ReportMetric(pixels/wide, "Gpx/s-255")
					b.ReportMetric(wide/near, "times-255")
					b.ReportMetric(0, "ns/op") // of both windows, which says nothing
				})
			}
		}
	}
}
