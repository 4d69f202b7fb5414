package segment

import "context"

// Class is what a threshold kernel says of one sample.
type Class uint8

// The three classes. Where a kernel calls a sample both boundary and activation, it is a boundary.
const (
	Other      Class = 0
	Boundary   Class = 1
	Activation Class = 2
)

// SampleType is the type samples are held and compared in.
type SampleType uint8

// Sample types: 8-bit 0..255, 16-bit 0..65535, and float32 as stored (signed, wide and half samples too).
const (
	U8 SampleType = iota
	U16
	F32
)

// String is the name used in records: u8, u16 or f32.
func (t SampleType) String() string {
	switch t {
	case U8:
		return "u8"
	case U16:
		return "u16"
	default:
		return "f32"
	}
}

// Bytes is the size of one sample.
func (t SampleType) Bytes() int {
	switch t {
	case U8:
		return 1
	case U16:
		return 2
	default:
		return 4
	}
}

// Axis is the direction of lines in the stored page.
type Axis uint8

// Rows: a line is a row, read left to right. Cols: a line is a column, read top to bottom.
const (
	Rows Axis = iota
	Cols
)

// Plane holds Lines x Samples samples; exactly one of U8, U16, F32 is set (all are nil for an empty plane);
// sample s of line l is at [l*Stride+s], Stride >= Samples.
type Plane struct {
	U8                     []uint8
	U16                    []uint16
	F32                    []float32
	Lines, Samples, Stride int
}

// PageInfo describes one page as stored. Width and Height are of the whole page in pixels, whatever the axis or
// region of interest. Min and Max are the nominal range of the stored type, what "%" in a threshold refers to
// (12 bits in 16: 0, 4095; signed 8: -128, 127); NaN, NaN for float. ColourMin and ColourMax are the same of the
// channels in Band.C, which Min and Max are not where V is a hue; 0, 0 where not told. Gray: the file has no colours,
// so r, g and b are equal. Warnings are for the user.
type PageInfo struct {
	File           string
	Page, Pages    int
	Width, Height  int64
	Type           SampleType
	Bits, Channels int
	Min, Max       float64
	Warnings       []string

	ColourMin, ColourMax float64
	Gray                 bool
}

// Needs is what a classifier or filter must see around the body of a band, in lines and samples each side.
type Needs struct {
	HaloLines, HaloSamples int
	Channels               bool
}

// Max is the need that covers both.
func (n Needs) Max(m Needs) Needs {
	return Needs{max(n.HaloLines, m.HaloLines), max(n.HaloSamples, m.HaloSamples), n.Channels || m.Channels}
}

// Halo counts the lines and samples held around a body on one side.
type Halo struct{ Lines, Samples int }

// Band is a run of whole lines of one page along Axis, or, only when one line exceeds the budget, a piece of one
// line. V and C hold the body and its halo: body sample s of body line l is at
// V[(Before.Lines+l)*Stride + Before.Samples+s]. A halo is shorter than asked only at the page's border (there:
// reflect).
type Band struct {
	Page           *PageInfo
	Axis           Axis
	Line0, Sample0 int64 // of the first body sample, in the page
	Lines, Samples int   // body
	Before, After  Halo
	V              Plane    // gray, or the chosen channel
	C              [4]Plane // r g b a after alpha treatment; set only if asked for
}

// Body is the part of V without its halo.
func (b *Band) Body() Plane { return b.V.Sub(b.Before.Lines, b.Before.Samples, b.Lines, b.Samples) }

// Sub is the Lines x Samples window of p whose first sample is at line l0, sample s0; it shares p's memory.
func (p Plane) Sub(l0, s0, lines, samples int) Plane {
	q := Plane{Lines: lines, Samples: samples, Stride: p.Stride}
	if lines <= 0 || samples <= 0 {
		return q
	}
	lo, hi := l0*p.Stride+s0, (l0+lines-1)*p.Stride+s0+samples
	switch {
	case p.U8 != nil:
		q.U8 = p.U8[lo:hi:hi]
	case p.U16 != nil:
		q.U16 = p.U16[lo:hi:hi]
	case p.F32 != nil:
		q.F32 = p.F32[lo:hi:hi]
	}
	return q
}

// Type is the sample type of the plane; an empty plane reports U8.
func (p Plane) Type() SampleType {
	switch {
	case p.U16 != nil:
		return U16
	case p.F32 != nil:
		return F32
	}
	return U8
}

// NewPlane allocates a plane in ordinary memory with Stride == samples.
func NewPlane(t SampleType, lines, samples int) Plane {
	p := Plane{Lines: lines, Samples: samples, Stride: samples}
	switch t {
	case U8:
		p.U8 = make([]uint8, lines*samples)
	case U16:
		p.U16 = make([]uint16, lines*samples)
	default:
		p.F32 = make([]float32, lines*samples)
	}
	return p
}

// Masks holds one bit a sample; lines start on a word: bit s%64 of word [l*Words+s/64], Words = (Samples+63)/64.
// B marks boundaries, A activations; they are disjoint, and bits from Samples on are zero in both.
type Masks struct {
	Lines, Samples, Words int
	B, A                  []uint64
}

