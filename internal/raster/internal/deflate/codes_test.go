package deflate

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// A code's lengths stay in the limit, rarer symbols are no shorter, the code is complete, no code begins with another,
// and where the limit does not matter, it is as short as Huffman's.
func TestBuild(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fibonacci := make([]uint32, 24) // the deepest tree for its sum
	fibonacci[0], fibonacci[1] = 1, 1
	for i := 2; i < len(fibonacci); i++ {
		fibonacci[i] = fibonacci[i-1] + fibonacci[i-2]
	}
	cases := [][]uint32{fibonacci, {0, 0, 5}, {7, 0, 1}, {1, 1, 1}, make([]uint32, 286)}
	for range 300 {
		f := make([]uint32, 1+r.IntN(litSymbols))
		for i := range f {
			f[i] = uint32(math.Exp(r.Float64()*12)) * uint32(r.IntN(3))
		}
		cases = append(cases, f)
	}
	for _, limit := range []int{maxLenBits, 9, maxBits} {
		for k, f := range cases {
			if limit == maxLenBits {
				f = f[:min(len(f), lenSymbols)]
			}
			var b builder
			var c code
			c.lens = [allSymbols]uint8{1, 2, 3} // of before
			b.build(&c, f, limit)
			used, room := 0, 0
			for s, n := range f {
				l := int(c.lens[s])
				if (n > 0) != (l > 0) || l > limit {
					t.Fatalf("case %d, limit %d: symbol %d occurs %d times and has %d bits", k, limit, s, n, l)
				}
				if l > 0 {
					used++
					room += 1 << (limit - l)
				}
				for o, m := range f {
					if n > m && m > 0 && l > int(c.lens[o]) {
						t.Fatalf("case %d: %d times takes %d bits, %d times %d", k, n, l, m, c.lens[o])
					}
				}
			}
			if used > 1 && room != 1<<limit || used == 1 && room != 1<<(limit-1) {
				t.Fatalf("case %d, limit %d: %d of %d of the codes are taken", k, limit, room, 1<<limit)
			}
			checkPrefixes(t, &c, len(f))
			if cost, deepest := huffman(f); deepest <= limit && used > 1 && c.cost(f) != cost {
				t.Fatalf("case %d: %d bits, Huffman's code takes %d", k, c.cost(f), cost)
			}
		}
	}
}

func checkPrefixes(t *testing.T, c *code, n int) {
	t.Helper()
	seen := map[[2]uint64]bool{}
	for s := range n {
		if l := uint64(c.lens[s]); l > 0 {
			if c.of[s]&63 != l {
				t.Fatalf("symbol %d has %d bits, its code says %d", s, l, c.of[s]&63)
			}
			seen[[2]uint64{l, bits.Reverse64(c.of[s] &^ 63)}] = true
		}
	}
	for k := range seen {
		for l := uint64(1); l < k[0]; l++ {
			if seen[[2]uint64{l, k[1] >> (k[0] - l)}] {
				t.Fatal("a code begins with another")
			}
		}
	}
}

// huffman is the cost of Huffman's code by its definition, and its longest length.
func huffman(f []uint32) (cost, deepest int) {
	type node struct{ weight, depth int }
	var list []node
	for _, n := range f {
		if n > 0 {
			list = append(list, node{int(n), 0})
		}
	}
	take := func() node {
		least := 0
		for i, n := range list {
			if n.weight < list[least].weight {
				least = i
			}
		}
		n := list[least]
		list = append(list[:least], list[least+1:]...)
		return n
	}
	for len(list) > 1 {
		a, b := take(), take()
		n := node{a.weight + b.weight, 1 + max(a.depth, b.depth)}
		cost += n.weight
		deepest = max(deepest, n.depth)
		list = append(list, n)
	}
	return cost, deepest
}

// The symbols of lengths and distances are those of RFC 1951's tables (3.2.5), of which some lines are given here.
func TestLengthAndDistanceCodes(t *testing.T) {
	for n, want := range map[uint][3]uint{
		3: {257, 0, 0}, 10: {264, 0, 0}, 11: {265, 1, 0}, 12: {265, 1, 1}, 13: {266, 1, 0}, 18: {268, 1, 1}, 19: {269, 2, 0}, 34: {272, 2, 3},
		35: {273, 3, 0}, 66: {276, 3, 7}, 67: {277, 4, 0}, 114: {279, 4, 15}, 131: {281, 5, 0}, 257: {284, 5, 30}, 258: {285, 0, 0},
	} {
		s := lengthCode(n - 3)
		if got := [3]uint{uint(s.symbol), uint(s.extra), (n - 3) & (1<<s.extra - 1)}; got != want {
			t.Errorf("length %d: got %v, want %v", n, got, want)
		}
	}
	for d, want := range map[uint][3]uint{
		1: {0, 0, 0}, 4: {3, 0, 0}, 5: {4, 1, 0}, 6: {4, 1, 1}, 7: {5, 1, 0}, 9: {6, 2, 0}, 2049: {22, 10, 0}, 3073: {23, 10, 0}, 24577: {29, 13, 0}, 32768: {29, 13, 8191},
	} {
		s, extra := distanceCode(d - 1)
		if got := [3]uint{s, extra, (d - 1) & (1<<extra - 1)}; got != want {
			t.Errorf("distance %d: got %v, want %v", d, got, want)
		}
	}
}
