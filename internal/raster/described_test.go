package raster

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

// Resolution and description of a file are those of a TIFF made from it, as exact as the file has them.
func TestTags(t *testing.T) {
	tag := func(tags map[uint16]any) []byte { return buildTIFF(tifftest.Gray(2, 1, 8, []byte{7, 8}).With(tags)) }
	rational := func(a, b uint32) []tifftest.Rational { return []tifftest.Rational{{a, b}} }
	phys := func(unit byte) []byte {
		return pngFile(pngHeader(2, 1, 8, 0, 0), pngChunk("pHYs", []byte{0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x14, unit}),
			pngChunk("tEXt", []byte("Description\x00caf\xe9")), pngChunk("IDAT", deflated([]byte{0, 7, 8})), pngChunk("IEND", nil))
	}
	var plain bytes.Buffer
	if err := jpeg.Encode(&plain, image.NewGray(image.Rect(0, 0, 2, 1)), nil); err != nil {
		t.Fatal(err)
	}
	// JFIF's segment goes behind the start of the image: version 1.2, dots an inch, 300 x 150.
	jfif := append([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x02\x01\x01\x2c\x00\x96\x00\x00"), plain.Bytes()[2:]...)
	for _, c := range []struct {
		name string
		data []byte
		o    Options
		want TIFFTags
	}{
		{"nothing", tag(nil), Options{}, TIFFTags{}},
		{"inch", tag(map[uint16]any{270: "a gel", 282: rational(600, 2), 283: rational(150, 1), 296: 2}), Options{},
			TIFFTags{Description: "a gel", Resolution: TIFFResolution{[2]uint32{600, 2}, [2]uint32{150, 1}, 2}}},
		{"turned", tag(map[uint16]any{274: 6, 282: rational(600, 2), 283: rational(150, 1), 296: 3}), Options{AutoOrient: true},
			TIFFTags{Resolution: TIFFResolution{[2]uint32{150, 1}, [2]uint32{600, 2}, 3}}},
		{"one direction", tag(map[uint16]any{282: rational(600, 2)}), Options{}, TIFFTags{}},
		{"divided by zero", tag(map[uint16]any{282: rational(600, 0), 283: rational(1, 1)}), Options{}, TIFFTags{}},
		{"ImageJ", tag(map[uint16]any{270: "ImageJ=1.53t\nimages=1\nunit=micron\nmin=3\n", 282: rational(4, 1), 283: rational(4, 1), 296: 1}), Options{},
			TIFFTags{Description: "ImageJ=1.53t\nunit=micron\n", Resolution: TIFFResolution{[2]uint32{4, 1}, [2]uint32{4, 1}, 1}}},
		{"OME", tag(map[uint16]any{270: `<OME><Image><Pixels SizeX="2"/></Image></OME>`}), Options{}, TIFFTags{}},
		{"PNG", phys(1), Options{}, TIFFTags{Description: "café", Resolution: TIFFResolution{[2]uint32{2835, 100}, [2]uint32{2836, 100}, 3}}},
		{"PNG, a ratio", phys(0), Options{}, TIFFTags{Description: "café", Resolution: TIFFResolution{[2]uint32{2835, 1}, [2]uint32{2836, 1}, 1}}},
		{"JPEG", jfif, Options{}, TIFFTags{Resolution: TIFFResolution{[2]uint32{300, 1}, [2]uint32{150, 1}, 2}}},
		{"JPEG without", plain.Bytes(), Options{}, TIFFTags{}},
	} {
		r, err := openBytes(c.data, c.o)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p, err := r.Page(0)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := p.(Described).Tags()
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if err := got.check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	p, err := FromImage(image.NewUniform(color.Black), "huge", Options{MaxPixels: 1 << 62})
	if err != nil {
		t.Fatal(err)
	}
	if d := p.(Described); d.Tags() != (TIFFTags{}) || d.Scale() != (Scale{}) {
		t.Errorf("an image in memory says %+v, %+v", d.Tags(), d.Scale())
	}
}
