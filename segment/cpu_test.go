package segment_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	. "segscan/segment"
	"segscan/segment/segmenttest"
)

func TestEngineAtEveryWidth(t *testing.T) {
	engines := testEngines()
	var r Result
	for width := range 131 {
		for k, p := range segmenttest.Patterns(uint64(width)) {
			if testing.Short() && k%4 != width%4 {
				continue
			}
			lines := 1 + (width+k)%4
			e := engines[(width+k)%len(engines)]
			checkEngine(t, e, &r, p.Name, p.Make(lines*width), lines, width, false)
		}
	}
}

func TestEngineAcrossTilesAndChunks(t *testing.T) {
	var r Result
	widths := []int{1, 2, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384, 385, 1000}
	if testing.Short() {
		widths = []int{1, 64, 129, 193, 385}
	}
	for _, width := range widths {
		for _, e := range testEngines() {
			p := segmenttest.Patterns(uint64(width))
			for i := range 3 {
				p := p[(width+i*5)%len(p)]
				checkEngine(t, e, &r, p.Name, p.Make(3*width), 3, width, i == 0)
			}
		}
	}
}

// All lines of up to 7 samples, moved to the places where words, chunks and tiles meet.
func TestEngineOnAllShortLinesAtSeams(t *testing.T) {
	var r Result
	var classes []Class
	const width, lines = 300, 3 * 3 * 3 * 3 * 3 * 3 * 3
	places := []int{0, 61, 125, 189, width - 7}
	if testing.Short() {
		places = places[1:2]
	}
	for _, at := range places {
		classes = classes[:0]
		for n := range lines {
			line := make([]Class, width)
			for i := range 7 {
				line[at+i] = Class(n % 3)
				n /= 3
			}
			classes = append(classes, line...)
		}
		want := wanted(classes, lines, width)
		for _, e := range testEngines() {
			loaded := load(t, e, bandOf(rand.New(rand.NewPCG(1, 2)), U8, classes, lines, width))
			everyOption(func(o Options) {
				if err := loaded.Segment(context.Background(), testThresholds, o, nil, &r); err != nil {
					t.Fatal(err)
				}
				if d := segmenttest.Diff(&r, want(o)); d != "" {
					t.Fatalf("at %d, %s, %+v: %s", at, e, o, d)
				}
			})
		}
	}
}

func TestEngineRandomShapesAtShippedTile(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	e := testEngine{workers: 3, Engine: NewCPU(3)}
	const tile, chunk = 1 << 18, 1 << 14
	shapes := [][2]int{{1, 2*tile + 1}, {1, tile - 1}, {2, tile}, {1, tile + 1}, {3, chunk - 1}, {3, chunk}, {3, chunk + 1}, {2, 2 * chunk}, {40, 2*chunk + 1}, {0, 7}, {7, 0}, {100000, 1}}
	for range 10 {
		shapes = append(shapes, [2]int{1 + rng.IntN(200), 1 + rng.IntN(3000)})
	}
	for _, s := range shapes {
		classes := segmenttest.Random(rng, s[0]*s[1], 1./50, 1./30)
		b := bandOf(rng, SampleType(rng.IntN(3)), classes, s[0], s[1])
		if s[0]*s[1] == 0 {
			b.V = Plane{}
		}
		loaded := load(t, e, b)
		everyOption(func(o Options) {
			var r Result
			if err := loaded.Segment(context.Background(), testThresholds, o, nil, &r); err != nil {
				t.Fatal(err)
			}
			if d := segmenttest.Diff(&r, SequentialBand(classes, s[0], s[1], o)); d != "" {
				t.Fatalf("%v, %+v: %s", s, o, d)
			}
		})
	}
}

// A line cut into two or three pieces anywhere gives the spans of the whole line.
func TestEngineCarry(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	engines := testEngines()
	for n, width := range []int{1, 2, 3, 64, 65, 130, 200, 400} {
		for k, p := range segmenttest.Patterns(77) {
			classes := p.Make(width)
			cuts := [][]int{{0, width}, {0, 0, width, width}, {0, rng.IntN(width + 1), width}}
			for c := range width {
				if c < 3 || c > width-3 || c%64 < 2 || c%64 > 62 {
					cuts = append(cuts, []int{0, c, c + (width-c)/2, width})
				}
			}
			e := engines[(n+k)%len(engines)]
			for _, cut := range cuts {
				everyOption(func(o Options) {
					want := SequentialBand(classes, 1, width, o)
					got, err := inPieces(t, e, rng, classes, cut, o)
					if err != nil {
						t.Fatal(err)
					}
					if d := segmenttest.Diff(got, want); d != "" {
						t.Fatalf("%s, %s, cut at %v, %+v: %s", p.Name, e, cut, o, d)
					}
				})
			}
		}
	}
}

