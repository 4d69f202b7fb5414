package raster

import (
	"bytes"
	"math"

	"github.com/klauspost/compress/flate"
)

// pngPiece is a run of rows that is filtered and compressed on its own. Each piece but the last ends with a sync
// flush, on a byte, so that the pieces' bytes in a row are one deflate stream.
type pngPiece struct {
	rowLen, bpp, level int
	raw                []byte // the row above, then the packed rows
	rows               int
	final              bool

	filtered []byte
	sum      uint32 // Adler-32 of filtered
	out      bytes.Buffer
	zip      [2]*flate.Writer // by mode: matches, Huffman only
	probe    pngProbe
	done     chan struct{}
	err      error
}

func newPNGPiece(rowLen, bpp, height, level int) *pngPiece {
	return &pngPiece{
		rowLen: rowLen, bpp: bpp, level: level,
		raw:      make([]byte, 0, (height+1)*rowLen),
		filtered: make([]byte, 0, height*(rowLen+1)),
		done:     make(chan struct{}, 1),
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
	filter, mode := pngFilterNone, pngModeMatch
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

func (c *pngPiece) deflate(mode pngMode) {
	c.out.Reset()
	z := c.zip[mode]
	if z == nil {
		level := c.level
		if mode == pngModeHuffman {
			level = flate.HuffmanOnly
		}
		if z, c.err = flate.NewWriter(&c.out, level); c.err != nil {
			return
		}
		c.zip[mode] = z
	} else {
		z.Reset(&c.out)
	}
	if _, c.err = z.Write(c.filtered); c.err != nil {
		return
	}
	if c.final {
		c.err = z.Close()
	} else {
		c.err = z.Flush()
	}
}

// pngMode is how the filtered bytes are deflated.
type pngMode int

const (
	pngModeMatch   pngMode = iota // matches at the level asked for
	pngModeHuffman                // no matches: smaller and several times faster on noise, which 7- and 8-bit images of the world mostly are
)

// choose estimates, on a sample of the rows, the filter and mode that give the fewest bits.
//
// A filter a row by the smallest sum of magnitudes, as libpng does, costs all five filters on all bytes, knows
// nothing of matches and takes filters that spoil them on text and masks; image/png uses none for palettes, which is
// far from best where indices follow the gray.
func (c *pngPiece) choose() (pngFilter, pngMode) {
	filters := []pngFilter{pngFilterNone, pngFilterSub, pngFilterUp, pngFilterAverage}
	best, filter, mode := math.Inf(1), pngFilterNone, pngModeMatch
	for _, f := range filters {
		c.probe.reset()
		c.sample(f)
		match, huffman := c.probe.costs()
		if match < best {
			best, filter, mode = match, f, pngModeMatch
		}
		if huffman < best {
			best, filter, mode = huffman, f, pngModeHuffman
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
