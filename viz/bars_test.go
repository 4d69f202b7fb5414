package viz

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"segscan/segment"
)

// floatsOf are the histogram, with the finer counts of its tails, and a band of samples.
func floatsOf(v []float32) (*segment.Histogram, *segment.Band) {
	h := &segment.Histogram{Type: segment.F32, Bins: make([]uint64, 1<<16), Min: math.Inf(1), Max: math.Inf(-1), Fine: map[uint16][]uint64{}}
	each := func(fn func(x float32)) {
		for _, x := range v {
			if x-x == 0 {
				fn(x)
			}
		}
	}
	each(func(x float32) {
		h.Bins[segment.FloatKey(x)>>16]++
		h.N++
		h.Min, h.Max = min(h.Min, float64(x)), max(h.Max, float64(x))
	})
	for _, k := range TailBins(h) {
		h.Fine[k] = make([]uint64, 1<<16)
	}
	each(func(x float32) {
		if fine := h.Fine[uint16(segment.FloatKey(x)>>16)]; fine != nil {
			fine[segment.FloatKey(x)&0xffff]++
		}
	})
	p := segment.Plane{F32: v, Lines: 1, Samples: len(v), Stride: len(v)}
	return h, &segment.Band{Lines: 1, Samples: len(v), V: p}
}

// barsOf are the filled bars of floats.
func barsOf(v []float32, lo, hi float64, at ...float64) *Bars {
	h, band := floatsOf(v)
	b := NewBars(h, lo, hi, at...)
	b.Add(band)
	return b.evened()
}

// all is the samples that bars hold or leave out.
func (b *Bars) all() uint64 {
	n := b.below + b.above
	for i := range b.count {
		n += b.total(i)
	}
	return n
}

func TestBarsOfIntegers(t *testing.T) {
	h := segment.Histogram{Type: segment.U16, Bins: make([]uint64, 1<<16), N: 1000, Min: 10, Max: 12}
	h.Bins[10], h.Bins[11], h.Bins[12] = 500, 300, 200
	b := NewBars(&h, 10, 12, 11, math.Inf(1))
	if b.from != 9.5 || b.step != 1 || fmt.Sprint(b.count) != "[[500 0 0] [0 300 0] [0 0 200]]" || b.beyond() != "" {
		t.Errorf("%+v", b)
	}
	far := h // one hot pixel is left out
	far.Bins = append([]uint64(nil), h.Bins...)
	far.Bins[60000], far.Max = 1, 60000
	far.Bins[10], far.N = 50000, 50501
	if b := NewBars(&far, 10, 12, 10, 12); b.from != 9.5 || b.step != 1 || b.beyond() != "beyond the axis: 1 sample above" || b.all() != far.N {
		t.Errorf("from %g, %g wide, %q, %d samples", b.from, b.step, b.beyond(), b.all())
	}
}

// Two values that a bin of the histogram holds together, 2 apart at 295, are told apart, with nothing between them.
func TestBarsOfFloatsWithAnOffset(t *testing.T) {
	var v []float32
	for i := range 1000 {
		v = append(v, 295+float32(i%100)/500, 295.9+float32(i%10)/100)
	}
	b := barsOf(v, 295.5, 295.945)
	if b.all() != 2000 || b.beyond() != "" || len(b.count) < 32 || len(b.count) > 256 {
		t.Errorf("%d samples, %q, %d bars", b.all(), b.beyond(), len(b.count))
	}
	var low, high uint64
	for i, c := range b.count {
		x0, x1 := b.from+float64(i)*b.step, b.from+float64(i+1)*b.step
		low, high = low+c[barLow], high+c[barHigh]
		if x0 > 295.2 && x1 < 295.9 && b.total(i) > 0 {
			t.Errorf("%d samples from %g to %g, where there are none", b.total(i), x0, x1)
		}
	}
	// Of the upper thousand, 295.90 to 295.99 in hundredths, the half from 295.95 on lies above 295.945.
	if low != 1000 || high != 500 {
		t.Errorf("%d and %d samples beside the thresholds", low, high)
	}
}

// Far samples are beyond the axis, and said to be; what lies near them in their bin is shown.
func TestBarsLeaveOutliersOut(t *testing.T) {
	var v []float32
	for i := range 20000 {
		v = append(v, 295+float32(i%1000)/1000)
	}
	v = append(v, 0, 900, 901, float32(math.NaN()), float32(math.Inf(1)))
	b := barsOf(v, math.NaN(), math.NaN(), 0, 295.5, 296.2)
	if got := b.beyond(); got != "beyond the axis: 1 sample below, 2 samples above" || b.all() != 20003 {
		t.Errorf("%q, %d samples", got, b.all())
	}
	// The samples go from 295 to 295.999 with an eighth of that beside; 296.2 is a threshold that is not far.
	if to := b.from + b.step*float64(len(b.count)); b.from < 294.8 || b.from > 295 || to < 296.2 || to > 296.3 {
		t.Errorf("the axis goes from %g to %g", b.from, to)
	}
	h, _ := floatsOf(v)
	p, err := HistogramPlot(PlotStyle{}, h, b, 0, 296.1, nil, false, true)
	got := svg(t, p, err)
	for _, want := range []string{">boundary v ≤ 0<", ">activation v ≥ 296.1<", ">sample value; " + b.beyond() + "<"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the plot", want)
		}
	}
}

