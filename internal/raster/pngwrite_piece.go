package raster

import (
	"bytes"

	"github.com/klauspost/compress/flate"

	"segscan/internal/raster/internal/deflate"
)

// pngWriterPiece is a run of rows that is filtered and compressed on its own.
type pngWriterPiece struct {
	rowLen, bpp, level int
	raw                []byte // the row above, then the packed rows
	rows               int
	final              bool

	filtered []byte
	sum      uint32 // Adler-32 of filtered
	out      []byte
	fast     deflate.Encoder
	zip      writeDeflater
	guess    deflate.Estimator
	probe    writeProbe
}

func newPNGWriterPiece(rowLen, bpp, height, level int) *pngWriterPiece {
	return &pngWriterPiece{
		rowLen: rowLen, bpp: bpp, level: level, zip: writeDeflater{level: level},
		raw:      make([]byte, 0, (height+1)*rowLen),
		filtered: make([]byte, 0, height*(rowLen+1)),
		out:      make([]byte, 0, height*(rowLen+1)*3/4),
	}
}

// reset empties the piece; above is the packed row before its first, nil (zeros) at the top of the page.
func (c *pngWriterPiece) reset(above []byte) {
	c.raw = c.raw[:c.rowLen]
	if copy(c.raw, above) == 0 {
		clear(c.raw)
	}
	c.rows, c.final = 0, false
}

func (c *pngWriterPiece) addRow() []byte {
	c.rows++
	c.raw = c.raw[:(c.rows+1)*c.rowLen]
	return c.row(c.rows - 1)
}

// row is packed row y; -1 is the row above the piece.
func (c *pngWriterPiece) row(y int) []byte { return c.raw[(y+1)*c.rowLen : (y+2)*c.rowLen] }

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

// Levels up to pngWriterFast take matches of rows only where those are nearly as good as all. From pngWriterThorough on both
// other modes are tried: whoever asks for that waits for the better.
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

// pngWriterBlockBytes is how much is filtered, summed and deflated before the next rows are, so that it is still in the
// processor's nearest cache each time.
const pngWriterBlockBytes = 32 << 10

func (c *pngWriterPiece) encode(w pngWriterWay) error {
	c.filtered, c.sum = c.filtered[:0], 1
	if w.mode == pngWriterMatches {
		c.filter(w.filter, c.rows)
		out := bytes.NewBuffer(c.out[:0])
		err := c.zip.deflate(out, c.filtered, writeDeflateMatch, c.final)
		c.out = out.Bytes()
		return err
	}
	c.fast.Reset(c.out[:0])
	step := c.rows
	if w.mode == pngWriterHuffman {
		step = max(1, pngWriterBlockBytes/(c.rowLen+1))
	}
	for y := 0; y < c.rows; y += step {
		from := len(c.filtered)
		end := min(y+step, c.rows)
		c.filter(w.filter, end)
		final := c.final && end == c.rows
		if w.mode == pngWriterHuffman {
			c.fast.Literals(c.filtered[from:], final)
		} else {
			c.fast.Matches(c.filtered, from, c.bpp, c.rowLen+1, final)
		}
	}
	if !c.final {
		c.fast.Sync()
	}
	c.out = c.fast.Bytes()
	return nil
}

// filter filters the rows up to end that are not filtered yet.
func (c *pngWriterPiece) filter(f pngWriterFilter, end int) {
	from := len(c.filtered)
	for y := from / (c.rowLen + 1); y < end; y++ {
		at := len(c.filtered)
		c.filtered = c.filtered[:at+1+c.rowLen]
		c.filtered[at] = byte(f)
		pngWriterFilterRow(f, c.filtered[at+1:], c.row(y), c.row(y-1), c.bpp)
	}
	b := c.filtered[from:]
	c.sum = writeJoinAdler(c.sum, writeAdler(b), int64(len(b)))
}
