package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

const canary = 0xdeadbeefcafef00d

// masks runs f by each level on mask slices with canaries around and compares with what is asked of each sample: 1 for
// b, 2 for a.
func masks(t *testing.T, what string, n int, f func(l Level, b, a []uint64), class func(i int) int) {
	t.Helper()
	for _, l := range Levels() {
		if diff := masksDiff(n, func(b, a []uint64) { f(l, b, a) }, class); diff != "" {
			t.Fatalf("%s, %s, %d samples: %s", l, what, n, diff)
		}
	}
}

func masksDiff(n int, f func(b, a []uint64), class func(i int) int) string {
	w := Words(n)
	guardedB, guardedA := make([]uint64, w+4), make([]uint64, w+4)
	for i := range guardedB {
		guardedB[i], guardedA[i] = canary, canary
	}
	b, a := guardedB[2:], guardedA[2:]
	f(b[:w], a[:w])
	for i := range 2 {
		if guardedB[i] != canary || guardedA[i] != canary {
			return "wrote before the masks"
		}
	}
	for i := range w * 64 {
		want := 0
		if i < n {
			want = class(i)
		}
		if got := int(b[i/64]>>(i%64)&1 + 2*(a[i/64]>>(i%64)&1)); got != want {
			return fmt.Sprintf("sample %d: class %d, want %d", i, got, want)
		}
	}
	for i := w; i < w+2; i++ {
		if b[i] != canary || a[i] != canary {
			return "wrote beyond the masks"
		}
	}
	return ""
}

var widths = func() (w []int) {
	for i := range 301 {
		w = append(w, i)
	}
	return append(w, 1000, 4096)
}()

func plain[T int | float64](v, lo, hi T) int {
	switch {
	case v <= lo:
		return 1
	case v >= hi:
		return 2
	}
	return 0
}

// Every pair of bounds, every value, by a sample vector that holds all values.
func TestThresholdU8AllBounds(t *testing.T) {
	v := make([]uint8, 256)
	for i := range v {
		v[i] = uint8(i)
	}
	step := 1
	if testing.Short() {
		step = 5 // divides 255 and leaves the ends in
	}
	for lo := -1; lo <= 255; lo++ {
		for hi := 0; hi <= 256; hi++ {
			if lo%step != 0 && hi%step != 0 && hi-lo > 2 {
				continue
			}
			masks(t, fmt.Sprint("bounds ", lo, " ", hi), len(v), func(l Level, b, a []uint64) { l.ThresholdU8(b, a, v, lo, hi) },
				func(i int) int { return plain(i, lo, hi) })
		}
	}
}

func TestThresholdWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	u16s := []int{-1, 0, 1, 255, 256, 32766, 32767, 32768, 32769, 65534, 65535, 65536}
	for _, n := range widths {
		v8, v16 := make([]uint8, n+3), make([]uint16, n+3)
		for i := range v8 {
			v8[i], v16[i] = uint8(rng.Uint32()), uint16(rng.Uint32())
			if rng.IntN(4) == 0 {
				v16[i] = uint16(u16s[rng.IntN(len(u16s))])
			}
		}
		for off := range 4 { // unaligned starts
			w8, w16 := v8[off:][:max(0, n-off)], v16[off:][:max(0, n-off)]
			lo, hi := rng.IntN(257)-1, rng.IntN(257)
			masks(t, "u8", len(w8), func(l Level, b, a []uint64) { l.ThresholdU8(b, a, w8, lo, hi) },
				func(i int) int { return plain(int(w8[i]), lo, hi) })
			for _, lo := range u16s {
				hi := u16s[rng.IntN(len(u16s))]
				masks(t, fmt.Sprint("u16 ", lo, " ", hi), len(w16), func(l Level, b, a []uint64) { l.ThresholdU16(b, a, w16, lo, hi) },
					func(i int) int { return plain(int(w16[i]), lo, hi) })
			}
		}
	}
}

// Every value by the bounds at which arithmetic could turn over.
func TestThresholdU16AllValues(t *testing.T) {
	v := make([]uint16, 65536)
	for i := range v {
		v[i] = uint16(i)
	}
	edges := []int{-1, 0, 1, 255, 256, 32767, 32768, 65534, 65535, 65536}
	for _, lo := range edges[:9] {
		for _, hi := range edges[1:] {
			masks(t, fmt.Sprint("bounds ", lo, " ", hi), len(v), func(l Level, b, a []uint64) { l.ThresholdU16(b, a, v, lo, hi) },
				func(i int) int { return plain(i, lo, hi) })
		}
	}
}

var specials = []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)),
	float32(math.NaN()), math.Float32frombits(0xffc00001), math.Float32frombits(1), math.Float32frombits(0x80000001),
	math.MaxFloat32, -math.MaxFloat32, 0.5}

