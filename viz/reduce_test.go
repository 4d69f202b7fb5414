package viz

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/disintegration/imaging"
)

// reduced is a picture of random RGBA pixels, and what the reducer makes of it.
func reduced(w, h, dw, dh int, pixel func(x, y int) color.RGBA) (src, dst *image.RGBA) {
	src, dst = image.NewRGBA(image.Rect(0, 0, w, h)), image.NewRGBA(image.Rect(0, 0, dw, dh))
	r := newReducer(w, h, dw, dh)
	at := 0
	for y := range h {
		for x := range w {
			src.SetRGBA(x, y, pixel(x, y))
		}
		r.addRGBA(src.Pix[y*src.Stride:][:4*w], func(row []uint8) { at += copy(dst.Pix[at:], row) })
	}
	if at != len(dst.Pix) {
		return src, nil
	}
	return src, dst
}

// Where no cells are averaged first, the result is imaging's, but for rounding: imaging rounds to 8 bits between the
// directions, so it may be off by two (and cuts what overshoots there, so the samples keep away from black and white).
func TestReducerIsImagings(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, c := range [][4]int{{50, 40, 25, 20}, {50, 40, 49, 39}, {97, 61, 40, 25}, {7, 300, 5, 200}, {2, 2, 1, 1}, {3, 1, 2, 1}} {
		src, got := reduced(c[0], c[1], c[2], c[3], func(int, int) color.RGBA {
			return color.RGBA{uint8(70 + rng.IntN(110)), uint8(70 + rng.IntN(110)), uint8(70 + rng.IntN(110)), 255}
		})
		if got == nil {
			t.Fatalf("%v: rows are missing", c)
		}
		want := imaging.Resize(src, c[2], c[3], imaging.CatmullRom)
		for i := range got.Pix {
			if d := int(got.Pix[i]) - int(want.Pix[i]); d < -2 || d > 2 {
				t.Fatalf("%v: byte %d is %d, imaging's %d", c, i, got.Pix[i], want.Pix[i])
			}
		}
	}
}

// A flat picture stays flat whatever the sizes, and every row comes.
func TestReducerKeepsFlatAreas(t *testing.T) {
	for _, c := range [][4]int{{1000, 1, 10, 1}, {1, 1000, 1, 3}, {1001, 997, 13, 12}, {500, 500, 499, 499}, {100, 7, 33, 2}, {12, 12, 4, 4}} {
		_, got := reduced(c[0], c[1], c[2], c[3], func(int, int) color.RGBA { return color.RGBA{255, 77, 1, 255} })
		if got == nil {
			t.Fatalf("%v: rows are missing", c)
		}
		for y := range c[3] {
			for x := range c[2] {
				if p := got.RGBAAt(x, y); p != (color.RGBA{255, 77, 1, 255}) {
					t.Fatalf("%v: pixel %d,%d is %v", c, x, y, p)
				}
			}
		}
	}
}

// Averaged cells keep the mean and the place: the left half white, the right half black, 24 times reduced.
func TestReducerKeepsPlaces(t *testing.T) {
	_, got := reduced(480, 480, 20, 20, func(x, y int) color.RGBA {
		if x < 240 {
			return color.RGBA{255, 255, 255, 255}
		}
		return color.RGBA{0, 0, 0, 255}
	})
	for x := range 20 {
		v := int(got.RGBAAt(x, 10).R)
		switch {
		case x < 8 && v != 255, x > 11 && v != 0, x == 9 && v < 200, x == 10 && v > 55:
			t.Errorf("column %d is %d", x, v)
		}
	}
}

func TestReducedSize(t *testing.T) {
	for _, c := range [][5]int64{
		{100, 50, 0, 100, 50}, {100, 50, 100, 100, 50}, {100, 50, 10, 10, 5}, {100, 1, 10, 10, 1}, {3, 1000, 10, 1, 10}, {1001, 500, 1000, 1000, 500},
	} {
		if w, h := reducedSize(c[0], c[1], c[2]); w != c[3] || h != c[4] {
			t.Errorf("%v: got %d x %d", c, w, h)
		}
	}
}

func BenchmarkReduce(b *testing.B) {
	const n = 4096
	row := make([]uint8, n)
	palette := packPalette(newRamps([]ink{{}}).palette)
	b.SetBytes(n * 256)
	for b.Loop() {
		r := newReducer(n, 256, 400, 25)
		for range 256 {
			r.addIndices(row, palette, func([]uint8) {})
		}
	}
}
