package batch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"segscan/kernels"
	"segscan/segment"
)

// surveyed is what Thresholds gives each, errors as text.
func surveyed(t *testing.T, cfg *Config) (pages []*PageThresholds, failed []string) {
	t.Helper()
	return surveyedBy(t, cfg, GlobalKernels())
}

// surveyedBy is surveyed by other kernels.
func surveyedBy(t *testing.T, cfg *Config, list []kernels.Spec) (pages []*PageThresholds, failed []string) {
	t.Helper()
	plan, err := PlanThresholds(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Thresholds(context.Background(), cfg, plan, list, func(p *PageThresholds, err error) error {
		if err != nil {
			failed = append(failed, err.Error())
			return nil
		}
		pages = append(pages, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages, failed
}

// speckled is a page of two broad classes; of floats some samples are NaN or infinite, and values spread over many
// powers of two, so that exact counts need a second pass.
func speckled(typ segment.SampleType, lines, samples int, seed uint64) segment.Plane {
	r := rand.New(rand.NewPCG(seed, 3))
	p := segment.NewPlane(typ, lines, samples)
	for i := range lines {
		for k := range samples {
			v := r.NormFloat64()*12 + 60
			if r.IntN(4) == 0 {
				v = r.NormFloat64()*20 + 170
			}
			v = min(max(v, 0), 255)
			at := i*p.Stride + k
			switch typ {
			case segment.U8:
				p.U8[at] = uint8(v)
			case segment.U16:
				p.U16[at] = uint16(v * 16)
			default:
				p.F32[at] = float32(math.Exp(v/20) - 40)
				switch r.IntN(200) {
				case 0:
					p.F32[at] = float32(math.NaN())
				case 1:
					p.F32[at] = float32(math.Inf(1 - 2*r.IntN(2)))
				case 2:
					p.F32[at] = 0
				}
			}
		}
	}
	return p
}

func TestGlobalKernels(t *testing.T) {
	var names []string
	for _, s := range GlobalKernels() {
		names = append(names, s.String())
	}
	want := "multiotsu:classes=2 multiotsu multiotsu:classes=4 multiotsu:classes=5 otsu li yen isodata triangle minimum mean kapur huang moments percentile mad"
	wantText(t, "kernels", strings.Join(names, " "), want)
}

// Every threshold is the one that a run of that kernel compares with, and above it lie as many samples as a count of
// them says, whatever the bands; a kernel that fails a run has the run's reason as its note.
func TestThresholdsAreThoseOfARun(t *testing.T) {
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		page := speckled(typ, 83, 200, 11) // bands of 900 bytes are a few lines
		roi := image.Rect(3, 7, 190, 80)
		for _, c := range []struct {
			maxBytes int64
			roi      *image.Rectangle
		}{{0, nil}, {900, &roi}} {
			if testing.Short() && (typ == segment.U16 || (typ == segment.F32) != (c.roi != nil)) {
				continue // histograms of 65536 bins are slow under the race detector
			}
			cfg := config(t, put(t, t.TempDir(), "a.png", nil))
			cfg.Open, cfg.Overlay, cfg.Records, cfg.MaxBytes, cfg.ROI = fakePages(page).open, "none", "none", c.maxBytes, c.roi
			pages, failed := surveyed(t, cfg)
			if len(pages) != 1 || len(failed) > 0 {
				t.Fatalf("%d pages, failed %q", len(pages), failed)
			}
			p := pages[0]
			checked := 0
			for i := range p.Kernels {
				checked += sameAsARun(t, cfg, p, &p.Kernels[i])
			}
			if want := 14; checked < want {
				t.Errorf("%s: only %d kernels have been compared", typ, checked)
			}
			for _, k := range p.Kernels {
				for _, th := range k.Thresholds {
					if n := countAbove(p, page, th); n != th.Above {
						t.Errorf("%s: %s %s %g: %d above, counted are %d", typ, k.Kernel, th.Role, th.Value, th.Above, n)
					}
				}
			}
		}
	}
}

// sameAsARun compares a kernel with a run of it, and gives how many thresholds it compared at least.
func sameAsARun(t *testing.T, cfg *Config, p *PageThresholds, k *KernelThresholds) int {
	t.Helper()
	main := *cfg
	main.Kernel, main.Out = kernel(t, k.Kernel), t.TempDir()
	sum, _ := run(t, &main)
	if len(sum.Failed) > 0 {
		if len(k.Notes) != 1 || !strings.HasSuffix(sum.Failed[0].Error(), k.Notes[0]) || len(k.Thresholds) > 0 {
			t.Errorf("%s: %q; a run fails with %v", k.Kernel, k.Notes, sum.Failed[0])
		}
		return 0
	}
	row := sum.Rows[0]
	var values []float64
	for _, th := range k.Thresholds {
		if th.Role == RoleT {
			values = append(values, th.Value)
		}
	}
	got, want := fmt.Sprint(values, []float64{k.Lo}, []float64{k.Hi}), fmt.Sprint(row.Thresholds, row.Lo, row.Hi)
	if got != want {
		t.Errorf("%s, %s: %s, in a run %s", p.Type, k.Kernel, got, want)
	}
	return 1
}

// countAbove counts sample by sample.
func countAbove(p *PageThresholds, page segment.Plane, th Threshold) (n uint64) {
	for y := p.Region.Min.Y; y < p.Region.Max.Y; y++ {
		for x := p.Region.Min.X; x < p.Region.Max.X; x++ {
			at := y*page.Stride + x
			var v float64
			switch p.Type {
			case segment.U8:
				v = float64(page.U8[at])
			case segment.U16:
				v = float64(page.U16[at])
			default:
				v = float64(page.F32[at])
			}
			if !math.IsInf(v, 0) && (v > th.Value || th.Role == RoleHi && v == th.Value) {
				n++
			}
		}
	}
	return n
}

// With a flat field the samples are the corrected ones, those of TestFlatFieldByHand: 40, 20, 80, 10, 40.
func TestThresholdsOfAFlatField(t *testing.T) {
	cfg := flatConfig(t, map[string]*fakeFile{
		"a.tif":          fakePages(u16([]uint16{25, 25, 125, 15, 45})),
		"background.tif": fakePages(u16([]uint16{15, 25, 35, 25, 25})),
		"dark.tif":       fakePages(u16([]uint16{5, 5, 5, 5, 5})),
	})
	pages, failed := surveyed(t, cfg)
	if len(pages) != 1 || len(failed) > 0 {
		t.Fatalf("%d pages, failed %q", len(pages), failed)
	}
	p := pages[0]
	wantText(t, "samples", fmt.Sprint(p.Type, p.Samples, p.Min, p.Max), "f32 5 10 80")
	for i := range p.Kernels {
		sameAsARun(t, cfg, p, &p.Kernels[i])
		// Of 10 20 40 40 80 the median is 40, with one above it, and the last one is 80.
		if k := p.Kernels[i]; k.Kernel == "percentile" {
			wantText(t, "percentile", fmt.Sprint(k.Thresholds), "[{lo 40 1} {hi 80 1}]")
		}
	}
	cfg.Background = ""
	if _, err := PlanThresholds(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), "--dark is given without --background") {
		t.Errorf("got %v", err)
	}
}

// Samples that are no numbers are counted apart.
func TestThresholdsCountWhatIsNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	cfg := config(t, put(t, t.TempDir(), "a.png", nil))
	cfg.Open = fakePages(float([]float32{nan, inf, 1, 2}), float([]float32{nan, nan}), float([]float32{5, 5})).open
	pages, _ := surveyed(t, cfg)
	var got []string
	for _, p := range pages {
		k := p.Kernels[0]
		got = append(got, fmt.Sprint(p.Page, p.Samples, p.NaN, p.Infinite, p.Min, p.Max, k.Thresholds, k.Notes))
	}
	// Of 1 and 2, the threshold is 1, and one sample lies above it.
	wantList(t, "pages", got, []string{
		"0 2 1 1 1 2 [{t 1 1}] []",
		"1 0 2 0 NaN NaN [] [no sample is finite, so there are no thresholds and every sample is other]",
		"2 2 0 0 5 5 [] [every finite sample is 5, so there are no thresholds and every sample is other]",
	})
}

// Files come in order whatever the number of jobs; one that fails, or panics, stops neither the others nor its pages
// before.
func TestThresholdsGoOnAfterFailures(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "b.png", []byte("no image"))
	for _, name := range []string{"a.png", "c.png", "d.png"} {
		put(t, dir, name, encode(t, noise(9, 8, 1)))
	}
	for _, jobs := range []int{1, 2, 7} {
		cfg := config(t, dir)
		cfg.Jobs = jobs
		pages, failed := surveyed(t, cfg)
		var names []string
		for _, p := range pages {
			names = append(names, p.File)
		}
		wantList(t, "files", names, []string{"a.png", "c.png", "d.png"})
		if len(failed) != 1 || !strings.HasPrefix(failed[0], "b.png: ") {
			t.Errorf("failed: %q", failed)
		}
	}
	fake := fakePages(bytesPage("121"), bytesPage("212"), bytesPage("112"))
	fake.panics = 1
	cfg := config(t, put(t, dir, "e.tif", nil))
	cfg.Open = fake.open
	pages, failed := surveyed(t, cfg)
	if len(pages) != 1 || len(failed) != 1 || !strings.Contains(failed[0], "internal error") {
		t.Errorf("%d pages, failed %q", len(pages), failed)
	}
	fake.panics, fake.broken = -1, 1
	plan, err := PlanThresholds(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var page *PageError
	_, err = Thresholds(context.Background(), cfg, plan, GlobalKernels(), func(_ *PageThresholds, err error) error {
		if err != nil && (!errors.As(err, &page) || page.Hint() != "--page 0,2 leaves that page out") {
			t.Errorf("got %v", err)
		}
		return nil
	})
	if err != nil || page == nil {
		t.Errorf("got %v, page error %v", err, page)
	}
}

// An error of each ends the work, and so does the end of the context; nothing is left waiting.
func TestThresholdsEndEarly(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 {
		put(t, dir, fmt.Sprintf("%02d.png", i), encode(t, noise(9, 8, 1)))
	}
	cfg := config(t, dir)
	cfg.Jobs = 3
	plan, err := PlanThresholds(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	calls := 0
	each := func(*PageThresholds, error) error {
		if calls++; calls == 5 {
			return enough
		}
		return nil
	}
	if _, err := Thresholds(context.Background(), cfg, plan, GlobalKernels(), each); !errors.Is(err, enough) || calls != 5 {
		t.Errorf("%v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	calls = 0
	_, err = Thresholds(ctx, cfg, plan, GlobalKernels(), func(_ *PageThresholds, err error) error {
		if calls++; calls == 3 {
			cancel(enough)
		}
		if err != nil {
			t.Errorf("a failure is reported: %v", err)
		}
		return nil
	})
	if !errors.Is(err, enough) || calls == 40 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// Plots are planned as a run's are, beside a summary that is not theirs.
func TestThresholdsPlots(t *testing.T) {
	in := put(t, t.TempDir(), "a.png", encode(t, noise(30, 20, 1)))
	cfg := config(t, in)
	cfg.Plots, cfg.PlotFormat = PlotOfThresholds(""), "svg"
	put(t, cfg.Out, "summary.csv", []byte("of something else"))
	pages, failed := surveyed(t, cfg)
	if len(pages) != 1 || len(failed) > 0 {
		t.Fatalf("%d pages, failed %q", len(pages), failed)
	}
	drawn := read(t, pages[0].Plot)
	for _, k := range pages[0].Kernels {
		if !strings.Contains(drawn, ">"+k.Kernel+"<") {
			t.Errorf("%s is not in the plot", k.Kernel)
		}
	}
	wantList(t, "files", tree(t, cfg.Out), []string{"a.png.thresholds.svg", "summary.csv"})
	_, err := PlanThresholds(context.Background(), cfg)
	var usage *UsageError
	if !errors.As(err, &usage) || !strings.HasSuffix(usage.Msg, "a.png.thresholds.svg exists") || strings.Contains(usage.Hint, "skip") {
		t.Errorf("got %v", err)
	}
	cfg.Overwrite = true
	surveyed(t, cfg)
	if again := read(t, pages[0].Plot); again != drawn {
		t.Error("the plot differs when drawn again")
	}
	// A later run takes no plot for an input.
	cfg.Inputs, cfg.PlotFormat = []string{in}, "png"
	pages, _ = surveyed(t, cfg)
	later := config(t, cfg.Out)
	if _, err := PlanThresholds(context.Background(), later); err == nil || !strings.Contains(err.Error(), "1 result of an earlier run") {
		t.Errorf("%s: got %v", pages[0].Plot, err)
	}
}

// When the file system takes no more plots, the files that follow are not begun, as in a run.
func TestThresholdsStopOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		put(t, dir, fmt.Sprintf("%02d.png", i), encode(t, gray("121")))
	}
	cfg := config(t, dir)
	cfg.Jobs, cfg.Plots = 1, PlotOfThresholds("")
	cfg.Engine = failing(&OutputError{"out/x", syscall.ENOSPC})
	plan, err := PlanThresholds(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	left, err := Thresholds(context.Background(), cfg, plan, GlobalKernels(), func(_ *PageThresholds, err error) error {
		if !takesNoMore(err) {
			t.Errorf("got %v", err)
		}
		failed++
		return nil
	})
	if err != nil || failed != stopAfter || left != 20-stopAfter {
		t.Errorf("%v, %d failed, %d left out", err, failed, left)
	}
}

// What a plot cannot be written for is said as of any other output.
func TestPlotErrorsNameTheirFile(t *testing.T) {
	full := writing("out/a.png.lines.png", syscall.ENOSPC)
	wantText(t, "of the file", plotting(PlotLines, fmt.Errorf("encoding: %w", full)).Error(), full.Error())
	wantText(t, "of the plot", plotting(PlotLines, errors.New("no font")).Error(), "plotting lines: no font")
}
