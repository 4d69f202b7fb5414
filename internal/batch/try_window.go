package batch

import (
	"fmt"
	"image"
	"math"

	"segscan/segment"
	"segscan/viz"
)

// Pages larger than mostReduced times a tile are not shown as a whole, but a window that is cropReduced times one.
const (
	mostReduced = 6
	cropReduced = 3
)

// tryWindow is the part of a page that a contact sheet shows: all of it where that can still be seen, or else the
// part where samples differ most from their neighbours.
type tryWindow struct {
	page   image.Rectangle // the region tried
	show   image.Rectangle
	cols   bool // lines are columns
	curve  bool // one line: it is shown as a curve
	cell   image.Point
	across int // cells
	energy []float64
}

func newTryWindow(j *pageJob) tryWindow {
	page := j.bands.region
	w := tryWindow{page: page, show: page, cols: j.cfg.Axis == segment.Cols, curve: j.bands.lines() == 1}
	// A page that is long and thin may be reduced less, or nothing would be left of its height.
	most := min(max(float64(min(page.Dx(), page.Dy()))/60, 1), mostReduced)
	if w.curve || float64(page.Dx()) <= most*viz.TileWidth && float64(page.Dy()) <= most*viz.TileHeight {
		return w
	}
	crop := min(most, cropReduced)
	w.cell = image.Pt(min(int(crop*viz.TileWidth), page.Dx()), min(int(crop*viz.TileHeight), page.Dy()))
	w.across = (page.Dx() + w.cell.X - 1) / w.cell.X
	w.energy = make([]float64, w.across*((page.Dy()+w.cell.Y-1)/w.cell.Y))
	return w
}

// lookEvery is of how many lines one is looked at.
const lookEvery = 4

// look adds up how much samples of a band differ from the next ones of their line.
func (w *tryWindow) look(b *segment.Band) {
	if w.energy == nil {
		return
	}
	body := b.Body()
	for l := range b.Lines {
		if (b.Line0+int64(l))%lookEvery != 0 {
			continue
		}
		at := l * body.Stride
		switch {
		case body.U8 != nil:
			addEnergy(w, b, l, body.U8[at:][:b.Samples])
		case body.U16 != nil:
			addEnergy(w, b, l, body.U16[at:][:b.Samples])
		case body.F32 != nil:
			addEnergy(w, b, l, body.F32[at:][:b.Samples])
		}
	}
}

func addEnergy[T uint8 | uint16 | float32](w *tryWindow, b *segment.Band, l int, line []T) {
	step := w.cell.X
	if w.cols {
		step = w.cell.Y
	}
	for from := 0; from < len(line); from += step {
		sum := 0.0
		for s := from + 1; s < min(from+step, len(line)); s++ {
			if d := math.Abs(float64(line[s]) - float64(line[s-1])); d < math.MaxFloat32 { // neither NaN nor infinite
				sum += d
			}
		}
		x, y := from/step, int(b.Line0-int64(w.page.Min.Y)+int64(l))/w.cell.Y
		if w.cols {
			x, y = int(b.Line0-int64(w.page.Min.X)+int64(l))/w.cell.X, from/step
		}
		w.energy[y*w.across+x] += sum
	}
}

// choose takes the cell with the greatest differences, moved into the page where it juts out.
func (w *tryWindow) choose() {
	if w.energy == nil {
		return
	}
	best := 0
	for i, e := range w.energy {
		if e > w.energy[best] {
			best = i
		}
	}
	x := min(best%w.across*w.cell.X, w.page.Dx()-w.cell.X)
	y := min(best/w.across*w.cell.Y, w.page.Dy()-w.cell.Y)
	w.show = image.Rectangle{Max: w.cell}.Add(w.page.Min).Add(image.Pt(x, y))
}

// keep adds those spans of a band that the window shows to all, which has a line for each of the window's.
func (w *tryWindow) keep(all *segment.Spans, b *segment.Band, kept *segment.Spans) {
	if len(all.First) == 0 {
		all.First = append(all.First, 0)
	}
	lines, samples := [2]int{w.show.Min.Y, w.show.Max.Y}, [2]int{w.show.Min.X, w.show.Max.X}
	if w.cols {
		lines, samples = samples, lines
	}
	for l := range b.Lines {
		if at := b.Line0 + int64(l); at < int64(lines[0]) || at >= int64(lines[1]) {
			continue
		}
		var edge uint8
		bounds := kept.Line(l)
		for i, s := range bounds {
			if b.Sample0+int64(s.End) < int64(samples[0]) || b.Sample0+int64(s.Start) >= int64(samples[1]) {
				continue
			}
			if i == 0 && l < len(kept.Edge) {
				edge |= kept.Edge[l] & segment.EdgeLeft
			}
			if i == len(bounds)-1 && l < len(kept.Edge) {
				edge |= kept.Edge[l] & segment.EdgeRight
			}
			all.Bounds = append(all.Bounds, s)
		}
		all.First, all.Edge = append(all.First, int64(len(all.Bounds))), append(all.Edge, edge)
	}
}

// shown says which part of the page the sheet shows, empty for all of it.
func (w *tryWork) shown() string {
	r := w.window.show
	if r == w.window.page {
		return ""
	}
	return fmt.Sprintf("%d x %d pixels from %d,%d", r.Dx(), r.Dy(), r.Min.X, r.Min.Y)
}
