package raster

import (
	"bytes"
	"slices"

	"github.com/klauspost/compress/flate"

	"segscan/internal/raster/internal/deflate"
	"segscan/internal/raster/internal/simd"
)

// pngWriterPiece is a run of rows that is filtered and compressed on its own.
type pngWriterPiece struct {
	rowLen, bpp, level int
	raw                []byte // the row above, then the packed rows, each behind a byte that is 0, the filter none
	rows               int
	final              bool

	filtered []byte // rows that a filter changed
	tried    []byte // sample of filtered rows
	sum      uint32 // Adler-32 of the filtered rows
	expect   int    // about how long out will be
	out      []byte
	fast     deflate.Encoder
	zip      writeDeflater
	guess    deflate.Estimator
	probe    writeProbe
}

func newPNGWriterPiece(rowLen, bpp, height, level int) *pngWriterPiece {
	return &pngWriterPiece{
		rowLen: rowLen, bpp: bpp, level: level, zip: writeDeflater{level: level},
		raw: make([]byte, 0, (height+1)*(rowLen+1)),
	}
}

// reset empties the piece; above is the packed row before its first, nil (zeros) at the top of the page.
func (c *pngWriterPiece) reset(above []byte) {
	c.rows, c.final = 0, false
	c.raw = c.raw[:c.rowLen+1]
	if copy(c.row(-1), above) == 0 {
		clear(c.raw)
	}
}

func (c *pngWriterPiece) addRow() []byte {
	c.rows++
	c.raw = c.raw[:(c.rows+1)*(c.rowLen+1)]
	return c.row(c.rows - 1)
}

// row is packed row y; -1 is the row above the piece.
func (c *pngWriterPiece) row(y int) []byte {
	at := (y + 1) * (c.rowLen + 1)
	return c.raw[at+1 : at+1+c.rowLen]
}

func (c *pngWriterPiece) lastRow() []byte  { return c.row(c.rows - 1) }
func (c *pngWriterPiece) filteredLen() int { return c.rows * (c.rowLen + 1) }

// pngWriterMode is how filtered rows are deflated.
type pngWriterMode int

const (
	pngWriterMatches pngWriterMode = iota // matches at the level asked for
	pngWriterRows                         // matches of the sample before and the row above only: several times as fast
	pngWriterHuffman                      // Huffman codes only: smaller, and many times as fast, on noise
)

// pngWriterWay is how a piece is encoded.
type pngWriterWay struct {
	filter pngWriterFilter
	mode   pngWriterMode
}

// Levels up to pngWriterFast take matches of rows only where those are nearly as good as all. From pngWriterThorough
// on both other modes are tried: whoever asks for that waits for the better.
const (
	pngWriterFast     = 5
	pngWriterThorough = 7
)

// compress filters and deflates the piece into out.
func (c *pngWriterPiece) compress() error {
	if c.level == flate.NoCompression {
		return c.encode(pngWriterWay{pngWriterFilterNone, pngWriterMatches})
	}
	way, other := c.choose()
	if c.level >= pngWriterThorough {
		if err := c.encode(other); err != nil {
			return err
		}
		size := len(c.out)
		if err := c.encode(way); err != nil || len(c.out) <= size {
			return err
		}
		way = other
	}
	return c.encode(way)
}

// pngWriterBlockBytes is how much is filtered, summed and deflated before the next rows are, so that it is still in a
// processor's own cache each time.
const pngWriterBlockBytes = 64 << 10

func (c *pngWriterPiece) encode(w pngWriterWay) error {
	c.sum = 1
	if w.mode == pngWriterMatches {
		out := bytes.NewBuffer(c.out[:0])
		err := c.zip.deflate(out, c.filter(w.filter, 0, c.rows), writeDeflateMatch, c.final)
		c.out = out.Bytes()
		return err
	}
	c.out = slices.Grow(c.out[:0], c.expect)
	c.fast.Reset(c.out)
	if w.mode == pngWriterRows {
		c.fast.Matches(c.filter(w.filter, 0, c.rows), 0, c.bpp, c.rowLen+1, c.final)
	} else {
		step := max(1, pngWriterBlockBytes/(c.rowLen+1))
		for y := 0; y < c.rows; y += step {
			end := min(y+step, c.rows)
			c.fast.Literals(c.filter(w.filter, y, end), c.final && end == c.rows)
		}
	}
	if !c.final {
		c.fast.Sync()
	}
	c.out = c.fast.Bytes()
	return nil
}

// filter returns rows after a filter, each behind its filter's byte, and adds them to the checksum.
func (c *pngWriterPiece) filter(f pngWriterFilter, from, end int) (out []byte) {
	size := c.rowLen + 1
	if f == pngWriterFilterNone {
		out = c.raw[(from+1)*size : (end+1)*size]
	} else {
		c.filtered = slices.Grow(c.filtered[:0], (end-from)*size)
		out = c.filtered[:(end-from)*size]
		for y := from; y < end; y++ {
			row := out[(y-from)*size : (y-from+1)*size]
			row[0] = byte(f)
			pngWriterFilterRow(f, row[1:], c.row(y), c.row(y-1), c.bpp)
		}
	}
	c.sum = simd.Adler32(c.sum, out)
	return out
}
