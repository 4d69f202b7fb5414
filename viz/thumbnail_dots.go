package viz

import "image"

// dots marks samples without a neighbour to be joined to, of which a line would leave a pixel: as squares of 5 pixels, or
// of 3 where samples are not that far apart.
func (p *Profile) dots(img *image.RGBA, column func(float64) int, row func(float64) int) {
	half := 2
	if len(p.at)*5 > img.Rect.Dx() {
		half = 1
	}
	for i, x := range p.at {
		if p.alone(i) {
			at := image.Pt(column(x), row((p.lo[i]+p.hi[i])/2))
			fillRect(img, image.Rect(at.X-half, at.Y-half, at.X+half+1, at.Y+half+1).Intersect(img.Rect), curveColour)
		}
	}
}

// alone tells whether column i holds a finite sample, and neither neighbour does.
func (p *Profile) alone(i int) bool {
	gap := func(k int) bool { return k < 0 || k >= len(p.at) || p.lo[k] > p.hi[k] }
	return !gap(i) && gap(i-1) && gap(i+1)
}
