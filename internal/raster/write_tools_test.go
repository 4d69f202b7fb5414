package raster

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// writeTool finds a program, or skips the test; SEGSCAN_REQUIRE_TOOLS=1 makes its absence a failure.
func writeTool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		lackTool(t, name)
	}
	return path
}

func lackTool(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("SEGSCAN_REQUIRE_TOOLS") == "1" {
		t.Fatalf("%s is not installed, and SEGSCAN_REQUIRE_TOOLS=1 requires it", what)
	}
	t.Skipf("%s is not installed; SEGSCAN_REQUIRE_TOOLS=1 makes this a failure", what)
}

// writeToolRun runs a program and returns what it said.
func writeToolRun(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", filepath.Base(name), args, err, out)
	}
	return string(out)
}

func writeToolFile(t *testing.T, dir, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// libtiff reads every form without a warning, and finds the compressed files equal to the uncompressed one, whose
// samples the round trips prove.
func TestTIFFWriterLibtiff(t *testing.T) {
	info, cmp := writeTool(t, "tiffinfo"), writeTool(t, "tiffcmp")
	r := rand.New(rand.NewPCG(30, 31))
	dir := t.TempDir()
	check := func(name string, m image.Image) {
		plain := writeToolFile(t, dir, name+".tif", tiffWriterBytes(t, nil, TIFFOptions{}, m))
		for i, o := range []TIFFOptions{
			{Size: TIFFBig}, {Compression: TIFFLZW}, {Compression: TIFFDeflate, Predictor: TIFFPredict, Size: TIFFBig},
			{Compression: TIFFDeflate, Predictor: TIFFPredictNone, Level: 1}, {Compression: TIFFZstd}, {Compression: TIFFLZW, Predictor: TIFFPredict},
		} {
			path := writeToolFile(t, dir, fmt.Sprintf("%s-%d.tif", name, i), tiffWriterBytes(t, r, o, m))
			// -D decodes every strip.
			if out := writeToolRun(t, info, "-D", path); strings.Contains(out, "Warning") || strings.Contains(out, "rror") {
				t.Errorf("%s %+v: tiffinfo: %s", name, o, out)
			}
			out, err := exec.Command(cmp, "-t", plain, path).CombinedOutput()
			if lines := strings.TrimSpace(writeToolIgnore(string(out))); lines != "" {
				t.Errorf("%s %+v: tiffcmp: %v\n%s", name, o, err, lines)
			}
		}
	}
	for _, model := range tiffWriterModels {
		if model != "palette-alpha" {
			check(model, tiffWriterImage(t, r, model, 301, 97))
		}
	}
	check("wide", tiffWriterImage(t, r, "rgb", 70000, 2))
	check("high", tiffWriterImage(t, r, "gray16", 2, 70000))
	check("bits", tiffWriterImage(t, r, "black-white", 70000, 9))
	// LZW that fills its table many times a strip.
	noise := image.NewGray(image.Rect(0, 0, 2000, 300))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(r.Uint32())
	}
	check("noise", noise)

	// The comparison finds a changed sample.
	a := writeToolFile(t, dir, "a.tif", tiffWriterBytes(t, nil, TIFFOptions{}, noise))
	noise.Pix[777]++
	b := writeToolFile(t, dir, "b.tif", tiffWriterBytes(t, nil, TIFFOptions{Compression: TIFFLZW}, noise))
	if out, _ := exec.Command(cmp, "-t", a, b).CombinedOutput(); strings.TrimSpace(writeToolIgnore(string(out))) == "" {
		t.Errorf("tiffcmp found no difference in a changed sample: %s", out)
	}
}

// writeToolIgnore drops what tiffcmp says of tags that are to differ. RowsPerStrip is one because libtiff cuts long
// uncompressed strips when it reads.
func writeToolIgnore(out string) string {
	var keep []string
	for _, l := range strings.Split(out, "\n") {
		switch tag, _, _ := strings.Cut(l, " "); tag {
		case "Compression:", "Predictor:", "Predictor", "RowsPerStrip:":
		default:
			keep = append(keep, l)
		}
	}
	return strings.Join(keep, "\n")
}

// writePython finds an interpreter that has OpenCV.
func writePython(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import cv2").Run() == nil {
			return name
		}
	}
	lackTool(t, "a python3 with OpenCV")
	return ""
}

