package batch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"segscan/kernels"
	"segscan/segment"
)

func specs(t *testing.T, list ...string) []kernels.Spec {
	t.Helper()
	var all []kernels.Spec
	for _, s := range list {
		all = append(all, kernel(t, s))
	}
	return all
}

// tries runs Try and the main job with each trial's kernel, whose counts must agree.
func tries(t *testing.T, cfg *Config, list ...string) *Trials {
	t.Helper()
	return triesAs(t, cfg, TryOptions{Kernels: specs(t, list...)})
}

func triesAs(t *testing.T, cfg *Config, o TryOptions) *Trials {
	t.Helper()
	found, err := Try(context.Background(), cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range found.Trials {
		main := *cfg
		main.Kernel, main.KernelOptions.Invert, main.Out = kernel(t, trial.Spec), trial.Invert, filepath.Join(t.TempDir(), "out")
		row := succeed(t, &main).Rows[0]
		if trial.Count != row.Count || fmt.Sprint(trial.MeanLength, trial.Coverage) != fmt.Sprint(row.MeanLength, row.Coverage) {
			t.Errorf("%s: %d segments of %g, %g %%; the main job finds %d of %g, %g %%", trial.Command(),
				trial.Count, trial.MeanLength, trial.Coverage, row.Count, row.MeanLength, row.Coverage)
		}
		if len(row.Lo) == 1 && (trial.lo != row.Lo[0] || trial.hi != row.Hi[0]) {
			t.Errorf("%s: thresholds %g and %g; the main job has %g and %g", trial.Command(), trial.lo, trial.hi, row.Lo[0], row.Hi[0])
		}
	}
	return found
}

// commands lists trials as they would be run.
func commandsOf(t *Trials) string {
	var all []string
	for i := range t.Trials {
		all = append(all, t.Trials[i].Command())
	}
	return strings.Join(all, "\n")
}

func TestTryCountsAsTheMainJobDoes(t *testing.T) {
	for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
		for _, edges := range []segment.Edges{segment.EdgesDrop, segment.EdgesKeep} {
			for _, maxBytes := range []int64{0, 200} {
				cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, noise(61, 47, 7))))
				r := image.Rect(3, 2, 50, 40)
				cfg.Axis, cfg.Edges, cfg.MaxBytes, cfg.ROI = axis, edges, maxBytes, &r
				found := tries(t, cfg, "multiotsu", "otsu", "hysteresis:lo=otsu*0.8,hi=otsu*1.2", "percentile", "mad")
				if len(found.Trials) < 4 || found.Shown != "" {
					t.Errorf("%d trials, shown %q", len(found.Trials), found.Shown)
				}
			}
		}
	}
}

// The finer counts that one kernel asks for of a float page are not those of another.
func TestTryFindsTheThresholdsOfTheMainJob(t *testing.T) {
	page := segment.NewPlane(segment.F32, 100, 1000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range page.F32 {
		page.F32[i] = float32(r.NormFloat64() * math.Pow(10, 6*r.Float64()-3))
	}
	cfg := config(t, put(t, t.TempDir(), "a.png", nil))
	cfg.Open = fakePages(page).open
	found := tries(t, cfg, "yen", "kapur", "otsu", "percentile", "mad")
	if len(found.Trials) < 8 {
		t.Errorf("only %d trials", len(found.Trials))
	}
}

// What cannot be told apart is said once, what does not depend on the image is not tried, what fails is named.
func TestTryLeavesOut(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("1212", "2121"))))
	found := tries(t, cfg, "otsu", "isodata", "hysteresis:lo=10,hi=200", "minimum", "color:space=rgb,activation=r:9..")
	wantText(t, "commands", commandsOf(found), "-k otsu\n-k otsu --invert")
	wantList(t, "the same", found.Trials[0].Same, []string{"isodata"})
	if len(found.LeftOut) != 1 || !strings.HasPrefix(found.LeftOut[0].String(), "kernel minimum: ") {
		t.Errorf("left out: %q", found.LeftOut)
	}
	img := picturePNG(t, found.Output)
	if w := img.Bounds().Dx(); w != 2*20+2*340+18 && w != 2*20+2*340 {
		t.Errorf("a sheet of two tiles is %d wide", w)
	}
	if tile := img.At(25, img.Bounds().Dy()-120); tile == (color.RGBA{255, 255, 255, 255}) {
		t.Error("nothing is drawn where the first tile is")
	}
}

