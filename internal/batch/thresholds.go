package batch

import (
	"context"
	"fmt"
	"image"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
)

// PageThresholds is what every global kernel finds on one page. Stored is the type of its samples, Type that of the samples
// compared: float with a flat field or filters. Filter is the filters as keys of a kernel, or empty; they run along lines of
// Axis. Of the samples compared Samples counts the finite ones, Min and Max are theirs (NaN without any), NaN and Infinite
// count the others, which enter no threshold. Region is the part of the page looked at. Plot is the file of its plot, or
// empty.
type PageThresholds struct {
	File, Filter           string
	Page, Pages            int
	Width, Height          int64
	Region                 image.Rectangle
	Axis                   segment.Axis
	Stored, Type           segment.SampleType
	Samples, NaN, Infinite uint64
	Min, Max               float64
	Kernels                []KernelThresholds
	Warnings               []string
	Plot                   string
}

// KernelThresholds is what one kernel finds: Lo and Hi as a run compares them (boundary v <= Lo, activation v >= Hi;
// NaN where it finds none). Notes are its warnings, or why it has no answer.
type KernelThresholds struct {
	Kernel     string // canonical spec
	Name       string // the same without filters, which all kernels of a page share
	Thresholds []Threshold
	Lo, Hi     float64
	Notes      []string
}

// Threshold is a value in sample units with the finite samples on its upper side: those above it, or for Hi those at
// it too, as each is compared.
type Threshold struct {
	Role  ThresholdRole
	Value float64
	Above uint64
}

// Bounds and Activates tell whether boundaries end at threshold i, and whether activations begin there.
func (k *KernelThresholds) Bounds(i int) bool {
	return k.Thresholds[i].Role == RoleLo || k.Thresholds[i].Role == RoleT && i == 0
}

// Activates: see Bounds.
func (k *KernelThresholds) Activates(i int) bool {
	return k.Thresholds[i].Role == RoleHi || k.Thresholds[i].Role == RoleT && i == len(k.Thresholds)-1
}

// ThresholdRole says what a threshold is: an automatic one, the last value of a lower class; or, of kernels that place
// both themselves, where boundaries end and where activations begin.
type ThresholdRole string

// The roles of thresholds.
const (
	RoleT  ThresholdRole = "t"
	RoleLo ThresholdRole = "lo"
	RoleHi ThresholdRole = "hi"
)

// FilterText is the filters for people, "" for none.
func (p *PageThresholds) FilterText() string {
	if p.Filter != "" && p.Axis == segment.Cols {
		return p.Filter + " down columns"
	}
	return p.Filter
}

// Share is the samples on the upper side of t in percent of the finite ones; NaN without any.
func (p *PageThresholds) Share(t Threshold) float64 {
	return 100 * float64(t.Above) / float64(p.Samples)
}

// GlobalKernels are the kernels that find thresholds for a page in its histogram, each as its name alone has it, and
// multiotsu with every number of classes.
func GlobalKernels() []kernels.Spec {
	var list []kernels.Spec
	add := func(text string) {
		s, err := kernels.Parse(text)
		if err != nil { // it wants values of the user's
			return
		}
		n := s.Needs()
		if n.Histogram && !n.PerLine && n.Needs == (segment.Needs{}) && len(s.Filters()) == 0 {
			list = append(list, s)
		}
	}
	for _, k := range kernels.List() {
		if k.Name != "multiotsu" {
			add(k.Name)
			continue
		}
		for classes := 2; classes <= 5; classes++ {
			add(k.Name + ":classes=" + strconv.Itoa(classes))
		}
	}
	return list
}

// filterKeys is the filters of a kernel as keys, which are the last ones of its spec; "" for none.
func filterKeys(s kernels.Spec) string {
	var keys []string
	for _, f := range s.Filters() {
		keys = append(keys, fmt.Sprint(f))
	}
	return strings.Join(keys, ",")
}

// thresholdWork is one file whose pages are looked at.
type thresholdWork struct {
	*fileWork
	specs []kernels.Spec
	each  func(*PageThresholds) error
}

