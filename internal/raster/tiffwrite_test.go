package raster

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	xtiff "golang.org/x/image/tiff"
)

var tiffWriterModels = append([]string{"gray32", "float32", "black-white", "white-black"}, writeModels...)

var tiffWriterCompressions = []TIFFCompression{TIFFNone, TIFFLZW, TIFFDeflate, TIFFZstd}

// tiffWriterImage adds to writeImage what only TIFF holds.
func tiffWriterImage(tb testing.TB, r *rand.Rand, model string, w, h int) image.Image {
	switch model {
	case "gray32":
		m := &Gray32{Pix: make([]uint32, (w+3)*h), Stride: w + 3, Rect: image.Rect(5, 6, 5+w, 6+h)}
		for i := range m.Pix {
			m.Pix[i] = uint32(i/7) * 100_003
			if i%3 == 0 {
				m.Pix[i] = r.Uint32()
			}
		}
		return m
	case "float32":
		m := &Float32{Pix: make([]float32, (w+3)*h), Stride: w + 3, Rect: image.Rect(5, 6, 5+w, 6+h)}
		for i := range m.Pix {
			m.Pix[i] = float32(math.Sin(float64(i) / 50))
			if i%11 == 0 {
				m.Pix[i] = math.Float32frombits(r.Uint32()) // NaN and infinities too
			}
		}
		return m
	case "black-white", "white-black":
		m := writeImage(tb, r, "palette2", w, h).(*image.Paletted)
		m.Palette = color.Palette{color.Black, color.White}
		if model == "white-black" {
			m.Palette = color.Palette{color.White, color.Black}
		}
		return m
	}
	return writeImage(tb, r, model, w, h)
}

// tiffWriterFile is an io.WriteSeeker in memory.
type tiffWriterFile struct {
	b  []byte
	at int
}

func (f *tiffWriterFile) Write(p []byte) (int, error) {
	if need := f.at + len(p); need > len(f.b) {
		f.b = append(f.b, make([]byte, need-len(f.b))...)
	}
	copy(f.b[f.at:], p)
	f.at += len(p)
	return len(p), nil
}

func (f *tiffWriterFile) Seek(to int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		to += int64(f.at)
	case io.SeekEnd:
		to += int64(len(f.b))
	}
	f.at = int(to)
	return to, nil
}

