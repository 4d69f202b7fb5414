package viz

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"segscan/segment"
)

// MarkedKernel is a row of a ThresholdsPlot: a kernel and its thresholds in ascending order, none if it has no answer.
type MarkedKernel struct {
	Name string
	At   []MarkedThreshold
}

// MarkedThreshold is a threshold in sample units. Boundary and Activation tell whether boundaries end there and whether
// activations begin there: above the value, or with AtIt at the value itself.
type MarkedThreshold struct {
	Value                      float64
	Boundary, Activation, AtIt bool
}

// ThresholdsPlot draws the histogram of a page's samples and above it a row a kernel: its name, a dot for each of its
// thresholds with a line down through the histogram, and their values. So no label can meet another, however close
// thresholds lie. The axis says which samples it leaves out; an arrow at its end stands for a threshold beyond it.
// logarithmic is about the counts.
func ThresholdsPlot(s PlotStyle, h *segment.Histogram, bars *Bars, rows []MarkedKernel, logarithmic bool) (*Plot, error) {
	k, err := colourOf(s.Palette)
	if err != nil {
		return nil, err
	}
	bars = bars.evened()
	g := newPlot(s, s.value(), "samples")
	grey := color.RGBA{190, 194, 200, 255}
	drawn := bars.drawn(g, logarithmic, [barKinds]color.RGBA{grey, grey, grey})
	marks := markRows{rows, k, s.spanOr(h.Max - h.Min)}
	g.Add(grid{y: true}, drawn, marks, countRemark(g, h, bars))
	names, _ := marks.widths(g)
	height := 3.4*vg.Inch + vg.Length(len(rows)+2)*markRow
	return &Plot{p: g, style: s, w: 9 * vg.Inch, h: height, aside: names + markAside}, nil
}

// markRow is the height of a row, markDot the radius of a dot, markAside the distance of texts from the data.
const (
	markRow   vg.Length = 14
	markDot   vg.Length = 2.6
	markAside vg.Length = 9
	markLift  vg.Length = 1.2 // of texts, whose middle is that of their line and not of their letters
)

// markRows draws the rows of a ThresholdsPlot above its histogram, which they keep room for.
type markRows struct {
	rows    []MarkedKernel
	colours plotColours
	span    float64 // of the samples
}

// colour of a threshold by what it is.
func (m markRows) colour(t MarkedThreshold) color.RGBA {
	switch {
	case t.Boundary && t.Activation:
		return curveColour
	case t.Boundary:
		return m.colours.edge
	case t.Activation:
		return m.colours.inside
	}
	return color.RGBA{140, 140, 140, 255}
}

// values is the text at the right end of a row, for samples that are span apart.
func (r *MarkedKernel) values(span float64) string {
	if len(r.At) == 0 {
		return "no answer"
	}
	var all []string
	for _, t := range r.At {
		all = append(all, Number(t.Value, span))
	}
	return strings.Join(all, "  ")
}

// top is the middle of row i, for a plot whose upper end is at y; the first row is the uppermost.
func (m markRows) top(y vg.Length, i int) vg.Length {
	return y + markRow*(vg.Length(len(m.rows)-i)-0.25)
}

// Plot implements plot.Plotter.
func (m markRows) Plot(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	names, values := m.widths(p)
	for i := range m.rows {
		if y := m.top(c.Max.Y, i); i%2 == 0 {
			c.FillPolygon(color.RGBA{244, 245, 247, 255}, rectangle(c.Min.X-names-markAside-2, y-markRow/2, c.Max.X+values+markAside+2, y+markRow/2))
		}
	}
	for i, r := range m.rows {
		y := m.top(c.Max.Y, i)
		for _, t := range r.At {
			if x := tx(t.Value); c.ContainsX(x) {
				c.StrokeLine2(draw.LineStyle{Color: faded(m.colour(t), 150), Width: 0.7}, x, c.Min.Y, x, y)
			}
		}
	}
	for i, r := range m.rows {
		m.row(c, p, &r, m.top(c.Max.Y, i), tx)
	}
	m.legend(c, p)
}

