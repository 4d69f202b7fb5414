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

// spansGo writes every boundary as the end of a pair and keeps those that are in E, since which are is hard to
// predict.
func spansGo(out []Pair, list []Closing, last uint32) (n int) {
	for i := range list {
		c := &list[i]
		for w, e := c.B, c.E; w != 0; w &= w - 1 {
			bit := bits.TrailingZeros64(w)
			pos := uint32(c.At) + uint32(bit)
			out[n] = Pair{last, pos}
			n += int(e >> (bit & 63) & 1)
			last = pos
		}
	}
	return n
}
