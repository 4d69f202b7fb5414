package tiff

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"

	"golang.org/x/image/webp"
)

// maxJPEGTables bounds the JPEGTables tag.
const maxJPEGTables = 1 << 20

// readJPEGTables reads the tables that all strips or tiles share.
func (p *Page) readJPEGTables() error {
	f, ok := p.d.fields[TagJPEGTables]
	if !ok {
		return nil
	}
	b, err := p.f.src.bytes(f, maxJPEGTables)
	if err != nil {
		return &Error{Page: p.Index, Tag: TagJPEGTables, Msg: "cannot be read", Err: err, Remedy: remedyDamaged}
	}
	if len(b) < 4 || b[0] != 0xff || b[1] != 0xd8 {
		p.warn("JPEGTables do not begin a JPEG stream and are not used")
		return nil
	}
	b = b[2:]
	if n := len(b); b[n-2] == 0xff && b[n-1] == 0xd9 {
		b = b[:n-2]
	}
	p.tables = b
	return nil
}

// adobeRaw is an APP14 segment that says "no colour transform", which image/jpeg asks of four components.
var adobeRaw = []byte("\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00")

// jpegStream puts the shared tables in front of the data of one chunk.
func (p *Page) jpegStream(r io.Reader) (io.Reader, error) {
	var soi [2]byte
	if err := readFull(r, soi[:]); err != nil {
		return nil, err
	}
	if soi != [2]byte{0xff, 0xd8} {
		return nil, fmt.Errorf("data begins with % x instead of a JPEG marker", soi)
	}
	head := [][]byte{soi[:], p.tables}
	if p.Stored == 4 && !p.Planar {
		head = append(head, adobeRaw)
	}
	return io.MultiReader(bytes.NewReader(bytes.Join(head, nil)), r), nil
}

// sized checks what a codec's own header says of a chunk's size before memory is taken for its pixels.
func (p *Page) sized(c image.Config, rows int) error {
	w, h := int64(c.Width), int64(c.Height)
	if w < min(p.ChunkW, p.Width) || h < int64(rows) || w > p.ChunkW+16 || h > p.ChunkH+16 {
		return fmt.Errorf("%v data is %d x %d pixels, strips or tiles are %d x %d", p.Compression, w, h, p.ChunkW, p.ChunkH)
	}
	return nil
}

// decodeJPEG decodes rows of a chunk to one or Stored interleaved bytes a pixel; YCbCr becomes RGB.
func (p *Page) decodeJPEG(r io.Reader, dst []byte, rows int) error {
	r, err := p.jpegStream(r)
	if err != nil {
		return err
	}
	img, err := decodeChecked(r, jpeg.DecodeConfig, jpeg.Decode, func(c image.Config) error { return p.sized(c, rows) })
	if err != nil {
		var u jpeg.UnsupportedError
		if errors.As(err, &u) {
			return fmt.Errorf("%w kind of JPEG data: %s", ErrUnsupported, string(u))
		}
		return err
	}
	n := p.Stored
	if p.Planar {
		n = 1
	}
	var up *chroma
	if m, ok := img.(*image.YCbCr); ok {
		up = newChroma(m)
	}
	for y := range rows {
		row := dst[int64(y)*p.rowBytes : int64(y+1)*p.rowBytes]
		w := min(len(row)/n, img.Bounds().Dx())
		switch m := img.(type) {
		case *image.Gray:
			if n != 1 {
				return fmt.Errorf("JPEG data has 1 component, pixels have %d samples", n)
			}
			copy(row, m.Pix[y*m.Stride:][:w])
		case *image.YCbCr:
			if n != 3 {
				return fmt.Errorf("JPEG data has 3 components, pixels have %d samples", n)
			}
			p.fromYCbCr(row, m, up, y, w)
		case *image.RGBA: // marked as RGB in the stream
			if n != 3 {
				return fmt.Errorf("JPEG data has 3 components, pixels have %d samples", n)
			}
			for x := range w {
				s := m.Pix[y*m.Stride+4*x:]
				row[3*x], row[3*x+1], row[3*x+2] = s[0], s[1], s[2]
				if p.codecRGB {
					row[3*x], row[3*x+1], row[3*x+2] = color.YCbCrToRGB(s[0], s[1], s[2])
				}
			}
		case *image.CMYK: // image/jpeg inverts what Adobe's marker makes it take for inverted
			if n != 4 {
				return fmt.Errorf("JPEG data has 4 components, pixels have %d samples", n)
			}
			for i, v := range m.Pix[y*m.Stride:][:4*w] {
				row[i] = 255 - v
			}
		default:
			return fmt.Errorf("JPEG data decodes to %T", img)
		}
	}
	return nil
}

