package viz

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"segscan/segment"
)

// Squares where something can be seen of them, else longer across a narrow picture, never larger than the tile.
func TestEnlargement(t *testing.T) {
	for _, c := range []struct{ w, h, x, y int }{
		{340, 256, 1, 1}, {341, 257, 1, 1}, {170, 128, 2, 2}, {100, 60, 3, 3},
		{1, 1, 16, 16}, {2, 16, 16, 16}, // as large as pixels become
		{3, 256, 16, 1}, {12, 256, 4, 1}, {1, 256, 48, 1}, {47, 256, 2, 1}, {48, 256, 1, 1},
		{3, 100, 16, 2}, {340, 3, 1, 16}, {340, 5, 1, 10}, {340, 1, 1, 48}, {100, 9, 3, 6},
	} {
		if x, y := Enlargement(c.w, c.h); x != c.x || y != c.y {
			t.Errorf("%d x %d: %d times as wide and %d times as high, want %d and %d", c.w, c.h, x, y, c.x, c.y)
		}
	}
	for w := 1; w <= TileWidth; w++ {
		for h := 1; h <= TileHeight; h++ {
			if x, y := Enlargement(w, h); x < 1 || y < 1 || x*w > TileWidth || y*h > TileHeight {
				t.Fatalf("%d x %d becomes %d x %d, larger than a tile", w, h, x*w, y*h)
			}
		}
	}
}

// Every pixel becomes a rectangle of its colour.
func TestEnlarged(t *testing.T) {
	c := &Canvas{image.NewRGBA(image.Rect(0, 0, 3, 200))}
	for y := range 200 {
		for x := range 3 {
			c.Image.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), 9, 255})
		}
	}
	got := c.Enlarged()
	if got.Rect != image.Rect(0, 0, 48, 200) {
		t.Fatalf("the picture is %v", got.Rect)
	}
	for y := range 200 {
		for x := range 48 {
			if want := (color.RGBA{uint8(x / 16), uint8(y), 9, 255}); got.RGBAAt(x, y) != want {
				t.Fatalf("%d,%d is %v, want %v", x, y, got.RGBAAt(x, y), want)
			}
		}
	}
}

// dark counts the pixels of the curve in a thumbnail of the samples.
func dark(t *testing.T, samples ...float32) (n int) {
	t.Helper()
	v := segment.NewPlane(segment.F32, 1, len(samples))
	copy(v.F32, samples)
	p := NewProfile(&segment.Band{Lines: 1, Samples: len(samples), V: v}, 0, nil, nil)
	img, err := p.Thumbnail("", math.NaN(), math.NaN(), false)
	if err != nil {
		t.Fatal(err)
	}
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.RGBAAt(x, y) == curveColour {
				n++
			}
		}
	}
	return n
}

// A sample that nothing is joined to is a dot, which at the rim of the picture is cut.
func TestThumbnailDots(t *testing.T) {
	nan := float32(math.NaN())
	if n := dark(t, 5); n != 25 {
		t.Errorf("a line of one sample has %d pixels, want a dot of 5 x 5", n)
	}
	if n := dark(t, nan, 5, nan, 7, nan); n != 50 {
		t.Errorf("two samples between gaps have %d pixels, want two dots of 5 x 5", n)
	}
	if n := dark(t, nan, nan); n != 0 {
		t.Errorf("a line of gaps has %d pixels", n)
	}
	many := make([]float32, 200) // 1.7 pixels apart
	for i := range many {
		many[i] = nan
	}
	many[100] = 5
	if n := dark(t, many...); n != 9 {
		t.Errorf("one sample of many has %d pixels, want a dot of 3 x 3", n)
	}
	many[0], many[100] = 5, nan // in the first column of pixels: one of the three columns of the dot is outside
	if n := dark(t, many...); n != 6 {
		t.Errorf("the first sample of many has %d pixels, want a dot of 2 x 3", n)
	}
}

// In a plot a lone sample is a dot as well, 1.6 points in radius; joined ones are none.
func TestProfileDots(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		samples []float32
		dots    int
	}{{[]float32{5}, 1}, {[]float32{5, 6}, 0}, {[]float32{5, nan, 6, 7, nan, 8}, 2}, {[]float32{nan}, 0}} {
		v := segment.NewPlane(segment.F32, 1, len(c.samples))
		copy(v.F32, c.samples)
		got := svg2(t, NewProfile(&segment.Band{Lines: 1, Samples: len(c.samples), V: v}, 0, nil, nil))
		if n := strings.Count(got, "A1.6,1.6"); n != 2*c.dots { // a circle is two arcs
			t.Errorf("%v: %d arcs, want %d", c.samples, n, 2*c.dots)
		}
	}
}
