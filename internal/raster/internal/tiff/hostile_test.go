package tiff

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

// TestDamage ends in errors that name page, tag and value, whatever the reader is told to believe.
func TestDamage(t *testing.T) {
	gray := tifftest.Gray(64, 64, 8, make([]byte, 4096))
	lzw := gray.With(map[uint16]any{259: 5})
	lzw.Chunks = [][]byte{plainLZW(make([]byte, 2000))}
	deflate := gray.With(map[uint16]any{259: 8})
	good := compress(t, encoding{comp: 8}, make([]byte, 4096))
	deflate.Chunks = [][]byte{append(good[:len(good)-1:len(good)-1], good[len(good)-1]^1)}
	big := func(tags map[uint16]any) tifftest.Page { return gray.With(tags) }
	for _, c := range []struct {
		name, want string
		page       tifftest.Page
	}{
		{"strip outside the file", "StripOffsets 1073741824 of chunk 0 is outside the file", big(map[uint16]any{273: uint32(1 << 30)})},
		{"strip runs over the end", "needs 512 bytes at 4000", big(map[uint16]any{273: uint32(4000)})},
		{"short LZW data", "strip 0 at offset 8 (LZW): data ends after 2000 of 4096 bytes", lzw},
		{"wrong checksum", "checksum", deflate},
		{"garbage as Deflate", "strip 0 at offset 8 (Deflate)", big(map[uint16]any{259: 8})},
		{"garbage as Zstandard", "strip 0 at offset 8 (Zstandard)", big(map[uint16]any{259: 50000})},
		{"garbage as JPEG", "strip 0 at offset 8 (JPEG)", big(map[uint16]any{259: 7})},
		{"a table larger than the file", "StripOffsets of 1073741824 values at offset", gray},
		{"samples without end", "SamplesPerPixel 65535 of 64 bits make rows of 1000000 pixels too long",
			big(map[uint16]any{256: uint32(1_000_000), 258: 64, 277: 65535})},
		{"a gigapixel from nothing", "more than 10000 to 1",
			deflate.With(map[uint16]any{256: uint32(40_000), 257: uint32(40_000), 278: uint32(40_000)})},
		{"tiles that share their data", "more than 10000 to 1",
			big(map[uint16]any{256: uint32(1 << 15), 257: uint32(1 << 15), 322: 2048, 323: 2048, 324: repeated(256, 8), 325: repeated(256, 4096)})},
		{"a row longer than the file", "SamplesPerPixel 1 of 8 bits make rows of 100000 pixels too long", big(map[uint16]any{256: uint32(100_000)})},
		{"a strip larger than its data can be", "4096 bytes cannot hold the 16000000 of its pixels",
			big(map[uint16]any{256: 4000, 257: 4000, 278: 4000, 259: 8})},
		{"a row of tiles that is too large", "take a part of the page with --roi", wideTiles()},
		{"a huge tile", "smaller tiles", hugeTile()},
	} {
		data := tifftest.Build(tifftest.File{Pages: []tifftest.Page{c.page}})
		if c.name == "a table larger than the file" {
			data = claimMany(data, 1<<30)
		}
		err := func() error {
			p, err := openBytes(t, data).Page(0)
			if err != nil {
				return err
			}
			w, h := min(p.Width, 100), min(p.Height, 100)
			switch c.name {
			case "a row of tiles that is too large":
				w = p.Width
			case "a strip larger than its data can be":
				h = p.Height
			}
			_, err = read(p, 0, 0, int(w), int(h), 8)
			return err
		}()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "page 0") {
			t.Errorf("%s: error is %v, want %q", c.name, err, c.want)
		}
	}
}

