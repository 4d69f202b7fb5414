package tiff

import (
	"errors"
	"fmt"
	"io"
)

// chunkRef is one stored strip or tile of one plane.
type chunkRef struct {
	index  int64
	plane  int
	off, n int64 // n < 0: to the end of the file
}

// sparse says that a chunk is not stored at all, as GDAL leaves out what is empty.
func (c chunkRef) sparse() bool { return c.off == 0 && c.n <= 0 }

// decodeChunk fills dst with the first rows of a chunk: rowBytes each, predictor undone, white-is-zero inverted,
// subsampled YCbCr expanded, in the byte order of rowOrder.
func (p *Page) decodeChunk(s *scratch, c chunkRef, dst []byte, rows int) (err error) {
	defer guard(p.Index, &err)
	if c.sparse() {
		p.f.note("page %d: strips or tiles that are not stored are read as 0", p.Index)
		clear(dst)
		p.finishRows(dst, rows, c.plane)
		return nil
	}
	r, err := p.stored(s, c.off, c.n)
	if err == nil {
		switch {
		case p.Compression == CompJPEG:
			err = p.decodeJPEG(r, dst, rows)
		case p.Compression == CompWebP:
			err = p.decodeWebP(r, dst, rows)
		default:
			err = p.decodeBytes(s, r, dst, rows)
		}
	}
	if err != nil {
		return p.chunkError(c, err)
	}
	p.finishRows(dst, rows, c.plane)
	return nil
}

// plausible refuses chunks whose stored bytes cannot hold what is asked of them, before memory is taken: the most that
// a byte of each code can stand for is known.
func (p *Page) plausible(c chunkRef, want int64) error {
	most := int64(0)
	switch p.Compression {
	case CompPackBits:
		most = 64 // 2 bytes are a run of 128
	case CompDeflate, CompDeflateOl:
		most = 1032 // 2 bits are a match of 258
	case CompLZW:
		most = 4096 // 9 bits and more are a string that a table of 4096 can hold
	case CompZstd:
		most = 1 << 15 // 4 bytes are a block of 128 KiB
	case CompJPEG:
		most = 64 * 8 * 4 // a bit is a block of 8 x 8 in each of 4 components
	}
	n := p.f.src.size - c.off
	if c.n >= 0 {
		n = min(n, c.n)
	}
	if most == 0 || c.sparse() || want <= 1<<20 || want/most <= n {
		return nil
	}
	return p.chunkError(c, fmt.Errorf("%d bytes cannot hold the %d of its pixels: %w", n, want, io.ErrUnexpectedEOF))
}

func (p *Page) decodeBytes(s *scratch, r io.Reader, dst []byte, rows int) error {
	d, err := p.decoder(s, r, int(p.ChunkW))
	if err != nil {
		return err
	}
	if p.subsampled() {
		return p.decodeUnits(s, d, dst, rows)
	}
	if err := p.readRows(d, dst, rows); err != nil {
		return err
	}
	if int64(rows) == p.ChunkH {
		err = checkEnd(d)
	}
	if p.Predictor != 1 {
		s.row = grow(s.row, p.rowBytes)
		for y := range rows {
			p.unpredict(dst[int64(y)*p.rowBytes:int64(y+1)*p.rowBytes], s.row, p.step())
		}
	}
	return err
}

// readRows reads whole rows. Fax data may mark its end early; the rows after that are white, as libtiff has them.
func (p *Page) readRows(d io.Reader, dst []byte, rows int) error {
	f, ok := d.(*fax)
	if !ok {
		return readFull(d, dst[:int64(rows)*p.rowBytes])
	}
	for y := range rows {
		row := dst[int64(y)*p.rowBytes : int64(y+1)*p.rowBytes]
		_, err := io.ReadFull(f, row)
		if errors.Is(err, errFaxEnd) && f.row > 0 && f.used <= f.have {
			p.f.warn("page %d: fax data ends early; the rows after are taken as white", p.Index)
			clear(dst[int64(y)*p.rowBytes : int64(rows)*p.rowBytes])
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decodeUnits expands subsampled YCbCr: each unit holds subX*subY luma samples, then one Cb and one Cr.
func (p *Page) decodeUnits(s *scratch, d io.Reader, dst []byte, rows int) error {
	sx, sy := int(p.subX), int(p.subY)
	across := (int(p.ChunkW) + sx - 1) / sx
	size := sx*sy + 2
	s.row = grow(s.row, int64(across*size))
	for y0 := 0; y0 < rows; y0 += sy {
		if err := readFull(d, s.row); err != nil {
			return err
		}
		for u := range across {
			unit := s.row[u*size : (u+1)*size]
			for j := 0; j < sy && y0+j < rows; j++ {
				row := dst[int64(y0+j)*p.rowBytes:]
				for i := 0; i < sx && u*sx+i < int(p.ChunkW); i++ {
					px := row[3*(u*sx+i):]
					px[0], px[1], px[2] = unit[j*sx+i], unit[size-2], unit[size-1]
				}
			}
		}
	}
	return nil
}

// finishRows inverts white-is-zero samples; only the first of a pixel is gray.
func (p *Page) finishRows(dst []byte, rows, plane int) {
	if p.inverts() && plane == 0 {
		for y := range rows {
			complement(dst[int64(y)*p.rowBytes:int64(y+1)*p.rowBytes], p.Bits, p.step())
		}
	}
}

// inverts says whether samples count from white.
func (p *Page) inverts() bool { return p.Photometric == WhiteIsZero && p.Format != Float }

// step is the number of samples of a pixel that lie together.
func (p *Page) step() int {
	if p.Planar {
		return 1
	}
	return p.Stored
}

// chunkError names the strip or tile that err is about.
func (p *Page) chunkError(c chunkRef, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	kind := "strip"
	if p.Tiled {
		kind = "tile"
	}
	remedy := remedyDamaged
	if errors.Is(err, ErrUnsupported) {
		remedy = remedyRewrite
	}
	return &Error{Page: p.Index, Msg: fmt.Sprintf("%s %d at offset %d (%v)", kind, c.index, c.off, p.Compression), Err: err, Remedy: remedy}
}
