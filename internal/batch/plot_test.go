package batch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segscan/segment"
	"segscan/viz"
)

var allPlots = []Plot{{Kind: PlotProfile, Line: 1}, {Kind: PlotHistogram}, {Kind: PlotLengths}, {Kind: PlotLines}}

func TestPlotsAreNamedAndDrawn(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("01012010", "12121000", "10012221"))))
	cfg.Plots = allPlots
	sum := succeed(t, cfg)
	names := []string{
		"a.png.histogram.png", "a.png.lengths.png", "a.png.lines.png", "a.png.overlay.png", "a.png.profile-1.png",
		"a.png.segments.csv", "summary.csv",
	}
	wantList(t, "files", tree(t, cfg.Out), names)
	if len(sum.Outputs) != len(names) {
		t.Errorf("%d outputs are reported of %d", len(sum.Outputs), len(names))
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".png") {
			if _, err := png.Decode(strings.NewReader(read(t, cfg.Out, name))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// As text, the plots of columns 0 to 5 in steps of many and of few: the same, and saying what they should.
func TestPlotsDoNotDependOnBands(t *testing.T) {
	img := noise(37, 23, 5)
	plots := func(maxBytes int64, axis segment.Axis) map[string]string {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
		r := image.Rect(2, 1, 30, 20)
		cfg.Plots, cfg.PlotFormat, cfg.MaxBytes, cfg.Axis, cfg.ROI = append([]Plot{{Kind: PlotProfile, Line: 19}}, allPlots[1:]...), "svg", maxBytes, axis, &r
		cfg.Kernel = kernel(t, "otsu")
		succeed(t, cfg)
		all := map[string]string{}
		for _, name := range tree(t, cfg.Out) {
			if strings.HasSuffix(name, ".svg") {
				all[name] = read(t, cfg.Out, name)
			}
		}
		return all
	}
	for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
		want := plots(0, axis)
		if len(want) != 4 {
			t.Fatalf("%d plots", len(want))
		}
		line := "row"
		if axis == segment.Cols {
			line = "column"
		}
		if !strings.Contains(want["a.png.profile-19.svg"], "a.png, "+line+" 19: ") || !strings.Contains(want["a.png.histogram.svg"], "532 samples") {
			t.Errorf("%s: titles are wrong", line)
		}
		for name, got := range plots(64, axis) {
			if got != want[name] {
				t.Errorf("%s of a %s depends on the bands", name, line)
			}
		}
	}
}

func TestProfileOutsideThePageFailsThatFile(t *testing.T) {
	for line, ok := range map[int64]bool{0: false, 1: true, 2: true, 3: false} {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("121", "121", "121", "121"))))
		r := image.Rect(0, 1, 3, 3)
		cfg.ROI, cfg.Plots = &r, []Plot{{Kind: PlotProfile, Line: line}}
		sum, _ := run(t, cfg)
		if (len(sum.Failed) == 0) != ok {
			t.Errorf("row %d: %v", line, sum.Failed)
		}
		if !ok {
			wantText(t, "error", sum.Failed[0].Error(), fmt.Sprintf("a.png: there is no row %d to plot: there are 1 to 2; see --plot", line))
			wantList(t, "files", tree(t, cfg.Out), nil)
		}
	}
}

// Plots are planned like any output: found before work, replaced as asked; a file that lacks one is done as a whole.
func TestPlotsThatExist(t *testing.T) {
	in := put(t, t.TempDir(), "a.png", encode(t, gray("121", "010")))
	cfg := config(t, in)
	cfg.Plots, cfg.Overlay, cfg.Records = allPlots[1:3], "none", "none"
	old := put(t, cfg.Out, "a.png.lengths.png", []byte("old"))
	_, err := NewPlan(context.Background(), cfg)
	var usage *UsageError
	if !errors.As(err, &usage) || !strings.Contains(usage.Msg, "a.png.lengths.png exists") {
		t.Fatalf("got %v", err)
	}
	cfg.SkipExisting = true
	succeed(t, cfg)
	if got := read(t, old); got == "old" {
		t.Error("a plot of another run was kept beside new ones")
	}
	put(t, cfg.Out, "a.png.lengths.png", []byte("kept"))
	if _, err := os.Stat(filepath.Join(cfg.Out, "a.png.histogram.png")); err != nil {
		t.Error("the one that was missing was not made")
	}
	if sum := succeed(t, cfg); sum.Skipped != 1 {
		t.Errorf("with all there, %d files were skipped", sum.Skipped)
	}
	if got := read(t, old); got != "kept" {
		t.Error("a plot of a file that is done was replaced")
	}
	cfg.SkipExisting, cfg.Overwrite = false, true
	succeed(t, cfg)
	if got := read(t, old); got == "kept" {
		t.Error("the plot was not replaced")
	}
}

