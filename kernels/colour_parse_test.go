package kernels

import (
	"errors"
	"math"
	"strings"
	"testing"

	"segscan/segment"
)

func TestColourCanonical(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"color:space=hsv,activation=h:350..20+s:40%..", "color:space=hsv,activation=h:350..20+s:40%.."},
		{"color:boundary=s:..0.15,activation='h:350..20;s:0.4..;v:..',space=HSV", "color:space=hsv,activation=h:350..20+s:0.4..+v:..,boundary=s:..0.15"},
		{"color:space=hsv,activation=[s:40%..,h:350..20]", ""},
		{`color:space=hsv,activation="s:40%.., h:350..20"`, "color:space=hsv,activation=h:350..20+s:40%.."},
		{"color:space=hsv,activation=H:-10..20 S = .4 .. 1.", ""},
		{"color:space=hsv,activation=H:-10..20 S = .4 .. 1", "color:space=hsv,activation=h:350..20+s:0.4..1"},
		{"color:space=hsv,activation=h=-60..0", "color:space=hsv,activation=h:300..360"},
		{"color:space=hsv,activation=h:300..", "color:space=hsv,activation=h:300..360"},
		{"color:space=hsv,activation=h:..60", "color:space=hsv,activation=h:0..60"},
		{"color:space=hsv,activation=h:380..400", "color:space=hsv,activation=h:20..40"},
		{"color:space=hsv,activation=h:-30..330", "color:space=hsv,activation=h:0..360"},
		{"color:space=hsv,activation=h:10..370", "color:space=hsv,activation=h:0..360"},
		{"color:space=hsv,activation=h:..", "color:space=hsv,activation=h:0..360"},
		{"color:space=hsv,activation=h:360", "color:space=hsv,activation=h:0"},
		{"color:space=hsv,boundary=s:0", "color:space=hsv,boundary=s:0"},
		{"color:space=hsv,boundary=s:20%..20%,white=1e3", "color:space=hsv,boundary=s:20%,white=1000"},
		{"color:space=lab,activation=L*:30..80+a*:20..+b*:-5..5", "color:space=lab,activation=l:30..80+a:20..+b:-5..5"},
		{"color:space=lab,activation=l:30..80&&a:-0..", "color:space=lab,activation=l:30..80+a:0.."},
		{"color:space=rgb,activation=r:200..+g:..1e2", "color:space=rgb,activation=r:200..+g:..100"},
		{"color:space=rgb,activation=r:50%..+g:-3.5..-1e-3,white=4095", "color:space=rgb,activation=r:50%..+g:-3.5..-0.001,white=4095"},
		{"distance:to=D62728,near=15", "distance:to=#d62728,near=15"},
		{"distance:to=#fA0,near=.5,far=4e1,metric=CIE76", "distance:to=#ffaa00,near=0.5,far=40"},
		{"distance:metric=ciede2000,white=1,far=40,near=0,to='#000'", "distance:to=#000000,near=0,far=40,metric=ciede2000,white=1"},
	} {
		s, err := Parse(c.in)
		if c.want == "" {
			if err == nil {
				t.Errorf("Parse(%q) is %q, and should fail", c.in, s)
			}
			continue
		}
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
			continue
		}
		if s.String() != c.want {
			t.Errorf("Parse(%q) is %q, want %q", c.in, s, c.want)
		}
		again, err := Parse(s.String())
		if err != nil || again.String() != s.String() || again.Needs() != s.Needs() {
			t.Errorf("Parse(%q) does not read back: %v, %v", s, again, err)
		}
		if !s.Needs().Channels {
			t.Errorf("%q needs no channels", s)
		}
	}
}

