package viz

import (
	"image"
	"image/color"
	"math"
	"testing"

	"segscan/segment"
)

func TestOverlayShowsTheSourceUnderItsMarks(t *testing.T) {
	p := &segment.PageInfo{Width: 5, Height: 1, Type: segment.U8}
	o, err := NewOverlay(p, StretchOf(p, nil), OverlayOptions{Rejected: true})
	if err != nil {
		t.Fatal(err)
	}
	v := segment.Plane{U8: []uint8{0, 255, 255, 255, 128, 77}, Lines: 1, Samples: 5, Stride: 6}
	m := NewMarks(0, 0, 5, 1)
	copy(m.Of, []Mark{None, None, Inside, Rejected, Edge})
	img, err := o.Draw(segment.Band{Page: p, Lines: 1, Samples: 5, V: v}, m)
	if err != nil {
		t.Fatal(err)
	}
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
		if got := color.RGBAModel.Convert(img.At(x, 0)); got != w {
			t.Errorf("pixel %d: got %v, want %v", x, got, w)
		}
	}
	if n := len(img.(*image.Paletted).Palette); n > 256 {
		t.Errorf("palette has %d colours", n)
	}
}

// Every type shows a ramp from its stretch's low end to its high one as black to white.
func TestOverlayStretchesEveryType(t *testing.T) {
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		const n = 256
		v := segment.NewPlane(typ, 1, n)
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
		p := &segment.PageInfo{Width: n, Height: 1, Type: typ}
		o, err := NewOverlay(p, Stretch{lo, hi}, OverlayOptions{})
		if err != nil {
			t.Fatal(err)
		}
		img, err := o.Draw(segment.Band{Page: p, Lines: 1, Samples: n, V: v}, NewMarks(0, 0, n, 1))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			g := color.RGBAModel.Convert(img.At(i, 0)).(color.RGBA)
			// 127 levels: a gray is at most one and a half of 255 away from the sample's place
			if g.R != g.G || g.R != g.B || math.Abs(float64(g.R)-float64(i)) > 1.6 {
				t.Fatalf("%v: sample %d shows as %v", typ, i, g)
			}
		}
	}
}

func TestStretchOfLeavesOutTails(t *testing.T) {
	p := &segment.PageInfo{Type: segment.U16}
	h := segment.Histogram{Type: segment.U16, Bins: make([]uint64, 1<<16), N: 1000, Min: 3, Max: 60000}
	h.Bins[3], h.Bins[100], h.Bins[200], h.Bins[60000] = 4, 496, 496, 4 // 4 of 1000 lie below the 0.5 % tail
	if got, want := StretchOf(p, &h), (Stretch{100, 200}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	one := segment.Histogram{Type: segment.U16, Bins: make([]uint64, 1<<16), N: 9, Min: 7, Max: 7}
	one.Bins[7] = 9
	if got, want := StretchOf(p, &one), (Stretch{6, 8}); got != want {
		t.Errorf("one value: got %v, want %v", got, want)
	}
	f := segment.Histogram{Type: segment.F32, Bins: make([]uint64, 1<<16), N: 0, NotFinite: 3, Min: math.NaN(), Max: math.NaN()}
	if got, want := StretchOf(&segment.PageInfo{Type: segment.F32}, &f), (Stretch{0, 1}); got != want {
		t.Errorf("nothing finite: got %v, want %v", got, want)
	}
}

func TestDrawRefusesMarksOfAnotherBand(t *testing.T) {
	p := &segment.PageInfo{Width: 4, Height: 4, Type: segment.U8}
	o, err := NewOverlay(p, Stretch{0, 255}, OverlayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b := segment.Band{Page: p, Lines: 2, Samples: 4, V: segment.NewPlane(segment.U8, 2, 4)}
	if _, err := o.Draw(b, NewMarks(0, 1, 4, 2)); err == nil {
		t.Error("marks one row lower were taken")
	}
	if _, err := NewOverlay(p, Stretch{5, 5}, OverlayOptions{}); err == nil {
		t.Error("an empty stretch was taken")
	}
}

func BenchmarkDraw(b *testing.B) {
	const n = 4096
	p := &segment.PageInfo{Width: n, Height: 256, Type: segment.U8}
	o, err := NewOverlay(p, Stretch{0, 255}, OverlayOptions{})
	if err != nil {
		b.Fatal(err)
	}
	band := segment.Band{Page: p, Lines: 256, Samples: n, V: segment.NewPlane(segment.U8, 256, n)}
	m := NewMarks(0, 0, n, 256)
	b.SetBytes(n * 256)
	for b.Loop() {
		if _, err := o.Draw(band, m); err != nil {
			b.Fatal(err)
		}
	}
}
