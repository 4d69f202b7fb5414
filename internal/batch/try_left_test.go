package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"segscan/segment"
)

func TestLeftOutKernelsShareTheirReasons(t *testing.T) {
	var l LeftOutList
	l.Add("otsu:smooth=2", "kernel otsu: no peak")
	l.Add("hysteresis:lo=1,hi=2", "no segments either way")
	l.Add("li", "kernel li: no peak")
	l.Add("otsu", "kernel otsu: no peak")
	l.Add("otsu", "filtering: kernel otsu: too long")
	wantList(t, "left out", l.texts(), []string{
		"kernels otsu li: no peak", "kernel hysteresis:lo=1,hi=2: no segments either way", "kernel otsu: filtering: kernel otsu: too long",
	})
}

// Of a page without thresholds every kernel is in the table or among those left out, with the reason, chosen or not.
func TestTryAccountsForEveryKernel(t *testing.T) {
	nan := float32(math.NaN())
	list := []string{"otsu", "localmean", "multiotsu", "hysteresis:lo=otsu*0.8,hi=otsu", "mad:smooth=1", "niblack", "gradient"}
	one := fmt.Sprintf("kernels otsu multiotsu hysteresis mad: every finite sample is %d, so there are no thresholds and every sample is other", class('1'))
	const too = "window=31 is larger than the page of 1 x 1 pixels, which is too small for any window; use a global kernel such as otsu"
	for name, c := range map[string]struct {
		page  segment.Plane
		left  []string
		shown string
	}{
		"one value": {bytesPage("111", "111", "111"), []string{one}, "localmean niblack gradient"},
		"no value": {float([]float32{nan, nan, nan}, []float32{nan, nan, nan}, []float32{nan, nan, nan}), []string{
			"kernels otsu multiotsu hysteresis mad: no sample is finite, so there are no thresholds and every sample is other",
		}, "localmean niblack gradient"},
		"one sample": {bytesPage("1"), []string{one, "kernels localmean niblack: " + too}, "gradient"},
	} {
		for _, chosen := range []bool{false, true} {
			cfg := config(t, put(t, t.TempDir(), "a.png", nil))
			cfg.Open = fakePages(c.page).open
			found, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, list...), Chosen: chosen})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			wantList(t, name, found.LeftOut.texts(), c.left)
			var shown []string
			for _, r := range found.Trials {
				if !r.Invert {
					shown = append(shown, r.Spec)
				}
			}
			wantText(t, name, strings.Join(shown, " "), c.shown)
			for _, warning := range found.Warnings {
				if strings.Contains(warning, "so there are no thresholds") {
					t.Errorf("%s: the warning %q says again what is left out", name, warning)
				}
			}
		}
	}
}

// Pages that a file does not have are told as the main job tells them, however many it has.
func TestTryMissingPages(t *testing.T) {
	page := bytesPage("1212", "1111")
	for pages, want := range map[int]string{1: "the file has one page, 0; see --page", 3: "the file has pages 0 to 2; see --page"} {
		for _, number := range []int{3, 5, 7, -4} {
			cfg := config(t, put(t, t.TempDir(), "a.tif", nil))
			cfg.Open = fakePages([]segment.Plane{page, page, page}[:pages]...).open
			cfg.Pages = PageList{{From: number, To: number}}
			_, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "otsu")})
			sum, _ := run(t, cfg)
			var file *FileError
			if !errors.As(err, &file) || file.Err.Error() != fmt.Sprintf("there is no page %d: %s", number, want) {
				t.Errorf("page %d of %d: %v", number, pages, err)
			} else if got := sum.Failed[0].Err.Error(); got != file.Err.Error() {
				t.Errorf("page %d of %d: %q; the main job says %q", number, pages, file.Err, got)
			}
		}
	}
}