// thresholds looks at the pages of one file in order, up to the first that fails. It never panics. The error is
// a *FileError, or what each gave.
func (w *thresholdWork) thresholds(ctx context.Context) (err error) {
	var stopped error
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
		if err != nil && stopped == nil {
			err = &FileError{File: w.file.Name(), Page: w.page, Err: err}
		}
	}()
	src, err := openSource(ctx, w.cfg, w.file)
	if err != nil {
		return err
	}
	defer src.close()
	rd, err := w.cfg.Open(src, src.size, w.file.Name(), w.cfg.Raster)
	if err != nil {
		return err
	}
	defer rd.Close()
	pages, of, err := w.cfg.choosePages(rd)
	if err != nil {
		return err
	}
	w.of, w.several = of, of > 1
	for _, i := range pages {
		w.page = i
		p, err := w.look(ctx, rd, i)
		if err != nil {
			return w.pageError(ctx, err)
		}
		if stopped = w.each(p); stopped != nil {
			return stopped
		}
	}
	w.page = -1
	w.removeStale(rd)
	return nil
}

// look finds the thresholds of one page, and draws them if asked.
func (w *thresholdWork) look(ctx context.Context, rd raster.Reader, i int) (*PageThresholds, error) {
	page, err := rd.Page(i)
	if err != nil {
		return nil, err
	}
	info := page.Info()
	eng, _, err := w.cfg.Engine(info)
	if err != nil {
		return nil, err
	}
	job, err := newPageJob(w.cfg, page, eng)
	if err != nil {
		return nil, err
	}
	if err := filtersFit(w.specs[0], info, w.cfg.Axis); err != nil {
		return nil, fmt.Errorf("--with: %w", err) // of all kernels, none of which anybody named
	}
	free, err := w.budget.take(ctx, w.cfg.memory(rd.Format(), info))
	if err != nil {
		return nil, err
	}
	defer free()
	defer job.bands.close()
	if w.field != nil {
		if job.bands.field, err = w.field.of(ctx, info); err != nil {
			return nil, err
		}
	}
	hs := []segment.Histogram{newHistogram(job.kernelInfo().Type)}
	if err := job.countCompared(ctx, hs); err != nil {
		return nil, err
	}
	h := &hs[0]
	p := &PageThresholds{
		File: w.file.Name(), Filter: filterKeys(w.specs[0]), Page: i, Pages: w.of, Width: info.Width, Height: info.Height, Region: job.bands.region, Axis: w.cfg.Axis,
		Stored: info.Type, Type: h.Type, Samples: h.N, NaN: h.NaN, Infinite: h.NotFinite - h.NaN, Min: h.Min, Max: h.Max,
	}
	if h.N == 0 {
		p.Min, p.Max = math.NaN(), math.NaN()
	}
	if p.Kernels, err = findThresholds(ctx, job, h, w.specs, w.inner); err != nil {
		return nil, err
	}
	p.Warnings = slices.Concat(w.newWarnings(rd), info.Warnings)
	if len(w.cfg.Plots) > 0 {
		p.Plot, err = w.plotThresholds(ctx, job, p, h)
	}
	return p, err
}

