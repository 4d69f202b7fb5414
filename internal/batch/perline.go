package batch

import (
	"context"
	"fmt"
	"math"
	"time"

	"segscan/segment"
)

// bindLines binds a kernel that chooses thresholds for each line, some lines at a time: 65536 bins a line for all
// lines of a page at once would be more than the page. The pieces are joined into one table of a threshold a line.
func (j *pageJob) bindLines(ctx context.Context, info *segment.PageInfo) (segment.Classifier, error) {
	j.bands.close() // a band kept since the histogram pass may hold more lines than can have a histogram each
	line0, _ := j.bands.first()
	all := segment.Thresholds{Lo: make([]float64, line0), Hi: make([]float64, line0)}
	for i := range all.Lo { // lines before the region hold no sample of it
		all.Lo[i], all.Hi[i] = math.Inf(-1), math.Inf(1)
	}
	few := *j.bands
	few.request.MaxBytes = linesAtOnce * few.samples() * int64(j.info.Type.Bytes())
	defer few.close()
	err := few.each(ctx, func(b *segment.Band, l segment.Loaded) error {
		defer j.clock.add("histogram", time.Now())
		return filtered(ctx, l, j.cfg.Kernel.Filters(), func(l segment.Loaded) error {
			return j.bindBand(ctx, info, b.Lines, l, &all)
		})
	})
	return all, err
}

// linesAtOnce is how many lines have a histogram at one time: 16 MiB of bins.
const linesAtOnce = 32

// bindBand adds the thresholds of one band of so many lines.
func (j *pageJob) bindBand(ctx context.Context, info *segment.PageInfo, lines int, l segment.Loaded, all *segment.Thresholds) error {
	k := j.cfg.Kernel
	hs := make([]segment.Histogram, lines)
	for i := range hs {
		hs[i] = newHistogram(info.Type)
	}
	if err := l.Histogram(ctx, true, hs); err != nil {
		return err
	}
	if keys := fineBins(k, info, hs); len(keys) > 0 {
		for i := range hs {
			hs[i].Fine = newFine(keys)
		}
		if err := l.Histogram(ctx, true, hs); err != nil {
			return err
		}
	}
	c, report, err := k.Bind(info, hs, j.cfg.KernelOptions)
	if err != nil {
		return bindError(err)
	}
	t, ok := c.(segment.Thresholds)
	if !ok || len(t.Lo) != lines || len(t.Hi) != lines {
		return fmt.Errorf("the kernel %s gave no threshold for each of %d lines", k, lines)
	}
	all.Lo, all.Hi = append(all.Lo, t.Lo...), append(all.Hi, t.Hi...)
	all.Swap, all.NaN = t.Swap, t.NaN
	j.report.Lo, j.report.Hi = append(j.report.Lo, report.Lo...), append(j.report.Hi, report.Hi...)
	j.report.T = append(j.report.T, report.T...)
	j.report.Warnings = append(j.report.Warnings, report.Warnings...)
	j.report.Text, j.report.Automatic = report.Text, j.report.Automatic || report.Automatic
	return nil
}