// Classifier is a kernel bound to one page: pure, safe for concurrent use. Classify is its definition, on the CPU:
// it resizes out to the band's body and sets every word. An engine runs Thresholds, Table and the kernels it knows
// itself, and for any other calls Classify and takes the masks.
type Classifier interface {
	Needs() Needs
	Classify(b Band, out *Masks) error
}

// Thresholds: boundary v <= Lo[k], activation v >= Hi[k] (and not boundary), already in the sample's own type
// (v > t is Hi = the next value after t); one entry, or one for each line of the page (k = Line0 + l). Infinite
// bounds mean "no such sample" (Lo = -Inf, Hi = +Inf). Swap exchanges the two classes afterwards; NaN samples
// are given class NaN first and are never swapped. Both empty: every sample (but NaN) is other.
type Thresholds struct {
	Lo, Hi []float64
	Swap   bool
	NaN    Class
}

// Table gives the class of each of the 256 or 65536 sample values, swap applied.
type Table struct{ Of []Class }

// Filter makes f32 samples from samples (smooth, baseline) before histogram and classification; records measure
// the unfiltered samples.
type Filter interface {
	Needs() Needs
	Apply(in Band, out *Band) error
}

// Edges says what a line end is. EdgesDrop: no boundary. EdgesKeep: virtual boundaries at -1 and Samples.
type Edges uint8

// Edge rules.
const (
	EdgesDrop Edges = iota
	EdgesKeep
)

// Compaction chooses the form of the compaction pass; the output is the same.
type Compaction uint8

// Compaction forms: see compact.go.
const (
	SinglePass Compaction = iota
	MultiPass
)

// Options of one Segment call. Rejected asks for rejected spans too (a stable partition), Masks keeps the class
// bits in the result (Measure needs them).
type Options struct {
	Edges           Edges
	Compaction      Compaction
	Rejected, Masks bool
}

// Carry is the state of a line where it was cut into pieces; the zero value is a line start. Started: the line has
// begun; Armed: a boundary (real, or virtual under EdgesKeep) lies behind, the last one at Last (-1: the virtual
// one); Active: an activation came since then (or since the line start); Pos: samples of the line in earlier pieces,
// so that bounds are positions in the line and not in the piece. Final must be set by the caller for the last piece,
// so that the line end is handled; Segment then leaves the zero value, ready for the next line.
type Carry struct {
	Started, Armed, Active, Final bool
	Last, Pos                     int64
}

// Bound is a span in samples of the line, both ends inclusive (a line holds at most 2^32-1 samples).
type Bound struct{ Start, End uint32 }

// Span edge bits.
const (
	EdgeLeft  uint8 = 1 // the line's first span in this list begins at the virtual boundary before the line
	EdgeRight uint8 = 2 // the line's last span in this list ends at the virtual boundary after the line
)

// Spans in order of line and start; those of body line i are Bounds[First[i]:First[i+1]], len(First) == lines+1.
// Edge holds EdgeLeft and EdgeRight of each line (all zero under EdgesDrop). Positions count from the first body
// sample of the band, or, with a Carry, from the first sample of the line's first piece.
type Spans struct {
	Bounds []Bound
	First  []int64
	Edge   []uint8
}

// Line is the spans of body line i.
func (s *Spans) Line(i int) []Bound { return s.Bounds[s.First[i]:s.First[i+1]] }

// Result of one band. Its slices are reused by the next Segment call it is passed to.
type Result struct {
	Kept, Rejected Spans
	DroppedAtEdges int64 // activated runs that EdgesDrop left out
	Masks          *Masks
}

// Stat is over the samples strictly between the real or virtual boundaries of a span; NaN is skipped in Min, Max
// and Mean (all NaN: NaN). N counts samples, Activations those of class activation. Sums are exact for integers.
type Stat struct {
	N, Activations int64
	Min, Max, Mean float64
}

// Engine loads bands and runs the passes on them. It is safe for concurrent use; Slots is how many loaded bands at
// once still gain.
type Engine interface {
	// Device is "cpu" or "cuda:N".
	Device() string
	Slots() int
	// Alloc gives host memory this engine copies from fastest (one line of n samples) and its release function.
	Alloc(t SampleType, n int) (Plane, func())
	Load(ctx context.Context, b Band) (Loaded, error)
	Close() error
}

// Loaded is a band at the engine: one upload serves filter, histogram, scan and measurement.
type Loaded interface {
	// Filter gives the filtered band; both must be released.
	Filter(ctx context.Context, f Filter) (Loaded, error)
	// Histogram adds the band's body to add: one histogram for all lines, or, with perLine, one a body line.
	Histogram(ctx context.Context, perLine bool, add []Histogram) error
	// Segment classifies, scans and compacts the band into r. carry is nil but for a piece of one line.
	Segment(ctx context.Context, c Classifier, o Options, carry *Carry, r *Result) error
	// Measure fills out, one Stat for each bound of s, which must lie in the band (spans of a line in pieces that
	// began in an earlier piece do not). masks are those of the Segment call (Options.Masks).
	Measure(ctx context.Context, s Spans, masks *Masks, out []Stat) error
	Release()
}
