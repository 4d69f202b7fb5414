package segment_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	. "segscan/segment"
	"segscan/segment/segmenttest"
)

// benchSamples is more than the caches hold: what counts is the speed of memory.
const benchSamples, benchWidth = 1 << 26, 4096

// benchBand is a band of lines of 4096 samples in which one sample of q is a boundary and one an activation.
func benchBand(t SampleType, q int) Band {
	n := benchSamples / t.Bytes()
	p := NewPlane(t, n/benchWidth, benchWidth)
	classes := segmenttest.Random(rand.New(rand.NewPCG(1, uint64(q))), n, 1/float64(q), 1/float64(q))
	for i, c := range classes {
		value := [3]uint8{150, 50, 220}[c]
		switch t {
		case U8:
			p.U8[i] = value
		case U16:
			p.U16[i] = uint16(value)
		default:
			p.F32[i] = float32(value)
		}
	}
	return Band{Lines: p.Lines, Samples: p.Samples, V: p}
}

// BenchmarkSegment: 2 sample in q are boundary or activation. Compare with BenchmarkRead of the same run.
func BenchmarkSegment(b *testing.B) {
	for _, workers := range []int{1, 2} {
		for _, t := range []SampleType{U8, U16, F32} {
			for _, q := range []int{8, 64, 512, 4096} {
				band := benchBand(t, q)
				b.Run(fmt.Sprintf("%s/1in%d/workers=%d", t, q, workers), func(b *testing.B) {
					l := load(b, NewCPU(workers), band)
					var r Result
					b.SetBytes(benchSamples)
					b.ReportAllocs()
					for b.Loop() {
						if err := l.Segment(context.Background(), testThresholds, Options{}, nil, &r); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkSegmentOneLine is the same number of samples in a single line, which tiles must share.
func BenchmarkSegmentOneLine(b *testing.B) {
	band := benchBand(U8, 512)
	band.V.Lines, band.V.Samples, band.V.Stride = 1, benchSamples, benchSamples
	band.Lines, band.Samples = 1, benchSamples
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			l := load(b, NewCPU(workers), band)
			var r Result
			b.SetBytes(benchSamples)
			for b.Loop() {
				if err := l.Segment(context.Background(), testThresholds, Options{}, nil, &r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRead adds up the bytes of the same amount of memory, eight at a time, on one core: what portable code
// could reach at most.
func BenchmarkRead(b *testing.B) {
	v := make([]uint64, benchSamples/8)
	for i := range v {
		v[i] = uint64(i)
	}
	b.SetBytes(benchSamples)
	var sink uint64
	for b.Loop() {
		var s [8]uint64
		for i := 0; i+8 <= len(v); i += 8 {
			w := (*[8]uint64)(v[i:])
			for k := range w {
				s[k] += w[k]
			}
		}
		for _, x := range s {
			sink += x
		}
	}
	if sink == 0 {
		b.Fatal("nothing was read")
	}
}

// BenchmarkSequential is the definition, sample by sample, on the same classes.
func BenchmarkSequential(b *testing.B) {
	for _, q := range []int{8, 512} {
		classes := segmenttest.Random(rand.New(rand.NewPCG(1, uint64(q))), benchWidth, 1/float64(q), 1/float64(q))
		b.Run(fmt.Sprintf("1in%d", q), func(b *testing.B) {
			b.SetBytes(benchWidth)
			for b.Loop() {
				Sequential(classes, EdgesDrop, false)
			}
		})
	}
}

func BenchmarkMeasure(b *testing.B) {
	for _, t := range []SampleType{U8, U16, F32} {
		for _, q := range []int{8, 512} {
			b.Run(fmt.Sprintf("%s/1in%d", t, q), func(b *testing.B) {
				l := load(b, NewCPU(1), benchBand(t, q))
				var r Result
				if err := l.Segment(context.Background(), testThresholds, Options{Masks: true}, nil, &r); err != nil {
					b.Fatal(err)
				}
				out := make([]Stat, len(r.Kept.Bounds))
				b.SetBytes(benchSamples)
				b.ReportAllocs()
				for b.Loop() {
					if err := l.Measure(context.Background(), r.Kept, r.Masks, out); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkHistogram(b *testing.B) {
	for _, t := range []SampleType{U8, U16, F32} {
		b.Run(t.String(), func(b *testing.B) {
			l := load(b, NewCPU(1), benchBand(t, 64))
			b.SetBytes(benchSamples)
			for b.Loop() {
				if err := l.Histogram(context.Background(), false, make([]Histogram, 1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
