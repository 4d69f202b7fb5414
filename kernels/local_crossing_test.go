package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

// localKinds are the names of the local kernels.
func localKinds() (names []string) {
	for _, k := range localKernels() {
		names = append(names, k.info.Name)
	}
	return names
}

// spansOf makes spans of a band's lines.
func spansOf(lines ...[]segment.Bound) *segment.Spans {
	s := &segment.Spans{First: []int64{0}, Edge: make([]uint8, len(lines))}
	for _, l := range lines {
		s.Bounds = append(s.Bounds, l...)
		s.First = append(s.First, int64(len(s.Bounds)))
	}
	return s
}

// everywhere has a span from every sample to the next, so that all are asked for, in the lines that pick takes.
func everywhere(b *segment.Band, pick func(line int64) bool) *segment.Spans {
	lines := make([][]segment.Bound, b.Lines)
	for l := range lines {
		for s := 0; s+1 < b.Samples && pick(b.Line0+int64(l)); s++ {
			lines[l] = append(lines[l], segment.Bound{Start: uint32(s), End: uint32(s + 1)})
		}
	}
	return spansOf(lines...)
}

func all(int64) bool { return true }

// TestLocalCrossingsByHand: under a window of three, with the border repeated, the means of 12 60 90 30 9 70 are 84/3,
// 162/3, 180/3, 129/3, 109/3 and 149/3, so that v - T is -16, 6, 30, -13, -82/3 and 61/3.
func TestLocalCrossingsByHand(t *testing.T) {
	u8 := segment.Plane{U8: []uint8{12, 60, 90, 30, 9, 70}, Lines: 1, Samples: 6, Stride: 6}
	flat := segment.Plane{U8: []uint8{100, 100, 100, 102, 180, 20}, Lines: 1, Samples: 6, Stride: 6}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		spec   string
		p      segment.Plane
		invert bool
		span   segment.Bound
		want   [2]float64
	}{
		{"localmean:window=3x1", u8, false, segment.Bound{Start: 0, End: 3}, [2]float64{16. / 22, 3 - 13./43}},
		{"localmean:window=3x1,margin=25", u8, false, segment.Bound{Start: 0, End: 3}, [2]float64{16. / 22, 3 - 13./43}},
		// Boundaries are v > T + 2: v - T - 2 is 28 and -15, and 55/3 and -88/3.
		{"localmean:window=3x1,margin=2", u8, true, segment.Bound{Start: 2, End: 5}, [2]float64{2 + 28./43, 5 - 55./143}},
		// Medians are 12 60 60 30 30 70: the sample of rank 1 of three.
		{"localmedian:window=3x1,offset=-1", u8, false, segment.Bound{Start: 1, End: 3}, [2]float64{1 + 1./30, 3 - 1./30}},
		// T is (min+max)/2: 36, 51, 60, 49.5, 39.5, 39.5, as the border sample is the mirror.
		{"contrast:window=3x1", u8, false, segment.Bound{Start: 0, End: 3}, [2]float64{24. / 33, 3 - 19.5/49.5}},
		// The first windows are flat, those of the last three are not: T is 140, 100 and 100.
		{"bernsen:window=3x1,contrast=10", flat, false, segment.Bound{Start: 0, End: 5}, [2]float64{math.NaN(), 5 - 80./160}},
		{"bernsen:window=3x1,contrast=10", flat, false, segment.Bound{Start: 3, End: 5}, [2]float64{3 + 38./118, 5 - 80./160}},
		// What is not finite takes no part: of sample 3 T is 10, the other two windows have 10 and 50 or 30 and 10.
		{"localmean:window=3x1", lineOf(0, 50, nan, 10, inf, 30), false, segment.Bound{Start: 3, End: 5}, [2]float64{math.NaN(), math.NaN()}},
		{"localmean:window=3x1", lineOf(0, 50, 40, 9, nan, 30), false, segment.Bound{Start: 0, End: 3}, [2]float64{(50. / 3) / (50./3 + 20), 3 - 15.5/(15.5+7)}},
	} {
		info := &segment.PageInfo{Width: 6, Height: 1, Type: c.p.Type(), Max: 255}
		k, _, err := parsed(t, c.spec).Bind(info, nil, Options{Invert: c.invert})
		if err != nil {
			t.Fatal(err)
		}
		at, err := Crossings(t.Context(), 1, k, &segment.Band{Page: info, Lines: 1, Samples: 6, V: c.p}, spansOf([]segment.Bound{c.span}))
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range []float64{at(0, int(c.span.Start), 1), at(0, int(c.span.End), -1)} {
			if want := c.want[i]; !(math.Abs(got-want) < 1e-12) && !(got != got && want != want) {
				t.Errorf("%s, inverted: %v, span %v: end %d lies at %v, want %v", c.spec, c.invert, c.span, i, got, want)
			}
		}
		if got := at(0, 1, -1); c.span.Start > 1 && got == got {
			t.Errorf("%s: a sample that is no end lies at %v", c.spec, got)
		}
	}
}

