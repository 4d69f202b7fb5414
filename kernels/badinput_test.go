package kernels

import (
	"errors"
	"math"
	"strings"
	"testing"

	"segscan/segment"
)

// What a kernel warns of names kernel, key, value and a remedy, and the class that --invert makes of the one concerned.
func TestWarningsOfClasses(t *testing.T) {
	twelve := &segment.PageInfo{Type: segment.U16, Bits: 12, Min: 0, Max: 4095}
	for _, c := range []struct {
		spec string
		p    *segment.PageInfo
		want string // with BOUNDARY and ACTIVATION for the classes
	}{
		{"hysteresis:lo=-5,hi=10", page(segment.U8), "kernel hysteresis: lo=-5 is below the samples' range 0..255, so no sample is BOUNDARY; use a higher lo"},
		{"hysteresis:lo=5,hi=300", page(segment.U8), "kernel hysteresis: hi=300 is above the samples' range 0..255, so no sample is ACTIVATION; use a lower hi"},
		{"hysteresis:lo=110%,hi=150%", page(segment.U8), "kernel hysteresis: lo=110% (280.5) reaches the top of the samples' range 0..255, so every sample is BOUNDARY; use a lower lo"},
		// Of 1 to 250, 25 each: the median is 101 + 24 = 125, its deviation 62, and 125 + 3 * 1.4826 * 62 = 400.7636.
		{"mad", page(segment.U8), "kernel mad: khigh=3 (400.7636) is above the samples' range 0..255, so no sample is ACTIVATION; use a lower khigh"},
		{"gradient:hi=400", page(segment.U8), "kernel gradient: hi=400 is above the samples' range 0..255, so no sample is ACTIVATION; use a lower hi"},
		{"expr:boundary=v<60,activation=v<50", page(segment.U8),
			"kernel expr: activation=v<50 holds for no sample value for which boundary=v<60 does not hold, so no sample is ACTIVATION; write a condition that samples of 0..255 can meet"},
		{"expr:boundary=v>4095,activation=v<50", twelve,
			"kernel expr: boundary=v>4095 holds for no sample value, so no sample is BOUNDARY; write a condition that samples of 0..4095 can meet"},
		{"expr:boundary=v<60,activation=v>4094", twelve, ""},
		{"bernsen:window=3,contrast=300", page(segment.U8),
			"kernel bernsen: contrast=300 is more than the samples' range 0..255, so every window counts as flat; use a smaller contrast"},
		{"bernsen:window=3,contrast=255", page(segment.U8), ""},
	} {
		c.p.Width, c.p.Height = 9, 9
		spec := mustParse(t, c.spec)
		var hs []segment.Histogram
		if spec.Needs().Histogram {
			var pairs []int
			for v := 1; v <= 250; v++ {
				pairs = append(pairs, v, 1)
			}
			hs = append(hs, *counts(segment.U8, pairs...))
		}
		for _, invert := range []bool{false, true} {
			_, r, err := spec.Bind(c.p, hs, Options{Invert: invert})
			if err != nil {
				t.Errorf("%s: %v", c.spec, err)
				continue
			}
			names := strings.NewReplacer("BOUNDARY", "a boundary", "ACTIVATION", "an activation")
			if invert {
				names = strings.NewReplacer("BOUNDARY", "an activation", "ACTIVATION", "a boundary")
			}
			if got, want := strings.Join(r.Warnings, "\n"), names.Replace(c.want); got != want {
				t.Errorf("%s, invert %v: got\n%s\nwant\n%s", c.spec, invert, got, want)
			}
		}
	}
}