// Two pages have plots each; a file named like a page's plot of another is refused.
func TestPlotsOfPages(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.tif", nil))
	cfg.Open = fakePages(bytesPage("12100", "00000"), bytesPage("00000", "12121")).open
	cfg.Plots, cfg.Overlay = []Plot{{Kind: PlotLines}}, "none"
	succeed(t, cfg)
	wantList(t, "files", tree(t, cfg.Out), []string{"a.tif.p0000.lines.png", "a.tif.p0001.lines.png", "a.tif.segments.csv", "summary.csv"})

	dir := t.TempDir()
	put(t, dir, "a.tif", nil)
	put(t, dir, "a.tif.p0001.png", nil)
	put(t, dir, "a.tif.p0001", nil)
	clash := config(t, filepath.Join(dir, "a.tif"), filepath.Join(dir, "a.tif.p0001"))
	clash.Plots, clash.Overlay = cfg.Plots, "none"
	if _, err := NewPlan(context.Background(), clash); err == nil || !strings.Contains(err.Error(), "would meet") {
		t.Errorf("got %v", err)
	}
}

// Thresholds of each line are those drawn over it.
func TestProfileShowsTheThresholdsOfItsLine(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("1210", "0200", "1210"))))
	most := 0
	cfg.Kernel = lineKernel{lines: &most}
	cfg.Plots, cfg.PlotFormat = []Plot{{Kind: PlotProfile, Line: 0}, {Kind: PlotProfile, Line: 1}}, "svg"
	succeed(t, cfg)
	for name, want := range map[string]string{"a.png.profile-0.svg": "127.5", "a.png.profile-1.svg": "175"} {
		if got := read(t, cfg.Out, name); !strings.Contains(got, ">v ≤ "+want+"<") {
			t.Errorf("%s lacks its threshold %s", name, want)
		}
	}
}

// Styles, reduction and legend arrive in the picture.
func TestPictureAsAsked(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("01012010", "12121000", "10012221"))))
	cfg.Style = viz.Mask
	succeed(t, cfg)
	img := picturePNG(t, cfg.Out, "a.png.overlay.png")
	white := 0
	for y := range 3 {
		for x := range 8 {
			if r, _, _, _ := img.At(x, y).RGBA(); r == 0xffff {
				white++
			}
		}
	}
	if white != 2+2+3 { // strictly inside [3,6]; [0,2], [2,4]; [3,7]
		t.Errorf("%d pixels are white", white)
	}
	for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
		for _, maxBytes := range []int64{0, 40} {
			cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, noise(400, 300, 3))))
			cfg.MaxSize, cfg.Legend, cfg.Style, cfg.Axis, cfg.MaxBytes = 100, true, viz.Classes, axis, maxBytes
			succeed(t, cfg)
			if b := picturePNG(t, cfg.Out, "a.png.overlay.png").Bounds(); b.Dx() != 200 || b.Dy() < 75+20 {
				t.Errorf("reduced with a legend: %v", b)
			}
		}
	}
}

// Classes of columns are those of rows of the transpose.
func TestClassesOfColumns(t *testing.T) {
	img := noise(37, 23, 5)
	flip := image.NewGray(image.Rect(0, 0, 23, 37))
	for y := range 23 {
		for x := range 37 {
			flip.SetGray(y, x, img.GrayAt(x, y))
		}
	}
	draw := func(img image.Image, axis segment.Axis, maxBytes int64) image.Image {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
		cfg.Style, cfg.Axis, cfg.MaxBytes = viz.Classes, axis, maxBytes
		succeed(t, cfg)
		return picturePNG(t, cfg.Out, "a.png.overlay.png")
	}
	for _, maxBytes := range []int64{0, 50} {
		got, want := draw(img, segment.Cols, maxBytes), draw(flip, segment.Rows, maxBytes)
		for y := range 23 {
			for x := range 37 {
				if got.At(x, y) != want.At(y, x) {
					t.Fatalf("pixel %d,%d is %v, in the transpose %v", x, y, got.At(x, y), want.At(y, x))
				}
			}
		}
	}
}
