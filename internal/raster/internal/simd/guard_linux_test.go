package simd

import (
	"syscall"
	"testing"
)

// fenced gives n bytes that end right before memory that must not be touched, or, with first, begin right after some.
func fenced(t *testing.T, n int, first bool) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	body := (n + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, body+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	for _, fence := range [][]byte{mem[:page], mem[page+body:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	from := page
	if !first {
		from += body - n
	}
	return mem[from : from+n : from+n]
}

// Nothing beyond the bytes given may be touched: a single one would end the test program.
func TestNothingIsReadBeyond(t *testing.T) {
	const far = 40
	c := new(MatchCodes)
	for i := range 256 {
		c.Literals[i], c.Lengths[i] = 1<<52|12, 1<<47|17
	}
	c.Distances = [2]uint64{1<<63 | 1, 1<<40 | 24}
	for _, first := range []bool{false, true} {
		for n := far; n <= 300; n++ {
			b := fenced(t, n, first)
			for i := range b {
				b[i] = byte(i % far % 7 / 5)
				if i%90 > 60 {
					b[i] = byte(i)
				}
			}
			Adler32(1, b)
			Above(b, 255)
			var s Bits
			s.Codes(fenced(t, n/4*6+8, first), b, &c.Literals)
			var literals [256]uint32
			_, end, list := Parse(b, far, 0, 1, far, nil, 100, &literals)
			s.Matches(fenced(t, MatchesRoom(list), first), b[:end:end], list, c)
		}
	}
}
