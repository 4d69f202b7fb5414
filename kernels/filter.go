package kernels

import (
	"context"
	"fmt"
	"math"

	"segscan/segment"
)

// Baseline is what a Filter takes for the slow part of a line.
type Baseline uint8

// The baselines, of the Window samples centred on each. BaselineOpening is the greatest of the least: what is narrower
// than the window and stands out upwards is no part of it.
const (
	NoBaseline Baseline = iota
	BaselineMedian
	BaselineOpening
)

// Bounds of a Filter.
const (
	MaxSigma    = 250   // samples
	MaxBaseline = 65535 // samples
)

// Filter is what the keys smooth, smooth2d and baseline of a kernel make of samples before the kernel looks at them. It
// implements segment.Filter, with float32 samples as its output; each of the steps, in this order, rounds to float32:
//
//   - the baseline of each sample's line is subtracted: the median of Window samples (for an even number of finite ones
//     the lower middle one), or their opening (Serra, Image Analysis and Mathematical Morphology, Academic Press, 1982);
//   - Smooth is the deviation, in samples, of a Gaussian along the line;
//   - Smooth2D that of one along the line and across lines.
//
// The page is continued beyond its border by its mirror image, the border sample repeated (c b a | a b c), again and
// again where it is short; a region's border is none of that kind, and the samples beyond it count as they lie in the
// page. Samples that are not finite stay as they are, and take no part in what is made of others: weights are those of
// the finite samples, scaled to a sum of 1.
//
// Weights are rounded to multiples of 2^-30 whose sum is 1, sums are of float64 in a fixed order, and no product is
// fused into a sum. So no band, piece, worker or processor changes a result, and where all samples of a window have one
// value the result is that value.
type Filter struct {
	Baseline         Baseline
	Window           int // samples, odd, at most MaxBaseline and at most a line
	Smooth, Smooth2D float64

	kernel string // named in errors
}

// String is the filter as keys of a kernel, in the order of the steps.
func (f *Filter) String() string {
	s, sep := "", ""
	add := func(key, value string) { s, sep = s+sep+key+"="+value, "," }
	switch f.Baseline {
	case BaselineMedian:
		add("baseline", fmt.Sprintf("median:%d", f.Window))
	case BaselineOpening:
		add("baseline", fmt.Sprintf("opening:%d", f.Window))
	}
	if f.Smooth > 0 {
		add("smooth", formatNumber(f.Smooth))
	}
	if f.Smooth2D > 0 {
		add("smooth2d", formatNumber(f.Smooth2D))
	}
	return s
}

// gaussRadius is where a Gaussian is cut off: at four deviations.
func gaussRadius(sigma float64) int { return int(4*sigma + 0.5) }

// baselineReach is how many samples each side the baseline sees.
func (f *Filter) baselineReach() int {
	switch f.Baseline {
	case BaselineMedian:
		return f.Window / 2
	case BaselineOpening:
		return f.Window - 1 // the greatest of what each has seen half a window of
	}
	return 0
}

// Needs implements segment.Filter: the steps see one after another, so their reaches add up.
func (f *Filter) Needs() segment.Needs {
	across := gaussRadius(f.Smooth2D)
	return segment.Needs{HaloLines: across, HaloSamples: f.baselineReach() + gaussRadius(f.Smooth) + across}
}

// Page is the page as the filtered samples are of it: of float samples. With a baseline "%" counts from the baseline:
// 10% is a tenth of the width of the nominal range above it.
func (f *Filter) Page(p *segment.PageInfo) *segment.PageInfo {
	q := *p
	q.Type = segment.F32
	if f.Baseline != NoBaseline {
		q.Min, q.Max = 0, q.Max-q.Min
	}
	return &q
}

// Apply implements segment.Filter: it is ApplyContext that nothing ends, on as many goroutines as the program may use.
func (f *Filter) Apply(in segment.Band, out *segment.Band) error {
	return f.ApplyContext(context.Background(), 0, in, out)
}