func TestThresholdF32(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, n := range widths {
		v := make([]float32, n)
		for i := range v {
			v[i] = specials[rng.IntN(len(specials))]
			if rng.IntN(3) == 0 {
				v[i] = math.Float32frombits(rng.Uint32())
			}
		}
		for _, lo := range specials {
			hi := specials[rng.IntN(len(specials))]
			for nan := range 4 {
				nanB, nanA := nan&1 != 0, nan&2 != 0
				masks(t, fmt.Sprint("f32 ", lo, " ", hi, " ", nan), n, func(l Level, b, a []uint64) { l.ThresholdF32(b, a, v, lo, hi, nanB, nanA) },
					func(i int) int {
						if x := float64(v[i]); x == x {
							return plain(x, float64(lo), float64(hi))
						}
						return []int{0, 1, 2, 1}[nan]
					})
			}
		}
	}
}

func TestTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range widths {
		of := make([]uint8, 65536)
		for v := range of {
			of[v] = uint8(rng.IntN(3))
		}
		t8, t16 := NewTable8(of[:256]), NewTable16(of)
		v8, v16 := make([]uint8, n), make([]uint16, n)
		for i := range v8 {
			v8[i], v16[i] = uint8(rng.Uint32()), uint16(rng.Uint32())
		}
		masks(t, "table u8", n, func(l Level, b, a []uint64) { l.TableU8(b, a, v8, t8) }, func(i int) int { return int(of[v8[i]]) })
		masks(t, "table u16", n, func(l Level, b, a []uint64) { l.TableU16(b, a, v16, t16) }, func(i int) int { return int(of[v16[i]]) })
		for v, to := range of {
			if got := t16.B[v/64]>>(v%64)&1 + 2*(t16.A[v/64]>>(v%64)&1); got != uint64(to) || t16.Of[v] != to {
				t.Fatalf("value %d is %d in the sets, %d in the table", v, got, to)
			}
		}
	}
}

// The comparison above must notice one wrong bit, wherever it is, and one word too many.
func TestMasksDiffNotices(t *testing.T) {
	v := make([]uint8, 100)
	for i := range v {
		v[i] = uint8(i * 7)
	}
	class := func(i int) int { return plain(int(v[i]), 50, 200) }
	for bit := range 128 {
		for which := range 2 {
			if masksDiff(len(v), func(b, a []uint64) {
				ThresholdU8(b, a, v, 50, 200)
				[][]uint64{b, a}[which][bit/64] ^= 1 << (bit % 64)
			}, class) == "" {
				t.Fatalf("bit %d of mask %d flipped, not noticed", bit, which)
			}
		}
	}
	if masksDiff(len(v), func(b, a []uint64) { ThresholdU8(b, a, v, 50, 200); b[:3][2] = 0 }, class) == "" {
		t.Fatal("a write beyond the masks was not noticed")
	}
}

func TestKeyKeepsOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	pick := func() float32 {
		if rng.IntN(2) == 0 {
			return specials[rng.IntN(len(specials))]
		}
		return math.Float32frombits(rng.Uint32())
	}
	for range 200000 {
		x, y := pick(), pick()
		if x != x || y != y {
			continue
		}
		if (x < y) != (Key(x) < Key(y)) || (x == y) != (Key(x) == Key(y)) {
			t.Fatalf("%g and %g have keys %x and %x", x, y, Key(x), Key(y))
		}
	}
	if Key(float32(math.Inf(-1))) != KeyNegInf || Key(float32(math.Inf(1))) != KeyPosInf {
		t.Fatal("keys of the infinities")
	}
}

func TestStats(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, n := range widths[1:] {
		v8, v16, v64 := make([]uint8, n), make([]uint16, n), make([]uint64, n)
		var s8, s16, s64 uint64
		lo8, lo16, hi8, hi16 := uint8(255), uint16(65535), uint8(0), uint16(0)
		top := []uint32{1, 255, 65535}[rng.IntN(3)] // the largest sums too
		for i := range v8 {
			v8[i], v16[i], v64[i] = uint8(rng.Uint32()|^top), uint16(rng.Uint32()|^top), rng.Uint64()
			s8, s16, s64 = s8+uint64(v8[i]), s16+uint64(v16[i]), s64+v64[i]
			lo8, hi8, lo16, hi16 = min(lo8, v8[i]), max(hi8, v8[i]), min(lo16, v16[i]), max(hi16, v16[i])
		}
		for _, l := range Levels() {
			if s, lo, hi := l.StatU8(v8); s != s8 || lo != lo8 || hi != hi8 {
				t.Fatalf("%s, u8, %d samples: %d %d %d", l, n, s, lo, hi)
			}
			if s, lo, hi := l.StatU16(v16); s != s16 || lo != lo16 || hi != hi16 {
				t.Fatalf("%s, u16, %d samples: %d %d %d", l, n, s, lo, hi)
			}
			if s := l.Sum(v64); s != s64 {
				t.Fatalf("%s, sum of %d words: %d", l, n, s)
			}
		}
	}
}

// Sums of long runs of the largest samples must not overflow a lane.
func TestStatsDoNotOverflow(t *testing.T) {
	const n = 1 << 20
	v8, v16 := make([]uint8, n), make([]uint16, n)
	for i := range v8 {
		v8[i], v16[i] = 255, 65535
	}
	for _, l := range Levels() {
		s8, _, _ := l.StatU8(v8)
		s16, _, _ := l.StatU16(v16)
		if s8 != n*255 || s16 != n*65535 {
			t.Fatalf("%s: sums %d and %d", l, s8, s16)
		}
	}
}
