package kernels

import (
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
