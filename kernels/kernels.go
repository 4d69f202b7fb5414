// Package kernels holds the threshold kernels: a registry, the parser of -k values, automatic thresholds, and the
// classifiers they bind to a page. It depends on segment only.
//
// Most kernels compare samples with two thresholds: boundary v <= lo, activation v >= hi. Hysteresis takes both from
// the user, as numbers, shares of the nominal range, percentiles, or automatic methods with a margin; others find them
// in the histogram of the page, or of each line. Color and distance look at colours. Expr asks two conditions that
// the user wrote. Parse reads a -k value, List describes the kernels.
package kernels

import "segscan/segment"

// Options apply to every kernel: Invert exchanges boundary and activation, NaN is the class of NaN samples
// (classed first, never exchanged).
type Options struct {
	Invert bool
	NaN    segment.Class
}

// Needs of a kernel: what classification must see around a band, and whether thresholds depend on a histogram
// (PerLine: one a line) that must be gathered first.
type Needs struct {
	segment.Needs
	Histogram, PerLine bool
}

// Report says what thresholds a kernel chose for a page. T are the automatic thresholds t as found (last value of
// the lower class; nil if the kernel has none or found none), Lo and Hi those as compared (boundary v <= Lo,
// activation v >= Hi; one, or one a line; nil where none exist). Text says what is compared, with all that the kernel took
// from the page; Short is the same for people, to stand beside the kernel: without its name, and with six significant
// digits of numbers that have more. Automatic tells whether the thresholds depend on the image. With per=line, Lo and Hi
// hold -Inf and +Inf for a line without thresholds, and T holds those of the lines that have some, one line after another.
// Missing are warnings for a page on which no sample turns out to be a boundary, and no sample an activation; "" where
// there is nothing to say.
type Report struct {
	T, Lo, Hi []float64
	Text      string
	Short     string
	Warnings  []string
	Automatic bool
	Missing   struct{ Boundary, Activation string }
}

// Spec is a parsed -k value.
type Spec interface {
	// String is canonical; it goes into records, and parses to the same Spec.
	String() string
	Needs() Needs
	Filters() []segment.Filter
	// FineBins tells, from the coarse histograms of an f32 page, which top-16-bit keys need a second pass for
	// exact percentiles (see segment.Histogram.Fine); empty for integers and for kernels that need none.
	FineBins(p *segment.PageInfo, h []segment.Histogram) []uint16
	// Bind makes the classifier of a page; h holds one histogram, or one a line, or is nil if Needs says so.
	// An error means that this page fails; a *UsageError that no page could succeed.
	Bind(p *segment.PageInfo, h []segment.Histogram, o Options) (segment.Classifier, Report, error)
}

// PageNeeder is implemented by specs that need less for some pages than for others.
type PageNeeder interface {
	PageNeeds(p *segment.PageInfo) Needs
}

// PageNeeds is what a kernel needs for one page: at most what its Needs says.
func PageNeeds(s Spec, p *segment.PageInfo) Needs {
	if n, ok := s.(PageNeeder); ok {
		return n.PageNeeds(p)
	}
	return s.Needs()
}

// UsageError is a -k value that can never work; Hint may name a remedy. Unknown: the kernel has no parameter of that name.
type UsageError struct {
	Msg, Hint string
	Unknown   bool
}

func (e *UsageError) Error() string { return e.Msg }

// Param describes one key of a kernel for help texts.
type Param struct{ Name, Default, Help string }

// Info describes a kernel for `segscan kernels`. Notes say what else is to be known, each under a word of its own.
type Info struct {
	Name, Summary, When, Source string
	Params                      []Param
	Notes                       []Param
	Example                     string
}
