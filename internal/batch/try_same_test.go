package batch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

// shaded is an image whose light falls off to the right, and that of the empty field in the same light.
func shaded(w, h int) (page, field *image.Gray) {
	page, field = noise(w, h, 5), image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			light := uint8(255 - 200*x/w)
			field.SetGray(x, y, color.Gray{Y: light})
			page.SetGray(x, y, color.Gray{Y: uint8(int(page.GrayAt(x, y).Y) * int(light) / 255)})
		}
	}
	return page, field
}

// Whatever users tune changes the sheet as it changes the main job: filters, flat field, rules for segments, in any
// mixture, lines either way, and however the page is cut.
func TestTryTakesWhatTheMainJobTakes(t *testing.T) {
	page, field := shaded(70, 40)
	dir := t.TempDir()
	in, light := put(t, dir, "a.png", encode(t, page)), put(t, dir, "light.png", encode(t, field))
	dark := put(t, dir, "dark.png", encode(t, image.NewGray(page.Rect)))
	list := []string{
		"otsu", "multiotsu:smooth=1.5", "mad:smooth=1.5", "otsu:per=line", "percentile:per=line,smooth2d=1", "sauvola:window=9",
		"wolf:window=5,baseline=opening:7", "hysteresis:lo=90,hi=100", "gradient:edge=4,hi=p60", "expr:boundary=v<60,activation=v>90 && x>9",
	}
	for i, axis := range []segment.Axis{segment.Rows, segment.Cols} {
		if testing.Short() && axis == segment.Cols {
			break
		}
		cfg := config(t, in)
		cfg.Axis, cfg.MaxBytes = axis, []int64{300, 0}[i]
		o := TryOptions{Kernels: specs(t, list...), Chosen: true}
		plain, err := Try(context.Background(), cfg, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(plain.Trials) != 2*len(list) || len(plain.LeftOut) > 0 {
			t.Fatalf("%d trials of %d kernels; left out %q", len(plain.Trials), len(list), plain.LeftOut)
		}
		cfg.Background, cfg.Dark, cfg.Overwrite = light, dark, true
		cfg.Refine = segment.Refine{MergeGap: int64(i), MinLength: 4, MaxLength: 30, MinActivations: 2}
		flat := triesAs(t, cfg, o)
		changed := 0
		for k := range flat.Trials {
			if flat.Trials[k].Count != plain.Trials[k].Count {
				changed++
			}
		}
		if changed < len(list) {
			t.Errorf("flat field and rules for segments change %d of %d trials only", changed, len(flat.Trials))
		}
	}
}

// A curve is of what the kernel sees, with its thresholds; the sheet of a filtered one is another one.
func TestTryShowsFilteredCurves(t *testing.T) {
	img := noise(200, 1, 3)
	for x := range 200 {
		img.SetGray(x, 0, color.Gray{Y: img.GrayAt(x, 0).Y/4 + uint8(x/2) + 60*uint8(x/25%2)})
	}
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
	found := triesAs(t, cfg, TryOptions{Kernels: specs(t, "otsu:baseline=opening:51,smooth=2"), Chosen: true})
	if found.Trials[0].Count == 0 {
		t.Error("no segment")
	}
	with := read(t, found.Output)
	cfg.Overwrite = true
	found = triesAs(t, cfg, TryOptions{Kernels: specs(t, "otsu"), Chosen: true})
	if read(t, found.Output) == with {
		t.Error("the sheet without filters is the same")
	}
}

// Chosen kernels are shown though they find nothing, and what they warn of is passed on; of one that has no answer the
// sheet says why.
func TestTryChosen(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("1212", "2121"))))
	found := triesAs(t, cfg, TryOptions{
		Kernels: specs(t, "hysteresis:lo=10,hi=255", "sauvola", "minimum", "color:space=rgb,activation=r:200..,boundary=r:..10"),
		Chosen:  true, LeftOut: LeftOutList{{[]string{"x"}, "unknown"}}, Beside: []string{"--roi", "0,0,4,2", "--background", "a b.png"},
	})
	wantText(t, "commands", commandsOf(found), strings.Join([]string{
		"-k hysteresis:lo=10,hi=255", "-k hysteresis:lo=10,hi=255 --invert", "-k sauvola", "-k sauvola --invert",
		"-k color:space=rgb,activation=r:200..,boundary=r:..10", "-k color:space=rgb,activation=r:200..,boundary=r:..10 --invert",
	}, "\n"))
	wantText(t, "beside", found.Beside, "--roi 0,0,4,2 --background 'a b.png'")
	if left := found.LeftOut.texts(); len(left) != 2 || left[0] != "kernel x: unknown" || !strings.HasPrefix(left[1], "kernel minimum: the histogram is not bimodal") {
		t.Errorf("left out: %q", found.LeftOut)
	}
	says := func(what string) bool {
		return slices.ContainsFunc(found.Warnings, func(w string) bool { return strings.Contains(w, what) })
	}
	if !says("window=31 is larger than the page") || !says("the page is gray") || says("segments") {
		t.Errorf("warnings: %q", found.Warnings)
	}
}

// What fails the main job fails Try, and before there is a sheet.
func TestTryFailsAsTheMainJobDoes(t *testing.T) {
	nan := float([]float32{1, float32(math.NaN()), 3, 4, 1, 2})
	for name, c := range map[string]struct {
		set  func(*Config)
		spec string
		want string
	}{
		"nan":       {func(c *Config) { c.NaNError = true }, "otsu", "1 sample is NaN; --nan boundary or --nan other takes it"},
		"baseline":  {func(*Config) {}, "otsu:baseline=median:9", "filtering: kernel otsu: baseline=median:9 is longer than the lines of 6 samples; use at most baseline=median:5"},
		"dark":      {func(c *Config) { c.Dark = "d.png" }, "otsu", "--dark is given without --background"},
		"colour":    {func(c *Config) { c.Background = "b.png" }, "color:space=rgb,activation=r:9..", "--background corrects one sample a pixel, and the kernel color:space=rgb,activation=r:9.. looks at colours"},
		"no answer": {func(*Config) {}, "hysteresis:lo=otsu*2,hi=otsu", "no kernel finds thresholds: kernel hysteresis: lo=otsu*2 gives "},
	} {
		cfg := config(t, put(t, t.TempDir(), "a.png", nil))
		cfg.Open = fakePages(nan).open
		c.set(cfg)
		_, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, c.spec), Chosen: true})
		var file *FileError
		if errors.As(err, &file) {
			err = file.Err
		}
		if err == nil || !strings.HasPrefix(fmt.Sprint(err), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
		wantList(t, name, tree(t, cfg.Out), nil)
	}
}
