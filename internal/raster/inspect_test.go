package raster

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segscan/internal/raster/internal/tifftest"
	"segscan/segment"
)

// factsOf is facts as lines name=value.
func factsOf(list []Fact) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s=%v\n", f.Name, f.Value)
	}
	return b.String()
}

func inspectBytes(t testing.TB, data []byte, o Options) *Report {
	t.Helper()
	rep, err := Inspect(bytes.NewReader(data), int64(len(data)), "f", o)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestInspectTIFF(t *testing.T) {
	page := tifftest.Gray(2, 1, 16, []byte{1, 2, 3, 4}).With(map[uint16]any{270: "ImageJ=1.53\nimages=2\nslices=2\nunit=um\n", 274: 6,
		282: []tifftest.Rational{{4, 1}}, 283: []tifftest.Rational{{2, 1}}, 296: 1, 305: "pen", 42113: "-9999"})
	rep := inspectBytes(t, buildTIFF(page, page, page.With(map[uint16]any{259: 6})), Options{})
	if rep.Format != "tiff" || rep.Pages != 3 || rep.Refused != "" || rep.File != "f" {
		t.Errorf("%+v", rep)
	}
	if got, want := factsOf(rep.Facts), "byte_order=little-endian\nbigtiff=false\ndescription_kind=ImageJ\npage_axes=c=1 z=2 t=1\n"+
		"pixel_size=[0.25 0.5]\npixel_unit=um\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	p := rep.Page(1)
	want := "bits=16\nsamples_per_pixel=1\nsample_format=unsigned integer\ncompression=none\ncompression_tag=1\nphotometric=black is zero\n" +
		"layout=strips\nchunk_width=2\nchunk_height=1\nchunks=1\npredictor=none\norientation=6\nresolution=[4 2]\nresolution_unit=none\n" +
		"description=ImageJ=1.53\nimages=2\nslices=2\nunit=um\n\nsoftware=pen\nno_data=-9999\n"
	if got := factsOf(p.Stored); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if r := p.Reading; r == nil || r.Sample != segment.U16 || r.Max != 65535 || r.Gray != "the stored samples" || r.Scale != (Scale{0.25, 0.5, "um", "ImageJ"}) {
		t.Errorf("%+v", r)
	}
	if len(p.Losses) != 1 || !strings.Contains(p.Losses[0], "no-data value -9999") || len(p.Warnings) != 1 {
		t.Errorf("losses %q, warnings %q", p.Losses, p.Warnings)
	}
	p = rep.Page(2)
	if p.Reading != nil || !strings.Contains(p.Refused, "old-style JPEG") || p.Width != 2 || !strings.Contains(factsOf(p.Stored), "compression=old-style JPEG") {
		t.Errorf("%+v", p)
	}
	if p = rep.Page(3); p.Refused == "" || p.Page != 3 {
		t.Errorf("a page that is not there: %+v", p)
	}
}

func TestInspectPNG(t *testing.T) {
	data := pngFile(pngHeader(70000, 2, 16, 2, 0), pngChunk("gAMA", []byte{0, 0, 0xb1, 0x8f}), pngChunk("sBIT", []byte{12, 12, 12}),
		pngChunk("tRNS", []byte{0, 1, 0, 2, 0, 3}), pngChunk("tEXt", []byte("Title\x00a page")), pngChunk("iTXt", []byte("Author\x00\x00\x00\x00\x00zoë")),
		pngChunk("iCCP", []byte("p\x00\x00x")), pngChunk("pHYs", []byte{0, 0, 1, 0, 0, 0, 2, 0, 1}), pngChunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0}),
		pngChunk("IDAT", deflated(make([]byte, 2*(1+6*70000)))), pngChunk("IEND", nil))
	rep := inspectBytes(t, data, Options{})
	p := rep.Page(0)
	want := "colour_type=RGB\nbits=16\nsamples_per_pixel=3\ncompression=Deflate\ninterlaced=false\ntransparent_colour=[1 2 3]\n" +
		"gamma=0.45455\nsignificant_bits=[12 12 12]\nresolution=[256 512]\nresolution_unit=m\nanimation_frames=2\n" +
		"texts=[Title: a page Author: zoë]\nfurther_chunks=iCCP\n"
	if got := factsOf(p.Stored); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if p.Width != 70000 || p.Reading == nil || p.Reading.Sample != segment.U16 || !strings.HasPrefix(p.Reading.Gray, "luma") ||
		!strings.HasPrefix(p.Reading.Alpha, "multiplies") {
		t.Errorf("%+v %+v", p, p.Reading)
	}
	for i, want := range []string{"2 frames", "12 of 16 bits", "colour space", "colour becomes gray", "--alpha ignore keeps it"} {
		if i >= len(p.Losses) || !strings.Contains(p.Losses[i], want) {
			t.Errorf("loss %d of %q: want %q", i, p.Losses, want)
		}
	}
	if p = inspectBytes(t, data, Options{MaxPixels: 1000}).Page(0); p.Reading != nil || !strings.Contains(p.Refused, "--max-pixels") || p.Width != 70000 {
		t.Errorf("beyond the limit: %+v", p)
	}
	if p = inspectBytes(t, data, Options{Strict: true}).Page(0); !strings.Contains(p.Refused, "--strict") {
		t.Errorf("strictly: %+v", p)
	}
	if p = inspectBytes(t, data, Options{Channel: "g", Alpha: AlphaIgnore}).Page(0); p.Reading.Gray != "green of the colours" || !strings.HasPrefix(p.Reading.Alpha, "ignored") {
		t.Errorf("%+v", p.Reading)
	}
}

