package batch

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"io"
	"os"
	"strings"
	"testing"

	"segscan/internal/raster"
	"segscan/segment"
)

// imageJ is a TIFF of one page whose description says that pixels are 1/2 x 1/4 um.
func imageJ(t *testing.T, img *image.Gray) []byte {
	t.Helper()
	return writeTIFF(t, img, raster.TIFFTags{Description: "ImageJ=1.53t\nunit=micron\n",
		Resolution: raster.TIFFResolution{X: [2]uint32{2, 1}, Y: [2]uint32{4, 1}, Unit: 1}})
}

func writeTIFF(t *testing.T, img image.Image, tags raster.TIFFTags) []byte {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := raster.NewTIFFWriter(f, raster.TIFFOptions{Tags: func(int) raster.TIFFTags { return tags }})
	b := img.Bounds()
	for _, err := range []error{w.NextPage(int64(b.Dx()), int64(b.Dy()), img), w.WriteBand(img), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const (
	plainHead = "file,page,line,start,end,length,activations,min,max,mean,edge"
	unitsHead = plainHead + ",start_u,length_u,unit\n"
)

// Without --pixel-size the records of a file that states its pixel size have the columns in units, those of another
// file and the table have not; the other rules make all alike. Start 3 is at 1.5 um, length 4 is 2 um.
func TestPixelSizeRules(t *testing.T) {
	row := "0,0,3,6,4,1,100,250,175,"
	for _, c := range []struct {
		name                string
		size                PixelSize
		stated, other, both string // head and row of either file's records, and of the table
	}{
		{"none given", PixelSize{}, unitsHead + "j.tif," + row + ",1.5,2,um\n", plainHead + "\np.png," + row + "\n",
			plainHead + "\nj.tif," + row + "\np.png," + row + "\n"},
		{"columns", PixelSize{Rule: PixelColumns}, unitsHead + "j.tif," + row + ",1.5,2,um\n", unitsHead + "p.png," + row + ",,,\n",
			unitsHead + "j.tif," + row + ",1.5,2,um\np.png," + row + ",,,\n"},
		{"none", PixelSize{Rule: PixelNone}, plainHead + "\nj.tif," + row + "\n", plainHead + "\np.png," + row + "\n",
			plainHead + "\nj.tif," + row + "\np.png," + row + "\n"},
		{"a size", PixelSize{Size: 3, Unit: "mm"}, unitsHead + "j.tif," + row + ",9,12,mm\n", unitsHead + "p.png," + row + ",9,12,mm\n",
			unitsHead + "j.tif," + row + ",9,12,mm\np.png," + row + ",9,12,mm\n"},
	} {
		dir := t.TempDir()
		cfg := config(t, put(t, dir, "j.tif", imageJ(t, gray("01012010"))), put(t, dir, "p.png", encode(t, gray("01012010"))))
		cfg.PixelSize, cfg.Table = c.size, "-"
		succeed(t, cfg)
		wantText(t, c.name+": stated", read(t, cfg.Out, "j.tif.segments.csv"), c.stated)
		wantText(t, c.name+": other", read(t, cfg.Out, "p.png.segments.csv"), c.other)
		wantText(t, c.name+": table", cfg.Stdout.(*bytes.Buffer).String(), c.both)

		// A table put together from records that exist is the same.
		again := *cfg
		again.SkipExisting, again.Stdout = true, &bytes.Buffer{}
		if err := os.Remove(cfg.Out + "/p.png.segments.csv"); err != nil {
			t.Fatal(err)
		}
		succeed(t, &again)
		wantText(t, c.name+": table again", again.Stdout.(*bytes.Buffer).String(), c.both)
	}
}

// Along columns the other side of the pixel counts: start 3 is at 0.75 um.
func TestPixelSizeOfColumns(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "j.tif", imageJ(t, gray("0", "1", "0", "1", "2", "0", "1", "0"))))
	cfg.Axis, cfg.Records, cfg.JSON = segment.Cols, "json", true
	s := succeed(t, cfg)
	if r := s.Rows[0]; r.PixelSize.Size != 0.25 || r.PixelSize.Unit != "um" || r.PixelSizeFrom != "ImageJ" {
		t.Errorf("%+v from %q", r.PixelSize, r.PixelSizeFrom)
	}
	var o struct {
		Pixel    *pixelObject `json:"pixel_size"`
		Segments []struct {
			Start  float64 `json:"start_u"`
			Length float64 `json:"length_u"`
			Unit   string
		}
	}
	if err := json.Unmarshal([]byte(read(t, cfg.Out, "j.tif.segments.json")), &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Segments) != 1 || o.Segments[0].Start != 0.75 || o.Segments[0].Length != 1 || o.Segments[0].Unit != "um" ||
		o.Pixel == nil || *o.Pixel != (pixelObject{0.25, "um", "ImageJ"}) {
		t.Errorf("%+v", o)
	}
	if line := cfg.Stdout.(*bytes.Buffer).String(); !strings.Contains(line, `"pixel_size":{"size":0.25,"unit":"um","from":"ImageJ"}`) {
		t.Errorf("%s", line)
	}
}

