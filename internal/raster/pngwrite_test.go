package raster

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pngWriterBytes writes one page in bands of the given heights.
func pngWriterBytes(tb testing.TB, m image.Image, o PNGOptions, cuts []int) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := NewPNGWriter(&b, o)
	writePageIn(tb, w, m, cuts)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// pngWriterWant is what a PNG file can hold of an image: 8-bit premultiplied colours become 8-bit unassociated ones first.
func pngWriterWant(m image.Image) image.Image {
	if r, ok := m.(*image.RGBA); ok {
		n := image.NewNRGBA(r.Rect)
		for y := r.Rect.Min.Y; y < r.Rect.Max.Y; y++ {
			for x := r.Rect.Min.X; x < r.Rect.Max.X; x++ {
				n.Set(x, y, color.NRGBAModel.Convert(r.At(x, y)))
			}
		}
		return n
	}
	return m
}

func TestPNGWriterRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	sizes := [][2]int{{1, 1}, {1, 9}, {9, 1}, {2, 3}, {7, 5}, {8, 8}, {17, 4}, {63, 2}, {65, 33}, {300, 70}}
	for _, model := range writeModels {
		for _, size := range sizes {
			m := writeImage(t, r, model, size[0], size[1])
			level := r.IntN(11) - 1
			got, err := png.Decode(bytes.NewReader(pngWriterBytes(t, m, PNGOptions{Level: level, Workers: 1 + r.IntN(3)}, writeCuts(r, size[1]))))
			if err != nil {
				t.Fatalf("%s %v level %d: %v", model, size, level, err)
			}
			if at, g, w, differ := writeDiff(got, pngWriterWant(m)); differ {
				t.Fatalf("%s %v level %d at %v: got %v, want %v", model, size, level, at, g, w)
			}
		}
	}
}

// A compressor that was used before gives the same bytes as a new one, over many pieces and both modes.
func TestPNGWriterReuse(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	m := image.NewGray(image.Rect(0, 0, 64<<10, 6*20+1))
	for i := range m.Pix {
		m.Pix[i] = uint8(r.IntN(2 + i>>19%2*40))
	}
	want := pngWriterBytes(t, m, PNGOptions{}, []int{8*20 + 1})
	if got := pngWriterBytes(t, m, PNGOptions{Workers: 21}, []int{8*20 + 1}); !bytes.Equal(got, want) {
		t.Fatal("other bytes from new compressors than from one used again")
	}
}

// The comparison of the round trips finds a changed pixel.
func TestPNGWriterDiffFinds(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 9, 9))
	n := image.NewGray(image.Rect(0, 0, 9, 9))
	n.Pix[40] = 1
	if at, _, _, differ := writeDiff(m, n); !differ || at != image.Pt(4, 4) {
		t.Fatalf("got %v %v, want a difference at (4,4)", at, differ)
	}
}

// Bytes depend on pixels and level, not on how bands were cut nor on the number of workers, around the height of a
// piece too: rows of 64 KiB of gray make pieces of 6 rows.
func TestPNGWriterCutsAndWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, h := range []int{5, 6, 7, 13} {
		m := image.NewGray(image.Rect(0, 0, 64<<10, h))
		for i := range m.Pix {
			m.Pix[i] = uint8(100 + r.IntN(4+i>>18*3))
		}
		for _, level := range []int{PNGDefaultLevel, PNGStored, 1, 6} {
			want := pngWriterBytes(t, m, PNGOptions{Level: level}, []int{h})
			for workers := 1; workers <= 4; workers += 3 {
				if got := pngWriterBytes(t, m, PNGOptions{Level: level, Workers: workers}, writeCuts(r, h)); !bytes.Equal(got, want) {
					t.Fatalf("height %d level %d: other bytes with %d workers and other cuts", h, level, workers)
				}
			}
			got, err := png.Decode(bytes.NewReader(want))
			if err != nil {
				t.Fatalf("height %d level %d: %v", h, level, err)
			}
			if !bytes.Equal(got.(*image.Gray).Pix, m.Pix) {
				t.Fatalf("height %d level %d: other pixels", h, level)
			}
		}
	}
}

