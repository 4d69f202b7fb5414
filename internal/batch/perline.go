package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"segscan/kernels"
	"segscan/segment"
)

// Lines that have a histogram at one time: 65536 bins a line for all lines of a page at once would be more than the
// page. A float line longer than sortedSamples may need a fine histogram for up to 64 of its bins, 32 MiB; others are
// sorted.
const (
	linesAtOnce      = 32
	floatLinesAtOnce = 4
	sortedSamples    = 1 << 17
)

// Filters tells whether samples are corrected or filtered before the kernel sees them.
func (c *Config) Filters() bool { return c.Background != "" || len(c.Kernel.Filters()) > 0 }

// SortsLines tells whether the kernel's thresholds of each line are found in its sorted samples. The CPU sorts, whatever
// the page's engine.
func (c *Config) SortsLines(p *segment.PageInfo) bool {
	region, err := c.region(p)
	if err != nil || !c.Kernel.Needs().PerLine || p.Type != segment.F32 && !c.Filters() {
		return false
	}
	samples := region.Dx()
	if c.Axis == segment.Cols {
		samples = region.Dy()
	}
	return samples <= sortedSamples
}

// bindLines binds a kernel that chooses thresholds for each line, handing it the histograms of some lines at a time.
func (j *pageJob) bindLines(ctx context.Context, info *segment.PageInfo) (segment.Classifier, error) {
	k, ok := j.cfg.Kernel.(kernels.Incremental)
	if !ok {
		return nil, fmt.Errorf("the kernel %s wants a histogram of each line at once", j.cfg.Kernel)
	}
	binding := k.Start(info, j.cfg.KernelOptions)
	j.bands.close() // a band kept since the histogram pass may hold more lines than can have a histogram each
	few, lines := *j.bands, int64(linesAtOnce)
	sorted := j.cfg.SortsLines(j.info)
	if info.Type == segment.F32 && !sorted {
		lines = floatLinesAtOnce
	}
	var keep []float32
	few.request.MaxBytes = lines * few.samples() * int64(j.info.Type.Bytes())
	defer few.close()
	err := few.compared(ctx, func(b *segment.Band, _ segment.Loaded, c *comparedBand) error {
		defer j.clock.add("histogram", time.Now())
		if sorted {
			body := c.Body()
			for i := range body.Lines {
				at := i * body.Stride
				h := segment.SortedHistogram(body.F32[at:at+body.Samples], keep)
				keep = h.Sorted
				if err := binding.Add([]segment.Histogram{h}); err != nil {
					return err
				}
			}
			return nil
		}
		hs, err := lineHistograms(ctx, k, info, b.Lines, c.loaded)
		if err != nil {
			return err
		}
		return binding.Add(hs)
	})
	if err != nil {
		return nil, bindError(err)
	}
	c, report, err := binding.Finish()
	if err != nil {
		return nil, bindError(err)
	}
	t, ok := c.(segment.Thresholds)
	if !ok {
		return nil, errors.New("a kernel with a threshold for each line gave something else")
	}
	j.report = report
	// Thresholds are looked up by line of the page; lines before the region of interest hold no sample of it.
	if line0, _ := j.bands.first(); line0 > 0 && len(t.Lo) > 0 {
		n := int(line0)
		t.Lo = append(slices.Repeat([]float64{math.Inf(-1)}, n), t.Lo...)
		t.Hi = append(slices.Repeat([]float64{math.Inf(1)}, n), t.Hi...)
	}
	return t, nil
}

// lineHistograms gives each line of a band its histogram, with the fine counts that exact ranks of floats need.
func lineHistograms(ctx context.Context, k kernels.Spec, info *segment.PageInfo, lines int, l segment.Loaded) ([]segment.Histogram, error) {
	hs := make([]segment.Histogram, lines)
	for i := range hs {
		hs[i] = newHistogram(info.Type)
	}
	if err := l.Histogram(ctx, true, hs); err != nil {
		return nil, err
	}
	again := false
	for i := range hs {
		if keys := fineBins(k, info, hs[i:i+1]); len(keys) > 0 {
			hs[i].Fine, again = newFine(keys), true
		}
	}
	if again {
		// A histogram without Fine would be counted twice: lines that need none get an empty one.
		for i := range hs {
			if hs[i].Fine == nil {
				hs[i].Fine = map[uint16][]uint64{}
			}
		}
		if err := l.Histogram(ctx, true, hs); err != nil {
			return nil, err
		}
	}
	return hs, nil
}
