package tiff

import (
	"bytes"
	stdlzw "compress/lzw"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"segscan/internal/raster/internal/tifftest"
)

// encoding is how encode stores a picture.
type encoding struct {
	comp      int
	predictor int
	order     tifftest.Order
	planar    bool
	tw, th    int // tile size; th alone: rows of a strip
	lsb       bool
	oldLZW    bool
}

// encode stores w x h pixels of spp samples as a page of whole-byte samples.
func encode(t testing.TB, e encoding, w, h, spp, nbits int, v []uint64) tifftest.Page {
	t.Helper()
	tags := map[uint16]any{256: w, 257: h, 258: nbits, 259: e.comp, 262: 1, 277: spp, 284: 1, 317: e.predictor}
	if e.lsb {
		tags[266] = 2
	}
	cw, planes, step := w, 1, spp
	if e.tw > 0 {
		tags[322], tags[323] = e.tw, e.th
		cw = e.tw
	} else {
		tags[278] = e.th
	}
	if e.planar {
		tags[284], planes, step = 2, spp, 1
	}
	p := tifftest.Page{Tags: tags}
	for k := range planes {
		for y0 := 0; y0 < h; y0 += e.th {
			for x0 := 0; x0 < w; x0 += cw {
				var raw []byte
				for y := y0; y < y0+e.th && (e.tw > 0 || y < h); y++ {
					var row []uint64
					for x := x0; x < x0+cw; x++ {
						for s := range step {
							sample := uint64(0)
							if x < w && y < h {
								sample = v[(y*w+x)*spp+k+s]
							}
							row = append(row, sample)
						}
					}
					raw = append(raw, predict(e, nbits, step, row)...)
				}
				p.Chunks = append(p.Chunks, compress(t, e, raw))
			}
		}
	}
	return p
}

var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return e
})

// predict packs a row after taking differences.
func predict(e encoding, nbits, step int, row []uint64) []byte {
	switch e.predictor {
	case 2:
		d := append([]uint64(nil), row...)
		for i := len(d) - 1; i >= step; i-- {
			d[i] -= row[i-step]
		}
		return pack(e.order, nbits, d...)
	case 3: // most significant bytes first, then differences of bytes
		be := pack(binary.BigEndian, nbits, row...)
		size, n := nbits/8, len(row)
		out := make([]byte, len(be))
		for i := range n {
			for b := range size {
				out[b*n+i] = be[i*size+b]
			}
		}
		for i := len(out) - 1; i >= step; i-- {
			out[i] -= out[i-step]
		}
		return out
	}
	return pack(e.order, nbits, row...)
}

func compress(t testing.TB, e encoding, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	switch e.comp {
	case 1:
		b.Write(raw)
	case 8, 32946:
		z := zlib.NewWriter(&b)
		z.Write(raw)
		z.Close()
	case 50000:
		b.Write(zstdEncoder().EncodeAll(raw, nil))
	case 32773:
		b.Write(packBitsOf(raw))
	case 5:
		if e.oldLZW {
			z := stdlzw.NewWriter(&b, stdlzw.LSB, 8)
			z.Write(raw)
			z.Close()
		} else {
			b.Write(plainLZW(raw))
		}
	}
	out := b.Bytes()
	if e.lsb {
		for i := range out {
			out[i] = bits.Reverse8(out[i])
		}
	}
	return out
}

// packBitsOf writes runs and literals, with a no-op byte in between.
func packBitsOf(raw []byte) (out []byte) {
	for i := 0; i < len(raw); {
		n := 1
		for i+n < len(raw) && n < 128 && raw[i+n] == raw[i] {
			n++
		}
		if n > 1 {
			out = append(out, byte(1-n), raw[i], 0x80)
		} else {
			out = append(out, 0, raw[i])
		}
		i += n
	}
	return out
}

// plainLZW writes literal codes of 9 bits, with a clear code before the table grows beyond them.
func plainLZW(raw []byte) (out []byte) {
	var codes []uint64
	for i, c := range raw {
		if i%200 == 0 {
			codes = append(codes, 256)
		}
		codes = append(codes, uint64(c))
	}
	return pack(binary.BigEndian, 9, append(codes, 257)...)
}

// TestLayouts reads every arrangement of samples in the file, whole, by windows and by few rows at a time.
func TestLayouts(t *testing.T) {
	const w, h = 19, 23
	rng := rand.New(rand.NewPCG(1, 2))
	n := 0
	for _, spp := range []int{1, 3} {
		for _, nbits := range []int{8, 16, 32, 64} {
			v := make([]uint64, w*h*spp)
			for i := range v {
				v[i] = rng.Uint64() >> (64 - nbits)
				if i > 0 && rng.IntN(3) == 0 {
					v[i] = v[i-1]
				}
			}
			for _, comp := range []int{1, 5, 8, 32773, 32946, 50000} {
				for _, predictor := range []int{1, 2} {
					if predictor == 2 && (comp == 1 || comp == 32773) {
						continue
					}
					for _, order := range []tifftest.Order{binary.LittleEndian, binary.BigEndian} {
						for _, size := range [][2]int{{0, 5}, {0, 23}, {0, 1}, {16, 16}, {7, 3}, {32, 32}} {
							e := encoding{comp: comp, predictor: predictor, order: order, tw: size[0], th: size[1],
								planar: n%3 == 0 && spp > 1, lsb: n%5 == 0, oldLZW: n%2 == 0}
							n++
							checkLayout(t, e, w, h, spp, nbits, v, rng)
						}
					}
				}
			}
		}
	}
	if n != 2*4*10*2*6 {
		t.Errorf("%d layouts tried", n)
	}
}

