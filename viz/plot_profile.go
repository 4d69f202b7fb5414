package viz

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"segscan/segment"
)

// profileColumns is how many columns a long line is reduced to: about one for each pixel of a plot.
const profileColumns = 1400

// Profile is one line for a plot, reduced as it is taken: its curve to the least and greatest sample of each pixel
// column, its spans to those that can be told apart.
type Profile struct {
	Segments       int // of the line, for titles
	at, lo, hi     []float64
	kept, rejected []interval
	min, max       float64
	gaps           int64 // samples that are NaN or infinite
}

// interval is from..to in samples, both inside.
type interval struct{ from, to float64 }

// NewProfile takes line l of a band with its spans. Infinite samples and NaN leave gaps in the curve.
func NewProfile(b *segment.Band, l int, kept, rejected []segment.Bound) *Profile {
	body := b.Body()
	p := &Profile{Segments: len(kept), min: math.Inf(1), max: math.Inf(-1)}
	value := func(s int) float64 {
		switch i := l*body.Stride + s; {
		case body.U8 != nil:
			return float64(body.U8[i])
		case body.U16 != nil:
			return float64(body.U16[i])
		default:
			return float64(body.F32[i])
		}
	}
	n := b.Samples
	columns := min(n, profileColumns)
	for k := range columns {
		from, to := int(int64(k)*int64(n)/int64(columns)), int(int64(k+1)*int64(n)/int64(columns))
		lo, hi := math.Inf(1), math.Inf(-1)
		for s := from; s < to; s++ {
			if v := value(s); !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		p.at = append(p.at, float64(b.Sample0)+float64(from+to-1)/2)
		p.lo, p.hi = append(p.lo, lo), append(p.hi, hi)
		p.min, p.max = min(p.min, lo), max(p.max, hi)
	}
	for s := range n {
		if v := value(s); math.IsNaN(v) || math.IsInf(v, 0) {
			p.gaps++
		}
	}
	apart := float64(n) / profileColumns / 2
	p.kept, p.rejected = intervals(kept, b.Sample0, apart), intervals(rejected, b.Sample0, apart)
	return p
}

// widest is up to how many times apart a span is too narrow to be told from its neighbour.
const widest = 8

// intervals joins spans that are less than apart from each other, and so touch in the plot, where one of them is narrow
// too. Of those that touch and are not joined a plot marks where one ends and the next begins.
func intervals(spans []segment.Bound, sample0 int64, apart float64) []interval {
	var all []interval
	for _, s := range spans {
		from, to := float64(sample0)+float64(s.Start), float64(sample0)+float64(s.End)
		if n := len(all); n > 0 && from-all[n-1].to < apart && min(to-from, all[n-1].to-all[n-1].from) < widest*apart {
			all[n-1].to = max(all[n-1].to, to)
			continue
		}
		all = append(all, interval{from, to})
	}
	return all
}

// shared are the boundaries of two segments each, where one ends and the next begins.
func (p *Profile) shared() []float64 {
	var all []float64
	for i := 1; i < len(p.kept); i++ {
		if p.kept[i].from <= p.kept[i-1].to {
			all = append(all, p.kept[i].from)
		}
	}
	return all
}

// leftOut counts the samples that a plot of values cannot show.
func leftOut(n int64) string {
	if n == 1 {
		return "1 sample NaN or infinite"
	}
	return Grouped(n) + " samples NaN or infinite"
}

// curve is the line in pieces between gaps, in data coordinates.
func (p *Profile) curve(scale float64) [][]vg.Point {
	var all [][]vg.Point
	var piece []vg.Point
	for k, x := range p.at {
		if p.lo[k] > p.hi[k] {
			if piece != nil {
				all = append(all, piece)
			}
			piece = nil
			continue
		}
		a, b := p.lo[k], p.hi[k]
		if k%2 == 1 { // up one column and down the next
			a, b = b, a
		}
		piece = append(piece, vg.Point{X: vg.Length(x * scale), Y: vg.Length(a)})
		if a != b {
			piece = append(piece, vg.Point{X: vg.Length(x * scale), Y: vg.Length(b)})
		}
	}
	if piece != nil {
		all = append(all, piece)
	}
	return all
}

// Plot draws the line as a curve, its segments as shaded spans from boundary to boundary, and the thresholds it was
// compared with (infinite or NaN: none) as labelled lines.
func (p *Profile) Plot(s PlotStyle, lo, hi float64, invert bool) (*Plot, error) {
	k, err := colourOf(s.Palette)
	if err != nil {
		return nil, err
	}
	g := newPlot(s, s.position("position"), s.value())
	scale := s.scale()
	shade := boxes{tall: true, least: 0.6}
	for _, v := range p.rejected {
		shade.list = append(shade.list, box{x0: v.from * scale, x1: v.to * scale, c: k.shadeRejected})
	}
	for _, v := range p.kept {
		shade.list = append(shade.list, box{x0: v.from * scale, x1: v.to * scale, c: k.shade})
	}
	shared := boxes{tall: true, least: 0.8}
	for _, x := range p.shared() {
		shared.list = append(shared.list, box{x0: x * scale, x1: x * scale, c: pale(k.inside, 120)})
	}
	list := thresholdRules(lo, hi, s.spanOr(p.max-p.min), invert, k)
	g.X.Min, g.X.Max = p.at[0]*scale, p.at[len(p.at)-1]*scale
	if !(g.X.Min < g.X.Max) {
		g.X.Min, g.X.Max = g.X.Min-0.5*scale, g.X.Max+0.5*scale
	}
	g.Y.Min, g.Y.Max = padded(p.min, p.max, list)
	width := vg.Length(0.8)
	if len(p.at) > profileColumns/2 {
		width = 0.6
	}
	note := remark("")
	if p.min > p.max {
		note = "no finite sample"
	}
	if p.gaps > 0 {
		g.X.Label.Text += "; gaps: " + leftOut(p.gaps)
	}
	g.Add(shade, shared, grid{y: true}, polylines{p.curve(scale), draw.LineStyle{Color: curveColour, Width: width}}, rules{list: list}, note)
	return &Plot{p: g, style: s, w: 10 * vg.Inch, h: 3.6 * vg.Inch}, nil
}

// padded is a range of values that shows all of lo..hi and the rules near it, with some room.
func padded(lo, hi float64, list []rule) (float64, float64) {
	if lo > hi {
		lo, hi = 0, 1
	}
	room := hi - lo
	for _, r := range list {
		if r.at > lo-room && r.at < hi+room || room == 0 { // farther ones would squeeze the curve
			lo, hi = min(lo, r.at), max(hi, r.at)
		}
	}
	if lo == hi {
		return lo - 1, hi + 1
	}
	return lo - 0.06*(hi-lo), hi + 0.06*(hi-lo)
}

// CountText is "1 segment", "2,357 segments".
func CountText(n int64) string { return counted(n) }