// findThresholds binds every kernel to the histogram of a page as a run of that kernel alone does, and counts the
// samples above what each finds, so many kernels at once. Float pages are passed over again: once for the finer counts that kernels ask for,
// once for those that the thresholds lie in.
func findThresholds(ctx context.Context, j *pageJob, h *segment.Histogram, specs []kernels.Spec, workers int) ([]KernelThresholds, error) {
	info := j.kernelInfo()
	asked := make([][]uint16, len(specs))
	var all []uint16
	for i, s := range specs {
		asked[i] = fineBins(s, info, []segment.Histogram{*h})
		all = append(all, asked[i]...)
	}
	fine, err := j.fineCounts(ctx, h, all)
	if err != nil {
		return nil, err
	}
	found := make([]KernelThresholds, len(specs))
	group, inside := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i, s := range specs {
		group.Go(func() error {
			if inside.Err() != nil {
				return context.Cause(inside)
			}
			own := withFine(h, fine, asked[i])
			return guarded(func() { found[i] = bindThresholds(s, info, &own) })
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return found, j.countAbove(ctx, h, fine, found)
}

// withFine is h with the finer counts that a kernel asks for, of all there are: more would move its thresholds away from
// those of a run.
func withFine(h *segment.Histogram, fine map[uint16][]uint64, asked []uint16) segment.Histogram {
	own := *h
	own.Fine = nil
	if len(asked) > 0 {
		own.Fine = make(map[uint16][]uint64, len(asked))
	}
	for _, k := range asked {
		own.Fine[k] = fine[k]
	}
	return own
}

// guarded turns a panic of fn, which runs in a goroutine of its own, into an error.
func guarded(fn func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	fn()
	return nil
}

// fineCounts is a pass over the samples for the counts of some bins of an f32 histogram.
func (j *pageJob) fineCounts(ctx context.Context, h *segment.Histogram, keys []uint16) (map[uint16][]uint64, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	slices.Sort(keys)
	own := *h
	own.Fine = newFine(slices.Compact(keys))
	if err := j.countCompared(ctx, []segment.Histogram{own}); err != nil {
		return nil, err
	}
	return own.Fine, nil
}

// bindThresholds is what a kernel finds on a page, samples not yet counted.
func bindThresholds(s kernels.Spec, info *segment.PageInfo, h *segment.Histogram) KernelThresholds {
	k := KernelThresholds{Kernel: s.String(), Name: s.String(), Lo: math.NaN(), Hi: math.NaN()}
	if keys := filterKeys(s); keys != "" {
		k.Name = strings.TrimRight(strings.TrimSuffix(k.Kernel, keys), ":,")
	}
	_, r, err := s.Bind(info, []segment.Histogram{*h}, kernels.Options{})
	name, _, _ := strings.Cut(k.Kernel, ":")
	note := func(text string) { k.Notes = append(k.Notes, strings.TrimPrefix(text, "kernel "+name+": ")) }
	if err != nil {
		note(err.Error())
		return k
	}
	for _, w := range r.Warnings {
		note(w)
	}
	if len(r.Lo) != 1 {
		return k
	}
	k.Lo, k.Hi = r.Lo[0], r.Hi[0]
	for _, t := range r.T {
		k.Thresholds = append(k.Thresholds, Threshold{Role: RoleT, Value: t})
	}
	if len(r.T) > 0 {
		return k
	}
	for _, t := range []Threshold{{Role: RoleLo, Value: k.Lo}, {Role: RoleHi, Value: k.Hi}} {
		if !math.IsInf(t.Value, 0) { // beyond all samples: its note says so
			k.Thresholds = append(k.Thresholds, t)
		}
	}
	return k
}

// countAbove counts the samples above each threshold, exactly.
func (j *pageJob) countAbove(ctx context.Context, h *segment.Histogram, fine map[uint16][]uint64, found []KernelThresholds) error {
	var missing []uint16
	each := func(fn func(t *Threshold)) {
		for i := range found {
			for k := range found[i].Thresholds {
				fn(&found[i].Thresholds[k])
			}
		}
	}
	if h.Type == segment.F32 {
		each(func(t *Threshold) {
			key := uint16(t.firstKey() >> 16)
			if fine[key] == nil && h.Bins[key] > 0 {
				missing = append(missing, key)
			}
		})
	}
	more, err := j.fineCounts(ctx, h, missing)
	if err != nil {
		return err
	}
	each(func(t *Threshold) { t.count(h, fine, more) })
	return nil
}

// firstKey is the key of the least float32 that counts as above t.
func (t *Threshold) firstKey() uint32 {
	f := float32(t.Value)
	if float64(f) < t.Value || float64(f) == t.Value && t.Role != RoleHi {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return segment.FloatKey(f)
}

// count sets Above from a histogram, of which fine and more split the bins of f32 that need it.
func (t *Threshold) count(h *segment.Histogram, fine, more map[uint16][]uint64) {
	if h.Type != segment.F32 {
		first := math.Floor(t.Value) + 1
		if t.Role == RoleHi {
			first = math.Ceil(t.Value)
		}
		t.Above = total(h.Bins[int(min(max(first, 0), float64(len(h.Bins)))):])
		return
	}
	first := t.firstKey()
	key, low := uint16(first>>16), first&0xffff
	t.Above = total(h.Bins[int(key)+1:])
	if split := fine[key]; split != nil {
		t.Above += total(split[low:])
	} else if split := more[key]; split != nil {
		t.Above += total(split[low:])
	}
}

func total(counts []uint64) (n uint64) {
	for _, c := range counts {
		n += c
	}
	return n
}
