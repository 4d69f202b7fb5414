package tiff

import (
	"strings"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

// TestImageJStack reads the images that follow the only directory of a large ImageJ file.
func TestImageJStack(t *testing.T) {
	desc := "ImageJ=1.53c\nimages=6\nchannels=2\nslices=3\nhyperstack=true\nunit=micron\nspacing=2.0\n"
	data := make([]byte, 6*4)
	for i := range data {
		data[i] = byte(i)
	}
	page := tifftest.Gray(2, 2, 8, data).With(map[uint16]any{270: desc, 279: uint32(4),
		282: []tifftest.Rational{{20000, 1000}}, 283: []tifftest.Rational{{20000, 1000}}})
	f := openBytes(t, tifftest.Build(tifftest.File{Pages: []tifftest.Page{page}}))
	if f.Pages() != 6 {
		t.Fatalf("%d pages, want 6", f.Pages())
	}
	for i, axes := range []string{"c=0 z=0", "c=1 z=0", "c=0 z=1", "c=1 z=1", "c=0 z=2", "c=1 z=2"} {
		p, err := f.Page(i)
		if err != nil {
			t.Fatal(err)
		}
		v := byte(4 * i)
		checkSamples(t, axes, readAll(t, p), floats(v, v+1, v+2, v+3))
		if got := f.Axes(i); got != axes {
			t.Errorf("axes of page %d are %q, want %q", i, got, axes)
		}
	}
	if m := f.Meta(); m.Kind != "ImageJ" || m.PixelX != 0.05 || m.PixelY != 0.05 || m.Unit != "um" {
		t.Errorf("meta is %+v, want pixels of 0.05 um", m)
	}
	if len(f.Warnings()) != 0 {
		t.Errorf("warnings %q", f.Warnings())
	}
}

// TestImageJShort warns where images are promised that are not there.
func TestImageJShort(t *testing.T) {
	page := tifftest.Gray(2, 2, 8, make([]byte, 9)).With(map[uint16]any{270: "ImageJ=1.53c\nimages=60\n", 279: uint32(4)})
	packed := tifftest.Gray(2, 2, 8, []byte{3, 1, 2, 3, 4}).With(map[uint16]any{270: "ImageJ=1.53c\nimages=60\n", 259: 32773})
	for _, p := range []tifftest.Page{page, packed} {
		f := openBytes(t, tifftest.Build(tifftest.File{Pages: []tifftest.Page{p}}))
		if w := f.Warnings(); len(w) != 1 || !strings.Contains(w[0], "promises 60 images") {
			t.Errorf("warnings %q", w)
		}
		if f.Pages() >= 60 {
			t.Errorf("%d pages", f.Pages())
		}
	}
}

// TestOME reads the axes and the pixel size of an OME-XML description.
func TestOME(t *testing.T) {
	xml := `<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0">
		<Pixels ID="Pixels:0" DimensionOrder="XYZCT" SizeX="2" SizeY="1" SizeZ="2" SizeC="1" SizeT="2" Type="uint8"
		PhysicalSizeX="0.65" PhysicalSizeY="0.65" PhysicalSizeXUnit="µm" PhysicalSizeYUnit="µm"><TiffData/></Pixels></Image></OME>`
	first := grayOf(1).With(map[uint16]any{270: xml})
	f := openBytes(t, tifftest.Build(tifftest.File{Pages: []tifftest.Page{first, grayOf(2), grayOf(3), grayOf(4)}}))
	for i, want := range []string{"z=0 t=0", "z=1 t=0", "z=0 t=1", "z=1 t=1"} {
		if got := f.Axes(i); got != want {
			t.Errorf("axes of page %d are %q, want %q", i, got, want)
		}
	}
	if m := f.Meta(); m.Kind != "OME" || m.PixelX != 0.65 || m.PixelY != 0.65 || m.Unit != "um" {
		t.Errorf("meta is %+v, want pixels of 0.65 um", m)
	}
	// A description of another number of pages names no axes.
	if f = openBytes(t, tifftest.Build(tifftest.File{Pages: []tifftest.Page{first, grayOf(2)}})); f.Axes(1) != "" {
		t.Errorf("axes %q of a file with pages missing", f.Axes(1))
	}
	for _, bad := range []string{"<OME", "<OME><Pixels", `<OME><Pixels PhysicalSizeX="NaN" PhysicalSizeY="1"/>`, "ImageJ=", "ImageJ=1\nunit=furlong\n"} {
		f := openBytes(t, tifftest.Build(tifftest.File{Pages: []tifftest.Page{grayOf(1).With(map[uint16]any{270: bad})}}))
		if m := f.Meta(); m.PixelX != 0 || f.Pages() != 1 {
			t.Errorf("%q: meta %+v, %d pages", bad, m, f.Pages())
		}
	}
}

func TestDescriptionAndResolution(t *testing.T) {
	p := onePage(t, grayOf(1).With(map[uint16]any{270: "a gel", 282: []tifftest.Rational{{300, 1}}, 283: []tifftest.Rational{{150, 1}}, 296: 3}))
	if p.Description != "a gel" || p.Resolution != (Resolution{Rational{300, 1}, Rational{150, 1}, "cm"}) {
		t.Errorf("%q, %+v", p.Description, p.Resolution)
	}
}
