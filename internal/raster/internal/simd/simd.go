// Package simd holds the loops of writing images that assembly makes several times as fast: checksums and the codes of
// single bytes. Every function has a portable form in Go, which is its definition; that for amd64 gives the same
// bytes. The build tag noasm leaves the portable ones, and the environment variable GODEBUG can switch off features, as
// in cpu.avx2=off.
package simd

//go:generate go run -C generate . -out ../simd_amd64.s -stubs ../stubs_amd64.go -pkg simd

import "encoding/binary"

// Adler32 is the Adler-32 (RFC 1950) of bytes whose checksum is sum, 1 if there are none, followed by b.
func Adler32(sum uint32, b []byte) uint32 { return adler32(sum, b) }

const adlerMod = 65521

// adler32Go adds eight bytes at a time in two words of four 16-bit lanes.
//
// Over a block of k words of eight bytes, byte r of word q counts 8(k-q)-r times in the second sum. With S[r] the sum
// of the lane and P[r] the sum of what S[r] was after each word, that is 8 P[r] - r S[r]. At k = 16 the lanes hold:
// P[r] is at most 255*136 = 34680, and the weighted sums below at most 16*255*16 = 65280.
func adler32Go(sum uint32, b []byte) uint32 {
	const (
		words = 16
		block = 8 * words
		even  = 0x00ff00ff00ff00ff
		pair  = 0x0000ffff0000ffff
		// Multiplying by these adds the lanes, weighted, in the top lane.
		ones   = 0x0001_0001_0001_0001
		byEven = 0x0000_0002_0004_0006
		byOdd  = 0x0001_0003_0005_0007
	)
	s1, s2 := uint64(sum&0xffff), uint64(sum>>16)
	for len(b) >= block {
		var se, so, pe, po uint64
		for w := b[:block]; len(w) >= 8; w = w[8:] {
			v := binary.LittleEndian.Uint64(w)
			se += v & even
			so += v >> 8 & even
			pe += se
			po += so
		}
		p := pe&pair + pe>>16&pair + po&pair + po>>16&pair
		p = p&0xffffffff + p>>32
		s2 += block*s1 + 8*p - (se*byEven)>>48 - (so*byOdd)>>48
		s1 += se*ones>>48 + so*ones>>48
		s1, s2 = s1%adlerMod, s2%adlerMod
		b = b[block:]
	}
	for _, v := range b {
		s1 += uint64(v)
		s2 += s1
	}
	return uint32(s2%adlerMod<<16 | s1%adlerMod)
}

// Above says whether any byte is above a limit.
func Above(b []byte, limit uint8) bool { return above(b, limit) }

// aboveGo takes eight bytes at a time: 127 less the limit's low bits are added to the low
// bits of each, which gives the high bit where those are above; that and the high bits decide.
func aboveGo(b []byte, limit uint8) bool {
	const (
		ones = 0x0101010101010101
		low  = 0x7f * ones
		high = 0x80 * ones
	)
	add := uint64(127-limit&127) * ones
	var either, both uint64
	for ; len(b) >= 8; b = b[8:] {
		v := binary.LittleEndian.Uint64(b)
		sum := v&low + add
		either |= v | sum
		both |= v & sum
	}
	if limit >= 128 {
		either = both
	}
	if either&high != 0 {
		return true
	}
	for _, v := range b {
		if v > limit {
			return true
		}
	}
	return false
}

// Bits is bits on their way to memory: the Pending highest bits of Acc, fewer than 8 outside of this package, the
// first of them lowest. What Acc has below them is of no meaning.
type Bits struct {
	Acc     uint64
	Pending uint
}

// MaxCode is the longest code that Codes takes: with 7 bits that are pending, four of them and a length fit a word.
const MaxCode = 12

// Codes puts the codes of the bytes of b, whose number is a multiple of four, behind the bits, and writes all whole
// bytes that gives to out, and up to eight bytes behind them; it returns how many are whole. A code is its bits, up
// to MaxCode of them, the first of them lowest, pushed up to the top of the word, and how many they are in the six
// lowest. out must have 4*MaxCode bits for every four bytes and 8 bytes more.
func (s *Bits) Codes(out, b []byte, of *[256]uint64) int {
	b = b[:len(b)&^3]
	if len(b) == 0 {
		return 0
	}
	_ = out[len(b)/4*(4*MaxCode/8)+7]
	return s.codes(out, b, of)
}

// codesGo needs one shift and one or a code: shifting by the whole code shifts by its length, and or-ing all of it
// leaves the length below the bits, on its way out.
func (s *Bits) codesGo(out, b []byte, of *[256]uint64) int {
	at, acc, n := 0, s.Acc, s.Pending
	for ; len(b) >= 4; b = b[4:] {
		v := binary.LittleEndian.Uint32(b)
		c := of[byte(v)]
		acc = acc>>(c&63) | c
		n += uint(c)
		c = of[byte(v>>8)]
		acc = acc>>(c&63) | c
		n += uint(c)
		c = of[byte(v>>16)]
		acc = acc>>(c&63) | c
		n += uint(c)
		c = of[v>>24]
		acc = acc>>(c&63) | c
		n += uint(c) // of n, only the six lowest bits count
		binary.LittleEndian.PutUint64(out[at:], acc>>(-n&63))
		at += int(n >> 3 & 7)
		n &= 7
	}
	s.Acc, s.Pending = acc, n
	return at
}
