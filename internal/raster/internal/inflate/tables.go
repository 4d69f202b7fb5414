package inflate

import (
	"fmt"
	"math/bits"
)

const (
	maxLit   = 288
	maxDist  = 32
	litBits  = 11
	distBits = 8
	// Sizes of tables of 11 and 8 bits with all second-level tables codes of at most 15 bits can need: zlib's
	// examples/enough.c gives 2342 for 288 symbols and 402 for 32.
	litSize  = 2342
	distSize = 402
)

// Table entries hold the bits to take in bits 0..7. In the literal and length table a literal has bit 31 set and its
// value in bits 16..23; if the bits looked up hold the code of a second literal, that is in bits 8..15, bit 24 (pair) is
// set, bits 25..28 are the bits of the first code alone and bits 0..7 those of both. A length has its base in bits 16..24 and its number of extra bits in bits 8..15; anything
// else has `special` set. In the distance table a distance has its base in bits 16..30 and its extra bits in 8..15;
// anything else has bit 31 set. subTable marks a second-level table: bits 8..19 are where it begins and the low bits
// its size in bits.
const (
	literal    = 1 << 31
	special    = 1 << 30
	subTable   = 1 << 29
	endOfBlock = 1 << 28
	pair       = 1 << 24 // of a literal
	distNone   = 1 << 31
)

// Entries without their code length, by symbol.
var (
	litEntries  = makeLitEntries()
	distEntries = makeDistEntries()
)

func makeLitEntries() (t [maxLit]uint32) {
	for i := range 256 {
		t[i] = literal | uint32(i)<<16
	}
	t[256] = special | endOfBlock
	base := uint32(3)
	for i := 257; i < 285; i++ {
		x := uint32(0)
		if i >= 265 {
			x = uint32(i-261) / 4
		}
		t[i] = base<<16 | x<<8
		base += 1 << x
	}
	t[285] = 258 << 16
	t[286], t[287] = special, special // take part in fixed codes, but must not occur
	return t
}

func makeDistEntries() (t [maxDist]uint32) {
	base := uint32(1)
	for i := range 30 {
		x := uint32(0)
		if i >= 4 {
			x = uint32(i-2) / 2
		}
		t[i] = base<<16 | x<<8
		base += 1 << x
	}
	t[30], t[31] = distNone, distNone
	return t
}

// build fills a table from code lengths. none marks codes that do not exist, sub a second-level table. As in
// compress/flate a code must be complete, but for one that has a single symbol of one bit, and for one of no symbols.
func build(table []uint32, root uint, lens []uint8, entries []uint32, none, sub uint32) error {
	var count, start [16]int
	for _, n := range lens {
		count[n]++
	}
	count[0] = 0
	longest, space := uint(0), 0
	for n := 1; n < 16; n++ {
		start[n] = start[n-1] + count[n-1]
		space += count[n] << (15 - n)
		if count[n] > 0 {
			longest = uint(n)
		}
	}
	if space != 1<<15 {
		if longest > 0 && (longest != 1 || count[1] != 1) {
			return fmt.Errorf("%w: code lengths that make no code", ErrCorrupt)
		}
		for i := range table[:1<<root] {
			table[i] = none
		}
	}
	var sorted [maxLit]uint16 // symbols by length
	for sym, n := range lens {
		if n > 0 {
			sorted[start[n]] = uint16(sym)
			start[n]++
		}
	}
	code, at := 0, 0
	group, begin, width := -1, 0, uint(0) // the second-level table at hand: its low bits, first entry, size in bits
	free := 1 << root
	for n := uint(1); n <= longest; n++ {
		for ; count[n] > 0; count[n]-- {
			sym := sorted[at]
			at++
			c := int(bits.Reverse16(uint16(code)) >> (16 - n)) // codes come highest bit first
			code++
			if n <= root {
				for i := c; i < 1<<root; i += 1 << n {
					table[i] = entries[sym] | uint32(n)
				}
				continue
			}
			// Codes with the same first bits follow each other, the shortest first.
			if low := c & (1<<root - 1); low != group {
				group, begin = low, free
				width = n - root
				for room := 1 << width; width+root < longest; width++ {
					if room -= count[width+root]; room <= 0 {
						break
					}
					room <<= 1
				}
				free += 1 << width
				table[low] = sub | uint32(begin)<<8 | uint32(width)
			}
			for i := c >> root; i < 1<<width; i += 1 << (n - root) {
				table[begin+i] = entries[sym] | uint32(n-root)
			}
		}
		code <<= 1
	}
	return nil
}

