package batch

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"segscan/kernels"
	"segscan/segment"
)

func picturePNG(t *testing.T, parts ...string) image.Image {
	t.Helper()
	img, err := png.Decode(strings.NewReader(read(t, parts...)))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// colours writes a picture as one letter a pixel: . where it is gray, a letter for each other colour as it comes.
func colours(img image.Image) string {
	var b strings.Builder
	seen := map[color.Color]byte{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, bl, _ := img.At(x, y).RGBA()
			if r == g && g == bl {
				b.WriteByte('.')
				continue
			}
			c := color.RGBA64Model.Convert(img.At(x, y))
			if _, ok := seen[c]; !ok {
				seen[c] = 'A' + byte(len(seen))
			}
			b.WriteByte(seen[c])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Boundaries A, tinted inside B (activation) and C (other); what is no segment stays gray.
func TestPictureMarksTheSegments(t *testing.T) {
	for _, maxBytes := range []int64{0, 8} {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("01012010", "12121000", "10012221"))))
		cfg.MaxBytes = maxBytes
		succeed(t, cfg)
		wantText(t, "picture", colours(picturePNG(t, cfg.Out, "a.png.overlay.png")),
			"...ABCA.\nABABA...\n...ABBBA\n")
	}
}

// The picture of the columns of an image is the picture of the rows of its transpose, transposed.
func TestPictureOfColumns(t *testing.T) {
	img := noise(37, 23, 5)
	flip := image.NewGray(image.Rect(0, 0, 23, 37))
	for y := range 23 {
		for x := range 37 {
			flip.SetGray(y, x, img.GrayAt(x, y))
		}
	}
	draw := func(img image.Image, axis segment.Axis, r image.Rectangle, maxBytes int64) image.Image {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
		cfg.Axis, cfg.AllSpans, cfg.Edges, cfg.ROI, cfg.MaxBytes = axis, true, segment.EdgesKeep, &r, maxBytes
		succeed(t, cfg)
		return picturePNG(t, cfg.Out, "a.png.overlay.png")
	}
	for _, maxBytes := range []int64{0, 40} {
		got := draw(img, segment.Cols, image.Rect(3, 2, 35, 21), maxBytes)
		want := draw(flip, segment.Rows, image.Rect(2, 3, 21, 35), maxBytes)
		if got.Bounds() != image.Rect(0, 0, 32, 19) || want.Bounds() != image.Rect(0, 0, 19, 32) {
			t.Fatalf("pictures of %v and %v: a region is drawn alone", got.Bounds(), want.Bounds())
		}
		for y := range 19 {
			for x := range 32 {
				if got.At(x, y) != want.At(y, x) {
					t.Fatalf("pixel %d,%d is %v, in the transpose %v", x, y, got.At(x, y), want.At(y, x))
				}
			}
		}
	}
}

// TIFF holds the same pixels. 16-bit samples are stretched, which takes a histogram.
func TestPictureAsTIFFAnd16Bits(t *testing.T) {
	img := image.NewGray16(image.Rect(0, 0, 8, 1))
	for x, v := range []uint16{1000, 5, 1010, 1200, 5, 1400, 1500, 1600} {
		img.SetGray16(x, 0, color.Gray16{Y: v})
	}
	pictures := map[string]image.Image{}
	for _, format := range []string{"png", "tiff"} {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
		cfg.Overlay = format
		succeed(t, cfg)
		content := read(t, cfg.Out, "a.png.overlay."+format)
		var err error
		if format == "png" {
			pictures[format], err = png.Decode(strings.NewReader(content))
		} else {
			pictures[format], err = tiff.Decode(bytes.NewReader([]byte(content)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// A page of one row is drawn 32 rows high.
	wantText(t, "picture", colours(pictures["png"]), strings.Repeat(".ABCA...\n", 32))
	for x := range 8 {
		a, b := pictures["png"].At(x, 0), pictures["tiff"].At(x, 0)
		if color.RGBA64Model.Convert(a) != color.RGBA64Model.Convert(b) {
			t.Errorf("pixel %d is %v in PNG, %v in TIFF", x, a, b)
		}
	}
	// 1600 is the brightest and white; 8-bit rules would show all of these as nearly black.
	if r, _, _, _ := pictures["png"].At(7, 0).RGBA(); r < 0xf000 {
		t.Errorf("the brightest sample is shown as %#x", r)
	}
}

func TestNoPicture(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("121"))))
	cfg.Overlay, cfg.Records = "none", "none"
	sum := succeed(t, cfg)
	wantList(t, "files", tree(t, cfg.Out), []string{"summary.csv"})
	wantList(t, "outputs", sum.Outputs, []string{filepath.Join(cfg.Out, "summary.csv")})
	if _, err := os.Stat(filepath.Join(cfg.Out, "a.png.overlay.png")); err == nil {
		t.Error("there is a picture")
	}
}

// Thresholds found from the image: bright is the activation. Five of eight samples are, so there is a hint.
func TestHintWhereMostIsActive(t *testing.T) {
	heard := func(spec string, change func(*Config)) (string, *Summary) {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("12222211"))))
		cfg.Kernel = kernel(t, spec)
		if change != nil {
			change(cfg)
		}
		sum, l := run(t, cfg)
		return strings.Join(l.lines, "\n"), sum
	}
	got, sum := heard("otsu", nil)
	wantText(t, "heard", got, "warn a.png: "+automaticWarning+"; "+automaticHint+"\ndone a.png")
	wantList(t, "warnings", sum.Rows[0].Warnings, []string{automaticWarning})
	got, _ = heard("otsu", func(c *Config) { c.KernelOptions.Invert = true })
	wantText(t, "heard with --invert", got, "done a.png")
	got, _ = heard("hysteresis:lo=10,hi=200", nil)
	wantText(t, "heard with constants", got, "done a.png")
}

