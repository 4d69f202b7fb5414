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
	chosen   bool // the kernels are the user's own
	groups   []*tryGroup
	job      *pageJob            // that of the first group, by which the page is shown
	raw      []segment.Histogram // of the samples as stored
	window   tryWindow
	trials   []Trial
	leftOut  LeftOutList
	warnings []string // of chosen kernels
}

// run counts samples, binds every kernel, and segments the page with each.
func (w *tryWork) run(ctx context.Context) error {
	for i, g := range w.groups {
		if err := w.count(ctx, i == 0, g); err != nil {
			return err
		}
		from := len(w.trials)
		for _, s := range g.specs {
			w.bind(ctx, i, s)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.segment(ctx, g, w.trials[from:]); err != nil {
			return err
		}
		if i > 0 {
			g.job.bands.close() // so that no more than two groups hold a page
		}
	}
	if len(w.trials) == 0 {
		return errors.New("no kernel finds thresholds: " + w.why())
	}
	w.sum()
	return nil
}

// count gathers the histogram of what the kernels of a group see. With the first it looks at the samples as stored, too.
func (w *tryWork) count(ctx context.Context, first bool, g *tryGroup) error {
	j := g.job
	if first {
		w.window = newTryWindow(j)
	}
	filtering := j.bands.filtering()
	err := j.bands.compared(ctx, func(b *segment.Band, l segment.Loaded, c *comparedBand) error {
		if first {
			w.window.look(b)
			if filtering {
				if err := l.Histogram(ctx, false, w.raw); err != nil {
					return err
				}
			}
		}
		return c.loaded.Histogram(ctx, false, g.hist)
	})
	if err != nil {
		return err
	}
	if first {
		if !filtering {
			w.raw = g.hist
		}
		if err := j.cfg.checkNaN(&w.raw[0]); err != nil {
			return err
		}
		w.window.choose()
	}
	j.hist, j.seen = &w.raw[0], &g.hist[0]
	return g.fine(ctx)
}

// segment adds up what the trials of a group find.
func (w *tryWork) segment(ctx context.Context, g *tryGroup, trials []Trial) error {
	if len(trials) == 0 {
		return nil
	}
	j := g.job
	o := segment.Options{Edges: j.cfg.Edges, Masks: j.cfg.Refine.MinActivations > 0}
	return j.bands.compared(ctx, func(b *segment.Band, l segment.Loaded, c *comparedBand) error {
		for i := range trials {
			t := &trials[i]
			if err := c.loaded.Segment(ctx, t.classifier, o, nil, &j.result); err != nil {
				return err
			}
			kept := &j.result.Kept
			j.cfg.Refine.Spans(kept)
			if o.Masks {
				if err := j.measure(ctx, l, kept, &j.kept); err != nil {
					return err
				}
				j.cfg.Refine.Activations(kept, j.kept.stats)
			}
			w.take(t, &c.Band, kept)
		}
		return nil
	})
}

// why says what is the matter with a page on which nothing can be tried.
func (w *tryWork) why() string {
	switch h := &w.groups[0].hist[0]; {
	case h.N == 0:
		return "no sample is finite"
	case h.Min == h.Max:
		return fmt.Sprintf("every finite sample is %g", h.Min)
	}
	if len(w.leftOut) > 0 {
		return w.leftOut[0].String()
	}
	return "none depends on the image"
}

// bind adds a kernel's trials, one a polarity, or says why there are none.
func (w *tryWork) bind(ctx context.Context, group int, s kernels.Spec) {
	g := w.groups[group]
	needs := s.Needs()
	local := needs.HaloLines > 0 || needs.HaloSamples > 0
	for _, invert := range []bool{false, true} {
		c, report, err := g.bind(ctx, s, invert)
		switch {
		case err != nil:
			w.leftOut.Add(s.String(), err.Error())
			return
		case !report.Automatic && !local && !w.chosen:
			return // the user's own values: nothing is known of them
		case report.Automatic && !local && len(report.Lo) == 0:
			why := report.Warnings // that there is one value, or none
			if len(why) == 0 {
				why = []string{"finds no thresholds"}
			}
			for _, text := range why {
				w.leftOut.Add(s.String(), text)
			}
			return
		}
		w.warn(report.Warnings)
		t := Trial{Spec: s.String(), Invert: invert, classifier: c, lo: math.NaN(), hi: math.NaN(), group: group}
		t.Boundary, t.Activation = conditions(&report, g.job.span(), invert)
		if len(report.Lo) == 1 {
			t.lo, t.hi = report.Lo[0], report.Hi[0]
		}
		t.key = g.occupied(t.lo, t.hi)
		same := func(u Trial) bool { return !local && u.group == group && u.Invert == invert && u.key == t.key }
		if i := slices.IndexFunc(w.trials, same); i >= 0 {
			w.trials[i].Same = append(w.trials[i].Same, t.Spec)
			continue
		}
		w.trials = append(w.trials, t)
	}
}

// warn keeps what a chosen kernel says of the page.
func (w *tryWork) warn(warnings []string) {
	for _, text := range warnings {
		if w.chosen && !slices.Contains(w.warnings, text) {
			w.warnings = append(w.warnings, text)
		}
	}
}

// occupied moves thresholds to samples that the page holds: kernels whose thresholds are the same then call every
// sample of it the same. The bins of floats are too wide to tell, so theirs stay.
func (g *tryGroup) occupied(lo, hi float64) [2]float64 {
	h := &g.hist[0]
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
		if w.chosen || found[t.Spec] {
			return false
		}
		if !t.Invert {
			w.leftOut.Add(t.Spec, "no segments either way")
		}
		return true
	})
}
