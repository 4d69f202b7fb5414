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

// testPage is a page of float64 pixels, row by row, all of which are samples of its type.
type testPage struct {
	info segment.PageInfo
	w, h int
	px   []float64
}

func newTestPage(rng *rand.Rand, t segment.SampleType, w, h int) *testPage {
	p := &testPage{w: w, h: h, px: make([]float64, w*h)}
	p.info = segment.PageInfo{Type: t, Width: int64(w), Height: int64(h), Max: 255}
	switch t {
	case segment.U16:
		p.info.Max = 65535
	case segment.F32:
		p.info.Min, p.info.Max = math.NaN(), math.NaN()
	}
	for i := range p.px {
		// Runs of equal samples, so that flat windows and ties come up.
		switch {
		case i > 0 && rng.IntN(3) == 0:
			p.px[i] = p.px[i-1]
		case t == segment.U8:
			p.px[i] = float64(rng.IntN(256))
		case t == segment.U16:
			p.px[i] = float64(rng.IntN(65536))
		default:
			p.px[i] = float64(float32(rng.NormFloat64() * 40))
		}
	}
	return p
}

// at reflects places outside the page.
func (p *testPage) at(x, y int, repeat bool) float64 {
	fold := func(i, n int) int {
		if repeat {
			if i < 0 {
				return -i - 1
			}
			return min(i, 2*n-1-i)
		}
		if i < 0 {
			return -i
		}
		return min(i, 2*(n-1)-i)
	}
	return p.px[fold(y, p.h)*p.w+fold(x, p.w)]
}

// oracle is T of a pixel by the textbook, from the samples of its window one by one.
func (p *testPage) oracle(c *Local, x, y int) float64 {
	var all []float64
	for j := -c.WindowY / 2; j <= c.WindowY/2; j++ {
		for i := -c.WindowX / 2; i <= c.WindowX/2; i++ {
			if v := p.at(x+i, y+j, c.repeats()); v-v == 0 {
				all = append(all, v)
			}
		}
	}
	n := float64(len(all))
	sum := 0.
	for _, v := range all {
		sum += v
	}
	m, s := sum/n, 0.
	for _, v := range all {
		s += (v - m) * (v - m)
	}
	s = math.Sqrt(s / n)
	contrast := 0.
	if c.R > 0 {
		contrast = s / c.R
	}
	lo, hi := math.NaN(), math.NaN()
	if len(all) > 0 {
		lo, hi = slices.Min(all), slices.Max(all)
	}
	switch c.Rule {
	case LocalMidrange:
		return (lo + hi) / 2
	case LocalBernsen:
		if hi-lo < c.Contrast {
			if (lo+hi)/2 >= c.Centre {
				return math.Inf(-1)
			}
			return math.Inf(1)
		}
		return (lo + hi) / 2
	case LocalMean:
		return m - c.Offset
	case LocalGaussian:
		sum, weights := 0., 0.
		for j := -c.WindowY / 2; j <= c.WindowY/2; j++ {
			for i := -c.WindowX / 2; i <= c.WindowX/2; i++ {
				if v := p.at(x+i, y+j, true); v-v == 0 {
					w := gaussWeight(c.WindowX, i) * gaussWeight(c.WindowY, j)
					sum += w * v
					weights += w
				}
			}
		}
		return sum/weights - c.Offset
	case LocalMedian:
		if len(all) == 0 {
			return math.NaN()
		}
		slices.Sort(all)
		return all[(len(all)-1)/2] - c.Offset
	case LocalNiblack:
		return m - c.K*s
	case LocalSauvola:
		return m * (1 + c.K*(contrast-1))
	case LocalWolf:
		return m + c.K*(contrast-1)*(m-c.Min)
	case LocalPhansalkar:
		u := (m - c.Min) / (c.Max - c.Min)
		return c.Min + (m-c.Min)*(1+c.P*math.Exp(-c.Q*u)+c.K*(contrast-1))
	}
	panic("no such rule")
}

