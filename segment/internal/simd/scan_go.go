package simd

import "math/bits"

// closingGo writes every word and keeps those that hold boundaries, since which do is hard to predict; of words
// without, whole groups are passed by.
func closingGo(out []Closing, b, a []uint64, at, active uint64) (n int, still uint64) {
	a = a[:len(b)]
	for i := 0; i < len(b); {
		if rest := b[i:]; len(rest) >= 4 && rest[0]|rest[1]|rest[2]|rest[3] == 0 {
			if r := a[i:][:4]; r[0]|r[1]|r[2]|r[3] != 0 {
				active = 1
			}
			i += 4
			continue
		}
		for end := min(i+4, len(b)); i < end; i++ {
			w := b[i]
			sum, carry := bits.Add64(^w, a[i], active)
			active = carry
			out[n] = Closing{w, sum & w, at + uint64(i)*64}
			n += int(oneIf(w != 0))
		}
	}
	return n, active
}

// spansGo: most words close one span or none, and which is hard to predict, so the first is written in any case.
func spansGo(out []Pair, list []Closing, last uint32) (n int) {
	for i := range list {
		c := &list[i]
		e := c.E
		out[n] = c.pair(e, last)
		n += int(oneIf(e != 0))
		for e &= e - 1; e != 0; e &= e - 1 {
			out[n] = c.pair(e, last)
			n++
		}
		last = uint32(c.Last())
	}
	return n
}

// pair is the span that ends at the lowest bit of e, and begins at last if no boundary of the word lies before.
func (c *Closing) pair(e uint64, last uint32) Pair {
	before := (e ^ (e - 1)) >> 1 & c.B
	start := uint32(c.At) + uint32(bits.Len64(before)) - 1
	if before == 0 {
		start = last
	}
	return Pair{start, uint32(c.At) + uint32(bits.TrailingZeros64(e))}
}