// A folder that takes nothing is found before a page is read, and none that was made for the attempt stays.
func TestTryChecksItsFolderFirst(t *testing.T) {
	dir := t.TempDir()
	cfg := config(t, put(t, dir, "in.png", nil))
	file := fakePages(bytesPage("1212", "1111"))
	file.onPage = func(int) { t.Error("the page was read") }
	cfg.Open = file.open
	cfg.Out = filepath.Join(put(t, dir, "file", nil), "out")
	_, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "otsu")})
	var usage *UsageError
	if !errors.As(err, &usage) || !strings.HasSuffix(usage.Msg, "file is a file, not a folder for results") || usage.Hint != outHint {
		t.Errorf("got %v", err)
	}
	file.onPage = nil
	cfg.Out = filepath.Join(dir, "new", "out")
	if _, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "minimum")}); err == nil {
		t.Error("minimum finds thresholds")
	}
	wantList(t, "files", tree(t, dir), []string{"file", "in.png"})
}

// Of a page that is long and narrow something can be seen, and the sheet says that its pixels are not square.
func TestProportions(t *testing.T) {
	for name, c := range map[string]struct {
		w, h int
		want string
	}{
		"square":     {3, 3, ""},
		"nearly":     {30, 17, ""},
		"a few tall": {4, 256, " Pixels are drawn 12 times as wide as high."},
		"a few wide": {340, 8, " Pixels are drawn 6 times as high as wide."},
	} {
		page := segment.NewPlane(segment.U8, c.h, c.w)
		for i := range page.U8 {
			page.U8[i] = uint8(i * 37)
		}
		cfg := config(t, put(t, t.TempDir(), "a.png", nil))
		cfg.Open = fakePages(page).open
		o := TryOptions{Kernels: specs(t, "otsu"), Chosen: true}
		w := &tryWork{chosen: true}
		rd, _ := cfg.Open(nil, 0, "", cfg.Raster)
		p, err := rd.Page(0)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.begin(context.Background(), cfg, p, nil, o.Kernels); err != nil {
			t.Fatal(err)
		}
		err = w.run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		pictures, err := w.pictures(context.Background())
		w.close()
		if err != nil {
			t.Fatal(err)
		}
		size := pictures[0].Rect.Size()
		wantText(t, name, proportions(size, w.window.show.Size()), c.want)
		if min(size.X, size.Y) < 48 {
			t.Errorf("%s: the picture is %v", name, size)
		}
	}
}

// A kernel given twice is shown once, however it is written; one that finds the same stays named.
func TestTryShowsAKernelOnce(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, noise(61, 47, 7))))
	found, err := Try(context.Background(), cfg, TryOptions{Chosen: true, Kernels: specs(t,
		"sauvola", "otsu:per=line", "sauvola", "Sauvola:window=31", "otsu:per=line", "otsu:smooth=2,baseline=median:3",
		"otsu:baseline=median:3,smooth=2.0", "otsu", "multiotsu:classes=2", "otsu", "color:space=rgb,activation=r:9..", "color:space=rgb,activation=r:9.."),
	})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, "trials", commandsOf(found), strings.TrimSpace(strings.ReplaceAll(`
-k SAUVOLA
-k SAUVOLA --invert
-k otsu:per=line
-k otsu:per=line --invert
-k otsu
-k otsu --invert
-k color:space=rgb,activation=r:9..
-k color:space=rgb,activation=r:9.. --invert
-k otsu:baseline=median:3,smooth=2
-k otsu:baseline=median:3,smooth=2 --invert`, "SAUVOLA", kernel(t, "sauvola").String())))
	for _, r := range found.Trials {
		if want := map[string]string{"otsu": "multiotsu:classes=2"}[r.Spec]; strings.Join(r.Same, " ") != want {
			t.Errorf("%s: the same as %q, want %q", r.Command(), r.Same, want)
		}
	}
}

// Where nothing is left to try, that is said before any work, with what to do.
func TestTryOfNothing(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, noise(9, 7, 1))))
	const first, second = "color:space=rgb,activation=r:9..", "distance:to=#102030,near=5,far=35"
	for says, o := range map[string]TryOptions{
		"the kernel " + kernel(t, first).String() + " looks at colours": {Kernels: specs(t, first, second)},
		"no kernel is given": {Chosen: true},
	} {
		_, err := Try(context.Background(), cfg, o)
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(usage.Msg, says) || usage.Hint == "" {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if found, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, first, "otsu")}); err != nil || len(found.Trials) != 2 {
		t.Errorf("beside another kernel: %v", err)
	}
	wantList(t, "files", tree(t, cfg.Out), []string{"a.png.try.png"})
}
