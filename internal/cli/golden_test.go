package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"segscan/samples"
	"segscan/viz"
)

const goldenDir = "../../samples/golden"

// readable are the samples whose records are kept whole, for people to read; of the others, and of every overlay, a
// digest is kept.
var readable = []string{"signal.png", "spectrogram.png"}

// The README's main job, on the samples, gives the records and the pictures in samples/golden.
func TestGoldenSamples(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	in := filepath.Join(t.TempDir(), "samples")
	if err := os.CopyFS(in, samples.Files()); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := Run([]string{in, "-o", out}, strings.NewReader(""), &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d:\n%s", code, &stderr)
	}
	got := map[string][]byte{"summary.csv": readFile(t, filepath.Join(out, "summary.csv"))}
	for _, name := range readable {
		got[name+".segments.csv"] = readFile(t, filepath.Join(out, name+".segments.csv"))
	}
	got["digests.txt"] = []byte(digests(t, out))
	got["styles.txt"] = []byte(styleDigests(t, in))
	if *update {
		writeGolden(t, got)
		return
	}
	for name, g := range got {
		if want := readFile(t, filepath.Join(goldenDir, name)); !bytes.Equal(g, want) {
			t.Errorf("%s: %s", name, firstLineDiffering(string(g), string(want)))
		}
	}
	entries, err := os.ReadDir(goldenDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, used := got[e.Name()]; !used {
			t.Errorf("samples/golden/%s is used by no test", e.Name())
		}
		if info, err := e.Info(); err != nil || info.Size() > 64<<10 {
			t.Errorf("samples/golden/%s: over 64 KiB or unreadable (%v)", e.Name(), err)
		}
	}
}

// digests has one line for each record file and overlay of out: sha256 of the records' bytes, or of the overlay's
// decoded pixels, so that another PNG encoder changes nothing.
func digests(t *testing.T, out string) string {
	t.Helper()
	names, err := fs.Glob(samples.Files(), "*")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, n := range names {
		records := readFile(t, filepath.Join(out, n+".segments.csv"))
		lines = append(lines, fmt.Sprintf("%x  %s.segments.csv", sha256.Sum256(records), n))
		img, err := png.Decode(bytes.NewReader(readFile(t, filepath.Join(out, n+".overlay.png"))))
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		lines = append(lines, fmt.Sprintf("%x  %s.overlay pixels", pixelDigest(img), n))
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i][66:] < lines[j][66:] })
	return strings.Join(lines, "\n") + "\n"
}

// styleDigests has one line for each look, palette and size of one sample's picture.
func styleDigests(t *testing.T, in string) string {
	t.Helper()
	var flags []string
	for _, s := range viz.Looks() {
		flags = append(flags, "--style "+s)
	}
	for _, p := range viz.Palettes() {
		flags = append(flags, "--palette "+p)
	}
	flags = append(flags, "--spans all", "--axis cols", "--style outline --axis cols", "--style classes --axis cols", "--max-size 100",
		"--stretch none", "--stretch 5%", "--stretch 1000,3000", "--roi 10,20,200,100 --style side")
	var lines []string
	for _, f := range flags {
		out := filepath.Join(t.TempDir(), "out")
		var stdout, stderr bytes.Buffer
		args := append(strings.Fields(f), "--records", "none", "-o", out, filepath.Join(in, "cells.tif"))
		if code := Run(args, strings.NewReader(""), &stdout, &stderr); code != 0 {
			t.Fatalf("%s: exit %d:\n%s", f, code, &stderr)
		}
		img, err := png.Decode(bytes.NewReader(readFile(t, filepath.Join(out, "cells.tif.overlay.png"))))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		lines = append(lines, fmt.Sprintf("%x  cells.tif %s", pixelDigest(img), f))
	}
	return strings.Join(lines, "\n") + "\n"
}

// pixelDigest is of width, height and the RGB of every pixel by rows.
func pixelDigest(img image.Image) []byte {
	h := sha256.New()
	r := img.Bounds()
	fmt.Fprintf(h, "%d %d\n", r.Dx(), r.Dy())
	row := make([]byte, 3*r.Dx())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := range r.Dx() {
			c := color.RGBAModel.Convert(img.At(r.Min.X+x, y)).(color.RGBA)
			row[3*x], row[3*x+1], row[3*x+2] = c.R, c.G, c.B
		}
		h.Write(row)
	}
	return h.Sum(nil)
}

func TestPixelDigestSeesOnePixel(t *testing.T) {
	a := image.NewGray(image.Rect(0, 0, 31, 7))
	before := pixelDigest(a)
	a.Pix[6*a.Stride+30]++
	if bytes.Equal(before, pixelDigest(a)) {
		t.Error("a changed pixel left the digest as it was")
	}
}

func firstLineDiffering(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: got %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(g), len(w))
}

func writeGolden(t *testing.T, files map[string][]byte) {
	t.Helper()
	if err := os.RemoveAll(goldenDir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(goldenDir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(goldenDir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
