package kernels

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

func TestLocalCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"localmean":                       "localmean",
		"localmean:window=31,offset=0":    "localmean",
		"localmean:offset=-5,window=51":   "localmean:window=51,offset=-5",
		"niblack:window=15X31,k=-0.2":     "niblack:window=15x31,k=-0.2",
		"sauvola:r=128,k=0.2,window=15":   "sauvola:window=15,r=128",
		"sauvola:window=31x31,margin=2.5": "sauvola:margin=2.5",
		"phansalkar:q=3,p=3,k=0.25":       "phansalkar:p=3,q=3",
		"niblack:window=1x3":              "niblack:window=1x3",
	} {
		s, err := Parse(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if s.String() != want {
			t.Errorf("%s is %s, want %s", in, s, want)
		}
		if again, err := Parse(s.String()); err != nil || again.String() != want {
			t.Errorf("%s does not read back: %v", s, err)
		}
	}
}

func TestLocalUsageErrors(t *testing.T) {
	for _, c := range []struct{ in, msg, hint string }{
		{"sauvola:window=30", "kernel sauvola: window=30 is even", "use 29 or 31"},
		{"sauvola:window=31x2", "kernel sauvola: window=31x2 is even", "use 1 or 3"},
		{"niblack:window=1", "kernel niblack: window=1 holds nothing but the sample itself", "3 to 1023"},
		{"niblack:window=1025", "kernel niblack: window=1025 is out of range", "3 to 1023"},
		{"niblack:window=0", "kernel niblack: window=0 is out of range", "3 to 1023"},
		{"niblack:window=big", "kernel niblack: window=big is not a size", "window=31x15"},
		{"niblack:window=3x", "kernel niblack: window=3x is not a size", "window=31x15"},
		{"niblack:k=lots", "kernel niblack: k=lots is not a number from -100 to 100", "k=0.2"},
		{"niblack:r=128", `kernel niblack: unknown parameter "r"`, "known: window, k, margin, baseline"},
		{"wolf:r=5%", `kernel wolf: unknown parameter "r"`, "known: window, k, margin, baseline"},
		{"wolf:kk=5", `kernel wolf: unknown parameter "kk"`, "did you mean k?"},
		{"sauvola:r=0", "kernel sauvola: r=0 is not a number", "r=128"},
		{"localmean:margin=-1", "kernel localmean: margin=-1 is not a number from 0", "margin=0"},
		{"localmean:offset=inf", "kernel localmean: offset=inf is not a number", "offset=0"},
		{"phansalkar:q=101", "kernel phansalkar: q=101 is not a number from 0 to 100", "q=10"},
	} {
		_, err := Parse(c.in)
		var u *UsageError
		if !errors.As(err, &u) || !strings.HasPrefix(u.Msg, c.msg) || !strings.Contains(u.Hint, c.hint) {
			t.Errorf("%s: %v (%+v), want %q and hint %q", c.in, err, u, c.msg, c.hint)
		}
	}
}

// TestLocalLargeWindow checks that a window larger than the page names what works, and that this does.
func TestLocalLargeWindow(t *testing.T) {
	for _, c := range []struct {
		spec, want string
		w, h       int64
	}{
		{"sauvola:window=33", "kernel sauvola: window=33 is larger than the page of 20 x 100 pixels; use at most window=19x33", 20, 100},
		{"niblack:window=5x9", "kernel niblack: window=5x9 is larger than the page of 100 x 7 pixels; use at most window=5x7", 100, 7},
		{"localmedian:window=3x5", "kernel localmedian: window=3x5 is larger than the page of 300 x 1 pixels; use at most window=3x1", 300, 1},
		{"localmean:window=301", "kernel localmean: window=301 is larger than the page of 300 x 1 pixels; use at most window=299x1", 300, 1},
		{"localmean", "kernel localmean: window=31 is larger than the page of 2 x 2 pixels, which is too small for any window; use a global kernel such as otsu", 2, 2},
	} {
		p := &segment.PageInfo{Type: segment.U8, Width: c.w, Height: c.h, Max: 255}
		s := mustParse(t, c.spec)
		_, _, err := s.Bind(p, nil, Options{})
		var u *UsageError
		if err == nil || err.Error() != c.want || errors.As(err, &u) {
			t.Errorf("%s: %v, want %s", c.spec, err, c.want)
			continue
		}
		name, _, _ := strings.Cut(c.spec, ":")
		if _, works, ok := strings.Cut(c.want, "at most "); ok {
			if _, _, err := mustParse(t, name+":"+works).Bind(p, nil, Options{}); err != nil {
				t.Errorf("%s: what was said to work does not: %v", c.spec, err)
			}
		}
	}
}