// lineKernel takes the middle between the extremes of each line as its threshold: v <= t is boundary, v > t
// activation. It says of fine bins that it wants those of its coarse ones.
type lineKernel struct {
	kernels.Spec
	lines *int // the most lines ever bound at once
}

func (lineKernel) Needs() kernels.Needs                                       { return kernels.Needs{Histogram: true, PerLine: true} }
func (lineKernel) Filters() []segment.Filter                                  { return nil }
func (lineKernel) String() string                                             { return "middle" }
func (k lineKernel) FineBins(*segment.PageInfo, []segment.Histogram) []uint16 { return nil }

// Start implements kernels.Incremental.
func (k lineKernel) Start(_ *segment.PageInfo, o kernels.Options) kernels.Binding {
	return &lineBinding{lineKernel: k, t: segment.Thresholds{NaN: o.NaN}}
}

type lineBinding struct {
	lineKernel
	t segment.Thresholds
}

func (b *lineBinding) Add(h []segment.Histogram) error {
	*b.lines = max(*b.lines, len(h))
	for i := range h {
		m := (h[i].Min + h[i].Max) / 2
		b.t.Lo, b.t.Hi = append(b.t.Lo, m), append(b.t.Hi, m+1)
	}
	return nil
}

func (b *lineBinding) Finish() (segment.Classifier, kernels.Report, error) {
	return b.t, kernels.Report{Lo: b.t.Lo, Hi: b.t.Hi}, nil
}

// Every line has its own threshold, of the region's lines only, however the page is cut: 127.5 in most, 175 in
// those of 100 and 250, where 100 is a boundary then. Line 40, 0200, holds [0,2], line 99, 2020, holds [1,3].
func TestKernelWithAThresholdALine(t *testing.T) {
	lines := make([]string, 100)
	for i := range lines {
		lines[i] = "1210"
	}
	lines[40], lines[99] = "0200", "2020"
	for _, maxBytes := range []int64{0, 4} {
		most := 0
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray(lines...))))
		r := image.Rect(0, 39, 4, 100)
		cfg.Kernel, cfg.ROI, cfg.MaxBytes = lineKernel{lines: &most}, &r, maxBytes
		row := succeed(t, cfg).Rows[0]
		if row.Count != 61 || len(row.Lo) != 61 || row.Lo[0] != 127.5 || row.Lo[1] != 175 {
			t.Errorf("%d segments by %d thresholds: %v", row.Count, len(row.Lo), row.Lo)
		}
		if most > linesAtOnce {
			t.Errorf("%d lines had a histogram at once", most)
		}
		if got := read(t, cfg.Out, "a.png.segments.csv"); !strings.Contains(got, "\na.png,0,40,0,2,3,1,250,250,250,\n") {
			t.Errorf("line 40 is not by its own threshold:\n%s", got)
		}
	}
}
