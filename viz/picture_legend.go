package viz

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
)

// layLegend lays the legend out before anything is drawn, with room for the largest count there can be, because the
// height of a picture is written before its rows.
func (v *Picture) layLegend() error {
	v.canvas = max(v.w, legendWidth)
	items := v.legendItems()
	var err error
	v.legend, err = newLegendBox(items, letterSize(v.canvas, v.h), v.canvas)
	if err != nil {
		return fmt.Errorf("laying out the legend: %w", err)
	}
	v.counts = -1
	for i, it := range v.legend.items {
		if it.text == v.widestCount() {
			v.counts = i
		}
	}
	return nil
}

// widestCount is as wide as the count of the page can come out.
func (v *Picture) widestCount() string {
	pixels := int64(v.region.Dx()) * int64(v.region.Dy())
	n := int64(8)
	for n < pixels/2+1 {
		n = 10*n + 8
	}
	return counted(n)
}

func (v *Picture) legendItems() []legendItem {
	l := v.o.Legend
	tinted := func(m Mark) []color.RGBA {
		var c []color.RGBA
		for _, g := range []uint8{40, 110, 180, 240} {
			c = append(c, v.inks[m].over(g, g, g))
		}
		return c
	}
	count := legendItem{text: v.widestCount()}
	boundary := legendItem{text: condition("boundary", l.Boundary)}
	activation := legendItem{text: condition("activation", l.Activation)}
	switch v.o.Look {
	case Classes:
		boundary.swatch, activation.swatch = tinted(Edge), tinted(Inside)
	case Outline, Ticks:
		boundary.swatch = tinted(Edge)
	case Mask:
		count.swatch = tinted(Inside)
	default:
		count.swatch, boundary.swatch = tinted(Inside), tinted(Edge)
	}
	items := []legendItem{count}
	if v.o.Rejected && v.o.Look != Classes {
		items = append(items, legendItem{swatch: tinted(Rejected), text: "rejected spans"})
	}
	if l.Boundary != "" || boundary.swatch != nil { // the word alone would tell nothing
		items = append(items, boundary)
	}
	if l.Activation != "" || activation.swatch != nil {
		items = append(items, activation)
	}
	if l.Kernel != "" {
		items = append(items, legendItem{text: l.Kernel})
	}
	if l.Found != "" {
		items = append(items, legendItem{text: l.Found})
	}
	return append(items, v.scaleItems()...)
}

// condition is "boundary v ≤ 39", or the word alone, beside a swatch, where there is no condition to tell.
func condition(word, what string) string {
	if what == "" {
		return word
	}
	return word + " " + what
}

// scaleItems is the scale bar. Units that are no lengths hold along lines only, so where these run down the picture
// a bar across it would be wrong, and words stand for it.
func (v *Picture) scaleItems() []legendItem {
	l := v.o.Legend
	if l.PixelSize <= 0 {
		return nil
	}
	if l.Down && !isLength(l.Unit) {
		return []legendItem{{text: "1 pixel down = " + strconv.FormatFloat(l.PixelSize, 'g', 6, 64) + " " + unitText(l.Unit)}}
	}
	perPixel := float64(v.w) / float64(v.drawnW) * float64(v.zoomX) // picture pixels of one of the page
	size := letterSize(v.canvas, v.h)
	bar, text := scaleBar(perPixel/l.PixelSize, min(v.w, max(16, min(v.canvas/4, 10*size))), l.Unit)
	return []legendItem{{bar: bar, text: text}}
}

// Finish draws the legend, for a page of so many segments, after the last row. emit gets its rows in bands of bounded
// size, valid during the call. Without a legend it only checks that all rows have been drawn.
func (v *Picture) Finish(segments int64, emit func(image.Image) error) error {
	if v.next != v.region.Max.Y {
		return fmt.Errorf("drawing the picture: %d rows came of %d", v.next-v.region.Min.Y, v.region.Dy())
	}
	if v.given != v.h {
		return errors.New("drawing the picture: rows were lost in reducing it")
	}
	if v.legend == nil {
		return nil
	}
	strip := v.legend.draw(map[int]string{v.counts: counted(segments)})
	near := nearest{palette: v.ramps.palette}
	rows := min(max(1, 1<<22/v.canvas), v.legend.height)
	for y := 0; y < v.legend.height; y += rows {
		v.pix = v.pix[:0]
		for i := y; i < min(y+rows, v.legend.height); i++ {
			v.legendRow(strip, i, &near)
		}
		if err := emit(v.rows()); err != nil {
			return err
		}
	}
	return nil
}

func (v *Picture) legendRow(strip *image.RGBA, y int, near *nearest) {
	row := strip.Pix[y*strip.Stride:][:4*v.legend.width]
	if v.paletted() {
		for i := 0; i < len(row); i += 4 {
			v.pix = append(v.pix, near.index(color.RGBA{row[i], row[i+1], row[i+2], 255}))
		}
	} else {
		v.pix = append(v.pix, row...)
	}
	v.pix = v.colour(v.pix, v.canvas-v.legend.width, paper, v.paletted())
}

// Condition writes what a threshold says, such as "v ≤ 39": less tells which side. span is how far apart samples are, for
// Number. Infinite thresholds hold for no sample, and are "" here.
func Condition(threshold float64, less bool, span float64) string {
	if math.IsInf(threshold, 0) || math.IsNaN(threshold) {
		return ""
	}
	sign := "≥"
	if less {
		sign = "≤"
	}
	return "v " + sign + " " + Number(threshold, span)
}

// Conditions writes both thresholds of a page, whose samples are span apart. Where the upper one is the float next to the
// lower, it says "v > 0.5".
func Conditions(lo, hi, span float64) (low, high string) {
	low, high = Condition(lo, true, span), Condition(hi, false, span)
	if next := math.Nextafter32(float32(lo), math.MaxFloat32); low != "" && float64(float32(lo)) == lo && hi == float64(next) {
		high = "v > " + Number(lo, span)
	}
	return low, high
}
