// Package deflate writes DEFLATE data (RFC 1951) of filtered rows of images. It exists because compression is most of
// the time it takes to write a PNG, and what general compressors look for is not what images have. On overlays of
// scans and of micrographs matches are so few that Huffman codes alone are smaller; on those of text nearly all that
// is found anywhere is in the sample before or in the row above. Measured on one core (EPYC 7763), klauspost/compress
// takes text at 0.15 GB/s at the level that is as small (5), this package at 0.9; noise by Huffman codes alone at 0.4
// and 0.9, the codes of the two being equally long. What repeats in other ways is better left to that library, and
// Estimator tells which.
//
// compress/flate is the reference in tests.
package deflate

// Encoder deflates runs of bytes, each on its own; the memory it needs for that stays with it. What it
// writes depends on the bytes and on the calls for that run alone. The zero value is ready for Reset.
type Encoder struct {
	w     bitWriter
	build builder
	head  header
	lit   code
	dist  code

	frequency struct {
		lit  [litSymbols]uint32
		dist [distSymbol]uint32
	}
	parts [4][256]uint32 // counts of literals, to be added up
	parser
}

// Reset begins a run of bytes, whose deflated form is appended to dst.
func (e *Encoder) Reset(dst []byte) {
	e.w = bitWriter{out: dst}
}

// Bytes is dst of Reset and what was appended to it. It is whole once Sync was called or a final block written.
func (e *Encoder) Bytes() []byte { return e.w.out }

// Sync ends a run that had no final block on a whole byte, so that what is deflated next may follow.
func (e *Encoder) Sync() { e.stored(nil, false) }

// Kinds of blocks.
const (
	storedBlock = iota
	fixedBlock
	dynamicBlock
)

// begin writes the three bits that begin a block.
func (e *Encoder) begin(kind uint64, final bool) {
	v := kind << 1
	if final {
		v |= 1
	}
	e.w.put(bitsOf(v, 3))
}

// storedLimit is the most bytes of a stored block.
const storedLimit = 65535

// storedBits is the most that n stored bytes take.
func storedBits(n int) int { return 8*n + (n/storedLimit+1)*(3+7+32) }

// stored writes bytes as they are, in as many blocks as that takes, at least one.
func (e *Encoder) stored(b []byte, final bool) {
	e.w.room(storedBits(len(b))/8 + 1)
	for {
		n := min(len(b), storedLimit)
		e.begin(storedBlock, final && n == len(b))
		e.w.align()
		e.w.out = append(e.w.out, byte(n), byte(n>>8), byte(^n), byte(^n>>8))
		e.w.out = append(e.w.out, b[:n]...)
		if b = b[n:]; len(b) == 0 {
			return
		}
	}
}

// choose makes the codes for the frequencies, begins a block with the shorter of these and RFC 1951's fixed codes,
// and makes room for it. extra is how many bits it takes besides the codes. It reports false, and has written
// nothing, if size bytes are smaller stored.
func (e *Encoder) choose(size, extra int, final bool) bool {
	f := &e.frequency
	f.lit[endOfBlock] = 1
	e.build.build(&e.lit, f.lit[:], maxBits)
	e.build.build(&e.dist, f.dist[:], maxBits)
	if !used(f.dist[:]) {
		// No distance is sent, but some decoders want a code for them all the same.
		e.dist.lens[0] = 1
	}
	bits := e.head.make(&e.build, &e.lit, &e.dist) + e.lit.cost(f.lit[:]) + e.dist.cost(f.dist[:]) + extra
	fixed := fixedCost(f.lit[:], f.dist[:]) + extra
	if storedBits(size) <= 3+min(bits, fixed) {
		return false
	}
	e.w.room((3+min(bits, fixed))/8 + 1)
	if fixed <= bits {
		e.begin(fixedBlock, final)
		fixedCodes(&e.lit, &e.dist)
		return true
	}
	e.begin(dynamicBlock, final)
	e.head.write(&e.w)
	return true
}

func used(frequency []uint32) bool {
	for _, f := range frequency {
		if f > 0 {
			return true
		}
	}
	return false
}

// end ends a block that choose began.
func (e *Encoder) end(final bool) {
	e.w.put(e.lit.of[endOfBlock])
	if final {
		e.w.align()
	}
}

// fixedLen is the length of a literal's or length's fixed code.
func fixedLen(s int) uint8 {
	switch {
	case s < 144:
		return 8
	case s < 256:
		return 9
	case s < 280:
		return 7
	}
	return 8
}

func fixedCost(lit, dist []uint32) (n int) {
	for s, f := range lit {
		n += int(f) * int(fixedLen(s))
	}
	for _, f := range dist {
		n += int(f) * 5
	}
	return n
}

// fixedCodes are those that both sides know.
func fixedCodes(lit, dist *code) {
	for s := range lit.lens {
		lit.lens[s] = fixedLen(s)
	}
	lit.assign(allSymbols, 9)
	for s := range distSymbol {
		dist.lens[s] = 5
	}
	dist.assign(distSymbol, 5)
}
