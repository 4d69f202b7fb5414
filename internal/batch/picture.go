package batch

import (
	"context"
	"fmt"
	"io"
	"time"

	"segscan/internal/raster"
	"segscan/segment"
	"segscan/viz"
)

// picture is the file of one page's overlay.
type picture struct {
	out    *pending
	writer raster.Writer
}

// newPictureWriter is the writer of the overlay's format; workers bounds its goroutines.
func newPictureWriter(format string, w io.WriteSeeker, workers int) raster.Writer {
	if format == "tiff" {
		return raster.NewTIFFWriter(w, raster.TIFFOptions{Compression: raster.TIFFDeflate, Workers: workers})
	}
	return raster.NewPNGWriter(w, raster.PNGOptions{Workers: workers})
}

// painter draws the overlay of one page by bands of rows. Lines that are rows are drawn as they are segmented;
// for columns the spans of the page are kept and drawn in a second pass, since a band of columns holds no whole row.
type painter struct {
	job     *pageJob
	style   viz.Style
	picture *picture
	marks   viz.Marks

	kept, rejected segment.Spans // of the page, for columns
}

func newPainter(j *pageJob, begin func() (*picture, error)) (*painter, error) {
	style, err := viz.NewOverlay(j.info, viz.StretchOf(j.info, j.hist), viz.OverlayOptions{Rejected: j.cfg.AllSpans})
	if err != nil {
		return nil, fmt.Errorf("drawing the overlay: %w", err)
	}
	pic, err := begin()
	if err != nil {
		return nil, err
	}
	p := &painter{job: j, style: style, picture: pic}
	region := j.bands.region
	if err := pic.writer.NextPage(int64(region.Dx()), int64(region.Dy()), style.Model()); err != nil {
		p.discard()
		return nil, writing(pic.out.path, err)
	}
	return p, nil
}

// band takes the spans of one segmented band, which are as Segment and the filters left them.
func (p *painter) band(b *segment.Band, kept, rejected *segment.Spans) error {
	if b.Axis == segment.Cols {
		appendSpans(&p.kept, kept)
		appendSpans(&p.rejected, rejected)
		return nil
	}
	defer p.job.clock.add("overlay", time.Now())
	p.marks.Reset(int(b.Sample0), int(b.Line0), b.Samples, b.Lines)
	p.marks.PaintRows(b.Line0, b.Sample0, kept, viz.Inside)
	p.marks.PaintRows(b.Line0, b.Sample0, rejected, viz.Rejected)
	return p.draw(b)
}

func (p *painter) draw(b *segment.Band) error {
	img, err := p.style.Draw(*b, &p.marks)
	if err != nil {
		return fmt.Errorf("drawing the overlay: %w", err)
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
		p.job.bands.close() // the rows are decoded anew, so let go of the columns
		line0, sample0 := p.job.bands.first()
		err := p.job.bands.rows(ctx, func(b *segment.Band) error {
			p.marks.Reset(int(b.Sample0), int(b.Line0), b.Samples, b.Lines)
			p.marks.PaintCols(line0, sample0, &p.kept, viz.Inside)
			p.marks.PaintCols(line0, sample0, &p.rejected, viz.Rejected)
			return p.draw(b)
		})
		if err != nil {
			return err
		}
	}
	w := p.picture.writer
	p.picture.writer = nil
	if err := w.Close(); err != nil {
		return writing(p.picture.out.path, err)
	}
	return p.picture.out.finish()
}

// discard ends the writer of a picture that is not finished; its file belongs to the output set.
func (p *painter) discard() {
	if p.picture.writer != nil {
		p.picture.writer.Close() // it has failed already, or is given up
		p.picture.writer = nil
	}
}
