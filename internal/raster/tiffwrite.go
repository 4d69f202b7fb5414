package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
)

// tiffWriterStripBytes is the least size of a strip before compression; a strip is a whole number of rows. It is a constant
// because the bytes of the file depend on it.
const tiffWriterStripBytes = 256 << 10

// tiffWriterHeaderBytes are kept at the head for the longer of the two headers, since the size of the file is known only at
// its end.
const tiffWriterHeaderBytes = 16

type tiffWriter struct {
	w    io.WriteSeeker
	o    TIFFOptions
	base int64 // where in w the file begins; offsets count from there
	at   int64 // end of what is written, from base

	page   *writePage // nil before NextPage
	rowLen int
	height int // rows of a strip
	cur    *tiffWriterStrip
	queue  writeQueue[*tiffWriterStrip]
	dirs   []*tiffWriterDir
	limit  int64 // the longest classic file
	err    error
	closed bool
}

// NewTIFFWriter returns a Writer of any number of TIFF pages to w: gray of 8, 16 and 32 bits, 32-bit float, 1-bit
// bilevel (a palette of black and white, in either order), 8-bit palettes, RGB and RGBA of 8 and 16 bits, in strips,
// little-endian. The directories are written by Close, after all pixels, and the header last: until then the
// file is no TIFF, and classic or BigTIFF is decided by the true size. Bands may be of any height; the bytes written
// depend on pixels and options (but Workers) alone. It holds a strip (256 KiB of samples, or one row) a worker and
// one more, each with what comes of it, and 16 bytes for each strip written. After an error every call returns it.
func NewTIFFWriter(w io.WriteSeeker, o TIFFOptions) Writer {
	t := &tiffWriter{w: w, o: o, limit: math.MaxUint32}
	t.queue = writeQueue[*tiffWriterStrip]{workers: o.Workers, run: (*tiffWriterStrip).compress, emit: t.emit}
	t.err = t.o.check()
	return t
}

// NextPage ends the page before and begins one.
func (t *tiffWriter) NextPage(w, h int64, model image.Image) error {
	if err := t.usable(); err != nil {
		return err
	}
	return t.fail(t.begin(w, h, model))
}

func (t *tiffWriter) begin(w, h int64, model image.Image) error {
	if err := t.endPage(); err != nil {
		return err
	}
	if w <= 0 || h <= 0 || w > math.MaxUint32 || h > math.MaxUint32 {
		return fmt.Errorf("%d x %d pixels do not fit a tiff page, whose sides are 1 to %d", w, h, uint32(math.MaxUint32))
	}
	f, err := writeFormatOf(model)
	if err != nil {
		return err
	}
	for i, c := range f.palette {
		if _, _, _, a := c.RGBA(); a != 0xffff {
			return fmt.Errorf("colour %d of the palette is transparent, which tiff palettes cannot hold: write RGBA or png", i)
		}
	}
	if f.kind == writePalette {
		// Palettes of 1, 2 and 4 bits are legal, but OpenCV and golang.org/x/image/tiff refuse them.
		f.bits = 8
		if _, ok := tiffWriterBilevel(f.palette); ok {
			f.bits = 1
		}
	}
	rowLen := f.rowBytes(w)
	if rowLen >= math.MaxInt/4 {
		return fmt.Errorf("rows of %d bytes do not fit the memory of this machine", rowLen)
	}
	if t.o.Size == TIFFClassic && t.o.Compression == TIFFNone && rowLen > (t.limit-t.at)/h {
		return t.tooLong()
	}
	var tags TIFFTags
	if t.o.Tags != nil {
		tags = t.o.Tags(len(t.dirs))
		if err := tags.check(); err != nil {
			return err
		}
	}
	if len(t.dirs) == 0 {
		if t.base, err = t.w.Seek(0, io.SeekCurrent); err != nil {
			return fmt.Errorf("writing tiff: %w", err)
		}
		if err := t.write(make([]byte, tiffWriterHeaderBytes)); err != nil {
			return err
		}
	}
	t.page = &writePage{w: w, h: h, format: f}
	t.rowLen = int(rowLen)
	t.height = int(min(h, max(1, tiffWriterStripBytes/rowLen)))
	t.queue.free = nil // strips of another shape
	t.dirs = append(t.dirs, &tiffWriterDir{
		w: w, h: h, format: f, rows: t.height, tags: tags, compression: t.o.Compression, predictor: t.predictor(&f),
	})
	return nil
}

// predictor is the value of tag 317.
func (t *tiffWriter) predictor(f *writeFormat) uint16 {
	switch {
	case t.o.Compression == TIFFNone, t.o.Predictor == TIFFPredictNone, f.bits < 8,
		f.kind == writePalette && t.o.Predictor != TIFFPredict:
		return tiffWriterPredictNone
	case f.kind == writeFloat:
		return tiffWriterPredictFloat
	}
	return tiffWriterPredictHorizontal
}

