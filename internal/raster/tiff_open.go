package raster

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"slices"

	"segscan/internal/raster/internal/tiff"
	"segscan/segment"
)

// ExtraPager is a Reader with pages behind Pages() that are reached by their number only: the SubIFDs of a TIFF.
type ExtraPager interface{ ExtraPages() int }

// openTIFF opens classic TIFF and BigTIFF. Pages 0 to Pages()-1 are those of the main chain of directories; SubIFDs,
// such as the levels of a pyramid, come after them and are reached by their number only (see ExtraPager).
func openTIFF(r io.ReaderAt, size int64, name string, o Options) (Reader, error) {
	f, err := tiff.Open(r, size, tiff.Limits{MaxRatio: float64(o.MaxRatio)})
	if err != nil {
		return nil, err
	}
	t := &tiffReader{f: f, name: name, opt: o}
	return t, t.strict()
}

type tiffReader struct {
	f    *tiff.File
	name string
	opt  Options
}

func (r *tiffReader) Format() string { return "tiff" }
func (r *tiffReader) Pages() int     { return r.f.Pages() }
func (r *tiffReader) Close() error   { return nil }

// strict is an error if damage has been met that --strict does not allow.
func (r *tiffReader) strict() error {
	if w := r.f.Damage(); r.opt.Strict && w != "" {
		return strictError(w)
	}
	return nil
}

// ExtraPages is the number of pages behind Pages() that are reached by number only.
func (r *tiffReader) ExtraPages() int { return r.f.SubIFDs() }

// PageAxes names where page i lies among channels, slices and frames, such as "c=1 z=4"; "" if the file does not say.
func (r *tiffReader) PageAxes(i int) string { return r.f.Axes(i) }

func (r *tiffReader) Warnings() []string {
	w := r.f.Warnings()
	if n, sub := r.f.Pages(), r.f.SubIFDs(); sub > 0 {
		w = append(w, fmt.Sprintf("file holds %d further pages as SubIFDs, often smaller copies; --page %s reaches them", sub, span(n, n+sub-1)))
	}
	return w
}

// withoutPage leaves naming the page to whoever asked for it.
func withoutPage(err error) error {
	if e, ok := err.(*tiff.Error); ok && e.Page >= 0 {
		bare := *e
		bare.Page = -1
		return &bare
	}
	return err
}

func span(from, to int) string {
	if from == to {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d-%d", from, to)
}

func (r *tiffReader) Page(i int) (Page, error) {
	p, err := r.f.Page(i)
	if err != nil {
		return nil, withoutPage(err)
	}
	if r.opt.Strict && p.Damage != "" {
		return nil, strictError(p.Damage)
	}
	if r.opt.RawBits {
		p.KeepBits()
	}
	return newPage(r.name, i, r.f.Pages(), &tiffSource{file: r, p: p, lay: r.layout(p)}, r.opt)
}

// layout is tiffLayout with what the file as a whole says.
func (r *tiffReader) layout(p *tiff.Page) layout {
	l := tiffLayout(p)
	m := r.f.Meta()
	if m.PixelX > 0 && m.PixelY > 0 {
		l.scale = Scale{m.PixelX, m.PixelY, m.Unit, m.Kind}
	}
	switch d := p.Description; {
	case m.Kind == "ImageJ":
		l.tags.Description = m.Calibration
	case m.Kind == "" && !tiff.Cut(d):
		l.tags.Description = d
	}
	l.tags.Resolution = tiffResolution(p.Resolution)
	return l
}

// tiffResolution is r as a written file takes it: both directions, or none.
func tiffResolution(r tiff.Resolution) TIFFResolution {
	if r.X.Value() == 0 || r.Y.Value() == 0 {
		return TIFFResolution{}
	}
	unit := map[string]uint16{"": 1, "inch": 2, "cm": 3}[r.Unit]
	return TIFFResolution{X: r.X, Y: r.Y, Unit: unit}
}

// tiffSource is one page. Passes share nothing, so several may run at once.
type tiffSource struct {
	file *tiffReader
	p    *tiff.Page
	lay  layout
}

func (s *tiffSource) layout() *layout { return &s.lay }

// tiffLayout says what the samples of p mean.
func tiffLayout(p *tiff.Page) layout {
	l := layout{
		width: p.Width, height: p.Height,
		sample:   [...]segment.SampleType{tiff.U8: segment.U8, tiff.U16: segment.U16, tiff.F32: segment.F32}[p.Type],
		channels: p.Channels,
		bits:     p.Bits, min: p.Min, max: p.Max,
		orientation: p.Orientation,
		chunk:       int(p.ChunkH),
		warnings:    slices.Clone(p.Warnings),
	}
	switch p.Photometric {
	case tiff.RGB, tiff.YCbCr, tiff.CMYK, tiff.CIELab, tiff.ICCLab:
		l.model = modelRGB
	case tiff.Palette:
		l.model = modelPalette
		l.palette = make([]color.NRGBA, len(p.ColorMap))
		for i, c := range p.ColorMap {
			l.palette[i] = color.NRGBA{uint8(c[0] >> 8), uint8(c[1] >> 8), uint8(c[2] >> 8), 255}
		}
	}
	switch p.Alpha {
	case tiff.AlphaAssociated:
		l.alpha, l.alphaAt = alphaAssociated, p.AlphaAt
	case tiff.AlphaUnassociated:
		l.alpha, l.alphaAt = alphaUnassociated, p.AlphaAt
	}
	if p.Type != tiff.F32 || p.Format != tiff.Float {
		l.alphaMax = p.Max
	}
	if p.Compression == tiff.CompNone {
		l.chunk = 1
	}
	return l
}

func (s *tiffSource) rows(ctx context.Context, win image.Rectangle) (rowReader, error) {
	r, err := s.p.Rows(int64(win.Min.X), int64(win.Min.Y), int64(win.Dx()), int64(win.Dy()))
	if err != nil {
		return nil, withoutPage(err)
	}
	return &tiffRows{ctx, r, s.file}, nil
}

type tiffRows struct {
	ctx  context.Context
	r    *tiff.Rows
	file *tiffReader
}

func (t *tiffRows) next(dst segment.Plane) error {
	err := t.r.Next(t.ctx, tiff.Block{U8: dst.U8, U16: dst.U16, F32: dst.F32, Stride: dst.Stride}, dst.Lines)
	if err != nil {
		return withoutPage(err)
	}
	return t.file.strict()
}

func (t *tiffRows) close() error {
	t.r.Close()
	return nil
}
