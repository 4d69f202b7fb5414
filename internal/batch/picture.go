package batch

import (
	"context"
	"fmt"
	"image"
	"io"
	"slices"
	"strings"
	"time"

	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
	"segscan/viz"
)

// picture is the file of one page's overlay.
type picture struct {
	out    *pending
	writer raster.Writer
}

// newPictureWriter is the writer of the overlay's format; tags go into TIFF, workers bounds its goroutines.
func (c *Config) newPictureWriter(w io.WriteSeeker, tags raster.TIFFTags, workers int) raster.Writer {
	if c.Overlay != "tiff" {
		return raster.NewPNGWriter(w, raster.PNGOptions{Level: c.PNGLevel, Workers: workers})
	}
	o := raster.TIFFOptions{Compression: c.TIFFCompression, Workers: workers,
		Tags: func(int) raster.TIFFTags { return tags }}
	if o.Compression == 0 {
		o.Compression = raster.TIFFDeflate
	}
	return raster.NewTIFFWriter(w, o)
}

// painter draws the picture of one page by bands of rows. Lines that are rows are drawn as they are segmented; for
// columns the spans of the page are kept and drawn in a second pass, since a band of columns holds no whole row.
type painter struct {
	job     *pageJob
	drawing *viz.Picture
	picture *picture
	marks   viz.Marks

	kept, rejected segment.Spans // of the page, for columns
	classes        []classLines  // the same, where classes are shown
}

// classLines are the classes of lines from line0 on.
type classLines struct {
	line0 int64
	masks segment.Masks
}

// newPainter begins the picture of a page whose thresholds are known.
func newPainter(j *pageJob, begin func(raster.TIFFTags) (*picture, error)) (*painter, error) {
	drawing, err := viz.NewPicture(j.info, viz.PictureOptions{
		Look: j.cfg.Style, Palette: j.cfg.Palette, Stretch: j.cfg.Stretch.Of(j.info, j.hist), Region: j.bands.region,
		Rejected: j.cfg.AllSpans, Colour: j.colour(), MaxSize: j.cfg.MaxSize, Legend: j.legend(),
	})
	if err != nil {
		return nil, fmt.Errorf("drawing the picture: %w", err)
	}
	w, h := drawing.Size()
	pic, err := begin(j.tags(w))
	if err != nil {
		return nil, err
	}
	p := &painter{job: j, drawing: drawing, picture: pic}
	p.marks.Thick = drawing.Thick()
	model := drawing.Model()
	if _, ok := model.(*image.RGBA); ok { // nothing is transparent
		model = &raster.RGB{}
	}
	if err := pic.writer.NextPage(w, h, model); err != nil {
		p.discard()
		return nil, writing(pic.out.path, err)
	}
	return p, nil
}

// tags are what the file says of the page, for a picture so many pixels wide: of a reduced one no resolution.
func (j *pageJob) tags(width int64) raster.TIFFTags {
	d, ok := j.bands.page.(raster.Described)
	if !ok {
		return raster.TIFFTags{}
	}
	t := d.Tags()
	if width < int64(j.bands.region.Dx()) {
		t.Resolution = raster.TIFFResolution{}
	}
	return t
}

// colour tells whether the page's picture shows its colours.
func (j *pageJob) colour() bool { return j.info.Channels >= 3 && j.cfg.Style != viz.Mask }

// legend is what stands below the picture, nil for nothing.
func (j *pageJob) legend() *viz.Legend {
	if !j.cfg.Legend {
		return nil
	}
	l := &viz.Legend{
		Kernel: j.cfg.asked(), PixelSize: j.pixel.Size, Unit: j.pixel.Unit,
		Down: j.cfg.Axis == segment.Cols,
	}
	l.Boundary, l.Activation = conditions(&j.report, j.span(), j.cfg.KernelOptions.Invert)
	if n := j.cfg.Kernel.Needs(); n.PerLine || n.HaloLines > 0 || n.HaloSamples > 0 { // else the conditions and the kernel tell all
		l.Found = strings.NewReplacer("<=", "≤", ">=", "≥").Replace(j.report.Short)
	}
	return l
}

