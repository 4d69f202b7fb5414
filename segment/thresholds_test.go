package segment_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "segscan/segment"
	"segscan/segment/segmenttest"
)

var (
	inf    = math.Inf(1)
	nan32  = float32(math.NaN())
	inf32  = float32(inf)
	zero32 = float32(math.Copysign(0, -1))
)

// plainClass is Thresholds in a few lines of plain Go.
func plainClass(v, lo, hi float64, swap bool, nan Class) Class {
	if v != v {
		return nan
	}
	c := Other
	switch {
	case v <= lo && lo != -inf:
		c = Boundary
	case v >= hi && hi != inf:
		c = Activation
	}
	if swap && c != Other {
		c = Boundary + Activation - c
	}
	return c
}

// classesBy runs a classifier's definition and the engine, which must agree, and gives the classes.
func classesBy(t *testing.T, c Classifier, b Band) []Class {
	t.Helper()
	var m Masks
	if err := c.Classify(b, &m); err != nil {
		t.Fatal(err)
	}
	for _, e := range testEngines() {
		var r Result
		if err := load(t, e, b).Segment(context.Background(), c, Options{Masks: true, Rejected: true}, nil, &r); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Masks.B, m.B) || !slices.Equal(r.Masks.A, m.A) {
			t.Fatalf("%+v: %s gives other masks than the definition", c, e)
		}
		want := SequentialBand(m.Classes(), b.Lines, b.Samples, Options{Rejected: true})
		if d := segmenttest.Diff(&r, want); d != "" {
			t.Fatalf("%+v: %s: %s", c, e, d)
		}
	}
	return m.Classes()
}

func TestThresholdsF32(t *testing.T) {
	values := []float32{nan32, -nan32, inf32, -inf32, 0, zero32, 1, -1, 0.5, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 2}
	rng := rand.New(rand.NewPCG(5, 5))
	bounds := []float64{-inf, inf, 0, -0.5, 0.5, 1, 2, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 1 + 1e-12, 1 - 1e-12, 1e300, -1e300}
	for _, lo := range bounds {
		for _, hi := range bounds {
			v := NewPlane(F32, 1, 70)
			for i := range v.F32 {
				v.F32[i] = values[rng.IntN(len(values))]
			}
			for _, swap := range []bool{false, true} {
				for nan := range Activation + 1 {
					c := Thresholds{Lo: []float64{lo}, Hi: []float64{hi}, Swap: swap, NaN: nan}
					got := classesBy(t, c, Band{Lines: 1, Samples: 70, V: v})
					for i, x := range v.F32 {
						if want := plainClass(float64(x), lo, hi, swap, nan); got[i] != want {
							t.Fatalf("%+v: %g is %d, want %d", c, x, got[i], want)
						}
					}
				}
			}
		}
	}
}

// Bounds of integers may lie anywhere: between values, beyond them, or nowhere. Boundary wins before the exchange.
func TestThresholdsIntegers(t *testing.T) {
	bounds := []float64{-inf, -1e9, -1, -0.5, 0, 0.5, 1, 99.5, 127, 128, 254.5, 255, 255.5, 256, 65534.5, 65535, 65536, 1e12, inf, math.NaN()}
	rng := rand.New(rand.NewPCG(6, 6))
	for _, lo := range bounds {
		for _, hi := range bounds {
			swap := rng.IntN(2) == 0
			c := &Thresholds{Lo: []float64{lo}, Hi: []float64{hi}, Swap: swap, NaN: Class(rng.IntN(3))}
			v8, v16 := NewPlane(U8, 4, 64), NewPlane(U16, 3, 67)
			for i := range v8.U8 {
				v8.U8[i] = uint8(i)
			}
			for i := range v16.U16 {
				v16.U16[i] = []uint16{0, 1, 2, 99, 100, 127, 128, 255, 256, 32767, 32768, 65534, 65535}[rng.IntN(13)]
			}
			for i, got := range classesBy(t, c, Band{Lines: 4, Samples: 64, V: v8}) {
				if want := plainClass(float64(v8.U8[i]), lo, hi, swap, 0); got != want {
					t.Fatalf("%+v: u8 %d is %d, want %d", c, v8.U8[i], got, want)
				}
			}
			for i, got := range classesBy(t, c, Band{Lines: 3, Samples: 67, V: v16}) {
				if want := plainClass(float64(v16.U16[i]), lo, hi, swap, 0); got != want {
					t.Fatalf("%+v: u16 %d is %d, want %d", c, v16.U16[i], got, want)
				}
			}
		}
	}
}

func TestThresholdsPerLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const lines, samples, line0 = 9, 130, 4
	v := NewPlane(U8, lines, samples)
	for i := range v.U8 {
		v.U8[i] = uint8(rng.Uint32())
	}
	var c Thresholds
	for range line0 + lines {
		c.Lo = append(c.Lo, float64(rng.IntN(120)))
		c.Hi = append(c.Hi, float64(rng.IntN(255)))
	}
	b := Band{Line0: line0, Lines: lines, Samples: samples, V: v}
	for _, c := range []Thresholds{c, {Lo: c.Lo, Hi: c.Hi[:1]}, {Lo: c.Lo[:1], Hi: c.Hi, Swap: true}, {Lo: c.Lo}, {Hi: c.Hi}, {}} {
		for i, got := range classesBy(t, c, b) {
			at := func(v []float64, none float64) float64 {
				switch len(v) {
				case 0:
					return none
				case 1:
					return v[0]
				}
				return v[line0+i/samples]
			}
			if want := plainClass(float64(v.U8[i]), at(c.Lo, -inf), at(c.Hi, inf), c.Swap, 0); got != want {
				t.Fatalf("line %d sample %d: %d, want %d", i/samples, i%samples, got, want)
			}
		}
	}
}

func TestTableIsLookedUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, typ := range []SampleType{U8, U16} {
		of := make([]Class, map[SampleType]int{U8: 256, U16: 65536}[typ])
		for i := range of {
			of[i] = Class(rng.IntN(3))
		}
		v := NewPlane(typ, 5, 131)
		value := func(i int) int {
			if typ == U8 {
				return int(v.U8[i])
			}
			return int(v.U16[i])
		}
		for i := range 5 * 131 {
			if typ == U8 {
				v.U8[i] = uint8(rng.Uint32())
			} else {
				v.U16[i] = uint16(rng.Uint32())
			}
		}
		for i, got := range classesBy(t, Table{of}, Band{Lines: 5, Samples: 131, V: v}) {
			if got != of[value(i)] {
				t.Fatalf("%s: value %d is %d, want %d", typ, value(i), got, of[value(i)])
			}
		}
	}
}

func TestClassifiersRefuse(t *testing.T) {
	u8, f32 := NewPlane(U8, 2, 3), NewPlane(F32, 2, 3)
	bad := make([]Class, 256)
	bad[7] = 3
	for _, c := range []struct {
		with Classifier
		v    Plane
		want string
	}{
		{Table{make([]Class, 256)}, f32, "f32 samples have no table"},
		{Table{make([]Class, 255)}, u8, "255 entries for u8 samples, want 256"},
		{Table{bad}, u8, "value 7: 3 is no class"},
		{Thresholds{NaN: 3}, f32, "3 is no class for NaN"},
		{Thresholds{Lo: make([]float64, 2)}, u8, "2 entries do not reach lines 1 to 2"},
		{Thresholds{Hi: make([]float64, 2)}, f32, "2 entries do not reach lines 1 to 2"},
	} {
		b := Band{Line0: 1, Lines: 2, Samples: 3, V: c.v}
		var r Result
		for what, err := range map[string]error{
			"definition": c.with.Classify(b, new(Masks)),
			"engine":     load(t, NewCPU(1), b).Segment(context.Background(), c.with, Options{}, nil, &r),
		} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got error %v, want %q", what, err, c.want)
			}
		}
	}
}

func ExampleThresholds() {
	v := Plane{U8: []uint8{90, 10, 90, 10, 200, 90, 10, 90}, Lines: 1, Samples: 8, Stride: 8}
	loaded, err := NewCPU(0).Load(context.Background(), Band{Lines: 1, Samples: 8, V: v})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer loaded.Release()
	var r Result
	err = loaded.Segment(context.Background(), Thresholds{Lo: []float64{50}, Hi: []float64{150}}, Options{}, nil, &r)
	fmt.Println(r.Kept.Line(0), err)
	// Output: [{3 6}] <nil>
}
