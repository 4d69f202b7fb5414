package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"segscan/kernels"
)

// inRoot puts the test where the generator runs.
func inRoot(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

// Every kernel has a picture, and docs/gallery.md is what the generator makes now.
func TestPageIsFresh(t *testing.T) {
	inRoot(t)
	want, err := pageText(kernels.List())
	if err != nil {
		t.Fatalf("%v; then run make gallery", err)
	}
	got, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the generator makes; run make gallery and look at the difference", pageFile)
	}
}

// A kernel without a picture is found, and so is a picture of what is no kernel.
func TestPageNoticesWhatIsMissing(t *testing.T) {
	all := kernels.List()
	if _, err := pageText(append(slices.Clone(all), kernels.Info{Name: "new"})); err == nil || !strings.Contains(err.Error(), "the kernel new is in no section") {
		t.Errorf("one more kernel: %v", err)
	}
	if _, err := pageText(all[1:]); err == nil || !strings.Contains(err.Error(), all[0].Name+", which is no kernel") {
		t.Errorf("one less: %v", err)
	}
}

// The folder holds the pictures of the page and its inputs, nothing else, and stays small.
func TestPictureFolder(t *testing.T) {
	inRoot(t)
	var want []string
	for _, e := range entries() {
		want = append(want, e.name()+".png")
	}
	for _, s := range scenes() {
		want = append(want, s.name)
	}
	slices.Sort(want)
	files, err := os.ReadDir(pictureDir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var bytes int64
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		got, bytes = append(got, f.Name()), bytes+info.Size()
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds\n%s\nwanted are\n%s", pictureDir, strings.Join(got, " "), strings.Join(want, " "))
	}
	if bytes > 1500_000 {
		t.Errorf("%s takes %d bytes; 1.5 MB are meant", pictureDir, bytes)
	}
}

// Each picture shows what its command makes now, pixel by pixel, and a picture of gray has a palette.
func TestPicturesAreFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every command of the gallery, not with -short")
	}
	inRoot(t)
	for _, e := range entries() {
		data, err := e.picture()
		if err != nil {
			t.Error(err)
			continue
		}
		made, shown := decoded(t, e.name(), data), readPicture(t, e.file())
		if at, ok := sameImage(made, shown, 0); !ok {
			t.Errorf("%s is not what its command makes, first at %v; run make gallery and look at it", e.file(), at)
		}
		if _, ok := made.(*image.Paletted); !ok && !strings.Contains(e.args, "stain.png") && e.part != "page-thresholds" {
			t.Errorf("%s is a %T", e.file(), made)
		}
	}
	for _, s := range scenes() {
		img, err := s.draw()
		if err != nil {
			t.Fatal(err)
		}
		// Processors that multiply and add in one step may round a gray the other way.
		if at, ok := sameImage(img, readPicture(t, filepath.Join(pictureDir, s.name)), 1); !ok {
			t.Errorf("%s is not what is drawn, first at %v; run make gallery", s.name, at)
		}
	}
}

// The comparison finds a single pixel.
func TestSameImageCanFail(t *testing.T) {
	inRoot(t)
	one := readPicture(t, filepath.Join(pictureDir, "beads.png")).(*image.Gray)
	other := *one
	other.Pix = bytes.Clone(one.Pix)
	if _, ok := sameImage(one, &other, 0); !ok {
		t.Error("an image differs from itself")
	}
	for _, by := range []int{1, 2} {
		other.SetGray(7, 3, color.Gray{Y: one.GrayAt(7, 3).Y + uint8(by)})
		if at, ok := sameImage(one, &other, by-1); ok || at != image.Pt(7, 3) {
			t.Errorf("the difference of %d is at 7,3; found %v at %v", by, !ok, at)
		}
		if _, ok := sameImage(one, &other, by); !ok {
			t.Errorf("a difference of %d is found where it is allowed", by)
		}
	}
}

func readPicture(t *testing.T, name string) image.Image {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, name, data)
}

func decoded(t *testing.T, name string, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return img
}

// sameImage compares pixels, whose channels may differ by so many of 255 levels, and gives where the first differs.
func sameImage(a, b image.Image, levels int) (image.Point, bool) {
	if a.Bounds() != b.Bounds() {
		return b.Bounds().Max, false
	}
	r := a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p, q := color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA), color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA)
			for _, c := range [][2]uint8{{p.R, q.R}, {p.G, q.G}, {p.B, q.B}, {p.A, q.A}} {
				if d := int(c[0]) - int(c[1]); max(d, -d) > levels {
					return image.Pt(x, y), false
				}
			}
		}
	}
	return image.Point{}, true
}

// Commands are written so that a shell reads what the generator runs.
func TestWords(t *testing.T) {
	for command, want := range map[string]string{
		"-k otsu a.png": "-k|otsu|a.png", "  a  'b c'd ": "a|b cd", "'' x": "|x", "-k 'expr:a=v>3'": "-k|expr:a=v>3", "to=#d62728": "to=#d62728",
	} {
		if got, err := words(command); err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %q, %v", command, got, err)
		}
	}
	for _, command := range []string{"-k expr:a=v>3", "a 'b", "a;b", "$x", "*.png", "\"a\"", "a #b"} {
		if got, err := words(command); err == nil {
			t.Errorf("%q is taken for %q", command, got)
		}
	}
}
