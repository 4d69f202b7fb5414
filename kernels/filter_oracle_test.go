package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"segscan/segment"
)

// filterOracle is a filter by its definition, over a whole page held as lines of float32.
type filterOracle struct {
	lines, samples int
	v              []float32
}

func (p *filterOracle) at(l, s int) float32 {
	return p.v[fold(int64(l), int64(p.lines))*int64(p.samples)+fold(int64(s), int64(p.samples))]
}

// each makes a page of what of says of every finite sample.
func (p *filterOracle) each(of func(l, s int) float32) *filterOracle {
	q := &filterOracle{p.lines, p.samples, slices.Clone(p.v)}
	for l := range p.lines {
		for s := range p.samples {
			if finite(p.at(l, s)) {
				q.v[l*p.samples+s] = of(l, s)
			}
		}
	}
	return q
}

// window lists the finite samples n around (l, s).
func (p *filterOracle) window(l, s, n int) []float32 {
	var w []float32
	for i := s - n/2; i <= s+n/2; i++ {
		if v := p.at(l, i); finite(v) {
			w = append(w, v)
		}
	}
	return w
}

func (p *filterOracle) apply(f *Filter) *filterOracle {
	switch f.Baseline {
	case BaselineMedian:
		p = p.each(func(l, s int) float32 {
			w := p.window(l, s, f.Window)
			slices.Sort(w)
			return p.at(l, s) - w[(len(w)-1)/2]
		})
	case BaselineOpening:
		p = p.each(func(l, s int) float32 {
			high := float32(math.Inf(-1))
			for i := s - f.Window/2; i <= s+f.Window/2; i++ {
				if w := p.window(l, i, f.Window); len(w) > 0 {
					high = max(high, slices.Min(w))
				}
			}
			return p.at(l, s) - high
		})
	}
	// weighted sums pairs at equal distance of a sequence, from the middle outwards.
	weighted := func(w []float64, x func(d int) float64) float64 {
		sum := float64(w[0] * x(0))
		for d := 1; d < len(w); d++ {
			sum += float64(w[d] * (x(-d) + x(d)))
		}
		return sum
	}
	number := func(v float32) float64 {
		if !finite(v) {
			return 0
		}
		return float64(v)
	}
	one := func(v float32) float64 {
		if !finite(v) {
			return 0
		}
		return 1
	}
	if f.Smooth > 0 {
		w, q := gaussian(f.Smooth), p
		p = p.each(func(l, s int) float32 {
			num := weighted(w, func(d int) float64 { return number(q.at(l, s+d)) })
			return float32(num / weighted(w, func(d int) float64 { return one(q.at(l, s+d)) }))
		})
	}
	if f.Smooth2D > 0 {
		w, q := gaussian(f.Smooth2D), p
		both := func(l, s int, of func(float32) float64) float64 {
			return weighted(w, func(e int) float64 {
				return weighted(w, func(d int) float64 { return of(q.at(l+e, s+d)) })
			})
		}
		p = p.each(func(l, s int) float32 { return float32(both(l, s, number) / both(l, s, one)) })
	}
	return p
}

// randomFilter has steps of any kind, whose windows fit lines of so many samples.
func randomFilter(rng *rand.Rand, samples int) *Filter {
	f := &Filter{}
	if rng.IntN(2) == 0 && samples >= 3 {
		f.Baseline = BaselineMedian + Baseline(rng.IntN(2))
		f.Window = 3 + 2*rng.IntN((samples-1)/2)
	}
	if rng.IntN(2) == 0 {
		f.Smooth = 0.2 + 3*rng.Float64()
	}
	if rng.IntN(2) == 0 {
		f.Smooth2D = 0.2 + 2*rng.Float64()
	}
	return f
}

// filterPage is a page of few values, so that ties are many, with gaps in floats.
func filterPage(rng *rand.Rand, t segment.SampleType, lines, samples int) segment.Plane {
	p := segment.NewPlane(t, lines, samples)
	span := 1 + rng.IntN(300)
	for i := range lines * samples {
		switch x := rng.IntN(span); t {
		case segment.U8:
			p.U8[i] = uint8(x)
		case segment.U16:
			p.U16[i] = uint16(x * 200)
		default:
			p.F32[i] = float32(x-span/2) * 0.37
			if rng.IntN(20) == 0 && span%2 == 0 {
				p.F32[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))}[rng.IntN(4)]
			}
		}
	}
	return p
}

func asFloats(p segment.Plane) *filterOracle {
	o := &filterOracle{lines: p.Lines, samples: p.Samples, v: make([]float32, p.Lines*p.Samples)}
	for l := range p.Lines {
		for s := range p.Samples {
			o.v[l*p.Samples+s] = float32(sampleAt(p, l, s))
		}
	}
	return o
}

// sampleAt reads a sample of any type.
func sampleAt(p segment.Plane, l, s int) float64 {
	i := l*p.Stride + s
	switch {
	case p.U8 != nil:
		return float64(p.U8[i])
	case p.U16 != nil:
		return float64(p.U16[i])
	}
	return float64(p.F32[i])
}

