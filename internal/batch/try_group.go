package batch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
)

// tryGroup is kernels that look at the same samples: those behind the same filters.
type tryGroup struct {
	job   *pageJob
	specs []kernels.Spec
	hist  []segment.Histogram // of the page as they see it
}

// begin sorts kernels by their filters, and prepares a pass over the page for each group.
func (w *tryWork) begin(ctx context.Context, cfg *Config, page raster.Page, field *flatField, specs []kernels.Spec) error {
	info := page.Info()
	eng, _, err := cfg.Engine(info)
	if err != nil {
		return err
	}
	if specs, err = w.fitting(cfg, info, specs); err != nil {
		return err
	}
	at := map[string]int{}
	for _, s := range specs {
		key := fmt.Sprint(s.Filters())
		i, known := at[key]
		if !known {
			i = len(w.groups)
			at[key] = i
			w.groups = append(w.groups, &tryGroup{})
		}
		w.groups[i].specs = append(w.groups[i].specs, s)
	}
	var light *pageField
	if field != nil {
		if light, err = field.of(ctx, info); err != nil {
			return err
		}
	}
	for _, g := range w.groups {
		own := *cfg
		own.Kernel, own.Plots = g.specs[0], nil
		if g.job, err = newPageJob(&own, page, eng); err != nil {
			return err
		}
		var needs segment.Needs
		for _, s := range g.specs {
			needs = needs.Max(s.Needs().Needs)
		}
		g.job.bands.request.Needs = behind(g.job.bands.filters, needs)
		g.job.bands.field = light
		g.hist = []segment.Histogram{newHistogram(g.job.kernelInfo().Type)}
	}
	w.job = w.groups[0].job
	w.raw = []segment.Histogram{newHistogram(info.Type)}
	return nil
}

// fitting are the kernels whose filters fit the lines of a page; the others are left out. None is an error.
func (w *tryWork) fitting(cfg *Config, info *segment.PageInfo, specs []kernels.Spec) ([]kernels.Spec, error) {
	var fit []kernels.Spec
	var first error
	for _, s := range specs {
		err := filtersFit(s, info, cfg.Axis)
		if err == nil {
			fit = append(fit, s)
			continue
		}
		name, _, _ := strings.Cut(s.String(), ":")
		w.leftOut.Add(name, err.Error())
		switch {
		case first != nil:
		case w.chosen:
			first = fmt.Errorf("filtering: kernel %s: %w", name, err)
		default: // all have the same filters, and nobody named a kernel
			first = fmt.Errorf("--with: %w", err)
		}
	}
	if len(fit) == 0 {
		return nil, first
	}
	return fit, nil
}

// filtersFit tells whether the filters of a kernel fit the lines of a page. The error names no kernel.
func filtersFit(s kernels.Spec, info *segment.PageInfo, axis segment.Axis) error {
	samples := info.Width
	if axis == segment.Cols {
		samples = info.Height
	}
	for _, f := range s.Filters() {
		if f, ok := f.(*kernels.Filter); ok {
			if err := f.Fits(samples); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *tryWork) close() {
	for _, g := range w.groups {
		if g.job != nil {
			g.job.bands.close()
		}
	}
}

// fine makes the second pass over float samples that exact percentiles need, once for all kernels of the group.
func (g *tryGroup) fine(ctx context.Context) error {
	var keys []uint16
	info := g.job.kernelInfo()
	for _, s := range g.specs {
		if n := kernels.PageNeeds(s, info); n.Histogram && !n.PerLine {
			keys = append(keys, fineBins(s, info, g.hist)...)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	slices.Sort(keys)
	g.hist[0].Fine = newFine(slices.Compact(keys))
	return g.job.countCompared(ctx, g.hist)
}

// bind binds one of the kernels to the page as the main job does.
func (g *tryGroup) bind(ctx context.Context, s kernels.Spec, invert bool) (segment.Classifier, kernels.Report, error) {
	info, o := g.job.kernelInfo(), g.job.cfg.KernelOptions
	o.Invert = invert
	needs := kernels.PageNeeds(s, info)
	if needs.PerLine {
		j, cfg := *g.job, *g.job.cfg
		cfg.Kernel, cfg.KernelOptions, j.cfg = s, o, &cfg
		c, err := j.bindLines(ctx, info)
		return c, j.report, err
	}
	var hist []segment.Histogram
	if needs.Histogram {
		h := &g.hist[0]
		hist = []segment.Histogram{withFine(h, h.Fine, fineBins(s, info, g.hist))}
	}
	return g.job.bindTo(ctx, s, info, hist, o)
}