// gaussWeight is the weight at distance d in a window, in whole numbers whose sum is 16384.
func gaussWeight(window, d int) float64 {
	if window == 1 {
		return 16384
	}
	r := window / 2
	g := func(d int) float64 { return math.Exp(-float64(d*d) / (2 * float64(r*r) / 9)) }
	sum := 0.
	for i := -r; i <= r; i++ {
		sum += g(i)
	}
	if d != 0 {
		return math.Floor(16384 * g(d) / sum)
	}
	rest := 16384.
	for i := 1; i <= r; i++ {
		rest -= 2 * math.Floor(16384*g(i)/sum)
	}
	return rest
}

// band cuts body lines [l0, l1) and samples [s0, s1) out of the page, with the halo that needs ask for.
func (p *testPage) band(a segment.Axis, n segment.Needs, l0, l1, s0, s1 int) segment.Band {
	lines, samples := p.h, p.w
	if a == segment.Cols {
		lines, samples = samples, lines
	}
	b := segment.Band{Page: &p.info, Axis: a, Line0: int64(l0), Sample0: int64(s0), Lines: l1 - l0, Samples: s1 - s0,
		Before: segment.Halo{Lines: min(l0, n.HaloLines), Samples: min(s0, n.HaloSamples)},
		After:  segment.Halo{Lines: min(lines-l1, n.HaloLines), Samples: min(samples-s1, n.HaloSamples)}}
	fl, fs := l0-b.Before.Lines, s0-b.Before.Samples
	b.V = segment.NewPlane(p.info.Type, l1+b.After.Lines-fl, s1+b.After.Samples-fs)
	for l := range b.V.Lines {
		for s := range b.V.Samples {
			x, y := fs+s, fl+l
			if a == segment.Cols {
				x, y = y, x
			}
			v, at := p.px[y*p.w+x], l*b.V.Stride+s
			switch p.info.Type {
			case segment.U8:
				b.V.U8[at] = uint8(v)
			case segment.U16:
				b.V.U16[at] = uint16(v)
			default:
				b.V.F32[at] = float32(v)
			}
		}
	}
	return b
}

// histogram is what Bind wants of the page.
func (p *testPage) histogram() []segment.Histogram {
	h := segment.Histogram{Type: p.info.Type, Min: math.Inf(1), Max: math.Inf(-1)}
	for _, v := range p.px {
		if v-v == 0 {
			h.N++
			h.Min, h.Max = min(h.Min, v), max(h.Max, v)
		}
	}
	return []segment.Histogram{h}
}

// classes gives the class of each pixel of the page, from bands of step lines.
func (p *testPage) classes(t *testing.T, c segment.Classifier, a segment.Axis, step int) []segment.Class {
	t.Helper()
	lines, samples := p.h, p.w
	if a == segment.Cols {
		lines, samples = samples, lines
	}
	all := make([]segment.Class, p.w*p.h)
	var m segment.Masks
	for l := 0; l < lines; l += step {
		b := p.band(a, c.Needs(), l, min(l+step, lines), 0, samples)
		if err := c.Classify(b, &m); err != nil {
			t.Fatal(err)
		}
		for i, class := range m.Classes() {
			x, y := i%samples, l+i/samples
			if a == segment.Cols {
				x, y = y, x
			}
			all[y*p.w+x] = class
		}
	}
	return all
}

