package deflate

import (
	"encoding/binary"
	"slices"
)

// symbol is the code of a symbol as the writer takes it: its bits in the order they are sent, the first of them lowest,
// pushed up to the top of the word; in the six lowest bits, how many they are.
type symbol uint64

// bitsOf is a symbol of the n lowest bits of v, 1 to 48 of them, the lowest sent first.
func bitsOf(v uint64, n uint) symbol { return symbol(v<<(64-n) | uint64(n)) }

// size is how many bits a symbol has.
func (s symbol) size() uint { return uint(s & 63) }

// bitWriter appends bits to bytes. Its n pending bits, fewer than 8 between calls, are the top of acc: a symbol is
// taken by one shift and one or. What lies below them is of no meaning: the counts of symbols that were or-ed in, on
// their way out.
type bitWriter struct {
	out []byte // its length is what has been written
	acc uint64
	n   uint
}

// room makes sure that n bytes and the word that the last bits are stored with fit without growing.
func (w *bitWriter) room(n int) { w.out = slices.Grow(w.out, n+8) }

// put writes a symbol.
func (w *bitWriter) put(s symbol) {
	w.acc = w.acc>>(s&63) | uint64(s)
	w.n += s.size()
	w.flush()
}

// flush writes whole bytes.
func (w *bitWriter) flush() {
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

// with is a symbol followed by the n lowest bits of v, at most 13.
func (s symbol) with(v uint64, n uint) symbol {
	if s == 0 || n == 0 {
		return s
	}
	return s>>n&^63 | symbol(v<<(64-n)) | symbol(s.size()+n)
}
