package viz

import (
	"image"
	"image/color"
	"math"
	"testing"

	"segscan/segment"
)

// drawn is the picture of a page that is drawn in one piece, its legend included.
func drawn(t *testing.T, p *segment.PageInfo, o PictureOptions, b segment.Band, m *Marks, segments int64) image.Image {
	t.Helper()
	v, err := NewPicture(p, o)
	if err != nil {
		t.Fatal(err)
	}
	w, h := v.Size()
	all := image.NewRGBA(image.Rect(0, 0, int(w), int(h)))
	rows := 0
	take := func(img image.Image) error {
		if img == nil {
			return nil
		}
		r := img.Bounds()
		if r.Min.X != 0 || r.Max.X != int(w) || r.Min.Y != rows {
			t.Fatalf("rows %v follow row %d of a picture %d wide", r, rows, w)
		}
		rows = r.Max.Y
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := range r.Dx() {
				all.Set(x, y, img.At(x, y))
			}
		}
		return nil
	}
	img, err := v.Draw(b, m)
	if err != nil {
		t.Fatal(err)
	}
	if img != nil {
		take(img)
	}
	if err := v.Finish(segments, take); err != nil {
		t.Fatal(err)
	}
	if rows != int(h) {
		t.Fatalf("%d rows came of %d", rows, h)
	}
	return all
}

// row is a band of one row, and of one more so that it is no signal.
func pageOf(v segment.Plane) (*segment.PageInfo, segment.Band) {
	p := &segment.PageInfo{Width: int64(v.Samples), Height: int64(v.Lines), Type: v.Type(), Channels: 1, Max: 255}
	return p, segment.Band{Page: p, Lines: v.Lines, Samples: v.Samples, V: v}
}

func TestTintShowsTheSourceUnderItsMarks(t *testing.T) {
	v := segment.Plane{U8: []uint8{0, 255, 255, 255, 128, 77, 0, 0, 0, 0, 0}, Lines: 2, Samples: 5, Stride: 6}
	p, b := pageOf(v)
	m := NewMarks(0, 0, 5, 2)
	copy(m.Of, []Mark{None, None, Inside, Rejected, Edge})
	img := drawn(t, p, PictureOptions{Stretch: Stretch{0, 255}, Rejected: true}, b, m, 1)
	want := []color.RGBA{
		{0, 0, 0, 255},
		{255, 255, 255, 255},
		// 255 * 0.45 + tint * 0.55: 114.75 + (126.5, 87.45, 0)
		{241, 202, 115, 255},
		// 114.75 + (112.2, 66.55, 91.85)
		{227, 181, 207, 255},
		{86, 180, 233, 255},
	}
	for x, w := range want {
		if got := img.At(x, 0); got != w {
			t.Errorf("pixel %d: got %v, want %v", x, got, w)
		}
	}
}

// Every type shows a ramp from its stretch's low end to its high one as black to white.
func TestPictureStretchesEveryType(t *testing.T) {
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		const n = 256
		v := segment.NewPlane(typ, 2, n)
		lo, hi := 0.0, 255.0
		for i := range n {
			switch typ {
			case segment.U8:
				v.U8[i] = uint8(i)
			case segment.U16:
				v.U16[i] = uint16(1000 + 10*i)
				lo, hi = 1000, 3550
			default:
				v.F32[i] = float32(i)/100 - 2
				lo, hi = -2, 0.55
			}
		}
		p, b := pageOf(v)
		img := drawn(t, p, PictureOptions{Stretch: Stretch{lo, hi}}, b, NewMarks(0, 0, n, 2), 0)
		for i := range n {
			g := img.At(i, 0).(color.RGBA)
			// 127 levels: a gray is at most one and a half of 255 away from the sample's place
			if g.R != g.G || g.R != g.B || math.Abs(float64(g.R)-float64(i)) > 1.6 {
				t.Fatalf("%v: sample %d shows as %v", typ, i, g)
			}
		}
	}
}