// legend says above the first row what the colours mean.
func (m markRows) legend(c draw.Canvas, p *plot.Plot) {
	names, _ := m.widths(p)
	at := vg.Point{X: c.Min.X - names - markAside, Y: m.top(c.Max.Y, -1)}
	for _, l := range []struct {
		t    MarkedThreshold
		text string
	}{
		{MarkedThreshold{Boundary: true, Activation: true}, "boundary up to it, activation above"},
		{MarkedThreshold{Boundary: true}, "boundary up to it"},
		{MarkedThreshold{Activation: true}, "activation above it" + m.fromIt()},
		{MarkedThreshold{}, "between"},
	} {
		t := smallText(p, letter, draw.XLeft, draw.YCenter)
		dot(c, m.colour(l.t), vg.Point{X: at.X + markDot, Y: at.Y})
		c.FillText(t, vg.Point{X: at.X + 4*markDot, Y: at.Y + markLift}, l.text)
		at.X += 4*markDot + t.Width(l.text) + 14
	}
}

// fromIt names, for the legend, the kernels whose activations begin at a threshold and not above it.
func (m markRows) fromIt() string {
	var names []string
	for _, r := range m.rows {
		if slices.ContainsFunc(r.At, func(t MarkedThreshold) bool { return t.Activation && t.AtIt }) {
			name, _, _ := strings.Cut(r.Name, ":")
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", of " + strings.Join(slices.Compact(names), " and ") + " at it too"
}

// row draws the text and the dots of a row; a line joins the first and the last.
func (m markRows) row(c draw.Canvas, p *plot.Plot, r *MarkedKernel, y vg.Length, tx func(float64) vg.Length) {
	faint := color.RGBA{130, 130, 130, 255}
	ink := color.Color(letter)
	if len(r.At) == 0 {
		ink = faint
	}
	c.FillText(smallText(p, ink, draw.XRight, draw.YCenter), vg.Point{X: c.Min.X - markAside, Y: y + markLift}, r.Name)
	c.FillText(smallText(p, ink, draw.XLeft, draw.YCenter), vg.Point{X: c.Max.X + markAside, Y: y + markLift}, r.values(m.span))
	inside := func(x vg.Length) vg.Length { return min(max(x, c.Min.X), c.Max.X) }
	if n := len(r.At); n > 1 {
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: 0.8}, inside(tx(r.At[0].Value)), y, inside(tx(r.At[n-1].Value)), y)
	}
	for _, t := range r.At {
		x := tx(t.Value)
		at, d := vg.Point{X: inside(x), Y: y}, vg.Length(0)
		switch {
		case x < c.Min.X:
			d = -markDot
		case x > c.Max.X:
			d = markDot
		}
		if d != 0 { // an arrow to where it is
			c.FillPolygon(m.colour(t), []vg.Point{{X: at.X + 2*d, Y: y}, {X: at.X - d, Y: y + markDot}, {X: at.X - d, Y: y - markDot}})
			continue
		}
		dot(c, m.colour(t), at)
	}
}

// dot draws a dot, which may lie outside the canvas of the data.
func dot(c draw.Canvas, k color.RGBA, at vg.Point) {
	var p vg.Path
	p.Move(vg.Point{X: at.X + markDot, Y: at.Y})
	p.Arc(at, markDot, 0, 2*math.Pi)
	p.Close()
	c.SetColor(k)
	c.Fill(p)
}

// GlyphBoxes implements plot.GlyphBoxer: it keeps room for rows above and values to the right of the histogram.
func (m markRows) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	_, values := m.widths(p)
	return []plot.GlyphBox{{X: 1, Y: 1, Rectangle: vg.Rectangle{
		Max: vg.Point{X: values + markAside, Y: markRow * (vg.Length(len(m.rows)) + 1.4)},
	}}}
}

// widths are those of the widest name and the widest values.
func (m markRows) widths(p *plot.Plot) (names, values vg.Length) {
	t := smallText(p, letter, text.XLeft, text.YCenter)
	for _, r := range m.rows {
		names, values = max(names, t.Width(r.Name)), max(values, t.Width(r.values(m.span)))
	}
	return names, values
}

func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}

// faded is a colour that lets what is below it through.
func faded(c color.RGBA, alpha int) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, uint8(alpha)} }
