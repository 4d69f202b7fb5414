//go:build linux

package emulation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"segscan/kernels/cuda"
	. "segscan/segment"
	"segscan/segment/segmenttest"
)

// samplesOf fills a plane whose lines are longer than what is used of them; what lies between holds other samples.
// f32 has NaN of several kinds, infinities and both zeros.
func samplesOf(typ SampleType, lines, samples, stride int, seed uint64) Plane {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := NewPlane(typ, lines, stride)
	p.Samples = samples
	special := []float32{float32(math.NaN()), math.Float32frombits(0xffc00001), float32(math.Inf(1)), float32(math.Inf(-1)),
		0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, 100, 200}
	for i := range lines * stride {
		switch typ {
		case U8:
			p.U8[i] = uint8(rng.IntN(256))
		case U16:
			p.U16[i] = uint16(rng.IntN(65536))
		default:
			if p.F32[i] = float32(rng.NormFloat64()*100 + 150); rng.IntN(4) == 0 {
				p.F32[i] = special[rng.IntN(len(special))]
			}
		}
	}
	return p
}

func uploadPlane(r *rig, p Plane) cuda.Ptr {
	switch p.Type() {
	case U8:
		return upload(r, p.U8)
	case U16:
		return upload(r, p.U16)
	}
	return upload(r, p.F32)
}

// bits are those a threshold is handed over in.
func bits(typ SampleType, v float64) uint32 {
	if typ == F32 {
		return math.Float32bits(float32(v))
	}
	return uint32(int32(v))
}

func planeBand(p Plane) Band {
	return Band{Lines: p.Lines, Samples: p.Samples, V: p, Page: &PageInfo{}}
}

// checkMasks compares what pack_masks makes of pairs with the definition, and the pairs with those from masks.
func checkMasks(r *rig, t tiling, b band, pairs cuda.Ptr, c Classifier, p Plane) string {
	var want Masks
	if err := c.Classify(planeBand(p), &want); err != nil {
		return err.Error()
	}
	got := toMasks(r, b, pairs)
	if d := firstDifference("boundary words", got.B, want.B, want.Words); d != "" {
		return d
	}
	if d := firstDifference("activation words", got.A, want.A, want.Words); d != "" {
		return d
	}
	again := fromMasks(r, t, b, &want)
	return firstDifference("pairs", download[cuda.Pair](r, pairs, b.n()), download[cuda.Pair](r, again, b.n()), b.width)
}

var classifyShapes = [][2]int{{1, 1}, {3, 63}, {2, 64}, {5, 65}, {7, 100}, {300, 1}, {2, 2100}}

// Thresholds of every type, the same for all lines and one for each, with and without exchange, with every class for
// NaN, on lines that are longer than what is used of them.
func TestClassifyByThresholds(t *testing.T) {
	r := newRig(t, "")
	checked := 0
	for _, typ := range []SampleType{U8, U16, F32} {
		for k, shape := range classifyShapes {
			lines, width := shape[0], shape[1]
			tile := tilings()[k%2]
			p := samplesOf(typ, lines, width, width+k%3, uint64(k))
			scale := map[SampleType]float64{U8: 1, U16: 256, F32: 1}[typ]
			for variant := range 12 {
				th := Thresholds{Lo: []float64{100 * scale}, Hi: []float64{180 * scale}, Swap: variant%2 == 1, NaN: Class(variant / 2 % 3)}
				params := cuda.ClassifyParams{Samples: uploadPlane(r, p), Pairs: space[cuda.Pair](r, lines*width, false), N: uint64(lines * width),
					Pitch: uint64(p.Stride), Width: uint32(width), Lo: bits(typ, th.Lo[0]), Hi: bits(typ, th.Hi[0]),
					Swap: boolean(th.Swap), NanClass: uint32(th.NaN)}
				if variant >= 6 {
					th.Lo, th.Hi = nil, nil
					var bounds []uint32
					for l := range lines { // some lines have their thresholds crossed
						lo, hi := float64(l%200)*scale, float64(210-l%150)*scale
						th.Lo, th.Hi = append(th.Lo, lo), append(th.Hi, hi)
						bounds = append(bounds, bits(typ, lo), bits(typ, hi))
					}
					params.Bounds, params.Lo, params.Hi = upload(r, bounds), 0, 0
				}
				run(r, "classify_"+typ.String()+tile.suffix, ceil(lines*width, tile.samples), params)
				b := band{lines: lines, width: width}
				if d := checkMasks(r, tile, b, params.Pairs, th, p); d != "" {
					t.Fatalf("%s, %d x %d, variant %d: %s", typ, lines, width, variant, d)
				}
				checked++
				r.free()
			}
		}
	}
	if want := 3 * len(classifyShapes) * 12; checked != want {
		t.Errorf("%d cases were checked, want %d", checked, want)
	}
}