func checkLayout(t *testing.T, e encoding, w, h, spp, nbits int, v []uint64, rng *rand.Rand) {
	t.Helper()
	name := fmt.Sprintf("%d x %d bits %+v", spp, nbits, e)
	page := encode(t, e, w, h, spp, nbits, v)
	limits := []Limits{{}, {Workers: 1}, {Workers: 5}, {Stream: 1}, {Keep: 1}, {Workers: 3, Keep: 2000}}[rng.IntN(6)]
	data := tifftest.Build(tifftest.File{Order: e.order, Pages: []tifftest.Page{page}})
	f, err := Open(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	name += fmt.Sprintf(" %+v", limits)
	want := make([]float64, len(v))
	for i, x := range v {
		if want[i] = float64(x); nbits > 16 {
			want[i] = float64(float32(x))
		}
	}
	checkSamples(t, name, readAll(t, p), want)
	x, y := rng.IntN(w), rng.IntN(h)
	ww, hh := 1+rng.IntN(w-x), 1+rng.IntN(h-y)
	got, err := read(p, x, y, ww, hh, 1+rng.IntN(hh))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var part []float64
	for r := y; r < y+hh; r++ {
		part = append(part, want[(r*w+x)*spp:(r*w+x+ww)*spp]...)
	}
	checkSamples(t, fmt.Sprintf("%s, %d x %d at %d, %d", name, ww, hh, x, y), got, part)
}

// TestFloatPredictor undoes predictor 3 for all its sizes, chunky and planar, in both orders.
func TestFloatPredictor(t *testing.T) {
	stored := []uint64{0x3c00, 0x4000, 0xc500, 0x0001, 0x7bff, 0x3555}
	wide := map[int]func(uint64) uint64{
		16: func(h uint64) uint64 { return h },
		24: func(h uint64) uint64 { return h<<8 | 0x5a },
		32: func(h uint64) uint64 { return h<<16 | 0x1234 },
		64: func(h uint64) uint64 { return h<<48 | 0x123456789abc },
	}
	for nbits, f := range wide {
		for _, spp := range []int{1, 3} {
			for _, order := range []tifftest.Order{binary.LittleEndian, binary.BigEndian} {
				for _, planar := range []bool{false, true} {
					v := make([]uint64, 6*2)
					for i := range v {
						v[i] = f(stored[i%6])
					}
					w := 6 / spp
					plain := encoding{comp: 8, predictor: 1, order: order, th: 2}
					coded := encoding{comp: 8, predictor: 3, order: order, th: 2, planar: planar}
					var got [2][]float64
					for i, e := range []encoding{plain, coded} {
						page := encode(t, e, w, 2, spp, nbits, v).With(map[uint16]any{339: 3})
						got[i] = readAll(t, pageOf(t, tifftest.Build(tifftest.File{Order: order, Pages: []tifftest.Page{page}})))
					}
					checkSamples(t, fmt.Sprintf("%d bits, %d samples, %v, planar %v", nbits, spp, order, planar), got[1], got[0])
				}
			}
		}
	}
}

// TestPredictorNotApplied has predictor tags on data that has no predictor: libtiff looks at the tag only for LZW,
// Deflate and Zstandard.
func TestPredictorNotApplied(t *testing.T) {
	for _, comp := range []int{1, 32773} {
		e := encoding{comp: comp, predictor: 1, order: binary.LittleEndian, th: 1}
		page := encode(t, e, 4, 1, 1, 8, []uint64{9, 8, 7, 6}).With(map[uint16]any{317: 2})
		p := onePage(t, page)
		checkSamples(t, fmt.Sprint(comp), readAll(t, p), floats(9, 8, 7, 6))
		if len(p.Warnings) != 1 {
			t.Errorf("compression %d: warnings %q, want one", comp, p.Warnings)
		}
	}
}

// FillOrder 2 turns the bits of every stored byte.
func TestFillOrder(t *testing.T) {
	page := tifftest.Gray(10, 1, 1, []byte{0b00010111, 0b00000001}).With(map[uint16]any{266: 2})
	checkSamples(t, "1 bit", readAll(t, onePage(t, page)), floats(255, 255, 255, 0, 255, 0, 0, 0, 255, 0))
}