// cutBand is a part of a page with as much around it as n asks for.
func cutBand(page segment.Plane, axis segment.Axis, l0, l1, s0, s1 int, n segment.Needs) segment.Band {
	info := &segment.PageInfo{Width: int64(page.Samples), Height: int64(page.Lines), Type: page.Type()}
	if axis == segment.Cols {
		info.Width, info.Height = info.Height, info.Width
	}
	b := segment.Band{Page: info, Axis: axis, Line0: int64(l0), Sample0: int64(s0), Lines: l1 - l0, Samples: s1 - s0}
	b.Before = segment.Halo{Lines: min(l0, n.HaloLines), Samples: min(s0, n.HaloSamples)}
	b.After = segment.Halo{Lines: min(page.Lines-l1, n.HaloLines), Samples: min(page.Samples-s1, n.HaloSamples)}
	b.V = page.Sub(l0-b.Before.Lines, s0-b.Before.Samples, b.Before.Lines+b.Lines+b.After.Lines, b.Before.Samples+b.Samples+b.After.Samples)
	return b
}

// sameFloats compares the bits of all but NaN.
func sameFloats(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// TestFilterIsItsDefinition holds whole pages, bands and pieces of lines of them, along both axes, with halos for the
// filter and some for what comes after it, against the definition, bit by bit.
func TestFilterIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	checked := 0
	for round := range 500 {
		typ := segment.SampleType(round % 3)
		lines, samples := 1+rng.IntN(12), 1+rng.IntN(30)
		if round >= 400 { // columns are long enough to be summed as such
			lines, samples = acrossShort+rng.IntN(40), 1+rng.IntN(20)
		}
		page := filterPage(rng, typ, lines, samples)
		f := randomFilter(rng, samples)
		want := asFloats(page).apply(f)
		after := segment.Needs{HaloLines: rng.IntN(3), HaloSamples: rng.IntN(4)}
		needs := f.Needs()
		needs.HaloLines += after.HaloLines
		needs.HaloSamples += after.HaloSamples
		l0, s0 := rng.IntN(lines), rng.IntN(samples)
		l1, s1 := l0+1+rng.IntN(lines-l0), s0+1+rng.IntN(samples-s0)
		if round%4 == 0 {
			l0, l1, s0, s1 = 0, lines, 0, samples
		}
		in := cutBand(page, segment.Axis(rng.IntN(2)), l0, l1, s0, s1, needs)
		var out segment.Band
		name := fmt.Sprintf("%s of %s page of %d x %d, lines %d to %d, samples %d to %d", f, typ, lines, samples, l0, l1-1, s0, s1-1)
		if err := f.Apply(in, &out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if out.Lines != in.Lines || out.Samples != in.Samples || out.Line0 != in.Line0 || out.Sample0 != in.Sample0 || out.Axis != in.Axis {
			t.Fatalf("%s: the body moved", name)
		}
		least := segment.Halo{Lines: min(l0, after.HaloLines), Samples: min(s0, after.HaloSamples)}
		most := segment.Halo{Lines: min(lines-l1, after.HaloLines), Samples: min(samples-s1, after.HaloSamples)}
		if out.Before.Lines < least.Lines || out.Before.Samples < least.Samples || out.After.Lines < most.Lines || out.After.Samples < most.Samples {
			t.Fatalf("%s: halos %v and %v are left, want %v and %v", name, out.Before, out.After, least, most)
		}
		for l := range out.V.Lines {
			for s := range out.V.Samples {
				pl, ps := l0-out.Before.Lines+l, s0-out.Before.Samples+s
				if got, want := out.V.F32[l*out.V.Stride+s], want.at(pl, ps); !sameFloats(got, want) {
					t.Fatalf("%s: line %d, sample %d is %v, want %v", name, pl, ps, got, want)
				}
				checked++
			}
		}
	}
	if checked < 10000 {
		t.Fatalf("only %d samples were compared", checked)
	}
}

// TestFilterPieces takes lines longer than what is filtered at a time, and bands of more lines.
func TestFilterPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		typ            segment.SampleType
		lines, samples int
		f              Filter
	}{
		{segment.F32, 1, 3*filterSamples + 77, Filter{Baseline: BaselineMedian, Window: 9, Smooth: 1}},
		{segment.U16, 2, 2*filterSamples + 1, Filter{Baseline: BaselineOpening, Window: 7, Smooth: 0.5}},
		{segment.U8, acrossTall + 5, acrossValues/acrossTall + 13, Filter{Smooth2D: 0.6}},
		{segment.F32, acrossTall + 40, acrossWide + 1, Filter{Baseline: BaselineMedian, Window: 3, Smooth2D: 0.4}},
	} {
		page := filterPage(rng, c.typ, c.lines, c.samples)
		want := asFloats(page).apply(&c.f)
		var out segment.Band
		if err := c.f.Apply(cutBand(page, segment.Rows, 0, c.lines, 0, c.samples, segment.Needs{}), &out); err != nil {
			t.Fatal(err)
		}
		for i, v := range out.V.F32 {
			if !sameFloats(v, want.v[i]) {
				t.Fatalf("%s: line %d, sample %d is %v, want %v", &c.f, i/c.samples, i%c.samples, v, want.v[i])
			}
		}
	}
}

// TestFilterOracleSees tells that the comparison would find one sample that is wrong.
func TestFilterOracleSees(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	page := filterPage(rng, segment.U8, 4, 20)
	f := &Filter{Baseline: BaselineMedian, Window: 5, Smooth: 1}
	a := asFloats(page).apply(f)
	page.U8[33]++
	b := asFloats(page).apply(f)
	differ := 0
	for i := range a.v {
		if !sameFloats(a.v[i], b.v[i]) {
			differ++
		}
	}
	if differ == 0 || differ > 13 { // 2 samples each side by the median, 4 more by the Gaussian
		t.Errorf("a changed sample changes %d others, want 1 to 13", differ)
	}
}
