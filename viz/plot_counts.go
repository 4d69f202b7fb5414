package viz

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"segscan/segment"
)

// Lengths counts segments by length. The zero value is empty.
type Lengths struct {
	of map[int64]int64
	n  int64
}

// Add counts spans by their length, both ends counted.
func (l *Lengths) Add(spans []segment.Bound) {
	if l.of == nil {
		l.of = map[int64]int64{}
	}
	for _, s := range spans {
		l.of[int64(s.End)-int64(s.Start)+1]++
	}
	l.n += int64(len(spans))
}

// sorted gives the lengths that occur, ascending.
func (l *Lengths) sorted() []int64 {
	var all []int64
	for v := range l.of {
		all = append(all, v)
	}
	slices.Sort(all)
	return all
}

// Median is the lower median length, 0 without segments.
func (l *Lengths) Median() int64 {
	var below int64
	for _, v := range l.sorted() {
		if below += l.of[v]; 2*below >= l.n {
			return v
		}
	}
	return 0
}

// bars is how many bars lengths are drawn in at most: few for few segments.
func (l *Lengths) bars() int64 { return min(80, max(12, int64(2*math.Sqrt(float64(l.n))))) }

// Plot draws how many segments have which length, with the median as a labelled line. Where the longest is more than
// a hundred times as long as the median, the axis of lengths is logarithmic.
func (l *Lengths) Plot(s PlotStyle) (*Plot, error) {
	k, err := colourOf(s.Palette)
	if err != nil {
		return nil, err
	}
	g := newPlot(s, s.position("segment length"), "segments")
	lengths := l.sorted()
	if len(lengths) == 0 {
		g.X.Min, g.X.Max, g.Y.Min, g.Y.Max = 0, 1, 0, 1
		g.Add(remark("no segments"))
		return &Plot{p: g, style: s, w: 8 * vg.Inch, h: 4.2 * vg.Inch}, nil
	}
	scale, median := s.scale(), l.Median()
	low, high := lengths[0], lengths[len(lengths)-1]
	edges := evenEdges(low, high, l.bars())
	if high > 100*median {
		edges = powerEdges(low, high, l.bars())
		g.X.Scale, g.X.Tick.Marker = plot.LogScale{}, powerTicks{}
	}
	b := boxes{least: 0.5}
	most := 0.0
	for i := range len(edges) - 1 {
		var n int64
		from, _ := slices.BinarySearch(lengths, int64(math.Ceil(edges[i])))
		for _, v := range lengths[from:] {
			if float64(v) >= edges[i+1] {
				break
			}
			n += l.of[v]
		}
		b.list = append(b.list, box{edges[i] * scale, edges[i+1] * scale, 0, float64(n), k.inside})
		most = max(most, float64(n))
	}
	g.X.Min, g.X.Max = edges[0]*scale, edges[len(edges)-1]*scale
	g.Y.Min, g.Y.Max = 0, most*1.18
	g.Y.Tick.Marker = wholeTicks{niceTicks{most: 6}}
	text := "median " + shortNumber(float64(median)*scale)
	if s.PixelSize > 0 {
		text += " " + unitText(s.Unit)
	}
	g.Add(grid{y: true}, b, rules{list: []rule{{float64(median) * scale, text, letter}}, vertical: true})
	return &Plot{p: g, style: s, w: 8 * vg.Inch, h: 4.2 * vg.Inch}, nil
}

// evenEdges parts lengths into bars as many whole numbers wide.
func evenEdges(low, high, most int64) []float64 {
	step := (high - low + most) / most
	var edges []float64
	for v := low; ; v += step {
		edges = append(edges, float64(v)-0.5)
		if v > high {
			return edges
		}
	}
}

// powerEdges parts lengths into bars of one ratio, but none narrower than one.
func powerEdges(low, high, most int64) []float64 {
	edges := []float64{float64(low) - 0.5}
	ratio := math.Pow(float64(high)/float64(low), 1/float64(most))
	for v := low; v <= high; {
		v = max(v+1, int64(math.Round(float64(v)*ratio)))
		edges = append(edges, float64(v)-0.5)
	}
	return edges
}

// lineSteps is how many steps segments by line are drawn in at most.
const lineSteps = 1400

// LineCounts counts the segments of each line of a page, several lines together where there are more than can be
// drawn.
type LineCounts struct {
	first, lines, each int64
	sum, least, most   []int64
}

// NewLineCounts is for so many lines from first on.
func NewLineCounts(first, lines int64) *LineCounts {
	c := &LineCounts{first: first, lines: lines, each: (lines + lineSteps - 1) / lineSteps}
	n := int((lines + c.each - 1) / c.each)
	c.sum, c.least, c.most = make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range c.least {
		c.least[i] = math.MaxInt64
	}
	return c
}

// Add counts the spans of a line.
func (c *LineCounts) Add(line int64, n int) {
	i := (line - c.first) / c.each
	c.sum[i] += int64(n)
	c.least[i], c.most[i] = min(c.least[i], int64(n)), max(c.most[i], int64(n))
}

// Plot draws the segments of each line; name is what a line is: row or column. Where a step stands for several lines
// it shows their mean, and a band behind it from the least to the most.
func (c *LineCounts) Plot(s PlotStyle, name string) (*Plot, error) {
	k, err := colourOf(s.Palette)
	if err != nil {
		return nil, err
	}
	ylabel := "segments in a " + name
	if c.each > 1 {
		ylabel = fmt.Sprintf("segments in a %s, mean of %s", name, Grouped(c.each))
	}
	g := newPlot(s, name, ylabel)
	band := boxes{}
	var line []vg.Point
	most := 1.0
	for i := range c.sum {
		from := float64(c.first+int64(i)*c.each) - 0.5
		n := min(c.each, c.lines-int64(i)*c.each)
		to, mean := from+float64(n), float64(c.sum[i])/float64(n)
		band.list = append(band.list, box{from, to, float64(c.least[i]), float64(c.most[i]), k.shade})
		line = append(line, vg.Point{X: vg.Length(from), Y: vg.Length(mean)}, vg.Point{X: vg.Length(to), Y: vg.Length(mean)})
		most = max(most, float64(c.most[i]))
	}
	if c.each == 1 { // the area below the steps
		for i := range band.list {
			band.list[i].y0 = 0
		}
	}
	g.X.Min, g.X.Max = float64(c.first)-0.5, float64(c.first+c.lines)-0.5
	g.Y.Min, g.Y.Max = 0, most*1.08
	g.X.Tick.Marker, g.Y.Tick.Marker = wholeTicks{niceTicks{most: 11}}, wholeTicks{niceTicks{most: 6}}
	g.Add(band, grid{y: true}, polylines{[][]vg.Point{line}, draw.LineStyle{Color: k.inside, Width: 0.8}})
	return &Plot{p: g, style: s, w: 8 * vg.Inch, h: 3.6 * vg.Inch}, nil
}

// wholeTicks leaves out ticks between whole numbers.
type wholeTicks struct{ niceTicks }

// Ticks implements plot.Ticker.
func (t wholeTicks) Ticks(lo, hi float64) []plot.Tick {
	return slices.DeleteFunc(t.niceTicks.Ticks(lo, hi), func(k plot.Tick) bool { return k.Value != math.Round(k.Value) })
}
