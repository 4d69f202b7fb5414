package tiff

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

// pack writes values of bits each as TIFF stores them: whole bytes in the file's order, others high bit first.
func pack(order tifftest.Order, bits int, v ...uint64) []byte {
	var out []byte
	var acc, n uint64
	for _, x := range v {
		switch bits {
		case 16:
			out = order.AppendUint16(out, uint16(x))
		case 32:
			out = order.AppendUint32(out, uint32(x))
		case 64:
			out = order.AppendUint64(out, x)
		case 24:
			b := order.AppendUint32(nil, uint32(x))
			if fmt.Sprint(order) == "BigEndian" {
				out = append(out, b[1:]...)
			} else {
				out = append(out, b[:3]...)
			}
		default:
			for k := bits - 1; k >= 0; k-- {
				acc, n = acc<<1|x>>k&1, n+1
				if n == 8 {
					out, acc, n = append(out, byte(acc)), 0, 0
				}
			}
		}
	}
	if n > 0 {
		out = append(out, byte(acc<<(8-n)))
	}
	return out
}

// TestSampleTypes reads one row of every size and format, in both byte orders, from black and from white.
func TestSampleTypes(t *testing.T) {
	type c struct {
		name         string
		bits, format int
		stored       []uint64
		typ          Type
		want, white  []float64
		min, max     float64
	}
	nan := math.NaN()
	i := func(v int64) uint64 { return uint64(v) }
	cases := []c{
		{"u1", 1, 1, []uint64{0, 1, 1, 0, 1}, U8, floats(0, 255, 255, 0, 255), floats(255, 0, 0, 255, 0), 0, 255},
		{"u2", 2, 1, []uint64{0, 1, 2, 3, 1}, U8, floats(0, 85, 170, 255, 85), floats(255, 170, 85, 0, 170), 0, 255},
		{"u3", 3, 1, []uint64{0, 1, 3, 7, 4}, U8, floats(0, 36, 109, 255, 146), floats(255, 219, 146, 0, 109), 0, 255},
		{"u4", 4, 1, []uint64{0, 1, 8, 15, 3}, U8, floats(0, 17, 136, 255, 51), floats(255, 238, 119, 0, 204), 0, 255},
		{"u7", 7, 1, []uint64{0, 1, 64, 127, 3}, U8, floats(0, 2, 129, 255, 6), floats(255, 253, 126, 0, 249), 0, 255},
		{"u8", 8, 1, []uint64{0, 1, 128, 255, 3}, U8, floats(0, 1, 128, 255, 3), floats(255, 254, 127, 0, 252), 0, 255},
		{"void8", 8, 4, []uint64{0, 1, 128, 255, 3}, U8, floats(0, 1, 128, 255, 3), floats(255, 254, 127, 0, 252), 0, 255},
		{"u10", 10, 1, []uint64{0, 1, 512, 1023, 3}, U16, floats(0, 1, 512, 1023, 3), floats(1023, 1022, 511, 0, 1020), 0, 1023},
		{"u12", 12, 1, []uint64{0, 1, 2048, 4095, 3}, U16, floats(0, 1, 2048, 4095, 3), floats(4095, 4094, 2047, 0, 4092), 0, 4095},
		{"u14", 14, 1, []uint64{0, 1, 8192, 16383, 3}, U16, floats(0, 1, 8192, 16383, 3), floats(16383, 16382, 8191, 0, 16380), 0, 16383},
		{"u16", 16, 1, []uint64{0, 1, 258, 65535, 3}, U16, floats(0, 1, 258, 65535, 3), floats(65535, 65534, 65277, 0, 65532), 0, 65535},
		{"u24", 24, 1, []uint64{0, 1, 0x010203, 1<<24 - 1, 3}, F32, floats(0, 1, 0x010203, 1<<24-1, 3), floats(1<<24-1, 1<<24-2, 1<<24-1-0x010203, 0, 1<<24-4), 0, 1<<24 - 1},
		{"u32", 32, 1, []uint64{0, 1, 1 << 20, 1 << 31, 3}, F32, floats(0, 1, 1<<20, 1<<31, 3), floats(1<<32, 1<<32, 1<<32-1<<20, 1<<31, 1<<32), 0, 1<<32 - 1},
		{"u64", 64, 1, []uint64{0, 1, 1 << 40, 1 << 63, 3}, F32, []float64{0, 1, 1 << 40, 1 << 63, 3}, []float64{1 << 64, 1 << 64, 1<<64 - 1<<40, 1 << 63, 1 << 64}, 0, 1<<64 - 1},
		{"i8", 8, 2, []uint64{0, 1, 127, 128, 255}, F32, floats(0, 1, 127, -128, -1), floats(-1, -2, -128, 127, 0), -128, 127},
		{"i12", 12, 2, []uint64{0, 1, 2047, 2048, 4095}, F32, floats(0, 1, 2047, -2048, -1), floats(-1, -2, -2048, 2047, 0), -2048, 2047},
		{"i16", 16, 2, []uint64{0, 1, 32767, 32768, 65535}, F32, floats(0, 1, 32767, -32768, -1), floats(-1, -2, -32768, 32767, 0), -32768, 32767},
		{"i32", 32, 2, []uint64{0, 1, 1 << 20, 1 << 31, 1<<32 - 1}, F32, floats(0, 1, 1<<20, -1<<31, -1), floats(-1, -2, -1<<20-1, 1<<31, 0), -1 << 31, 1<<31 - 1},
		{"i64", 64, 2, []uint64{0, 1, 1 << 40, i(-1 << 40), i(-1)}, F32, floats(0, 1, 1<<40, -1<<40, -1), floats(-1, -2, -1<<40, 1<<40, 0), -1 << 63, 1<<63 - 1},
		// Half: 1, -2, 65504 (the largest), 2^-24 (the smallest), infinity.
		{"half", 16, 3, []uint64{0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00}, F32, []float64{1, -2, 65504, 1.0 / (1 << 24), math.Inf(1)}, nil, nan, nan},
		// 24 bits: exponent bias 63, so 1 is 63<<16; 1.5; -2^-62 (smallest normal); 2^-78 (smallest); infinity.
		{"float24", 24, 3, []uint64{63 << 16, 63<<16 | 0x8000, 1<<23 | 1<<16, 1, 127 << 16}, F32,
			[]float64{1, 1.5, -math.Ldexp(1, -62), math.Ldexp(1, -78), math.Inf(1)}, nil, nan, nan},
		{"float", 32, 3, []uint64{0x3f800000, 0xc0490fdb, 0, 0x00000001, 0xff800000}, F32,
			[]float64{1, float64(math.Float32frombits(0xc0490fdb)), 0, float64(math.SmallestNonzeroFloat32), math.Inf(-1)}, nil, nan, nan},
		{"double", 64, 3, []uint64{math.Float64bits(1), math.Float64bits(-0.1), 0, math.Float64bits(1e300), math.Float64bits(16777217)}, F32,
			[]float64{1, float64(float32(-0.1)), 0, math.Inf(1), 16777216}, nil, nan, nan},
	}
	for _, c := range cases {
		for _, order := range []tifftest.Order{binary.LittleEndian, binary.BigEndian} {
			for photo, want := range [][]float64{c.white, c.want} {
				if want == nil {
					want = c.want // floating point has no white to count from
				}
				page := tifftest.Gray(5, 1, c.bits, pack(order, c.bits, c.stored...)).With(map[uint16]any{339: c.format, 262: photo})
				p := pageOf(t, tifftest.Build(tifftest.File{Order: order, Pages: []tifftest.Page{page}}))
				name := fmt.Sprintf("%s %v photometric %d", c.name, order, photo)
				if p.Type != c.typ {
					t.Errorf("%s: type %v, want %v", name, p.Type, c.typ)
				}
				same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
				if !same(p.Min, c.min) || !same(p.Max, c.max) {
					t.Errorf("%s: range %v..%v, want %v..%v", name, p.Min, p.Max, c.min, c.max)
				}
				checkSamples(t, name, readAll(t, p), want)
				part, err := read(p, 1, 0, 3, 1, 1)
				if err != nil {
					t.Error(err)
				}
				checkSamples(t, name+" part", part, want[1:4])
			}
		}
	}
}

