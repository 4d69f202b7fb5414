package deflate

import "encoding/binary"

// literalBlock is how many bytes share a code at most. The statistics of an image change from row to row, so less would be
// smaller (by a hundredth on scans of text at half of it), but making a code takes the time of 8000 literals.
const literalBlock = 64 << 10

// Literals deflates b, which may be of any length, by Huffman codes alone; with final, the stream ends with it.
func (e *Encoder) Literals(b []byte, final bool) {
	for {
		parts := max(1, (len(b)+literalBlock-1)/literalBlock)
		n := (len(b) + parts - 1) / parts // about the same for all
		e.literalBlock(b[:n], final && n == len(b))
		if b = b[n:]; len(b) == 0 {
			return
		}
	}
}

func (e *Encoder) literalBlock(b []byte, final bool) {
	clear(e.frequency.lit[:])
	clear(e.frequency.dist[:])
	clear(e.parts[:])
	countBytes(&e.parts, b)
	for s := range 256 {
		e.frequency.lit[s] = e.parts[0][s] + e.parts[1][s] + e.parts[2][s] + e.parts[3][s]
	}
	if !e.choose(len(b), 0, final) {
		e.stored(b, final)
		return
	}
	e.w.literals(b, (*[256]symbol)(e.lit.of[:]))
	e.end(final)
}

// countBytes counts the bytes of b. Bytes next to each other are counted in different places: adding to what was
// just added to has to wait for it.
func countBytes(parts *[4][256]uint32, b []byte) {
	p0, p1, p2, p3 := &parts[0], &parts[1], &parts[2], &parts[3]
	for ; len(b) >= 8; b = b[8:] {
		v := binary.LittleEndian.Uint64(b)
		p0[byte(v)]++
		p1[byte(v>>8)]++
		p2[byte(v>>16)]++
		p3[byte(v>>24)]++
		p0[byte(v>>32)]++
		p1[byte(v>>40)]++
		p2[byte(v>>48)]++
		p3[byte(v>>56)]++
	}
	for _, v := range b {
		p0[v]++
	}
}
