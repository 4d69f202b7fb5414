package bench

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"time"

	"segscan/internal/raster"
	"segscan/segment"
)

// ImageRow is the engine on the samples of one image in memory.
type ImageRow struct {
	File     string  `json:"file"`
	Width    int64   `json:"width"`
	Height   int64   `json:"height"`
	Sample   string  `json:"sample"`
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
	Segments int     `json:"segments"`
	One      Rate    `json:"one_core"`
	All      Rate    `json:"all_cores"`
	OneMpx   float64 `json:"one_core_mpx_per_s"`
	AllMpx   float64 `json:"all_cores_mpx_per_s"`
}

// ImageError is what is wrong with the image.
type ImageError struct{ Err error }

func (e *ImageError) Error() string { return e.Err.Error() }
func (e *ImageError) Unwrap() error { return e.Err }

// RunImage measures the engine on the first page of a file, decoded beforehand, with boundary v <= lo and activation
// v >= hi.
func RunImage(ctx context.Context, o Options, path string, lo, hi float64) (*Report, error) {
	start := time.Now()
	b := newBench(o)
	b.clock.weight = 2*weightRead + weightGroup
	b.progress("decoding " + path)
	p, err := b.decodeImage(ctx, path)
	if err != nil {
		return nil, &ImageError{err}
	}
	b.progress("segmenting " + path)
	if err := b.image(ctx, path, p, segment.Thresholds{Lo: []float64{lo}, Hi: []float64{hi}, NaN: segment.Boundary}); err != nil {
		return nil, err
	}
	return b.finish(start), nil
}

// decodeImage decodes the first page into the store, which is what reading is measured on too.
func (b *bench) decodeImage(ctx context.Context, path string) (p *segment.Plane, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return nil, withoutPath(err)
	}
	r, err := raster.Open(f, st.Size(), path, raster.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	pg, err := r.Page(0)
	if err != nil {
		return nil, err
	}
	info := pg.Info()
	err = wholePage(ctx, pg, func(band segment.Band) error {
		b.store = &store{make([]uint64, (band.Lines*band.Samples*info.Type.Bytes()+7)/8)}
		b.report.Bytes, b.report.LineSamples = b.store.bytes(), band.Samples
		plane := b.store.samples(info.Type, band.Lines, band.Samples)
		copyPlane(&plane, &band)
		p = &plane
		return nil
	})
	return p, err
}

// withoutPath is the reason alone: who reports it names the file.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// copyPlane copies the body of a band, line by line.
func copyPlane(to *segment.Plane, b *segment.Band) {
	body := b.Body()
	for l := range b.Lines {
		at, from := l*to.Stride, l*body.Stride
		switch {
		case body.U8 != nil:
			copy(to.U8[at:at+b.Samples], body.U8[from:])
		case body.U16 != nil:
			copy(to.U16[at:at+b.Samples], body.U16[from:])
		case body.F32 != nil:
			copy(to.F32[at:at+b.Samples], body.F32[from:])
		}
	}
}

func (b *bench) image(ctx context.Context, path string, p *segment.Plane, t segment.Thresholds) error {
	if err := b.fastestReader(ctx, b.store.words); err != nil {
		return err
	}
	g, err := newGroup(ctx, p)
	if err != nil {
		return err
	}
	defer g.close()
	cores := runtime.GOMAXPROCS(0)
	times, err := b.clock.interleave(ctx, weightGroup+weightRead,
		b.readTask(1), task{cores: 1, run: g.segment(ctx, g.one, t, &g.result)},
		b.readTask(cores), task{cores: cores, run: g.segment(ctx, g.all, t, &g.resultAll)})
	if err != nil {
		return err
	}
	bytes, pixels := b.store.bytes(), float64(p.Lines)*float64(p.Samples)
	b.report.Read = []ReadRow{
		{1, b.reader.Name, times[0], times[0].perSecond(float64(bytes)) / 1e9},
		{cores, b.reader.Name, times[2], times[2].perSecond(float64(bytes)) / 1e9},
	}
	if cores == 1 {
		b.report.Read = b.report.Read[:1]
	}
	b.report.Image = &ImageRow{
		File: path, Width: int64(p.Samples), Height: int64(p.Lines), Sample: p.Type().String(), Lo: t.Lo[0], Hi: t.Hi[0],
		Segments: len(g.result.Kept.Bounds), One: newRate(1, times[1], times[0], bytes), All: newRate(cores, times[3], times[2], bytes),
		OneMpx: times[1].perSecond(pixels) / 1e6, AllMpx: times[3].perSecond(pixels) / 1e6,
	}
	return nil
}
