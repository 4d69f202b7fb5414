package viz

import (
	"fmt"
	"image/color"
	"strings"
)

// ink says how a mark colours the source: share percent of the way from the source's pixel to the colour. Share 0
// leaves the source as it is, share 100 hides it.
type ink struct {
	to    color.RGBA
	share int
}

// theme is a palette: the inks of what is outside and inside of segments and of rejected spans, and the colour of
// boundaries.
type theme struct {
	name, text                string
	outside, inside, rejected ink
	edge                      color.RGBA
}

// tintShare is how many percent of a tinted pixel are tint; the rest is the source, so that texture stays visible.
const tintShare = 55

// hides is the share of an ink that lets nothing through.
const hides = 100

// themes lists the palettes, the default first. All keep their colours apart for every kind of colour vision, and
// apart in lightness from each other.
func themes() []theme {
	tint := func(r, g, b uint8) ink { return ink{color.RGBA{r, g, b, 255}, tintShare} }
	return []theme{
		// Okabe and Ito, Color Universal Design, 2008.
		{name: "okabe", text: "orange inside, blue boundaries, purple where rejected",
			inside: tint(230, 159, 0), rejected: tint(204, 121, 167), edge: color.RGBA{86, 180, 233, 255}},
		// Tol, Colour Schemes (SRON/EPS/TN/09-002), "bright".
		{name: "tol", text: "red, cyan, yellow",
			inside: tint(238, 102, 119), rejected: tint(204, 187, 68), edge: color.RGBA{102, 204, 238, 255}},
		// Three points of the viridis map, whose lightness rises evenly.
		{name: "viridis", text: "teal, yellow, violet",
			inside: tint(33, 145, 140), rejected: tint(110, 60, 160), edge: color.RGBA{253, 231, 37, 255}},
		// Colour-free: survives black-and-white print, and leaves the colours of a colour page alone.
		{name: "gray", text: "for print without colours: what is outside is dimmed, boundaries are white",
			outside: ink{color.RGBA{0, 0, 0, 255}, 60}, rejected: ink{color.RGBA{0, 0, 0, 255}, 35},
			edge: color.RGBA{255, 255, 255, 255}},
	}
}

// Palettes names every palette, the default first.
func Palettes() []string {
	var names []string
	for _, t := range themes() {
		names = append(names, t.name)
	}
	return names
}

// PaletteText says of each palette what its colours are, for help texts.
func PaletteText() string {
	var parts []string
	for _, t := range themes() {
		parts = append(parts, t.name+" ("+t.text+")")
	}
	return strings.Join(parts, ", ")
}

func themeOf(name string) (theme, error) {
	for _, t := range themes() {
		if t.name == name || name == "" {
			return t, nil
		}
	}
	return theme{}, fmt.Errorf("there is no palette %q; there are %s", name, strings.Join(Palettes(), ", "))
}

// inks are what the four marks look like.
type inks [4]ink

// inksOf gives the inks of a look in a theme.
func inksOf(l Look, t theme) (inks, error) {
	solid := func(c color.RGBA) ink { return ink{c, hides} }
	switch l {
	case "", Tint, Side:
		return inks{None: t.outside, Rejected: t.rejected, Inside: t.inside, Edge: solid(t.edge)}, nil
	case Outline, Ticks:
		return inks{Rejected: t.rejected, Edge: solid(t.edge)}, nil
	case Mask:
		gray := func(v uint8) ink { return solid(color.RGBA{v, v, v, 255}) }
		return inks{None: gray(0), Rejected: gray(128), Inside: gray(255), Edge: gray(0)}, nil
	case Classes:
		boundary := ink{t.edge, tintShare}
		if t.inside == (ink{}) { // the theme without colours: boundaries dark, activations as they are
			return inks{None: t.rejected, Edge: ink{color.RGBA{0, 0, 0, 255}, 75}}, nil
		}
		return inks{Inside: t.inside, Edge: boundary}, nil
	}
	return inks{}, fmt.Errorf("there is no style %q; there are %s", l, strings.Join(Looks(), ", "))
}

// mix lays the ink over a pixel's colour component v, of which c is the ink's.
func (k ink) mix(v, c uint8) uint8 {
	return uint8((int(v)*(100-k.share) + int(c)*k.share + 50) / 100)
}

// coloured tells inks that colour what they let through from those that only dim it.
func (k ink) coloured() bool { return k.share < hides && (k.to.R != k.to.G || k.to.G != k.to.B) }

// over lays the ink over a colour.
func (k ink) over(r, g, b uint8) color.RGBA {
	return color.RGBA{k.mix(r, k.to.R), k.mix(g, k.to.G), k.mix(b, k.to.B), 255}
}
