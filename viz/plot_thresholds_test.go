package viz

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"segscan/segment"
)

func bimodal() *segment.Histogram {
	h := &segment.Histogram{Type: segment.U8, Bins: make([]uint64, 256), Min: 0, Max: 255}
	for i := range h.Bins {
		h.Bins[i] = uint64(1000*math.Exp(-math.Pow(float64(i-60)/9, 2)) + 200*math.Exp(-math.Pow(float64(i-190)/20, 2)))
		h.N += h.Bins[i]
	}
	return h
}

func one(v float64) []MarkedThreshold {
	return []MarkedThreshold{{Value: v, Boundary: true, Activation: true}}
}

// valuesOf are the thresholds of all rows.
func valuesOf(rows []MarkedKernel) (all []float64) {
	for _, r := range rows {
		for _, t := range r.At {
			all = append(all, t.Value)
		}
	}
	return all
}

// texts are the labels of a plot as SVG, with their baselines.
func texts(t *testing.T, drawn string) map[string][]float64 {
	t.Helper()
	all := map[string][]float64{}
	for _, m := range regexp.MustCompile(`<text x="([^"]*)" y="([^"]*)"[^>]*>([^<]*)</text>`).FindAllStringSubmatch(drawn, -1) {
		y, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		all[m[3]] = append(all[m[3]], y)
	}
	return all
}

// Labels of thresholds that coincide, or nearly, stand on lines of their own, each at the height of its kernel's name.
func TestThresholdLabelsDoNotMeet(t *testing.T) {
	rows := []MarkedKernel{
		{"otsu", one(100)}, {"isodata", one(100)}, {"li", one(100.25)}, {"minimum", nil},
		{"multiotsu", []MarkedThreshold{{Value: 90, Boundary: true}, {Value: 101, Activation: true}}},
	}
	p, err := ThresholdsPlot(PlotStyle{Title: "a.png"}, bimodal(), NewBars(bimodal(), 0, 0), rows, false)
	all := texts(t, svg(t, p, err))
	for name, value := range map[string]string{"otsu": "100", "isodata": "100", "li": "100.25", "minimum": "no answer", "multiotsu": "90  101"} {
		at := all[name]
		if len(at) != 1 {
			t.Fatalf("%s is written %d times", name, len(at))
		}
		found := false
		for _, y := range all[value] {
			found = found || y == at[0]
		}
		if !found {
			t.Errorf("%s at %g, %s at %v", name, at[0], value, all[value])
		}
	}
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			if d := all[a.Name][0] - all[b.Name][0]; math.Abs(d) < 10 {
				t.Errorf("%s and %s are %g apart", a.Name, b.Name, d)
			}
		}
	}
}

// The legend names the kernels whose activations begin at a threshold itself, and its last text ends before the picture does.
func TestThresholdsLegend(t *testing.T) {
	multi := MarkedKernel{"multiotsu:classes=4", []MarkedThreshold{{Value: 90, Boundary: true}, {Value: 95}, {Value: 101, Activation: true}}}
	from := func(name string) MarkedKernel {
		return MarkedKernel{name, []MarkedThreshold{{Value: 90, Boundary: true}, {Value: 101, Activation: true, AtIt: true}}}
	}
	for want, rows := range map[string][]MarkedKernel{
		"activation above it":                                  {multi},
		"activation above it, of mad at it too":                {multi, from("mad:klow=2")},
		"activation above it, of percentile and mad at it too": {multi, from("percentile"), from("mad")},
	} {
		p, err := ThresholdsPlot(PlotStyle{Title: "a.png"}, bimodal(), NewBars(bimodal(), 0, 0), rows, false)
		drawn := svg(t, p, err)
		if len(texts(t, drawn)[want]) != 1 {
			t.Errorf("%q is not in the legend", want)
		}
		var width, x float64
		if _, err := fmt.Sscanf(regexp.MustCompile(`viewBox="0 0 [0-9.]+`).FindString(drawn), `viewBox="0 0 %g`, &width); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(regexp.MustCompile(`<text x="[^"]*"[^>]*>between<`).FindString(drawn), `<text x="%g"`, &x); err != nil {
			t.Fatal(err)
		}
		if x+40 > width {
			t.Errorf("%q: the last text begins at %g of %g", want, x, width)
		}
	}
}

// A line goes down from each threshold that the axis holds; one that lies far out is an arrow at its end.
func TestThresholdLines(t *testing.T) {
	h := &segment.Histogram{Type: segment.U16, Bins: make([]uint64, 65536), Min: 1000, Max: 1800}
	for i := 1000; i <= 1800; i++ {
		h.Bins[i] = 10
		h.N += 10
	}
	lines := func(rows ...MarkedKernel) int {
		p, err := ThresholdsPlot(PlotStyle{}, h, NewBars(h, 0, 0, valuesOf(rows)...), rows, true)
		return strings.Count(svg(t, p, err), "stroke-opacity")
	}
	none := lines(MarkedKernel{"a", nil})
	for _, c := range []struct {
		at   float64
		want int
	}{{1200, 1}, {1900, 1}, {60000, 0}, {-3000, 0}} {
		if n := lines(MarkedKernel{"a", one(c.at)}) - none; n != c.want {
			t.Errorf("threshold %g: %d lines", c.at, n)
		}
	}
}

// Whatever the samples, there is a plot, and it is the same each time.
func TestThresholdsPlotOfAnything(t *testing.T) {
	inf := math.Inf(1)
	floats := &segment.Histogram{Type: segment.F32, Bins: make([]uint64, 65536), N: 3, NotFinite: 2, Min: -2, Max: 5}
	for _, v := range []float32{-2, 0.5, 5} {
		floats.Bins[segment.FloatKey(v)>>16]++
	}
	empty := &segment.Histogram{Type: segment.F32, Bins: make([]uint64, 65536), NotFinite: 7, Min: math.NaN(), Max: math.NaN()}
	for i, h := range []*segment.Histogram{bimodal(), floats, empty} {
		for _, logarithmic := range []bool{false, true} {
			for _, rows := range [][]MarkedKernel{nil, {{"a", nil}}, {{"a", one(0.5)}, {"b", one(inf)}, {"c", one(-inf)}, {"d", one(math.MaxFloat32)}}} {
				var last []byte
				for range 2 {
					p, err := ThresholdsPlot(PlotStyle{Title: fmt.Sprint(i)}, h, NewBars(h, 0, 0, valuesOf(rows)...), rows, logarithmic)
					if err != nil {
						t.Fatal(err)
					}
					var b bytes.Buffer
					if err := p.Write(&b, "png"); err != nil {
						t.Fatal(err)
					}
					if last != nil && !bytes.Equal(last, b.Bytes()) {
						t.Error("drawn again it differs")
					}
					last = b.Bytes()
				}
				if _, err := png.Decode(bytes.NewReader(last)); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