// TestLocalCrossingsEqualTextbook: v - T is the textbook's, crossings follow from that, and signs say what classes do, of
// every sample of small pages.
func TestLocalCrossingsEqualTextbook(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 21))
	sizes := [][4]int{{11, 7, 11, 7}, {66, 10, 5, 9}, {9, 80, 3, 65}}
	if testing.Short() {
		sizes = sizes[:2]
	}
	more := map[string]string{"localmean": ",offset=-3.25", "niblack": ",k=-0.7", "sauvola": ",k=0.1,margin=7.5", "phansalkar": ",p=3,q=33",
		"bernsen": ",contrast=120,margin=3.25", "contrast": ",margin=20", "localgaussian": ",offset=11.5,margin=4", "localmedian": ",offset=-7.75,margin=4"}
	for _, kind := range localKinds() {
		for _, size := range sizes {
			for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
				if size[3] > 40 && typ != segment.F32 {
					continue // sums of floats take other ways under tall windows, and nothing else does
				}
				p := newTestPage(rng, typ, size[0], size[1])
				if typ == segment.F32 && size[3] != 9 {
					for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
						p.px[rng.IntN(len(p.px))] = bad
					}
				}
				for _, invert := range []bool{false, true} {
					spec := fmt.Sprintf("%s:window=%dx%d%s", kind, size[2], size[3], more[kind])
					c := p.bind(t, spec, Options{Invert: invert, NaN: segment.Boundary})
					p.checkCrossings(t, fmt.Sprintf("%s, %s, inverted: %v", spec, typ, invert), c, segment.Axis(rng.IntN(2)))
				}
			}
		}
	}
}

// checkCrossings compares every sample of the page, and all neighbours on both sides of the threshold.
func (p *testPage) checkCrossings(t *testing.T, name string, c *Local, axis segment.Axis) {
	t.Helper()
	lines, samples := p.h, p.w
	if axis == segment.Cols {
		lines, samples = samples, lines
	}
	b := p.band(axis, c.Needs(), 0, lines, 0, samples)
	a, err := c.ends(t.Context(), 2, &b, []*segment.Spans{everywhere(&b, all)})
	if err != nil {
		t.Fatal(err)
	}
	classes := p.classes(t, c, axis, lines)
	crossed := 0
	for l := range lines {
		before := math.NaN()
		for s := range samples {
			x, y := s, l
			if axis == segment.Cols {
				x, y = y, x
			}
			v, T := p.px[y*p.w+x], p.oracle(c, x, y)
			want := v - T
			if c.Swap {
				want -= c.Margin
			}
			if math.IsInf(T, 0) { // flat
				want = math.NaN()
			}
			got, eps := a.of(l, s), 1e-9*max(1, math.Abs(v), math.Abs(T))
			if !(math.Abs(got-want) < eps) && !(got != got && want != want) && got != want {
				t.Fatalf("%s: sample %d of line %d: v - T = %v, want %v", name, s, l, got, want)
			}
			if boundary := classes[y*p.w+x] == segment.Boundary; want == want && boundary != (got <= 0 != c.Swap) {
				t.Fatalf("%s: sample %d of line %d with v - T = %v is a boundary: %v", name, s, l, got, boundary)
			}
			if before*want < 0 && before-want-(before-want) == 0 { // both finite
				crossed++
				place := float64(s-1) + before/(before-want)
				near := 2 * eps / math.Abs(before-want)
				for _, at := range []float64{a.crossing(l, s-1, 1), a.crossing(l, s, -1)} {
					if !(math.Abs(at-place) <= near+1e-9) {
						t.Fatalf("%s: between samples %d and %d of line %d the crossing is at %v, want %v", name, s-1, s, l, at, place)
					}
				}
			}
			before = want
		}
	}
	if crossed == 0 {
		t.Errorf("%s: nothing was crossed", name)
	}
}