func TestColourUsage(t *testing.T) {
	for _, c := range []struct{ in, msg, hint string }{
		{"color", "space is missing", "space=hsv"},
		{"color:space=hsl", "space=hsl is not", "did you mean hsv?"},
		{"color:space=cmyk,activation=c:1..", "space=cmyk is not", "known: rgb, hsv, lab"},
		{"colour:space=hsv", `"colour"`, "did you mean color?"},
		{"color:space=hsv", "activation and boundary are both missing", "activation=h:350..20"},
		{"color:space=hsv,activation=r:1..2", "hsv has no channel r", "space=rgb has it"},
		{"color:space=rgb,activation=h:1..2", "rgb has no channel h", "space=hsv has it"},
		{"color:space=hsv,activation=hue:1..2", "hsv has no channel hue", "h (in degrees"},
		{"color:space=hsv,activation=h:1..2+h:3..4", "h is given twice", "one range a channel"},
		{"color:space=hsv,activation=s:40..", "40 of s is out of range", "40% is 0.4"},
		{"color:space=hsv,activation=s:140%..", "140% of s is out of range", "0 to 1, or N%"},
		{"color:space=hsv,activation=h:10%..", "10% of h is out of range", "degrees"},
		{"color:space=hsv,activation=h:1000..", "1000 of h is out of range", "degrees"},
		{"color:space=hsv,activation=s:60%..0.2", "no value is in s:60%..0.2", "only h goes around"},
		{"color:space=lab,activation=l:80..30", "no value is in l:80..30", "only h goes around"},
		{"color:space=lab,activation=l:..110", "110 of l is out of range", "0 to 100"},
		{"color:space=lab,activation=a:500", "500 of a is out of range", "-110 to 100"},
		{"color:space=hsv,activation=h:350-20", `"h:350-20" is no range`, "FROM..TO"},
		{"color:space=hsv,activation=s>0.4", `"s>0.4" is no range`, "FROM..TO"},
		{"color:space=hsv,activation=h:1..2s:3..4", "is no range", "join several by +"},
		{"color:space=hsv,activation=red", "is no range", "h:350..20"},
		{"color:space=rgb,activation=r:1e999..", "1e999 of r is out of range", "sample units"},
		{"color:space=rgb,activation=r:9..1", "no value is in r:9..1", "only h goes around"},
		{"color:space=rgb,activation=r:9..,white=255", "white=255 has no effect", "leave white out"},
		{"color:space=hsv,activation=s:9%..,white=0", "white=0 is not a number from 1e-20", "white=4095"},
		{"color:space=hsv,activation=s:9%..,white=NaN", "white=NaN is not a number from", "white=4095"},
		{"color:space=hsv,activation=s:9%..,per=line", `unknown parameter "per"`, "known"},
		{"color:space=hsv,activation=s:9%..,smooth=2", "smooth=2 has no effect", "leave it out"},
		{"distance:to=#123456,near=3,baseline=median:5", "baseline=median:5 has no effect", "leave it out"},
		{"color:space=lab,activation=a:150..", "no colour is in activation=a:150..", "in sRGB a goes from about -86 to 98"},
		{"color:space=lab,activation=l:95..+a:60..", "no colour is in activation=l:95..+a:60..", "with the other ranges as they are, l goes from about 21 to 73, or a goes"},
		{"color:space=lab,activation=l:2..3+a:90..+b:90..", "no colour is in activation=l:2..3+a:90..+b:90..", "but not each with each"},
		{"color:space=lab,activation=l:50..60,boundary=l:40..", "activation=l:50..60 lies inside boundary=l:40..", "keep the ranges apart"},
		{"color:space=lab,activation=l:50..,boundary=l:40..100", "activation=l:50.. lies inside boundary=l:40..100", "keep the ranges apart"},
		{"color:space=hsv,activation=h:100..200+s:0", "no colour is in activation=h:100..200+s:0", "gray and black have hue 0"},
		{"color:space=hsv,activation=s:10%..+v:0", "no colour is in activation=s:10%..+v:0", "black has saturation 0"},
		{"color:space=hsv,activation=h:350..5,boundary=h:340..20", "activation=h:350..5 lies inside boundary=h:340..20", "keep the ranges apart"},
		{"color:space=hsv,activation=s:50%..,boundary=s:0.4..", "activation=s:50%.. lies inside boundary=s:0.4..", "leave boundary out"},
		{"color:space=hsv,boundary=h:..+s:..", "boundary=h:0..360+s:.. holds every colour", "narrow it"},
		{"color:space=rgb,activation=r:200..+g:5,boundary=r:90..", "activation=r:200..+g:5 lies inside boundary=r:90..", "keep the ranges apart"},
		{"distance:near=3", "to is missing", "distance:to="},
		{"distance:to=#123456", "near is missing", "near=15"},
		{"distance:to=red,near=3", "to=red is not a colour", "#rrggbb"},
		{"distance:to=#12345,near=3", "to=#12345 is not a colour", "#rrggbb"},
		{"distance:to=+12345,near=3", "to=+12345 is not a colour", "#rrggbb"},
		{"distance:to=#12345678,near=3", "is not a colour", "#rrggbb"},
		{"distance:to=#123456,near=-3", "near=-3 is not a number from 0", "near=15"},
		{"distance:to=#123456,near=40,far=40", "near=40 must be below far=40", "leave far out"},
		{"distance:to=#123456,near=4,far=1e9", "far=1e+09 is not|far=1e9 is not", "far=40"},
		{"distance:to=#123456,near=4,metric=cie94", "metric=cie94 is neither", "known: cie76, ciede2000"},
	} {
		_, err := Parse(c.in)
		var usage *UsageError
		if !errors.As(err, &usage) {
			t.Errorf("Parse(%q): %v is no usage error", c.in, err)
			continue
		}
		found := false
		for _, msg := range strings.Split(c.msg, "|") {
			found = found || strings.Contains(usage.Msg, msg)
		}
		if !found || !strings.Contains(usage.Hint, c.hint) {
			t.Errorf("Parse(%q): %q, hint %q; want %q, %q", c.in, usage.Msg, usage.Hint, c.msg, c.hint)
		}
	}
}

