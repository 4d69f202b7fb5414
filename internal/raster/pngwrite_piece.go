package raster

import (
	"bytes"
	"math"

	"github.com/klauspost/compress/flate"
)

// pngPiece is a run of rows that is filtered and compressed on its own.
type pngPiece struct {
	rowLen, bpp, level int
	raw                []byte // the row above, then the packed rows
	rows               int
	final              bool

	filtered []byte
	sum      uint32 // Adler-32 of filtered
	out      bytes.Buffer
	zip      writeDeflater
	probe    writeProbe
	err      error
}

func newPNGPiece(rowLen, bpp, height, level int) *pngPiece {
	return &pngPiece{
		rowLen: rowLen, bpp: bpp, level: level, zip: writeDeflater{level: level},
		raw:      make([]byte, 0, (height+1)*rowLen),
		filtered: make([]byte, 0, height*(rowLen+1)),
	}
}

// reset empties the piece; above is the packed row before its first, nil (zeros) at the top of the page.
func (c *pngPiece) reset(above []byte) {
	c.raw = c.raw[:c.rowLen]
	if copy(c.raw, above) == 0 {
		clear(c.raw)
	}
	c.rows, c.final = 0, false
}

func (c *pngPiece) addRow() []byte {
	c.rows++
	c.raw = c.raw[:(c.rows+1)*c.rowLen]
	return c.row(c.rows - 1)
}

// row is packed row y; -1 is the row above the piece.
func (c *pngPiece) row(y int) []byte { return c.raw[(y+1)*c.rowLen : (y+2)*c.rowLen] }

func (c *pngPiece) lastRow() []byte  { return c.row(c.rows - 1) }
func (c *pngPiece) filteredLen() int { return c.rows * (c.rowLen + 1) }

// compress filters and deflates the piece into out.
func (c *pngPiece) compress() {
	c.err = nil
	filter, mode := pngFilterNone, deflateMatch
	if c.level != flate.NoCompression {
		filter, mode = c.choose()
	}
	c.filter(filter)
	c.sum = pngWriterAdler(c.filtered)
	c.deflate(mode)
}

func (c *pngPiece) filter(f pngFilter) {
	c.filtered = c.filtered[:c.filteredLen()]
	for y := range c.rows {
		dst := c.filtered[y*(c.rowLen+1) : (y+1)*(c.rowLen+1)]
		dst[0] = byte(f)
		pngWriterFilter(f, dst[1:], c.row(y), c.row(y-1), c.bpp)
	}
}

func (c *pngPiece) deflate(mode deflateMode) {
	c.out.Reset()
	c.err = c.zip.deflate(&c.out, c.filtered, mode, c.final)
}

// choose estimates, on a sample of the rows, the filter and mode that give the fewest bits.
//
// A filter a row by the smallest sum of magnitudes, as libpng does, costs all five filters on all bytes, knows
// nothing of matches and takes filters that spoil them on text and masks; image/png uses none for palettes, which is
// far from best where indices follow the gray.
func (c *pngPiece) choose() (pngFilter, deflateMode) {
	filters := []pngFilter{pngFilterNone, pngFilterSub, pngFilterUp, pngFilterAverage}
	best, filter, mode := math.Inf(1), pngFilterNone, deflateMatch
	for _, f := range filters {
		c.probe.reset()
		c.sample(f)
		match, huffman := c.probe.costs()
		if match < best {
			best, filter, mode = match, f, deflateMatch
		}
		if huffman < best {
			best, filter, mode = huffman, f, deflateHuffman
		}
	}
	return filter, mode
}

// The sample: up to pngSampleRuns windows of pngSampleRows x pngSampleBytes, spread over the piece.
const (
	pngSampleRuns  = 8
	pngSampleRows  = 4
	pngSampleBytes = 256
)

// sample gives the probe filtered bytes from all over the piece.
func (c *pngPiece) sample(f pngFilter) {
	n := min(c.rowLen, pngSampleBytes)
	rows := min(c.rows, pngSampleRows)
	runs := max(1, min(pngSampleRuns, c.filteredLen()/(n*rows)))
	buf := c.filtered[:0]
	for r := range runs {
		y := (c.rows - rows) * (2*r + 1) / (2 * runs)
		x := (c.rowLen - n) * (3 * r % runs) / runs // across, out of step with down
		x -= x % c.bpp
		for i := range rows {
			at := len(buf)
			buf = buf[:at+n]
			pngWriterFilter(f, buf[at:], c.row(y + i)[x:x+n], c.row(y + i - 1)[x:x+n], c.bpp)
		}
	}
	c.probe.add(buf)
}
