package kernels

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestNotBelow compares every pair of bytes, in every place of a word.
func TestNotBelow(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for a := range 256 {
		for b := range 256 {
			i := 8 * rng.IntN(8)
			x, y := rng.Uint64(), rng.Uint64()
			x, y = x&^(255<<i)|uint64(a)<<i, y&^(255<<i)|uint64(b)<<i
			want := uint64(0)
			if a >= b {
				want = 255
			}
			if got := notBelow(x, y) >> i & 255; got != want {
				t.Fatalf("byte %d of %x and %x: %x, want %x", i/8, x, y, got, want)
			}
		}
	}
}

// TestPairBytes compares both forms with plain ones, in place and over lengths with tails, and what lies behind.
func TestPairBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, pair := range map[string]func(tl, th, al, ah, bl, bh []uint8){"words": pairWords, "bytes": pairBytes} {
		for n := range 70 {
			for shift := range 20 {
				l, h := make([]uint8, n+shift+1), make([]uint8, n+shift+1)
				for i := range l {
					l[i], h[i] = uint8(rng.Uint32()), uint8(rng.Uint32())
				}
				wl, wh := append([]uint8(nil), l...), append([]uint8(nil), h...)
				for i := range n {
					wl[i], wh[i] = min(l[i], l[i+shift]), max(h[i], h[i+shift])
				}
				pair(l[:n], h[:n], l[:n], h[:n], l[shift:][:n], h[shift:][:n])
				if !bytes.Equal(l, wl) || !bytes.Equal(h, wh) {
					t.Fatalf("%s, %d bytes, shifted by %d: %v %v, want %v %v", name, n, shift, l, h, wl, wh)
				}
			}
		}
	}
}
