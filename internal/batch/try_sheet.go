package batch

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"segscan/segment"
	"segscan/viz"
)

// tryColumns of a contact sheet: two kernels, both polarities of each, side by side.
const tryColumns = 4

// sheet draws the contact sheet.
func (w *tryWork) sheet(ctx context.Context, t *Trials, pages int) (*image.RGBA, error) {
	pictures, err := w.pictures(ctx)
	if err != nil {
		return nil, err
	}
	s := &viz.Sheet{Title: t.File, Columns: tryColumns}
	if pages > 1 {
		s.Title += fmt.Sprintf(", page %d", t.Page)
	}
	about := fmt.Sprintf("%d × %d %s. Counts are of ", t.Width, t.Height, t.Sample)
	if w.job.cfg.ROI != nil {
		about += "the region; "
	} else {
		about += "the whole page; "
	}
	if t.Shown != "" {
		about += "the pictures show " + t.Shown + ". "
	} else {
		about += "the pictures show all of it. "
	}
	about += "Coloured: inside a segment; its ends are boundaries."
	switch filtered := slices.ContainsFunc(w.groups, func(g *tryGroup) bool { return g.job.bands.filtering() }); {
	case filtered && w.window.curve:
		about += " Curves and thresholds are of the " + w.curves() + "."
	case filtered:
		about += " Thresholds are for samples after flat field and filters, the pictures show those stored."
	}
	if !w.window.curve {
		about += proportions(pictures[0].Rect.Size(), w.window.show.Size())
	}
	s.Notes = append(s.Notes, about)
	if t.Beside != "" {
		s.Notes = append(s.Notes, "Each with "+t.Beside)
	}
	for i := range w.trials {
		s.Tiles = append(s.Tiles, tileOf(&w.trials[i], pictures[i]))
	}
	if len(t.LeftOut) > 0 {
		s.Notes = append(s.Notes, "Left out: "+strings.Join(t.LeftOut.texts(), "; "))
	}
	return s.Draw()
}

// proportions says that pixels of a page are not drawn square, where that is so.
func proportions(picture, show image.Point) string {
	x, y := float64(picture.X)/float64(show.X), float64(picture.Y)/float64(show.Y)
	switch {
	case math.Round(x/y) >= 2:
		return fmt.Sprintf(" Pixels are drawn %s times as wide as high.", short(x/y))
	case math.Round(y/x) >= 2:
		return fmt.Sprintf(" Pixels are drawn %s times as high as wide.", short(y/x))
	}
	return ""
}

// curves says what the samples are that curves are of: those of all kernels, or in general.
func (w *tryWork) curves() string {
	name := w.groups[0].job.valueName()
	for _, g := range w.groups[1:] {
		if g.job.valueName() != name {
			return "sample value after flat field and filters of each"
		}
	}
	return name
}

// tileOf captions the picture of a trial.
func tileOf(t *Trial, picture *image.RGBA) viz.Tile {
	tile := viz.Tile{Picture: picture, Heading: viz.CountText(t.Count), Command: t.Command()}
	if t.Count > 0 {
		tile.Heading += fmt.Sprintf(", mean length %s, cover %s %%", short(t.MeanLength), short(t.Coverage))
	}
	var parts []string
	if t.Boundary != "" {
		parts = append(parts, "boundary "+t.Boundary)
	}
	if t.Activation != "" {
		parts = append(parts, "activation "+t.Activation)
	}
	tile.Text = strings.Join(parts, ", ")
	if len(t.Same) > 0 {
		tile.Remark = "the same: " + strings.Join(t.Same, ", ")
	}
	return tile
}

// short writes a number with three digits.
func short(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// pictures draws the window once for each trial, in one pass over its rows.
func (w *tryWork) pictures(ctx context.Context) ([]*image.RGBA, error) {
	j := w.job
	all := make([]*image.RGBA, len(w.trials))
	if w.window.curve {
		for i := range w.trials {
			t := &w.trials[i]
			img, err := t.profile.Thumbnail(j.cfg.Palette, t.lo, t.hi, t.Invert)
			if err != nil {
				return nil, fmt.Errorf("drawing the sheet: %w", err)
			}
			all[i] = img
		}
		return all, nil
	}
	show := w.window.show
	drawings, canvases := make([]*viz.Picture, len(all)), make([]*viz.Canvas, len(all))
	for i := range w.trials {
		p, err := viz.NewPicture(j.info, viz.PictureOptions{
			Palette: j.cfg.Palette, Stretch: j.cfg.Stretch.Of(j.info, j.hist), Region: show, Colour: j.colour(), MaxSize: tileSize(show),
		})
		if err != nil {
			return nil, fmt.Errorf("drawing the sheet: %w", err)
		}
		drawings[i], canvases[i] = p, viz.NewCanvas(p)
	}
	j.bands.close() // the rows are decoded anew
	rows := *j.bands
	rows.region, rows.request.ROI = show, &show
	var m viz.Marks
	err := rows.rows(ctx, j.colour(), func(b *segment.Band) error {
		for i, p := range drawings {
			m.Thick = p.Thick()
			m.Reset(int(b.Sample0), int(b.Line0), b.Samples, b.Lines)
			w.paint(&m, &w.trials[i].spans)
			img, err := p.Draw(*b, &m)
			if err == nil {
				err = canvases[i].Add(img)
			}
			if err != nil {
				return fmt.Errorf("drawing the sheet: %w", err)
			}
		}
		return nil
	})
	for i, c := range canvases {
		all[i] = c.Enlarged()
	}
	return all, err
}

// paint marks the spans kept of the window.
func (w *tryWork) paint(m *viz.Marks, s *segment.Spans) {
	region, show := w.job.bands.region, w.window.show
	if w.window.cols {
		m.PaintCols(int64(show.Min.X), int64(region.Min.Y), s, viz.Inside)
		return
	}
	m.PaintRows(int64(show.Min.Y), int64(region.Min.X), s, viz.Inside)
}

// tileSize is the longer side of a picture of r that fits a tile.
func tileSize(r image.Rectangle) int64 {
	shrink := max(float64(r.Dx())/viz.TileWidth, float64(r.Dy())/viz.TileHeight, 1)
	return int64(math.Max(1, math.Floor(float64(max(r.Dx(), r.Dy()))/shrink)))
}
