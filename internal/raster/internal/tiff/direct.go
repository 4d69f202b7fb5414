package tiff

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"unsafe"
)

// readAhead bounds what one read of uncompressed rows takes.
const readAhead = 1 << 20

// nextDirect reads rows of uncompressed chunks. Rows are where they are in the file, so nothing else is read; where
// the stored samples are those handed out, they are read to where they belong.
func (r *Rows) nextDirect(ctx context.Context, dst Block, n int) error {
	cells, err := r.cells(n)
	if err != nil {
		return err
	}
	s := r.takeScratch()
	defer r.giveScratch(s)
	straight := r.straight()
	for i := 0; i < len(cells); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := cells[i]
		if !straight || c.refs[0].sparse() {
			if err := r.directCell(s, dst, c); err != nil {
				return err
			}
			continue
		}
		// Strips that follow one another in the file are read in one go.
		for i+1 < len(cells) && r.follows(c, cells[i+1]) {
			i++
			c.y1 = cells[i].y1
		}
		if err := r.readStraight(dst, c); err != nil {
			return err
		}
	}
	return nil
}

// straight says whether stored bytes are the samples' bytes in this machine's memory, but for byte order and
// inversion, which are done in place.
func (r *Rows) straight() bool {
	p := r.p
	whole := p.Format == Uint && (p.Bits == 8 || p.Bits == 16) || p.Format == Float && p.Bits == 32
	return whole && !p.Planar && !p.converts()
}

func (r *Rows) follows(a, b *cell) bool {
	p := r.p
	return !p.Tiled && r.w == p.Width && a.y1 == b.y0 && b.refs[0].off == r.place(a, a.y1) && !b.refs[0].sparse()
}

// place is where row y of c's chunk begins in the file.
func (r *Rows) place(c *cell, y int64) int64 {
	return c.refs[0].off + (y-c.cy*r.p.ChunkH)*r.p.rowBytes
}

// readStraight reads the rows of c into dst.
func (r *Rows) readStraight(dst Block, c *cell) error {
	p := r.p
	pixel := int64(p.Stored) * p.Type.Bytes()
	lead, width := (c.x0-c.cx*p.ChunkW)*pixel, (c.x1-c.x0)*pixel
	b := dst.bytes()
	stride := int64(dst.Stride) * p.Type.Bytes()
	at := (c.y0-r.y)*stride + (c.x0-r.x)*pixel
	rows := c.y1 - c.y0
	if width == p.rowBytes && stride == width { // rows lie together here as there
		width, rows = width*rows, 1
	}
	for y := range rows {
		row := b[at+y*stride : at+y*stride+width]
		if err := r.readPlace(c, 0, row, r.place(c, c.y0+y)+lead); err != nil {
			return err
		}
		if size := p.Bits / 8; size > 1 && p.f.src.order != nativeOrder() {
			swapBytes(row, size)
		}
		if p.inverts() {
			complement(row, p.Bits, p.Stored)
		}
	}
	return nil
}

func nativeOrder() binary.ByteOrder {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return binary.LittleEndian
	}
	return binary.BigEndian
}

// bytes is the memory of the block's samples.
func (b Block) bytes() []byte {
	switch {
	case len(b.U16) > 0:
		return unsafe.Slice((*byte)(unsafe.Pointer(&b.U16[0])), 2*len(b.U16))
	case len(b.F32) > 0:
		return unsafe.Slice((*byte)(unsafe.Pointer(&b.F32[0])), 4*len(b.F32))
	}
	return b.U8
}

// directCell reads the rows of c through scratch memory: as many at a time as readAhead allows, or, of long rows that
// are wanted in part, one at a time and only that part.
func (r *Rows) directCell(s *scratch, dst Block, c *cell) error {
	p := r.p
	step := max(1, min(c.y1-c.y0, readAhead/max(1, p.rowBytes*p.planes())))
	skip, lead, width := int64(0), int64(0), p.rowBytes
	if bits := int64(p.step() * p.Bits); 2*(c.x1-c.x0) < p.ChunkW {
		step = 1
		skip = (c.x0 - c.cx*p.ChunkW) &^ 7 // eight pixels are whole bytes
		lead = skip * bits / 8
		width = min(p.rowBytes, ((c.x1-c.cx*p.ChunkW)*bits+7)/8) - lead
	}
	for y0 := c.y0; y0 < c.y1; y0 += step {
		rows := min(step, c.y1-y0)
		plane := rows * width
		s.row = grow(s.row, plane*p.planes())
		for k, ref := range c.refs {
			b := s.row[int64(k)*plane : int64(k+1)*plane]
			if ref.sparse() {
				p.f.note("page %d: strips or tiles that are not stored are read as 0", p.Index)
				clear(b)
			} else if err := r.readPlace(c, k, b, ref.off+(y0-c.cy*p.ChunkH)*p.rowBytes+lead); err != nil {
				return err
			}
			if p.inverts() && k == 0 {
				for y := range rows {
					complement(b[y*width:(y+1)*width], p.Bits, p.step())
				}
			}
		}
		for y := y0; y < y0+rows; y++ {
			at := (y - y0) * width
			r.row(s, dst, c, y, skip, func(k int) []byte {
				return s.row[int64(k)*plane+at : int64(k)*plane+at+width]
			})
		}
	}
	return nil
}

// readPlace reads b from off, for plane k of c.
func (r *Rows) readPlace(c *cell, k int, b []byte, off int64) error {
	p := r.p
	if err := p.f.src.read(b, off); err != nil {
		if err == errBounds {
			err = fmt.Errorf("needs %d bytes at %d, the file has %d: %w", len(b), off, p.f.src.size, io.ErrUnexpectedEOF)
		}
		return p.chunkError(c.refs[k], err)
	}
	if p.fillLSB {
		reverseBits(b)
	}
	return nil
}
