package raster

import (
	"bytes"
	"math"

	"github.com/klauspost/compress/flate"
)

// pngWriterPiece is a run of rows that is filtered and compressed on its own.
type pngWriterPiece struct {
	rowLen, bpp, level int
	raw                []byte // the row above, then the packed rows
	rows               int
	final              bool

	filtered []byte
	sum      uint32 // Adler-32 of filtered
	out      bytes.Buffer
	zip      writeDeflater
	probe    writeProbe
}

func newPNGWriterPiece(rowLen, bpp, height, level int) *pngWriterPiece {
	return &pngWriterPiece{
		rowLen: rowLen, bpp: bpp, level: level, zip: writeDeflater{level: level},
		raw:      make([]byte, 0, (height+1)*rowLen),
		filtered: make([]byte, 0, height*(rowLen+1)),
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

// compress filters and deflates the piece into out.
func (c *pngWriterPiece) compress() error {
	if c.level == flate.NoCompression {
		c.filter(pngWriterFilterNone)
		return c.deflate(writeDeflateMatch)
	}
	way, other := c.choose()
	if c.level >= pngWriterThorough {
		// Whoever asks for these levels waits for the better of both.
		if err := c.encode(other); err != nil {
			return err
		}
		size := c.out.Len()
		if err := c.encode(way); err != nil || c.out.Len() <= size {
			return err
		}
		way = other
	}
	return c.encode(way)
}

// pngWriterThorough is the least level at which both modes are tried.
const pngWriterThorough = 7

// pngWriterWay is how a piece is encoded.
type pngWriterWay struct {
	filter pngWriterFilter
	mode   writeDeflateMode
}

func (c *pngWriterPiece) encode(w pngWriterWay) error {
	c.filter(w.filter)
	return c.deflate(w.mode)
}

func (c *pngWriterPiece) filter(f pngWriterFilter) {
	c.filtered = c.filtered[:c.filteredLen()]
	for y := range c.rows {
		dst := c.filtered[y*(c.rowLen+1) : (y+1)*(c.rowLen+1)]
		dst[0] = byte(f)
		pngWriterFilterRow(f, dst[1:], c.row(y), c.row(y-1), c.bpp)
	}
	c.sum = writeAdler(c.filtered)
}

func (c *pngWriterPiece) deflate(mode writeDeflateMode) error {
	c.out.Reset()
	return c.zip.deflate(&c.out, c.filtered, mode, c.final)
}

// choose estimates, on a sample of the rows, which filter and mode give the fewest bits, and which filter does with
// the other mode.
//
// A filter a row by the smallest sum of magnitudes, as libpng does, costs all five filters on all bytes, knows
// nothing of matches and takes filters that spoil them on text and masks; image/png uses none for palettes, which is
// far from best where indices follow the gray.
func (c *pngWriterPiece) choose() (best, other pngWriterWay) {
	best.mode, other.mode = writeDeflateMatch, writeDeflateHuffman
	least, leastOther := math.Inf(1), math.Inf(1)
	for f := pngWriterFilterNone; f <= pngWriterFilterAverage; f++ {
		c.probe.reset()
		c.sample(f)
		match, huffman := c.probe.costs()
		if match < least {
			least, best.filter = match, f
		}
		if huffman < leastOther {
			leastOther, other.filter = huffman, f
		}
	}
	if leastOther < least {
		best, other = other, best
	}
	return best, other
}

// The sample: up to pngWriterSampleRuns windows of pngWriterSampleRows x pngWriterSampleBytes, spread over the piece.
const (
	pngWriterSampleRuns  = 8
	pngWriterSampleRows  = 4
	pngWriterSampleBytes = 256
)

// sample gives the probe filtered bytes from all over the piece.
func (c *pngWriterPiece) sample(f pngWriterFilter) {
	n := min(c.rowLen, pngWriterSampleBytes)
	rows := min(c.rows, pngWriterSampleRows)
	runs := max(1, min(pngWriterSampleRuns, c.filteredLen()/(n*rows)))
	buf := c.filtered[:0]
	for r := range runs {
		y := (c.rows - rows) * (2*r + 1) / (2 * runs)
		x := (c.rowLen - n) * (3 * r % runs) / runs // across, out of step with down
		x -= x % c.bpp
		for i := range rows {
			at := len(buf)
			buf = buf[:at+n]
			pngWriterFilterRow(f, buf[at:], c.row(y + i)[x:x+n], c.row(y + i - 1)[x:x+n], c.bpp)
		}
	}
	c.probe.add(buf)
}