// No threshold at all: NaN is what the bounds are then (integers: below and above all values).
func TestClassifyWithoutThresholds(t *testing.T) {
	r := newRig(t, "")
	for _, typ := range []SampleType{U8, F32} {
		p := samplesOf(typ, 2, 90, 90, 5)
		params := cuda.ClassifyParams{Samples: uploadPlane(r, p), Pairs: space[cuda.Pair](r, 180, false), N: 180, Pitch: 90, Width: 90,
			Lo: bits(typ, -1), Hi: bits(typ, 256), NanClass: 1}
		if typ == F32 {
			params.Lo, params.Hi = bits(F32, math.NaN()), bits(F32, math.NaN())
		}
		run(r, "classify_"+typ.String(), 1, params)
		if d := checkMasks(r, tilings()[1], band{lines: 2, width: 90}, params.Pairs, Thresholds{NaN: Boundary}, p); d != "" {
			t.Errorf("%s: %s", typ, d)
		}
		r.free()
	}
}

func TestClassifyByTable(t *testing.T) {
	r := newRig(t, "")
	rng := rand.New(rand.NewPCG(2, 2))
	for typ, size := range map[SampleType]int{U8: 256, U16: 65536} {
		table := Table{Of: segmenttest.Random(rng, size, 0.3, 0.3)}
		for k, shape := range classifyShapes {
			lines, width := shape[0], shape[1]
			p := samplesOf(typ, lines, width, width+k, uint64(k))
			for _, tile := range tilings() {
				params := cuda.ClassifyParams{Samples: uploadPlane(r, p), Table: upload(r, table.Of), Pairs: space[cuda.Pair](r, lines*width, false),
					N: uint64(lines * width), Pitch: uint64(p.Stride), Width: uint32(width)}
				run(r, "classify_table_"+typ.String()+tile.suffix, ceil(lines*width, tile.samples), params)
				if d := checkMasks(r, tile, band{lines: lines, width: width}, params.Pairs, table, p); d != "" {
					t.Fatalf("%s, %d x %d: %s", typ, lines, width, d)
				}
				r.free()
			}
		}
	}
}

// A long line in pieces gives what the whole line gives: what is known at the end of one piece is what the next
// begins with.
func TestPiecesOfALine(t *testing.T) {
	r := newRig(t, "")
	tile := tilings()[0]
	for k, p := range segmenttest.Patterns(77) {
		o := options()[k%4]
		for _, piece := range []int{1, 7, 64, 130, 999, 1000} {
			classes := p.Make(min(1000, 25*piece))
			want := Sequential(classes, o.Edges, o.Rejected)
			got, err := inPieces(r, tile, classes, piece, o)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s in pieces of %d, %+v:\n got %v\nwant %v", p.Name, piece, o, got, want)
			}
		}
	}
}

func inPieces(r *rig, tile tiling, classes []Class, piece int, o Options) (all LineSpans, err error) {
	before := Identity()
	for from := 0; from < len(classes); from += piece {
		part := classes[from:min(from+piece, len(classes))]
		b := band{lines: 1, width: len(part), edges: o.Edges, rejected: o.Rejected, pos: uint32(from), continued: from > 0,
			before: before, open: from+piece < len(classes)}
		s := scanStage(r, tile, b, fromMasks(r, tile, b, segmenttest.Masks(part, 1, len(part))), true)
		marks, dropped := readoutStage(r, tile, b, s.scan)
		got, _ := compactStage(r, tile, b, o.Compaction, marks, s.scan, b.n())
		all.Kept, all.Rejected = append(all.Kept, got.Kept.Bounds...), append(all.Rejected, got.Rejected.Bounds...)
		all.KeptEdge, all.RejectedEdge = all.KeptEdge|got.Kept.Edge[0], all.RejectedEdge|got.Rejected.Edge[0]
		all.Dropped += dropped
		last := s.prefixes[len(s.prefixes)-1]
		if last.Head != (from == 0) && from > 0 {
			return all, fmt.Errorf("the piece at %d has a head", from)
		}
		before = last.FlagAndIndex
		r.free()
	}
	return all, nil
}

// Positions up to the last a line can have.
func TestPiecesAtTheFarEndOfALine(t *testing.T) {
	r := newRig(t, "")
	const pos = math.MaxUint32 - 5 // samples pos to 2^32-2, the last
	classes := segmenttest.Line("21002")
	b := band{lines: 1, width: len(classes), edges: EdgesKeep, pos: pos, continued: true, before: FlagAndIndex{Flag: Boundary, Index: 7}}
	s := scanStage(r, tilings()[0], b, fromMasks(r, tilings()[0], b, segmenttest.Masks(classes, 1, 5)), false)
	marks, _ := readoutStage(r, tilings()[0], b, s.scan)
	got, _ := compactStage(r, tilings()[0], b, SinglePass, marks, s.scan, 5)
	want := bounds(7, pos+1, pos+1, pos+4)
	if fmt.Sprint(got.Kept.Bounds) != fmt.Sprint(want) || got.Kept.Edge[0] != EdgeRight {
		t.Errorf("got %v, edge %d, want %v, edge %d", got.Kept.Bounds, got.Kept.Edge[0], want, EdgeRight)
	}
}
