package viz

import (
	"image"
	"image/color"
	"math"
)

// thumbnailHeight is that of a line's thumbnail.
const thumbnailHeight = 150

// Thumbnail draws the line as a small curve on white: segments shaded, thresholds (infinite or NaN: none) as lines.
func (p *Profile) Thumbnail(palette string, lo, hi float64, invert bool) (*image.RGBA, error) {
	k, err := colourOf(palette)
	if err != nil {
		return nil, err
	}
	const w, h = TileWidth, thumbnailHeight
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	fillRect(img, img.Rect, paper)
	if p.min > p.max {
		return img, nil
	}
	low, high := p.min-0.06*(p.max-p.min), p.max+0.06*(p.max-p.min)
	if low == high {
		low, high = low-1, high+1
	}
	from, to := p.at[0]-0.5, p.at[len(p.at)-1]+0.5
	column := func(x float64) int { return min(max(int((x-from)/(to-from)*w), 0), w-1) }
	row := func(v float64) int { return min(max(int((high-v)/(high-low)*(h-1)+0.5), 0), h-1) }
	for _, v := range p.kept {
		fillRect(img, image.Rect(column(v.from), 0, column(v.to)+1, h), k.shade)
	}
	for _, t := range thresholdRules(lo, hi, 0, invert, k) {
		if t.at < low || t.at > high {
			continue
		}
		for x := 0; x < w; x += 6 {
			fillRect(img, image.Rect(x, row(t.at), x+4, row(t.at)+1), t.c)
		}
	}
	p.trace(img, column, row)
	return img, nil
}

// trace draws the curve: in each pixel column all that the line covers there, joined to the column before.
func (p *Profile) trace(img *image.RGBA, column func(float64) int, row func(float64) int) {
	top, bottom := math.MaxInt, math.MinInt // of the column in hand
	at := -1
	flush := func() {
		if at >= 0 {
			fillRect(img, image.Rect(at, top, at+1, bottom+1), color.RGBA(curveColour))
		}
	}
	lastX, lastY := -1, 0
	for i, x := range p.at {
		if p.lo[i] > p.hi[i] {
			lastX = -1
			continue
		}
		y0, y1 := row(p.hi[i]), row(p.lo[i])
		c := column(x)
		if c != at {
			flush()
			at, top, bottom = c, math.MaxInt, math.MinInt
		}
		if lastX >= 0 { // a step from the sample before; samples far apart are joined by a level line
			fillRect(img, image.Rect(lastX, lastY, c, lastY+1), curveColour)
			top, bottom = min(top, lastY), max(bottom, lastY)
		}
		top, bottom = min(top, y0), max(bottom, y1)
		lastX, lastY = c, (y0+y1)/2
	}
	flush()
	p.dots(img, column, row)
}
