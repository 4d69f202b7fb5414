package viz

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"

	"segscan/segment"
)

// letters writes a picture as one letter a pixel: 0 black, 1 white, . other gray, then A, B, ... for each further
// colour as it comes.
func letters(img image.Image) string {
	var b strings.Builder
	seen := map[color.Color]byte{}
	r := img.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			switch {
			case c.R == c.G && c.G == c.B && c.R == 0:
				b.WriteByte('0')
			case c.R == c.G && c.G == c.B && c.R == 255:
				b.WriteByte('1')
			case c.R == c.G && c.G == c.B:
				b.WriteByte('.')
			default:
				if _, ok := seen[c]; !ok {
					seen[c] = 'A' + byte(len(seen))
				}
				b.WriteByte(seen[c])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// flat is a page of one gray, so that only marks make a difference, with these spans in its lines.
func flat(w int, lines ...[]segment.Bound) (*segment.PageInfo, segment.Band, segment.Spans) {
	v := segment.NewPlane(segment.U8, len(lines), w)
	for i := range v.U8 {
		v.U8[i] = 128
	}
	p, b := pageOf(v)
	s := segment.Spans{First: []int64{0}}
	for _, l := range lines {
		s.Bounds = append(s.Bounds, l...)
		s.First = append(s.First, int64(len(s.Bounds)))
	}
	return p, b, s
}

// Each look on one small page: two rows of a segment from column 1 to 6, one from 3 to 6, one empty row. The line
// around the region lies on its first row above, and just below where it ends.
func TestLooksByHand(t *testing.T) {
	p, b, s := flat(9, []segment.Bound{{Start: 1, End: 6}}, []segment.Bound{{Start: 1, End: 6}}, []segment.Bound{{Start: 3, End: 6}}, nil)
	for look, want := range map[Look]string{
		Tint:    ".ABBBBA..\n.ABBBBA..\n...ABBA..\n.........\n",
		Ticks:   ".A....A..\n.A....A..\n...A..A..\n.........\n",
		Outline: ".AAAAAA..\n.A....A..\n.AAA..A..\n...AAAA..\n",
		Mask:    "001111000\n001111000\n000011000\n000000000\n",
		Side:    "............ABBBBA..\n............ABBBBA..\n..............ABBA..\n....................\n",
	} {
		m := NewMarks(0, 0, 9, 4)
		m.PaintRows(0, 0, &s, Inside)
		if got := letters(drawn(t, p, PictureOptions{Look: look, Stretch: Stretch{0, 255}}, b, m, 3)); got != want {
			t.Errorf("%s: got\n%swant\n%s", look, got, want)
		}
	}
}

func TestClassesByHand(t *testing.T) {
	k := &segment.Masks{Lines: 2, Samples: 70, Words: 2, B: make([]uint64, 4), A: make([]uint64, 4)}
	k.B[0], k.A[1] = 1<<3, 1<<1 // line 0: boundary at 3, activation at 65
	k.A[2], k.B[3] = 1<<0, 1<<5 // line 1: activation at 0, boundary at 69
	m := NewMarks(2, 10, 68, 2)
	m.PaintClasses(10, 0, k)
	if got, want := m.text(), "."+"|"+strings.Repeat(".", 61)+"#....\n"+strings.Repeat(".", 67)+"|\n"; got != want {
		t.Errorf("rows: got\n%swant\n%s", got, want)
	}
	for y0 := range 70 { // the same as columns, one row of the page at a time
		c := NewMarks(10, y0, 2, 1)
		c.PaintClassesCols(10, 0, k)
		want := map[int]string{3: "|.\n", 65: "#.\n", 0: ".#\n", 69: ".|\n"}[y0]
		if want == "" {
			want = "..\n"
		}
		if got := c.text(); got != want {
			t.Errorf("row %d: got %q, want %q", y0, got, want)
		}
	}
}

// A mark three long grows outward from a segment of twelve or more, not into it, and not over its neighbour.
func TestThickMarksByHand(t *testing.T) {
	s := segment.Spans{Bounds: []segment.Bound{{Start: 4, End: 15}, {Start: 17, End: 28}, {Start: 34, End: 38}}, First: []int64{0, 3}}
	m := NewMarks(0, 0, 41, 1)
	m.Thick = 3
	m.PaintRows(0, 0, &s, Inside)
	//       0123456789
	want := "..|||##########|||##########|||...|###|..\n"
	if got := m.text(); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	for y0 := range 41 {
		c := NewMarks(0, y0, 1, 1)
		c.Thick = 3
		c.PaintCols(0, 0, &s, Inside)
		if got := c.text(); got != want[y0:y0+1]+"\n" {
			t.Errorf("row %d: got %q, want %q", y0, got, want[y0])
		}
	}
}

// Colours of a colour page are drawn, in any sample type; a tint is laid over their gray, so that it stays one colour.
func TestColourByHand(t *testing.T) {
	p := &segment.PageInfo{Width: 2, Height: 2, Type: segment.U8, Channels: 3, Max: 255}
	b := segment.Band{Page: p, Lines: 2, Samples: 2, V: segment.NewPlane(segment.U8, 2, 2)}
	for c, v := range [3]uint8{200, 100, 0} {
		b.C[c] = segment.NewPlane(segment.U8, 2, 2)
		for i := range b.C[c].U8 {
			b.C[c].U8[i] = v
		}
	}
	m := NewMarks(0, 0, 2, 2)
	m.Of[1] = Inside
	img := drawn(t, p, PictureOptions{Stretch: Stretch{0, 255}, Colour: true}, b, m, 0)
	// the gray is (19595*200 + 38470*100 + 32768) / 65536 = 118; 118*.45 + 230*.55 = 179.6, + 159*.55 = 140.55, + 0
	for x, want := range []color.RGBA{{200, 100, 0, 255}, {180, 141, 53, 255}} {
		if got := img.At(x, 0); got != want {
			t.Errorf("pixel %d: got %v, want %v", x, got, want)
		}
	}
	for c := range 3 { // 16 bits of the same, on a page whose samples are the hue
		wide := segment.NewPlane(segment.U16, 2, 2)
		for i := range wide.U16 {
			wide.U16[i] = uint16(b.C[c].U8[i]) * 257
		}
		b.C[c] = wide
	}
	p.Type, b.V = segment.F32, segment.NewPlane(segment.F32, 2, 2)
	img = drawn(t, p, PictureOptions{Stretch: Stretch{0, 360}, Colour: true}, b, m, 0)
	if got, want := img.At(0, 0), (color.RGBA{200, 100, 0, 255}); got != want {
		t.Errorf("16 bits: got %v, want %v", got, want)
	}
}

// randomPage has noise and spans, and is a region of a larger page.
func randomPage(seed uint64, w, h int, typ segment.SampleType) (*segment.PageInfo, segment.Band, segment.Spans, segment.Spans) {
	r := rand.New(rand.NewPCG(seed, 1))
	v := segment.NewPlane(typ, h, w)
	for i := range h * w {
		switch typ {
		case segment.U8:
			v.U8[i] = uint8(r.IntN(256))
		case segment.U16:
			v.U16[i] = uint16(r.IntN(256))
		default:
			v.F32[i] = float32(r.IntN(256))
		}
	}
	p := &segment.PageInfo{Width: int64(w + 20), Height: int64(h + 20), Type: typ, Channels: 3, Max: 255}
	b := segment.Band{Page: p, Line0: 7, Sample0: 5, Lines: h, Samples: w, V: v, C: [4]segment.Plane{v, v, v, v}}
	return p, b, randomSpans(r, h, w), randomSpans(r, h, w)
}

// However a page is cut into bands, its picture is the same, in every look, size and type.
func TestPictureDoesNotDependOnBands(t *testing.T) {
	const w, h = 61, 47
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		p, whole, kept, rejected := randomPage(3, w, h, typ)
		classes := &segment.Masks{Lines: h, Samples: w, Words: 1, B: make([]uint64, h), A: make([]uint64, h)}
		r := rand.New(rand.NewPCG(9, 9))
		for i := range h {
			classes.B[i] = r.Uint64() & (1<<w - 1)
			classes.A[i] = r.Uint64() & (1<<w - 1) &^ classes.B[i]
		}
		for _, look := range Looks() {
			for _, most := range []int64{0, 40, 7} {
				for _, colour := range []bool{false, true} {
					o := PictureOptions{Look: Look(look), Stretch: Stretch{0, 255}, Rejected: true, Colour: colour, MaxSize: most,
						Region: image.Rect(5, 7, 5+w, 7+h), Legend: &Legend{Kernel: "otsu", PixelSize: 2, Unit: "um"}}
					var want string
					for _, step := range []int{h, 1, 2, 3, 17} {
						got := pictureInBands(t, p, whole, &kept, &rejected, classes, o, step)
						if want == "" {
							want = got
						}
						if got != want {
							t.Fatalf("%v %s, at most %d, colour %v: bands of %d rows give another picture", typ, look, most, colour, step)
						}
					}
				}
			}
		}
	}
}

// pictureInBands is the bytes of a picture drawn a few rows at a time.
func pictureInBands(t *testing.T, p *segment.PageInfo, whole segment.Band, kept, rejected *segment.Spans, classes *segment.Masks, o PictureOptions, step int) string {
	t.Helper()
	v, err := NewPicture(p, o)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	rows := 0
	take := func(img image.Image) error {
		switch m := img.(type) {
		case nil:
			return nil
		case *image.Paletted:
			out.Write(m.Pix)
		case *image.RGBA:
			out.Write(m.Pix)
		}
		rows += img.Bounds().Dy()
		return nil
	}
	m := &Marks{Thick: v.Thick()}
	for l := 0; l < whole.Lines; l += step {
		b := whole
		b.Line0, b.Lines = whole.Line0+int64(l), min(step, whole.Lines-l)
		b.V = whole.V.Sub(l, 0, b.Lines, b.Samples)
		for c := range b.C {
			b.C[c] = whole.C[c].Sub(l, 0, b.Lines, b.Samples)
		}
		m.Reset(int(b.Sample0), int(b.Line0), b.Samples, b.Lines)
		if v.ShowsClasses() {
			m.PaintClasses(whole.Line0, whole.Sample0, classes)
		} else {
			m.PaintRows(whole.Line0, whole.Sample0, kept, Inside)
			m.PaintRows(whole.Line0, whole.Sample0, rejected, Rejected)
		}
		img, err := v.Draw(b, m)
		if err != nil {
			t.Fatal(err)
		}
		if err := take(img); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.Finish(1234, take); err != nil {
		t.Fatal(err)
	}
	if _, height := v.Size(); int64(rows) != height {
		t.Fatalf("%d rows came of %d", rows, height)
	}
	w, height := v.Size()
	return fmt.Sprint(w, height) + out.String()
}

// The signal: one row is drawn 32 high, one column as wide.
func TestSignalsAreDrawnHigh(t *testing.T) {
	p, b, s := flat(4, []segment.Bound{{Start: 0, End: 2}})
	m := NewMarks(0, 0, 4, 1)
	m.PaintRows(0, 0, &s, Inside)
	if got, want := letters(drawn(t, p, PictureOptions{Stretch: Stretch{0, 255}}, b, m, 1)), strings.Repeat("ABA.\n", signalHeight); got != want {
		t.Errorf("got\n%s", got)
	}
	p, b, _ = flat(1, nil, nil)
	m = NewMarks(0, 0, 1, 2)
	m.Of[1] = Edge
	want := strings.Repeat(".", signalHeight) + "\n" + strings.Repeat("A", signalHeight) + "\n"
	if got := letters(drawn(t, p, PictureOptions{Stretch: Stretch{0, 255}}, b, m, 1)); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestLargePicturesGetThickMarks(t *testing.T) {
	for _, c := range []struct {
		w, h int64
		most int64
		look Look
		want int
	}{
		{64, 64, 0, Tint, 1}, {2048, 100, 0, Tint, 1}, {20000, 20000, 0, Tint, 10}, {20000, 100, 0, Outline, 10},
		{20000, 20000, 1000, Tint, 20}, {20000, 20000, 0, Mask, 1}, {20000, 20000, 0, Classes, 1}, {1 << 20, 1 << 20, 0, Tint, 64},
	} {
		v, err := NewPicture(&segment.PageInfo{Width: c.w, Height: c.h}, PictureOptions{Look: c.look, Stretch: Stretch{0, 255}, MaxSize: c.most})
		if err != nil {
			t.Fatal(err)
		}
		if v.Thick() != c.want {
			t.Errorf("%d x %d at most %d as %s: marks are %d long, want %d", c.w, c.h, c.most, c.look, v.Thick(), c.want)
		}
	}
}