// WriteBand takes the next rows.
func (t *tiffWriter) WriteBand(img image.Image) error {
	if err := t.usable(); err != nil {
		return err
	}
	return t.fail(t.band(img))
}

func (t *tiffWriter) band(img image.Image) error {
	if t.page == nil {
		return errors.New("a band was written before NextPage")
	}
	h, err := t.page.accept(img)
	if err != nil {
		return err
	}
	pack, err := writePackerOf(&t.page.format, img, int(t.page.w), h, binary.LittleEndian)
	if err != nil {
		return err
	}
	for y := range h {
		if t.cur == nil {
			c, ok := t.queue.take()
			if !ok {
				c = newTIFFWriterStrip(t.dirs[len(t.dirs)-1], t.rowLen, t.o.Level)
			}
			c.rows = 0
			t.cur = c
		}
		if err := pack(t.cur.addRow(), y); err != nil {
			return err
		}
		t.page.done++
		if t.cur.rows == t.height || t.page.done == t.page.h {
			c := t.cur
			t.cur = nil
			if err := t.queue.add(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// emit writes a compressed strip.
func (t *tiffWriter) emit(c *tiffWriterStrip) error {
	data := c.bytes()
	d := t.dirs[len(t.dirs)-1]
	d.offsets = append(d.offsets, uint64(t.at))
	d.counts = append(d.counts, uint64(len(data)))
	if t.o.Size == TIFFClassic && int64(len(data)) > t.limit-t.at {
		return t.tooLong()
	}
	return t.write(data)
}

func (t *tiffWriter) tooLong() error {
	return errors.New("the file exceeds 4 GiB, which classic tiff cannot hold: write bigtiff")
}

// endPage finishes the page in work.
func (t *tiffWriter) endPage() error {
	if t.page == nil {
		return nil
	}
	if err := t.page.complete(); err != nil {
		return err
	}
	return t.queue.flush()
}

// Close writes directories and header. It does not close the io.WriteSeeker, and leaves it at the end of the file.
func (t *tiffWriter) Close() error {
	if t.closed {
		return t.err
	}
	t.closed = true
	if t.err != nil {
		return t.err
	}
	return t.fail(t.finish())
}

func (t *tiffWriter) finish() error {
	if len(t.dirs) == 0 {
		return errors.New("closing a tiff file that has no page")
	}
	if err := t.endPage(); err != nil {
		return err
	}
	t.queue.drop()
	big := t.o.Size == TIFFBig
	dirs := tiffWriterDirectories(t.dirs, t.at, big)
	if !big && t.at+int64(len(dirs)) > t.limit {
		if t.o.Size == TIFFClassic {
			return t.tooLong()
		}
		big = true
		dirs = tiffWriterDirectories(t.dirs, t.at, big)
	}
	first := tiffWriterAlign(t.at)
	if err := t.write(dirs); err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint16([]byte("II"), 42)
	if big {
		head = append([]byte("II"), 43, 0, 8, 0, 0, 0)
		head = binary.LittleEndian.AppendUint64(head, uint64(first))
	} else {
		head = binary.LittleEndian.AppendUint32(head, uint32(first))
	}
	end := t.at
	if err := t.seek(0); err != nil {
		return err
	}
	if err := t.write(head); err != nil {
		return err
	}
	return t.seek(end)
}

func (t *tiffWriter) seek(at int64) error {
	if _, err := t.w.Seek(t.base+at, io.SeekStart); err != nil {
		return fmt.Errorf("writing tiff: %w", err)
	}
	t.at = at
	return nil
}

func (t *tiffWriter) write(b []byte) error {
	n, err := t.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("writing tiff: %w", err)
	}
	t.at += int64(n)
	return nil
}

func (t *tiffWriter) usable() error {
	if t.err == nil && t.closed {
		return errWriterClosed
	}
	return t.err
}

// fail keeps the first error and lets no goroutine outlive it.
func (t *tiffWriter) fail(err error) error {
	if err != nil && t.err == nil {
		t.err = err
		t.queue.drop()
		t.cur = nil
	}
	return err
}

// tiffWriterBilevel says whether a palette is black and white, and then the photometric interpretation: 0 where white comes
// first, 1 where black does.
func tiffWriterBilevel(p color.Palette) (photometric uint16, ok bool) {
	if len(p) != 2 {
		return 0, false
	}
	is := func(c color.Color, v uint32) bool {
		r, g, b, a := c.RGBA()
		return r == v && g == v && b == v && a == 0xffff
	}
	switch {
	case is(p[0], 0) && is(p[1], 0xffff):
		return 1, true
	case is(p[0], 0xffff) && is(p[1], 0):
		return 0, true
	}
	return 0, false
}