func TestInspectJPEG(t *testing.T) {
	rep := inspectBytes(t, encodeJPEG(t, photo(20, 10, true)), Options{})
	p := rep.Page(0)
	want := "bits=8\ncomponents=3\ncolour=YCbCr\nsubsampling=4:2:0\nprogressive=false\nframe=SOF0\n"
	if got := factsOf(p.Stored); got != want || p.Width != 20 || p.Height != 10 || p.Reading == nil || p.Reading.Sample != segment.U8 {
		t.Errorf("%+v: got\n%swant\n%s", p, got, want)
	}
}

// What inspecting says is what opening does.
func TestInspectKeepsItsWord(t *testing.T) {
	dir := corpusDir(t)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.*"))
	if err != nil || len(files) < 200 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{}, {Strict: true, RawBits: true}, {Channel: "hue", AutoOrient: true}, {Channel: "a"}, {MaxPixels: 5000}} {
			if err := inspectAgrees(data, o, 100); err != nil {
				t.Errorf("%s with %+v: %v", filepath.Base(f), o, err)
			}
		}
	}
}

// inspectAgrees compares Inspect with Open on the first pages of a file.
func inspectAgrees(data []byte, o Options, pages int) error {
	rep, ierr := Inspect(bytes.NewReader(data), int64(len(data)), "f", o)
	r, oerr := Open(bytes.NewReader(data), int64(len(data)), "f", o)
	if ierr != nil {
		if oerr == nil {
			return fmt.Errorf("cannot be inspected (%w), but opened", ierr)
		}
		return nil
	}
	if rep.Refused != "" {
		if oerr == nil {
			return fmt.Errorf("is said to be refused (%s), but is opened", rep.Refused)
		}
		return nil
	}
	for i := range min(rep.Pages+rep.ExtraPages, pages) {
		var p Page
		err := oerr
		if err == nil {
			p, err = r.Page(i)
		}
		got := rep.Page(i)
		if (err != nil) != (got.Refused != "") || (got.Reading == nil) != (err != nil) {
			return fmt.Errorf("page %d is said to be %q, and opening gives: %v", i, got.Refused, err)
		}
		if err != nil {
			continue
		}
		info, g := p.Info(), got.Reading
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if g.Width != info.Width || g.Height != info.Height || g.Sample != info.Type || !same(g.Min, info.Min) || !same(g.Max, info.Max) ||
			g.Gray == "" || g.Scale != p.(Described).Scale() {
			return fmt.Errorf("page %d is said to be %+v and is %+v", i, g, info)
		}
	}
	return nil
}

func FuzzInspect(f *testing.F) {
	f.Add(encodeJPEG(f, photo(9, 9, true)), false)
	f.Add(buildTIFF(tifftest.Gray(2, 1, 4, []byte{7}).With(map[uint16]any{270: "ImageJ=1\nunit=um\n"})), true)
	f.Add(pngFile(pngHeader(2, 1, 8, 0, 0), pngChunk("tEXt", []byte("a\x00b")), pngChunk("IDAT", deflated([]byte{0, 7, 8})), pngChunk("IEND", nil)), true)
	f.Fuzz(func(t *testing.T, data []byte, flag bool) {
		if err := inspectAgrees(data, Options{MaxPixels: 1 << 18, Strict: flag, RawBits: flag}, 3); err != nil {
			t.Fatal(err)
		}
		rep, err := Inspect(bytes.NewReader(data), int64(len(data)), "f", Options{})
		if err != nil {
			return
		}
		for i := range min(rep.Pages, 3) {
			if p := rep.Page(i); strings.Contains(p.Refused, "internal error") {
				t.Fatal(p.Refused)
			}
		}
	})
}
