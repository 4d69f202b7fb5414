package raster

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"segscan/segment"
)

func encodeJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withSegment puts an application segment behind a JPEG's first marker.
func withSegment(data []byte, marker byte, body []byte) []byte {
	head := append([]byte{0xff, 0xd8, 0xff, marker}, binary.BigEndian.AppendUint16(nil, uint16(len(body)+2))...)
	return append(append(head, body...), data[2:]...)
}

// exifBlock is an EXIF block with an orientation tag behind another one, in either byte order.
func exifBlock(order binary.AppendByteOrder, tag uint16) []byte {
	b := []byte("II*\x00")
	if order.String() == binary.BigEndian.String() {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint16(order.AppendUint32(b, 8), 2)
	for _, e := range [][2]uint16{{0x10f, 1}, {0x112, tag}} {
		b = order.AppendUint16(order.AppendUint16(b, e[0]), 3)
		b = order.AppendUint16(order.AppendUint32(b, 1), e[1])
		b = append(b, 0, 0)
	}
	return b
}

// JPEG gray is color.GrayModel of what image/jpeg decodes, in bands along both axes.
func TestJPEGEqualsStandardLibrary(t *testing.T) {
	for _, rgb := range []bool{false, true} {
		data := encodeJPEG(t, photo(83, 50, rgb))
		m, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		want := grayOf(m, false)
		r, err := openBytes(data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		if in := p.Info(); r.Format() != "jpeg" || in.Type != segment.U8 || in.Bits != 8 || in.Max != 255 || in.Width != 83 || in.Height != 50 ||
			in.Channels != map[bool]int{false: 1, true: 3}[rgb] || len(in.Warnings)+len(r.Warnings()) != 0 {
			t.Errorf("%+v", in)
		}
		rows, err := bodyLines(p, Request{MaxBytes: 1000})
		if err != nil {
			t.Fatal(err)
		}
		sameLines(t, rows, want)
		cols, err := bodyLines(p, Request{MaxBytes: 1000, Axis: segment.Cols})
		if err != nil {
			t.Fatal(err)
		}
		for x := range cols {
			for y, v := range cols[x] {
				if v != want[y][x] {
					t.Fatalf("column %d row %d is %v, want %v", x, y, v, want[y][x])
				}
			}
		}
	}
}

// An Adobe RGB file decodes to the same red, green and blue as its samples, gray by color.GrayModel. The Adobe
// segment's last byte says transform 0: samples are RGB.
func TestJPEGAdobeRGB(t *testing.T) {
	data := withSegment(encodeJPEG(t, photo(40, 40, true)), 0xee, append([]byte("Adobe"), 0, 100, 0, 0, 0, 0, 0))
	m, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.(*image.RGBA); !ok {
		t.Skipf("image/jpeg decodes it to %T here", m)
	}
	got, _, err := readAll(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameLines(t, got, grayOf(m, false))
}

func TestOrientationTags(t *testing.T) {
	png := smallPNG()
	files := map[string]func(exif []byte) []byte{
		"jpeg": func(e []byte) []byte {
			return withSegment(encodeJPEG(t, photo(16, 8, false)), 0xe1, append([]byte("Exif\x00\x00"), e...))
		},
		"png": func(e []byte) []byte {
			return pngFile(png.head, pngChunk("eXIf", e), pngChunk("IDAT", png.data), png.end)
		},
	}
	for kind, file := range files {
		for tag := uint16(0); tag <= 9; tag++ {
			for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				data := file(exifBlock(order, tag))
				plain, warnings, err := readAll(data, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if said := len(warnings) == 1 && strings.Contains(warnings[0], "--auto-orient"); said != (tag > 1 && tag < 9) {
					t.Errorf("%s orientation %d: warnings %q", kind, tag, warnings)
				}
				turned, warnings, err := readAll(data, Options{AutoOrient: true})
				if err != nil || len(warnings) > 0 {
					t.Fatal(err, warnings)
				}
				h, w := len(plain), len(plain[0])
				for y := range turned {
					for x, v := range turned[y] {
						sx, sy := seenFrom(int(tag), x, y, w, h)
						if v != plain[sy][sx] {
							t.Fatalf("%s orientation %d: pixel %d,%d is %v, want stored %d,%d", kind, tag, x, y, v, sx, sy)
						}
					}
				}
			}
		}
	}
}

func TestEXIFDamageIsHarmless(t *testing.T) {
	whole := exifBlock(binary.LittleEndian, 6)
	if got := exifOrientation(whole); got != 6 {
		t.Fatalf("orientation %d, want 6", got)
	}
	for n := range whole {
		if got := exifOrientation(whole[:n]); got != 0 && n < len(whole)-2 {
			t.Errorf("orientation %d from %d bytes", got, n)
		}
	}
	far := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(far[4:], 0xfffffff0)
	if got := exifOrientation(far); got != 0 {
		t.Errorf("orientation %d from a directory outside the block", got)
	}
}

func TestJPEGErrors(t *testing.T) {
	whole := encodeJPEG(t, photo(64, 64, true))
	sof := bytes.Index(whole, []byte{0xff, 0xc0})
	huge := bytes.Clone(whole)
	binary.BigEndian.PutUint32(huge[sof+5:], 0x9c40_9c40) // 40000 x 40000
	over := bytes.Clone(whole)
	binary.BigEndian.PutUint32(over[sof+5:], 0xffff_ffff)
	deep := bytes.Clone(whole)
	deep[sof+4] = 12
	scans := bytes.Clone(whole)
	scans[sof+1] = markSOF2
	scans = append(scans[:len(scans)-2], bytes.Repeat([]byte{0xff, markSOS, 0, 6, 1, 1, 0, 1}, maxScans)...)
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"scans", "decoding JPEG: more than 500 scans", scans},
		{"head", "JPEG data is truncated", whole[:10]},
		{"data", "JPEG data is truncated", whole[:len(whole)-100]},
		{"claims", "bytes cannot hold a JPEG image of 40000 x 40000", huge},
		{"limit", "image is 65535 x 65535 (4.29 Gpx), above the limit of 2 Gpx (--max-pixels)", over},
		{"12 bits", "decoding JPEG: unsupported JPEG feature: precision", deep},
	} {
		if _, _, err := readAll(c.data, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestJPEGFurtherPictures(t *testing.T) {
	data := withSegment(encodeJPEG(t, photo(8, 8, false)), 0xe2, []byte("MPF\x00II*\x00"))
	_, warnings, err := readAll(data, Options{})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "only the first is read") {
		t.Errorf("%v, warnings %q", err, warnings)
	}
}