// A threshold that is never below another is found before any page; one that a page puts above it names a way out.
func TestThresholdsThatCross(t *testing.T) {
	for _, s := range []string{
		"lo=otsu,hi=otsu", "lo=otsu+5,hi=otsu-5", "lo=mean*2,hi=mean*2", "lo=mean+1sd,hi=mean+1sd", "lo=mean+1sd,hi=mean", "lo=p50,hi=p50", "lo=50%,hi=20%",
	} {
		_, err := Parse("hysteresis:" + s)
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(usage.Msg, "must be below hi=") || usage.Hint == "" {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, s := range []string{"lo=otsu,hi=otsu+1", "lo=otsu,hi=otsu*1.1", "lo=otsu*1.2,hi=otsu", "lo=mean+1sd,hi=mean+5", "lo=otsu,hi=mean", "lo=50%,hi=20"} {
		mustParse(t, "hysteresis:"+s)
	}
	h := segment.Histogram{Type: segment.F32, Bins: make([]uint64, 1<<16), N: 4, Min: -4, Max: -1}
	for _, v := range []float32{-4, -3.5, -1.5, -1} {
		h.Bins[segment.FloatKey(v)>>16]++
	}
	_, _, err := mustParse(t, "hysteresis:lo=otsu*0.9,hi=otsu*1.1").Bind(page(segment.F32), []segment.Histogram{h}, Options{})
	if err == nil || !strings.Contains(err.Error(), "kernel hysteresis: lo=otsu*0.9 gives -3.") || !strings.Contains(err.Error(), "use +NUMBER, or +NUMBERsd") {
		t.Errorf("a negative threshold: %v", err)
	}
}

// What gradient says of an edge that no step within the samples' range has, and of no less: a step of 255 comes to
// 255 * sum(d w) / sum(2 d d w) = 255 * 0.911868 / 2.506437 = 92.771 for sigma 1, w being exp(-d*d/2) for d of 1 to 4.
func TestGradientSteepest(t *testing.T) {
	v := segment.NewPlane(segment.U8, 1, 20)
	for i := 10; i < 20; i++ {
		v.U8[i] = 255
	}
	p := page(segment.U8)
	p.Width, p.Height = 20, 1
	for edge, reached := range map[string]bool{"92.7": true, "92.8": false, "36.3%": true, "36.4%": false} {
		for _, invert := range []bool{false, true} {
			c, r, err := mustParse(t, "gradient:hi=200,edge="+edge).Bind(p, nil, Options{Invert: invert})
			if err != nil {
				t.Fatal(err)
			}
			var m segment.Masks
			if err := c.Classify(segment.Band{Page: p, Lines: 1, Samples: 20, V: v}, &m); err != nil {
				t.Fatal(err)
			}
			edges, said, other, class := m.B[0], r.Missing.Boundary, r.Missing.Activation, "a boundary"
			if invert {
				edges, said, other, class = m.A[0], other, said, "an activation"
			}
			if (edges != 0) != reached || (said == "") != reached || other != "" {
				t.Errorf("edge=%s, invert %v: edges %x, said %q, %q", edge, invert, edges, said, other)
			}
			if !reached && (!strings.HasPrefix(said, "kernel gradient: edge="+edge+" (") || !strings.HasSuffix(said, "so no sample is "+class+"; use a smaller edge")) {
				t.Errorf("edge=%s, invert %v: %s", edge, invert, said)
			}
		}
	}
	if most := 255 * (&Gradient{Sigma: 1}).steepest(); math.Abs(most-92.771) > 0.001 {
		t.Errorf("a step of 255 comes to %g", most)
	}
}

// Numbers out of range are refused with what would do; the limits of types are not spelled out.
func TestNumbersOutOfRange(t *testing.T) {
	for spec, want := range map[string]string{
		"sauvola:r=0":         "kernel sauvola: r=0 is not a number above 0",
		"localmean:margin=-1": "kernel localmean: margin=-1 is not a number from 0 up",
		"localmean:offset=x":  "kernel localmean: offset=x is not a number",
		"sauvola:k=101":       "kernel sauvola: k=101 is not a number from -100 to 100",
		"mad:klow=-2e6":       "kernel mad: klow=-2e6 is not a number from -1000000 to 1000000",
	} {
		_, err := Parse(spec)
		var usage *UsageError
		if !errors.As(err, &usage) || usage.Msg != want || !strings.HasPrefix(usage.Hint, "for example ") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
