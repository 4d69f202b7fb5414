package raster

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// Every hostile PNG ends in an error, but for the one that only lacks its end: it may be read with a warning.
func TestHostileCorpusPNG(t *testing.T) {
	dir := corpusDir(t)
	files, err := filepath.Glob(filepath.Join(dir, "hostile", "*.png"))
	if err != nil || len(files) < 7 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, warnings, err := readAll(data, Options{})
		if strings.HasSuffix(f, "invalid-noend.png") {
			if err != nil || len(warnings) != 1 {
				t.Errorf("%s: %v, warnings %q", f, err, warnings)
			}
		} else if err == nil {
			t.Errorf("%s was read, with warnings %q", f, warnings)
		}
	}
}

// allocated gives the bytes f allocates in all, freed or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Small files that claim to be huge are refused before anything of that size is allocated.
func TestHugeClaimsAllocateNothing(t *testing.T) {
	tiny := pngChunk("IDAT", deflated(make([]byte, 100)))
	end := pngChunk("IEND", nil)
	for _, c := range []struct {
		name, want string
		limit      int64
		head       []byte
	}{
		{"over the limit", "image is 70000 x 70000 (4.9 Gpx), above the limit of 2 Gpx (--max-pixels)", 0, pngHeader(70000, 70000, 8, 0, 0)},
		{"far over", "above the limit", 0, pngHeader(1<<31-1, 1<<31-1, 16, 6, 0)},
		{"under it", "bytes cannot hold an image of 40000 x 40000", 0, pngHeader(40000, 40000, 16, 6, 0)},
		{"one line", "bytes cannot hold an image of 1900000000 x 1", 0, pngHeader(1_900_000_000, 1, 8, 2, 0)},
		{"interlaced", "bytes cannot hold an image of 40000 x 40000", 0, pngHeader(40000, 40000, 8, 2, 1)},
		{"limit lifted", "bytes cannot hold", 1 << 62, pngHeader(1<<31-1, 1<<31-1, 16, 6, 1)},
	} {
		file := pngFile(c.head, tiny, end)
		var err error
		n := allocated(func() { _, _, err = readAll(file, Options{MaxPixels: c.limit}) })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if n > 4<<20 {
			t.Errorf("%s: %d bytes were allocated", c.name, n)
		}
	}
}

// A bomb (81 MB of zeros in 80 KB) is read in bands without its size in memory, plain or interlaced, and one that
// breaks off ends in an error in the same memory.
func TestBombsStayInBounds(t *testing.T) {
	const w, h = 9000, 9000
	for _, interlace := range []int{0, 1} {
		rows := h
		size := w + 1
		if interlace == 1 {
			rows, size = 1, w*h+2*h // at least as many bytes as all passes take
		}
		data := deflated(make([]byte, rows*size))
		for _, cut := range []int{0, len(data) / 3} {
			file := pngFile(pngHeader(w, h, 8, 0, interlace), pngChunk("IDAT", data[:len(data)-cut]), pngChunk("IEND", nil))
			r, err := openBytes(file, Options{})
			if err != nil {
				if cut == 0 {
					t.Fatal(err)
				}
				continue // refused as too short already
			}
			p, err := r.Page(0)
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			n := allocated(func() {
				for b, e := range p.Bands(t.Context(), Request{MaxBytes: 1 << 20}) {
					if err = e; e == nil {
						seen += b.Lines
					}
					if interlace == 1 && seen > 0 {
						break // every part of an interlaced image takes all passes
					}
				}
			})
			if (err != nil) != (cut > 0) || cut == 0 && interlace == 0 && seen != h {
				t.Errorf("interlace %d, %d bytes cut: %d lines, %v", interlace, cut, seen, err)
			}
			if limit := uint64(8<<20 + interlacedBytes*interlace); n > limit {
				t.Errorf("interlace %d: %d bytes were allocated, at most %d allowed", interlace, n, limit)
			}
		}
	}
}

// Every truncation and every flipped byte of small files ends in an error, a warning or the right size: never in a
// panic, which would read "internal error".
func TestDamageNeverPanics(t *testing.T) {
	var files [][]byte
	for _, k := range []pngKind{{1, 0, 0, true}, {4, 3, 1, true}, {8, 2, 0, true}, {16, 6, 1, false}} {
		files = append(files, k.make(newRand(9), 9, 7, 40))
	}
	files = append(files, encodeJPEG(t, photo(9, 9, true)))
	for _, file := range files {
		for i := range file {
			flip := bytes.Clone(file)
			flip[i] ^= byte(1 + i*37%255)
			for _, data := range [][]byte{file[:i], flip} {
				if _, _, err := readAll(data, Options{MaxPixels: 1e6}); err != nil && strings.Contains(err.Error(), "internal error") {
					t.Fatalf("byte %d: %v", i, err)
				}
			}
		}
	}
}
