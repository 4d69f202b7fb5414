package viz

import "image/color"

// The colours are Okabe and Ito's (Color Universal Design, 2008), chosen to stay apart for every kind of colour
// vision: orange for what is found, sky blue for the boundaries that bound it, reddish purple for what was rejected.
var (
	tintInside   = color.RGBA{230, 159, 0, 255}
	tintRejected = color.RGBA{204, 121, 167, 255}
	markEdge     = color.RGBA{86, 180, 233, 255}
)

// tintShare is how much of a tinted pixel is tint; the rest is the source's gray, so that texture stays visible.
const tintShare = 0.55

// ramps is a palette made of one gray ramp and the same ramp once more in each tint, then the solid edge colour: a
// picture of a gray page needs one byte a pixel, which encodes several times faster than true colour.
type ramps struct {
	levels  int // of gray in a ramp
	palette color.Palette
	base    [4]uint8 // palette index of level 0, by Mark
	solid   [4]bool  // the mark hides the gray
}

func newRamps(rejected bool) ramps {
	tints := []color.RGBA{{}, tintInside}
	if rejected {
		tints = append(tints, tintRejected)
	}
	r := ramps{levels: 255 / len(tints)}
	for _, t := range tints {
		for i := range r.levels {
			g := uint8((i*255 + (r.levels-1)/2) / (r.levels - 1))
			r.palette = append(r.palette, tinted(g, t))
		}
	}
	r.base[Inside] = uint8(r.levels)
	if rejected {
		r.base[Rejected] = uint8(2 * r.levels)
	}
	r.base[Edge], r.solid[Edge] = uint8(len(r.palette)), true
	r.palette = append(r.palette, markEdge)
	return r
}

// tinted mixes gray g with tint t; the zero tint leaves it gray.
func tinted(g uint8, t color.RGBA) color.RGBA {
	if t.A == 0 {
		return color.RGBA{g, g, g, 255}
	}
	mix := func(c uint8) uint8 { return uint8(float64(g)*(1-tintShare) + float64(c)*tintShare + 0.5) }
	return color.RGBA{mix(t.R), mix(t.G), mix(t.B), 255}
}