// TestLocalSmallPages checks that default windows shrink to the page, and square ones to a line, and that this is said
// and is what a window of that size does.
func TestLocalSmallPages(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 6))
	for _, c := range []struct {
		spec, used, warning string
		w, h                int
	}{
		{"sauvola", "31x1", "kernel sauvola: window=31 is larger than the page of 40 x 1 pixels, so window=31x1 is used", 40, 1},
		{"localmedian", "1x19", "kernel localmedian: window=31 is larger than the page of 1 x 20 pixels, so window=1x19 is used", 1, 20},
		{"wolf:k=0.4", "19x7", "kernel wolf: window=31 is larger than the page of 20 x 8 pixels, so window=19x7 is used", 20, 8},
		{"localmean:window=9,offset=3", "9x1", "kernel localmean: window=9 is larger than the page of 40 x 1 pixels, so window=9x1 is used", 40, 1},
		{"contrast", "1x31", "kernel contrast: window=31 is larger than the page of 2 x 50 pixels, so window=1x31 is used", 2, 50},
		{"niblack:window=5", "", "", 5, 9},
	} {
		p := newTestPage(rng, segment.U8, c.w, c.h)
		name, keys, _ := strings.Cut(c.spec, ":")
		small := p.bind(t, c.spec, Options{})
		if c.used != "" {
			var more []string
			for _, key := range strings.Split(keys, ",") {
				if key != "" && !strings.HasPrefix(key, "window=") {
					more = append(more, key)
				}
			}
			same := p.bind(t, name+":"+strings.Join(append(more, "window="+c.used), ","), Options{})
			if *small != *same {
				t.Errorf("%s: %+v, want %+v", c.spec, *small, *same)
			}
			if got, want := p.classes(t, small, segment.Cols, 3), p.classes(t, same, segment.Rows, 2); !slices.Equal(got, want) {
				t.Errorf("%s: bands of large halos change the result", c.spec)
			}
		}
		var r Report
		var err error
		if s, ok := mustParse(t, c.spec).(Surveyed); ok {
			v, e := s.Survey(&p.info)
			if e != nil {
				t.Fatal(e)
			}
			_, r, err = v.Bind(Options{})
		} else {
			_, r, err = mustParse(t, c.spec).Bind(&p.info, p.histogram(), Options{})
		}
		if got := strings.Join(r.Warnings, "; "); err != nil || got != c.warning {
			t.Errorf("%s: %v, %q, want %q", c.spec, err, got, c.warning)
		}
	}
}

// TestLocalMissing checks what is said where nothing is found, with classes exchanged and not.
func TestLocalMissing(t *testing.T) {
	p := &segment.PageInfo{Type: segment.U8, Width: 9, Height: 9, Max: 255}
	below := "kernel localmean: no sample lies at or below the T of its window, as where every sample has the same value or none is finite; so none is "
	above := "kernel localmean: no sample lies above the T + margin=5 of its window, as where every sample has the same value or none is finite; so none is "
	for _, invert := range []bool{false, true} {
		_, r, err := mustParse(t, "localmean:window=3,margin=5").Bind(p, nil, Options{Invert: invert})
		if err != nil {
			t.Fatal(err)
		}
		const remedy = "; try a smaller margin"
		boundary, activation := below+"a boundary", above+"an activation"+remedy
		if invert {
			boundary, activation = above+"a boundary"+remedy, below+"an activation"
		}
		if r.Missing.Boundary != boundary || r.Missing.Activation != activation {
			t.Errorf("inverted %v: %+v", invert, r.Missing)
		}
	}
}

// TestLocalRange checks where r, contrast and the scale of phansalkar come from, and that a histogram is asked for only there.
func TestLocalRange(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		spec     string
		p        segment.PageInfo
		counted  bool
		r        float64
		min, max float64
		text     string
	}{
		{"sauvola:window=3", segment.PageInfo{Type: segment.U8, Max: 255}, false, 127.5, 0, 255, "r 127.5"},
		{"sauvola:window=3,r=128", segment.PageInfo{Type: segment.U8, Max: 255}, false, 128, 0, 0, "r 128"},
		{"sauvola:window=3", segment.PageInfo{Type: segment.U16, Max: 4095}, false, 2047.5, 0, 4095, "r 2047.5"},
		{"sauvola:window=3", segment.PageInfo{Type: segment.F32, Min: -128, Max: 127}, false, 127.5, -128, 127, "r 127.5"},
		{"sauvola:window=3", segment.PageInfo{Type: segment.F32, Min: nan, Max: nan}, true, 4, -2, 6, "r 4;"},
		{"sauvola:window=3,r=3", segment.PageInfo{Type: segment.F32, Min: nan, Max: nan}, false, 3, 0, 0, "r 3;"},
		{"phansalkar:window=3,r=3", segment.PageInfo{Type: segment.F32, Min: nan, Max: nan}, true, 3, -2, 6, "range -2..6"},
		{"niblack:window=3", segment.PageInfo{Type: segment.F32, Min: nan, Max: nan}, false, 0, 0, 0, "k 0.2"},
		{"bernsen:window=3", segment.PageInfo{Type: segment.U8, Max: 255}, false, 0, 0, 255, "contrast 15, centre 127.5;"},
		{"bernsen:window=3", segment.PageInfo{Type: segment.U16, Max: 510}, false, 0, 0, 510, "contrast 30, centre 255;"},
		{"bernsen:window=3,contrast=9", segment.PageInfo{Type: segment.F32, Min: nan, Max: nan}, true, 0, -2, 6, "contrast 9, centre 2;"},
	} {
		c.p.Width, c.p.Height = 9, 9
		s := mustParse(t, c.spec)
		if got := PageNeeds(s, &c.p).Histogram; got != c.counted {
			t.Errorf("%s of %+v: asks for a histogram: %v", c.spec, c.p, got)
		}
		var h []segment.Histogram
		if c.counted {
			h = []segment.Histogram{{Type: segment.F32, N: 9, Min: -2, Max: 6}}
			if _, _, err := s.Bind(&c.p, nil, Options{}); err == nil {
				t.Errorf("%s was bound without a histogram", c.spec)
			}
		}
		k, r, err := s.Bind(&c.p, h, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		l := k.(*Local)
		if l.R != c.r || l.Min != c.min || l.Max != c.max || !strings.Contains(r.Text, c.text) || !r.Automatic {
			t.Errorf("%s: %+v, %s", c.spec, l, r.Text)
		}
	}
}
