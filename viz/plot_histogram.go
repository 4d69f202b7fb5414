package viz

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"segscan/segment"
)

// HistogramPlot draws the histogram of a page's samples as counted into bars, coloured by class, with the thresholds as
// labelled lines: lo and hi as compared (infinite or NaN: none), and t, the automatic ones, where they differ from both. The
// axis says which samples it leaves out; an arrow at its end stands for a threshold beyond it. logarithmic is about the
// counts.
func HistogramPlot(s PlotStyle, h *segment.Histogram, bars *Bars, lo, hi float64, t []float64, invert, logarithmic bool) (*Plot, error) {
	k, err := colourOf(s.Palette)
	if err != nil {
		return nil, err
	}
	bars = bars.evened()
	g := newPlot(s, s.value(), "samples")
	span := s.spanOr(h.Max - h.Min)
	list := oneLine(thresholdRules(lo, hi, span, invert, k))
	for _, v := range t {
		if math.Abs(v-lo) >= bars.step && math.Abs(v-hi) >= bars.step && v != lo && v != hi {
			list = append(list, rule{v, "t " + Number(v, span), color.RGBA{110, 110, 110, 255}})
		}
	}
	colours := [barKinds]color.RGBA{barLow: k.edge, barMiddle: {185, 185, 185, 255}, barHigh: k.inside}
	if invert {
		colours[barLow], colours[barHigh] = k.inside, k.edge
	}
	g.Add(grid{y: true}, bars.drawn(g, logarithmic, colours), rules{list: list, vertical: true}, countRemark(g, h, bars))
	return &Plot{p: g, style: s, w: 8 * vg.Inch, h: 4.2 * vg.Inch}, nil
}

// drawn are the bars as boxes, and sets up the axes of g for them. A bar of several kinds of samples is parted from left to
// right by their numbers, which is the order of their values.
func (b *Bars) drawn(g *plot.Plot, logarithmic bool, colours [barKinds]color.RGBA) boxes {
	floor := 0.0
	if logarithmic {
		floor = 0.5
	}
	most := 1.0
	all := boxes{least: 0.5}
	for i, kinds := range b.count {
		n := float64(b.total(i))
		if n == 0 {
			continue
		}
		x0 := b.from + float64(i)*b.step
		sum := 0.0
		for kind, c := range kinds {
			if c == 0 {
				continue
			}
			next := sum + float64(c)
			all.list = append(all.list, box{x0 + b.step*sum/n, x0 + b.step*next/n, floor, n, colours[kind]})
			sum = next
		}
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

// countRemark says at the axis which samples the bars do not show, and in the plot if h counts none.
func countRemark(g *plot.Plot, h *segment.Histogram, b *Bars) remark {
	if beyond := b.beyond(); beyond != "" {
		g.X.Label.Text += "; " + beyond
	}
	if h.NotFinite > 0 {
		g.X.Label.Text += "; left out: " + leftOut(int64(h.NotFinite))
	}
	if h.N == 0 {
		return "no finite sample"
	}
	return ""
}