func repeated(n int, v uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// hugeTile is a page in one tile whose decoded size is above the limit, in a file large enough for the ratio.
func hugeTile() tifftest.Page {
	return tifftest.Page{Tags: map[uint16]any{256: 40_000, 257: 40_000, 258: 8, 259: 8, 262: 1, 322: 40_000, 323: 40_000},
		Chunks: [][]byte{make([]byte, 200_000)}}
}

// wideTiles is a page whose tiles are each below the limit, and a row of them above, in a file large enough.
func wideTiles() tifftest.Page {
	page := tifftest.Page{Tags: map[uint16]any{256: 60_000, 257: 20_000, 258: 8, 259: 8, 262: 1, 322: 20_000, 323: 20_000}}
	for range 3 {
		page.Chunks = append(page.Chunks, make([]byte, 100_000))
	}
	return page
}

// claimMany makes the StripOffsets of a little-endian file claim n values.
func claimMany(data []byte, n uint32) []byte {
	entry := binary.LittleEndian.AppendUint16(nil, 273)
	entry = binary.LittleEndian.AppendUint16(entry, 4)
	binary.LittleEndian.PutUint32(data[bytes.Index(data, entry)+4:], n)
	return data
}

// countingReader counts what is read.
type countingReader struct {
	io.ReaderAt
	n int64
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	c.n += int64(len(p))
	return c.ReaderAt.ReadAt(p, off)
}

// TestOnlyWhatIsNeeded reads few rows and columns of a large page, and counts the bytes read.
func TestOnlyWhatIsNeeded(t *testing.T) {
	const w, h = 4096, 4096
	for _, tags := range []map[uint16]any{{}, {322: 256, 323: 256}} {
		raw := make([]byte, w*h)
		page := tifftest.Gray(w, h, 8, raw).With(tags)
		if len(tags) > 0 {
			page.Chunks = nil
			for i := range 256 {
				page.Chunks = append(page.Chunks, raw[i<<16:(i+1)<<16])
			}
		}
		data := tifftest.Build(tifftest.File{Pages: []tifftest.Page{page}})
		c := &countingReader{ReaderAt: bytes.NewReader(data)}
		f, err := Open(c, int64(len(data)), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		c.n = 0
		if _, err := read(p, 1000, 2000, 100, 10, 10); err != nil {
			t.Fatal(err)
		}
		if c.n > 40_000 {
			t.Errorf("%v: %d bytes read for 1000 pixels", tags, c.n)
		}
	}
}

// zeros is a file of zeros behind a head, as a sparse file is.
type zeros struct {
	head []byte
	size int64
}

func (z zeros) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(z.head)) {
		copy(p, z.head[off:])
	}
	if rest := z.size - off; rest < int64(len(p)) {
		return int(max(rest, 0)), io.EOF
	}
	return len(p), nil
}

