package deflate

import (
	"encoding/binary"
	"slices"

	"segscan/internal/raster/internal/simd"
)

// symbol is the code of a symbol as the writer takes it: its bits in the order they are sent, the first of them lowest,
// pushed up to the top of the word; in the six lowest bits, how many they are.
type symbol = uint64

// bitsOf is a symbol of the n lowest bits of v, 1 to 48 of them, the lowest sent first.
func bitsOf(v uint64, n uint) symbol { return v<<(64-n) | uint64(n) }

// join is a symbol followed by the n lowest bits of v, at most 13; nothing follows one without bits.
func join(s symbol, v uint64, n uint) symbol {
	if s == 0 || n == 0 {
		return s
	}
	return s>>n&^63 | v<<(64-n) | (s&63 + uint64(n))
}

// bitWriter appends bits to bytes. Its n pending bits, fewer than 8 between calls, are the top of acc: a symbol is
// taken by one shift and one or. What lies below them is of no meaning: the counts of symbols that were or-ed in, on
// their way out.
type bitWriter struct {
	out []byte // its length is what has been written
	acc uint64
	n   uint
}

// room makes sure that n bytes and the words that the last bits are stored with fit without growing.
func (w *bitWriter) room(n int) { w.out = slices.Grow(w.out, n+16) }

// put writes a symbol.
func (w *bitWriter) put(s symbol) {
	w.acc = w.acc>>(s&63) | s
	w.n += uint(s & 63)
	if w.n == 0 {
		return
	}
	w.out = binary.LittleEndian.AppendUint64(w.out, w.acc>>(64-w.n))[:len(w.out)+int(w.n>>3)]
	w.n &= 7
}

// align fills the last byte with zeros.
func (w *bitWriter) align() {
	if w.n > 0 {
		w.put(bitsOf(0, 8-w.n))
	}
}

// literals writes the codes of bytes. There must be room.
func (w *bitWriter) literals(b []byte, of *[256]symbol) {
	// What Codes may write at most is more than codes of so many bytes take, so where there is room for these only, the
	// last of them are written one by one.
	for len(b) >= 4 {
		out := w.out[len(w.out):cap(w.out)]
		n := min(len(b)/4, (len(out)-8)/(4*simd.MaxCode/8)) * 4
		if n <= 0 {
			break
		}
		bits := simd.Bits{Acc: w.acc, Pending: w.n}
		size := bits.Codes(out, b[:n], of)
		w.out, w.acc, w.n = w.out[:len(w.out)+size], bits.Acc, bits.Pending
		b = b[n:]
	}
	for _, v := range b {
		w.put(of[v])
	}
}

// matches writes the codes of literals and matches, and returns the bytes behind them.
func (w *bitWriter) matches(b []byte, list []simd.Match, c *simd.MatchCodes) []byte {
	for len(list) > 0 {
		// In parts, as a part may ask for more room than it takes.
		part := list[:min(len(list), 256)]
		list = list[len(part):]
		w.out = slices.Grow(w.out, simd.MatchesRoom(part))
		bits := simd.Bits{Acc: w.acc, Pending: w.n}
		size, done := bits.Matches(w.out[len(w.out):cap(w.out)], b, part, c)
		w.out, w.acc, w.n = w.out[:len(w.out)+size], bits.Acc, bits.Pending
		b = b[done:]
	}
	return b
}