func (p *testPage) bind(t *testing.T, spec string, o Options) *Local {
	t.Helper()
	s, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := s.(Surveyed); ok {
		return p.survey(t, s, o)
	}
	c, _, err := s.Bind(&p.info, p.histogram(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*Local)
}

// survey binds after a pass over bands of three lines, and checks what that found.
func (p *testPage) survey(t *testing.T, s Surveyed, o Options) *Local {
	t.Helper()
	v, err := s.Survey(&p.info)
	if err != nil {
		t.Fatal(err)
	}
	for l := 0; l < p.h; l += 3 {
		if err := v.Add(p.band(segment.Rows, s.Needs().Needs, l, min(l+3, p.h), 0, p.w)); err != nil {
			t.Fatal(err)
		}
	}
	k, r, err := v.Bind(o)
	if err != nil {
		t.Fatal(err)
	}
	c := k.(*Local)
	least, most := math.Inf(1), 0.
	deviation := Local{Rule: LocalNiblack, K: -1, WindowX: c.WindowX, WindowY: c.WindowY}
	mean := Local{Rule: LocalNiblack, WindowX: c.WindowX, WindowY: c.WindowY}
	for i, v := range p.px {
		if v-v == 0 {
			least = min(least, v)
		}
		if d := p.oracle(&deviation, i%p.w, i/p.w) - p.oracle(&mean, i%p.w, i/p.w); d > most {
			most = d
		}
	}
	if c.Min != least || math.Abs(c.R-most) > 1e-9*most || !strings.Contains(r.Text, "largest deviation") {
		t.Fatalf("%s: least %v and largest deviation %v, want %v and %v (%s)", s, c.Min, c.R, least, most, r.Text)
	}
	return c
}

// TestLocalEqualsTextbook compares every pixel with the textbook's formula on windows summed one sample after the
// other. Where v is within rounding of T, or of T + margin, either class will do, but for means of integers, which are
// exact.
func TestLocalEqualsTextbook(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	keys := map[LocalRule]string{}
	for _, k := range []string{"localmean", "niblack", "sauvola", "phansalkar", "bernsen", "contrast", "wolf", "localgaussian", "localmedian"} {
		for _, more := range []string{"", ",margin=7.5", ",extra"} {
			if more == ",extra" {
				more = map[string]string{"localmean": ",offset=-3.25", "niblack": ",k=-0.7", "sauvola": ",k=0.5,r=30", "phansalkar": ",k=0.1,r=50,p=3,q=33",
					"bernsen": ",contrast=50", "contrast": ",margin=100", "wolf": ",k=0.9", "localgaussian": ",offset=11.5", "localmedian": ",offset=-7.75"}[k]
			}
			for _, size := range [][4]int{{1, 9, 1, 5}, {9, 1, 3, 1}, {11, 7, 11, 7}, {70, 13, 5, 9}, {131, 20, 31, 3}, {40, 35, 1, 33}, {12, 140, 3, 65}} {
				spec := fmt.Sprintf("%s:window=%dx%d%s", k, size[2], size[3], more)
				for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
					if size[3] > 40 && (typ != segment.F32 || k == "localgaussian") {
						continue // sums of floats take other ways under tall windows, and nothing else does
					}
					p := newTestPage(rng, typ, size[0], size[1])
					if typ == segment.F32 && size[0] > 10 {
						for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
							p.px[rng.IntN(len(p.px))] = bad
						}
					}
					invert := rng.IntN(2) == 0
					nan := segment.Class(rng.IntN(3))
					c := p.bind(t, spec, Options{Invert: invert, NaN: nan})
					keys[c.Rule] = spec
					got := p.classes(t, c, segment.Axis(rng.IntN(2)), 1+rng.IntN(2*size[0]))
					near := 0
					for i, v := range p.px {
						T := p.oracle(c, i%p.w, i/p.w)
						class := got[i]
						if invert && v == v {
							class = [...]segment.Class{0, 2, 1}[class]
						}
						want := segment.Other
						switch {
						case v != v:
							want = nan
						case v <= T:
							want = segment.Boundary
						case v > T+c.Margin:
							want = segment.Activation
						}
						eps := 1e-9 * max(1, math.Abs(T))
						if exact := c.Rule == LocalMedian || (c.Rule == LocalMean || c.Rule >= LocalMidrange) && typ != segment.F32; !exact && (math.Abs(v-T) < eps || math.Abs(v-T-c.Margin) < eps) {
							near++
							continue
						}
						if class != want {
							t.Fatalf("%s, %s of %d x %d: pixel %d,%d = %v with T = %v is %d, want %d", spec, typ, p.w, p.h, i%p.w, i/p.w, v, T, class, want)
						}
					}
					if len(p.px) > 9 && near > len(p.px)/3 {
						t.Errorf("%s, %s: %d of %d pixels were not compared", spec, typ, near, len(p.px))
					}
				}
			}
		}
	}
	if len(keys) != 9 {
		t.Errorf("rules seen: %v", keys)
	}
}
