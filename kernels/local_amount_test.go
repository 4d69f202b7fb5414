package kernels

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"segscan/segment"
)

// Shares are of the nominal range, 4095 here, or of max - min, which is 4 of the finite float samples.
func TestSharesOfTheRange(t *testing.T) {
	page := func(typ segment.SampleType) *segment.PageInfo {
		p := &segment.PageInfo{Width: 100, Height: 100, Type: typ, Min: 0, Max: 4095}
		if typ == segment.F32 {
			p.Min, p.Max = math.NaN(), math.NaN()
		}
		return p
	}
	h := []segment.Histogram{floats(nil, -1, 3, 0, float32(math.NaN()), float32(math.Inf(1)))}
	for _, c := range []struct{ share, u16, f32 string }{
		{"localmean:offset=-10%,margin=25%", "localmean:offset=-409.5,margin=1023.75", "localmean:offset=-0.4,margin=1"},
		{"sauvola:window=5,k=0.3,r=50%", "sauvola:window=5,k=0.3,r=2047.5", "sauvola:window=5,k=0.3,r=2"},
		{"phansalkar:r=25%,margin=3", "phansalkar:r=1023.75,margin=3", "phansalkar:r=1,margin=3"},
		{"bernsen:contrast=5%", "bernsen:contrast=204.75", "bernsen:contrast=0.2"},
		{"contrast:margin=0%", "contrast", "contrast"},
	} {
		for typ, number := range map[segment.SampleType]string{segment.U16: c.u16, segment.F32: c.f32} {
			s, p := mustParse(t, c.share), page(typ)
			var hs []segment.Histogram
			if PageNeeds(s, p).Histogram {
				hs = h
			}
			if typ == segment.U16 && hs != nil {
				t.Errorf("%s wants a histogram of integers", c.share)
			}
			got, report, err := s.Bind(p, hs, Options{Invert: true})
			if err != nil {
				t.Fatalf("%s: %v", c.share, err)
			}
			want, wantReport, err := mustParse(t, number).Bind(p, h, Options{Invert: true})
			if err != nil || !reflect.DeepEqual(got, want) || report.Text != wantReport.Text {
				t.Errorf("%s of %s:\n%+v %q\nwant\n%+v %q (%v)", c.share, typ, got, report.Text, want, wantReport.Text, err)
			}
		}
		if !HasCrossings(mustParse(t, c.share)) || !HasCrossings(mustParse(t, c.share+strings.Repeat(",smooth=1", strings.Count(c.share, ":")))) {
			t.Errorf("%s has no crossings", c.share)
		}
	}
	// Nothing to take a share of.
	flat := []segment.Histogram{floats(nil, 7, 7)}
	c, _, err := mustParse(t, "sauvola:r=50%,margin=10%").Bind(page(segment.F32), flat, Options{})
	if err != nil || c.(*Local).R != 0 || c.(*Local).Margin != 0 {
		t.Errorf("a page of one value: %+v (%v)", c, err)
	}
	if _, _, err := mustParse(t, "localmean:offset=5%").Bind(page(segment.F32), nil, Options{}); err == nil {
		t.Error("floats without a histogram are bound")
	}
}