// tiffWriterBytes writes pages, each in bands of random heights if r is given.
func tiffWriterBytes(tb testing.TB, r *rand.Rand, o TIFFOptions, pages ...image.Image) []byte {
	tb.Helper()
	var f tiffWriterFile
	w := NewTIFFWriter(&f, o)
	for _, m := range pages {
		cuts := []int{m.Bounds().Dy()}
		if r != nil {
			cuts = writeCuts(r, cuts[0])
		}
		writePageIn(tb, w, m, cuts)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return f.b
}

// tiffWriterWant are the samples of a pixel as TIFF holds them.
func tiffWriterWant(m image.Image, x, y int) []uint32 {
	b := m.Bounds()
	x, y = x+b.Min.X, y+b.Min.Y
	switch m := m.(type) {
	case *Gray32:
		return []uint32{m.Pix[(y-b.Min.Y)*m.Stride+x-b.Min.X]}
	case *Float32:
		return []uint32{math.Float32bits(m.Pix[(y-b.Min.Y)*m.Stride+x-b.Min.X])}
	case *image.Paletted:
		return []uint32{uint32(m.ColorIndexAt(x, y))}
	}
	switch c := m.At(x, y).(type) {
	case color.Gray:
		return []uint32{uint32(c.Y)}
	case color.Gray16:
		return []uint32{uint32(c.Y)}
	case color.NRGBA:
		return []uint32{uint32(c.R), uint32(c.G), uint32(c.B), uint32(c.A)}
	case color.NRGBA64:
		return []uint32{uint32(c.R), uint32(c.G), uint32(c.B), uint32(c.A)}
	case color.RGBA:
		if _, ok := m.(*RGB); ok {
			return []uint32{uint32(c.R), uint32(c.G), uint32(c.B)}
		}
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		return []uint32{uint32(n.R), uint32(n.G), uint32(n.B), uint32(n.A)}
	case color.RGBA64:
		if _, ok := m.(*RGB48); ok {
			return []uint32{uint32(c.R), uint32(c.G), uint32(c.B)}
		}
		n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
		return []uint32{uint32(n.R), uint32(n.G), uint32(n.B), uint32(n.A)}
	}
	return nil
}

// tiffWriterDiff says where a page read differs from an image.
func tiffWriterDiff(p *tiffWriterReadPage, m image.Image) error {
	if b := m.Bounds(); p.w != b.Dx() || p.h != b.Dy() {
		return fmt.Errorf("%d x %d, want %d x %d", p.w, p.h, b.Dx(), b.Dy())
	}
	for y := range p.h {
		for x := range p.w {
			want := tiffWriterWant(m, x, y)
			if len(want) != p.chan_ {
				return fmt.Errorf("%d samples, want %d", p.chan_, len(want))
			}
			for c, v := range want {
				if g := p.sample(x, y, c); g != v {
					return fmt.Errorf("sample %d of (%d,%d): got %d, want %d", c, x, y, g, v)
				}
			}
		}
	}
	return nil
}

func TestTIFFWriterRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 21))
	sizes := [][2]int{{1, 1}, {1, 9}, {9, 1}, {3, 2}, {17, 5}, {65, 33}, {400, 90}}
	for _, model := range tiffWriterModels {
		if model == "palette-alpha" {
			continue // refused, see below
		}
		for _, compression := range tiffWriterCompressions {
			var pages []image.Image
			for _, s := range sizes {
				pages = append(pages, tiffWriterImage(t, r, model, s[0], s[1]))
			}
			o := TIFFOptions{
				Compression: compression, Workers: r.IntN(4), Size: TIFFSize(r.IntN(3)), Predictor: TIFFPredictor(r.IntN(3)),
			}
			b := tiffWriterBytes(t, r, o, pages...)
			got, big := tiffWriterRead(t, b)
			if big != (o.Size == TIFFBig) {
				t.Errorf("%s %+v: bigtiff is %v", model, o, big)
			}
			if len(got) != len(pages) {
				t.Fatalf("%s %+v: %d pages, want %d", model, o, len(got), len(pages))
			}
			for i, p := range got {
				if err := tiffWriterDiff(p, pages[i]); err != nil {
					t.Fatalf("%s %+v page %d: %v", model, o, i, err)
				}
			}
			tiffWriterByXImage(t, model, o, b, pages[0])
		}
	}
}

// tiffWriterByXImage compares the first page as golang.org/x/image/tiff reads it, where it can: it knows neither BigTIFF nor
// Zstandard nor 32 bits.
func tiffWriterByXImage(t *testing.T, model string, o TIFFOptions, b []byte, want image.Image) {
	t.Helper()
	if o.Size == TIFFBig || o.Compression == TIFFZstd {
		return
	}
	switch model {
	case "gray32", "float32":
		return
	}
	got, err := xtiff.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s %+v: x/image/tiff: %v", model, o, err)
	}
	if at, g, w, differ := writeDiff(got, pngWriterWant(want)); differ {
		t.Fatalf("%s %+v: x/image/tiff at %v: got %v, want %v", model, o, at, g, w)
	}
}

// The comparison of the round trips finds a changed sample.
func TestTIFFWriterDiffFinds(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 9, 9))
	p, _ := tiffWriterRead(t, tiffWriterBytes(t, nil, TIFFOptions{Compression: TIFFLZW}, m))
	if err := tiffWriterDiff(p[0], m); err != nil {
		t.Fatal(err)
	}
	m.Pix[80]++
	if tiffWriterDiff(p[0], m) == nil {
		t.Fatal("a changed sample was not found")
	}
}

// Bytes depend on pixels and options, not on cuts and workers, around the height of a strip too: rows of 32 KiB of
// gray make strips of 8 rows.
func TestTIFFWriterCutsAndWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 23))
	for _, h := range []int{7, 8, 9, 17} {
		m := image.NewGray(image.Rect(0, 0, 32<<10, h))
		for i := range m.Pix {
			m.Pix[i] = uint8(100 + r.IntN(4+i>>16))
		}
		for _, compression := range tiffWriterCompressions {
			o := TIFFOptions{Compression: compression}
			want := tiffWriterBytes(t, nil, o, m, m)
			for workers := 1; workers <= 4; workers += 3 {
				o.Workers = workers
				if got := tiffWriterBytes(t, r, o, m, m); !bytes.Equal(got, want) {
					t.Fatalf("height %d %+v: other bytes", h, o)
				}
			}
			pages, _ := tiffWriterRead(t, want)
			if rows := pages[0].one(t, 278); rows != uint64(min(h, 8)) {
				t.Fatalf("height %d: strips of %d rows", h, rows)
			}
			for i, p := range pages {
				if err := tiffWriterDiff(p, m); err != nil {
					t.Fatalf("height %d %+v page %d: %v", h, o, i, err)
				}
			}
		}
	}
}

