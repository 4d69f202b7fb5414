package segment_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
	"unsafe"

	. "segscan/segment"
	"segscan/segment/internal/simd"
)

// automaton is the definition as one would write it for a line of u8 samples, without an engine.
func automaton(v []uint8, lo, hi uint8, out []Bound) []Bound {
	last, active := -1, false
	for i, x := range v {
		if x <= lo {
			if active && last >= 0 {
				out = append(out, Bound{Start: uint32(last), End: uint32(i)})
			}
			last, active = i, false
		} else if x >= hi {
			active = true
		}
	}
	return out
}

// median runs each of fs in turn, several times, and gives the median time of each: what else the machine does then
// weighs on all alike.
func medians(rounds int, fs ...func()) []float64 {
	times := make([][]float64, len(fs))
	for range rounds {
		for k, f := range fs {
			start := time.Now()
			f()
			times[k] = append(times[k], time.Since(start).Seconds())
		}
	}
	out := make([]float64, len(fs))
	for k, t := range times {
		slices.Sort(t)
		out[k] = t[len(t)/2]
	}
	return out
}

// words is the memory of a plane.
func words(p *Plane) []uint64 {
	switch {
	case p.U8 != nil:
		return unsafe.Slice((*uint64)(unsafe.Pointer(&p.U8[0])), len(p.U8)/8)
	case p.U16 != nil:
		return unsafe.Slice((*uint64)(unsafe.Pointer(&p.U16[0])), len(p.U16)/4)
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&p.F32[0])), len(p.F32)/2)
}

// BenchmarkRatio measures one core's Segment beside a loop that only reads the same memory, and beside the scalar
// automaton for u8: of-read is the share of the read's bytes a second, x-scalar how many times the automaton's.
func BenchmarkRatio(b *testing.B) {
	var sink uint64
	for _, t := range []SampleType{U8, U16, F32} {
		for _, table := range []bool{false, true} {
			if table && t == F32 {
				continue
			}
			for _, q := range []int{8, 64, 512, 4096} {
				name, c := fmt.Sprintf("%s/1in%d", t, q), Classifier(testThresholds)
				if table {
					name, c = name+"/table", tableFor(t)
				}
				b.Run(name, func(b *testing.B) {
					band := benchBand(t, q)
					l := load(b, NewCPU(1), band)
					mem := words(&band.V)
					var r Result
					var spans []Bound
					runs := []func(){
						func() { sink += simd.Sum(mem) },
						func() {
							if err := l.Segment(context.Background(), c, Options{}, nil, &r); err != nil {
								b.Fatal(err)
							}
						},
					}
					if t == U8 && !table {
						runs = append(runs, func() {
							spans = spans[:0]
							for i := 0; i < len(band.V.U8); i += benchWidth {
								spans = automaton(band.V.U8[i:i+benchWidth], 100, 200, spans)
							}
						})
					}
					for _, f := range runs {
						f() // memory is there
					}
					for b.Loop() {
						m := medians(11, runs...)
						b.ReportMetric(benchSamples/m[0]/1e9, "read-GB/s")
						b.ReportMetric(benchSamples/m[1]/1e9, "GB/s")
						b.ReportMetric(m[0]/m[1], "of-read")
						if len(m) > 2 {
							b.ReportMetric(m[2]/m[1], "x-scalar")
							if !slices.Equal(spans, r.Kept.Bounds) {
								b.Fatal("the automaton finds other spans")
							}
						}
					}
				})
			}
		}
	}
	if sink == 1 {
		b.Log("read")
	}
}

// tableFor is testThresholds as a table.
func tableFor(t SampleType) Table {
	n := 256
	if t == U16 {
		n = 65536
	}
	of := make([]Class, n)
	for v := range of {
		switch {
		case v <= 100:
			of[v] = Boundary
		case v >= 200:
			of[v] = Activation
		}
	}
	return Table{Of: of}
}