// fixed sets up the codes of RFC 1951 section 3.2.6.
func (r *Reader) fixed() error {
	for i := range maxLit {
		n := uint8(8)
		switch {
		case i >= 144 && i < 256:
			n = 9
		case i >= 256 && i < 280:
			n = 7
		}
		r.lens[i] = n
	}
	for i := range maxDist {
		r.lens[maxLit+i] = 5
	}
	return r.tables(maxLit, maxDist)
}

func (r *Reader) tables(nlit, ndist int) error {
	err := build(r.lit[:], litBits, r.lens[:nlit], litEntries[:], special, special|subTable)
	if err != nil {
		return err
	}
	r.pairs(nlit)
	return build(r.dist[:], distBits, r.lens[nlit:nlit+ndist], distEntries[:], distNone, distNone|subTable)
}

// pairs puts a second literal into the entries of the first-level table that have bits left for one. Where codes are
// too long for that, as those of noise are, it does nothing.
func (r *Reader) pairs(nlit int) {
	shortest := uint8(15)
	for _, n := range r.lens[:min(nlit, 256)] {
		if n > 0 {
			shortest = min(shortest, n)
		}
	}
	if 2*shortest > litBits {
		return
	}
	table := r.lit[:1<<litBits]
	// The entry of the bits that follow is at a lower index, so it is still one of a single literal.
	for i := len(table) - 1; i >= 0; i-- {
		e := table[i]
		if int32(e) >= 0 {
			continue
		}
		n := e & 15
		f := table[i>>n]
		if int32(f) >= 0 || n+f&15 > litBits {
			continue
		}
		table[i] = e&(0xff<<16) | f>>8&0xff00 | literal | pair | n<<25 | (n + f&15)
	}
}

// lengthOrder is the order in which lengths of the code length code come.
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the codes of a block (RFC 1951 section 3.2.7).
func (r *Reader) dynamic() error {
	if err := r.need(14); err != nil {
		return err
	}
	nlit, ndist, nlen := int(r.take(5))+257, int(r.take(5))+1, int(r.take(4))+4
	if nlit > 286 || ndist > 30 {
		return fmt.Errorf("%w: a block of %d and %d codes", ErrCorrupt, nlit, ndist)
	}
	var lens [19]uint8
	for _, i := range lengthOrder[:nlen] {
		if err := r.need(3); err != nil {
			return err
		}
		lens[i] = uint8(r.take(3))
	}
	// The table of lengths reuses the literal table; codes have at most 7 bits.
	var entries [19]uint32
	for i := range entries {
		entries[i] = uint32(i) << 16
	}
	const root = 7
	table := r.lit[:1<<root]
	if err := build(table, root, lens[:], entries[:], special, special); err != nil {
		return err
	}
	for i := 0; i < nlit+ndist; {
		sym, err := r.lengthSymbol(table, root)
		if err != nil {
			return err
		}
		if sym < 16 {
			r.lens[i] = uint8(sym)
			i++
			continue
		}
		x := [...]struct{ bits, base uint }{{2, 3}, {3, 3}, {7, 11}}[sym-16]
		if err := r.need(x.bits); err != nil {
			return err
		}
		n, v := int(x.base+r.take(x.bits)), uint8(0)
		if sym == 16 {
			if i == 0 {
				return fmt.Errorf("%w: a length repeated before the first", ErrCorrupt)
			}
			v = r.lens[i-1]
		}
		if i+n > nlit+ndist {
			return fmt.Errorf("%w: more code lengths than codes", ErrCorrupt)
		}
		for range n {
			r.lens[i] = v
			i++
		}
	}
	return r.tables(nlit, ndist)
}

// lengthSymbol reads one symbol of the code length code, taking no more input than it needs.
func (r *Reader) lengthSymbol(table []uint32, root uint) (uint32, error) {
	for {
		e := table[r.bits&(1<<root-1)]
		n := uint(e & 0xff)
		if e&special == 0 && n <= r.nb {
			r.take(n)
			return e >> 16, nil
		}
		if r.nb >= root {
			return 0, errCode
		}
		if err := r.need(r.nb + 1); err != nil {
			return 0, err
		}
	}
}
