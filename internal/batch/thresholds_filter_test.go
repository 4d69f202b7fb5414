package batch

import (
	"image"
	"strings"
	"testing"

	"segscan/kernels"
	"segscan/segment"
)

// Thresholds behind filters are those of a run of each kernel behind them, and the counts above are of the samples that the
// filters make of the page as a whole, whichever way lines run and however the page is cut.
func TestThresholdsBehindFilters(t *testing.T) {
	img := noise(61, 47, 7)
	in := put(t, t.TempDir(), "a.png", encode(t, img))
	for _, c := range []struct {
		keys, text string
		axis       segment.Axis
		roi        image.Rectangle
		maxBytes   int64
	}{
		{"baseline=median:9,smooth=1.5", "baseline=median:9,smooth=1.5", segment.Rows, img.Rect, 0},
		{"baseline=median:9,smooth=1.5", "baseline=median:9,smooth=1.5 down columns", segment.Cols, image.Rect(4, 2, 60, 40), 300},
		{"smooth2d=0.7", "smooth2d=0.7", segment.Rows, image.Rect(0, 3, 50, 47), 300},
	} {
		cfg := config(t, in)
		cfg.Overlay, cfg.Records, cfg.Axis, cfg.ROI, cfg.MaxBytes = "none", "none", c.axis, &c.roi, c.maxBytes
		var list []kernels.Spec
		for _, s := range GlobalKernels() {
			sep := ":"
			if strings.Contains(s.String(), ":") {
				sep = ","
			}
			list = append(list, kernel(t, s.String()+sep+c.keys))
		}
		pages, failed := surveyedBy(t, cfg, list)
		if len(pages) != 1 || len(failed) > 0 {
			t.Fatalf("%d pages, failed %q", len(pages), failed)
		}
		p := pages[0]
		if p.Filter != c.keys || p.FilterText() != c.text || p.Stored != segment.U8 || p.Type != segment.F32 {
			t.Errorf("%q, %q, %s from %s", p.Filter, p.FilterText(), p.Type, p.Stored)
		}
		page := filteredPage(t, img, list[0], c.axis)
		checked := 0
		for i := range p.Kernels {
			k := &p.Kernels[i]
			checked += sameAsARun(t, cfg, p, k)
			if want := GlobalKernels()[i].String(); k.Name != want || k.Kernel != list[i].String() {
				t.Errorf("%s is called %s, want %s", k.Kernel, k.Name, want)
			}
			for _, th := range k.Thresholds {
				if n := countAbove(p, page, th); n != th.Above {
					t.Errorf("%s %s %g: %d above, counted are %d", k.Kernel, th.Role, th.Value, th.Above, n)
				}
			}
		}
		if checked < 14 {
			t.Errorf("%s: only %d kernels have been compared", c.text, checked)
		}
	}
}
