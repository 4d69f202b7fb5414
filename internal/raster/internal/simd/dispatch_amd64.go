//go:build !noasm

package simd

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// fast is read only: what the processor can do does not change.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasBMI2

func adler32(sum uint32, b []byte) uint32 {
	const block, most = 32, 1 << 16
	if !fast || len(b) < 4*block {
		return adler32Go(sum, b)
	}
	s1, s2 := uint64(sum&0xffff), uint64(sum>>16)
	for len(b) >= block {
		n := min(len(b)/block, most)
		sum, weighted := adlerAVX2(&b[0], n)
		s2 = (s2 + s1*uint64(n*block) + weighted) % adlerMod
		s1 = (s1 + sum) % adlerMod
		b = b[n*block:]
	}
	return adler32Go(uint32(s2<<16|s1), b)
}

func (s *Bits) codes(out, b []byte, of *[256]uint64) int {
	if !fast {
		return s.codesGo(out, b, of)
	}
	size, acc, n := codesBMI2(&out[0], &b[0], len(b)/4, of, s.Acc, uint64(s.Pending))
	s.Acc, s.Pending = acc, uint(n)
	return int(size)
}

func parse(src []byte, i, begin, near, far int, list []Match, most int, literals *[256]uint32) (int, int, []Match) {
	if !fast {
		return parseGo(src, i, begin, near, far, list, most, literals)
	}
	list = slices.Grow(list, most-len(list)+matchRest(len(src)-i))
	i, begin, n := parseBMI(&src[0], len(src), i, begin, -near, -far, (*uint32)(unsafe.SliceData(list)), len(list), most, literals)
	return i, begin, list[:n]
}

func (s *Bits) matches(out, b []byte, list []Match, c *MatchCodes) int {
	if !fast {
		return s.matchesGo(out, b, list, c)
	}
	size, acc, n := matchesBMI2(&out[0], &b[0], (*uint32)(&list[0]), len(list), (*[514]uint64)(unsafe.Pointer(c)), s.Acc, uint64(s.Pending))
	s.Acc, s.Pending = acc, uint(n)
	return int(size)
}

func above(b []byte, limit uint8) bool {
	if n := len(b) / 32; fast && n > 0 {
		if aboveAVX2(&b[0], n, limit) {
			return true
		}
		b = b[32*n:]
	}
	return aboveGo(b, limit)
}
