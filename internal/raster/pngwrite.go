package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"io"
	"math"

	"github.com/klauspost/compress/flate"
)

// Levels of PNGOptions besides 1 to 9. A command line's level 0 (store) is PNGStored.
const (
	PNGDefaultLevel = 0
	PNGStored       = -1
)

// PNGOptions of NewPNGWriter. Level is 1 (fast) to 9 (small), or PNGDefaultLevel, or PNGStored. Up to 5, and by
// default, matches are looked for only where images mostly have them, if that is nearly as good, which is several times
// as fast; from 7 on compression with and without matches are both tried, not estimated, which is many times as slow.
// Workers bounds the goroutines that filter and compress (0 or 1: none, all happens inside WriteBand and Close).
type PNGOptions struct {
	Level   int
	Workers int
}

// pngWriterLimit is the largest side and the largest chunk of a PNG file.
const pngWriterLimit = math.MaxInt32

// pngWriterPieceBytes is the least size, before filtering, of what is compressed on its own; a piece is a whole
// number of rows. It is a constant because the bytes of the file depend on it.
const pngWriterPieceBytes = 384 << 10

type pngWriter struct {
	w     io.Writer
	level int // of flate; the default resolved

	page    *writePage      // nil before NextPage
	rowLen  int             // packed bytes of a row
	bpp     int             // distance of the filters, at least 1
	height  int             // rows of a piece
	cur     *pngWriterPiece // being filled
	queue   writeQueue[*pngWriterPiece]
	last    []byte // last packed row of the piece before
	started bool   // the zlib header is written
	sum     uint32 // Adler-32 of the filtered bytes written so far
	err     error
	closed  bool
}

// NewPNGWriter returns a Writer of one PNG page to w: 8- and 16-bit gray, palettes of 1, 2, 4 or 8 bits by the
// number of colours, RGB and RGBA of 8 and 16 bits. Bands may be of any height; the bytes written depend on pixels
// and level alone. It holds a piece (384 KiB of samples, or one row) a worker and one more, each with what comes of it.
// After an error every call returns it.
func NewPNGWriter(w io.Writer, o PNGOptions) Writer {
	p := &pngWriter{w: w, level: o.Level}
	p.queue = writeQueue[*pngWriterPiece]{workers: o.Workers, run: (*pngWriterPiece).compress, emit: p.emit}
	switch {
	case o.Level == PNGDefaultLevel:
		p.level = writeDefaultLevel
	case o.Level == PNGStored:
		p.level = flate.NoCompression
	case o.Level < 0 || o.Level > 9:
		p.err = fmt.Errorf("png level %d is unknown, use 0 to 9", o.Level)
	}
	return p
}

// NextPage begins the only page of the file.
func (p *pngWriter) NextPage(w, h int64, model image.Image) error {
	if err := p.usable(); err != nil {
		return err
	}
	if p.page != nil {
		return p.fail(errors.New("a png file holds one page, write the others to files of their own or to tiff"))
	}
	if w <= 0 || h <= 0 || w > pngWriterLimit || h > pngWriterLimit {
		return p.fail(fmt.Errorf("%d x %d pixels do not fit a png file, whose sides are 1 to %d", w, h, pngWriterLimit))
	}
	f, err := writeFormatOf(model)
	if err != nil {
		return p.fail(err)
	}
	if f.bits == 32 {
		return p.fail(fmt.Errorf("pages of type %s do not fit a png file, write tiff", f.model))
	}
	rowLen := f.rowBytes(w)
	if rowLen >= math.MaxInt/4 {
		return p.fail(fmt.Errorf("rows of %d bytes do not fit the memory of this machine", rowLen))
	}
	p.page = &writePage{w: w, h: h, format: f}
	p.rowLen = int(rowLen)
	p.bpp = max(1, f.bits*f.channels/8)
	p.height = int(min(h, max(1, pngWriterPieceBytes/rowLen)))
	p.sum = 1
	return p.fail(p.writeHeader())
}

