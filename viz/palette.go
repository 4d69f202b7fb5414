package viz

import (
	"image/color"
	"slices"
)

// mostLevels is how many grays a picture of a gray page shows at most: 7 bits, of which PNG encodes several times
// faster than of true colour.
const mostLevels = 128

// ramps is the palette of a picture of a gray page: for each ink that lets the source through, a ramp from black to
// white under that ink; the inks that hide it once each.
type ramps struct {
	levels  int // of gray in a ramp
	palette color.Palette
	inks    []ink
	base    []uint8 // palette index of level 0 of each ink
}

// newRamps makes the palette of some inks, of which doubles count once; extra colours follow them.
func newRamps(list []ink, extra ...color.RGBA) ramps {
	r := ramps{levels: 1}
	through := 0
	for _, k := range list {
		if slices.Contains(r.inks, k) {
			continue
		}
		r.inks = append(r.inks, k)
		if k.share < hides {
			through++
		}
	}
	if through > 0 {
		r.levels = min((256-(len(r.inks)-through)-len(extra))/through, mostLevels)
	}
	r.base = make([]uint8, len(r.inks))
	for _, solid := range []bool{false, true} {
		for i, k := range r.inks {
			if (k.share == hides) != solid {
				continue
			}
			r.base[i] = uint8(len(r.palette))
			if solid {
				r.palette = append(r.palette, k.to)
				continue
			}
			for l := range r.levels {
				g := uint8((l*255 + (r.levels-1)/2) / (r.levels - 1))
				r.palette = append(r.palette, k.over(g, g, g))
			}
		}
	}
	for _, c := range extra {
		r.palette = append(r.palette, c)
	}
	return r
}

// index is the palette index of a gray level under an ink, which must be one of the palette's.
func (r *ramps) index(k ink, level int) uint8 {
	base := r.base[slices.Index(r.inks, k)]
	if k.share == hides {
		return base
	}
	return base + uint8(level)
}

// nearest gives palette indices of colours that need not be in the palette, and remembers them.
type nearest struct {
	palette color.Palette
	known   map[color.RGBA]uint8
}

func (n *nearest) index(c color.RGBA) uint8 {
	i, ok := n.known[c]
	if !ok {
		i = uint8(n.palette.Index(c))
		if n.known == nil {
			n.known = map[color.RGBA]uint8{}
		}
		n.known[c] = i
	}
	return i
}
