package raster

import (
	"encoding/binary"
	"math"
	"math/bits"

	"segscan/internal/raster/internal/deflate"
)

// writeProbe estimates how many bits deflate needs for bytes, with matches and without. No library offers that short
// of compressing, which costs more than the compression it is to choose.
type writeProbe struct {
	all      [256]uint32 // histogram of all bytes
	literals [256]uint32 // of those no match covers
	matches  int
	covered  int // bytes that matches cover
	total    int
	table    [1 << 12]uint16 // last position of a hash, plus one
}

func (p *writeProbe) reset() { *p = writeProbe{} }

// add looks at up to 65535 bytes, once.
func (p *writeProbe) add(b []byte) {
	b = b[:min(len(b), math.MaxUint16)]
	p.total += len(b)
	for _, v := range b {
		p.all[v]++
	}
	const (
		shortest = 6         // shorter matches gain little over good literals
		mask     = 1<<48 - 1 // of a match of the shortest length
		prime    = 0x9e3779b97f4a7c15
	)
	i, lit := 0, 0
	flush := func(end int) {
		for _, v := range b[lit:end] {
			p.literals[v]++
		}
	}
	for i+8 <= len(b) {
		v := binary.LittleEndian.Uint64(b[i:])
		h := v << 16 * prime >> 52
		at := int(p.table[h]) - 1
		p.table[h] = uint16(i + 1)
		if at < 0 || (binary.LittleEndian.Uint64(b[at:])^v)&mask != 0 {
			i += 1 + (i-lit)>>5 // where nothing matches for long, look less closely
			continue
		}
		flush(i)
		n := shortest
		for i+n+8 <= len(b) {
			if x := binary.LittleEndian.Uint64(b[i+n:]) ^ binary.LittleEndian.Uint64(b[at+n:]); x != 0 {
				n += bits.TrailingZeros64(x) / 8
				break
			}
			n += 8
		}
		p.matches += 1 + n/258
		p.covered += n
		i += n
		lit = i
	}
	flush(len(b))
}

// costs in bits: with matches, and with Huffman codes only. They are whole numbers, so that what is chosen by them is the
// same on every processor.
//
// A sample holds few of the places a match may point to, so where matches are many there will be more and longer
// ones than it shows; where they are rare, deflate's shorter ones cost more than the literals they replace. Both are
// corrected by the share of the sample that is matched, in the proportion seen on text, masks, waves and noise.
func (p *writeProbe) costs() (match, huffman int) {
	if p.total == 0 {
		return 0, 0
	}
	const bitsOfMatch = 15 // length and distance codes and their extra bits
	match = deflate.HuffmanBits(&p.literals) + p.matches*bitsOfMatch
	return match * (11*p.total - 6*p.covered) / (10 * p.total), deflate.HuffmanBits(&p.all)
}
