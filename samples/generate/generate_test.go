package main

import (
	"bytes"
	"image"
	_ "image/png"
	"io/fs"
	"testing"

	_ "golang.org/x/image/tiff"

	"segscan/samples"
)

// The committed files hold the pixels that the generator draws; the coded bytes may differ between library versions.
func TestCommittedSamplesAreFresh(t *testing.T) {
	for _, s := range list() {
		t.Run(s.name, func(t *testing.T) {
			want, err := s.draw()
			if err != nil {
				t.Fatal(err)
			}
			data, err := fs.ReadFile(samples.Files(), s.name)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := image.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if x, y, differ := firstDifference(got, want); differ {
				t.Errorf("pixel (%d, %d): committed %v, drawn %v; run go generate ./samples", x, y, got.At(x, y), want.At(x, y))
			}
		})
	}
}

func TestFirstDifferenceFindsOnePixel(t *testing.T) {
	a, b := image.NewGray(image.Rect(0, 0, 9, 5)), image.NewGray(image.Rect(0, 0, 9, 5))
	if _, _, differ := firstDifference(a, b); differ {
		t.Fatal("equal images differ")
	}
	b.Pix[4*b.Stride+7] = 1
	if x, y, differ := firstDifference(a, b); !differ || x != 7 || y != 4 {
		t.Fatalf("got (%d, %d), %v, want (7, 4), true", x, y, differ)
	}
}

func firstDifference(a, b image.Image) (x, y int, differ bool) {
	if a.Bounds() != b.Bounds() {
		return 0, 0, true
	}
	r := a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if a.At(x, y) != b.At(x, y) {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}