// writeHeader writes everything before the image data.
func (p *pngWriter) writeHeader() error {
	f := &p.page.format
	colour := map[writeKind]byte{writeGray: 0, writeRGB: 2, writePalette: 3, writeRGBA: 6}[f.kind]
	var head [13]byte
	binary.BigEndian.PutUint32(head[0:], uint32(p.page.w))
	binary.BigEndian.PutUint32(head[4:], uint32(p.page.h))
	head[8], head[9] = byte(f.bits), colour
	out := append(make([]byte, 0, 1024), "\x89PNG\r\n\x1a\n"...)
	out = pngWriterChunk(out, "IHDR", head[:])
	if f.kind == writePalette {
		var plte, trns []byte
		for i, c := range f.palette {
			n := color.NRGBAModel.Convert(c).(color.NRGBA)
			plte = append(plte, n.R, n.G, n.B)
			if n.A != 255 {
				for len(trns) < i {
					trns = append(trns, 255)
				}
				trns = append(trns, n.A)
			}
		}
		out = pngWriterChunk(out, "PLTE", plte)
		if trns != nil {
			out = pngWriterChunk(out, "tRNS", trns)
		}
	}
	return p.write(out)
}

// pngWriterChunk appends a chunk to out.
func pngWriterChunk(out []byte, name string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	at := len(out)
	out = append(append(out, name...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at:]))
}

// WriteBand takes the next rows.
func (p *pngWriter) WriteBand(img image.Image) error {
	if err := p.usable(); err != nil {
		return err
	}
	if p.page == nil {
		return p.fail(errors.New("a band was written before NextPage"))
	}
	h, err := p.page.accept(img)
	if err != nil {
		return p.fail(err)
	}
	pack, err := writePackerOf(&p.page.format, img, int(p.page.w), h, binary.BigEndian)
	if err != nil {
		return p.fail(err)
	}
	for y := range h {
		if p.cur == nil {
			p.begin()
		}
		if err := pack(p.cur.addRow(), y); err != nil {
			return p.fail(err)
		}
		p.page.done++
		if p.cur.rows == p.height && p.page.done < p.page.h {
			if err := p.launch(false); err != nil {
				return p.fail(err)
			}
		}
	}
	return nil
}

// begin takes a piece to fill.
func (p *pngWriter) begin() {
	c, ok := p.queue.take()
	if !ok {
		c = newPNGWriterPiece(p.rowLen, p.bpp, p.height, p.level)
	}
	c.reset(p.last)
	p.cur = c
}

// launch hands on the current piece to be compressed.
func (p *pngWriter) launch(final bool) error {
	c := p.cur
	p.cur = nil
	p.last = append(p.last[:0], c.lastRow()...)
	c.final = final
	return p.queue.add(c)
}

// emit writes a compressed piece as image data.
func (p *pngWriter) emit(c *pngWriterPiece) error {
	p.sum = writeJoinAdler(p.sum, c.sum, int64(c.filteredLen()))
	data := c.out
	if !p.started {
		// 32 KiB window, no preset dictionary; the two bytes are divisible by 31 with "fastest" as level hint.
		data = append([]byte{0x78, 0x01}, data...)
		p.started = true
	}
	if c.final {
		data = binary.BigEndian.AppendUint32(data, p.sum)
	}
	for len(data) > 0 {
		n := min(len(data), pngWriterLimit)
		var head [8]byte
		binary.BigEndian.PutUint32(head[:], uint32(n))
		copy(head[4:], "IDAT")
		crc := crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, data[:n])
		if err := p.write(head[:]); err != nil {
			return err
		}
		if err := p.write(data[:n]); err != nil {
			return err
		}
		if err := p.write(binary.BigEndian.AppendUint32(nil, crc)); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// Close writes the rest of the file. It does not close the io.Writer.
func (p *pngWriter) Close() error {
	if p.closed {
		return p.err
	}
	p.closed = true
	if p.err != nil {
		return p.err
	}
	if p.page == nil {
		return p.fail(errors.New("closing a png file that has no page"))
	}
	if err := p.page.complete(); err != nil {
		return p.fail(err)
	}
	if err := p.launch(true); err != nil {
		return p.fail(err)
	}
	if err := p.queue.flush(); err != nil {
		return p.fail(err)
	}
	p.queue.drop()
	p.last = nil
	return p.fail(p.write(pngWriterChunk(nil, "IEND", nil)))
}

func (p *pngWriter) write(b []byte) error {
	n, err := p.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("writing png: %w", err)
	}
	return nil
}

func (p *pngWriter) usable() error {
	if p.err == nil && p.closed {
		return errWriterClosed
	}
	return p.err
}

// fail keeps the first error and lets no goroutine outlive it.
func (p *pngWriter) fail(err error) error {
	if err != nil && p.err == nil {
		p.err = err
		p.queue.drop()
		p.cur, p.last = nil, nil
	}
	return err
}
