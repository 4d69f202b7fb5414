package raster

import (
	"context"
	"fmt"
	"image"
	"io"
	"strings"

	"segscan/internal/raster/internal/png"
	"segscan/segment"
)

func openPNG(r io.ReaderAt, size int64, name string, o Options) (Reader, error) {
	in, err := png.Scan(r, size)
	if err != nil {
		return nil, err
	}
	if err := checkSize(int64(in.Width), int64(in.Height), o); err != nil {
		return nil, err
	}
	if err := in.CheckData(); err != nil {
		return nil, err
	}
	w := &warnList{}
	w.add(in.Warnings...)
	if in.Frames > 0 {
		w.add(apngWarning(in))
	}
	if o.Strict && len(w.list) > 0 {
		return nil, strictError(w.list[0])
	}
	p, err := newPage(name, 0, 1, &pngSource{r: r, in: in, lay: pngLayout(in, o), warn: w, opt: o}, o)
	if err != nil {
		return nil, err
	}
	return &singleReader{format: "png", page: p, warn: w}, nil
}

func apngWarning(in *png.Info) string {
	return fmt.Sprintf("file is an animation of %d frames (APNG), only its default image is read", in.Frames)
}

// pngLayout: gray is gray (1, 2 and 4 bits scaled to 8, as image/png and libpng do, unless they are to be kept), a
// transparent colour becomes an alpha sample, and a palette stays one. PNG alpha is never associated. 16-bit samples span 0..65535 whatever sBIT
// says, since the specification has them scaled up.
func pngLayout(in *png.Info, o Options) layout {
	l := layout{
		width: int64(in.Width), height: int64(in.Height), channels: in.Channels(),
		bits: in.Depth, max: 255, orientation: exifOrientation(in.Exif),
	}
	switch d := in.Density; {
	case d.X == 0 || d.Y == 0:
	case d.Metric:
		l.tags.Resolution = TIFFResolution{X: [2]uint32{d.X, 100}, Y: [2]uint32{d.Y, 100}, Unit: 3} // a centimetre
	case d.X != d.Y:
		l.tags.Resolution = TIFFResolution{X: [2]uint32{d.X, 1}, Y: [2]uint32{d.Y, 1}, Unit: 1}
	}
	for _, t := range in.Texts {
		if t.Key == "Description" && !strings.ContainsRune(t.Value, 0) {
			l.tags.Description = t.Value
		}
	}
	switch {
	case in.Depth == 16:
		l.sample, l.max = segment.U16, 65535
	case o.RawBits && in.ColorType == png.Gray:
		l.max = float64(uint(1)<<in.Depth - 1)
	}
	switch in.ColorType {
	case png.Paletted:
		l.model, l.palette = modelPalette, in.Palette
	case png.RGB, png.RGBA:
		l.model = modelRGB
	}
	if in.HasTransparent {
		l.channels++
	}
	if in.HasTransparent || in.ColorType == png.GrayAlpha || in.ColorType == png.RGBA {
		l.alpha, l.alphaAt = alphaUnassociated, l.channels-1
	}
	return l
}

type pngSource struct {
	r    io.ReaderAt
	in   *png.Info
	lay  layout
	warn *warnList
	opt  Options
}

func (s *pngSource) layout() *layout { return &s.lay }

func (s *pngSource) rows(ctx context.Context, win image.Rectangle) (rowReader, error) {
	if s.in.Interlaced {
		return newPNGInterlaced(ctx, s, win), nil
	}
	return &pngRows{s: s, d: png.NewDecoder(ctx, s.r, s.in), ctx: ctx, win: win}, nil
}

// finish checks what follows the last row.
func (s *pngSource) finish(d *png.Decoder) error {
	warnings, err := d.Finish()
	if err == nil && s.opt.Strict && len(warnings) > 0 {
		return strictError(warnings[0])
	}
	s.warn.add(warnings...)
	return err
}

// plain tells whether stored bytes are the layout's samples.
func (s *pngSource) plain() bool { return s.in.Depth == 8 && !s.in.HasTransparent }

// pngRows reads rows in order, from the top of the image: rows above the window are decoded and dropped.
type pngRows struct {
	s   *pngSource
	d   *png.Decoder
	ctx context.Context
	win image.Rectangle
	y   int    // rows read
	buf []byte // stored rows
}

func (r *pngRows) close() error { return nil }

func (r *pngRows) next(dst segment.Plane) error {
	in := r.s.in
	size := in.RowBytes(in.Width)
	whole := r.win.Min.X == 0 && r.win.Max.X == in.Width
	// Short rows are read many at a time, long ones one by one.
	const block = 64 << 10
	n := max(1, block/size)
	if r.buf == nil && (!whole || !r.s.plain() || r.y < r.win.Min.Y) {
		r.buf = make([]byte, size*min(n, in.Height))
	}
	for r.y < r.win.Min.Y {
		k := min(n, r.win.Min.Y-r.y)
		if err := r.read(r.buf, size, k); err != nil {
			return err
		}
	}
	for at := 0; at < dst.Lines; {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		k := min(n, dst.Lines-at)
		if whole && r.s.plain() {
			if err := r.read(dst.U8[at*dst.Stride:], dst.Stride, k); err != nil {
				return err
			}
			at += k
			continue
		}
		if err := r.read(r.buf, size, k); err != nil {
			return err
		}
		for i := range k {
			r.s.samples(dst.Sub(at+i, 0, 1, dst.Samples), r.buf[i*size:][:size], r.win.Min.X, r.win.Dx())
		}
		at += k
	}
	return nil
}

func (r *pngRows) read(dst []byte, stride, n int) error {
	if err := r.d.Rows(dst, stride, n); err != nil {
		return err
	}
	if r.y += n; r.y == r.s.in.Height {
		return r.s.finish(r.d)
	}
	return nil
}
