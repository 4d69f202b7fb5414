package tiff

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// faxMode is the form of fax code.
type faxMode uint8

const (
	faxRLE    faxMode = iota // rows of runs from byte to byte, no end-of-line codes
	faxRLEW                  // the same, from 16-bit word to word
	fax3Rows                 // Group 3, one-dimensional
	fax3Mixed                // Group 3, two-dimensional
	fax4                     // Group 4
)

func (p *Page) faxMode() faxMode {
	switch {
	case p.Compression == CompCCITTRLE:
		return faxRLE
	case p.Compression == CompCCITTRLEW:
		return faxRLEW
	case p.Compression == CompFax4:
		return fax4
	case p.t4&1 != 0:
		return fax3Mixed
	}
	return fax3Rows
}

// fax decodes the codes of ITU-T T.4 and T.6 to rows of one bit a pixel, high bit first, 1 for black, each row on a
// byte. A line is held as the places where its colour changes, beginning with white.
type fax struct {
	r     io.ByteReader
	tab   *faxTables
	mode  faxMode
	lsb   bool
	width int

	acc  uint64 // bits not yet used, the next one highest of the n
	n    uint
	used int64 // bits used
	have int64 // bits read; past the end, zeros are used

	ref, cur []int // changes of the line above and of this one
	row      int
	out      []byte
	left     []byte // of out, not yet read
	err      error
}

var (
	errFaxCode = errors.New("invalid fax code")
	errFaxRun  = errors.New("fax run is longer than the line")
	errFaxEnd  = errors.New("fax data ends")
)

func newFax(r io.ByteReader, mode faxMode, width int, lsb bool) *fax {
	return &fax{r: r, tab: faxLookup(), mode: mode, lsb: lsb, width: width, out: make([]byte, (width+7)/8)}
}

// Read gives rows one after another; how many there are, the caller must know.
func (d *fax) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(d.left) == 0 {
			if d.err == nil {
				d.err = d.line()
			}
			if d.err != nil {
				return n, d.err
			}
			d.left = d.out
			d.row++
		}
		k := copy(p[n:], d.left)
		n += k
		d.left = d.left[k:]
	}
	return n, nil
}

// peek shows the next k <= 32 bits.
func (d *fax) peek(k uint) uint32 {
	for d.n < k {
		b, err := d.r.ReadByte()
		if err == nil {
			d.have += 8
			if d.lsb {
				b = bits.Reverse8(b)
			}
		} else {
			b = 0
		}
		d.acc = d.acc<<8 | uint64(b)
		d.n += 8
	}
	return uint32(d.acc>>(d.n-k)) & (1<<k - 1)
}

func (d *fax) skip(k uint) {
	d.n -= k
	d.used += int64(k)
}

// align skips to a multiple of k bits from the start.
func (d *fax) align(k int64) {
	for d.used%k != 0 {
		d.peek(1)
		d.skip(1)
	}
}

// line decodes one row into out.
func (d *fax) line() error {
	d.ref, d.cur = d.cur, d.ref[:0]
	two := d.mode == fax4
	switch d.mode {
	case faxRLE:
		d.align(8)
	case faxRLEW:
		d.align(16)
	case fax3Rows, fax3Mixed:
		eol, err := d.endOfLine()
		if err != nil {
			return err
		}
		if d.mode == fax3Mixed {
			if !eol {
				return fmt.Errorf("row %d: end-of-line code is missing", d.row)
			}
			two = d.peek(1) == 0
			d.skip(1)
		}
		if d.peek(12) == 1 { // a second end-of-line code: end of the page
			return fmt.Errorf("row %d: %w", d.row, errFaxEnd)
		}
	}
	var err error
	if two {
		err = d.twoDim()
	} else {
		err = d.oneDim()
	}
	if err == nil && d.used > d.have {
		err = errFaxEnd
	}
	if err != nil {
		return fmt.Errorf("row %d: %w", d.row, err)
	}
	d.draw()
	return nil
}

