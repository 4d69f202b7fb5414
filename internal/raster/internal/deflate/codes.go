package deflate

import (
	"math/bits"

	"segscan/internal/raster/internal/simd"
)

// Sizes of the alphabets of RFC 1951.
const (
	endOfBlock = 256
	litSymbols = 286 // and two more in the fixed code, which are never sent
	allSymbols = 288
	distSymbol = 30
	lenSymbols = 19 // of the code that the other two are sent in

	// maxBits is the longest code this package makes; RFC 1951 allows 15. With 12, four literals fit the bits that
	// the writer takes between two stores. On blocks of this size that costs less than a thousandth.
	maxBits    = simd.MaxCode
	maxLenBits = 7 // of the code that the others are sent in, by RFC 1951
)

// code is a canonical Huffman code.
type code struct {
	lens [allSymbols]uint8 // 0: the symbol has none
	of   [allSymbols]symbol
}

// builder makes codes; it keeps the memory that takes.
type builder struct {
	keys, swap [litSymbols]uint32 // frequency and symbol
	// Of the tree: n leaves, a place for none, and the nodes that join two.
	weight [2*litSymbols + 1]uint32
	parent [2*litSymbols + 1]uint16
	depth  [2*litSymbols + 1]uint8
}

const (
	keySymbolBits = 9
	maxFrequency  = 1<<(32-keySymbolBits) - 1
)

// build makes the best code for the frequencies, but for the limit of its lengths, and gives each symbol that occurs
// a code of at least one bit. One symbol alone gets the code 0; a decoder takes it though it is not complete. With no
// symbol at all there is no code.
func (b *builder) build(c *code, frequency []uint32, limit int) {
	clear(c.lens[:len(frequency)])
	n := 0
	var top uint32
	for s, f := range frequency {
		if f > 0 {
			b.keys[n] = f<<keySymbolBits | uint32(s)
			top |= f
			n++
		}
	}
	var counts [64]int
	switch n {
	case 0:
		return
	case 1:
		counts[1] = 1
	default:
		b.sort(n, top)
		b.depths(n, &counts)
		limitDepths(&counts, limit)
	}
	// The rarest symbols get the longest codes.
	keys := b.keys[:n]
	for l := limit; l > 0; l-- {
		for _, k := range keys[:counts[l]] {
			c.lens[k&(1<<keySymbolBits-1)] = uint8(l)
		}
		keys = keys[counts[l]:]
	}
	c.assign(len(frequency), limit)
}

// sort sorts n keys by frequency, and by symbol where it is equal. top has every bit that a frequency has.
func (b *builder) sort(n int, top uint32) {
	for shift := 0; top>>shift > 0; shift += 8 {
		var at [257]int
		for _, k := range b.keys[:n] {
			at[k>>(keySymbolBits+shift)&255+1]++
		}
		for i := range 256 {
			at[i+1] += at[i]
		}
		for _, k := range b.keys[:n] {
			p := &at[k>>(keySymbolBits+shift)&255]
			b.swap[*p] = k
			*p++
		}
		copy(b.keys[:n], b.swap[:n])
	}
}

// depths counts the leaves of each depth of the Huffman tree of n sorted keys, at least two. Joined nodes come out in
// the order of their weight, so that two queues do: the leaves and the nodes joined so far. Behind the last of each is
// one that is never taken. Which queue has the lighter node is as good as random, so it is worked out without a branch.
func (b *builder) depths(n int, counts *[64]int) {
	const never = 1<<32 - 1
	for i, k := range b.keys[:n] {
		b.weight[i] = k >> keySymbolBits
	}
	b.weight[n] = never
	joined := b.weight[n+1:]
	first, second := 0, 0 // next of the leaves, and of the joined nodes
	for next := range n - 1 {
		joined[next] = never
		var sum uint32
		for range 2 {
			leaf, node := b.weight[first], joined[second]
			var take int // of the joined ones
			if node < leaf {
				take = 1
			}
			sum += min(leaf, node)
			b.parent[first+take*(n+1+second-first)] = uint16(n + 1 + next)
			first += 1 - take
			second += take
		}
		joined[next] = sum
	}
	root := n + 1 + n - 2
	b.depth[root] = 0
	for i := root - 1; i > n; i-- {
		b.depth[i] = b.depth[b.parent[i]] + 1
	}
	for i := range n {
		counts[b.depth[b.parent[i]]+1]++
	}
}

// limitDepths makes the tree's depth the limit at most. All leaves below are brought up to the limit first, which is
// more than there is room for by some excess, in units of the deepest leaf; then a leaf above goes down a step with one
// from the limit as its new neighbour, which takes one unit off, until there is none.
func limitDepths(counts *[64]int, limit int) {
	for l := limit + 1; l < len(counts); l++ {
		counts[limit] += counts[l]
		counts[l] = 0
	}
	excess := -1 << limit
	for l := 1; l <= limit; l++ {
		excess += counts[l] << (limit - l)
	}
	for ; excess > 0; excess-- {
		l := limit - 1
		for counts[l] == 0 {
			l--
		}
		counts[l]--
		counts[l+1] += 2
		counts[limit]--
	}
}

// assign gives the first n symbols their codes by their lengths, as RFC 1951 has it (3.2.2).
func (c *code) assign(n, limit int) {
	var count [16]uint
	for _, l := range c.lens[:n] {
		count[l]++
	}
	count[0] = 0
	var next [16]uint
	var v uint
	for l := 1; l <= limit; l++ {
		v = (v + count[l-1]) << 1
		next[l] = v
	}
	for s, l := range c.lens[:n] {
		if l == 0 {
			c.of[s] = 0
			continue
		}
		// Codes are sent from their highest bit.
		c.of[s] = bits.Reverse64(uint64(next[l])) | uint64(l)
		next[l]++
	}
}

// cost is how many bits the symbols take.
func (c *code) cost(frequency []uint32) (n int) {
	for s, f := range frequency {
		n += int(f) * int(c.lens[s])
	}
	return n
}
