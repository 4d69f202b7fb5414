package simd

import (
	"encoding/binary"
	"math"
	"sync"
	"testing"
)

// FuzzLevels runs every function by every level on the same bytes, taken as samples of each type from an unaligned
// start, and compares with the portable form.
func FuzzLevels(f *testing.F) {
	f.Add([]byte("some samples to begin with, more than a word of them, so that there is a whole one and a rest"), 40, 60, float32(1), float32(2), byte(0))
	f.Add(make([]byte, 1000), -1, 256, float32(math.NaN()), float32(math.Inf(1)), byte(1))
	fuzzTables := sync.OnceValues(func() (*Table8, *Table16) {
		var of [65536]uint8
		for i := range of {
			of[i] = uint8(uint32(i)*2654435761>>8) % 3
		}
		return NewTable8(of[:256]), NewTable16(of[:])
	})
	f.Fuzz(func(t *testing.T, data []byte, lo, hi int, flo, fhi float32, how byte) {
		off := int(how >> 4)
		v8 := data[min(off, len(data)):]
		v16, vf := make([]uint16, len(v8)/2), make([]float32, len(v8)/4)
		for i := range v16 {
			v16[i] = binary.LittleEndian.Uint16(v8[2*i:])
		}
		for i := range vf {
			vf[i] = math.Float32frombits(binary.LittleEndian.Uint32(v8[4*i:]))
		}
		t8, t16 := fuzzTables()
		for _, c := range []struct {
			what string
			n    int
			run  func(l Level, b, a []uint64)
		}{
			{"u8", len(v8), func(l Level, b, a []uint64) { l.ThresholdU8(b, a, v8, lo%300, hi%300) }},
			{"u16", len(v16), func(l Level, b, a []uint64) { l.ThresholdU16(b, a, v16, lo%70000, hi%70000) }},
			{"f32", len(vf), func(l Level, b, a []uint64) { l.ThresholdF32(b, a, vf, flo, fhi, how&1 != 0, how&2 != 0) }},
			{"table u8", len(v8), func(l Level, b, a []uint64) { l.TableU8(b, a, v8, t8) }},
			{"table u16", len(v16), func(l Level, b, a []uint64) { l.TableU16(b, a, v16, t16) }},
		} {
			b, a := make([]uint64, Words(c.n)), make([]uint64, Words(c.n))
			c.run(Portable, b, a)
			masks(t, c.what, c.n, c.run, func(i int) int { return int(b[i/64]>>(i%64)&1 + a[i/64]>>(i%64)&1*2) })
			for _, l := range Levels() {
				if d := scanDiff(l, b, a, uint64(how)*64, uint64(how>>2&1), 3); d != "" {
					t.Fatalf("%s, scan of %s: %s", l, c.what, d)
				}
			}
		}
		for _, l := range Levels() {
			if len(v8) > 0 {
				s, least, most := l.StatU8(v8)
				ws, wl, wm := Portable.StatU8(v8)
				if s != ws || least != wl || most != wm {
					t.Fatalf("%s, u8: %d %d %d, want %d %d %d", l, s, least, most, ws, wl, wm)
				}
			}
			if len(v16) > 0 {
				s, least, most := l.StatU16(v16)
				ws, wl, wm := Portable.StatU16(v16)
				if s != ws || least != wl || most != wm {
					t.Fatalf("%s, u16: %d %d %d, want %d %d %d", l, s, least, most, ws, wl, wm)
				}
			}
		}
	})
}