// Round numbers fill bars evenly, and so do floats that are far apart.
func TestBarsHoldAsManyValuesEach(t *testing.T) {
	for name, value := range map[string]func(i int) float32{
		"whole":      func(i int) float32 { return float32(i % 200) },
		"hundredths": func(i int) float32 { return float32(2931+i%200) / 100 },
		"of a byte":  func(i int) float32 { return float32(i%200) / 255 },
		"far apart":  func(i int) float32 { return float32(7*(i%200)) - 700 },
		"neighbours": func(i int) float32 { return 100000 + float32(i%200)/128 }, // floats are 1/128 apart there
	} {
		var v []float32
		for i := range 200 * 200 {
			v = append(v, value(i))
		}
		b := barsOf(v, math.NaN(), math.NaN())
		if b.all() != uint64(len(v)) || b.beyond() != "" {
			t.Errorf("%s: %d samples, %q", name, b.all(), b.beyond())
		}
		for i := 1; i < len(b.count)-1; i++ {
			if b.total(i) != b.total(1) {
				t.Errorf("%s: bar %d of %d holds %d samples, the first %d", name, i, len(b.count), b.total(i), b.total(1))
				break
			}
		}
	}
}

// Values in steps are found as such whatever comes between them; others are not, and neither are too many.
func TestStepsOfValues(t *testing.T) {
	for name, c := range map[string]struct {
		value func(i int) float32
		n     int
		want  float64
	}{
		"thirds":     {func(i int) float32 { return float32(i) / 3 }, 900, 1. / 3},
		"with gaps":  {func(i int) float32 { return float32(i*i) / 10 }, 30, 0.1},
		"no steps":   {func(i int) float32 { return float32(math.Sqrt(float64(i))) }, 100, 0},
		"few values": {func(i int) float32 { return float32(i) }, fewestSteps - 1, 0},
		"most":       {func(i int) float32 { return float32(i) }, manyValues, 1},
		"too many":   {func(i int) float32 { return float32(i) }, manyValues + 1, 0},
	} {
		counts := newValueCounts()
		for i := range 3 * c.n {
			if !counts.many {
				counts.add(c.value(i % c.n))
			}
		}
		if got := stepOf(counts.sorted()); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: step %g, want %g", name, got, c.want)
		}
	}
}

// Whatever the samples, bars hold each once.
func TestBarsOfAnyFloats(t *testing.T) {
	most, least := float32(math.MaxFloat32), float32(math.SmallestNonzeroFloat32)
	for _, v := range [][]float32{
		{0}, {295, 295}, {-least, least}, {-most, most}, {most, most}, {most, math.Nextafter32(most, 0)}, {0, least}, {-7, 1e-30, 3},
		{1e5, math.Nextafter32(1e5, 2e5)}, {float32(math.Inf(-1)), 4}, {float32(math.NaN())},
	} {
		n := uint64(0)
		for _, x := range v {
			if x-x == 0 {
				n++
			}
		}
		if b := barsOf(v, 0, 1, 0, 1); b.all() != n || b.beyond() != "" || !(b.step > 0) || len(b.count) > 300 {
			t.Errorf("%v: %d samples in %d bars %g wide, %s", v, b.all(), len(b.count), b.step, b.beyond())
		}
	}
}

func TestHistogramPlotSaysWhatItShows(t *testing.T) {
	h := segment.Histogram{Type: segment.U8, Bins: make([]uint64, 256), N: 30, Min: 10, Max: 200}
	h.Bins[10], h.Bins[100], h.Bins[200] = 10, 10, 10
	for _, logarithmic := range []bool{false, true} {
		p, err := HistogramPlot(PlotStyle{Title: "a.png"}, &h, NewBars(&h, 40, 160, 40, 160), 40, 160, []float64{40, 80, 159}, false, logarithmic)
		got := svg(t, p, err)
		for _, want := range []string{"boundary v ≤ 40", "activation v ≥ 160", "t 80", "samples"} {
			if !strings.Contains(got, ">"+want+"<") {
				t.Errorf("logarithmic %v: %q is not in the plot", logarithmic, want)
			}
		}
	}
	empty := segment.Histogram{Type: segment.F32, Bins: make([]uint64, 1<<16), Min: math.NaN(), Max: math.NaN()}
	p, err := HistogramPlot(PlotStyle{}, &empty, NewBars(&empty, math.NaN(), math.NaN()), math.NaN(), math.NaN(), nil, false, true)
	if !strings.Contains(svg(t, p, err), "no finite sample") {
		t.Error("nothing is said of an empty histogram")
	}
}
