package kernels

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"segscan/segment"
)

// FilterParams are the keys that every kernel takes beside its own, in the order of what they do.
func FilterParams() []Param {
	return []Param{
		{"baseline", "", "median:N or opening:N, subtracted first, against drift: the median of N samples of the line (odd, 3 to 65535), or the " +
			"greatest of the least of N, which keeps what is narrower than N and stands out upwards; % then counts from the baseline"},
		{"smooth", "0", "then smoothed along the line by a Gaussian of this standard deviation in samples (at most 250), cut off at four of them"},
		{"smooth2d", "0", "then the same along the line and across lines"},
	}
}

// FilterSource is where the filters come from.
const FilterSource = "Gaussian: Marr and Hildreth, Proc. R. Soc. Lond. B 207, 1980; running median: Tukey, Exploratory Data Analysis, 1977; " +
	"opening (top-hat): Serra, Image Analysis and Mathematical Morphology, 1982"

// withFilters makes a spec look at filtered samples, if any of values, keys of FilterParams, asks for that.
func withFilters(s Spec, kernel string, values map[string]string) (Spec, error) {
	f := &Filter{kernel: kernel}
	a := args{kernel: kernel, values: values}
	err := a.baseline(f)
	if err == nil {
		f.Smooth, err = a.sigma("smooth")
	}
	if err == nil {
		f.Smooth2D, err = a.sigma("smooth2d")
	}
	if err != nil || f.String() == "" {
		return s, err
	}
	if ColoursOnly(s) {
		return nil, usagef("leave it out", "kernel %s: %s has no effect: the kernel looks at colours, which filters leave as they are", kernel, f)
	}
	if g, ok := s.(*global); ok && f.Baseline == BaselineMedian {
		h := *g
		h.signed = true
		s = &h
	}
	w := &filtered{Spec: s, filter: f}
	switch s.(type) {
	case Surveyed:
		return filteredSurveyed{w}, nil
	case Incremental:
		return filteredIncremental{w}, nil
	}
	return w, nil
}

// isFilterKey tells whether a key is one of FilterParams.
func isFilterKey(key string) bool {
	return slices.ContainsFunc(FilterParams(), func(p Param) bool { return p.Name == key })
}

// sigma reads a standard deviation; 0 is none.
func (a args) sigma(key string) (float64, error) {
	s, ok := a.values[key]
	if !ok {
		return 0, nil
	}
	hint := fmt.Sprintf("a standard deviation in samples such as %s=2; 0 is none", key)
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || math.IsNaN(x):
		return 0, usagef(hint, "kernel %s: %s=%s is not a number", a.kernel, key, s)
	case x < 0:
		return 0, usagef(hint, "kernel %s: %s=%s is less than 0", a.kernel, key, s)
	case x > MaxSigma:
		return 0, usagef(fmt.Sprintf("at most %s=%d; against drift that is slower still there is baseline=median:N", key, MaxSigma),
			"kernel %s: %s=%s is too large", a.kernel, key, s)
	case x > 0 && gaussRadius(x) == 0:
		return 0, usagef(hint, "kernel %s: %s=%s is too small to reach the next sample, and would change nothing", a.kernel, key, s)
	}
	return x + 0, nil
}

// baseline reads median:N or opening:N.
func (a args) baseline(f *Filter) error {
	s, ok := a.values["baseline"]
	if !ok {
		return nil
	}
	const hint = "for example baseline=median:101 or baseline=opening:51"
	name, size, _ := strings.Cut(strings.ToLower(s), ":")
	switch strings.TrimSpace(name) {
	case "median":
		f.Baseline = BaselineMedian
	case "opening":
		f.Baseline = BaselineOpening
	default:
		return usagef(hint, "kernel %s: baseline=%s is neither median:N nor opening:N", a.kernel, s)
	}
	n, err := strconv.Atoi(strings.TrimSpace(size))
	switch {
	case err != nil:
		return usagef(hint, "kernel %s: baseline=%s has no number of samples behind the colon", a.kernel, s)
	case n < 3 || n > MaxBaseline:
		return usagef(fmt.Sprintf("use an odd number from 3 to %d", MaxBaseline), "kernel %s: baseline=%s is out of range", a.kernel, s)
	case n%2 == 0:
		return usagef(fmt.Sprintf("a window has a sample in its middle: use %d or %d", n-1, n+1), "kernel %s: baseline=%s is even", a.kernel, s)
	}
	f.Window = n
	return nil
}

// filtered is a spec that looks at filtered samples.
type filtered struct {
	Spec
	filter *Filter
}

func (s *filtered) unfiltered() Spec { return s.Spec }

// String puts the filter's keys behind the kernel's own.
func (s *filtered) String() string {
	text := s.Spec.String()
	if strings.Contains(text, ":") {
		return text + "," + s.filter.String()
	}
	return text + ":" + s.filter.String()
}

func (s *filtered) Filters() []segment.Filter { return []segment.Filter{s.filter} }

// PageNeeds implements PageNeeder.
func (s *filtered) PageNeeds(p *segment.PageInfo) Needs { return PageNeeds(s.Spec, s.filter.Page(p)) }

func (s *filtered) FineBins(p *segment.PageInfo, h []segment.Histogram) []uint16 {
	return s.Spec.FineBins(s.filter.Page(p), h)
}

func (s *filtered) Bind(p *segment.PageInfo, h []segment.Histogram, o Options) (segment.Classifier, Report, error) {
	return s.Spec.Bind(s.filter.Page(p), h, o)
}

// filteredIncremental and filteredSurveyed are specs that take histograms bit by bit, or look at the page first.
type (
	filteredIncremental struct{ *filtered }
	filteredSurveyed    struct{ *filtered }
)

func (s filteredIncremental) Start(p *segment.PageInfo, o Options) Binding {
	return s.Spec.(Incremental).Start(s.filter.Page(p), o)
}

func (s filteredSurveyed) Survey(p *segment.PageInfo) (Survey, error) {
	return s.Spec.(Surveyed).Survey(s.filter.Page(p))
}

// ContextFilter is a filter that can be ended.
type ContextFilter interface {
	segment.Filter
	// ApplyContext is Apply on up to workers goroutines (0: as many as the program may use), which end soon after ctx, with
	// its error. Results do not depend on workers.
	ApplyContext(ctx context.Context, workers int, in segment.Band, out *segment.Band) error
}

// ApplyFilters gives the band that filters make of b, one after the other, on up to workers goroutines (0: as many as the
// program may use); with none, b itself. Where ctx ends, its error is what is returned.
func ApplyFilters(ctx context.Context, workers int, b segment.Band, filters []segment.Filter) (segment.Band, error) {
	for _, f := range filters {
		err := ctx.Err()
		var out segment.Band
		if c, ok := f.(ContextFilter); err == nil && ok {
			err = c.ApplyContext(ctx, workers, b, &out)
		} else if err == nil {
			err = f.Apply(b, &out)
		}
		switch {
		case err == nil:
			b = out
		case err == ctx.Err():
			return segment.Band{}, err
		default:
			return segment.Band{}, fmt.Errorf("filtering: %w", err)
		}
	}
	return b, nil
}
