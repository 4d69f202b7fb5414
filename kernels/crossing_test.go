package kernels

import (
	"math"
	"testing"

	"segscan/segment"
)

// crossingsOf binds a kernel to a page of one line and gives its crossings.
func crossingsOf(t *testing.T, spec string, p segment.Plane, o Options) Crossing {
	t.Helper()
	info := &segment.PageInfo{Width: int64(p.Samples), Height: 1, Type: p.Type(), Max: 255}
	c, _, err := parsed(t, spec).Bind(info, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	b := segment.Band{Page: info, Lines: 1, Samples: p.Samples, V: p}
	x, err := Crossings(t.Context(), 1, c, &b)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestCrossingsByHand: between 10 and 30 a threshold of 15 lies a quarter of the way.
func TestCrossingsByHand(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	v := lineOf(10, 30, 90, 50, 15, nan, 40, inf, 5)
	for _, c := range []struct {
		spec    string
		invert  bool
		s, side int
		want    float64
	}{
		{"hysteresis:lo=15,hi=60", false, 0, 1, 0.25},
		{"hysteresis:lo=15,hi=60", false, 4, -1, 4}, // the sample itself is at the threshold
		{"hysteresis:lo=15,hi=60", false, 4, 1, math.NaN()},
		{"hysteresis:lo=15,hi=60", false, 5, 1, math.NaN()},
		{"hysteresis:lo=15,hi=60", false, 8, -1, math.NaN()},
		{"hysteresis:lo=15,hi=60", false, 0, -1, math.NaN()}, // no neighbour
		{"hysteresis:lo=15,hi=60", false, 2, 1, math.NaN()},  // both above
		{"hysteresis:lo=15,hi=60", true, 2, 1, 2.75},         // 90 to 50 meets 60 three quarters of the way
		{"hysteresis:lo=15,hi=60", true, 2, -1, 1.5},
	} {
		if got := crossingsOf(t, c.spec, v, Options{Invert: c.invert})(0, c.s, c.side); got != c.want && !(got != got && c.want != c.want) {
			t.Errorf("%s at %d towards %d: %v, want %v", c.spec, c.s, c.side, got, c.want)
		}
	}
	// Derivatives of 4, 6 and 2: the parabola through them has its top (4-2)/(2*(4-6+2-6)) = -1/6 aside.
	steps := lineOf(0, 0, 0, 8, 12, 12)
	if got, want := crossingsOf(t, "gradient:sigma=0.25,edge=1,hi=10", steps, Options{})(0, 3, 1), 3+2/(2*-6.); math.Abs(got-want) > 1e-12 {
		t.Errorf("a gradient's top is at %v, want %v", got, want)
	}
	if got := crossingsOf(t, "gradient:sigma=0.25,edge=1,hi=10", steps, Options{})(0, 4, 1); got == got {
		t.Errorf("a sample that is no edge has its top at %v", got)
	}
}

// TestCrossingOfRamp: on a ramp of any slope the crossing is where the ramp has the threshold, to rounding.
func TestCrossingOfRamp(t *testing.T) {
	for _, slope := range []float32{0.125, 1, 3.5, -2} {
		p := segment.NewPlane(segment.F32, 1, 200)
		for s := range p.F32 {
			p.F32[s] = slope * (float32(s) - 60.25)
		}
		for _, spec := range []string{"hysteresis:lo=3.0625,hi=1000", "hysteresis:lo=3.0625,hi=1000,smooth=0"} {
			want := 60.25 + 3.0625/float64(slope)
			s, side := int(math.Floor(want)), 1
			if slope < 0 { // the boundary is the sample at or below the threshold
				s, side = int(math.Ceil(want)), -1
			}
			if got := crossingsOf(t, spec, p, Options{})(0, s, side); math.Abs(got-want) > 1e-9 {
				t.Errorf("slope %v: the crossing from %d is %v, want %v", slope, s, got, want)
			}
		}
	}
}

func TestHasCrossings(t *testing.T) {
	for spec, want := range map[string]bool{
		"otsu": true, "otsu:per=line,smooth=1": true, "hysteresis:lo=1,hi=2": true, "gradient:baseline=median:3": true,
		"sauvola": true, "wolf:smooth=1": true, "bernsen": true, "expr:boundary=v<1,activation=v>2": false,
		"distance:to=#102030,near=5,far=20": false,
	} {
		if HasCrossings(parsed(t, spec)) != want {
			t.Errorf("%s has crossings: %v, want %v", spec, !want, want)
		}
	}
	if _, err := Crossings(t.Context(), 1, segment.Table{}, &segment.Band{}); err == nil {
		t.Error("a table has crossings")
	}
}