// RGB pages take RGBA and NRGBA bands as stored, without their alpha.
func TestPNGWriterDropsAlpha(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for w := 1; w < 20; w++ {
		for _, model := range []string{"rgba", "nrgba", "rgba64", "nrgba64"} {
			m := writeImage(t, r, model, w, 3)
			var b bytes.Buffer
			var page image.Image = &RGB{}
			if strings.HasSuffix(model, "64") {
				page = &RGB48{}
			}
			p := NewPNGWriter(&b, PNGOptions{})
			if err := errors.Join(p.NextPage(int64(w), 3, page), p.WriteBand(m), p.Close()); err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			for y := range 3 {
				for x := range w {
					g := color.RGBA64Model.Convert(got.At(x, y)).(color.RGBA64)
					var want color.RGBA64
					switch c := m.At(x, y).(type) {
					case color.RGBA:
						want = color.RGBA64{R: uint16(c.R) * 257, G: uint16(c.G) * 257, B: uint16(c.B) * 257, A: 65535}
					case color.NRGBA:
						want = color.RGBA64{R: uint16(c.R) * 257, G: uint16(c.G) * 257, B: uint16(c.B) * 257, A: 65535}
					case color.RGBA64:
						want = color.RGBA64{R: c.R, G: c.G, B: c.B, A: 65535}
					case color.NRGBA64:
						want = color.RGBA64{R: c.R, G: c.G, B: c.B, A: 65535}
					}
					if g != want {
						t.Fatalf("%s width %d at (%d,%d): got %v, want %v", model, w, x, y, g, want)
					}
				}
			}
		}
	}
}

func TestPNGWriterRefuses(t *testing.T) {
	gray := func(w, h int) image.Image { return image.NewGray(image.Rect(0, 0, w, h)) }
	pal := color.Palette{color.Black, color.White}
	cases := []struct {
		name string
		do   func(w Writer) error
		want string
	}{
		{"empty", func(w Writer) error { return w.NextPage(0, 1, gray(1, 1)) }, "do not fit a png file"},
		{"too wide", func(w Writer) error { return w.NextPage(1<<31, 1, gray(1, 1)) }, "do not fit a png file"},
		{"too high", func(w Writer) error { return w.NextPage(1, math.MaxInt64, gray(1, 1)) }, "do not fit a png file"},
		{"model", func(w Writer) error { return w.NextPage(1, 1, image.NewCMYK(image.Rect(0, 0, 1, 1))) }, "cannot be written"},
		{"no model", func(w Writer) error { return w.NextPage(1, 1, nil) }, "cannot be written"},
		{"float", func(w Writer) error { return w.NextPage(1, 1, &Float32{}) }, "write tiff"},
		{"no palette", func(w Writer) error { return w.NextPage(1, 1, &image.Paletted{}) }, "palette of the page is empty"},
		{"large palette", func(w Writer) error { return w.NextPage(1, 1, &image.Paletted{Palette: make(color.Palette, 257)}) }, "256 is the most"},
		{"nil colour", func(w Writer) error { return w.NextPage(1, 1, &image.Paletted{Palette: make(color.Palette, 2)}) }, "colour 0 of the palette is nil"},
		{"no page", func(w Writer) error { return w.WriteBand(gray(1, 1)) }, "before NextPage"},
		{"close without page", func(w Writer) error { return w.Close() }, "has no page"},
		{"second page", func(w Writer) error {
			return errors.Join(w.NextPage(1, 1, gray(1, 1)), w.WriteBand(gray(1, 1)), w.NextPage(1, 1, gray(1, 1)))
		}, "holds one page"},
		{"width", func(w Writer) error { return errors.Join(w.NextPage(4, 1, gray(1, 1)), w.WriteBand(gray(5, 1))) }, "5 x 1 pixels, the page is 4 wide"},
		{"no rows", func(w Writer) error { return errors.Join(w.NextPage(4, 1, gray(1, 1)), w.WriteBand(gray(4, 0))) }, "4 x 0 pixels"},
		{"rows", func(w Writer) error { return errors.Join(w.NextPage(4, 2, gray(1, 1)), w.WriteBand(gray(4, 3))) }, "ends at row 3, the page has 2"},
		{"nil band", func(w Writer) error { return errors.Join(w.NextPage(4, 2, gray(1, 1)), w.WriteBand(nil)) }, "the band is nil"},
		{"type", func(w Writer) error {
			return errors.Join(w.NextPage(4, 2, gray(1, 1)), w.WriteBand(image.NewGray16(image.Rect(0, 0, 4, 2))))
		}, "begun as *image.Gray"},
		{"index", func(w Writer) error {
			m := image.NewPaletted(image.Rect(0, 0, 4, 2), pal)
			m.Pix[5] = 2
			return errors.Join(w.NextPage(4, 2, m), w.WriteBand(m))
		}, "row 1 of the band holds palette index 2, the palette has 2 colours"},
		{"memory", func(w Writer) error {
			m := gray(4, 2).(*image.Gray)
			m.Pix = m.Pix[:7]
			return errors.Join(w.NextPage(4, 2, m), w.WriteBand(m))
		}, "holds 7 elements, its bounds need 8"},
		{"stride", func(w Writer) error {
			m := gray(4, 2).(*image.Gray)
			m.Stride = 3
			return errors.Join(w.NextPage(4, 2, m), w.WriteBand(m))
		}, "stride is 3, its rows need 4"},
		{"incomplete", func(w Writer) error {
			return errors.Join(w.NextPage(4, 3, gray(1, 1)), w.WriteBand(gray(4, 2)), w.Close())
		}, "2 of 3 rows"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := NewPNGWriter(io.Discard, PNGOptions{Workers: 2})
			err := c.do(w)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got error %v, want one with %q", err, c.want)
			}
			for name, again := range map[string]error{"NextPage": w.NextPage(4, 2, gray(1, 1)), "WriteBand": w.WriteBand(gray(4, 2)), "Close": w.Close()} {
				if again == nil || !strings.Contains(again.Error(), c.want) {
					t.Errorf("%s after the error: got %v, want it again", name, again)
				}
			}
		})
	}
	if err := NewPNGWriter(io.Discard, PNGOptions{Level: 10}).NextPage(1, 1, gray(1, 1)); err == nil {
		t.Error("level 10 was taken")
	}
	w := NewPNGWriter(io.Discard, PNGOptions{})
	if err := errors.Join(w.NextPage(1, 1, gray(1, 1)), w.WriteBand(gray(1, 1)), w.Close(), w.Close()); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if err := w.WriteBand(gray(1, 1)); !errors.Is(err, errWriterClosed) {
		t.Errorf("a band after Close: got %v", err)
	}
}

