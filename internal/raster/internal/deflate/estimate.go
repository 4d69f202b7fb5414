package deflate

import (
	"encoding/binary"
	"math/bits"

	"segscan/internal/raster/internal/simd"
)

// Estimator tells what deflate would need for a sample of bytes, in whole numbers, so that what is chosen by it is
// the same on every processor. Codes' own lengths are left out: a sample is smaller than what has codes of its own.
//
// To compress the sample with what is to be chosen from would say it better, and cost more than is to be saved.
type Estimator struct {
	e    Encoder
	last [1 << 12]uint16 // where six bytes of a hash were seen last, plus one
}

// Literals is how many bits b takes by Huffman codes alone.
func (e *Estimator) Literals(b []byte) int {
	h := &e.e.parts
	clear(h[:])
	countBytes(h, b)
	for s := range h[0] {
		h[0][s] += h[1][s] + h[2][s] + h[3][s]
	}
	return HuffmanBits(&h[0])
}

// HuffmanBits is how many bits the bytes of a histogram, fewer than 2^32, take by a Huffman code: their entropy,
// except that a byte which is more than half of all takes a bit, and adds one to all others.
func HuffmanBits(h *[256]uint32) int {
	var n, top uint32
	for _, c := range h {
		n += c
		top = max(top, c)
	}
	whole, left := uint64(0), n
	if top > n-top {
		whole, left = uint64(n), n-top
	} else {
		top = 0
	}
	sum := uint64(left)*log2(left) + uint64(top)*log2(top)
	for _, c := range h {
		sum -= uint64(c) * log2(c)
	}
	return int(whole + sum>>log2Bits)
}

// log2Bits are those of a logarithm's fraction.
const log2Bits = 12

// log2 is the logarithm to base 2, in units of 2^-log2Bits, 0 for 0, with an error of a hundredth at most: that of
// the power of two below, and between two of them x + 0.344 x (1-x).
func log2(v uint32) uint64 {
	const one = 1 << log2Bits
	k := bits.Len32(v|1) - 1
	x := uint64(v) << log2Bits >> k & (one - 1)
	return uint64(k)<<log2Bits + x + (x*(one-x)>>log2Bits)*352>>10
}

// Rows is how many bits Matches takes for windows of src, and how many bytes it finds matches for. The first bytes of
// every window are only looked back at.
func (e *Estimator) Rows(src []byte, window, first, near, far int) (size, covered int) {
	if far > maxDistance {
		far = near
	}
	p := &e.e
	p.forget()
	for ; len(src) >= window && window > 0; src = src[window:] {
		p.parse(src, max(first, near), window, near, far)
	}
	extra := p.count(near, far)
	for _, m := range p.matches {
		covered += m.Length()
	}
	return p.bits(extra), covered
}

// bits is how many bits the symbols counted take with codes made for them.
func (e *Encoder) bits(extra int) int {
	f := &e.frequency
	e.build.build(&e.lit, f.lit[:], maxBits)
	e.build.build(&e.dist, f.dist[:], maxBits)
	return e.lit.cost(f.lit[:]) + e.dist.cost(f.dist[:]) + extra
}

// All is Rows where matches are taken from anywhere in src before, as other compressors do. src has 65535 bytes at most.
func (e *Estimator) All(src []byte, window, first, near, far int) (size, covered int) {
	const (
		shortest = 6
		multiply = 0x9e3779b97f4a7c15
	)
	clear(e.last[:])
	p := &e.e
	p.forget()
	clear(p.frequency.dist[:])
	f := &p.frequency
	extra := 0
	for at := 0; at+window <= len(src) && window > 0; at += window {
		i, end := at, at+window
		missed := 0
		for i < end {
			if i+8 > end {
				f.lit[src[i]]++
				i++
				continue
			}
			v := binary.LittleEndian.Uint64(src[i:])
			slot := &e.last[v<<(64-8*shortest)*multiply>>52]
			seen := i - int(*slot) + 1
			*slot = uint16(i + 1)
			if i < at+max(first, near) {
				i++
				continue
			}
			length, distance := 0, 0
			try := func(d, least int) {
				if d > min(i, maxDistance) || (v^binary.LittleEndian.Uint64(src[i-d:]))<<(64-8*least) != 0 {
					return
				}
				if n := simd.Same(src[i:end], src[i-d:]); n > length+1 {
					length, distance = n, d
				}
			}
			try(near, simd.ShortestNear)
			try(far, simd.ShortestFar)
			if seen <= i {
				try(seen, shortest)
			}
			if length == 0 {
				// Where nothing is found for long, look less closely.
				for n := min(1+missed>>5, end-i); n > 0; n-- {
					f.lit[src[i]]++
					i++
					missed++
				}
				continue
			}
			missed = 0
			i += length
			covered += length
			for length > 0 {
				n := min(length, simd.LongestMatch)
				s := lengthCode(uint(max(n, 3) - 3))
				f.lit[s.symbol]++
				d, x := distanceCode(uint(distance - 1))
				f.dist[d]++
				extra += int(s.extra) + int(x)
				length -= n
			}
		}
	}
	return p.bits(extra), covered
}
