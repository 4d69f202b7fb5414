package raster

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"sync"
)

func openJPEG(r io.ReaderAt, size int64, name string, o Options) (Reader, error) {
	cfg, err := jpeg.DecodeConfig(bufio.NewReader(io.NewSectionReader(r, 0, size)))
	if err != nil {
		return nil, jpegError(err)
	}
	if err := checkSize(int64(cfg.Width), int64(cfg.Height), o); err != nil {
		return nil, err
	}
	// A block of 8 x 8 samples takes a bit at least, so that a short file cannot make the decoder allocate a huge
	// image only to find that its data is missing.
	if blocks := int64(cfg.Width+7) / 8 * (int64(cfg.Height+7) / 8); blocks > 8*size {
		return nil, fmt.Errorf("file is truncated: %d bytes cannot hold a JPEG image of %d x %d", size, cfg.Width, cfg.Height)
	}
	meta, err := scanJPEG(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, err
	}
	s := &jpegSource{r: r, size: size, lay: jpegLayout(cfg)}
	s.lay.orientation = meta.orientation
	s.lay.tags.Resolution = meta.resolution()
	w := &warnList{}
	if meta.further {
		w.add(furtherWarning)
	}
	p, err := newPage(name, 0, 1, s, o)
	if err != nil {
		return nil, err
	}
	return &singleReader{format: "jpeg", page: p, warn: w}, nil
}

const furtherWarning = "file holds further pictures (multi-picture format), only the first is read"

// jpegLayout is the layout of an image before anything is decoded: that of an image of the right kind without pixels.
func jpegLayout(cfg image.Config) layout {
	l := newImageSource(emptyLike(cfg.ColorModel)).lay
	l.width, l.height = int64(cfg.Width), int64(cfg.Height)
	return l
}

// emptyLike is an empty image of the type image/jpeg decodes to.
func emptyLike(m color.Model) image.Image {
	switch m {
	case color.GrayModel:
		return &image.Gray{}
	case color.CMYKModel:
		return &image.CMYK{}
	}
	return &image.YCbCr{}
}

func jpegError(err error) error {
	const short = jpeg.FormatError("short Huffman data") // image data that ends inside a code
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, short) {
		return fmt.Errorf("JPEG data is truncated: %w", err)
	}
	return fmt.Errorf("decoding JPEG: %w", err)
}

// jpegSource decodes the whole image on the first pass and keeps it: image/jpeg has no other way.
type jpegSource struct {
	r    io.ReaderAt
	size int64
	lay  layout

	mu  sync.Mutex
	img *imageSource
}

func (s *jpegSource) layout() *layout { return &s.lay }

func (s *jpegSource) rows(ctx context.Context, win image.Rectangle) (rowReader, error) {
	img, err := s.decode(ctx)
	if err != nil {
		return nil, err
	}
	return img.rows(ctx, win)
}

func (s *jpegSource) decode(ctx context.Context) (*imageSource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.img != nil {
		return s.img, nil
	}
	m, err := jpeg.Decode(bufio.NewReaderSize(&ctxReader{ctx, io.NewSectionReader(s.r, 0, s.size)}, 64<<10))
	if err != nil {
		return nil, jpegError(err)
	}
	if rgb, ok := m.(*image.RGBA); ok { // Adobe's RGB: the same samples, but the layout said YCbCr
		m = rgbAsNarrow{rgb}
	}
	img := newImageSource(m)
	if n, ok := m.(rgbAsNarrow); ok {
		img.narrowRGB(n.at)
	}
	if img.lay.sample != s.lay.sample || img.lay.channels != s.lay.channels ||
		img.lay.width != s.lay.width || img.lay.height != s.lay.height {
		return nil, fmt.Errorf("decoding JPEG: the image is not what its header says")
	}
	s.img = img
	return img, nil
}

// rgbAsNarrow hands out opaque 8-bit colours the way YCbCr ones are.
type rgbAsNarrow struct{ *image.RGBA }

func (m rgbAsNarrow) at(x, y int) (r, g, b uint32) {
	p := m.Pix[m.PixOffset(x, y):][:3:3]
	return 0x101 * uint32(p[0]), 0x101 * uint32(p[1]), 0x101 * uint32(p[2])
}

// ctxReader ends a decoder that cannot be cancelled.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// maxScans bounds the work a progressive file can ask for: every scan, however short, goes over the whole image.
// Encoders write about ten.
const maxScans = 500

// checkScans counts the scans that follow the first. A marker cannot occur within coded data.
func checkScans(r io.Reader) error {
	buf := make([]byte, 64<<10)
	scans, kept := 1, 0
	for {
		n, err := r.Read(buf[kept:])
		data := buf[:kept+n]
		if scans += bytes.Count(data, []byte{0xff, markSOS}); scans > maxScans {
			return fmt.Errorf("decoding JPEG: more than %d scans", maxScans)
		}
		kept = 0
		if len(data) > 0 && data[len(data)-1] == 0xff {
			buf[0], kept = 0xff, 1
		}
		if err != nil {
			return nil // what cannot be read, the decoder will meet
		}
	}
}
