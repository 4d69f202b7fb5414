package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"segscan/kernels"
	"segscan/segment"
	"segscan/viz"
)

// tryWork is one page being tried.
type tryWork struct {
	job     *pageJob
	file    *PlannedFile
	hist    []segment.Histogram // of the page
	window  tryWindow
	trials  []Trial
	leftOut []string
}

// run counts samples, binds every kernel, and segments the page with each.
func (w *tryWork) run(ctx context.Context, specs []kernels.Spec) error {
	j := w.job
	// Conditions on colours are the user's own: nothing is known of them, and the channels need not be read.
	specs = slices.DeleteFunc(slices.Clone(specs), func(s kernels.Spec) bool { return s.Needs().Channels })
	for _, s := range specs {
		j.bands.request.Needs = j.bands.request.Needs.Max(s.Needs().Needs)
	}
	w.window = newTryWindow(j)
	w.hist = []segment.Histogram{newHistogram(j.info.Type)}
	err := j.bands.each(ctx, func(b *segment.Band, l segment.Loaded) error {
		w.window.look(b)
		return l.Histogram(ctx, false, w.hist)
	})
	if err != nil {
		return err
	}
	j.hist = &w.hist[0]
	w.window.choose()
	if err := w.fine(ctx, specs); err != nil {
		return err
	}
	for _, s := range specs {
		w.bind(ctx, s)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(w.trials) == 0 {
		return errors.New("no kernel finds thresholds: " + w.why())
	}
	var r segment.Result
	err = j.bands.each(ctx, func(b *segment.Band, l segment.Loaded) error {
		for i := range w.trials {
			t := &w.trials[i]
			if err := l.Segment(ctx, t.classifier, segment.Options{Edges: j.cfg.Edges}, nil, &r); err != nil {
				return err
			}
			w.take(t, b, &r.Kept)
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.sum()
	return nil
}

// why says what is the matter with a page on which nothing can be tried.
func (w *tryWork) why() string {
	switch h := &w.hist[0]; {
	case h.N == 0:
		return "no sample is finite"
	case h.Min == h.Max:
		return fmt.Sprintf("every finite sample is %g", h.Min)
	}
	if len(w.leftOut) > 0 {
		return w.leftOut[0]
	}
	return "none depends on the image"
}

// fine makes the second pass over float samples that exact percentiles need, once for all kernels.
func (w *tryWork) fine(ctx context.Context, specs []kernels.Spec) error {
	var keys []uint16
	for _, s := range specs {
		if s.Needs().Histogram {
			keys = append(keys, fineBins(s, w.job.info, w.hist)...)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	slices.Sort(keys)
	w.hist[0].Fine = newFine(slices.Compact(keys))
	return w.job.countInto(ctx, w.hist)
}

// bind adds a kernel's trials, one a polarity, or says why there are none.
func (w *tryWork) bind(ctx context.Context, s kernels.Spec) {
	needs := s.Needs()
	if needs.PerLine || len(s.Filters()) > 0 {
		return // variants of others, to be asked for by name
	}
	local := needs.HaloLines > 0 || needs.HaloSamples > 0
	hist := w.hist
	if needs.Histogram {
		h := &w.hist[0]
		hist = []segment.Histogram{withFine(h, h.Fine, fineBins(s, w.job.info, w.hist))}
	}
	for _, invert := range []bool{false, true} {
		o := w.job.cfg.KernelOptions
		o.Invert = invert
		c, report, err := w.job.bindTo(ctx, s, w.job.info, hist, o)
		switch {
		case err != nil:
			if why := err.Error(); !slices.Contains(w.leftOut, why) {
				w.leftOut = append(w.leftOut, why)
			}
			return
		case !report.Automatic && !local:
			return // the user's own values: nothing is known of them
		case !local && len(report.Lo) == 0:
			return // one value: said for all kernels at once
		}
		t := Trial{Spec: s.String(), Invert: invert, classifier: c, lo: math.NaN(), hi: math.NaN()}
		t.Boundary, t.Activation = conditions(&report, invert)
		if len(report.Lo) == 1 {
			t.lo, t.hi = report.Lo[0], report.Hi[0]
		}
		t.key = w.occupied(t.lo, t.hi)
		same := func(u Trial) bool { return !local && u.Invert == invert && u.key == t.key }
		if i := slices.IndexFunc(w.trials, same); i >= 0 {
			w.trials[i].Same = append(w.trials[i].Same, t.Spec)
			continue
		}
		w.trials = append(w.trials, t)
	}
}

// occupied moves thresholds to samples that the page holds: kernels whose thresholds are the same then call every
// sample of it the same. The bins of floats are too wide to tell, so theirs stay.
func (w *tryWork) occupied(lo, hi float64) [2]float64 {
	h := &w.hist[0]
	if h.Type == segment.F32 || math.IsNaN(lo) {
		return [2]float64{lo, hi}
	}
	for lo >= h.Min && h.Bins[int(min(lo, h.Max))] == 0 {
		lo--
	}
	for hi <= h.Max && h.Bins[int(max(hi, h.Min))] == 0 {
		hi++
	}
	return [2]float64{min(max(lo, h.Min-1), h.Max), max(min(hi, h.Max+1), h.Min)}
}

// take adds up the segments of one band, and keeps those that the sheet shows.
func (w *tryWork) take(t *Trial, b *segment.Band, kept *segment.Spans) {
	for i := range b.Lines {
		last := int64(-1)
		for _, s := range kept.Line(i) {
			start, end := int64(s.Start), int64(s.End)
			t.length += end - start + 1
			t.covered += end - max(start, last+1) + 1
			last = end
		}
	}
	t.total += int64(len(kept.Bounds))
	if w.window.curve {
		t.profile = viz.NewProfile(b, 0, kept.Line(0), nil)
		return
	}
	w.window.keep(&t.spans, b, kept)
}

// sum works out what is told of each trial, and leaves out kernels that found nothing either way.
func (w *tryWork) sum() {
	found := map[string]bool{}
	for i := range w.trials {
		t := &w.trials[i]
		t.Count, t.MeanLength = t.total, math.NaN()
		if t.total > 0 {
			t.MeanLength = float64(t.length) / float64(t.total)
			found[t.Spec] = true
		}
		t.Coverage = 100 * float64(t.covered) / float64(w.job.pixels())
	}
	if len(found) == 0 {
		return // then all are shown: the page has none
	}
	w.trials = slices.DeleteFunc(w.trials, func(t Trial) bool {
		if found[t.Spec] {
			return false
		}
		if !t.Invert {
			w.leftOut = append(w.leftOut, "kernel "+t.Spec+": no segments either way")
		}
		return true
	})
}
