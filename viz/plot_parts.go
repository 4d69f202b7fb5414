package viz

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// smallText is the style of labels inside a plot.
func smallText(p *plot.Plot, c color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, 10),
		XAlign: x, YAlign: y, Handler: p.TextHandler,
	}
}

// box is a filled rectangle in data coordinates; y0 is cut to the plot's floor, which a logarithmic axis needs.
type box struct {
	x0, x1, y0, y1 float64
	c              color.RGBA
}

// boxes draws rectangles; those that are narrower than least are drawn as wide.
type boxes struct {
	list []box
	tall bool // from floor to ceiling, whatever y0 and y1
	// least width, so that nothing vanishes between pixels.
	least vg.Length
}

// Plot implements plot.Plotter.
func (b boxes) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, r := range b.list {
		x0, x1 := max(tx(r.x0), c.Min.X), min(tx(r.x1), c.Max.X)
		if x1-x0 < b.least {
			mid := (x0 + x1) / 2
			x0, x1 = max(mid-b.least/2, c.Min.X), min(mid+b.least/2, c.Max.X)
		}
		y0, y1 := c.Min.Y, c.Max.Y
		if !b.tall {
			y0, y1 = max(ty(max(r.y0, p.Y.Min)), c.Min.Y), min(ty(max(r.y1, p.Y.Min)), c.Max.Y)
		}
		if x1 <= x0 || y1 <= y0 {
			continue
		}
		if !b.tall { // a hair over the next one, or its antialiased side would show the ground
			x1 = min(x1+0.3, c.Max.X)
		}
		c.FillPolygon(r.c, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
	}
}

// polylines draws lines through points in data coordinates, cut to the plot.
type polylines struct {
	lines [][]vg.Point // X and Y hold data coordinates
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (l polylines) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, line := range l.lines {
		pts := make([]vg.Point, len(line))
		for i, q := range line {
			pts[i] = vg.Point{X: tx(float64(q.X)), Y: ty(float64(q.Y))}
		}
		if len(pts) == 1 { // a lone sample between gaps
			pts = append(pts, vg.Point{X: pts[0].X + l.style.Width, Y: pts[0].Y})
		}
		// The time that stroking takes grows with the square of what a line has in one row of pixels.
		for len(pts) > 1 {
			n := min(len(pts), strokePoints)
			c.StrokeLines(l.style, c.ClipLinesXY(pts[:n])...)
			pts = pts[n-1:]
		}
	}
}

// strokePoints is how many points of a line are stroked at once.
const strokePoints = 32

// grid draws faint lines at the labelled ticks of both axes.
type grid struct{ y, x bool }

// Plot implements plot.Plotter.
func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.LineStyle{Color: color.RGBA{0, 0, 0, 26}, Width: 0.5}
	if g.y {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			if y := ty(t.Value); t.Label != "" && c.ContainsY(y) {
				c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
			}
		}
	}
	if g.x {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			if x := tx(t.Value); t.Label != "" && c.ContainsX(x) {
				c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
			}
		}
	}
}

// rule is a dashed line across the plot with a label beside it: at the right end of a horizontal one, at the upper
// end of a vertical one.
type rule struct {
	at   float64
	text string
	c    color.RGBA
}

// rules draws rules of one direction and keeps their labels apart.
type rules struct {
	list     []rule // in order of at
	vertical bool
}

var ruleDashes = []vg.Length{5, 3}

// Plot implements plot.Plotter.
func (r rules) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i, l := range r.list {
		style := draw.LineStyle{Color: l.c, Width: 1.2, Dashes: ruleDashes}
		if r.vertical {
			x := tx(l.at)
			if !c.ContainsX(x) {
				continue
			}
			c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
			r.labelUp(c, p, i, x)
			continue
		}
		y := ty(l.at)
		if !c.ContainsY(y) {
			continue
		}
		c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
		t := smallText(p, l.c, draw.XLeft, draw.YCenter)
		// Two labels side by side move apart.
		h := t.Height(l.text)
		if i > 0 {
			if near := ty(r.list[i-1].at); y-near < h {
				y += (h - (y - near)) / 2
			}
		}
		if i+1 < len(r.list) {
			if near := ty(r.list[i+1].at); near-y < h {
				y -= (h - (near - y)) / 2
			}
		}
		c.FillText(t, vg.Point{X: c.Max.X + 4, Y: y}, l.text)
	}
}

// labelUp writes the label of vertical rule i in the plot's head: the first to the left of its line, the last to the
// right, unless there is no room.
func (r rules) labelUp(c draw.Canvas, p *plot.Plot, i int, x vg.Length) {
	l := r.list[i]
	t := smallText(p, l.c, draw.XLeft, draw.YTop)
	w := t.Width(l.text)
	left := i == 0 && len(r.list) > 1
	if left && x-w-4 < c.Min.X {
		left = false
	}
	if !left && x+w+4 > c.Max.X {
		left = true
	}
	at := vg.Point{X: x + 4, Y: c.Max.Y - 2 - vg.Length(i)*t.Height("x")*1.3}
	if left {
		at.X = x - w - 4
	}
	c.FillPolygon(paper, []vg.Point{
		{X: at.X - 1, Y: at.Y + 1}, {X: at.X + w + 1, Y: at.Y + 1}, {X: at.X + w + 1, Y: at.Y - t.Height(l.text)}, {X: at.X - 1, Y: at.Y - t.Height(l.text)}})
	c.FillText(t, at, l.text)
}

// GlyphBoxes implements plot.GlyphBoxer: it keeps room for labels beside the plot.
func (r rules) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	if r.vertical {
		return nil
	}
	var all []plot.GlyphBox
	for _, l := range r.list {
		if l.at < p.Y.Min || l.at > p.Y.Max {
			continue
		}
		t := smallText(p, l.c, draw.XLeft, draw.YCenter)
		all = append(all, plot.GlyphBox{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: t.Width(l.text) + 8, Y: 1}}})
	}
	return all
}

// remark writes text in the middle of an empty plot.
type remark string

// Plot implements plot.Plotter.
func (r remark) Plot(c draw.Canvas, p *plot.Plot) {
	if r != "" {
		c.FillText(smallText(p, color.RGBA{120, 120, 120, 255}, draw.XCenter, draw.YCenter), c.Center(), string(r))
	}
}

// thresholdRules are the rules of a page's or line's thresholds; infinite ones have none.
func thresholdRules(lo, hi float64, invert bool, k plotColours) []rule {
	below, above := Conditions(lo, hi)
	low, high := rule{lo, "boundary\n" + below, k.edge}, rule{hi, "activation\n" + above, k.inside}
	if invert {
		low, high = rule{lo, "activation\n" + below, k.inside}, rule{hi, "boundary\n" + above, k.edge}
	}
	var list []rule
	for _, r := range []rule{low, high} {
		if !math.IsInf(r.at, 0) && !math.IsNaN(r.at) {
			list = append(list, r)
		}
	}
	return list
}

// oneLine puts the labels of rules on a line each.
func oneLine(list []rule) []rule {
	for i := range list {
		list[i].text = strings.ReplaceAll(list[i].text, "\n", " ")
	}
	return list
}
