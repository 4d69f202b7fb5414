package simd

import (
	"encoding/binary"
	"math/bits"
)

// Match is a run of literals and the match after it. From the lowest bit: the match's length minus three, a bit that
// says that it is far, and the number of literals.
type Match uint32

// MostLiterals is the number of literals a Match may have at most.
const MostLiterals = 1<<(32-matchLiterals) - 1

const (
	matchFar      Match = 1 << 8
	matchLiterals       = 9 // where their number begins
)

// Literals is the number of literals before the match.
func (m Match) Literals() int { return int(m >> matchLiterals) }

// Length is that of the match, 3 to LongestMatch.
func (m Match) Length() int { return int(uint8(m)) + 3 }

// Far says whether its distance is the far one: 0 or 1.
func (m Match) Far() int { return int(m / matchFar & 1) }

// Lengths of matches. Those found are no shorter than ShortestNear, or than ShortestFar where only far bytes are
// equal: a far distance has some ten bits more and must save more. A longer one than LongestMatch becomes several.
const (
	ShortestNear = 4
	ShortestFar  = 8
	LongestMatch = 258
)

// matchRest is how many matches one that is too long becomes at most, for every byte of it.
func matchRest(n int) int { return n/(LongestMatch-3) + 1 }

// Parse finds matches of src[i:] at the distances near and far, 1 to i each; far may be near, if there is none. The
// literals since begin belong to the first match. It takes the near match of a place unless the far one is longer by
// two bytes at least. It counts literals, appends matches to list, and stops where fewer than eight bytes are left or
// when list has as many as asked for, or somewhat more. It returns where the next i and begin are. i-begin and the
// length of src[i:] together must not exceed MostLiterals.
func Parse(src []byte, i, begin, near, far int, list []Match, most int, literals *[256]uint32) (int, int, []Match) {
	if len(src)-i < 8 || len(list) >= most {
		return i, begin, list
	}
	_, _ = src[i-near], src[i-far]
	return parse(src, i, begin, near, far, list, most, literals)
}

func parseGo(src []byte, i, begin, near, far int, list []Match, most int, literals *[256]uint32) (int, int, []Match) {
	for i <= len(src)-8 && len(list) < most {
		v := binary.LittleEndian.Uint64(src[i:])
		short := uint32(v) == binary.LittleEndian.Uint32(src[i-near:])
		long := v == binary.LittleEndian.Uint64(src[i-far:])
		if !short && !long {
			literals[byte(v)]++
			i++
			continue
		}
		n, distance := 0, Match(0)
		if short {
			n = Same(src[i:], src[i-near:])
		}
		if long {
			if m := Same(src[i:], src[i-far:]); m > n+1 {
				n, distance = m, matchFar
			}
		}
		count := Match(i - begin)
		i += n
		begin = i
		for n > 0 {
			k := min(n, LongestMatch)
			if left := n - k; left == 1 || left == 2 {
				k -= 3 // no match is shorter than three
			}
			list = append(list, count<<matchLiterals|distance|Match(k-3))
			n -= k
			count = 0
		}
	}
	return i, begin, list
}

// Same is how many bytes that a begins with are equal to those of b, which is no shorter.
func Same(a, b []byte) int {
	b = b[:len(a)]
	n := 0
	for n <= len(a)-8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		n += 8
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

// MatchCodes are the codes, as of Bits.Codes, of single bytes, of lengths minus three with their extra bits, 17 bits
// at most, and of the near and the far distance with theirs, 25 at most.
type MatchCodes struct {
	Literals, Lengths [256]uint64
	Distances         [2]uint64
}

// MatchesRoom is how many bytes Matches may write of a list: MaxCode bits for every literal, rounded up to four
// literals before a match, 42 for a match, and 8 bytes more.
func MatchesRoom(list []Match) int {
	n := 8
	for _, m := range list {
		n += (m.Literals()/4+1)*(4*MaxCode/8) + 6
	}
	return n
}

// Matches is Codes for the bytes of b that a list of literals and matches stands for. It returns how many bytes are
// whole and how many of b that was. out must have MatchesRoom.
func (s *Bits) Matches(out, b []byte, list []Match, c *MatchCodes) (size, done int) {
	if len(list) == 0 {
		return 0, 0
	}
	for _, m := range list {
		done += m.Literals() + m.Length()
	}
	_, _ = out[MatchesRoom(list)-1], b[done-1]
	return s.matches(out, b, list, c), done
}

func (s *Bits) matchesGo(out, b []byte, list []Match, c *MatchCodes) int {
	at, acc, n := 0, s.Acc, s.Pending
	for _, m := range list {
		k := m.Literals()
		for ; k >= 4; k -= 4 {
			v := binary.LittleEndian.Uint32(b)
			b = b[4:]
			e := c.Literals[byte(v)]
			acc = acc>>(e&63) | e
			n += uint(e)
			e = c.Literals[byte(v>>8)]
			acc = acc>>(e&63) | e
			n += uint(e)
			e = c.Literals[byte(v>>16)]
			acc = acc>>(e&63) | e
			n += uint(e)
			e = c.Literals[v>>24]
			acc = acc>>(e&63) | e
			n += uint(e)
			binary.LittleEndian.PutUint64(out[at:], acc>>(-n&63))
			at += int(n >> 3 & 7)
			n &= 7
		}
		// The last literals, three at most, without asking how many: a match has three bytes, so they can be read,
		// and a code of no bits does nothing.
		e := c.Literals[b[0]] & uint64((0-k)>>63)
		acc = acc>>(e&63) | e
		n += uint(e)
		e = c.Literals[b[1]] & uint64((1-k)>>63)
		acc = acc>>(e&63) | e
		n += uint(e)
		e = c.Literals[b[2]] & uint64((2-k)>>63)
		acc = acc>>(e&63) | e
		n += uint(e)
		binary.LittleEndian.PutUint64(out[at:], acc>>(-n&63)) // nothing that counts if there are no bits
		at += int(n >> 3 & 7)
		n &= 7
		e = c.Lengths[uint8(m)]
		acc = acc>>(e&63) | e
		n += uint(e)
		e = c.Distances[m.Far()]
		acc = acc>>(e&63) | e
		n += uint(e)
		binary.LittleEndian.PutUint64(out[at:], acc>>(-n&63))
		at += int(n >> 3 & 7)
		n &= 7
		b = b[k+m.Length():]
	}
	s.Acc, s.Pending = acc, n
	return at
}
