package png

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// dataReader presents consecutive IDAT chunks as one stream, each checked against its CRC before the next begins.
// Where the file ends early it gives io.ErrUnexpectedEOF; at the end of the chunks io.EOF.
type dataReader struct {
	ctx   context.Context
	r     io.ReaderAt
	pos   int64 // of the next byte to read
	left  int64 // in the chunk at hand
	crc   uint32
	index int // of the chunk, from 0
	err   error
}

func newDataReader(ctx context.Context, r io.ReaderAt, in *Info) *dataReader {
	d := &dataReader{ctx: ctx, r: r, pos: in.dataAt, index: -1}
	var h [8]byte
	if d.err = d.full(h[:]); d.err == nil {
		d.begin(h[:])
	}
	return d
}

// full reads len(b) bytes at pos.
func (d *dataReader) full(b []byte) error {
	n, err := d.r.ReadAt(b, d.pos)
	d.pos += int64(n)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading image data: %w", err)
}

func (d *dataReader) begin(h []byte) {
	if string(h[4:]) != "IDAT" {
		d.err = io.EOF
		return
	}
	d.left = int64(binary.BigEndian.Uint32(h))
	d.crc = crc32.ChecksumIEEE(h[4:])
	d.index++
}

func (d *dataReader) Read(p []byte) (int, error) {
	if d.err == nil {
		d.err = d.ctx.Err()
	}
	for d.err == nil && d.left == 0 {
		d.next()
	}
	if d.err != nil || len(p) == 0 {
		return 0, d.err
	}
	p = p[:min(int64(len(p)), d.left)]
	n, err := d.r.ReadAt(p, d.pos)
	d.crc = crc32.Update(d.crc, crc32.IEEETable, p[:n])
	d.pos += int64(n)
	d.left -= int64(n)
	if n < len(p) {
		d.err = io.ErrUnexpectedEOF
		if err != nil && !errors.Is(err, io.EOF) {
			d.err = fmt.Errorf("reading image data: %w", err)
		}
	}
	if n == 0 {
		return 0, d.err
	}
	return n, nil
}

// next checks the chunk that has been read and begins the one after it.
func (d *dataReader) next() {
	var b [12]byte
	if d.err = d.full(b[:4]); d.err != nil {
		return
	}
	if binary.BigEndian.Uint32(b[:]) != d.crc {
		d.err = fmt.Errorf("image data is damaged (bad CRC in IDAT chunk %d)", d.index)
		return
	}
	if d.err = d.full(b[4:]); d.err == nil {
		d.begin(b[4:])
	}
}
