package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"segscan/segment"
)

// histogramBars is how many bars a histogram is drawn in at most.
const histogramBars = 512

// histogramTail is the share of samples at each end that a histogram of more than 256 values may leave out, so that
// a few far ones do not squeeze the rest.
const histogramTail = 0.0005

// HistogramPlot draws the histogram of a page's samples, bars coloured by class, with the thresholds as labelled
// lines: lo and hi as compared (infinite or NaN: none), and t, the automatic ones, where they differ from both.
// logarithmic is about the counts.
func HistogramPlot(s PlotStyle, h *segment.Histogram, lo, hi float64, t []float64, invert, logarithmic bool) (*Plot, error) {
	k, err := colourOf(s.Palette)
	if err != nil {
		return nil, err
	}
	g := newPlot(s, "sample value", "samples")
	bars := barsOf(h, lo, hi)
	list := oneLine(thresholdRules(lo, hi, invert, k))
	for _, v := range t {
		if math.Abs(v-lo) >= bars.step && math.Abs(v-hi) >= bars.step && v != lo && v != hi {
			list = append(list, rule{v, "t " + shortNumber(v), color.RGBA{110, 110, 110, 255}})
		}
	}
	boundary, activation, other := k.edge, k.inside, color.RGBA{185, 185, 185, 255}
	if invert {
		boundary, activation = activation, boundary
	}
	colour := func(middle float64) color.RGBA {
		switch {
		case middle <= lo+bars.step/2 && !math.IsInf(lo, 0):
			return boundary
		case middle >= hi-bars.step/2 && !math.IsInf(hi, 0):
			return activation
		}
		return other
	}
	g.Add(grid{y: true}, bars.drawn(g, logarithmic, colour), rules{list: list, vertical: true}, countRemark(g, h))
	return &Plot{p: g, style: s, w: 8 * vg.Inch, h: 4.2 * vg.Inch}, nil
}

// drawn are the bars as boxes, coloured by the value in their middle, and sets up the axes of g for them.
func (b *bars) drawn(g *plot.Plot, logarithmic bool, colour func(middle float64) color.RGBA) boxes {
	floor := 0.0
	if logarithmic {
		floor = 0.5
	}
	most := 1.0
	all := boxes{least: 0.5}
	for i, n := range b.count {
		if n == 0 {
			continue
		}
		x0 := b.from + float64(i)*b.step
		all.list = append(all.list, box{x0, x0 + b.step, floor, n, colour(x0 + b.step/2)})
		most = max(most, n)
	}
	g.X.Min, g.X.Max = b.from, b.from+float64(len(b.count))*b.step
	g.Y.Min, g.Y.Max = floor, most*1.18
	if logarithmic {
		g.Y.Scale, g.Y.Tick.Marker = plot.LogScale{}, powerTicks{}
		g.Y.Max = most * 4
	}
	return all
}

// countRemark says at the axis which samples h does not count, and in the plot if it counts none.
func countRemark(g *plot.Plot, h *segment.Histogram) remark {
	if h.NotFinite > 0 {
		g.X.Label.Text += "; left out: " + leftOut(int64(h.NotFinite))
	}
	if h.N == 0 {
		return "no finite sample"
	}
	return ""
}

// bars are counts of bins of one width; those of integers are whole values wide and centred on them.
type bars struct {
	from, step float64
	count      []float64
}

// barsOf puts a histogram into bars that show nearly all samples, and both thresholds where they are not far out.
func barsOf(h *segment.Histogram, lo, hi float64) bars {
	if h.N == 0 {
		return bars{0, 1, make([]float64, 1)}
	}
	r := Stretch{h.Min, h.Max}
	if h.Type != segment.U8 && h.Max-h.Min > 256 || h.Type == segment.F32 {
		if inner := tails(h, histogramTail); inner.Lo < inner.Hi && (r.Hi-r.Lo) > 1.5*(inner.Hi-inner.Lo) {
			r = inner
		}
	}
	for _, t := range []float64{lo, hi} {
		if room := r.Hi - r.Lo; t > r.Lo-room/2 && t < r.Hi+room/2 {
			r.Lo, r.Hi = min(r.Lo, t), max(r.Hi, t)
		}
	}
	if h.Type == segment.U8 {
		r = Stretch{0, 255}
	}
	if h.Type == segment.F32 {
		return floatBars(h, r)
	}
	step := math.Ceil((r.Hi - r.Lo + 1) / histogramBars)
	b := bars{from: r.Lo - 0.5, step: step}
	b.count = make([]float64, int(math.Ceil((r.Hi-r.Lo+1)/step)))
	for v := int(r.Lo); v <= int(r.Hi) && v < len(h.Bins); v++ {
		b.count[int((float64(v)-r.Lo)/step)] += float64(h.Bins[v])
	}
	return b
}

// floatBars spreads the bins of floats, which are the wider the larger their values, evenly over the bars they cover.
func floatBars(h *segment.Histogram, r Stretch) bars {
	n := histogramBars / 4
	if !(r.Lo < r.Hi) {
		d := max(1, math.Abs(r.Lo)/2)
		r = Stretch{r.Lo - d, r.Lo + d}
	}
	b := bars{from: r.Lo, step: (r.Hi - r.Lo) / float64(n), count: make([]float64, n)}
	for bin, c := range h.Bins {
		if c == 0 {
			continue
		}
		x0, x1 := max(binLow(h.Type, bin), h.Min), min(binHigh(h.Type, bin), h.Max)
		from, to := (x0-b.from)/b.step, (x1-b.from)/b.step
		if to < 0 || from >= float64(n) {
			continue
		}
		first, last := int(max(math.Floor(from), 0)), int(min(math.Floor(to), float64(n-1)))
		if first >= last || to-from <= 0 {
			b.count[min(first, n-1)] += float64(c)
			continue
		}
		for i := first; i <= last; i++ {
			share := (min(to, float64(i+1)) - max(from, float64(i))) / (to - from)
			b.count[i] += float64(c) * max(share, 0)
		}
	}
	return b
}