// OpenCV reads all, and the samples it sees are those that were written.
func TestWritersOpenCV(t *testing.T) {
	py := writePython(t)
	r := rand.New(rand.NewPCG(32, 33))
	dir := t.TempDir()
	type file struct {
		name string
		m    image.Image
	}
	var files []file
	add := func(name string, m image.Image, b []byte) {
		files = append(files, file{writeToolFile(t, dir, name, b), m})
	}
	sizes := map[string][2]int{"small": {37, 23}, "wide": {70000, 2}, "high": {2, 70000}}
	for size, wh := range sizes {
		for _, model := range []string{"gray", "gray16", "rgb", "rgb48", "nrgba", "palette2", "palette16", "palette256", "black-white"} {
			m := tiffWriterImage(t, r, model, wh[0], wh[1])
			add(size+model+".png", m, pngWriterBytes(t, m, PNGOptions{Workers: 2}, []int{wh[1]}))
			if n, ok := m.(*image.NRGBA); ok {
				// OpenCV has libtiff multiply colours by alpha, so only an opaque image shows what the file holds.
				n = &image.NRGBA{Pix: bytes.Clone(n.Pix), Stride: n.Stride, Rect: n.Rect}
				for i := 3; i < len(n.Pix); i += 4 {
					n.Pix[i] = 255
				}
				m = n
			}
			for _, c := range tiffWriterCompressions {
				add(fmt.Sprintf("%s%s-%d.tif", size, model, c), m, tiffWriterBytes(t, r, TIFFOptions{Compression: c, Size: TIFFSize(r.IntN(3))}, m))
			}
		}
		m := NewFloat32(image.Rect(0, 0, wh[0], wh[1]))
		for i := range m.Pix {
			m.Pix[i] = r.Float32()
		}
		add(size+"float.tif", m, tiffWriterBytes(t, r, TIFFOptions{}, m))
		add(size+"float-8.tif", m, tiffWriterBytes(t, r, TIFFOptions{Compression: TIFFDeflate}, m))
	}
	for _, kind := range []string{"text", "scan"} {
		m := benchOverlay(kind, 1500, 700)
		add("overlay-"+kind+".png", m, pngWriterBytes(t, m, PNGOptions{Workers: 2}, []int{700}))
	}
	const script = `
import sys, cv2, numpy as np
for name in sys.stdin.read().split("\n"):
    a = cv2.imread(name, cv2.IMREAD_UNCHANGED)
    if a is None:
        sys.exit("cannot read " + name)
    if a.ndim == 2: a = a[:, :, None]
    t = {"uint8": 1, "uint16": 2, "float32": 4}[str(a.dtype)]
    with open(name + ".raw", "wb") as f:
        f.write(np.array([a.shape[1], a.shape[0], a.shape[2], t], "<u4").tobytes()); f.write(np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<")).tobytes())
`
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	cmd := exec.Command(py, "-c", script)
	cmd.Stdin = strings.NewReader(strings.Join(names, "\n"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("opencv: %v\n%s", err, out)
	}
	for _, f := range files {
		if err := writeToolSame(f.name+".raw", f.m); err != nil {
			t.Errorf("%s: %v", filepath.Base(f.name), err)
		}
	}
}

// writeToolSame compares the raw samples that OpenCV read (gray, or blue, green, red and alpha) with an image.
func writeToolSame(path string, m image.Image) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	le := func(at, n int) (v uint32) {
		for i := range n {
			v |= uint32(raw[at+i]) << (8 * i)
		}
		return v
	}
	w, h, channels, size := int(le(0, 4)), int(le(4, 4)), int(le(8, 4)), int(le(12, 4))
	b := m.Bounds()
	if w != b.Dx() || h != b.Dy() || len(raw) != 16+w*h*channels*size {
		return fmt.Errorf("%d x %d, want %d x %d", w, h, b.Dx(), b.Dy())
	}
	for y := range h {
		for x := range w {
			at := 16 + (y*w+x)*channels*size
			want := tiffWriterWant(m, x, y)
			if p, ok := m.(*image.Paletted); ok {
				c := color.NRGBAModel.Convert(p.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
				want = []uint32{uint32(c.R), uint32(c.G), uint32(c.B)}
				if channels == 1 && c.R == c.G && c.G == c.B {
					want = want[:1]
				}
			}
			if channels != len(want) {
				return errors.New(fmt.Sprint(channels, " channels, want ", len(want)))
			}
			if channels >= 3 {
				want[0], want[2] = want[2], want[0]
			}
			for c, v := range want {
				if g := le(at+c*size, size); g != v {
					return fmt.Errorf("sample %d of (%d,%d): got %d, want %d", c, x, y, g, v)
				}
			}
		}
	}
	return nil
}
