package tiff

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

// findTiffcp finds tiffcp, or skips the test; SEGSCAN_REQUIRE_TOOLS=1 makes its absence a failure.
func findTiffcp(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("tiffcp")
	switch {
	case err == nil:
	case os.Getenv("SEGSCAN_REQUIRE_TOOLS") == "1":
		t.Fatalf("%v (Debian package libtiff-tools)", err)
	default:
		t.Skipf("%v (Debian package libtiff-tools); SEGSCAN_REQUIRE_TOOLS=1 makes this a failure", err)
	}
	return path
}

// TestLibtiff has libtiff's tiffcp, where it is installed, rewrite pictures in every way it knows, and reads the same
// samples from all of them.
func TestLibtiff(t *testing.T) {
	tiffcp := findTiffcp(t)
	rng := rand.New(rand.NewPCG(11, 12))
	const w, h = 67, 45
	sources := map[string]tifftest.Page{}
	for name, k := range map[string]struct{ spp, bits, photo, format int }{
		"gray 8": {1, 8, 1, 1}, "white 8": {1, 8, 0, 1}, "gray 16": {1, 16, 1, 1}, "signed 16": {1, 16, 1, 2}, "rgb 8": {3, 8, 2, 1},
		"rgb 16": {3, 16, 2, 1}, "float": {1, 32, 1, 3}, "double": {1, 64, 1, 3}, "cmyk": {4, 8, 5, 1}, "unsigned 32": {1, 32, 1, 1},
		"black 1": {1, 1, 1, 1}, "white 1": {1, 1, 0, 1}, "gray 4": {1, 4, 1, 1},
	} {
		v := make([]uint64, w*h*k.spp)
		for i := range v {
			v[i] = uint64(i/k.spp%w*3+i/w/k.spp*5+rng.IntN(3)) % (1 << min(k.bits, 40))
			switch {
			case k.bits == 1:
				v[i] = uint64(i/5%w/3+i/w/4) % 2
			case k.format == 3 && k.bits == 32:
				v[i] = uint64(math.Float32bits(float32(v[i]) / 7))
			case k.format == 3:
				v[i] = math.Float64bits(float64(v[i]) / 7)
			}
		}
		var raw []byte
		for y := range h {
			raw = append(raw, pack(binary.LittleEndian, k.bits, v[y*w*k.spp:(y+1)*w*k.spp]...)...)
		}
		sources[name] = tifftest.Page{Tags: map[uint16]any{256: w, 257: h, 258: repeated16(k.spp, k.bits), 259: 1, 262: k.photo, 277: k.spp,
			278: h, 284: 1, 339: repeated16(k.spp, k.format)}, Chunks: [][]byte{raw}}
	}
	ways := []string{"-c none", "-c packbits", "-c lzw", "-c lzw:2", "-c zip", "-c zip:2", "-c zip:3", "-c zstd:2", "-c g3:1d", "-c g3:2d",
		"-c g3:1d:fill", "-c g3:2d:fill", "-c g4"}
	forms := []string{"", "-B", "-L", "-8", "-f lsb2msb", "-r 7", "-t -w 16 -l 32", "-p separate", "-p separate -t -w 32 -l 16 -B", "-r 5 -f lsb2msb -B"}
	dir, checked, tried := t.TempDir(), 0, 0
	for name, page := range sources {
		in := filepath.Join(dir, "in.tif")
		if err := os.WriteFile(in, tifftest.Build(tifftest.File{Pages: []tifftest.Page{page}}), 0o600); err != nil {
			t.Fatal(err)
		}
		want := readAll(t, onePage(t, page))
		for i, way := range ways {
			for j, form := range forms {
				// libtiff 4.5 cannot read back what it writes with a floating-point predictor in the order that is
				// not the machine's, so that there is nothing to compare with.
				if tried++; (i+j+tried/len(ways)/len(forms))%3 != 0 || way == "-c zip:3" && strings.Contains(form, "-B") {
					continue // a third of all combinations, others for each picture
				}
				out := filepath.Join(dir, "out.tif")
				args := append(strings.Fields(way+" "+form), in, out)
				if msg, err := exec.Command(tiffcp, args...).CombinedOutput(); err != nil || len(msg) > 0 {
					continue // not every scheme takes every kind of sample
				}
				data, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				checkSamples(t, name+" "+way+" "+form, readAll(t, pageOf(t, data)), want)
				checked++
			}
		}
	}
	t.Logf("%d files checked", checked)
	if checked < 200 {
		t.Errorf("tiffcp wrote %d files, expected at least 200", checked)
	}
}

func repeated16(n, v int) []uint16 {
	out := make([]uint16, n)
	for i := range out {
		out[i] = uint16(v)
	}
	return out
}

// TestLibtiffLossy decodes JPEG and WebP data as libtiff does, to a few levels.
func TestLibtiffLossy(t *testing.T) {
	tiffcp := findTiffcp(t)
	const w, h = 67, 45
	dir, checked := t.TempDir(), 0
	for name, k := range map[string]struct{ spp, photo int }{"gray": {1, 1}, "white": {1, 0}, "rgb": {3, 2}, "cmyk": {4, 5}, "rgba": {4, 2}} {
		raw := make([]byte, w*h*k.spp)
		for i := range raw {
			x, y := i/k.spp%w, i/k.spp/w
			raw[i] = byte(100 + 60*math.Sin(float64(x+i%k.spp*9)/9) + 60*math.Cos(float64(y)/7))
		}
		page := tifftest.Page{Tags: map[uint16]any{256: w, 257: h, 258: repeated16(k.spp, 8), 259: 1, 262: k.photo, 277: k.spp,
			278: h, 284: 1}, Chunks: [][]byte{raw}}
		if name == "rgba" {
			page = page.With(map[uint16]any{338: 2})
		}
		in, out, back := filepath.Join(dir, "in.tif"), filepath.Join(dir, "out.tif"), filepath.Join(dir, "back.tif")
		if err := os.WriteFile(in, tifftest.Build(tifftest.File{Pages: []tifftest.Page{page}}), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, way := range []string{"-c jpeg:90 -r 16", "-c jpeg:90 -t -w 32 -l 32", "-c jpeg:r:90", "-c jpeg:90 -p separate", "-c webp:90", "-c webp:90 -t -w 32 -l 16"} {
			if msg, err := exec.Command(tiffcp, append(strings.Fields(way), in, out)...).CombinedOutput(); err != nil || len(msg) > 0 {
				continue
			}
			if exec.Command(tiffcp, "-c", "none", out, back).Run() != nil {
				continue
			}
			var v [2][]float64
			for i, f := range []string{out, back} {
				data, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				v[i] = readAll(t, pageOf(t, data))
			}
			sum := 0.0
			for i := range v[0] {
				d := math.Abs(v[0][i] - v[1][i])
				if sum += d; d > 6 {
					t.Fatalf("%s %s: sample %d is %v, libtiff has %v", name, way, i, v[0][i], v[1][i])
				}
			}
			if mean := sum / float64(len(v[0])); mean > 0.7 {
				t.Errorf("%s %s: mean difference %.2f", name, way, mean)
			}
			checked++
		}
	}
	t.Logf("%d files checked", checked)
	if checked < 10 {
		t.Errorf("tiffcp wrote %d files, expected at least 10", checked)
	}
}
