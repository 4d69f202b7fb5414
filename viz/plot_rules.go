package viz

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rule is a dashed line across the plot with a label beside it: at the right end of a horizontal one, at the upper
// end of a vertical one.
type rule struct {
	at   float64
	text string
	c    color.RGBA
}

// rules draws rules of one direction and keeps their labels apart. An arrow at the end of the axis stands for a rule
// beyond it.
type rules struct {
	list     []rule // in order of at
	vertical bool
}

var ruleDashes = []vg.Length{5, 3}

// Plot implements plot.Plotter.
func (r rules) Plot(c draw.Canvas, p *plot.Plot) {
	if r.vertical {
		r.plotVertical(c, p)
		return
	}
	_, ty := p.Transforms(&c)
	inside := func(i int) vg.Length { return min(max(ty(r.list[i].at), c.Min.Y), c.Max.Y) }
	for i, l := range r.list {
		y := inside(i)
		if c.ContainsY(ty(l.at)) {
			c.StrokeLine2(draw.LineStyle{Color: l.c, Width: 1.2, Dashes: ruleDashes}, c.Min.X, y, c.Max.X, y)
		} else {
			d := arrowLength
			if y == c.Max.Y {
				d = -arrowLength
			}
			x := c.Max.X - 5
			c.FillPolygon(l.c, []vg.Point{{X: x, Y: y}, {X: x + 3, Y: y + d}, {X: x - 3, Y: y + d}})
		}
		t := smallText(p, l.c, draw.XLeft, draw.YCenter)
		// Two labels side by side move apart.
		h := t.Height(l.text)
		if i > 0 {
			if near := inside(i - 1); y-near < h {
				y += (h - (y - near)) / 2
			}
		}
		if i+1 < len(r.list) {
			if near := inside(i + 1); near-y < h {
				y -= (h - (near - y)) / 2
			}
		}
		c.FillText(t, vg.Point{X: c.Max.X + 4, Y: y}, l.text)
	}
}

// plotVertical draws the lines first, so that none crosses a label.
func (r rules) plotVertical(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	for _, l := range r.list {
		if x := tx(l.at); c.ContainsX(x) {
			c.StrokeLine2(draw.LineStyle{Color: l.c, Width: 1.2, Dashes: ruleDashes}, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for i, l := range r.list {
		x := tx(l.at)
		if !c.ContainsX(x) {
			x = arrow(c, p, l.c, x, r.height(p, i))
		}
		r.labelUp(c, p, i, x)
	}
}

// arrowLength is how long arrows at the end of an axis are.
const arrowLength vg.Length = 9

// arrow draws an arrow at the side of the plot on which x lies, so far below its upper end, and gives where it begins.
func arrow(c draw.Canvas, p *plot.Plot, k color.RGBA, x, down vg.Length) vg.Length {
	tip, d := c.Min.X, arrowLength
	if x > c.Max.X {
		tip, d = c.Max.X, -arrowLength
	}
	y := c.Max.Y - 2 - down - smallText(p, k, draw.XLeft, draw.YTop).Height("x")/2
	c.FillPolygon(k, []vg.Point{{X: tip, Y: y}, {X: tip + d, Y: y + 3}, {X: tip + d, Y: y - 3}})
	return tip + d
}

// height is how far below the upper end of the plot the label of vertical rule i begins.
func (r rules) height(p *plot.Plot, i int) vg.Length {
	return vg.Length(i) * smallText(p, letter, draw.XLeft, draw.YTop).Height("x") * 1.3
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
	at := vg.Point{X: x + 4, Y: c.Max.Y - 2 - r.height(p, i)}
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
		t := smallText(p, l.c, draw.XLeft, draw.YCenter)
		all = append(all, plot.GlyphBox{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: t.Width(l.text) + 8, Y: 1}}})
	}
	return all
}

// thresholdRules are the rules of a page's or line's thresholds, whose samples are span apart; infinite ones have none.
func thresholdRules(lo, hi, span float64, invert bool, k plotColours) []rule {
	below, above := Conditions(lo, hi, span)
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
