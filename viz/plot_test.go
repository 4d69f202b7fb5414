package viz

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
	"sync"
	"testing"

	"segscan/segment"
)

// svg is the plot as text.
func svg(t *testing.T, p *Plot, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// signal is a line of bursts: 10 low samples, 10 high ones, and so on.
func signal(n int) (segment.Band, []segment.Bound) {
	v := segment.NewPlane(segment.U16, 1, n)
	var spans []segment.Bound
	for i := range n {
		v.U16[i] = uint16(100 + i%3)
		if i/10%2 == 1 {
			v.U16[i] = 900
		}
	}
	for s := 9; s+11 < n; s += 20 {
		spans = append(spans, segment.Bound{Start: uint32(s), End: uint32(s + 11)})
	}
	return segment.Band{Line0: 4, Sample0: 50, Lines: 1, Samples: n, V: v}, spans
}

func TestProfileKeepsEveryExtreme(t *testing.T) {
	b, spans := signal(1_000_003)
	b.V.U16[777_777] = 65535 // one sample in a million
	p := NewProfile(&b, 0, spans, nil)
	if n := len(p.at); n != profileColumns {
		t.Errorf("%d columns", n)
	}
	if p.min != 100 || p.max != 65535 {
		t.Errorf("from %g to %g", p.min, p.max)
	}
	column := -1
	for k := range p.at {
		if p.hi[k] == 65535 {
			column = k
		}
	}
	if want := float64(50 + 777_777); math.Abs(p.at[column]-want) > 1_000_003/profileColumns {
		t.Errorf("the spike is at %g, want %g", p.at[column], want)
	}
	if len(p.kept) > profileColumns+1 {
		t.Errorf("%d spans are left to draw", len(p.kept))
	}
	short := NewProfile(&b, 0, []segment.Bound{{Start: 3, End: 5}, {Start: 5, End: 8}, {Start: 900_000, End: 900_001}}, nil)
	// 1000003/1400/2 = 357: the first two are closer than that, the third is not
	if want := []interval{{53, 58}, {900_050, 900_051}}; fmt.Sprint(short.kept) != fmt.Sprint(want) {
		t.Errorf("spans %v, want %v", short.kept, want)
	}
}

func TestProfileLeavesGapsForNaN(t *testing.T) {
	v := segment.Plane{F32: []float32{1, 2, float32(math.NaN()), 4, float32(math.Inf(1)), float32(math.Inf(-1)), 7}, Lines: 1, Samples: 7, Stride: 7}
	p := NewProfile(&segment.Band{Lines: 1, Samples: 7, V: v}, 0, nil, nil)
	c := p.curve(2)
	if len(c) != 3 || len(c[0]) != 2 || len(c[1]) != 1 || len(c[2]) != 1 || c[0][1].X != 2 || c[1][0].X != 6 || c[2][0].Y != 7 {
		t.Errorf("curve %v", c)
	}
	v.F32 = []float32{float32(math.NaN())}
	v.Samples, v.Stride = 1, 1
	if got := svg2(t, NewProfile(&segment.Band{Lines: 1, Samples: 1, V: v}, 0, nil, nil)); !strings.Contains(got, "no finite sample") {
		t.Error("nothing is said of a line without numbers")
	}
}

// Segments that share a boundary are shaded apart where they are wide enough; what is no number is counted.
func TestProfileTellsNeighboursApart(t *testing.T) {
	b, _ := signal(300)
	p := NewProfile(&b, 0, []segment.Bound{{Start: 3, End: 40}, {Start: 40, End: 80}, {Start: 90, End: 99}}, nil)
	// 300/1400/2 = 0.1 samples: all are wider than eight times that
	if want := []interval{{53, 90}, {90, 130}, {140, 149}}; fmt.Sprint(p.kept) != fmt.Sprint(want) {
		t.Errorf("spans %v, want %v", p.kept, want)
	}
	if got := fmt.Sprint(p.shared()); got != "[90]" {
		t.Errorf("shared boundaries %s, want [90]", got)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	v := segment.Plane{F32: []float32{1, nan, 3, nan, inf, 6, 7}, Lines: 1, Samples: 7, Stride: 7}
	if got := svg2(t, NewProfile(&segment.Band{Lines: 1, Samples: 7, V: v}, 0, nil, nil)); !strings.Contains(got, "; gaps: 3 samples NaN or infinite") {
		t.Error("gaps are not counted")
	}
	h := segment.Histogram{Type: segment.F32, Bins: make([]uint64, 1<<16), N: 1, NotFinite: 1, NaN: 1, Min: 1, Max: 1}
	h.Bins[segment.FloatKey(1)>>16] = 1
	plot, err := HistogramPlot(PlotStyle{}, &h, NewBars(&h, math.NaN(), math.NaN()), math.NaN(), math.NaN(), nil, false, false)
	if got := svg(t, plot, err); !strings.Contains(got, "sample value; left out: 1 sample NaN or infinite") {
		t.Error("the histogram does not say what it leaves out")
	}
}

func svg2(t *testing.T, p *Profile) string {
	plot, err := p.Plot(PlotStyle{}, math.NaN(), math.NaN(), false)
	return svg(t, plot, err)
}

func TestProfilePlotSaysWhatItShows(t *testing.T) {
	b, spans := signal(300)
	p := NewProfile(&b, 0, spans, nil)
	plot, err := p.Plot(PlotStyle{Title: "a.png, row 4", Note: "-k otsu", PixelSize: 0.5, Unit: "um"}, 400, 500, false)
	got := svg(t, plot, err)
	for _, want := range []string{"a.png, row 4", "-k otsu", "v ≤ 400", "v ≥ 500", "boundary", "activation", "position / µm", "sample value"} {
		if !strings.Contains(got, ">"+want+"<") {
			t.Errorf("%q is not in the plot", want)
		}
	}
	plot, err = p.Plot(PlotStyle{}, 400, math.Inf(1), true)
	if got := svg(t, plot, err); !strings.Contains(got, "activation") || strings.Contains(got, "boundary") {
		t.Error("inverted, with one threshold only: the label is wrong")
	}
	plot, err = p.Plot(PlotStyle{}, -9000, 30000, false) // far from 100 to 900: arrows stand for them
	got = svg(t, plot, err)
	for _, want := range []string{"v ≤ -9000", "v ≥ 30000"} {
		if !strings.Contains(got, ">"+want+"<") {
			t.Errorf("%q, beyond the axis, is not in the plot", want)
		}
	}
	if strings.Contains(got, "stroke-dasharray") {
		t.Error("a line stands for a threshold beyond the axis")
	}
	if _, err := p.Plot(PlotStyle{Palette: "neon"}, 0, 0, false); err == nil {
		t.Error("an unknown palette was taken")
	}
	if err := plot.Write(&bytes.Buffer{}, "pdf"); err == nil {
		t.Error("an unknown format was taken")
	}
}

func TestLengths(t *testing.T) {
	var l Lengths
	if l.Median() != 0 {
		t.Error("median of nothing")
	}
	p, err := l.Plot(PlotStyle{})
	if !strings.Contains(svg(t, p, err), "no segments") {
		t.Error("nothing is said of no segments")
	}
	l.Add([]segment.Bound{{Start: 0, End: 2}, {Start: 2, End: 4}, {Start: 7, End: 10}})
	l.Add([]segment.Bound{{Start: 0, End: 0}})
	if l.of[3] != 2 || l.of[4] != 1 || l.of[1] != 1 || l.Median() != 3 {
		t.Errorf("%v, median %d", l.of, l.Median())
	}
	p, err = l.Plot(PlotStyle{PixelSize: 2, Unit: "mm"})
	if got := svg(t, p, err); !strings.Contains(got, ">median 6 mm<") || !strings.Contains(got, ">segment length / mm<") {
		t.Error("the median or the unit is missing")
	}
	for _, c := range [][3]int64{{1, 1, 12}, {3, 20, 12}, {2, 4_000_000_000, 80}, {5, 6, 80}} {
		for name, edges := range map[string][]float64{"even": evenEdges(c[0], c[1], c[2]), "power": powerEdges(c[0], c[1], c[2])} {
			if edges[0] != float64(c[0])-0.5 || edges[len(edges)-1] < float64(c[1]) || len(edges) > 2*int(c[2])+2 {
				t.Errorf("%s edges of %v: %d from %g to %g", name, c, len(edges), edges[0], edges[len(edges)-1])
			}
			for i := range len(edges) - 1 {
				if !(edges[i] < edges[i+1]) {
					t.Errorf("%s edges of %v: %g is followed by %g", name, c, edges[i], edges[i+1])
				}
			}
		}
	}
}

func TestLineCounts(t *testing.T) {
	c := NewLineCounts(10, 3)
	for i, n := range []int{4, 0, 2} {
		c.Add(int64(10+i), n)
	}
	if fmt.Sprint(c.sum, c.least, c.most) != "[4 0 2] [4 0 2] [4 0 2]" {
		t.Errorf("%+v", c)
	}
	many := NewLineCounts(0, 3*lineSteps)
	for i := range int64(3 * lineSteps) {
		many.Add(i, int(i%3))
	}
	if many.each != 3 || len(many.sum) != lineSteps || many.sum[7] != 3 || many.least[7] != 0 || many.most[7] != 2 {
		t.Errorf("each %d, %d steps", many.each, len(many.sum))
	}
	p, err := many.Plot(PlotStyle{}, "column")
	if got := svg(t, p, err); !strings.Contains(got, "segments in a column, mean of 3") {
		t.Error("the plot does not say that it shows means")
	}
}

func TestNiceTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		most   int
		want   string
	}{
		{0, 255, 11, "0 50 100 150 200 250"}, {-0.5, 0.5, 4, "-0.5 0 0.5"}, {0, 62934, 6, "0 20000 40000 60000"},
		{0, 1.2e6, 6, "0 0.2M 0.4M 0.6M 0.8M 1M 1.2M"}, {3, 3, 5, ""}, {1e-7, 3e-7, 2, "1e-07 2e-07 3e-07"},
		{99998.1, 100001.2, 4, "99999 100000 100001"}, {1e5, 100001, 3, "100000.0 100000.5 100001.0"},
		{1e10, 1.00001e10, 2, "1.000000e+10 1.000005e+10 1.000010e+10"},
	} {
		var got []string
		for _, k := range (niceTicks{most: c.most}).Ticks(c.lo, c.hi) {
			got = append(got, k.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g: %v, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// Plots are drawn by several workers at once, and are the same bytes each time.
func TestPlotsAreTheSameFromManyGoroutines(t *testing.T) {
	b, spans := signal(5000)
	one := func(format string) string {
		p, err := NewProfile(&b, 0, spans, nil).Plot(PlotStyle{Title: "a", Note: strings.Repeat("long ", 100)}, 400, 500, false)
		if err != nil {
			return err.Error()
		}
		var out bytes.Buffer
		if err := p.Write(&out, format); err != nil {
			return err.Error()
		}
		return out.String()
	}
	for _, format := range PlotFormats() {
		want := one(format)
		if format == "png" {
			if img, err := png.Decode(strings.NewReader(want)); err != nil || img.Bounds().Dx() != 1500 {
				t.Fatalf("no picture 1500 wide: %v", err)
			}
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if one(format) != want {
					t.Errorf("%s: other bytes", format)
				}
			})
		}
		all.Wait()
	}
}
