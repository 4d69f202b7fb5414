package batch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"segscan/internal/raster"
	"segscan/segment"
)

// byName opens fake files by their names, and real ones else.
func byName(files map[string]*fakeFile) raster.Opener {
	return func(r io.ReaderAt, size int64, name string, o raster.Options) (raster.Reader, error) {
		if f, ok := files[filepath.Base(name)]; ok {
			return f.open(r, size, name, o)
		}
		return raster.Open(r, size, name, o)
	}
}

// flatConfig is a run of one input with images of a flat field, all of them fakes.
func flatConfig(t *testing.T, files map[string]*fakeFile) *Config {
	t.Helper()
	dir := t.TempDir()
	cfg := config(t)
	for name := range files {
		path := put(t, dir, name, []byte("a fake"))
		switch name {
		case "background.tif":
			cfg.Background = path
		case "dark.tif":
			cfg.Dark = path
		default:
			cfg.Inputs = append(cfg.Inputs, path)
		}
	}
	cfg.Open, cfg.Overlay = byName(files), "none"
	return cfg
}

func u16(lines ...[]uint16) segment.Plane {
	p := segment.NewPlane(segment.U16, len(lines), len(lines[0]))
	for y, l := range lines {
		copy(p.U16[y*p.Stride:], l)
	}
	return p
}

// TestFlatFieldByHand: background less dark is 10 20 30 20 20, of mean 20. Corrected samples are 20/10*20 = 40,
// 20/20*20 = 20, 120/30*20 = 80, 10/20*20 = 10 and 40/20*20 = 40, so that with boundaries up to 20 and activations from
// 80 on there is one segment, [1, 3]; as they are stored there would be none. It measures the sample as stored.
func TestFlatFieldByHand(t *testing.T) {
	cfg := flatConfig(t, map[string]*fakeFile{
		"a.tif":          fakePages(u16([]uint16{25, 25, 125, 15, 45})),
		"background.tif": fakePages(u16([]uint16{15, 25, 35, 25, 25})),
		"dark.tif":       fakePages(u16([]uint16{5, 5, 5, 5, 5})),
	})
	cfg.Kernel = kernel(t, "hysteresis:lo=20,hi=80")
	s := succeed(t, cfg)
	places, stats := where(t, read(t, cfg.Out, "a.tif.segments.csv"))
	wantList(t, "segments", places, []string{"0 1 3 3 1 "})
	wantList(t, "measured", stats, []string{"125 125 125"})
	if r := s.Rows[0]; r.Sample != "u16" || r.Lo[0] != 20 || r.Hi[0] != 80 {
		t.Errorf("the page is told of as %s, %v to %v", r.Sample, r.Lo, r.Hi)
	}
	cfg.Background, cfg.Dark, cfg.Out = "", "", t.TempDir()
	if succeed(t, cfg); strings.Count(read(t, cfg.Out, "a.tif.segments.csv"), "\n") != 1 {
		t.Error("without a flat field there is a segment too")
	}
}