// TestBoundedMemory goes through 100,000 x 100,000 pixels (10 GB), uncompressed and in one Deflate strip, a few rows
// of it, and through a quarter of a gigapixel whole, and measures the memory held.
func TestBoundedMemory(t *testing.T) {
	const side = 100_000
	strips := make([]uint64, side/10)
	counts := make([]uint32, side/10)
	for i := range strips {
		strips[i], counts[i] = 1<<20+uint64(i)*side*10, side*10
	}
	page := tifftest.Page{Tags: map[uint16]any{256: uint32(side), 257: uint32(side), 258: 8, 262: 1, 278: 10, 273: strips, 279: counts}}
	head := tifftest.Build(tifftest.File{Big: true, Pages: []tifftest.Page{page}})
	plain := zeros{head, 1<<20 + side*side}

	row := compress(t, encoding{comp: 8}, make([]byte, 16384*16384))
	one := tifftest.Page{Tags: map[uint16]any{256: 16384, 257: 16384, 258: 8, 259: 8, 262: 1, 278: 16384}, Chunks: [][]byte{row}}
	deflated := tifftest.Build(tifftest.File{Pages: []tifftest.Page{one}})

	for _, c := range []struct {
		name string
		r    io.ReaderAt
		size int64
		rows int
	}{{"uncompressed", plain, plain.size, 2000}, {"one strip", bytes.NewReader(deflated), int64(len(deflated)), 16384}} {
		f, err := Open(c.r, c.size, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Rows(0, 0, p.Width, p.Height)
		if err != nil {
			t.Fatal(err)
		}
		dst := newBlock(p, int(p.Width), 100)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for at := 0; at+100 <= c.rows; at += 100 {
			if err := r.Next(context.Background(), dst, 100); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
			t.Errorf("%s: %d bytes allocated for %d rows of %d", c.name, got, c.rows, p.Width)
		}
		r.Close()
	}
}

// FuzzTIFF: whatever the bytes, opening and reading ends without a panic and within the memory the limits allow.
func FuzzTIFF(f *testing.F) {
	for _, data := range fuzzSeeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Open(bytes.NewReader(data), int64(len(data)), Limits{MaxPages: 20, MaxChunk: 1 << 24})
		if err != nil {
			return
		}
		for i := range min(file.Pages()+file.SubIFDs(), 5) {
			p, err := file.Page(i)
			if err != nil || p.Width*p.Height*int64(p.Channels) > 1<<20 {
				continue
			}
			whole, err := read(p, 0, 0, int(p.Width), int(p.Height), 7)
			if err != nil || p.Width < 2 || p.Height < 2 {
				continue
			}
			part, err := read(p, 1, 1, int(p.Width)-1, int(p.Height)-1, 3)
			if err != nil {
				t.Fatalf("the whole page reads, its lower right part does not: %v", err)
			}
			n := (int(p.Width) - 1) * p.Channels
			for y := 1; y < int(p.Height); y++ {
				for k := range n {
					a, b := whole[y*(n+p.Channels)+p.Channels+k], part[(y-1)*n+k]
					if a != b && (a == a || b == b) {
						t.Fatalf("row %d, sample %d is %v in the whole page and %v in its part", y, k, a, b)
					}
				}
			}
		}
	})
}

// fuzzSeeds are small files of every kind.
func fuzzSeeds(t testing.TB) (out [][]byte) {
	v := make([]uint64, 20*9*3)
	for i := range v {
		v[i] = uint64(i*i) % 251
	}
	n := 0
	for _, comp := range []int{1, 5, 8, 32773, 50000} {
		for _, size := range [][2]int{{0, 4}, {16, 16}} {
			for _, nbits := range []int{8, 16, 32} {
				e := encoding{comp: comp, predictor: 1, order: binary.LittleEndian, tw: size[0], th: size[1], planar: n%2 == 1}
				if n%3 == 0 && comp != 1 && comp != 32773 {
					e.predictor = 2
				}
				page := encode(t, e, 20, 9, 1+n%3, nbits, v)
				out = append(out, tifftest.Build(tifftest.File{Big: n%4 == 3, Pages: []tifftest.Page{page, page}}))
				n++
			}
		}
	}
	rows := [][]byte{{0, 1, 1, 0, 0, 1, 1, 1, 0, 0}, {0, 1, 1, 1, 0, 1, 1, 0, 0, 0}, {1, 1, 0, 0, 0, 0, 0, 0, 0, 0}}
	for mode, comp := range map[faxMode]int{faxRLE: 2, fax3Rows: 3, fax3Mixed: 3, fax4: 4} {
		page := tifftest.Page{Tags: map[uint16]any{256: 10, 257: 3, 258: 1, 259: comp, 262: 0, 278: 3, 292: b2i(mode == fax3Mixed)},
			Chunks: [][]byte{encodeFax(rows, mode, false, false)}}
		out = append(out, tifftest.Build(tifftest.File{Pages: []tifftest.Page{page}}))
	}
	for _, photo := range []int{0, 3, 5, 6, 8} {
		page := colourPage(photo, 4, 2, 1, 2, 3, 4, 5, 6, 7, 8).With(map[uint16]any{320: make([]uint16, 768), 338: 2})
		out = append(out, tifftest.Build(tifftest.File{Pages: []tifftest.Page{page}}))
	}
	return out
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
