package batch

import (
	"image"
	"math"
	"strconv"
	"strings"
	"testing"

	"segscan/segment"
)

// TestSubsampleOfLocalByHand: under windows of three, with the border repeated, the means of 12 60 90 30 9 70 20 are 28,
// 54, 60, 43, 109/3, 33 and 110/3, so that v - T is -16, 6, 30, -13, -82/3, 37 and -50/3.
func TestSubsampleOfLocalByHand(t *testing.T) {
	page := float([]float32{12, 60, 90, 30, 9, 70, 20})
	for _, c := range []struct {
		spec string
		how  func(*Config)
		want string
	}{
		// 16/22; 3 - 13/43; 4 + 82/193; 6 - 50/161
		{"localmean:window=3", func(*Config) {}, "0,3,,0.727273,2.697674 4,6,,4.42487,5.689441"},
		{"localmean:window=3", func(c *Config) { c.Refine.MergeGap = 1 }, "0,6,,0.727273,5.689441"},
		{"localmean:window=3", func(c *Config) { c.AllSpans = true }, "0,3,,1,0.727273,2.697674 4,6,,1,4.42487,5.689441"},
		{"localmean:window=3", func(c *Config) { c.PixelSize = PixelSize{Size: 3, Unit: "um"} },
			"0,3,,0.727273,2.697674,0,12,5.911206,um 4,6,,4.42487,5.689441,12,9,3.793713,um"},
		{"localmean:window=3", func(c *Config) { c.Edges = segment.EdgesKeep }, "0,3,,0.727273,2.697674 4,6,,4.42487,5.689441"},
		// Boundaries are v > T + 2: v - T - 2 is 28 and -15, and 35 and -88/3, so 2 + 28/43 and 5 - 105/193.
		{"localmean:window=3,margin=2", func(c *Config) { c.KernelOptions.Invert = true }, "2,5,,2.651163,4.455959"},
	} {
		cfg := config(t, put(t, t.TempDir(), "a.tif", []byte("a fake")))
		cfg.Open, cfg.Overlay, cfg.Subsample = fakePages(page).open, "none", true
		cfg.Kernel = kernel(t, strings.Replace(c.spec, "window=3", "window=3x1", 1))
		c.how(cfg)
		succeed(t, cfg)
		var got []string
		for _, row := range strings.Split(strings.TrimSpace(read(t, cfg.Out, "a.tif.segments.csv")), "\n")[1:] {
			f := strings.Split(row, ",")
			got = append(got, strings.Join(append(f[3:5:5], f[10:]...), ","))
		}
		wantText(t, c.spec, strings.Join(got, " "), c.want)
	}
}

// turnedImage is the image with rows and columns exchanged.
func turnedImage(img *image.Gray) *image.Gray {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	v := turned(segment.Plane{U8: img.Pix, Lines: h, Samples: w, Stride: img.Stride})
	return &image.Gray{Pix: v.U8, Stride: v.Stride, Rect: image.Rect(0, 0, h, w)}
}

// TestSubsampleOfLocalIgnoresBands: crossings are the same whatever the bands and jobs, in the columns of a page as in the
// rows of the page turned, and in regions, beyond which the samples lie in the windows as they are; each lies between the end and its neighbour.
func TestSubsampleOfLocalIgnoresBands(t *testing.T) {
	img := noisy(61, 47)
	for _, spec := range []string{"localmean:window=7", "localgaussian:window=7", "localmedian:window=7,smooth=0.6", "niblack:window=7",
		"sauvola:window=7,k=0.1,baseline=median:21", "wolf:window=7", "phansalkar:window=7,margin=1", "bernsen:window=7", "contrast:window=7,smooth=1"} {
		for _, invert := range []bool{false, true} {
			records := func(img *image.Gray, axis segment.Axis, bytes int64, jobs int, roi *image.Rectangle) []string {
				cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
				cfg.Kernel, cfg.Axis, cfg.Subsample, cfg.Overlay, cfg.MaxBytes, cfg.Jobs = kernel(t, spec), axis, true, "none", bytes, jobs
				cfg.KernelOptions.Invert, cfg.AllSpans, cfg.ROI = invert, true, roi
				succeed(t, cfg)
				got, _ := where(t, read(t, cfg.Out, "a.png.segments.csv"))
				return got
			}
			want := records(img, segment.Rows, 0, 1, nil)
			if len(want) < 20 {
				t.Errorf("%s: only %d spans", spec, len(want))
			}
			wantList(t, spec, records(img, segment.Rows, 61*3, 3, nil), want)
			if !strings.Contains(spec, "smooth") && !strings.Contains(spec, "baseline") {
				wantList(t, spec+", turned", records(turnedImage(img), segment.Cols, 47*3, 2, nil), want)
			}
			var inside []string
			for _, row := range want {
				checkBetween(t, spec, row)
				if line, _, _ := strings.Cut(row, " "); len(line) == 2 && line >= "20" && line < "35" {
					inside = append(inside, row)
				}
			}
			if spec == "localmean:window=7" || spec == "contrast:window=7,smooth=1" {
				wantList(t, spec+", a region", records(img, segment.Rows, 61*3, 1, &image.Rectangle{Min: image.Pt(0, 20), Max: image.Pt(61, 35)}), inside)
			}
		}
	}
}

// checkBetween checks that the last two fields lie less than a sample inside start and end; flat windows have none.
func checkBetween(t *testing.T, spec, row string) {
	t.Helper()
	f := strings.Split(row, " ")
	for i, side := range []float64{1, -1} {
		text := f[len(f)-2+i]
		if text == "" && strings.HasPrefix(spec, "bernsen") {
			continue
		}
		at, err := strconv.ParseFloat(text, 64)
		end, err2 := strconv.ParseFloat(f[1+i], 64)
		if in := (at - end) * side; err != nil || err2 != nil || in < 0 || in > 1 || math.IsNaN(in) {
			t.Errorf("%s: %q: %v, %v", spec, row, err, err2)
		}
	}
}
