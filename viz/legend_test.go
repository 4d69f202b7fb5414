package viz

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"segscan/segment"
)

// Every piece of a legend lies inside the strip, whatever the size of the picture, and there is always a count.
func TestLegendFits(t *testing.T) {
	long := Legend{Kernel: "hysteresis:lo=otsu*0.8-12.5sd,hi=" + strings.Repeat("median+3.25sd", 4) + " --invert", Boundary: "v ≤ -123.456",
		Activation: "v ≥ 1.23457e+08", PixelSize: 0.65, Unit: "um"}
	for _, size := range [][2]int64{{1, 1}, {7, 13}, {64, 64}, {200, 3}, {320, 240}, {1, 2_000_000_000}, {4096, 1}, {20000, 20000}, {30000, 2}, {1 << 22, 400}} {
		for _, look := range Looks() {
			for _, most := range []int64{0, 50} {
				v, err := NewPicture(&segment.PageInfo{Width: size[0], Height: size[1]}, PictureOptions{Look: Look(look), Stretch: Stretch{0, 255}, Rejected: true, Legend: &long, MaxSize: most})
				if err != nil {
					t.Fatal(err)
				}
				if v.counts < 0 {
					t.Errorf("%v %s: the count was broken", size, look)
				}
				b := v.legend
				if b.width > v.canvas || v.canvas < legendWidth {
					t.Errorf("%v %s: a legend of %d pixels on a canvas of %d", size, look, b.width, v.canvas)
				}
				for i, it := range b.items {
					if right := b.at[i].X + b.itemWidth(it); right > b.width-b.margin+1 || b.at[i].Y+b.letters.height > b.height {
						t.Errorf("%v %s: %q ends at %d, %d of %d x %d", size, look, it.text, right, b.at[i].Y+b.letters.height, b.width, b.height)
					}
					if it.bar > v.w {
						t.Errorf("%v %s: a scale bar of %d pixels below a picture of %d", size, look, it.bar, v.w)
					}
				}
			}
		}
	}
}

// The strip is drawn: black letters on white, the swatch of the tint, no pixel of the picture changed by it.
func TestLegendHidesNothing(t *testing.T) {
	p, b, s := flat(300, []segment.Bound{{Start: 1, End: 200}}, nil, nil)
	m := NewMarks(0, 0, 300, 3)
	m.PaintRows(0, 0, &s, Inside)
	for _, look := range Looks() {
		o := PictureOptions{Look: Look(look), Stretch: Stretch{0, 255}}
		plain := drawn(t, p, o, b, m, 1)
		o.Legend = &Legend{Kernel: "otsu", Boundary: "v ≤ 3", Activation: "v ≥ 4"}
		with := drawn(t, p, o, b, m, 1)
		for y := range plain.Bounds().Dy() {
			for x := range plain.Bounds().Dx() {
				if plain.At(x, y) != with.At(x, y) {
					t.Fatalf("%s: pixel %d,%d is %v, with a legend %v", look, x, y, plain.At(x, y), with.At(x, y))
				}
			}
		}
		white, dark := 0, 0
		for y := plain.Bounds().Dy(); y < with.Bounds().Dy(); y++ {
			for x := range with.Bounds().Dx() {
				switch c := with.At(x, y).(color.RGBA); {
				case c.R > 250 && c.G > 250 && c.B > 250:
					white++
				case c.R < 60 && c.G < 60 && c.B < 60:
					dark++
				}
			}
		}
		if area := (with.Bounds().Dy() - plain.Bounds().Dy()) * with.Bounds().Dx(); white < area*6/10 || dark < 150 {
			t.Errorf("%s: %d white and %d dark pixels in a legend of %d", look, white, dark, area)
		}
	}
}

func TestScaleBar(t *testing.T) {
	for _, c := range []struct {
		perUnit float64
		most    int
		unit    string
		pixels  int
		text    string
	}{
		{1 / 0.65, 80, "um", 77, "50 µm"}, {0.5, 7, "um", 5, "10 µm"}, {1 / 2.0, 1000, "um", 1000, "2 mm"}, {100, 30, "ms", 20, "0.2 ms"},
		{1, 1, "in", 1, "1 in"}, {1e-6, 50, "m", 50, "50000 km"},
	} {
		if pixels, text := scaleBar(c.perUnit, c.most, c.unit); pixels != c.pixels || text != c.text {
			t.Errorf("%v: got %d pixels, %q", c, pixels, text)
		}
	}
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		v    float64
		less bool
		want string
	}{{39, true, "v ≤ 39"}, {1e8 + 1, false, "v ≥ 100000001"}, {0.1234567, false, "v ≥ 0.123457"}, {math.Inf(1), true, ""}} {
		if got := Condition(c.v, c.less, 1); got != c.want {
			t.Errorf("%v: got %q, want %q", c.v, got, c.want)
		}
	}
}

