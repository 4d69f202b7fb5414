package raster

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

// pageOf is a page of one row of pixels, f32 samples unless l.sample says otherwise.
func pageOf(t *testing.T, l layout, o Options, samples ...float64) Page {
	t.Helper()
	m := &memSource{lay: l, p: segment.NewPlane(l.sample, 1, len(samples))}
	m.lay.width, m.lay.height = int64(len(samples)/l.channels), 1
	for i, v := range samples {
		switch l.sample {
		case segment.U8:
			m.p.U8[i] = uint8(v)
		case segment.U16:
			m.p.U16[i] = uint16(v)
		default:
			m.p.F32[i] = float32(v)
		}
	}
	p, err := newPage("f", 0, 1, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func oneLine(t *testing.T, p Page) []float64 {
	t.Helper()
	lines, err := bodyLines(p, Request{})
	if err != nil || len(lines) != 1 {
		t.Fatal(lines, err)
	}
	return lines[0]
}

// Gray of 8- and 16-bit colours is exactly Go's, opaque and under every alpha.
func TestGrayEqualsGoModels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	var s8, s16, want8, want16, ignored8 []float64
	for i := range 20000 {
		r, g, b, a := uint8(rnd.Uint32()), uint8(rnd.Uint32()), uint8(rnd.Uint32()), uint8(i)
		s8 = append(s8, float64(r), float64(g), float64(b), float64(a))
		want8 = append(want8, float64(color.GrayModel.Convert(color.NRGBA{R: r, G: g, B: b, A: a}).(color.Gray).Y))
		ignored8 = append(ignored8, float64(color.GrayModel.Convert(color.NRGBA{R: r, G: g, B: b, A: 255}).(color.Gray).Y))
		c := color.NRGBA64{R: uint16(rnd.Uint32()), G: uint16(rnd.Uint32()), B: uint16(rnd.Uint32()), A: uint16(i * 263)}
		s16 = append(s16, float64(c.R), float64(c.G), float64(c.B), float64(c.A))
		want16 = append(want16, float64(color.Gray16Model.Convert(c).(color.Gray16).Y))
	}
	l := layout{channels: 4, model: modelRGB, alpha: alphaUnassociated, alphaAt: 3}
	if got := oneLine(t, pageOf(t, l, Options{}, s8...)); !slices.Equal(got, want8) {
		t.Error("u8: unassociated alpha differs from NRGBA -> Gray")
	}
	if got := oneLine(t, pageOf(t, l, Options{Alpha: AlphaIgnore}, s8...)); !slices.Equal(got, ignored8) {
		t.Error("u8: ignored alpha differs from opaque")
	}
	for _, kind := range []alphaKind{alphaNone, alphaAssociated} {
		if l.alpha = kind; !slices.Equal(oneLine(t, pageOf(t, l, Options{}, s8...)), ignored8) {
			t.Error("u8: associated or unspecified alpha multiplies")
		}
	}
	l.sample, l.alpha = segment.U16, alphaUnassociated
	if got := oneLine(t, pageOf(t, l, Options{}, s16...)); !slices.Equal(got, want16) {
		t.Error("u16: unassociated alpha differs from NRGBA64 -> Gray16")
	}
}

// 12-bit colours in u16 keep their range: 4095 is opaque, 2048*2048/4095 = 1024.25 rounds down, and luma of equal
// samples is that sample.
func TestGrayOfTwelveBits(t *testing.T) {
	l := layout{sample: segment.U16, channels: 4, model: modelRGB, alpha: alphaUnassociated, alphaAt: 3, alphaMax: 4095, max: 4095}
	got := oneLine(t, pageOf(t, l, Options{}, 4095, 4095, 4095, 4095, 2048, 2048, 2048, 2048, 7, 7, 7, 65535))
	if want := []float64{4095, 1024, 7}; !slices.Equal(got, want) {
		t.Errorf("gray %v, want %v", got, want)
	}
	got = oneLine(t, pageOf(t, l, Options{Channel: "val"}, 2048, 0, 100, 4095))
	if want := float64(float32(2048.0 / 4095)); got[0] != want {
		t.Errorf("val %v, want %v", got[0], want)
	}
}

// Expected by hand: 0.299, 0.587 and 0.114 in 65536ths, summed in float64 and rounded once.
func TestGrayOfFloats(t *testing.T) {
	l := layout{sample: segment.F32, channels: 4, model: modelRGB, min: math.NaN(), max: math.NaN()}
	third := float64(float32(1.0 / 3))
	got := oneLine(t, pageOf(t, l, Options{}, third, third, third, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -2, 4, 8, 0))
	want := []float64{third, 19595.0 / 65536, 38470.0 / 65536, 7471.0 / 65536, float64(float32((-2*19595.0 + 4*38470 + 8*7471) / 65536))}
	if !slices.Equal(got, want) {
		t.Errorf("luma %v, want %v", got, want)
	}
	l.alpha, l.alphaAt = alphaUnassociated, 3
	got = oneLine(t, pageOf(t, l, Options{}, 3, 3, 3, 0.5, 3, 3, 3, 1))
	if want := []float64{1.5, 3}; !slices.Equal(got, want) {
		t.Errorf("luma under alpha %v, want %v", got, want)
	}
	gray := layout{sample: segment.F32, channels: 1, min: math.NaN(), max: math.NaN()}
	got = oneLine(t, pageOf(t, gray, Options{}, math.NaN(), math.Inf(1), -7.25))
	if !math.IsNaN(got[0]) || !math.IsInf(got[1], 1) || got[2] != -7.25 {
		t.Errorf("gray floats %v came through changed", got)
	}
}

// Hue, saturation and value of colours worked out by hand: (255,128,0): delta 255, hue 60*128/255.
func TestHueSaturationValue(t *testing.T) {
	px := []float64{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0, 255, 0, 255, 255, 128, 0, 40, 40, 40, 0, 0, 0, 100, 50, 75}
	want := map[string][]float64{
		"hue": {0, 120, 240, 60, 300, 60 * 128.0 / 255, 0, 0, 330},
		"sat": {1, 1, 1, 1, 1, 1, 0, 0, 0.5},
		"val": {1, 1, 1, 1, 1, 1, 40.0 / 255, 0, 100.0 / 255},
	}
	for name, w := range want {
		for _, l := range []layout{
			{sample: segment.U8, channels: 3, model: modelRGB, max: 255},
			{sample: segment.U16, channels: 3, model: modelRGB, max: 255},
			{sample: segment.F32, channels: 3, model: modelRGB, max: 255},
		} {
			p := pageOf(t, l, Options{Channel: name}, px...)
			got := oneLine(t, p)
			for i := range w {
				if got[i] != float64(float32(w[i])) {
					t.Errorf("%s %s of pixel %d is %v, want %v", l.sample, name, i, got[i], w[i])
				}
			}
			in := p.Info()
			if top := map[string]float64{"hue": 360, "sat": 1, "val": 1}[name]; in.Type != segment.F32 || in.Min != 0 || in.Max != top {
				t.Errorf("%s: type %s, range %v..%v, want f32, 0..%v", name, in.Type, in.Min, in.Max, top)
			}
		}
		gray := layout{sample: segment.F32, channels: 1, max: math.NaN()}
		if got := oneLine(t, pageOf(t, gray, Options{Channel: name}, 0.25)); got[0] != map[string]float64{"val": 0.25}[name] {
			t.Errorf("%s of gray 0.25 is %v", name, got)
		}
	}
}

func TestChannelByNumber(t *testing.T) {
	l := layout{sample: segment.U8, channels: 5, model: modelRGB, alpha: alphaUnassociated, alphaAt: 3, max: 255}
	for i, name := range []string{"0", "1", "2", "3", "4"} {
		if got := oneLine(t, pageOf(t, l, Options{Channel: name}, 10, 20, 30, 0, 50)); got[0] != []float64{10, 20, 30, 0, 50}[i] {
			t.Errorf("channel %s is %v: it must be as stored", name, got)
		}
	}
	if got := oneLine(t, pageOf(t, l, Options{Channel: "r"}, 10, 20, 30, 0, 50)); got[0] != 0 {
		t.Errorf("red under alpha 0 is %v", got)
	}
	m := numbered(segment.U8, 2, 2, 5)
	for name, want := range map[string]string{
		"5": "the image has no channel 5, only 0 to 4 (--channel)", "a": "the image has no alpha channel (--channel a)",
		"x": `no channel is called "x"`, "-1": `no channel is called "-1"`, "99999": `no channel is called "99999"`,
	} {
		if _, err := newPage("f", 0, 1, m, Options{Channel: name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("channel %s: %v, want %q", name, err, want)
		}
	}
	if err := CheckChannel("chroma"); err == nil {
		t.Error("chroma is a channel")
	}
}

// Colour planes: r g b after alpha, a as stored or opaque.
func TestColourPlanes(t *testing.T) {
	for _, c := range []struct {
		l       layout
		in      []float64
		r, g, a float64
	}{
		{layout{sample: segment.U8, channels: 1, max: 255}, []float64{9}, 9, 9, 255},
		{layout{sample: segment.U8, channels: 2, alpha: alphaUnassociated, alphaAt: 1, max: 255}, []float64{200, 51}, 40, 40, 51},
		{layout{sample: segment.U16, channels: 3, model: modelRGB, max: 65535}, []float64{1000, 1023, 5}, 1000, 1023, 65535},
		{layout{sample: segment.F32, channels: 3, model: modelRGB, max: math.NaN()}, []float64{-1, 0.5, 5}, -1, 0.5, 1},
		{layout{sample: segment.U16, channels: 3, model: modelRGB, narrow: true, max: 255}, []float64{0x80ff, 0x1234, 5}, 0x80, 0x12, 255},
		{layout{sample: segment.U8, channels: 1, model: modelPalette, palette: []color.NRGBA{{}, {R: 7, G: 8, B: 9, A: 255}}, max: 255}, []float64{1}, 7, 8, 255},
	} {
		p := pageOf(t, c.l, Options{}, c.in...)
		for b, err := range p.Bands(t.Context(), Request{Needs: segment.Needs{Channels: true}}) {
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range map[int]float64{0: c.r, 1: c.g, 3: c.a} {
				if got := planeLine(b.C[i], 0)[0]; got != want {
					t.Errorf("%+v: plane %d is %v, want %v", c.l, i, got, want)
				}
			}
		}
	}
}

// The range of the colours is told whatever the channel: of 12 bits in 16 as of a palette by its index.
func TestColourRange(t *testing.T) {
	deep := layout{sample: segment.U16, channels: 3, model: modelRGB, max: 4095}
	palette := layout{sample: segment.U8, channels: 1, bits: 2, model: modelPalette, palette: []color.NRGBA{{R: 7, A: 255}}, max: 3}
	for _, c := range []struct {
		l    layout
		o    Options
		max  float64
		gray bool
	}{
		{deep, Options{}, 4095, false},
		{deep, Options{Channel: "hue"}, 4095, false},
		{palette, Options{RawBits: true}, 255, false},
		{layout{sample: segment.U8, channels: 1, max: 15}, Options{RawBits: true}, 15, true},
	} {
		p := pageOf(t, c.l, c.o, make([]float64, c.l.channels)...).Info()
		if p.ColourMin != 0 || p.ColourMax != c.max || p.Gray != c.gray {
			t.Errorf("%+v, %+v: %+v", c.l, c.o, p)
		}
	}
}

// Images of every type of the standard library, cut out of larger ones so that bounds and stride are not the plain
// ones, are gray as Go's models say.
func TestFromImage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	rect := image.Rect(-3, 5, 30, 29)
	noise := func(b []uint8) {
		for i := range b {
			b[i] = uint8(rnd.Uint32())
		}
	}
	var all []image.Image
	g, g16 := image.NewGray(rect), image.NewGray16(rect)
	noise(g.Pix)
	noise(g16.Pix)
	n, n64 := image.NewNRGBA(rect), image.NewNRGBA64(rect)
	noise(n.Pix)
	noise(n64.Pix)
	rgba, rgba64 := image.NewRGBA(rect), image.NewRGBA64(rect)
	noise(rgba.Pix)
	noise(rgba64.Pix)
	cmyk, alpha := image.NewCMYK(rect), image.NewAlpha(rect)
	noise(cmyk.Pix)
	noise(alpha.Pix)
	pal := image.NewPaletted(rect, color.Palette{color.Black, color.RGBA{R: 9, G: 200, B: 77, A: 255}, color.NRGBA{R: 250, G: 20, B: 7, A: 99}})
	for i := range pal.Pix {
		pal.Pix[i] = uint8(rnd.IntN(3))
	}
	all = append(all, g, g16, n, n64, rgba, rgba64, cmyk, alpha, pal)
	for _, ratio := range []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio411} {
		y := image.NewYCbCr(rect, ratio)
		noise(y.Y)
		noise(y.Cb)
		noise(y.Cr)
		all = append(all, y)
	}
	for _, m := range all {
		sub := m.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(2, 9, 19, 20))
		for _, img := range []image.Image{m, sub} {
			p, err := FromImage(img, "f", Options{})
			if err != nil {
				t.Fatal(err)
			}
			lines, err := bodyLines(p, Request{MaxBytes: 100})
			if err != nil {
				t.Fatalf("%T: %v", img, err)
			}
			sameLines(t, lines, grayOf(img, p.Info().Type == segment.U16))
		}
	}
}