// TestFlatFieldInRuns: corrected pages give the segments of a float page that was corrected before, along both axes, by
// regions and bands, many files at once, with filters behind it.
func TestFlatFieldInRuns(t *testing.T) {
	const w, h = 37, 29
	rng := rand.New(rand.NewPCG(8, 9))
	page, bright, dark := image.NewGray16(image.Rect(0, 0, w, h)), image.NewGray16(image.Rect(0, 0, w, h)), image.NewGray16(image.Rect(0, 0, w, h))
	v, sum := segment.NewPlane(segment.F32, h, w), 0.
	for y := range h {
		for x := range w {
			page.SetGray16(x, y, color.Gray16{Y: uint16(1000 + rng.IntN(9000))})
			bright.SetGray16(x, y, color.Gray16{Y: uint16(2000 + 40*x + 90*y + rng.IntN(50))})
			dark.SetGray16(x, y, color.Gray16{Y: uint16(90 + rng.IntN(20))})
			sum += float64(bright.Gray16At(x, y).Y) - float64(dark.Gray16At(x, y).Y)
		}
	}
	mean := sum / (w * h)
	for y := range h {
		for x := range w {
			d := float64(dark.Gray16At(x, y).Y)
			v.F32[y*w+x] = float32((float64(page.Gray16At(x, y).Y) - d) / (float64(bright.Gray16At(x, y).Y) - d) * mean)
		}
	}
	found := 0
	for _, spec := range []string{"hysteresis:lo=3000,hi=6000", "otsu", "otsu:baseline=median:9,smooth=0.8", "hysteresis:lo=3000,hi=6000,smooth2d=0.5"} {
		for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
			for _, roi := range []*image.Rectangle{nil, {Min: image.Pt(8, 5), Max: image.Pt(30, 20)}} {
				if roi != nil && strings.Contains(spec, "smooth") {
					continue // the page that was corrected before is given without what lies beyond the region
				}
				dir := t.TempDir()
				before := config(t, put(t, dir, "a.png", encode(t, page)))
				before.Open = fakePages(v).open
				before.Kernel, before.Axis, before.ROI, before.Overlay = kernel(t, spec), axis, roi, "none"
				succeed(t, before)
				want, _ := where(t, read(t, before.Out, "a.png.segments.csv"))
				for _, bytes := range []int64{0, 2 * w * 3} {
					cfg := config(t, put(t, dir, "in/a.png", encode(t, page)), put(t, dir, "in/b.png", encode(t, page)))
					cfg.Kernel, cfg.Axis, cfg.ROI, cfg.Overlay, cfg.MaxBytes, cfg.Jobs = kernel(t, spec), axis, roi, "none", bytes, 2
					cfg.Background, cfg.Dark = put(t, dir, "bg.png", encode(t, bright)), put(t, dir, "dark.png", encode(t, dark))
					succeed(t, cfg)
					for _, name := range []string{"a.png", "b.png"} {
						got, _ := where(t, read(t, cfg.Out, name+".segments.csv"))
						wantList(t, fmt.Sprintf("%s axis %d roi %v bands of %d bytes, %s", spec, axis, roi, bytes, name), got, want)
					}
				}
				found += len(want)
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d segments were compared", found)
	}
}

// TestFlatFieldPages: a background with a page for each of the file's goes page by page, any other by its first.
func TestFlatFieldPages(t *testing.T) {
	one, two := float([]float32{100, 100, 100, 100}), float([]float32{1, 1, 0.25, 1})
	lines := float([]float32{1, 3, 1, 2})
	// By two, sample 2 is 1/0.25 times the mean 0.8125, more than 3, and no boundary any more.
	for _, c := range []struct {
		background *fakeFile
		want       string
	}{
		{fakePages(one, two), "0"},
		{fakePages(two, one), "1"},
		{fakePages(one), "0 1"},
		{fakePages(two), ""},
		{fakePages(two, one, one), ""}, // three pages for two: the first
	} {
		cfg := flatConfig(t, map[string]*fakeFile{"a.tif": fakePages(lines, lines), "background.tif": c.background})
		cfg.Kernel = kernel(t, "hysteresis:lo=1,hi=2")
		succeed(t, cfg)
		var pages []string
		for _, row := range strings.Split(strings.TrimSpace(read(t, cfg.Out, "a.tif.segments.csv")), "\n")[1:] {
			pages = append(pages, strings.Split(row, ",")[1])
		}
		wantText(t, fmt.Sprintf("pages with segments, by %d", len(c.background.pages)), strings.Join(pages, " "), c.want)
	}
}

func TestFlatFieldFailures(t *testing.T) {
	nan := float32(math.NaN())
	line := u16([]uint16{5, 250, 5, 7})
	for _, c := range []struct {
		name             string
		background, dark segment.Plane
		roi              *image.Rectangle
		want             string
	}{
		{"size", u16([]uint16{1, 1, 1}), segment.Plane{}, nil, "background.tif is 3 x 1 pixels and the page 4 x 1; give an image of the page's size"},
		{"size of dark", line, u16([]uint16{1, 1, 1, 1}, []uint16{1, 1, 1, 1}), nil, "dark.tif is 4 x 2 pixels and the page 4 x 1"},
		{"zero", u16([]uint16{9, 9, 0, 9}), segment.Plane{}, nil, "background.tif is 0 at pixel 2,0, and nothing can be divided by that"},
		{"as dark", u16([]uint16{9, 9, 9, 8}), u16([]uint16{2, 8, 2, 8}), nil, "is 8 at pixel 3,0, where --dark"},
		{"NaN", float([]float32{9, nan, 9, 9}), segment.Plane{}, nil, "is NaN at pixel 1,0"},
		{"all", u16([]uint16{0, 0, 0, 0}), segment.Plane{}, nil, "no pixel of --background"},
		{"types", bytesPage("1111"), u16([]uint16{1, 1, 1, 1}), nil, "which cannot be subtracted; give both as they were taken"},
		{"zero beyond the region", u16([]uint16{0, 9, 9, 9}), segment.Plane{}, &image.Rectangle{Min: image.Pt(1, 0), Max: image.Pt(4, 1)}, ""},
		{"float dark", line, float([]float32{1, 1.5, 1, 1}), nil, ""},
	} {
		files := map[string]*fakeFile{"a.tif": fakePages(line), "background.tif": fakePages(c.background)}
		if c.dark.Lines > 0 {
			files["dark.tif"] = fakePages(c.dark)
		}
		cfg := flatConfig(t, files)
		cfg.ROI = c.roi
		s, _ := run(t, cfg)
		got := ""
		if len(s.Failed) > 0 {
			got = s.Failed[0].Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFlatFieldUsage: what no page could make right ends the run before any work.
func TestFlatFieldUsage(t *testing.T) {
	for _, c := range []struct {
		background, dark, kernel, want string
	}{
		{"", "d.png", "otsu", "--dark is given without --background"},
		{"-", "", "otsu", "are read more than once, and standard input is not"},
		{"b.png", "", "expr:boundary=r<1,activation=r>2", "looks at colours"},
		{"nowhere.png", "", "otsu", "--background nowhere.png: cannot be opened: "},
	} {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("01210"))))
		cfg.Background, cfg.Dark, cfg.Kernel = c.background, c.dark, kernel(t, c.kernel)
		plan, err := NewPlan(context.Background(), cfg)
		if err == nil {
			_, err = Run(context.Background(), cfg, plan, &listener{})
		}
		var u *UsageError
		if !errors.As(err, &u) || !strings.Contains(u.Msg, c.want) || u.Hint == "" {
			t.Errorf("%+v: %v, want %q with a hint", c, err, c.want)
		}
	}
}

// TestFieldIsNoInput: a folder of pages may hold the images of its flat field, which are none of its pages.
func TestFieldIsNoInput(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "in/a.png", encode(t, gray("01210")))
	cfg := config(t, filepath.Join(dir, "in"))
	cfg.Background = put(t, dir, "in/bg.png", encode(t, gray("00000")))
	if s := succeed(t, cfg); s.Done != 1 || s.Plan.Excluded != 1 {
		t.Errorf("%d files done, %d left out; want one each", s.Done, s.Plan.Excluded)
	}
	cfg.Out, cfg.Inputs = t.TempDir(), []string{cfg.Background} // named outright it is one
	if s := succeed(t, cfg); s.Done != 1 {
		t.Errorf("%d files done, want 1", s.Done)
	}
}