// A kernel that looks at the page first finds the range as it does so, band by band.
func TestSharesOfASurvey(t *testing.T) {
	v := segment.NewPlane(segment.F32, 20, 30)
	for i := range v.F32 {
		v.F32[i] = float32(i*i%17) / 4 // 0 to 4
	}
	v.F32[40] = float32(math.NaN())
	p := &segment.PageInfo{Width: 30, Height: 20, Type: segment.F32, Min: math.NaN(), Max: math.NaN()}
	bindOf := func(spec string) (segment.Classifier, string) {
		s := mustParse(t, spec)
		if s.Needs().Histogram || PageNeeds(s, p).Histogram {
			t.Errorf("%s wants a histogram too", spec)
		}
		survey, err := s.(Surveyed).Survey(p)
		if err != nil {
			t.Fatal(err)
		}
		// An engine that looks in Add's place does not find the range.
		if _, found := survey.(LocalSurvey); found == (strings.Contains(spec, "%") && p.Min != p.Min) {
			t.Errorf("%s of %v..%v may be surveyed by engines: %v", spec, p.Min, p.Max, found)
		}
		for l := 0; l < 20; l += 10 {
			n := s.Needs().HaloLines
			before, after := min(n, l), min(n, 10-l)
			b := segment.Band{Page: p, Line0: int64(l), Lines: 10, Samples: 30, Before: segment.Halo{Lines: before}, After: segment.Halo{Lines: after},
				V: v.Sub(l-before, 0, 10+before+after, 30)}
			if err := survey.Add(b); err != nil {
				t.Fatal(err)
			}
		}
		c, r, err := survey.Bind(Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c, r.Text
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, x := range v.F32 {
		if x == x {
			least, most = min(least, float64(x)), max(most, float64(x))
		}
	}
	got, text := bindOf("wolf:window=5,margin=25%")
	want, wantText := bindOf("wolf:window=5,margin=" + formatNumber((most-least)/4))
	if !reflect.DeepEqual(got, want) || text != wantText {
		t.Errorf("%+v %q\nwant\n%+v %q", got, text, want, wantText)
	}
	p.Min, p.Max = 0, 8
	if got, _ := bindOf("wolf:window=5,margin=25%"); got.(*Local).Margin != 2 {
		t.Errorf("of a nominal range: %+v", got)
	}
}

// What a share comes to is refused as such a number is, by a kernel that binds and by one that looks at the page first.
func TestSharesBeyondSamples(t *testing.T) {
	v := segment.NewPlane(segment.F32, 5, 5)
	for i := range v.F32 {
		v.F32[i] = float32(i-12) * 2e37 // -2.4e38 to 2.4e38
	}
	p := &segment.PageInfo{Width: 5, Height: 5, Type: segment.F32, Min: math.NaN(), Max: math.NaN()}
	bind := func(spec string) (segment.Classifier, error) {
		s := mustParse(t, spec)
		w, ok := s.(Surveyed)
		if !ok {
			c, _, err := s.Bind(p, []segment.Histogram{floats(nil, v.F32...)}, Options{})
			return c, err
		}
		survey, err := w.Survey(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := survey.Add(segment.Band{Page: p, Lines: 5, Samples: 5, V: v}); err != nil {
			t.Fatal(err)
		}
		c, _, err := survey.Bind(Options{})
		return c, err
	}
	for _, spec := range []string{"localmean:window=3,offset=-X%", "sauvola:window=3,r=X%", "bernsen:window=3,contrast=X%", "wolf:window=3,margin=X%"} {
		if _, err := bind(strings.Replace(spec, "X", "70", 1)); err != nil {
			t.Errorf("%s of 70: %v", spec, err)
		}
		_, err := bind(strings.Replace(spec, "X", "75", 1))
		var usage *UsageError
		_, keys, _ := strings.Cut(spec, "window=3,")
		if want := strings.Replace(keys, "X", "75", 1) + " of a range 4.8"; err == nil || errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s of 75: %v, want %q of this page alone", spec, err, want)
		}
	}
	// Where nothing is left to take a share of, wolf goes without a margin as others do.
	for _, x := range []float32{7, float32(math.NaN())} {
		for i := range v.F32 {
			v.F32[i] = x
		}
		if c, err := bind("wolf:window=3,margin=75%"); err != nil || c.(*Local).Margin != 0 {
			t.Errorf("wolf of a page of %v: %+v (%v)", x, c, err)
		}
	}
}

func TestSpecsOfShares(t *testing.T) {
	for in, want := range map[string]string{
		"LocalMean:margin= 3.0 %,offset=-.5%": "localmean:offset=-0.5%,margin=3%",
		"sauvola:r=40%,window=5x7,smooth=1":   "sauvola:window=5x7,r=40%,smooth=1",
		"wolf:margin=2%,baseline=opening:9":   "wolf:margin=2%,baseline=opening:9",
		"bernsen:contrast=1e-7%":              "bernsen:contrast=1e-07%",
		"localmedian:offset=0%,margin=5":      "localmedian:margin=5",
	} {
		if got := mustParse(t, in).String(); got != want || mustParse(t, got).String() != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"localmean:margin=-3%":   "kernel localmean: margin=-3% is not a number from 0 up",
		"localmean:offset=x%":    "kernel localmean: offset=x% is not a percentage",
		"localmean:offset=1e9%":  "kernel localmean: offset=1e9% is not a percentage",
		"sauvola:r=-1%":          "kernel sauvola: r=-1% is not a number above 0",
		"sauvola:r=0%":           "kernel sauvola: r=0% is not a number above 0",
		"sauvola:k=20%":          "kernel sauvola: k=20% is not a number",
		"niblack:offset=3%":      `kernel niblack: unknown parameter "offset"`,
		"sauvola:r=5%,window=30": "window=30 is even",
	} {
		_, err := Parse(in)
		var u *UsageError
		if !errors.As(err, &u) || !strings.Contains(u.Msg, want) || u.Hint == "" {
			t.Errorf("%s: %v, want %q with a hint", in, err, want)
		}
	}
}

// Numbers that no sample could have are refused by the range of samples, not as if they were no numbers, and hints show
// both units.
func TestLocalAmountsBeyondSamples(t *testing.T) {
	const r, offset = "for example r=128, or r=50% of the samples' range", "for example offset=0, or offset=5% of the samples' range"
	for in, want := range map[string][2]string{
		"localmean:offset=1e300":    {"offset=1e300 is out of range; allowed: numbers from -3.4e38 to 3.4e38", offset},
		"localmean:offset=-1e999":   {"offset=-1e999 is out of range; allowed: numbers from -3.4e38 to 3.4e38", offset},
		"localmean:offset=-inf":     {"offset=-inf is not a number", offset},
		"localmean:offset=NaN":      {"offset=NaN is not a number", offset},
		"localmean:margin=1e300":    {"margin=1e300 is out of range; allowed: numbers from 0 to 3.4e38", "for example margin=0, or margin=5% of the samples' range"},
		"localmean:margin=-1e300":   {"margin=-1e300 is not a number from 0 up", "for example margin=0, or margin=5% of the samples' range"},
		"bernsen:contrast=1e39":     {"contrast=1e39 is out of range; allowed: numbers from 0 to 3.4e38", "for example contrast=15, or contrast=6% of the samples' range"},
		"bernsen:contrast=x":        {"contrast=x is not a number from 0 up", "for example contrast=15, or contrast=6% of the samples' range"},
		"sauvola:r=1e300":           {"r=1e300 is out of range; allowed: numbers from 1.5e-45 to 3.4e38", r},
		"sauvola:r=1e-300":          {"r=1e-300 is out of range; allowed: numbers from 1.5e-45 to 3.4e38", r},
		"sauvola:r=-0":              {"r=-0 is not a number above 0", r},
		"sauvola:r=1e9%":            {"r=1e9% is not a percentage from -1000000 to 1000000", r},
		"phansalkar:r=1e-46%":       {"r=1e-46% is not a number above 0", r},
		"localgaussian:offset=1e7%": {"offset=1e7% is not a percentage from -1000000 to 1000000", offset},
	} {
		_, err := Parse(in)
		var u *UsageError
		if !errors.As(err, &u) || !strings.HasSuffix(u.Msg, ": "+want[0]) || u.Hint != want[1] {
			t.Errorf("%s: %+v", in, err)
		}
	}
	for _, in := range []string{"localmean:offset=-3.4e38", "localmean:margin=3.4e38", "sauvola:r=1.5e-45", "bernsen:contrast=0"} {
		mustParse(t, in)
	}
}
