package raster

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// peerPage is a page as libvips (Debian: libvips-tools) reads it: interleaved samples.
type peerPage struct {
	w, h, bands int
	format      string // uchar, ushort, float, ...
	space       string // b-w, grey16, srgb, rgb16, multiband, cmyk, lab, ...
	data        []byte
}

var peerHeader = regexp.MustCompile(`: (\d+)x(\d+) (\w+), (\d+) bands?, ([\w-]+)`)

// readPeer gives a page by libvips, or its reason not to.
func readPeer(t *testing.T, path string, page int) (*peerPage, error) {
	t.Helper()
	from := fmt.Sprintf("%s[page=%d]", path, page)
	text, err := exec.Command("vipsheader", from).CombinedOutput()
	m := peerHeader.FindStringSubmatch(string(text))
	if err != nil || m == nil {
		return nil, fmt.Errorf("vipsheader: %s", text)
	}
	p := &peerPage{format: m[3], space: m[5]}
	for i, at := range map[int]*int{1: &p.w, 2: &p.h, 4: &p.bands} {
		*at, _ = strconv.Atoi(m[i]) // digits by the pattern
	}
	out := filepath.Join(t.TempDir(), "raw")
	if text, err := exec.Command("vips", "rawsave", from, out).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("vips rawsave: %s", text)
	}
	p.data, err = os.ReadFile(out)
	return p, err
}

// sample is value i of the interleaved samples.
func (p *peerPage) sample(i int) float64 {
	switch p.format {
	case "uchar":
		return float64(p.data[i])
	case "char":
		return float64(int8(p.data[i]))
	case "ushort":
		return float64(binary.NativeEndian.Uint16(p.data[2*i:]))
	case "short":
		return float64(int16(binary.NativeEndian.Uint16(p.data[2*i:])))
	case "uint":
		return float64(float32(binary.NativeEndian.Uint32(p.data[4*i:])))
	case "int":
		return float64(float32(int32(binary.NativeEndian.Uint32(p.data[4*i:]))))
	case "float":
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(p.data[4*i:])))
	case "double":
		return float64(float32(math.Float64frombits(binary.NativeEndian.Uint64(p.data[8*i:]))))
	}
	return math.NaN()
}

// gray is pixel i in gray, by the arithmetic of Go's gray models on the first three bands of colour, alpha left out.
// ok is false for spaces in which the two readers do not mean the same.
func (p *peerPage) gray(i int) (v float64, ok bool) {
	first := p.bands * i
	switch {
	case p.space == "b-w" || p.space == "grey16" || p.space == "multiband" && p.bands == 1:
		return p.sample(first), true
	case p.bands < 3:
		return 0, false
	case p.space == "srgb" && p.format == "uchar":
		r, g, b := uint32(p.sample(first))*0x101, uint32(p.sample(first+1))*0x101, uint32(p.sample(first+2))*0x101
		return float64((19595*r + 38470*g + 7471*b + 1<<15) >> 24), true
	case p.space == "rgb16" && p.format == "ushort":
		r, g, b := uint32(p.sample(first)), uint32(p.sample(first+1)), uint32(p.sample(first+2))
		return float64((19595*r + 38470*g + 7471*b + 1<<15) >> 16), true
	}
	return 0, false
}

// dividesAlpha are the files with associated alpha: libvips divides colours by it, here they are taken as stored.
var dividesAlpha = map[string]bool{associated16: true, "pillow-pil136.tiff": true}

// TestPeerTIFF holds every page of the corpus' TIFF files, sample by sample, against an independent reader.
func TestPeerTIFF(t *testing.T) {
	dir := filepath.Join(corpusDir(t), "images")
	writeTool(t, "vips") // Debian: libvips-tools, with vipsheader
	lossy := map[string]bool{}
	var cases []struct{ File string }
	readJSON(t, filepath.Join(corpusDir(t), "lossy.json"), &cases)
	for _, c := range cases {
		lossy[c.File] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, e := range entries {
		if !isTIFF(e.Name()) {
			continue
		}
		if dividesAlpha[e.Name()] {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) { compared += comparePeer(t, filepath.Join(dir, e.Name()), lossy[e.Name()]) })
	}
	t.Logf("%d pages compared", compared)
	if compared < 120 {
		t.Errorf("compared %d pages, want at least 120", compared)
	}
}

// comparePeer compares the pages of a file and counts those compared.
func comparePeer(t *testing.T, path string, lossy bool) (compared int) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	rd, err := Open(f, info.Size(), "x", Options{Alpha: AlphaIgnore})
	if err != nil {
		t.Skip("refused here: ", err)
	}
	defer rd.Close()
	for n := range rd.Pages() {
		peer, err := readPeer(t, path, n)
		if err != nil {
			t.Logf("page %d: %v", n, err)
			continue
		}
		page, err := rd.Page(n)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := bodyLines(page, Request{})
		if err != nil {
			t.Logf("page %d is refused here: %v", n, err)
			continue
		}
		if _, ok := peer.gray(0); !ok {
			t.Logf("page %d: %d bands of %s in %s are not compared", n, peer.bands, peer.format, peer.space)
			continue
		}
		if len(lines) != peer.h || len(lines[0]) != peer.w {
			t.Fatalf("page %d: %d x %d, the peer says %d x %d", n, len(lines[0]), len(lines), peer.w, peer.h)
		}
		comparePixels(t, n, lines, peer, lossy)
		compared++
	}
	return compared
}

// comparePixels wants equality, or, of lossy codecs, what the corpus allows: 16 levels at most and 1 in the mean.
func comparePixels(t *testing.T, page int, lines [][]float64, peer *peerPage, lossy bool) {
	t.Helper()
	var sum, most float64
	for y, line := range lines {
		for x, got := range line {
			want, _ := peer.gray(y*peer.w + x)
			d := math.Abs(got - want)
			if !lossy && d != 0 && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Fatalf("page %d, pixel (%d, %d): %v, the peer says %v (%s, %s)", page, x, y, got, want, peer.format, peer.space)
			}
			sum, most = sum+d, max(most, d)
		}
	}
	if mean := sum / float64(peer.w*peer.h); lossy && (most > 16 || mean > 1) {
		t.Errorf("page %d: %.2f off in the mean and %v at most", page, mean, most)
	}
}
