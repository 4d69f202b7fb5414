package png

import (
	"context"
	"errors"
	"fmt"
	"io"

	"segscan/internal/raster/internal/inflate"
)

// Decoder hands out the rows of an image, unfiltered, from the first to the last of the first pass, then of the next.
type Decoder struct {
	in   *Info
	data *dataReader
	z    *inflate.Reader

	pass   int    // index into passes
	width  int    // of the pass
	left   int    // rows of the pass not handed out
	row    int    // of the pass
	last   []byte // the row before, but for the first of a pass
	filter [1]byte
}

// NewDecoder starts reading the image data of a file that Scan has accepted.
func NewDecoder(ctx context.Context, r io.ReaderAt, in *Info) *Decoder {
	d := &Decoder{in: in, data: newDataReader(ctx, r, in), pass: -1}
	d.z = inflate.NewReader(d.data)
	d.nextPass()
	return d
}

// Pass is the pass the next row belongs to, with the number of pixels a row and of rows left in it. It is the last
// one with 0 rows when all is read.
func (d *Decoder) Pass() (p Pass, width, left int) {
	passes := d.in.passes()
	return passes[min(d.pass, len(passes)-1)], d.width, d.left
}

// nextPass goes on to the next pass that holds pixels.
func (d *Decoder) nextPass() {
	passes := d.in.passes()
	for d.pass++; d.pass < len(passes); d.pass++ {
		if w, h := passes[d.pass].size(d.in.Width, d.in.Height); w > 0 {
			d.width, d.left, d.row = w, h, 0
			return
		}
	}
	d.left = 0
}

// Rows reads the next n rows of the pass to dst, stride bytes apart; n is at most the number of rows left. The row
// above the first is remembered from the call before.
func (d *Decoder) Rows(dst []byte, stride, n int) error {
	if n > d.left {
		return fmt.Errorf("%d rows asked for, %d are left", n, d.left)
	}
	size, bpp := d.in.RowBytes(d.width), max(1, d.in.Channels()*d.in.Depth/8)
	var above []byte
	if d.row > 0 {
		above = d.last
	}
	for i := range n {
		cur := dst[i*stride:][:size:size]
		if err := d.z.Full(d.filter[:]); err != nil {
			return d.dataError(err)
		}
		if err := d.z.Full(cur); err != nil {
			return d.dataError(err)
		}
		if !unfilter(d.filter[0], cur, above, bpp) {
			return fmt.Errorf("image data is damaged: row %d has unknown filter %d", d.row, d.filter[0])
		}
		above = cur
		d.row++
	}
	if d.left -= n; d.left == 0 {
		d.nextPass()
	} else if n > 0 {
		d.last = append(d.last[:0], above...)
	}
	return nil
}

func (d *Decoder) dataError(err error) error {
	switch {
	case d.data.err != nil && d.data.err != io.EOF && d.data.err != io.ErrUnexpectedEOF:
		return d.data.err // a bad CRC says more than what inflate made of it
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		if d.in.Interlaced {
			return fmt.Errorf("image data is truncated: it ends in row %d of pass %d of 7", d.row, d.pass+1)
		}
		return fmt.Errorf("image data is truncated: it ends in row %d of %d", d.row, d.in.Height)
	case errors.Is(err, inflate.ErrHeader), errors.Is(err, inflate.ErrChecksum):
		return fmt.Errorf("image data is damaged: %w", err)
	}
	return fmt.Errorf("image data is damaged near row %d: %w", d.row, err)
}

// Finish reads what follows the last row: the checksum of the compressed data, and anything more in the IDAT chunks,
// whose CRCs it checks. What leaves the pixels untouched comes back as warnings.
func (d *Decoder) Finish() (warnings []string, err error) {
	const extra = "image data goes on after the last row; the rest is ignored"
	var b [512]byte
	for read := 0; ; {
		n, err := d.z.Read(b[:])
		if read += n; read > 0 {
			warnings = append(warnings, extra)
			break
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) && (d.data.err == io.EOF || d.data.err == io.ErrUnexpectedEOF) {
				warnings = append(warnings, "image data ends without its checksum")
				break
			}
			return nil, d.dataError(err)
		}
	}
	n, err := d.z.Rest()
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if n > 0 && len(warnings) == 0 {
		warnings = append(warnings, extra)
	}
	return warnings, nil
}
