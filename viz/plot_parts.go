package viz

import (
	"image/color"

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
		if len(pts) == 1 && c.Contains(pts[0]) { // a lone sample: a dot, for a line would leave too little to be seen
			c.DrawGlyph(draw.GlyphStyle{Color: l.style.Color, Radius: 2 * l.style.Width, Shape: draw.CircleGlyph{}}, pts[0])
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

// remark writes text in the middle of an empty plot.
type remark string

// Plot implements plot.Plotter.
func (r remark) Plot(c draw.Canvas, p *plot.Plot) {
	if r != "" {
		c.FillText(smallText(p, color.RGBA{120, 120, 120, 255}, draw.XCenter, draw.YCenter), c.Center(), string(r))
	}
}