// A TIFF picture says of the page what the input says; a reduced one has no resolution.
func TestPictureTags(t *testing.T) {
	for _, c := range []struct {
		max  int64
		want raster.TIFFTags
	}{
		{0, raster.TIFFTags{Description: "ImageJ=1.53t\nunit=micron\n",
			Resolution: raster.TIFFResolution{X: [2]uint32{2, 1}, Y: [2]uint32{4, 1}, Unit: 1}}},
		{4, raster.TIFFTags{Description: "ImageJ=1.53t\nunit=micron\n"}},
	} {
		cfg := config(t, put(t, t.TempDir(), "j.tif", imageJ(t, gray("01012010", "01012010"))))
		cfg.Overlay, cfg.MaxSize = "tiff", c.max
		succeed(t, cfg)
		if got := tagsOf(t, read(t, cfg.Out, "j.tif.overlay.tiff")); got != c.want {
			t.Errorf("at most %d pixels: %+v, want %+v", c.max, got, c.want)
		}
	}
}

func tagsOf(t *testing.T, data string) raster.TIFFTags {
	t.Helper()
	r, err := raster.Open(strings.NewReader(data), int64(len(data)), "", raster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	return p.(raster.Described).Tags()
}

// Levels and compressions arrive at the writers: stored data is the longest, and each kind of TIFF is what it says.
func TestPictureCompression(t *testing.T) {
	lines := make([]string, 64)
	for i := range lines {
		lines[i] = strings.Repeat("01012010", 32)
	}
	size := func(overlay string, level int, kind raster.TIFFCompression) (int, []byte) {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray(lines...))))
		cfg.Overlay, cfg.PNGLevel, cfg.TIFFCompression = overlay, level, kind
		succeed(t, cfg)
		data := []byte(read(t, cfg.Out, "a.png.overlay."+overlay))
		return len(data), data
	}
	stored, _ := size("png", raster.PNGStored, 0)
	plain, _ := size("png", 0, 0)
	if stored < 256*64/2 || plain >= stored/4 {
		t.Errorf("stored in %d bytes, at the default level in %d", stored, plain)
	}
	for kind, want := range map[raster.TIFFCompression]uint16{0: 8, raster.TIFFNone: 1, raster.TIFFLZW: 5, raster.TIFFDeflate: 8, raster.TIFFZstd: 50000} {
		_, data := size("tiff", 0, kind)
		if got := compressionTag(t, data); got != want {
			t.Errorf("compression %d is written as %d", kind, got)
		}
	}
}

// compressionTag reads tag 259 of a little-endian classic TIFF.
func compressionTag(t *testing.T, data []byte) uint16 {
	t.Helper()
	le := binary.LittleEndian
	at := le.Uint32(data[4:])
	for i := range uint32(le.Uint16(data[at:])) {
		if e := data[at+2+12*i:]; le.Uint16(e) == 259 {
			return le.Uint16(e[8:])
		}
	}
	t.Fatal("no compression tag")
	return 0
}

// countingReader counts what is read.
type countingReader struct {
	io.ReaderAt
	n int64
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.n += int64(n)
	return n, err
}

// Automatic thresholds of a page that does not fit a band take two passes over the file, constant ones take one.
func TestPassesOverTheFile(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 1000, 1000))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * i >> 7)
	}
	data := writeTIFF(t, img, raster.TIFFTags{})
	for spec, passes := range map[string]int64{"hysteresis:lo=10,hi=200": 1, "multiotsu": 2, "hysteresis:lo=p20,hi=p80": 2} {
		cfg := config(t, put(t, t.TempDir(), "a.tif", data))
		cfg.Kernel, cfg.Overlay, cfg.MaxBytes = kernel(t, spec), "none", 64<<10
		var c countingReader
		cfg.Open = func(r io.ReaderAt, size int64, name string, o raster.Options) (raster.Reader, error) {
			c.ReaderAt = r
			return raster.Open(&c, size, name, o)
		}
		succeed(t, cfg)
		if got := float64(c.n) / float64(len(img.Pix)); got < float64(passes) || got > float64(passes)+0.1 {
			t.Errorf("%s reads the file %.2f times, want %d", spec, got, passes)
		}
	}
}
