package viz

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// PlotStyle is what plots of one page have in common. Title is the first line above the plot, Note the second, smaller
// one. With PixelSize, positions and lengths are in Unit. Palette is one of Palettes. Value is what the axis of samples
// is called, if not "sample value". Span is how far apart the samples of the page are, which decides on the digits of
// thresholds; 0 takes the samples in the plot.
type PlotStyle struct {
	Title, Note string
	PixelSize   float64
	Unit        string
	Palette     string
	Value       string
	Span        float64
}

// Plot is a plot that can be written.
type Plot struct {
	p     *plot.Plot
	style PlotStyle
	w, h  vg.Length
	// aside is how much room there is to be left of the data, the axis included.
	aside vg.Length
}

// PlotFormats names the formats of WriteTo, the default first.
func PlotFormats() []string { return []string{"png", "svg"} }

// plotDPI makes a plot ten inches wide 1500 pixels.
const plotDPI = 150

// Write writes the plot in one of PlotFormats. The bytes depend on what was plotted only.
func (p *Plot) Write(w io.Writer, format string) error {
	var out interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "png":
		out = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.w, p.h), vgimg.UseDPI(plotDPI))}
	case "svg":
		out = vgsvg.New(p.w, p.h)
	default:
		return fmt.Errorf("plots are written as png or svg, not as %q", format)
	}
	c := draw.New(out)
	const side, head = 8, 40
	p.heading(draw.Crop(c, side, -side, 0, 0))
	area := draw.Crop(c, side, -side, side, -head)
	if axis := p.p.DataCanvas(area).Min.X - area.Min.X; axis < p.aside {
		area = draw.Crop(area, p.aside-axis, 0, 0, 0)
	}
	p.p.Draw(area)
	_, err := out.WriteTo(w)
	return err
}

// newPlot sets up fonts, title and margins.
func newPlot(s PlotStyle, xlabel, ylabel string) *plot.Plot {
	p := plot.New()
	set := func(t *text.Style, size vg.Length, c color.Color) {
		t.Font = font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
		t.Color = c
	}
	set(&p.X.Label.TextStyle, 11, letter)
	set(&p.Y.Label.TextStyle, 11, letter)
	set(&p.X.Tick.Label, 10, letter)
	set(&p.Y.Tick.Label, 10, letter)
	p.X.Label.Text, p.Y.Label.Text = xlabel, ylabel
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = niceTicks{most: 11, room: 66}, niceTicks{most: 6}
	return p
}

// heading writes title and note at the top left, cut in the middle where they are too long.
func (p *Plot) heading(c draw.Canvas) {
	y := c.Max.Y - 5
	for _, l := range []struct {
		text string
		size vg.Length
		c    color.Color
	}{{p.style.Title, 13, letter}, {p.style.Note, 10, color.RGBA{90, 90, 90, 255}}} {
		t := smallText(p.p, l.c, draw.XLeft, draw.YTop)
		t.Font.Size = l.size
		c.FillText(t, vg.Point{X: c.Min.X, Y: y}, shortened(l.text, c.Max.X-c.Min.X, t.Width))
		y -= l.size * 1.35
	}
}

// shortened cuts the middle out of a text that is wider than room.
func shortened(s string, room vg.Length, width func(string) vg.Length) string {
	all := []rune(s)
	w := width(s)
	if w <= room {
		return s
	}
	for keep := int(float64(len(all)) * float64(room/w) / 2); keep > 0; keep -= max(1, keep/20) {
		if cut := string(all[:keep]) + "…" + string(all[len(all)-keep:]); width(cut) <= room {
			return cut
		}
	}
	return "…"
}

// position names the axis of positions along lines.
func (s PlotStyle) position(what string) string {
	if s.PixelSize > 0 {
		return what + " / " + unitText(s.Unit)
	}
	return what + " / samples"
}

// value names the axis of samples.
func (s PlotStyle) value() string {
	if s.Value == "" {
		return "sample value"
	}
	return s.Value
}

// spanOr is Span, or that of the samples in the plot.
func (s PlotStyle) spanOr(drawn float64) float64 {
	if s.Span > 0 {
		return s.Span
	}
	return drawn
}

// scale is the units of one sample.
func (s PlotStyle) scale() float64 {
	if s.PixelSize > 0 {
		return s.PixelSize
	}
	return 1
}

// onPaper darkens a colour that would be lost on white.
func onPaper(c color.RGBA) color.RGBA {
	light := (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000
	const most = 130
	if light <= most {
		return c
	}
	dark := func(v uint8) uint8 { return uint8(int(v) * most / light) }
	return color.RGBA{dark(c.R), dark(c.G), dark(c.B), 255}
}

// pale is a colour as a ground to draw on.
func pale(c color.RGBA, share int) color.RGBA {
	return ink{c, share}.over(255, 255, 255)
}

// plotColours are a theme's colours on paper.
type plotColours struct {
	inside, edge, rejected color.RGBA // lines and labels
	shade, shadeRejected   color.RGBA // grounds
}

func colourOf(palette string) (plotColours, error) {
	t, err := themeOf(palette)
	if err != nil {
		return plotColours{}, err
	}
	if t.inside == (ink{}) {
		return plotColours{
			inside: color.RGBA{30, 30, 30, 255}, edge: color.RGBA{120, 120, 120, 255}, rejected: color.RGBA{170, 170, 170, 255},
			shade: color.RGBA{215, 215, 215, 255}, shadeRejected: color.RGBA{240, 240, 240, 255},
		}, nil
	}
	return plotColours{
		inside: onPaper(t.inside.to), edge: onPaper(t.edge), rejected: onPaper(t.rejected.to),
		shade: pale(t.inside.to, 30), shadeRejected: pale(t.rejected.to, 22),
	}, nil
}

var curveColour = color.RGBA{45, 55, 72, 255}