func TestStretchRules(t *testing.T) {
	p := &segment.PageInfo{Type: segment.U16, Min: 0, Max: 4095}
	h := segment.Histogram{Type: segment.U16, Bins: make([]uint64, 1<<16), N: 1000, Min: 3, Max: 4000}
	h.Bins[3], h.Bins[100], h.Bins[200], h.Bins[4000] = 4, 496, 496, 4 // 4 of 1000 lie below the 0.5 % tail
	one := segment.Histogram{Type: segment.U16, Bins: make([]uint64, 1<<16), N: 9, Min: 7, Max: 7}
	one.Bins[7] = 9
	f := segment.PageInfo{Type: segment.F32, Min: math.NaN(), Max: math.NaN()}
	empty := segment.Histogram{Type: segment.F32, Bins: make([]uint64, 1<<16), NotFinite: 3, Min: math.NaN(), Max: math.NaN()}
	floats := segment.Histogram{Type: segment.F32, Bins: make([]uint64, 1<<16), N: 2, Min: -1, Max: 3}
	floats.Bins[segment.FloatKey(-1)>>16], floats.Bins[segment.FloatKey(3)>>16] = 1, 1
	for _, c := range []struct {
		name string
		rule StretchRule
		p    *segment.PageInfo
		h    *segment.Histogram
		want Stretch
	}{
		{"8 bits", StretchRule{}, &segment.PageInfo{Type: segment.U8, Max: 255}, nil, Stretch{0, 255}},
		{"tails", StretchRule{}, p, &h, Stretch{100, 200}},
		{"smaller tails", StretchRule{Kind: StretchTails, Tail: 0.003}, p, &h, Stretch{3, 4000}},
		{"none", StretchRule{Kind: StretchNone}, p, nil, Stretch{0, 4095}},
		{"fixed", StretchRule{Kind: StretchFixed, Fix: Stretch{5, 6}}, p, nil, Stretch{5, 6}},
		{"one value", StretchRule{}, p, &one, Stretch{3.5, 10.5}},
		{"nothing finite", StretchRule{}, &f, &empty, Stretch{0, 1}},
		{"none of floats", StretchRule{Kind: StretchNone}, &f, &floats, Stretch{-1, 3}},
	} {
		if c.h == nil && c.rule.NeedsHistogram(c.p.Type) {
			t.Errorf("%s: needs a histogram", c.name)
		}
		if got := c.rule.Of(c.p, c.h); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if !(StretchRule{}).NeedsHistogram(segment.U16) || (StretchRule{Kind: StretchNone}).NeedsHistogram(segment.U16) ||
		!(StretchRule{Kind: StretchNone}).NeedsHistogram(segment.F32) || !(StretchRule{Kind: StretchTails}).NeedsHistogram(segment.U8) {
		t.Error("NeedsHistogram")
	}
}

func TestPictureRefuses(t *testing.T) {
	p, b := pageOf(segment.NewPlane(segment.U8, 2, 4))
	ok := PictureOptions{Stretch: Stretch{0, 255}}
	for name, m := range map[string]*Marks{"one row lower": NewMarks(0, 1, 4, 2), "narrower": NewMarks(0, 0, 3, 2)} {
		v, err := NewPicture(p, ok)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Draw(b, m); err == nil {
			t.Errorf("marks %s were taken", name)
		}
		if err := v.Finish(0, nil); err == nil {
			t.Error("a picture without rows was finished")
		}
	}
	v, err := NewPicture(p, ok)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 { // the same rows twice
		if _, err := v.Draw(b, NewMarks(0, 0, 4, 2)); (err != nil) != (i == 1) {
			t.Errorf("time %d: %v", i, err)
		}
	}
	for name, o := range map[string]PictureOptions{
		"an empty stretch": {Stretch: Stretch{5, 5}}, "an unknown look": {Stretch: ok.Stretch, Look: "sepia"},
		"an unknown palette": {Stretch: ok.Stretch, Palette: "neon"},
	} {
		if _, err := NewPicture(p, o); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	const n = 4096
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		b.Run(typ.String(), func(b *testing.B) {
			p, band := pageOf(segment.NewPlane(typ, 256, n))
			m := NewMarks(0, 0, n, 256)
			for i := range m.Of { // segments of 24, three times as far apart
				m.Of[i] = []Mark{None, None, Inside, None}[i/24%4]
			}
			v, err := NewPicture(p, PictureOptions{Stretch: Stretch{0, 255}})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(typ.Bytes()) * n * 256)
			for b.Loop() {
				v.next = 0
				if _, err := v.Draw(band, m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
