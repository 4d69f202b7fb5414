package inflate

import (
	"hash/adler32"
	"math/rand/v2"
	"testing"
)

// The sum is that of hash/adler32, for one run of bytes and for any cut of it, with the largest bytes too.
func TestAdler(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{0, 1, 7, 8, 8*adlerRun - 1, 8 * adlerRun, 8*adlerRun + 1, 5000, 1 << 20} {
		random, full := make([]byte, n), make([]byte, n)
		for i := range random {
			random[i], full[i] = byte(rnd.Uint32()), 0xff
		}
		for _, p := range [][]byte{random, full} {
			want := adler32.Checksum(p)
			if got := adlerUpdate(1, p); got != want {
				t.Errorf("%d bytes: %08x, want %08x", n, got, want)
			}
			cut := rnd.IntN(n + 1)
			if got := adlerUpdate(adlerUpdate(1, p[:cut]), p[cut:]); got != want {
				t.Errorf("%d bytes cut at %d: %08x, want %08x", n, cut, got, want)
			}
		}
	}
}

// The lanes hold the largest sums of a run.
func TestAdlerLanes(t *testing.T) {
	if most := 255 * adlerRun * (adlerRun - 1) / 2; most > 0xffff {
		t.Errorf("a lane would hold %d", most)
	}
	if got := lanes(0xffff_fffe_0001_0002); got != 0xffff+0xfffe+3 {
		t.Errorf("%x", got)
	}
}

func BenchmarkAdler(b *testing.B) {
	p := make([]byte, 1<<16)
	for i := range p {
		p[i] = byte(i * i)
	}
	b.Run("lanes", func(b *testing.B) {
		b.SetBytes(int64(len(p)))
		for b.Loop() {
			adlerUpdate(1, p)
		}
	})
	b.Run("hash", func(b *testing.B) {
		b.SetBytes(int64(len(p)))
		for b.Loop() {
			adler32.Checksum(p)
		}
	})
}