func TestTryOfOneValueFails(t *testing.T) {
	for name, c := range map[string]struct {
		pages *fakeFile
		want  string
	}{
		"one value": {fakePages(bytesPage("222")), "no kernel finds thresholds: every finite sample is 250"},
		"none":      {fakePages(float([]float32{float32(math.NaN())})), "no kernel finds thresholds: no sample is finite"},
	} {
		cfg := config(t, put(t, t.TempDir(), "a.png", nil))
		cfg.Open = c.pages.open
		_, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "otsu", "multiotsu")})
		var file *FileError
		if !errors.As(err, &file) || file.Err.Error() != c.want {
			t.Errorf("%s: got %v", name, err)
		}
		wantList(t, "files", tree(t, filepath.Dir(cfg.Out)), nil)
	}
}

// One page of several, as asked; the name says which.
func TestTryOnePage(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.tif", nil))
	cfg.Open = fakePages(bytesPage("1212", "1111"), bytesPage("1020", "1201")).open
	cfg.Pages = PageList{{From: -1, To: -1}}
	found, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "otsu")})
	if err != nil || found.Page != 1 || filepath.Base(found.Output) != "a.tif.p0001.try.png" {
		t.Fatalf("%+v, %v", found, err)
	}
	cfg.Pages = PageList{{From: 0, To: 1}}
	var usage *UsageError
	if _, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "otsu")}); !errors.As(err, &usage) {
		t.Errorf("two pages: %v", err)
	}
}

func TestTryWritesOverNothing(t *testing.T) {
	in := put(t, t.TempDir(), "a.png", encode(t, gray("1212", "2121")))
	cfg := config(t, in)
	old := put(t, cfg.Out, "a.png.try.png", []byte("old"))
	var usage *UsageError
	if _, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "otsu")}); !errors.As(err, &usage) || !strings.Contains(usage.Hint, "--overwrite") {
		t.Fatalf("got %v", err)
	}
	if read(t, old) != "old" {
		t.Error("it was replaced")
	}
	cfg.Overwrite = true
	if _, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "otsu")}); err != nil || read(t, old) == "old" {
		t.Errorf("with --overwrite: %v", err)
	}
	cfg.Inputs = []string{filepath.Dir(in)}
	put(t, filepath.Dir(in), "b.png", nil)
	if _, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "otsu")}); !errors.As(err, &usage) || !strings.Contains(usage.Msg, "holds 2 files") {
		t.Errorf("a folder of two: %v", err)
	}
}

// A large page is shown by the part where something is: here a checkerboard at 2300,1450 on flat ground.
func TestTryShowsWhereSomethingIs(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 2500, 1700))
	for y := 1450; y < 1490; y++ {
		for x := 2300; x < 2340; x++ {
			if (x+y)%2 == 0 {
				img.Pix[y*img.Stride+x] = 255
			}
		}
	}
	for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
		cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
		cfg.Axis, cfg.MaxBytes = axis, 1<<18
		found, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "otsu")})
		if err != nil {
			t.Fatal(err)
		}
		// windows are 1020 x 768: the third from the left moved to the right edge, the second down
		if want := "1020 x 768 pixels from 1480,768"; found.Shown != want {
			t.Errorf("shown: %s, want %s", found.Shown, want)
		}
		if found.Trials[0].Count != 40*20 {
			t.Errorf("%d segments", found.Trials[0].Count)
		}
	}
}

// The sheet is the same bytes however the page is cut.
func TestSheetDoesNotDependOnBands(t *testing.T) {
	in := put(t, t.TempDir(), "a.png", encode(t, noise(300, 200, 3)))
	for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
		want := ""
		for _, maxBytes := range []int64{0, 5000, 301} {
			cfg := config(t, in)
			cfg.Axis, cfg.MaxBytes = axis, maxBytes
			found, err := Try(context.Background(), cfg, TryOptions{Kernels: specs(t, "otsu", "multiotsu")})
			if err != nil {
				t.Fatal(err)
			}
			got := read(t, found.Output)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("axis %d: bands of %d bytes give another sheet", axis, maxBytes)
			}
		}
	}
}
