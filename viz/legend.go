package viz

import (
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// Legend is what stands below a picture: counts, kernel and thresholds, and a scale bar.
type Legend struct {
	Kernel               string // as for -k, with flags that bear on it
	Boundary, Activation string // conditions such as "v ≤ 39"; empty where there is none to tell
	Found                string // what the kernel took from the page, where conditions do not tell
	PixelSize            float64
	Unit                 string // PixelSize units are one pixel; 0: no scale bar
	// Down: lines run down the picture, so that units that are no lengths apply there.
	Down bool
}

// legendWidth is the least width of a picture with a legend; a narrower one gets white space beside it.
const legendWidth = 200

var (
	paper     = color.RGBA{255, 255, 255, 255}
	letter    = color.RGBA{20, 20, 20, 255}
	frameGray = color.RGBA{160, 160, 160, 255}
)

// legendItem is one piece of a legend, which is not broken if it fits a line.
type legendItem struct {
	swatch []color.RGBA // from left to right; nil: none
	bar    int          // pixels of a scale bar before the text
	text   string
}

// legendBox is a laid-out legend.
type legendBox struct {
	letters *lettering
	items   []legendItem
	at      []image.Point // of each item's top left corner
	width   int           // of the text area
	height  int
	margin  int
}

// letterSize chooses letters that can be read when a viewer shrinks the picture to a screen, and fit it.
func letterSize(w, h int) int {
	const least = 13
	return max(least, min(max(w, h)/110, w/24, max(h/10, least), 400))
}

// newLegendBox lays items out for a picture that is width pixels wide.
func newLegendBox(items []legendItem, size, width int) (*legendBox, error) {
	letters, err := newLettering(size, false)
	if err != nil {
		return nil, err
	}
	b := &legendBox{letters: letters, margin: size / 2}
	b.width = min(width, 120*size)
	room := b.width - 2*b.margin
	x, y := 0, 0
	for _, it := range items {
		lines := b.split(it, room)
		for k, l := range lines {
			w := b.itemWidth(l)
			if x > 0 && (k > 0 || x+w > room) {
				x, y = 0, y+letters.height
			}
			b.items = append(b.items, l)
			b.at = append(b.at, image.Pt(b.margin+x, b.margin+y))
			x += w + size + size/4
		}
	}
	b.height = y + letters.height + 2*b.margin
	return b, nil
}

// split breaks an item that is longer than a line.
func (b *legendBox) split(it legendItem, room int) []legendItem {
	head := b.itemWidth(it) - b.letters.width(it.text)
	if head+b.letters.width(it.text) <= room {
		return []legendItem{it}
	}
	var parts []legendItem
	for i, text := range b.letters.wrap(it.text, room-head) {
		part := legendItem{text: text}
		if i == 0 {
			part.swatch, part.bar = it.swatch, it.bar
		}
		parts = append(parts, part)
	}
	return parts
}

func (b *legendBox) itemWidth(it legendItem) int {
	w := b.letters.width(it.text)
	if len(it.swatch) > 0 {
		w += b.letters.size + b.letters.size/2
	}
	if it.bar > 0 {
		w += it.bar + b.letters.size/2
	}
	return w
}

// draw paints the legend; texts replace those of the items, where they are not empty.
func (b *legendBox) draw(texts map[int]string) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, b.width, b.height))
	fillRect(img, img.Rect, paper)
	size := b.letters.size
	for i, it := range b.items {
		p := b.at[i]
		if n := len(it.swatch); n > 0 {
			r := image.Rect(p.X, p.Y+(b.letters.height-size)/2, p.X+size, p.Y+(b.letters.height-size)/2+size)
			fillRect(img, r, frameGray)
			r = r.Inset(1)
			for k, c := range it.swatch {
				fillRect(img, image.Rect(r.Min.X+k*r.Dx()/n, r.Min.Y, r.Min.X+(k+1)*r.Dx()/n, r.Max.Y), c)
			}
			p.X += size + size/2
		}
		if it.bar > 0 {
			middle, half := p.Y+b.letters.height/2, max(1, size/10)
			fillRect(img, image.Rect(p.X, middle-half, p.X+it.bar, middle+half), letter)
			for _, x := range []int{p.X, p.X + it.bar - half} {
				fillRect(img, image.Rect(x, middle-size/3, x+half, middle+size/3), letter)
			}
			p.X += it.bar + size/2
		}
		text := it.text
		if t := texts[i]; t != "" {
			text = t
		}
		b.letters.draw(img, p.X, p.Y, letter, text)
	}
	return img
}

// scaleBar chooses a round length of at most most pixels, where a unit is perUnit pixels.
func scaleBar(perUnit float64, most int, unit string) (pixels int, text string) {
	length := math.Pow(10, math.Floor(math.Log10(float64(most)/perUnit)))
	for _, m := range []float64{5, 2} {
		if length*m*perUnit <= float64(most) {
			length *= m
			break
		}
	}
	pixels = max(1, int(math.Round(length*perUnit)))
	if larger, ok := map[string]string{"nm": "um", "um": "mm", "mm": "m", "us": "ms", "ms": "s", "m": "km"}[unit]; ok && length >= 1000 {
		length, unit = length/1000, larger
	}
	return pixels, strconv.FormatFloat(length, 'g', 6, 64) + " " + unitText(unit)
}

// unitText writes um as people do.
func unitText(unit string) string {
	if unit == "um" {
		return "µm"
	}
	return unit
}

// isLength tells units that hold in every direction of a picture.
func isLength(unit string) bool {
	switch unit {
	case "pm", "nm", "um", "mm", "cm", "dm", "m", "km", "in", "ft":
		return true
	}
	return false
}

// Grouped writes a count with separators: 1,234,567.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// counted is "1 segment", "2,357 segments".
func counted(n int64) string {
	if n == 1 {
		return "1 segment"
	}
	return Grouped(n) + " segments"
}
