package cli

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// hostileFile is a file made to cost more than it should, with the exit code it leads to, a part of the message, and
// the peak memory it may take.
type hostileFile struct {
	name  string
	data  []byte
	args  []string
	code  int
	want  string
	bound int64
}

// zeros gives so many.
type zeros int64

func (z *zeros) Read(p []byte) (int, error) {
	if *z <= 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), int64(*z))
	clear(p[:n])
	*z -= zeros(n)
	return int(n), nil
}

// deflateBomb is n zeros as zlib packs them, a thousandth of their size.
func deflateBomb(t *testing.T, n int64) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, zlib.BestCompression)
	if err == nil {
		z := zeros(n)
		_, err = io.Copy(w, &z)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zstdBomb is n zeros as Zstandard packs them, less than a thousandth of their size.
func zstdBomb(t *testing.T, n int64) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err == nil {
		z := zeros(n)
		_, err = io.Copy(w, &z)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func hostilePNG(w, h uint32, chunks ...string) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
	b := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range append([]string{string(append(head, 8, 0, 0, 0, 0))}, chunks...) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(c)-4))
		b = append(b, c...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(c)))
	}
	return b
}

// hostileTIFF is a little-endian page of one strip; more are further tags, in order, and next the link.
func hostileTIFF(w, h, compression uint32, next uint32, strip []byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("II*\x00"), uint32(8+len(strip)+len(strip)%2))
	b = append(b, strip...)
	if len(strip)%2 == 1 {
		b = append(b, 0)
	}
	tags := [][2]uint32{{256, w}, {257, h}, {258, 8}, {259, compression}, {262, 1}, {273, 8}, {277, 1}, {278, h}, {279, uint32(len(strip))}}
	b = le.AppendUint16(b, uint16(len(tags)))
	for _, t := range tags {
		b = le.AppendUint16(le.AppendUint16(b, uint16(t[0])), 4)
		b = le.AppendUint32(le.AppendUint32(b, 1), t[1])
	}
	return le.AppendUint32(b, next)
}

func hostileFiles(t *testing.T) []hostileFile {
	const small, band = 128 << 20, 768 << 20
	rle := zstdBomb(t, 20_000*20_000)
	bomb := string(deflateBomb(t, 20_000*20_001))
	loop := hostileTIFF(4, 1, 1, 0, []byte{0, 128, 255, 128})
	binary.LittleEndian.PutUint32(loop[len(loop)-4:], binary.LittleEndian.Uint32(loop[4:])) // to itself
	never := hostileTIFF(4, 1, 1, 0, []byte{0, 128, 255, 128})
	binary.LittleEndian.PutUint32(never[4:], 0xfffffff0)
	many := hostileTIFF(4, 1, 1, 0, []byte{0, 128, 255, 128})
	at := binary.LittleEndian.Uint32(many[4:])
	binary.LittleEndian.PutUint32(many[at+2+12*5+4:], 0xffffffff) // so many strip offsets
	none := []string{"--overlay", "none"}
	return []hostileFile{
		{"dimensions.png", hostilePNG(1<<31-1, 1<<31-1, "IDAT"+bomb[:100]), nil, exitSomeFailed, "above the limit of 2 Gpx (--max-pixels)", small},
		{"claim.png", hostilePNG(40_000, 40_000, "IDAT"+bomb[:1000]), nil, exitSomeFailed, "cannot hold an image of 40000 x 40000", small},
		{"bomb.png", hostilePNG(20_000, 20_000, "IDAT"+bomb, "IEND"), none, exitOK, "found", band},
		{"cut.png", hostilePNG(20_000, 20_000, "IDAT"+bomb[:len(bomb)/2], "IDAT"+bomb[:10], "IEND"), none, exitSomeFailed, "image data", band},
		{"chunk.png", hostilePNG(4, 1, "IDAT"+bomb[:100])[:60], nil, exitSomeFailed, "truncated", small},
		{"dimensions.tif", hostileTIFF(1<<31-1, 1<<31-1, 8, 0, []byte(bomb[:100])), nil, exitSomeFailed, "page 0", small},
		{"pixels.tif", hostileTIFF(60_000, 60_000, 8, 0, []byte(bomb)), nil, exitSomeFailed, "above the limit of 2 Gpx (--max-pixels)", small},
		{"bomb.tif", hostileTIFF(20_000, 20_000, 8, 0, []byte(bomb)), none, exitOK, "found", band},
		{"cut.tif", hostileTIFF(20_000, 20_000, 8, 0, []byte(bomb[:len(bomb)/2])), none, exitSomeFailed, "strip 0", band},
		{"ratio.tif", hostileTIFF(20_000, 20_000, 50000, 0, rle), append(none, "--max-ratio", "1000"), exitSomeFailed, "more than 1000 to 1; if the file is genuine, raise the limit (--max-ratio)", small},
		{"allowed.tif", hostileTIFF(20_000, 20_000, 50000, 0, rle), append(none, "--max-ratio", "1M"), exitOK, "found", band},
		{"loop.tif", loop, nil, exitOK, "points back to a page before it", small},
		{"strict.tif", loop, []string{"--strict"}, exitSomeFailed, "points back to a page before it", small},
		{"outside.tif", never, nil, exitSomeFailed, "first directory at offset 4294967280 cannot be read", small},
		{"table.tif", many, nil, exitSomeFailed, "StripOffsets", small},
	}
}