// TestFlatFieldOfColours: a gray background corrects the luma of a colour page, or the channel that is chosen.
func TestFlatFieldOfColours(t *testing.T) {
	dir := t.TempDir()
	page, light := image.NewNRGBA(image.Rect(0, 0, 5, 1)), image.NewGray(image.Rect(0, 0, 5, 1))
	for x, v := range []uint8{10, 100, 200, 100, 10} {
		page.SetNRGBA(x, 0, color.NRGBA{R: v, G: v, B: 255 - v, A: 255})
		light.SetGray(x, 0, color.Gray{Y: uint8(50 * (x + 1))}) // of mean 150
	}
	cfg := config(t, put(t, dir, "a.png", encode(t, page)))
	cfg.Background, cfg.Raster.Channel = put(t, dir, "light.png", encode(t, light)), "r"
	// Red is 10/50 100/100 200/150 100/200 10/250 times 150: 30 150 200 75 6.
	cfg.Kernel, cfg.Overlay = kernel(t, "hysteresis:lo=75,hi=200"), "none"
	succeed(t, cfg)
	places, stats := where(t, read(t, cfg.Out, "a.png.segments.csv"))
	wantList(t, "segments", places, []string{"0 0 3 4 1 "})
	wantList(t, "measured", stats, []string{"100 200 150"})
}

// TestFilteredWindowsInRegions: windows and filters see beyond a region, so that what lies inside it is found as without.
func TestFilteredWindowsInRegions(t *testing.T) {
	img := noisy(61, 47)
	light := image.NewGray(img.Rect)
	for i := range light.Pix {
		light.Pix[i] = uint8(100 + i%61 + i/61)
	}
	region := image.Rect(13, 9, 49, 40)
	for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
		dir := t.TempDir()
		cfg := config(t, put(t, dir, "a.png", encode(t, img)))
		cfg.Background = put(t, dir, "light.png", encode(t, light))
		cfg.Kernel, cfg.Axis, cfg.Overlay = kernel(t, "niblack:window=7x5,baseline=median:15,smooth=0.6,smooth2d=0.5"), axis, "none"
		succeed(t, cfg)
		all, _ := where(t, read(t, cfg.Out, "a.png.segments.csv"))
		lines, samples := [2]int{region.Min.Y, region.Max.Y}, [2]int{region.Min.X, region.Max.X}
		if axis == segment.Cols {
			lines, samples = samples, lines
		}
		var inside []string
		for _, place := range all {
			var line, start, end int
			fmt.Sscan(place, &line, &start, &end)
			if line >= lines[0] && line < lines[1] && start >= samples[0] && end < samples[1] {
				inside = append(inside, place)
			}
		}
		if len(inside) < 50 {
			t.Errorf("only %d segments inside the region", len(inside))
		}
		for _, bytes := range []int64{0, 61 * 20} {
			part := *cfg
			part.Out, part.ROI, part.MaxBytes = t.TempDir(), &region, bytes
			succeed(t, &part)
			got, _ := where(t, read(t, part.Out, "a.png.segments.csv"))
			wantList(t, fmt.Sprintf("axis %d", axis), got, inside)
		}
	}
}