// TestColourBindMessages: what a page makes of a spec.
func TestColourBindMessages(t *testing.T) {
	nan := math.NaN()
	bytes := &segment.PageInfo{Type: segment.U8, Max: 255, ColourMax: 255}
	gray := &segment.PageInfo{Type: segment.U8, Max: 255, ColourMax: 255, Gray: true}
	floats := &segment.PageInfo{Type: segment.F32, Min: nan, Max: nan, ColourMin: nan, ColourMax: nan}
	hue := &segment.PageInfo{Type: segment.F32, Max: 360, ColourMax: 4095}
	bright := []segment.Histogram{{N: 4, Min: 0, Max: 254}}
	for _, c := range []struct {
		spec      string
		p         *segment.PageInfo
		h         []segment.Histogram
		histogram bool
		warnings  []string // parts, one a warning
		err       string
	}{
		{"color:space=hsv,activation=h:350..20+s:40%..", bytes, nil, false, nil, ""},
		{"color:space=hsv,activation=h:350..20", bytes, nil, false, []string{"kernel color: activation=h:350..20 holds gray too, whose hue is 0; add s:10%.."}, ""},
		{"color:space=hsv,boundary=h:300..360", bytes, nil, false, []string{"boundary=h:300..360 holds gray too"}, ""},
		{"color:space=hsv,activation=h:350..20+s:0..", bytes, nil, false, nil, ""},
		{"color:space=hsv,activation=h:20..350", bytes, nil, false, nil, ""},
		{"color:space=hsv,activation=h:0..360+v:50%..", bytes, nil, false, nil, ""},
		{"color:space=hsv,activation=h:340..20+s:0..,boundary=h:350..5+s:0..", bytes, nil, false, nil, ""}, // see TestColoursThatOverlap
		{"color:space=hsv,activation=h:20..10+s:0..,boundary=h:15..5+s:0..+v:50%..", bytes, nil, false, nil, ""},
		{"color:space=hsv,boundary=s:0..1", bytes, nil, false, []string{"kernel color: boundary=s:0..1 holds every colour of this page, so no sample is an activation; narrow it"}, ""},
		{"color:space=rgb,activation=r:0..+g:..100%", bytes, nil, false, []string{"activation=r:0..+g:..100% holds every colour, so no sample is a boundary"}, ""},
		{"color:space=rgb,boundary=r:0..255", bytes, nil, false, []string{"boundary=r:0..255 holds every colour of this page, so no sample is an activation"}, ""},
		{"color:space=rgb,boundary=r:1..255", bytes, nil, false, nil, ""},
		{"color:space=rgb,boundary=r:0..255", floats, nil, false, nil, ""},
		{"color:space=hsv,boundary=s:0..1", floats, nil, true, nil, ""},
		{"color:space=hsv,activation=s:..100%", bytes, nil, false, []string{"kernel color: activation=s:..100% holds every colour, so no sample is a boundary; narrow it"}, ""},
		{"color:space=hsv,activation=v:50%..,boundary=v:20%..1", bytes, nil, false, []string{
			"kernel color: activation=v:50%.. lies inside boundary=v:20%..1 on this page, and what is in both is a boundary, so no sample is an activation; keep the ranges apart"}, ""},
		{"color:space=rgb,activation=r:200..,boundary=r:10%..", bytes, nil, false, []string{
			"activation=r:200.. lies inside boundary=r:10%.. on this page, and what is in both is a boundary, so no sample is an activation"}, ""},
		{"color:space=rgb,activation=r:20..,boundary=r:22..", bytes, nil, false, []string{
			"99% of the colours in activation=r:20.. are in boundary=r:22.. too, which wins, so hardly any sample is an activation; keep the ranges apart"}, ""},
		{"color:space=rgb,activation=r:20..,boundary=r:22..", floats, nil, false, nil, ""},
		{"color:space=lab,activation=l:20..,boundary=l:95..+a:60..", bytes, nil, false, []string{
			"kernel color: no colour is in boundary=l:95..+a:60.., so no sample is a boundary; in sRGB, with the other ranges"}, ""},
		{"color:space=lab,boundary=a:150..", bytes, nil, false, []string{
			"kernel color: no colour is in boundary=a:150.., so no sample is a boundary; in sRGB a goes from about -86 to 98"}, ""},
		{"distance:to=#d62728,near=10,far=500", bytes, nil, false, []string{
			"kernel distance: far=500 is beyond the colours farthest from #d62728, about 161 away, so no sample is a boundary; use a smaller far"}, ""},
		{"distance:to=#d62728,near=100,metric=ciede2000", bytes, nil, false, []string{
			"kernel distance: near=100 is beyond the colours farthest from #d62728, about 87 away, so no sample is a boundary; use a smaller near"}, ""},
		{"color:space=hsv,activation=v:0..1", bytes, nil, false, []string{
			"kernel color: activation=v:0..1 holds every colour, so no sample is a boundary; narrow it, or give boundary a range"}, ""},
		{"color:space=hsv,activation=v:0..1,white=100", bytes, nil, false, nil, ""}, // 255 is 2.55
		{"color:space=lab,activation=a:20..", gray, nil, false, []string{"the page is gray, so kernel color sees r = g = b"}, ""},
		{"color:space=hsv,activation=h:350..20", gray, nil, false, []string{"the page is gray, so kernel color sees r = g = b"}, ""},
		{"distance:to=#fff,near=3", gray, nil, false, []string{"the page is gray, so kernel distance sees r = g = b"}, ""},
		{"color:space=lab,activation=a:20..", floats, bright, true, []string{"kernel color: samples reach 254, and colours of floats go from 0 to 1; white=255"}, ""},
		{"color:space=lab,activation=a:20..,white=255", floats, nil, false, nil, ""},
		{"color:space=lab,activation=a:20..", hue, nil, false, nil, ""},
		{"distance:to=#fff,near=3", floats, []segment.Histogram{{N: 4, Max: 1}}, true, nil, ""},
		{"color:space=rgb,activation=r:0.5..", floats, nil, false, nil, ""},
		{"color:space=rgb,activation=r:50%..", floats, nil, false, nil, "float samples have no nominal range for N%; give bounds in sample units, or what white is, as in white=1"},
		{"color:space=rgb,activation=r:50%..,white=2", floats, nil, false, nil, ""},
		{"color:space=rgb,activation=r:50%..10", bytes, nil, false, nil, "activation=r:50%..10: r:50%..10 holds no whole number, as samples are; widen it"},
		{"color:space=rgb,boundary=g:10.2..10.8", bytes, nil, false, nil, "boundary=g:10.2..10.8: g:10.2..10.8 holds no whole number"},
		{"color:space=rgb,activation=r:50%..0.1,white=1", floats, nil, false, nil, "r from 0.5 to 0.1 holds no value; the lower bound comes first"},
		{"color:space=rgb,activation=r:300..,boundary=g:..-1", bytes, nil, false, []string{
			"kernel color: boundary=g:..-1: g:..-1 lies outside of the samples' range 0..255, so no sample is a boundary; use bounds within it",
			"activation=r:300..: r:300.. lies outside of the samples' range 0..255, so no sample is an activation; use bounds within it"}, ""},
	} {
		s, err := Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if n := PageNeeds(s, c.p); n.Histogram != c.histogram || !n.Channels || n.Histogram && !s.Needs().Histogram {
			t.Errorf("%s: needs %+v of %+v, %+v of any page", c.spec, n, c.p, s.Needs())
		}
		_, r, err := s.Bind(c.p, c.h, Options{})
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.spec, err, c.err)
		}
		if len(r.Warnings) != len(c.warnings) {
			t.Errorf("%s: %q, want %q", c.spec, r.Warnings, c.warnings)
			continue
		}
		for i, w := range c.warnings {
			if !strings.Contains(r.Warnings[i], w) {
				t.Errorf("%s: %q, want %q", c.spec, r.Warnings[i], w)
			}
		}
		if err == nil && !strings.HasPrefix(r.Text, strings.SplitN(c.spec, ":", 2)[0]) || r.Automatic || r.Lo != nil || r.Hi != nil {
			t.Errorf("%s: %+v", c.spec, r)
		}
	}
}

