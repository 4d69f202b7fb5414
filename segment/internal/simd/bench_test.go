package simd

import "testing"

func BenchmarkSimd(b *testing.B) {
	const n = 1 << 16
	v8, v16, vf := make([]uint8, n), make([]uint16, n), make([]float32, n)
	for i := range v8 {
		x := uint32(i) * 2654435761
		v8[i], v16[i], vf[i] = uint8(x>>24), uint16(x>>16), float32(x>>16)
	}
	mb, ma := make([]uint64, n/64), make([]uint64, n/64)
	var t8 Table8
	var t16 Table16
	var h8 [256]uint64
	var h16 [65536]uint64
	c := NewF32Counts()
	for _, f := range []struct {
		name  string
		bytes int
		run   func()
	}{
		{"ThresholdU8", 1, func() { ThresholdU8(mb, ma, v8, 3, 200) }},
		{"ThresholdU16", 2, func() { ThresholdU16(mb, ma, v16, 3, 60000) }},
		{"ThresholdF32", 4, func() { ThresholdF32(mb, ma, vf, 3, 60000, true, false) }},
		{"TableU8", 1, func() { TableU8(mb, ma, v8, &t8) }},
		{"TableU16", 2, func() { TableU16(mb, ma, v16, &t16) }},
		{"HistogramU8", 1, func() { HistogramU8(&h8, v8) }},
		{"HistogramU16", 2, func() { HistogramU16(&h16, v16) }},
		{"HistogramF32", 4, func() { HistogramF32(&h16, vf, &c) }},
		{"StatU8", 1, func() { StatU8(v8) }},
		{"StatU16", 2, func() { StatU16(v16) }},
	} {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(int64(f.bytes * n))
			for b.Loop() {
				f.run()
			}
		})
	}
}
