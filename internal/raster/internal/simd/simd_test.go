package simd

import (
	"bytes"
	zlib "hash/adler32"
	"math/rand/v2"
	"testing"
)

// needsFast says that there is nothing but the portable form on this machine.
func needsFast(t *testing.T) {
	if !fast {
		t.Log("this machine or build has the portable form only")
	}
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Both forms are hash/adler32, at every length to some blocks, at lengths around the most that one call of the
// assembly takes, from any sum, and for the bytes that give the largest sums.
func TestAdler32(t *testing.T) {
	needsFast(t)
	r := rand.New(rand.NewPCG(1, 2))
	full := bytes.Repeat([]byte{255}, 5<<20)
	random := noise(r, len(full))
	for _, b := range [][]byte{full, random} {
		var lengths []int
		for n := range 700 {
			lengths = append(lengths, n)
		}
		lengths = append(lengths, 2<<20-1, 2<<20, 2<<20+31, 2<<20+32, 4<<20+100, len(b))
		for _, n := range lengths {
			want := zlib.Checksum(b[:n])
			cut := r.IntN(n + 1)
			for name, f := range map[string]func(uint32, []byte) uint32{"best": Adler32, "portable": adler32Go} {
				if got := f(1, b[:n]); got != want {
					t.Fatalf("%s, %d bytes: got %#x, want %#x", name, n, got, want)
				}
				if got := f(f(1, b[:cut]), b[cut:n]); got != want {
					t.Fatalf("%s, %d bytes in two, from %d: got %#x, want %#x", name, n, cut, got, want)
				}
			}
		}
	}
}

func TestAbove(t *testing.T) {
	needsFast(t)
	r := rand.New(rand.NewPCG(17, 18))
	for limit := range 255 {
		for n := range 100 {
			b := make([]byte, n)
			for i := range b {
				b[i] = uint8(r.IntN(limit + 1))
			}
			if n > 0 {
				b[r.IntN(n)] = uint8(limit)
			}
			for name, f := range map[string]func([]byte, uint8) bool{"best": Above, "portable": aboveGo} {
				if f(b, uint8(limit)) {
					t.Fatalf("%s, limit %d, %d bytes: one is above", name, limit, n)
				}
				if n == 0 {
					continue
				}
				i := r.IntN(n)
				was := b[i]
				b[i] = uint8(limit + 1 + r.IntN(255-limit))
				if !f(b, uint8(limit)) {
					t.Fatalf("%s, limit %d, %d bytes: none is above", name, limit, n)
				}
				b[i] = was
			}
		}
	}
}

// bitList is the definition of what is written: the codes' bits one after another, the lowest first.
type bitList []byte

func (l *bitList) add(code uint64) {
	n := code & 63
	for i := range n {
		*l = append(*l, byte(code>>(64-n+i)&1))
	}
}

// written is the bits that were written and those that wait.
func written(out []byte, size int, s Bits) (l bitList) {
	for _, v := range out[:size] {
		for i := range 8 {
			l = append(l, v>>i&1)
		}
	}
	for i := range s.Pending {
		l = append(l, byte(s.Acc>>(64-s.Pending+i)&1))
	}
	return l
}

// randomCode is one of up to most bits, or of none.
func randomCode(r *rand.Rand, most int) uint64 {
	n := uint64(r.IntN(most + 1))
	if n == 0 {
		return 0
	}
	return r.Uint64()>>(64-n)<<(64-n) | n
}

func randomBits(r *rand.Rand) (Bits, bitList) {
	s := Bits{Acc: r.Uint64(), Pending: uint(r.IntN(8))}
	return s, written(nil, 0, s)
}

// Both forms write the bits of the codes one after another, and nothing beyond eight bytes behind the last whole one.
func TestCodes(t *testing.T) {
	needsFast(t)
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 400 {
		most := 1 + round%MaxCode
		var of [256]uint64
		for i := range of {
			of[i] = randomCode(r, most)
		}
		b := noise(r, r.IntN(300))
		start, want := randomBits(r)
		for _, v := range b[:len(b)&^3] {
			want.add(of[v])
		}
		for name, f := range map[string]func(*Bits, []byte, []byte, *[256]uint64) int{"best": (*Bits).Codes, "portable": (*Bits).codesGo} {
			s := start
			out := bytes.Repeat([]byte{0xa5}, len(b)/4*6+8+20)
			size := f(&s, out[:len(out)-20], b, &of)
			if got := written(out, size, s); !bytes.Equal(got, want) || s.Pending > 7 {
				t.Fatalf("%s, %d bytes, codes of up to %d bits: other bits, %d pending", name, len(b), most, s.Pending)
			}
			for i, v := range out[min(size+8, len(out)):] {
				if v != 0xa5 {
					t.Fatalf("%s: wrote %d bytes behind %d", name, 8+i+1, size)
				}
			}
		}
	}
}

// Without room, Codes says so rather than write.
func TestCodesNeedsRoom(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("took less room than it may need")
		}
	}()
	var s Bits
	s.Codes(make([]byte, 6*10+7), make([]byte, 40), new([256]uint64))
}