// writeFailAfter fails when more than n bytes were written.
type writeFailAfter struct{ n int }

var errWriteDiskFull = errors.New("disk full")

func (f *writeFailAfter) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, errWriteDiskFull
	}
	return len(b), nil
}

func TestPNGWriterKeepsWriteError(t *testing.T) {
	m := writeImage(t, rand.New(rand.NewPCG(9, 9)), "nrgba", 3000, 200)
	for _, n := range []int{0, 10, 60, 5000, 400_000} {
		w := NewPNGWriter(&writeFailAfter{n}, PNGOptions{Level: PNGStored, Workers: 3})
		err := w.NextPage(3000, 200, m)
		for y := 0; y < 200 && err == nil; y += 20 {
			err = w.WriteBand(writeSub(t, m, y, y+20))
		}
		if err == nil {
			err = w.Close()
		}
		if !errors.Is(err, errWriteDiskFull) {
			t.Fatalf("after %d bytes: got %v", n, err)
		}
		if err := w.Close(); !errors.Is(err, errWriteDiskFull) {
			t.Fatalf("Close after the error: got %v", err)
		}
	}
}

// pngcheck, which follows the specification to the letter, finds no fault, at the largest width that matters too.
func TestPNGWriterPNGCheck(t *testing.T) {
	tool := writeTool(t, "pngcheck")
	r := rand.New(rand.NewPCG(10, 10))
	dir := t.TempDir()
	check := func(name string, data []byte) {
		path := filepath.Join(dir, name+".png")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(tool, "-v", path).CombinedOutput(); err != nil || !strings.Contains(string(out), "No errors") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	for _, model := range writeModels {
		m := writeImage(t, r, model, 133, 41)
		check(model, pngWriterBytes(t, m, PNGOptions{}, []int{41}))
	}
	for _, kind := range []string{"text", "scan", "smooth"} {
		check("overlay-"+kind, pngWriterBytes(t, benchOverlay(kind, 1500, 700), PNGOptions{Workers: 2}, []int{700}))
	}
	check("wide", pngWriterBytes(t, writeImage(t, r, "nrgba", 70000, 2), PNGOptions{Workers: 2}, []int{2}))
	check("high", pngWriterBytes(t, writeImage(t, r, "gray", 2, 70000), PNGOptions{Workers: 2}, []int{70000}))
	check("pieces", pngWriterBytes(t, writeImage(t, r, "nrgba", 2000, 300), PNGOptions{Workers: 2}, []int{300}))
}