func TestTIFFWriterTags(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 3, 3))
	tags := []TIFFTags{
		{Description: "first, µm", Software: "segscan", Resolution: TIFFResolution{X: [2]uint32{300, 1}, Y: [2]uint32{1499, 10}, Unit: 2}},
		{Description: "abc"}, // with its zero it fits a field
		{},
	}
	for _, size := range []TIFFSize{TIFFClassic, TIFFBig} {
		b := tiffWriterBytes(t, nil, TIFFOptions{Size: size, Tags: func(i int) TIFFTags { return tags[i] }}, m, m, m)
		pages, _ := tiffWriterRead(t, b)
		for i, p := range pages {
			text := func(tag int) string { return strings.TrimSuffix(string(p.fields[tag].bytes), "\x00") }
			if g := text(270); g != tags[i].Description {
				t.Errorf("description %d is %q", i, g)
			}
			if g := text(305); g != tags[i].Software {
				t.Errorf("software %d is %q", i, g)
			}
		}
		// 300/1 is 300 in the low word and 1 in the high one, 1499/10 likewise.
		if x, y, u := pages[0].one(t, 282), pages[0].one(t, 283), pages[0].one(t, 296); x != 1<<32|300 || y != 10<<32|1499 || u != 2 {
			t.Errorf("resolution %#x %#x %d", x, y, u)
		}
		if _, ok := pages[1].fields[282]; ok {
			t.Error("a resolution where none was given")
		}
	}
}

// Where a file outgrows 4 GiB it becomes BigTIFF, or an error if that was refused; the limit is lowered to see it.
func TestTIFFWriterOutgrowsClassic(t *testing.T) {
	m := writeImage(t, rand.New(rand.NewPCG(1, 1)), "gray", 100, 100)
	length := len(tiffWriterBytes(t, nil, TIFFOptions{}, m))
	for _, c := range []struct {
		limit   int
		size    TIFFSize
		big, ok bool
	}{
		{length, TIFFSizeAuto, false, true}, {length, TIFFClassic, false, true},
		{length - 1, TIFFSizeAuto, true, true}, {length - 1, TIFFClassic, false, false}, {5000, TIFFClassic, false, false},
	} {
		var f tiffWriterFile
		w := NewTIFFWriter(&f, TIFFOptions{Size: c.size}).(*tiffWriter)
		w.limit = int64(c.limit)
		err := errors.Join(w.NextPage(100, 100, m), w.WriteBand(m), w.Close())
		if (err == nil) != c.ok {
			t.Fatalf("%+v: %v", c, err)
		}
		if err != nil {
			if !strings.Contains(err.Error(), "4 GiB") {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		pages, big := tiffWriterRead(t, f.b)
		if big != c.big {
			t.Errorf("%+v: bigtiff is %v", c, big)
		}
		if err := tiffWriterDiff(pages[0], m); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The file may begin behind other bytes, which stay.
func TestTIFFWriterBehindOtherBytes(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 5, 5))
	f := tiffWriterFile{b: []byte("before"), at: 6}
	w := NewTIFFWriter(&f, TIFFOptions{})
	if err := errors.Join(w.NextPage(5, 5, m), w.WriteBand(m), w.Close()); err != nil {
		t.Fatal(err)
	}
	if want := append([]byte("before"), tiffWriterBytes(t, nil, TIFFOptions{}, m)...); !bytes.Equal(f.b, want) || f.at != len(want) {
		t.Fatalf("got % x at %d", f.b, f.at)
	}
}

func TestTIFFWriterToFile(t *testing.T) {
	m := writeImage(t, rand.New(rand.NewPCG(2, 2)), "rgb", 500, 400)
	path := filepath.Join(t.TempDir(), "a.tif")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := NewTIFFWriter(f, TIFFOptions{Compression: TIFFDeflate, Workers: 2})
	if err := errors.Join(w.NextPage(500, 400, m), w.WriteBand(m), w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := tiffWriterRead(t, b)
	if err := tiffWriterDiff(pages[0], m); err != nil {
		t.Fatal(err)
	}
}
