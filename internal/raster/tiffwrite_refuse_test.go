package raster

import (
	"errors"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTIFFWriterRefuses(t *testing.T) {
	gray := func(w, h int) image.Image { return image.NewGray(image.Rect(0, 0, w, h)) }
	cases := []struct {
		name string
		o    TIFFOptions
		do   func(w Writer) error
		want string
	}{
		{"compression", TIFFOptions{Compression: 7}, func(w Writer) error { return w.NextPage(1, 1, gray(1, 1)) }, "compression 7 cannot be written"},
		{"level", TIFFOptions{Compression: TIFFDeflate, Level: 10}, func(w Writer) error { return w.NextPage(1, 1, gray(1, 1)) }, "use 1 to 9"},
		{"level of lzw", TIFFOptions{Compression: TIFFLZW, Level: 1}, func(w Writer) error { return w.NextPage(1, 1, gray(1, 1)) }, "no meaning"},
		{"predictor", TIFFOptions{Predictor: 3}, func(w Writer) error { return w.NextPage(1, 1, gray(1, 1)) }, "predictor option 3"},
		{"size option", TIFFOptions{Size: 3}, func(w Writer) error { return w.NextPage(1, 1, gray(1, 1)) }, "size option 3"},
		{"empty", TIFFOptions{}, func(w Writer) error { return w.NextPage(1, 0, gray(1, 1)) }, "do not fit a tiff page"},
		{"too wide", TIFFOptions{}, func(w Writer) error { return w.NextPage(math.MaxUint32+1, 1, gray(1, 1)) }, "do not fit a tiff page"},
		{"model", TIFFOptions{}, func(w Writer) error { return w.NextPage(1, 1, image.NewCMYK(image.Rect(0, 0, 1, 1))) }, "cannot be written"},
		{"transparent", TIFFOptions{}, func(w Writer) error {
			return w.NextPage(1, 1, &image.Paletted{Palette: color.Palette{color.Black, color.Transparent}})
		}, "colour 1 of the palette is transparent"},
		{"classic up front", TIFFOptions{Size: TIFFClassic}, func(w Writer) error { return w.NextPage(70000, 70000, gray(1, 1)) }, "write bigtiff"},
		{"zero byte", TIFFOptions{Tags: func(int) TIFFTags { return TIFFTags{Description: "a\x00b"} }}, func(w Writer) error { return w.NextPage(1, 1, gray(1, 1)) }, "zero byte"},
		{"resolution", TIFFOptions{Tags: func(int) TIFFTags {
			return TIFFTags{Resolution: TIFFResolution{X: [2]uint32{1, 0}, Y: [2]uint32{1, 1}, Unit: 1}}
		}}, func(w Writer) error { return w.NextPage(1, 1, gray(1, 1)) }, "divides by zero"},
		{"unit", TIFFOptions{Tags: func(int) TIFFTags {
			return TIFFTags{Resolution: TIFFResolution{X: [2]uint32{1, 1}, Y: [2]uint32{1, 1}}}
		}}, func(w Writer) error { return w.NextPage(1, 1, gray(1, 1)) }, "unit 0"},
		{"no page", TIFFOptions{}, func(w Writer) error { return w.WriteBand(gray(1, 1)) }, "before NextPage"},
		{"close without page", TIFFOptions{}, func(w Writer) error { return w.Close() }, "has no page"},
		{"width", TIFFOptions{}, func(w Writer) error { return errors.Join(w.NextPage(4, 1, gray(1, 1)), w.WriteBand(gray(5, 1))) }, "the page is 4 wide"},
		{"rows", TIFFOptions{}, func(w Writer) error { return errors.Join(w.NextPage(4, 2, gray(1, 1)), w.WriteBand(gray(4, 3))) }, "ends at row 3"},
		{"type", TIFFOptions{}, func(w Writer) error {
			return errors.Join(w.NextPage(4, 2, &Float32{}), w.WriteBand(gray(4, 2)))
		}, "begun as *raster.Float32"},
		{"float memory", TIFFOptions{}, func(w Writer) error {
			m := NewFloat32(image.Rect(0, 0, 4, 2))
			m.Pix = m.Pix[:7]
			return errors.Join(w.NextPage(4, 2, m), w.WriteBand(m))
		}, "holds 7 elements"},
		{"incomplete", TIFFOptions{}, func(w Writer) error {
			return errors.Join(w.NextPage(4, 3, gray(1, 1)), w.WriteBand(gray(4, 2)), w.Close())
		}, "2 of 3 rows"},
		{"incomplete page before another", TIFFOptions{}, func(w Writer) error {
			return errors.Join(w.NextPage(4, 3, gray(1, 1)), w.WriteBand(gray(4, 2)), w.NextPage(4, 3, gray(1, 1)))
		}, "2 of 3 rows"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.o.Workers = 2
			w := NewTIFFWriter(&tiffWriterFile{}, c.o)
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
	w := NewTIFFWriter(&tiffWriterFile{}, TIFFOptions{})
	if err := errors.Join(w.NextPage(1, 1, gray(1, 1)), w.WriteBand(gray(1, 1)), w.Close(), w.Close()); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if err := w.NextPage(1, 1, gray(1, 1)); !errors.Is(err, errWriterClosed) {
		t.Errorf("a page after Close: got %v", err)
	}
}

// tiffWriterFailFile fails when more than n bytes were written, or when it is to seek.
type tiffWriterFailFile struct {
	writeFailAfter
	noSeek bool
}

func (f *tiffWriterFailFile) Seek(to int64, whence int) (int64, error) {
	if f.noSeek && whence != io.SeekCurrent {
		return 0, errWriteDiskFull
	}
	return to, nil
}

func TestTIFFWriterKeepsWriteError(t *testing.T) {
	m := writeImage(t, rand.New(rand.NewPCG(9, 9)), "nrgba", 3000, 200)
	for _, f := range []*tiffWriterFailFile{{writeFailAfter{0}, false}, {writeFailAfter{20}, false}, {writeFailAfter{1_000_000}, false}, {writeFailAfter{2_400_100}, false}, {writeFailAfter{math.MaxInt}, true}} {
		w := NewTIFFWriter(f, TIFFOptions{Workers: 3})
		err := w.NextPage(3000, 200, m)
		for y := 0; y < 200 && err == nil; y += 20 {
			err = w.WriteBand(writeSub(t, m, y, y+20))
		}
		if err == nil {
			err = w.Close()
		}
		if !errors.Is(err, errWriteDiskFull) {
			t.Fatalf("%+v: got %v", f, err)
		}
		if err := w.Close(); !errors.Is(err, errWriteDiskFull) {
			t.Fatalf("%+v: Close after the error: got %v", f, err)
		}
	}
}