// ApplyContext implements ContextFilter. out gets memory of its own, but for the colours, which stay as they are. Its
// halo is what can be worked out from in's: shorter by Needs, except at the page's border. It fails where that does not
// leave the body.
func (f *Filter) ApplyContext(ctx context.Context, workers int, in segment.Band, out *segment.Band) error {
	*out = in
	if in.Lines == 0 || in.Samples == 0 {
		return nil
	}
	g, err := newGeometry(&in, f.Needs())
	if err != nil {
		return err
	}
	if err := f.Fits(g.samples); err != nil {
		if f.kernel != "" {
			err = fmt.Errorf("kernel %s: %w", f.kernel, err)
		}
		return err
	}
	if f.Smooth2D > 0 && (f.Baseline != NoBaseline || f.Smooth > 0) {
		// Every line's own steps come first, and once: tiles of the step across lines overlap.
		along, both := *f, Filter{Smooth2D: f.Smooth2D}
		along.Smooth2D = 0
		var lines segment.Band
		if err := along.ApplyContext(ctx, workers, in, &lines); err != nil {
			return err
		}
		return both.ApplyContext(ctx, workers, lines, out)
	}
	out.V = segment.NewPlane(segment.F32, int(g.l1-g.l0), int(g.s1-g.s0))
	out.Before = segment.Halo{Lines: int(in.Line0 - g.l0), Samples: int(in.Sample0 - g.s0)}
	out.After = segment.Halo{
		Lines:   out.V.Lines - out.Before.Lines - in.Lines,
		Samples: out.V.Samples - out.Before.Samples - in.Samples,
	}
	for i, c := range in.C {
		if c.Lines > 0 {
			out.C[i] = c.Sub(int(g.l0-g.heldL0), int(g.s0-g.heldS0), out.V.Lines, out.V.Samples)
		}
	}
	g.out = out.V
	return f.run(ctx, workers, g)
}

// Fits tells whether lines of a page that are so many samples long are long enough for the baseline. Else the error, which
// names no kernel, says what would be; Apply fails on such a page.
func (f *Filter) Fits(samples int64) error {
	if f.Baseline == NoBaseline || int64(f.Window) <= samples {
		return nil
	}
	b := Filter{Baseline: f.Baseline, Window: f.Window}
	if samples < 3 {
		return fmt.Errorf("%s is longer than the lines of %d samples, which are too short for any baseline; leave it out", &b, samples)
	}
	was := b.String()
	b.Window = int(samples - (samples+1)%2)
	return fmt.Errorf("%s is longer than the lines of %d samples; use at most %s", was, samples, &b)
}

// finite tells whether x is neither NaN nor infinite.
func finite(x float32) bool { return x-x == 0 }

// gaussian gives the weights of distances 0 to gaussRadius(sigma); sigma 0 leaves samples as they are.
func gaussian(sigma float64) []float64 {
	w := decays(sigma)
	sum := 0.
	for _, x := range w[1:] {
		sum += x
	}
	sum = w[0] + 2*sum
	const unit = 1 << 30
	rest := float64(unit)
	for d := len(w) - 1; d > 0; d-- {
		w[d] = math.Round(float64(unit * (w[d] / sum)))
		rest -= 2 * w[d]
		w[d] /= unit
	}
	w[0] = rest / unit
	return w
}

// decays is exp(-d^2/(2 sigma^2)) for d up to gaussRadius(sigma), the same on all processors.
func decays(sigma float64) []float64 {
	w := make([]float64, gaussRadius(sigma)+1)
	w[0] = 1
	if len(w) == 1 {
		return w
	}
	most := float64(len(w) - 1)
	table := decayTable(most*most/(2*sigma*sigma) + 1)
	for d := 1; d < len(w); d++ {
		x := decaySteps * (float64(d*d) / float64(2*float64(sigma*sigma)))
		at := int(x)
		w[d] = float64(table[at] * decay(x-float64(at)))
	}
	return w
}