// TestColoursThatOverlap: where a page has no activation, and the ranges overlap by much, that is said, of the class that
// --invert makes of it. 80% of r:..50% is 26 to 127 of 0 to 127.
func TestColoursThatOverlap(t *testing.T) {
	page := &segment.PageInfo{Type: segment.U8, Max: 255, ColourMax: 255}
	for spec, want := range map[string]string{
		"color:space=rgb,activation=r:..50%,boundary=r:10%..":                 "80% of the colours in activation=r:..50% are in boundary=r:10%.. too, which wins; keep the ranges apart",
		"color:space=hsv,activation=h:340..20+s:5%..,boundary=h:0..180+s:0..": "%",
		"color:space=hsv,activation=h:350..20+s:40%..,boundary=s:..15%":       "",
		"color:space=lab,activation=l:50..,boundary=l:..30":                   "",
		"color:space=lab,activation=l:50..":                                   "",
	} {
		s, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{}, {Invert: true}} {
			_, r, err := s.Bind(page, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			got, other, class := r.Missing.Activation, r.Missing.Boundary, "an activation"
			if o.Invert {
				got, other, class = other, got, "a boundary"
			}
			if other != "" || (got == "") != (want == "") || got != "" && (!strings.HasPrefix(got, "kernel color: no sample is "+class+"; ") || !strings.Contains(got, want)) {
				t.Errorf("%s, invert %v: %q, %q", spec, o.Invert, got, other)
			}
			if len(r.Warnings) > 0 {
				t.Errorf("%s: %q", spec, r.Warnings)
			}
		}
	}
}
