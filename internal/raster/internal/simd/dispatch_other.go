//go:build noasm || !amd64

package simd

// fast says that there is more than the portable form.
const fast = false

func adler32(sum uint32, b []byte) uint32 { return adler32Go(sum, b) }

func (s *Bits) codes(out, b []byte, of *[256]uint64) int { return s.codesGo(out, b, of) }

func parse(src []byte, i, begin, near, far int, list []Match, most int, literals *[256]uint32) (int, int, []Match) {
	return parseGo(src, i, begin, near, far, list, most, literals)
}

func (s *Bits) matches(out, b []byte, list []Match, c *MatchCodes) int {
	return s.matchesGo(out, b, list, c)
}

func above(b []byte, limit uint8) bool { return aboveGo(b, limit) }