func (p *Page) fromYCbCr(row []byte, m *image.YCbCr, up *chroma, y, w int) {
	cb, cr := up.row(y)
	luma := m.Y[y*m.YStride:]
	for x := range w {
		a, b, c := luma[x], cb[x], cr[x]
		if p.codecRGB {
			a, b, c = color.YCbCrToRGB(a, b, c)
		}
		row[3*x], row[3*x+1], row[3*x+2] = a, b, c
	}
}

// maxHeader bounds what may come before the size of a picture inside a strip or tile.
const maxHeader = 16 << 20

// decodeChecked decodes an image once its header has passed check. The header is read a second time from memory.
func decodeChecked(r io.Reader, config func(io.Reader) (image.Config, error), decode func(io.Reader) (image.Image, error),
	check func(image.Config) error) (image.Image, error) {
	var head bytes.Buffer
	c, err := config(io.TeeReader(io.LimitReader(r, maxHeader), &head))
	if err != nil {
		return nil, err
	}
	if err := check(c); err != nil {
		return nil, err
	}
	return decode(bufio.NewReader(io.MultiReader(&head, r)))
}

// decodeWebP decodes rows of a chunk to Stored interleaved bytes a pixel.
func (p *Page) decodeWebP(r io.Reader, dst []byte, rows int) error {
	img, err := decodeChecked(r, webp.DecodeConfig, webp.Decode, func(c image.Config) error { return p.sized(c, rows) })
	if err != nil {
		return err
	}
	var up *chroma
	switch m := img.(type) {
	case *image.YCbCr:
		up = newChroma(m)
	case *image.NYCbCrA:
		up = newChroma(&m.YCbCr)
	}
	for y := range rows {
		row := dst[int64(y)*p.rowBytes : int64(y+1)*p.rowBytes]
		w := min(len(row)/p.Stored, img.Bounds().Dx())
		switch m := img.(type) {
		case *image.YCbCr:
			p.fromVP8(row, m, nil, up, y, w)
		case *image.NYCbCrA:
			p.fromVP8(row, &m.YCbCr, m.A[y*m.AStride:], up, y, w)
		case *image.NRGBA:
			for x := range w {
				copy(row[x*p.Stored:(x+1)*p.Stored], m.Pix[y*m.Stride+4*x:])
			}
		default:
			return fmt.Errorf("WebP data decodes to %T", img)
		}
	}
	return nil
}

// fromVP8 converts a row of lossy WebP, whose luma is 16..235 and chroma 16..240 (BT.601), in 14-bit fixed point.
func (p *Page) fromVP8(row []byte, m *image.YCbCr, alpha []byte, up *chroma, y, w int) {
	const (
		one      = 1 << 14
		luma     = 19077 // 255/219
		rv       = 26149 // 1.402 * 255/224
		gu, gv   = 6419, 13320
		bu       = 33050 // 1.772 * 255/224
		rounding = one / 2
	)
	cb, cr := up.row(y)
	for x := range w {
		l := luma*(int32(m.Y[y*m.YStride+x])-16) + rounding
		u, v := int32(cb[x])-128, int32(cr[x])-128
		d := row[x*p.Stored : (x+1)*p.Stored]
		d[0], d[1], d[2] = clamp8((l+rv*v)>>14), clamp8((l-gu*u-gv*v)>>14), clamp8((l+bu*u)>>14)
		if p.Stored == 4 {
			d[3] = 255
			if alpha != nil {
				d[3] = alpha[x]
			}
		}
	}
}