// endOfLine takes an end-of-line code, with any fill before it, if there is one.
func (d *fax) endOfLine() (bool, error) {
	if d.peek(11) != 0 {
		return false, nil
	}
	for d.peek(1) == 0 {
		if d.used > d.have {
			return false, fmt.Errorf("row %d: %w", d.row, errFaxEnd)
		}
		d.skip(1)
	}
	d.skip(1)
	return true, nil
}

// change notes that the colour changes at x. Two changes at one place are none.
func (d *fax) change(x int) {
	if n := len(d.cur); n > 0 && d.cur[n-1] == x {
		d.cur = d.cur[:n-1]
		return
	}
	d.cur = append(d.cur, x)
}

// run decodes one run length.
func (d *fax) run(table *[1 << runBits]faxCode) (int, error) {
	total := 0
	for {
		c := table[d.peek(runBits)]
		if c.bits == 0 {
			return 0, errFaxCode
		}
		d.skip(uint(c.bits))
		total += int(c.value)
		if c.value < 64 {
			return total, nil
		}
		if total > d.width {
			return 0, errFaxRun
		}
	}
}

func (d *fax) oneDim() error {
	for x, black := 0, false; x < d.width; black = !black {
		table := &d.tab.white
		if black {
			table = &d.tab.black
		}
		n, err := d.run(table)
		if err != nil {
			return err
		}
		if x += n; x > d.width {
			return errFaxRun
		}
		d.change(x)
	}
	return nil
}

// twoDim decodes a row against the one above: T.4 section 4.2, T.6 section 2.2. Names are those of the text: a0 is
// where this row has got to, b1 the first change above to the right of a0 and to the colour opposite to a0's.
func (d *fax) twoDim() error {
	d.ref = append(d.ref, d.width, d.width, d.width)
	a0, black, b := -1, false, 0
	for a0 < d.width {
		for b > 0 && d.ref[b-1] > a0 {
			b--
		}
		for d.ref[b] <= a0 && d.ref[b] < d.width {
			b++
		}
		if b&1 == 1 != black {
			b++
		}
		c := d.tab.mode[d.peek(modeBits)]
		if c.bits == 0 {
			if d.peek(12) == 1 {
				return errFaxEnd
			}
			return errFaxCode
		}
		d.skip(uint(c.bits))
		switch c.value {
		case modePass:
			a0 = d.ref[b+1]
		case modeHorizontal:
			first, second := &d.tab.white, &d.tab.black
			if black {
				first, second = second, first
			}
			n, err := d.run(first)
			if err != nil {
				return err
			}
			m, err := d.run(second)
			if err != nil {
				return err
			}
			a1 := max(a0, 0) + n
			if a0 = a1 + m; a0 > d.width {
				return errFaxRun
			}
			d.change(a1)
			d.change(a0)
		default:
			a1 := d.ref[b] + int(c.value)
			if a1 < max(a0, 0) || a1 > d.width {
				return errFaxRun
			}
			a0 = a1
			d.change(a0)
			black = !black
		}
	}
	return nil
}

// draw sets the bits of the black runs.
func (d *fax) draw() {
	clear(d.out)
	for i := 0; i < len(d.cur) && d.cur[i] < d.width; i += 2 {
		x0, x1 := d.cur[i], d.width
		if i+1 < len(d.cur) {
			x1 = d.cur[i+1]
		}
		setBits(d.out, x0, x1)
	}
}

// setBits sets bits x0 to x1-1, the high bit of a byte first.
func setBits(row []byte, x0, x1 int) {
	if x0 >= x1 {
		return
	}
	a, b := x0>>3, (x1-1)>>3
	head, tail := byte(0xff)>>(x0&7), byte(0xff)<<(7-(x1-1)&7)
	if a == b {
		row[a] |= head & tail
		return
	}
	row[a] |= head
	for i := a + 1; i < b; i++ {
		row[i] = 0xff
	}
	row[b] |= tail
}