// Integers beyond 24 bits lose digits as float32, which is said once.
func TestWideIntegersWarn(t *testing.T) {
	for bits, want := range map[int]int{24: 0, 32: 1, 64: 1} {
		p := onePage(t, tifftest.Gray(1, 1, bits, make([]byte, bits/8)))
		if len(p.Warnings) != want {
			t.Errorf("%d bits: warnings %q, want %d", bits, p.Warnings, want)
		}
	}
}

// Doubles beyond float32, about 3.4e38, become infinite, which is said once a file; infinities of the file's own are not.
func TestWideFloatsWarn(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want int
	}{{3.4e38, 0}, {math.Inf(-1), 0}, {math.NaN(), 0}, {1e39, 1}, {-1e300, 1}} {
		page := tifftest.Gray(2, 2, 64, pack(binary.LittleEndian, 64, slices.Repeat([]uint64{math.Float64bits(c.v)}, 4)...)).With(map[uint16]any{339: 3})
		p := pageOf(t, tifftest.Build(tifftest.File{Order: binary.LittleEndian, Pages: []tifftest.Page{page}}))
		readAll(t, p)
		if got := p.f.Warnings(); len(got) != c.want || c.want > 0 && got[0] != "64-bit floats beyond the range of float32 became infinite" {
			t.Errorf("%v: warnings %q, want %d", c.v, got, c.want)
		}
	}
}

// MaxSampleValue tells of cameras that use fewer bits.
func TestNominalRange(t *testing.T) {
	for v, want := range map[int]float64{4095: 4095, 16383: 16383, 65535: 65535, 4000: 65535, 1: 65535} {
		p := onePage(t, tifftest.Gray(1, 1, 16, []byte{0, 0}).With(map[uint16]any{281: v}))
		if p.Max != want {
			t.Errorf("MaxSampleValue %d: range to %v, want %v", v, p.Max, want)
		}
	}
}
