package raster

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

// Every kind of PNG, at sizes around the edges of bytes and of interlacing, is what image/png reads, turned to gray
// by Go's models.
func TestPNGEqualsStandardLibrary(t *testing.T) {
	kinds := pngKinds()
	if len(kinds) != 52 {
		// 15 pairs of colour and depth; 11 of them (gray, RGB, palette) also with tRNS; all also interlaced.
		t.Fatalf("%d kinds of PNG, want 52", len(kinds))
	}
	for _, k := range kinds {
		t.Run(k.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(k.depth), uint64(k.colour)))
			for _, size := range [][2]int{{1, 1}, {2, 1}, {1, 5}, {3, 3}, {5, 9}, {8, 8}, {9, 2}, {17, 16}, {64, 31}, {131, 70}, {1000, 13}} {
				data := k.make(rnd, size[0], size[1], 1+rnd.IntN(3000))
				want, err := png.Decode(bytes.NewReader(data))
				if err != nil {
					t.Fatal(err)
				}
				got, warnings, err := readAll(data, Options{})
				if err != nil || len(warnings) > 0 {
					t.Fatalf("%v: %v %q", size, err, warnings)
				}
				sameLines(t, got, grayOf(want, k.depth == 16))
			}
		})
	}
}

// The channels r, g and b after alpha are those of Go's RGBA models; with alpha ignored, the stored ones.
func TestPNGChannels(t *testing.T) {
	for _, k := range pngKinds() {
		t.Run(k.String(), func(t *testing.T) {
			data := k.make(rand.New(rand.NewPCG(1, 1)), 40, 21, 500)
			m, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			for i, name := range []string{"r", "g", "b", "a"} {
				for _, alpha := range []Alpha{AlphaBlack, AlphaIgnore} {
					got, _, err := readAll(data, Options{Channel: name, Alpha: alpha})
					if name == "a" && k.colour < 4 && !k.trns {
						if err == nil || !strings.Contains(err.Error(), "no alpha") {
							t.Fatalf("alpha of an image without it: %v", err)
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					sameLines(t, got, pixelsOf(m, func(c color.Color) float64 { return channelOf(c, i, alpha, k.depth == 16) }))
				}
			}
			got, _, err := readAll(data, Options{Alpha: AlphaIgnore})
			if err != nil {
				t.Fatal(err)
			}
			sameLines(t, got, pixelsOf(m, func(c color.Color) float64 {
				n := color.NRGBA64Model.Convert(opaque(c)).(color.NRGBA64)
				if k.depth == 16 {
					return float64(color.Gray16Model.Convert(n).(color.Gray16).Y)
				}
				return float64(color.GrayModel.Convert(n).(color.Gray).Y)
			}))
		})
	}
}

// opaque is the stored colour of c without its alpha.
func opaque(c color.Color) color.Color {
	switch c := c.(type) {
	case color.NRGBA:
		return color.NRGBA{R: c.R, G: c.G, B: c.B, A: 0xff}
	case color.NRGBA64:
		return color.NRGBA64{R: c.R, G: c.G, B: c.B, A: 0xffff}
	}
	return c
}

func channelOf(c color.Color, i int, alpha Alpha, deep bool) float64 {
	r, g, b, a := c.RGBA()
	if alpha == AlphaIgnore && i < 3 {
		r, g, b, _ = opaque(c).RGBA()
	}
	v := [...]uint32{r, g, b, a}[i]
	if !deep {
		v >>= 8
	}
	return float64(v)
}

func TestPNGInfo(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		k        pngKind
		typ      segment.SampleType
		channels int
		max      float64
	}{
		{pngKind{1, 0, 0, false}, segment.U8, 1, 255},
		{pngKind{16, 0, 0, false}, segment.U16, 1, 65535},
		{pngKind{8, 2, 1, true}, segment.U8, 4, 255},
		{pngKind{4, 3, 0, false}, segment.U8, 3, 255},
		{pngKind{8, 3, 0, true}, segment.U8, 4, 255},
		{pngKind{16, 6, 0, false}, segment.U16, 4, 65535},
	} {
		r, err := openBytes(c.k.make(rnd, 5, 4, 100), Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		got := *p.Info()
		want := segment.PageInfo{File: "file", Pages: 1, Width: 5, Height: 4, Type: c.typ, Bits: c.k.depth, Channels: c.channels, Max: c.max,
			ColourMax: c.max, Gray: c.k.colour == 0}
		if fmt.Sprint(got) != fmt.Sprint(want) || r.Format() != "png" || r.Pages() != 1 {
			t.Errorf("%s: %+v, want %+v", c.k, got, want)
		}
		if _, err := r.Page(1); err == nil {
			t.Error("page 1 of a PNG was found")
		}
	}
}

// pngParts is a gray image whose pieces tests damage.
type pngParts struct {
	head, data, end []byte // data is compressed
}

func smallPNG() pngParts {
	rows := bytes.Repeat(append([]byte{0}, 10, 20, 30, 40), 3)
	return pngParts{pngHeader(4, 3, 8, 0, 0), deflated(rows), pngChunk("IEND", nil)}
}

var smallPNGLines = [][]float64{{10, 20, 30, 40}, {10, 20, 30, 40}, {10, 20, 30, 40}}

func badCRC(chunk []byte) []byte {
	c := bytes.Clone(chunk)
	c[len(c)-1] ^= 1
	return c
}

// What leaves the pixels whole is a warning, and they are read right.
func TestPNGWarnings(t *testing.T) {
	s := smallPNG()
	idat := pngChunk("IDAT", s.data)
	actl := pngChunk("acTL", []byte{0, 0, 0, 7, 0, 0, 0, 0})
	exif := pngChunk("eXIf", append([]byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00"), 0, 0, 0, 0))
	long := append(bytes.Clone(s.data), 1, 2, 3)
	for _, c := range []struct {
		name, warning string
		file          []byte
	}{
		{"nothing", "", pngFile(s.head, idat, s.end)},
		{"ancillary crc", "chunk iCCP is damaged (bad CRC), ignored", pngFile(s.head, badCRC(pngChunk("iCCP", []byte("x"))), idat, s.end)},
		{"ancillary crc after", "chunk tEXt is damaged (bad CRC), ignored", pngFile(s.head, idat, badCRC(pngChunk("tEXt", make([]byte, 9000))), s.end)},
		{"transparency crc", "chunk tRNS is damaged", pngFile(s.head, badCRC(pngChunk("tRNS", []byte{0, 10})), idat, s.end)},
		{"transparency length", "chunk tRNS holds 3 bytes instead of 2", pngFile(s.head, pngChunk("tRNS", []byte{0, 10, 0}), idat, s.end)},
		{"transparency late", "chunk tRNS is out of place", pngFile(s.head, idat, pngChunk("tRNS", []byte{0, 10}), s.end)},
		{"palette", "chunk PLTE in a gray image is ignored", pngFile(s.head, pngChunk("PLTE", make([]byte, 6)), idat, s.end)},
		{"after", "5 bytes after the end of the image", append(pngFile(s.head, idat, s.end), "trail"...)},
		{"no end", "the end of the file (chunk IEND) is missing", pngFile(s.head, idat)},
		{"end holds", "chunk IEND holds 2 bytes", pngFile(s.head, idat, pngChunk("IEND", []byte{1, 2}))},
		{"junk for end", "damaged after the image data, at byte", append(pngFile(s.head, idat), make([]byte, 30)...)},
		{"animation", "animation of 7 frames (APNG), only its default image is read", pngFile(s.head, actl, idat, s.end)},
		{"rows", "image data goes on after the last row", pngFile(s.head, pngChunk("IDAT", deflated(bytes.Repeat(append([]byte{0}, 10, 20, 30, 40), 5))), s.end)},
		{"chunk", "image data goes on after the last row", pngFile(s.head, pngChunk("IDAT", long), s.end)},
		{"late data", "after the end of the image data", pngFile(s.head, idat, pngChunk("tEXt", nil), idat, s.end)},
		{"no checksum", "image data ends without its checksum", pngFile(s.head, pngChunk("IDAT", s.data[:len(s.data)-4]), s.end)},
		{"half a checksum", "image data ends without its checksum", pngFile(s.head, pngChunk("IDAT", s.data[:len(s.data)-2]), s.end)},
		{"orientation", "orientation tag 6 (to be seen turned clockwise by 90 degrees) is not applied (--auto-orient applies it)", pngFile(s.head, exif, idat, s.end)},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines, warnings, err := readAll(c.file, Options{})
			if err != nil {
				t.Fatal(err)
			}
			sameLines(t, lines, smallPNGLines)
			if c.warning == "" && len(warnings) > 0 {
				t.Errorf("warnings %q, want none", warnings)
			}
			if c.warning != "" && (len(warnings) != 1 || !strings.Contains(warnings[0], c.warning)) {
				t.Errorf("warnings %q, want one with %q", warnings, c.warning)
			}
		})
	}
}

// What touches the pixels is an error that says what is wrong.
func TestPNGErrors(t *testing.T) {
	s := smallPNG()
	idat := pngChunk("IDAT", s.data)
	rows := func(b ...byte) []byte { return pngChunk("IDAT", deflated(b)) }
	flipped := bytes.Clone(s.data)
	flipped[len(flipped)-1] ^= 1
	pal := pngHeader(4, 1, 8, 3, 0)
	for _, c := range []struct {
		name, err string
		file      []byte
	}{
		{"signature only", "truncated at byte 8, before its image data", pngFile()},
		{"no data", "no image data (IDAT)", pngFile(s.head, s.end)},
		{"head cut", "truncated in chunk IHDR", pngFile(s.head[:20])},
		{"head crc", "chunk IHDR is damaged (bad CRC)", pngFile(badCRC(s.head), idat, s.end)},
		{"head twice", "two IHDR chunks", pngFile(s.head, s.head, idat, s.end)},
		{"head missing", "first chunk is IDAT instead of IHDR", pngFile(idat, s.end)},
		{"head short", "chunk IHDR holds 12 bytes instead of 13", pngFile(pngChunk("IHDR", s.head[8:20]), idat, s.end)},
		{"cgbi", "Apple CgBI", pngFile(pngChunk("CgBI", make([]byte, 4)), s.head, idat, s.end)},
		{"depth", "colour type 2 with 4 bits a sample is not a PNG kind", pngFile(pngHeader(4, 3, 4, 2, 0), idat, s.end)},
		{"interlace", "unknown interlace method 2", pngFile(pngHeader(4, 3, 8, 0, 2), idat, s.end)},
		{"empty side", "image is 0 x 3: a side is empty", pngFile(pngHeader(0, 3, 8, 0, 0), idat, s.end)},
		{"unknown critical", "unknown critical chunk ABCD", pngFile(s.head, pngChunk("ABCD", nil), idat, s.end)},
		{"junk", "damaged at byte 33: no chunk begins here", append(pngFile(s.head), make([]byte, 40)...)},
		{"data crc", "bad CRC in IDAT chunk 0", pngFile(s.head, badCRC(idat), s.end)},
		{"data cut", "truncated in chunk IDAT", pngFile(s.head, idat[:len(idat)-6])},
		{"end cut", "truncated in chunk IEND", pngFile(s.head, idat, s.end[:11])},
		{"end crc", "chunk IEND is damaged", pngFile(s.head, idat, badCRC(s.end))},
		{"rows missing", "image data is truncated: it ends in row 2 of 3", pngFile(s.head, rows(0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 9), s.end)},
		{"interrupted", "image data is truncated: it ends in row", pngFile(s.head, pngChunk("IDAT", s.data[:3]), pngChunk("tEXt", nil), pngChunk("IDAT", s.data[3:]), s.end)},
		{"checksum", "image data is damaged: zlib checksum does not match", pngFile(s.head, pngChunk("IDAT", flipped), s.end)},
		{"filter", "row 1 has unknown filter 5", pngFile(s.head, rows(0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 0, 1, 2, 3, 4), s.end)},
		{"zlib", "image data is damaged", pngFile(s.head, pngChunk("IDAT", []byte("not zlib at all")), s.end)},
		{"no palette", "no palette (PLTE)", pngFile(pal, rows(0, 0, 0, 0, 0), s.end)},
		{"palette length", "chunk PLTE holds 7 bytes", pngFile(pal, pngChunk("PLTE", make([]byte, 7)), rows(0, 0, 0, 0, 0), s.end)},
		{"palette crc", "chunk PLTE is damaged (bad CRC)", pngFile(pal, badCRC(pngChunk("PLTE", make([]byte, 6))), rows(0, 0, 0, 0, 0), s.end)},
		{"palette late", "palette (PLTE) comes after the image data", pngFile(pal, rows(0, 0, 0, 0, 0), pngChunk("PLTE", make([]byte, 6)), s.end)},
		{"index", "pixel 2,0 has palette index 2, but the palette has 2 entries", pngFile(pal, pngChunk("PLTE", make([]byte, 6)), rows(0, 0, 1, 2, 1), s.end)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := readAll(c.file, Options{})
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want one with %q", err, c.err)
			}
		})
	}
}

// A file made to warn without end is not given the memory for it.
func TestPNGManyWarnings(t *testing.T) {
	s := smallPNG()
	chunks := [][]byte{s.head}
	for i := range 2000 {
		chunks = append(chunks, badCRC(pngChunk(string([]byte{'a' + byte(i%26), 'a' + byte(i/26%26), 'X', 'a' + byte(i/676)}), nil)))
	}
	chunks = append(chunks, pngChunk("IDAT", s.data), s.end)
	lines, warnings, err := readAll(pngFile(chunks...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameLines(t, lines, smallPNGLines)
	if len(warnings) != 17 || !slices.Contains(warnings, "further warnings are left out") {
		t.Errorf("%d warnings, want 16 and a word about the rest", len(warnings))
	}
}