// inPieces segments one line in pieces and puts the results together.
func inPieces(t *testing.T, e Engine, rng *rand.Rand, classes []Class, cut []int, o Options) (*Result, error) {
	all := &Result{}
	for _, s := range []*Spans{&all.Kept, &all.Rejected} {
		s.First, s.Edge = make([]int64, 2), make([]uint8, 1)
	}
	var carry Carry
	var r Result
	typ := SampleType(rng.IntN(3))
	for i, from := range cut[:len(cut)-1] {
		part := classes[from:cut[i+1]]
		carry.Final = i == len(cut)-2
		b := bandOf(rng, typ, part, 1, len(part))
		b.Sample0 = int64(from)
		if err := load(t, e, b).Segment(context.Background(), testThresholds, o, &carry, &r); err != nil {
			return nil, err
		}
		for i, s := range []*Spans{&r.Kept, &r.Rejected} {
			a := []*Spans{&all.Kept, &all.Rejected}[i]
			a.Bounds = append(a.Bounds, s.Bounds...)
			a.First[1] = int64(len(a.Bounds))
			a.Edge[0] |= s.Edge[0]
		}
		all.DroppedAtEdges += r.DroppedAtEdges
	}
	if carry != (Carry{}) {
		return nil, fmt.Errorf("carry after the last piece: %+v", carry)
	}
	return all, nil
}

// What the comparisons above compare must be the engine's doing: change one sample's class where it matters, and
// they must differ.
func TestEngineComparisonFindsOneFlippedSample(t *testing.T) {
	classes := segmenttest.Line("0101201 02201 0010211 2")
	width := len(classes)
	var r Result
	noticed := 0
	for i := range classes {
		for c := Other; c <= Activation; c++ {
			if c == classes[i] {
				continue
			}
			changed := append([]Class(nil), classes...)
			changed[i] = c
			o := Options{Edges: EdgesKeep, Rejected: true, Masks: true}
			loaded := load(t, NewTestCPU(2, 64, 64), bandOf(rand.New(rand.NewPCG(1, 1)), U8, changed, 1, width))
			if err := loaded.Segment(context.Background(), testThresholds, o, nil, &r); err != nil {
				t.Fatal(err)
			}
			if masksDiff(r.Masks, classes, 1, width) == "" {
				t.Errorf("sample %d as %d: masks do not differ", i, c)
			}
			want := segmenttest.Diff(SequentialBand(changed, 1, width, o), SequentialBand(classes, 1, width, o))
			got := segmenttest.Diff(&r, SequentialBand(classes, 1, width, o))
			if got != want {
				t.Errorf("sample %d as %d: difference %q, want %q", i, c, got, want)
			}
			if got != "" {
				noticed++
			}
		}
	}
	if noticed < width {
		t.Errorf("only %d changes of %d made a difference", noticed, 2*width)
	}
}

func FuzzEngine(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x01\x02\x00\x01\x00"), uint16(8), uint8(0), uint16(3))
	f.Add([]byte("\x02"), uint16(1), uint8(7), uint16(0))
	f.Add(make([]byte, 300), uint16(150), uint8(5), uint16(64))
	engines := testEngines()
	f.Fuzz(func(t *testing.T, data []byte, width uint16, how uint8, cut uint16) {
		if width == 0 || len(data) > 1<<13 {
			return
		}
		lines := len(data) / int(width)
		classes := make([]Class, lines*int(width))
		for i := range classes {
			classes[i] = Class(data[i] % 3)
		}
		o := Options{Edges: Edges(how & 1), Compaction: Compaction(how >> 1 & 1), Rejected: how>>2&1 != 0, Masks: how>>3&1 != 0}
		e := engines[int(how>>4)%len(engines)]
		rng := rand.New(rand.NewPCG(uint64(how), uint64(width)))
		var r Result
		typ := SampleType(rng.IntN(3))
		for name, c := range classifiersFor(typ) {
			if lines > 30 && name == "per line" {
				continue
			}
			err := load(t, e, bandOf(rng, typ, classes, lines, int(width))).Segment(context.Background(), c, o, nil, &r)
			if err != nil {
				t.Fatal(err)
			}
			if d := segmenttest.Diff(&r, SequentialBand(classes, lines, int(width), o)); d != "" {
				t.Fatalf("%s, %s: %s", e, name, d)
			}
		}
		if lines > 0 {
			line := classes[:width]
			got, err := inPieces(t, e, rng, line, []int{0, int(cut) % (int(width) + 1), int(width)}, o)
			if err != nil {
				t.Fatal(err)
			}
			if d := segmenttest.Diff(got, SequentialBand(line, 1, int(width), o)); d != "" {
				t.Fatalf("%s, cut at %d: %s", e, cut, d)
			}
		}
	})
}
