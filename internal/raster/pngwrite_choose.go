package raster

import (
	"math/bits"
	"slices"
)

// The sample of a piece: windows spread over it, of at least so many rows and so many bytes in all.
const (
	pngWriterSampleRuns   = 16 // a power of two
	pngWriterSampleRows   = 4
	pngWriterSampleWidth  = 128
	pngWriterSampleWindow = pngWriterSampleRows * pngWriterSampleWidth
)

// choose estimates, on a sample of the rows, which filter and mode give the fewest bits, or nearly so and fast, and
// which do with matches if the first has none, or the other way around.
//
// A filter a row by the smallest sum of magnitudes, as libpng does, costs all five filters on all bytes, knows
// nothing of matches and takes filters that spoil them on text and masks; image/png uses none for palettes, which is
// far from best where indices follow the gray.
func (c *pngWriterPiece) choose() (best, other pngWriterWay) {
	literal := pngWriterWay{c.literalFilter(), pngWriterHuffman}
	if c.level > pngWriterFast {
		match, better := c.matchFilter()
		if better {
			return match, literal
		}
		return literal, match
	}
	switch mode, filter := c.fastMode(literal.filter); mode {
	case pngWriterHuffman:
		return literal, pngWriterWay{filter, pngWriterRows}
	case pngWriterRows:
		return pngWriterWay{filter, pngWriterRows}, literal
	}
	match, _ := c.matchFilter()
	return match, literal
}

// literalFilter is the filter that suits Huffman codes best.
func (c *pngWriterPiece) literalFilter() (best pngWriterFilter) {
	least := 0
	for f := pngWriterFilterNone; f <= pngWriterFilterAverage; f++ {
		s := c.sample(f, pngWriterSampleRuns)
		n := c.guess.Literals(s.bytes)
		if f == pngWriterFilterNone || n < least {
			least, best = n, f
			c.expect = c.filteredLen()/len(s.bytes)*(n/8+n/64) + 1<<10
		}
	}
	return best
}

// matchFilter is the filter that suits matches best, and whether these then seem to be better than none.
func (c *pngWriterPiece) matchFilter() (way pngWriterWay, better bool) {
	least, leastLiteral := 0, 0
	for f := pngWriterFilterNone; f <= pngWriterFilterAverage; f++ {
		c.probe.reset()
		c.probe.add(c.sample(f, pngWriterSampleRuns).bytes)
		n, literal := c.probe.costs()
		if f == pngWriterFilterNone || n < least {
			least, way.filter = n, f
		}
		if f == pngWriterFilterNone || literal < leastLiteral {
			leastLiteral = literal
		}
	}
	return way, least <= leastLiteral
}

// fastMode is the mode that is good and fast, and the filter that suits it. literal is the one that suits Huffman codes.
func (c *pngWriterPiece) fastMode(literal pngWriterFilter) (pngWriterMode, pngWriterFilter) {
	// On noise, matches are few however it is filtered: look at little.
	few := true
	for _, f := range []pngWriterFilter{pngWriterFilterNone, literal} {
		s := c.sample(f, pngWriterSampleRuns/4)
		_, covered := c.guess.All(s.bytes, s.width*s.rows, s.width, c.bpp, s.width)
		few = few && covered < len(s.bytes)/pngWriterFew
	}
	if few {
		return pngWriterHuffman, literal
	}
	// Bits, and bytes of the sample that no match is found for.
	var rows, all, huffman, total, restRows, restAll int
	var filter pngWriterFilter
	for i, f := range []pngWriterFilter{pngWriterFilterNone, pngWriterFilterUp, literal} {
		s := c.sample(f, pngWriterSampleRuns/2)
		total = len(s.bytes) - len(s.bytes)/s.rows
		n, covered := c.guess.Rows(s.bytes, s.width*s.rows, s.width, c.bpp, s.width)
		if i == 0 || n < rows {
			rows, restRows, filter = n, total-covered, f
		}
		if f == literal {
			huffman = c.guess.Literals(s.bytes) * (s.rows - 1) / s.rows
		}
	}
	for _, f := range []pngWriterFilter{pngWriterFilterNone, filter} {
		if all > 0 && f == pngWriterFilterNone {
			break
		}
		s := c.sample(f, pngWriterSampleRuns/2)
		n, covered := c.guess.All(s.bytes, s.width*s.rows, s.width, c.bpp, s.width)
		if all == 0 || n < all {
			all, restAll = n, total-covered
		}
	}
	switch {
	case huffman <= min(rows, all):
		return pngWriterHuffman, literal
	case all*6 < rows*5,
		// A sample shows few of the matches that there are in all. That those of rows leave much which others find
		// says more than the sizes do.
		all*20 < rows*21 && restAll*5 < restRows*2,
		// Where next to nothing is left of the image, all matches cost little time.
		rows*4 < total:
		return pngWriterMatches, filter
	}
	return pngWriterRows, filter
}

// pngWriterFew: where less than one in so many bytes of a sample matches, it is noise.
const pngWriterFew = 16

// pngWriterSample is filtered bytes from all over a piece: windows one after another, each of so many rows.
type pngWriterSample struct {
	bytes       []byte
	width, rows int
}

// sample filters up to so many windows, a power of two up to pngWriterSampleRuns.
func (c *pngWriterPiece) sample(f pngWriterFilter, runs int) pngWriterSample {
	n := min(c.rowLen, pngWriterSampleWidth*min(c.bpp, 2))
	rows := min(c.rows, max(pngWriterSampleRows, pngWriterSampleWindow/n))
	for runs > 1 && runs*rows*n > c.filteredLen() {
		runs /= 2
	}
	c.tried = slices.Grow(c.tried[:0], runs*rows*n)
	buf := c.tried
	for r := range runs {
		y := (c.rows - rows) * (2*r + 1) / (2 * runs)
		// Across, out of step with down.
		x := (c.rowLen - n) * int(bits.Reverse32(uint32(r))>>16) >> 16
		x -= x % c.bpp
		for i := range rows {
			at := len(buf)
			buf = buf[:at+n]
			pngWriterFilterRow(f, buf[at:], c.row(y + i)[x:x+n], c.row(y + i - 1)[x:x+n], c.bpp)
		}
	}
	return pngWriterSample{buf, n, rows}
}
