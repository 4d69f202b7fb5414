package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"segscan/internal/raster"
	"segscan/segment"
	"segscan/viz"
)

// page is a scene with everything the stages take and make, so that each can be timed alone.
type page struct {
	scene  scene
	path   string
	file   []byte // the input
	pixels int64

	thresholds segment.Thresholds
	info       *segment.PageInfo
	band       segment.Band
	stretch    viz.Stretch
	result     segment.Result
	stats      []segment.Stat
	overlay    image.Image
	encoded    bytes.Buffer
}

// newPage draws a scene, stores it in dir as an input, and takes it through all stages once.
func newPage(ctx context.Context, s scene, side int, dir string) (*page, error) {
	g := newCanvas(side, side)
	if err := s.draw(g); err != nil {
		return nil, fmt.Errorf("drawing: %w", err)
	}
	p := &page{scene: s, path: filepath.Join(dir, s.file), pixels: int64(side) * int64(side)}
	scale := 1.0
	if s.wide {
		scale = 256
	}
	p.thresholds = segment.Thresholds{Lo: []float64{s.lo * scale}, Hi: []float64{s.hi * scale}, NaN: segment.Boundary}
	if err := p.store(g); err != nil {
		return nil, fmt.Errorf("writing a generated image: %w", err)
	}
	for _, stage := range p.stages(ctx, segment.NewCPU(1), dir) {
		if err := stage.run(); err != nil {
			return nil, fmt.Errorf("%s: %w", stage.name, err)
		}
	}
	return p, nil
}

// store writes the scene as PNG or TIFF, by its name.
func (p *page) store(g *canvas) (err error) {
	r := image.Rect(0, 0, g.w, g.h)
	var img image.Image = &image.Gray{Pix: g.samples8(), Stride: g.w, Rect: r}
	if p.scene.wide {
		wide := &image.Gray16{Pix: make([]byte, 0, 2*g.w*g.h), Stride: 2 * g.w, Rect: r}
		for _, v := range g.samples16() {
			wide.Pix = binary.BigEndian.AppendUint16(wide.Pix, v)
		}
		img = wide
	}
	f, err := os.Create(p.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := raster.NewPNGWriter(f, raster.PNGOptions{})
	if strings.HasSuffix(p.path, ".tif") {
		w = raster.NewTIFFWriter(f, raster.TIFFOptions{Compression: raster.TIFFDeflate})
	}
	if err := write(w, img); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	p.file, err = io.ReadAll(f)
	return err
}

// write makes a file of one page.
func write(w raster.Writer, img image.Image) error {
	r := img.Bounds()
	if err := w.NextPage(int64(r.Dx()), int64(r.Dy()), img); err != nil {
		return err
	}
	if err := w.WriteBand(img); err != nil {
		return err
	}
	return w.Close()
}

// stage is one step from file to picture.
type stage struct {
	name string
	wall bool
	run  func() error
}

// stages are the steps on one core, each from what the ones before left in p.
func (p *page) stages(ctx context.Context, e segment.Engine, dir string) []stage {
	var masks segment.Masks
	loaded := func(do func(segment.Loaded) error) func() error {
		return func() error {
			l, err := e.Load(ctx, p.band)
			if err != nil {
				return err
			}
			defer l.Release()
			return do(l)
		}
	}
	return []stage{
		{"decode", false, func() error { return p.decode(ctx) }},
		{"histogram", false, loaded(func(l segment.Loaded) error { return p.histogram(ctx, l) })},
		{"classify", false, func() error { return p.thresholds.Classify(p.band, &masks) }},
		{"segment", false, loaded(func(l segment.Loaded) error {
			return l.Segment(ctx, p.thresholds, segment.Options{Masks: true}, nil, &p.result)
		})},
		{"measure", false, loaded(func(l segment.Loaded) error {
			if n := len(p.result.Kept.Bounds); len(p.stats) != n {
				p.stats = make([]segment.Stat, n)
			}
			return l.Measure(ctx, p.result.Kept, p.result.Masks, p.stats)
		})},
		{"draw", false, p.draw},
		{"encode", false, func() error {
			p.encoded.Reset()
			return write(raster.NewPNGWriter(&p.encoded, raster.PNGOptions{}), p.overlay)
		}},
		{"write", true, func() error { return p.writeFile(dir) }},
	}
}

// decode reads the input from memory to samples.
func (p *page) decode(ctx context.Context) (err error) {
	r, err := raster.Open(bytes.NewReader(p.file), int64(len(p.file)), p.scene.file, raster.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	pg, err := r.Page(0)
	if err != nil {
		return err
	}
	p.info = pg.Info()
	return wholePage(ctx, pg, func(b segment.Band) error {
		p.band = b
		return nil
	})
}

// wholePage gives a page as one band.
func wholePage(ctx context.Context, pg raster.Page, fn func(segment.Band) error) error {
	for b, err := range pg.Bands(ctx, raster.Request{MaxBytes: math.MaxInt64}) {
		if err != nil {
			return err
		}
		if int64(b.Lines) != pg.Info().Height {
			return fmt.Errorf("the page of %d rows came in bands of %d", pg.Info().Height, b.Lines)
		}
		return fn(b)
	}
	return errors.New("the page has no rows")
}

// histogram is what stretch and automatic thresholds are found in.
func (p *page) histogram(ctx context.Context, l segment.Loaded) error {
	h := make([]segment.Histogram, 1)
	if err := l.Histogram(ctx, false, h); err != nil {
		return err
	}
	p.stretch = viz.StretchRule{}.Of(p.info, &h[0])
	return nil
}

func (p *page) draw() error {
	v, err := viz.NewPicture(p.info, viz.PictureOptions{Stretch: p.stretch})
	if err != nil {
		return err
	}
	marks := viz.NewMarks(0, 0, p.band.Samples, p.band.Lines)
	marks.Thick = v.Thick()
	marks.PaintRows(0, 0, &p.result.Kept, viz.Inside)
	p.overlay, err = v.Draw(p.band, marks)
	return err
}

// writeFile puts the encoded picture on the disk as outputs are: through a temporary file.
func (p *page) writeFile(dir string) error {
	f, err := os.CreateTemp(dir, "picture-*.png")
	if err != nil {
		return err
	}
	_, err = f.Write(p.encoded.Bytes())
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}
