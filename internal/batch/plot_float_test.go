package batch

import (
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

// kelvins is a page of two kinds of samples that a bin of the histogram holds together, with two far ones.
func kelvins() segment.Plane {
	var lines [][]float32
	for y := range 60 {
		line := make([]float32, 50)
		for x := range line {
			line[x] = 295 + float32((7*y+3*x)%40)/400
			if x/10%2 == 1 {
				line[x] += 0.7
			}
		}
		lines = append(lines, line)
	}
	lines[3][4], lines[50][7] = 0, 900
	return float(lines...)
}

// Both plots of a histogram of floats say what they leave out, and are the same however the page is cut and worked on.
func TestFloatHistogramsDoNotDependOnBands(t *testing.T) {
	draw := func(maxBytes int64, jobs int, axis segment.Axis) (drawn []string) {
		cfg := config(t, put(t, t.TempDir(), "a.tif", nil))
		cfg.Open = fakePages(kelvins()).open
		cfg.MaxBytes, cfg.Jobs, cfg.Axis, cfg.PlotFormat = maxBytes, jobs, axis, "svg"
		cfg.Kernel, cfg.Overlay, cfg.Plots = kernel(t, "li"), "none", []Plot{{Kind: PlotHistogram}}
		succeed(t, cfg)
		drawn = append(drawn, read(t, cfg.Out, "a.tif.histogram.svg"))
		cfg.Plots = PlotOfThresholds("")
		pages, failed := surveyed(t, cfg)
		if len(pages) != 1 || len(failed) > 0 {
			t.Fatalf("%d pages, failed %q", len(pages), failed)
		}
		return append(drawn, read(t, pages[0].Plot))
	}
	want := draw(0, 1, segment.Rows)
	for _, svg := range want {
		if !strings.Contains(svg, ">sample value; beyond the axis: 1 sample below, 1 sample above<") {
			t.Error("nothing is said of what the axis leaves out")
		}
	}
	for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
		for maxBytes, jobs := range map[int64]int{300: 1, 1000: 3} {
			if got := draw(maxBytes, jobs, axis); !slices.Equal(got, want) {
				t.Errorf("axis %v, bands of %d bytes, %d jobs: other plots", axis, maxBytes, jobs)
			}
		}
	}
}

// The axis says what was made of samples before they were compared.
func TestPlotsNameFilteredSamples(t *testing.T) {
	line := make([]float32, 60)
	for i := range line {
		line[i] = 100 + float32(i/10%2)
	}
	light := make([]float32, 60)
	for i := range light {
		light[i] = 2
	}
	for want, c := range map[string]struct {
		spec  string
		field bool
	}{
		"sample value":                                    {"otsu", false},
		"sample value after smooth":                       {"otsu:smooth2d=2", false},
		"sample value after baseline, smooth":             {"otsu:baseline=median:31,smooth=2", false},
		"sample value after flat field":                   {"otsu", true},
		"sample value after flat field, baseline, smooth": {"otsu:smooth=2,baseline=opening:31", true},
	} {
		cfg := flatConfig(t, map[string]*fakeFile{"a.tif": fakePages(float(line)), "background.tif": fakePages(float(light))})
		if !c.field {
			cfg.Background = ""
		}
		cfg.Kernel, cfg.Plots, cfg.PlotFormat = kernel(t, c.spec), []Plot{{Kind: PlotProfile}, {Kind: PlotHistogram}}, "svg"
		succeed(t, cfg)
		for _, name := range []string{"a.tif.profile-0.svg", "a.tif.histogram.svg"} {
			if !strings.Contains(read(t, cfg.Out, name), ">"+want+"<") {
				t.Errorf("%s of %s does not say %q", name, c.spec, want)
			}
		}
	}
}

// The digits of a page's thresholds are those that tell its samples apart, in its plots as below its picture.
func TestThresholdsKeepTheirDigits(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.tif", nil))
	cfg.Open = fakePages(float([]float32{100000, 100000.25, 100000.5, 100007.25, 100007.5})).open
	cfg.Kernel, cfg.Plots, cfg.PlotFormat, cfg.Overlay = kernel(t, "otsu"), []Plot{{Kind: PlotProfile}, {Kind: PlotHistogram}}, "svg", "none"
	succeed(t, cfg)
	for _, name := range []string{"a.tif.profile-0.svg", "a.tif.histogram.svg"} {
		if got := read(t, cfg.Out, name); !strings.Contains(got, "v ≤ 100000.5<") || !strings.Contains(got, "v &gt; 100000.5<") {
			t.Errorf("%s has other thresholds", name)
		}
	}
}
