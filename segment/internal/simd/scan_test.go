package simd

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainScan is the two halves of the scan, sample by sample: the words with boundaries, whether an activation is left
// open, and the spans, of which the one that ends at the first boundary begins at last.
func plainScan(b, a []uint64, at, active uint64, last uint32) (list []Closing, still uint64, spans []Pair) {
	for i := range b {
		c := Closing{B: b[i], At: at + uint64(i)*64}
		for k := range 64 {
			bit, pos := uint64(1)<<k, uint32(c.At)+uint32(k)
			if b[i]&bit != 0 {
				if active != 0 {
					c.E |= bit
					spans = append(spans, Pair{last, pos})
				}
				active, last = 0, pos
			} else if a[i]&bit != 0 {
				active = 1
			}
		}
		if c.B != 0 {
			list = append(list, c)
		}
	}
	return list, active, spans
}

// scanDiff runs both halves by a level, with canaries behind what they may write, and compares with plainScan.
func scanDiff(l Level, b, a []uint64, at, active uint64, last uint32) string {
	wantList, wantStill, want := plainScan(b, a, at, active, last)
	mark := Closing{canary, canary, canary}
	out := slices.Repeat([]Closing{mark}, len(b)+1)
	n, still := l.Close(out[:len(b)], b, a, at, active)
	if !slices.Equal(out[:n], wantList) {
		return fmt.Sprintf("words with boundaries are %v, want %v", out[:n], wantList)
	}
	if still != wantStill {
		return fmt.Sprintf("active at the end is %d, want %d", still, wantStill)
	}
	if out[len(b)] != mark {
		return "wrote beyond the list"
	}
	guard := Pair{0xdeadbeef, 0xcafef00d}
	pairs := slices.Repeat([]Pair{guard}, len(want)+2)
	k := SpansBy(l, pairs[:len(want)+1], out[:n], last)
	if !slices.Equal(pairs[:k], want) {
		return fmt.Sprintf("spans are %v, want %v", pairs[:k], want)
	}
	if pairs[len(want)+1] != guard {
		return "wrote beyond the spans"
	}
	return ""
}

// randomMasks draws disjoint masks in which one sample of q is a boundary, one an activation.
func randomMasks(rng *rand.Rand, words, q int) (b, a []uint64) {
	b, a = make([]uint64, words), make([]uint64, words)
	for i := range words * 64 {
		switch rng.IntN(q) {
		case 0:
			b[i/64] |= 1 << (i % 64)
		case 1:
			a[i/64] |= 1 << (i % 64)
		}
	}
	return b, a
}

// Every number of words around the groups and blocks that the loops go by, from dense to empty.
func TestScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for words := range 140 {
		for _, q := range []int{2, 3, 8, 64, 300, 3000, 100000} {
			b, a := randomMasks(rng, words, q)
			at, active, last := uint64(rng.IntN(1<<20)), uint64(rng.IntN(2)), rng.Uint32N(1<<20)
			for _, l := range Levels() {
				if d := scanDiff(l, b, a, at, active, last); d != "" {
					t.Fatalf("%s, %d words, 1 in %d, active %d: %s", l, words, q, active, d)
				}
			}
		}
	}
}

// One boundary and one activation, anywhere in a few words, and what comes from before.
func TestScanOfTwo(t *testing.T) {
	const words = 6
	for i := range words * 64 {
		for j := range words * 64 {
			b, a := make([]uint64, words), make([]uint64, words)
			b[i/64] = 1 << (i % 64)
			if i != j {
				a[j/64] = 1 << (j % 64)
			}
			for active := range uint64(2) {
				for _, l := range Levels() {
					if d := scanDiff(l, b, a, 64, active, 7); d != "" {
						t.Fatalf("%s, boundary at %d, activation at %d, active %d: %s", l, i, j, active, d)
					}
				}
			}
		}
	}
}

// All samples boundaries, all activations, and as many spans as a word can hold.
func TestScanOfExtremes(t *testing.T) {
	const even, odd = 0x5555555555555555, 0xaaaaaaaaaaaaaaaa
	for _, w := range [][2]uint64{{0, 0}, {^uint64(0), 0}, {0, ^uint64(0)}, {even, odd}, {odd, even}, {even, 0}, {1, 1 << 63}, {1 << 63, 1}} {
		for words := range 70 {
			b, a := slices.Repeat(w[:1], words), slices.Repeat(w[1:], words)
			for active := range uint64(2) {
				for _, l := range Levels() {
					if d := scanDiff(l, b, a, 0, active, 0); d != "" {
						t.Fatalf("%s, %d words of %x and %x: %s", l, words, w[0], w[1], d)
					}
				}
			}
		}
	}
}

// Positions near the end of the longest line.
func TestScanOfFarPositions(t *testing.T) {
	b, a := []uint64{1<<5 | 1<<62}, []uint64{1 << 30}
	at := uint64(1)<<32 - 64
	for _, l := range Levels() {
		if d := scanDiff(l, b, a, at, 1, 5); d != "" {
			t.Fatalf("%s: %s", l, d)
		}
	}
}

// The comparison must notice one wrong bit of either mask.
func TestScanDiffNotices(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	b, a := randomMasks(rng, 3, 8)
	list, still, spans := plainScan(b, a, 0, 0, 0)
	for bit := range 3 * 64 {
		b, a := slices.Clone(b), slices.Clone(a)
		if b[bit/64]>>(bit%64)&1 != 0 {
			b[bit/64] ^= 1 << (bit % 64)
		} else {
			b[bit/64] |= 1 << (bit % 64)
			a[bit/64] &^= 1 << (bit % 64)
		}
		l, s, p := plainScan(b, a, 0, 0, 0)
		if slices.Equal(l, list) && s == still && slices.Equal(p, spans) {
			t.Fatalf("boundary %d flipped, not noticed", bit)
		}
	}
}

func TestClosingLast(t *testing.T) {
	for k := range 64 {
		c := Closing{B: 1<<k | 1, At: 640}
		if got := c.Last(); got != int64(640+bits.Len64(c.B)-1) || got != int64(640+k) {
			t.Errorf("last of bit %d is %d", k, got)
		}
	}
}
