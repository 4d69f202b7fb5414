package batch

import (
	"encoding/csv"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"segscan/kernels"
	"segscan/segment"
)

// noisy is a page of marks on a drift, different on every line and column.
func noisy(w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	rng := rand.New(rand.NewPCG(1, uint64(w)))
	for y := range h {
		for x := range w {
			v := 40 + x + y/2 + rng.IntN(30)
			if (x/5+y/7)%3 == 0 {
				v += 60
			}
			img.Pix[y*img.Stride+x] = uint8(v)
		}
	}
	return img
}

// filteredPage is what the filters of a kernel make of a page as a whole.
func filteredPage(t *testing.T, img *image.Gray, k kernels.Spec, axis segment.Axis) segment.Plane {
	t.Helper()
	w, h := img.Rect.Dx(), img.Rect.Dy()
	v := segment.Plane{U8: img.Pix, Lines: h, Samples: w, Stride: img.Stride}
	info := &segment.PageInfo{Width: int64(w), Height: int64(h), Type: segment.U8, Max: 255}
	if axis == segment.Cols {
		v = turned(v)
	}
	b, err := kernels.ApplyFilters(t.Context(), 0, segment.Band{Page: info, Axis: axis, Lines: v.Lines, Samples: v.Samples, V: v}, k.Filters())
	if err != nil {
		t.Fatal(err)
	}
	if axis == segment.Cols {
		return turned(b.V)
	}
	return b.V
}

// where lists line, start, end, length, activations and edge of records, and stats their min, max and mean.
func where(t *testing.T, records string) (places, stats []string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(records)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows[1:] {
		places = append(places, strings.Join(slices.Concat(r[2:7], r[10:]), " "))
		stats = append(stats, strings.Join(r[7:10], " "))
	}
	return places, stats
}

// measured is min, max and mean as records write them of a line's samples.
func measured(img *image.Gray, axis segment.Axis, place string) string {
	var line, start, end int
	fmt.Sscan(place, &line, &start, &end)
	least, most, sum := 256, -1, 0
	for s := start + 1; s < end; s++ {
		x, y := s, line
		if axis == segment.Cols {
			x, y = line, s
		}
		v := int(img.Pix[y*img.Stride+x])
		least, most, sum = min(least, v), max(most, v), sum+v
	}
	return fmt.Sprintf("%d %d %s", least, most, appendMean(nil, float64(sum)/float64(end-start-1), float64(least), float64(most), segment.U8))
}

// TestFiltersInRuns: a run with filters finds what the kernel alone finds on a float page that was filtered before, by
// whatever bands, axis and region, and measures the samples as stored.
func TestFiltersInRuns(t *testing.T) {
	img := noisy(61, 47)
	found := 0
	for _, c := range []struct{ kernel, filters string }{
		{"hysteresis:lo=70,hi=120", "smooth=1"},
		{"hysteresis:lo=-5,hi=10", "baseline=median:21,smooth=0.7"},
		{"otsu", "baseline=opening:17"},
		{"otsu:per=line", "smooth=1.2"},
		{"percentile:low=40,high=80", "smooth2d=1"},
		{"multiotsu:classes=4", "baseline=median:9,smooth=1,smooth2d=0.6"},
		{"niblack:window=7", "smooth=0.8"},
		{"wolf:window=9", "smooth2d=0.7"},
		{"bernsen:window=5x9,contrast=10", "baseline=median:31"},
	} {
		local := strings.Contains(c.kernel, "window")
		sep := ":"
		if strings.Contains(c.kernel, ":") {
			sep = ","
		}
		for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
			for _, roi := range []*image.Rectangle{nil, {Min: image.Pt(20, 11), Max: image.Pt(50, 40)}} {
				if local && roi != nil {
					continue // the page that was filtered before is given without what lies beyond the region
				}
				if testing.Short() && (axis == segment.Cols) != (roi != nil) {
					continue
				}
				if strings.Contains(c.kernel, "per=line") && (roi == nil || axis == segment.Rows) {
					continue // histograms of many lines of floats take long
				}
				filtering := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
				filtering.Kernel = kernel(t, c.kernel+sep+c.filters)
				before := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
				before.Kernel = kernel(t, c.kernel)
				before.Open = fakePages(filteredPage(t, img, filtering.Kernel, axis)).open
				name := fmt.Sprintf("%s axis %d roi %v", filtering.Kernel, axis, roi)
				for _, cfg := range []*Config{filtering, before} {
					cfg.Axis, cfg.ROI, cfg.Overlay = axis, roi, "none"
				}
				succeed(t, before)
				want, _ := where(t, read(t, before.Out, "a.png.segments.csv"))
				var first string
				for _, bytes := range []int64{0, 61 * 5} {
					cfg := *filtering
					cfg.Out, cfg.MaxBytes = t.TempDir(), bytes
					succeed(t, &cfg)
					records := read(t, cfg.Out, "a.png.segments.csv")
					places, stats := where(t, records)
					wantList(t, name, places, want)
					for i, s := range stats {
						if m := measured(img, axis, places[i]); s != m {
							t.Errorf("%s: %s measures %s, want %s", name, places[i], s, m)
						}
					}
					if first == "" {
						first = records
					}
					wantText(t, name+" by bands", records, first)
				}
				found += len(want)
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d segments were compared", found)
	}
}

// TestFilteredThresholds: thresholds in reports are of float samples.
func TestFilteredThresholds(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, noisy(40, 9))))
	cfg.Kernel, cfg.Records = kernel(t, "hysteresis:lo=70.1,hi=120.7,smooth=1"), "json"
	s := succeed(t, cfg)
	if want := float64(float32(70.1)); s.Rows[0].Lo[0] != want {
		t.Errorf("lo is %v, want %v", s.Rows[0].Lo[0], want)
	}
	if got := read(t, cfg.Out, "summary.csv"); !strings.Contains(got, `,u8,"hysteresis:lo=70.1,hi=120.7,smooth=1",70.1,120.7,`) {
		t.Errorf("the summary says\n%s", got)
	}
	if got := read(t, cfg.Out, "a.png.segments.json"); !strings.Contains(got, `"lo":70.1,"hi":120.7,`) {
		t.Errorf("JSON says\n%s", got)
	}
}

// TestBaselineTooLong: a page whose lines are shorter than the window fails and says what would work.
func TestBaselineTooLong(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, noisy(40, 9))))
	cfg.Kernel = kernel(t, "otsu:baseline=median:41")
	s, _ := run(t, cfg)
	if len(s.Failed) != 1 || !strings.Contains(s.Failed[0].Error(), "kernel otsu: baseline=median:41 is longer than the lines of 40 samples; use at most baseline=median:39") {
		t.Errorf("failed: %v", s.Failed)
	}
}
