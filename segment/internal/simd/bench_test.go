package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkSimd runs the loops over samples by every level, on data that fits the second-level cache. Sum is the read
// to compare with.
func BenchmarkSimd(b *testing.B) {
	const n = 1 << 16
	v8, v16, vf, v64 := make([]uint8, n), make([]uint16, n), make([]float32, n), make([]uint64, n/8)
	for i := range v8 {
		x := uint32(i) * 2654435761
		v8[i], v16[i], vf[i] = uint8(x>>24), uint16(x>>16), float32(x>>16)
	}
	mb, ma := make([]uint64, n/64), make([]uint64, n/64)
	of := make([]uint8, 65536)
	for v := range of {
		of[v] = uint8(v % 3)
	}
	t8, t16 := NewTable8(of[:256]), NewTable16(of)
	var h8 Counter8
	var h16 Counter16
	c := NewF32Counts()
	run := func(name string, bytes int, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(bytes))
			for b.Loop() {
				f()
			}
		})
	}
	for _, l := range Levels() {
		for _, f := range []struct {
			name  string
			bytes int
			run   func()
		}{
			{"Sum", n, func() { l.Sum(v64) }},
			{"ThresholdU8", n, func() { l.ThresholdU8(mb, ma, v8, 3, 200) }},
			{"ThresholdU16", 2 * n, func() { l.ThresholdU16(mb, ma, v16, 3, 60000) }},
			{"ThresholdF32", 4 * n, func() { l.ThresholdF32(mb, ma, vf, 3, 60000, true, false) }},
			{"TableU8", n, func() { l.TableU8(mb, ma, v8, t8) }},
			{"TableU16", 2 * n, func() { l.TableU16(mb, ma, v16, t16) }},
			{"StatU8", n, func() { l.StatU8(v8) }},
			{"StatU16", 2 * n, func() { l.StatU16(v16) }},
			{"HistogramU8", n, func() { h8.AddBy(l, v8) }},
			{"HistogramU16", 2 * n, func() { h16.AddBy(l, v16) }},
			{"HistogramF32", 4 * n, func() { l.HistogramF32(&h16, vf, &c) }},
		} {
			run(f.name+"/"+l.String(), f.bytes, f.run)
		}
	}
}

// BenchmarkScan runs the two halves of the scan on the masks of 400 lines of 4096 samples, of which one in q is a
// boundary and one an activation. The rate is that of u8 samples.
func BenchmarkScan(b *testing.B) {
	const lines, words = 400, 64
	for _, q := range []int{8, 64, 512, 4096} {
		mb, ma := randomMasks(rand.New(rand.NewPCG(1, 1)), lines*words, q)
		lists, out := make([][]Closing, lines), make([]Pair, 32*words+1)
		for i := range lists {
			lists[i] = make([]Closing, words)
			n, _ := Close(lists[i], mb[i*words:][:words], ma[i*words:][:words], 0, 0)
			lists[i] = lists[i][:n]
		}
		for _, l := range Levels() {
			if l != Portable && l != AVX2 {
				continue // others have no loops of their own here
			}
			b.Run(fmt.Sprintf("Close/1in%d/%s", q, l), func(b *testing.B) {
				b.SetBytes(lines * words * 64)
				for b.Loop() {
					for i := range lists {
						n, _ := l.Close(lists[i][:words], mb[i*words:][:words], ma[i*words:][:words], 0, 0)
						lists[i] = lists[i][:n]
					}
				}
			})
			b.Run(fmt.Sprintf("Spans/1in%d/%s", q, l), func(b *testing.B) {
				b.SetBytes(lines * words * 64)
				for b.Loop() {
					for i := range lists {
						SpansBy(l, out, lists[i], 0)
					}
				}
			})
		}
	}
}