// conditions says what boundaries and activations are, by the thresholds of a page whose samples are span apart.
func conditions(r *kernels.Report, span float64, invert bool) (boundary, activation string) {
	switch len(r.Lo) {
	case 0:
		return "", ""
	case 1:
		boundary, activation = viz.Conditions(r.Lo[0], r.Hi[0], span)
	default:
		boundary, activation = "v ≤ lo of its line", "v ≥ hi of its line"
	}
	if invert {
		return activation, boundary
	}
	return boundary, activation
}

// band takes the spans of one segmented band, which are as Segment and the filters left them, and its classes.
func (p *painter) band(b *segment.Band, kept, rejected *segment.Spans, classes *segment.Masks) error {
	if b.Axis == segment.Cols {
		p.keep(b, kept, rejected, classes)
		return nil
	}
	defer p.job.clock.add("overlay", time.Now())
	p.marks.Reset(int(b.Sample0), int(b.Line0), b.Samples, b.Lines)
	if p.drawing.ShowsClasses() {
		p.marks.PaintClasses(b.Line0, b.Sample0, classes)
	} else {
		p.marks.PaintRows(b.Line0, b.Sample0, kept, viz.Inside)
		p.marks.PaintRows(b.Line0, b.Sample0, rejected, viz.Rejected)
	}
	return p.draw(b)
}

// keep holds on to what the second pass draws.
func (p *painter) keep(b *segment.Band, kept, rejected *segment.Spans, classes *segment.Masks) {
	if p.drawing.ShowsClasses() {
		m := *classes
		m.B, m.A = slices.Clone(m.B), slices.Clone(m.A)
		p.classes = append(p.classes, classLines{b.Line0, m})
		return
	}
	appendSpans(&p.kept, kept)
	appendSpans(&p.rejected, rejected)
}

func (p *painter) draw(b *segment.Band) error {
	img, err := p.drawing.Draw(*b, &p.marks)
	if err != nil {
		return fmt.Errorf("drawing the picture: %w", err)
	}
	return p.write(img)
}

// write hands rows on; nil is none.
func (p *painter) write(img image.Image) error {
	if img == nil {
		return nil
	}
	if err := p.picture.writer.WriteBand(img); err != nil {
		return writing(p.picture.out.path, err)
	}
	return nil
}

// appendSpans adds the lines of s to those of all.
func appendSpans(all, s *segment.Spans) {
	if len(all.First) == 0 {
		all.First = append(all.First, 0)
	}
	base := all.First[len(all.First)-1]
	for _, f := range s.First[1:] {
		all.First = append(all.First, base+f)
	}
	all.Bounds = append(all.Bounds, s.Bounds...)
	for i := range len(s.First) - 1 {
		var edge uint8
		if i < len(s.Edge) {
			edge = s.Edge[i]
		}
		all.Edge = append(all.Edge, edge)
	}
}

// finish draws what is left and puts the picture on the disk under its temporary name.
func (p *painter) finish(ctx context.Context) error {
	defer p.job.clock.add("overlay", time.Now())
	if p.job.bands.request.Axis == segment.Cols {
		if err := p.columns(ctx); err != nil {
			return err
		}
	}
	if err := p.drawing.Finish(p.job.totals.count, p.write); err != nil {
		return err
	}
	w := p.picture.writer
	p.picture.writer = nil
	if err := w.Close(); err != nil {
		return writing(p.picture.out.path, err)
	}
	return p.picture.out.finish()
}

// columns draws, row by row, what was kept of columns.
func (p *painter) columns(ctx context.Context) error {
	p.job.bands.close() // the rows are decoded anew, so let go of the columns
	line0, sample0 := p.job.bands.first()
	return p.job.bands.rows(ctx, p.job.colour(), func(b *segment.Band) error {
		p.marks.Reset(int(b.Sample0), int(b.Line0), b.Samples, b.Lines)
		for i := range p.classes {
			p.marks.PaintClassesCols(p.classes[i].line0, sample0, &p.classes[i].masks)
		}
		p.marks.PaintCols(line0, sample0, &p.kept, viz.Inside)
		p.marks.PaintCols(line0, sample0, &p.rejected, viz.Rejected)
		return p.draw(b)
	})
}

// discard ends the writer of a picture that is not finished; its file belongs to the output set.
func (p *painter) discard() {
	if p.picture.writer != nil {
		p.picture.writer.Close() // it has failed already, or is given up
		p.picture.writer = nil
	}
}