func TestConditionsOfFloats(t *testing.T) {
	next := float64(math.Nextafter32(0.5, 1))
	for _, c := range []struct {
		lo, hi    float64
		low, high string
	}{
		{0.5, next, "v ≤ 0.5", "v > 0.5"}, {0.5, 0.75, "v ≤ 0.5", "v ≥ 0.75"}, {39, 40, "v ≤ 39", "v ≥ 40"},
		{math.Inf(-1), math.Inf(1), "", ""}, {math.NaN(), math.NaN(), "", ""},
	} {
		if low, high := Conditions(c.lo, c.hi, 1); low != c.low || high != c.high {
			t.Errorf("%g, %g: got %q and %q", c.lo, c.hi, low, high)
		}
	}
}

// As many digits as tell values of the page apart, whatever they are counted from.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v, span float64
		want    string
	}{
		{127.5, 255, "127.5"}, {1234.5678, 2000, "1234.57"}, {295.57797241210937, 2.3, "295.578"}, {1002.3392, 9.7, "1002.339"},
		{100002.31372, 9.6, "100002.314"}, {100001.953125, 9.6, "100001.95"}, {100001, 9.6, "100001"}, {-0.00012345678, 1, "-0.000123457"},
		{100002.31372, math.Inf(1), "100002"}, {0.123456789, 0, "0.123456789"}, {float64(float32(0.1)), 0, "0.1"}, {12345.678, math.NaN(), "12345.678"},
		{1.23456789e12, 1e3, "1.23456789e+12"}, {1e-40, 1e-30, "1e-40"},
	} {
		if got := Number(c.v, c.span); got != c.want {
			t.Errorf("%v of a range of %g: %q, want %q", c.v, c.span, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	l, err := newLettering(13, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "one", "one two three four five six", "hysteresis:lo=otsu*0.8,hi=otsu*1.2", strings.Repeat("W", 60)} {
		for _, width := range []int{1, 30, 80, 1000} {
			lines := l.wrap(text, width)
			for _, line := range lines {
				if l.width(line) > width && len([]rune(line)) > 1 {
					t.Errorf("%q in %d: %q is %d wide", text, width, line, l.width(line))
				}
			}
			strip := func(s string) string { return strings.ReplaceAll(s, " ", "") }
			if got := strip(strings.Join(lines, "")); got != strip(text) {
				t.Errorf("%q in %d: letters were lost: %q", text, width, lines)
			}
		}
	}
}

// A class is named where a colour or a condition goes with its name, and not else.
func TestLegendNamesClasses(t *testing.T) {
	for look, want := range map[Look][2]string{ // without conditions, as of local kernels, and with them
		Tint:    {"boundary", "boundary v ≤ 3|activation v ≥ 4"},
		Side:    {"boundary", "boundary v ≤ 3|activation v ≥ 4"},
		Outline: {"boundary", "boundary v ≤ 3|activation v ≥ 4"},
		Ticks:   {"boundary", "boundary v ≤ 3|activation v ≥ 4"},
		Mask:    {"", "boundary v ≤ 3|activation v ≥ 4"},
		Classes: {"boundary|activation", "boundary v ≤ 3|activation v ≥ 4"},
	} {
		for i, l := range []Legend{{Kernel: "otsu", Found: "window 3 x 3"}, {Kernel: "otsu", Boundary: "v ≤ 3", Activation: "v ≥ 4"}} {
			v, err := NewPicture(&segment.PageInfo{Width: 900, Height: 90}, PictureOptions{Look: look, Stretch: Stretch{0, 255}, Legend: &l})
			if err != nil {
				t.Fatal(err)
			}
			var classes []string
			items := v.legendItems()
			if last := items[len(items)-1].text; last != [2]string{"window 3 x 3", "otsu"}[i] {
				t.Errorf("%s: the last item is %q", look, last)
			}
			for _, it := range items {
				if strings.HasPrefix(it.text, "boundary") || strings.HasPrefix(it.text, "activation") {
					classes = append(classes, it.text)
				}
			}
			if got := strings.Join(classes, "|"); got != want[i] {
				t.Errorf("%s: %q, want %q", look, got, want[i])
			}
		}
	}
}