// TestLocalCrossingsIgnoreCuts: not a bit depends on bands, workers, strips, or what other lines hold spans.
func TestLocalCrossingsIgnoreCuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 22))
	for i, kind := range localKinds() {
		for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
			if testing.Short() && kind != "localmedian" && i%3 != int(typ) {
				continue
			}
			w, h := 900, 12 // several strips, or pieces
			if typ == segment.U16 && kind == "localmedian" {
				w, h = 70, 330 // several parts, and blocks
			} else if typ == segment.F32 && kind == "localmean" {
				w = 1600
			} else if typ == segment.F32 && kind == "niblack" && !testing.Short() {
				w, h = 50000, 7 // several parts of a line
			}
			p := newTestPage(rng, typ, w, h)
			c := p.bind(t, kind+":window=13x7", Options{})
			b := p.band(segment.Rows, c.Needs(), 0, h, 0, w)
			want, err := c.ends(t.Context(), 1, &b, []*segment.Spans{everywhere(&b, all)})
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range []int{h / 3, h - 1} {
				some := func(line int64) bool { return line%5 == 0 || line > 300 }
				for l := 0; l < h; l += step {
					b := p.band(segment.Rows, c.Needs(), l, min(l+step, h), 5, w)
					got, err := c.ends(t.Context(), 3, &b, []*segment.Spans{everywhere(&b, some)})
					if err != nil {
						t.Fatal(err)
					}
					for i := range b.Lines {
						if !some(int64(l + i)) {
							continue
						}
						from := want.first[l+i] + 5
						if !slices.Equal(got.above[got.first[i]:got.first[i+1]], want.above[from:want.first[l+i+1]]) {
							t.Fatalf("%s, %s: line %d of a band from %d differs", kind, typ, i, l)
						}
					}
				}
			}
		}
	}
}

// TestLocalCrossingsOfNothing: bands without spans, or samples, have no crossings, and halos that are too short are told.
func TestLocalCrossingsOfNothing(t *testing.T) {
	p := newTestPage(rand.New(rand.NewPCG(7, 24)), segment.U8, 20, 20)
	c := p.bind(t, "niblack:window=5", Options{})
	b := p.band(segment.Rows, c.Needs(), 5, 10, 5, 10)
	empty := segment.Band{Page: &p.info, Lines: 2}
	for _, b := range []*segment.Band{&b, &empty, {}} {
		at, err := Crossings(t.Context(), 2, c, b, spansOf(make([][]segment.Bound, b.Lines)...), &segment.Spans{})
		if err != nil {
			t.Fatal(err)
		}
		if b.Lines > 0 {
			if x := at(0, 0, 1); x == x {
				t.Errorf("what holds no span is crossed at %v", x)
			}
		}
	}
	b = p.band(segment.Rows, segment.Needs{HaloLines: 1, HaloSamples: 2}, 5, 10, 5, 10)
	if _, err := Crossings(t.Context(), 2, c, &b, everywhere(&b, all)); err == nil || !strings.Contains(err.Error(), "window of 5 x 5 sees beyond") {
		t.Errorf("a short halo: %v", err)
	}
}

// TestCrossingParts: every line with spans is in one part, lines that are a window away from them in none.
func TestCrossingParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 23))
	for range 200 {
		a := &asked{first: make([]int, 1+rng.IntN(60)), height: 1 + 2*rng.IntN(4)}
		lines := len(a.first) - 1
		near := make([]bool, lines)
		for l := range lines {
			a.first[l+1] = a.first[l]
			if rng.IntN(6) == 0 {
				a.first[l+1]++
				for i := max(0, l-a.height); i < min(lines, l+a.height+1); i++ {
					near[i] = true
				}
			}
		}
		most := 1 + rng.IntN(20)
		in := make([]int, lines)
		for _, part := range a.parts(most) {
			if part[1]-part[0] > most || part[1] <= part[0] {
				t.Errorf("a part of lines %v", part)
			}
			for l := part[0]; l < part[1]; l++ {
				in[l]++
			}
		}
		for l, n := range in {
			if has := a.first[l+1] > a.first[l]; n > 1 || has && n == 0 || !near[l] && n > 0 {
				t.Errorf("line %d is in %d parts; it has spans: %v", l, n, has)
			}
		}
	}
}
