package simd

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// picture makes bytes as rows have them: runs, copies of the row above, and others, few of them different.
func picture(r *rand.Rand, n, near, far int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; {
		length := 1 + r.IntN(12)
		if r.IntN(10) == 0 {
			length = r.IntN(1200)
		}
		kind := r.IntN(3)
		for ; length > 0 && i < n; length-- {
			switch {
			case kind == 0 && i >= near:
				b[i] = b[i-near]
			case kind == 1 && i >= far:
				b[i] = b[i-far]
			default:
				b[i] = byte(r.IntN(3))
			}
			i++
		}
	}
	return b
}

type parser func(src []byte, i, begin, near, far int, list []Match, most int, literals *[256]uint32) (int, int, []Match)

// Both forms find the same matches; these stand for the bytes, are no shorter and no longer than they may be, and the
// literals are counted.
func TestParse(t *testing.T) {
	needsFast(t)
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 3000 {
		near := 1 + r.IntN(8)
		far := near + r.IntN(400)
		src := picture(r, far+r.IntN(2500)>>r.IntN(8), near, far)
		most := 1 + r.IntN(400)
		begin := r.IntN(far + 1)
		var want []Match
		var wantI, wantBegin int
		for name, f := range map[string]parser{"portable": parseGo, "best": Parse} {
			var literals [256]uint32
			list := make([]Match, 1, 1+r.IntN(3)) // something is in it already
			i, b, list := f(src, far, begin, near, far, list, most+1, &literals)
			if want == nil {
				want, wantI, wantBegin = list, i, b
			}
			if i != wantI || b != wantBegin || !slices.Equal(list, want) {
				t.Fatalf("round %d, %s: ends at %d, %d with %v, the other form at %d, %d with %v", round, name, i, b, list, wantI, wantBegin, want)
			}
			checkParse(t, src, i, b, begin, near, far, list[1:], most, literals)
		}
	}
}

// checkParse replays the matches.
func checkParse(t *testing.T, src []byte, i, end, begin, near, far int, list []Match, most int, literals [256]uint32) {
	t.Helper()
	var counts [256]uint32
	got := slices.Clone(src[:begin])
	for k, m := range list {
		first := len(got)
		got = append(got, src[first:first+m.Literals()]...)
		for _, v := range got[max(first, far):] {
			counts[v]++
		}
		distance := []int{near, far}[m.Far()]
		if m.Length() < 3 || m.Length() > LongestMatch {
			t.Fatalf("match %d has the length %d", k, m.Length())
		}
		for range m.Length() {
			got = append(got, got[len(got)-distance])
		}
	}
	if len(got) != end || !bytes.Equal(got, src[:end]) {
		t.Fatalf("the matches give %d bytes, other than the %d there are", len(got), end)
	}
	for _, v := range src[max(end, far):max(i, far)] {
		counts[v]++
	}
	if counts != literals {
		t.Fatal("the literals are counted wrongly")
	}
	if i <= len(src)-8 && len(list) < most {
		t.Fatalf("stopped at %d of %d bytes with %d matches", i, len(src), len(list))
	}
}

// A match of every length around those that become several.
func TestParseLong(t *testing.T) {
	for n := ShortestNear; n < 4*LongestMatch; n++ {
		src := append(bytes.Repeat([]byte{7}, n+1), 1, 2, 3, 4, 5, 6, 8, 9)
		for name, f := range map[string]parser{"portable": parseGo, "best": Parse} {
			var literals [256]uint32
			_, _, list := f(src, 1, 0, 1, 1, nil, 100, &literals)
			total := 0
			for _, m := range list {
				total += m.Length()
				if m.Length() > LongestMatch || m.Far() != 0 {
					t.Fatalf("%s, %d bytes: %v", name, n, list)
				}
			}
			if total != n || list[0].Literals() != 1 {
				t.Fatalf("%s, %d bytes: matches of %d", name, n, total)
			}
		}
	}
}

// Both forms write the bits of literals, lengths and distances in their order.
func TestMatches(t *testing.T) {
	needsFast(t)
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 500 {
		c := new(MatchCodes)
		for i := range 256 {
			c.Literals[i], c.Lengths[i] = randomCode(r, MaxCode), randomCode(r, 17)
		}
		c.Distances = [2]uint64{randomCode(r, 25), randomCode(r, 25)}
		near := 1 + r.IntN(4)
		far := near + r.IntN(300)
		src := picture(r, far+r.IntN(3000), near, far)
		var literals [256]uint32
		_, end, list := Parse(src, far, 0, near, far, nil, 1+r.IntN(300), &literals)
		start, want := randomBits(r)
		b := src
		for _, m := range list {
			for range m.Literals() {
				want.add(c.Literals[b[0]])
				b = b[1:]
			}
			want.add(c.Lengths[m.Length()-3])
			want.add(c.Distances[m.Far()])
			b = b[m.Length():]
		}
		src = src[:end] // not a byte more may be looked at
		for name, f := range map[string]func(*Bits, []byte) int{
			"best": func(s *Bits, out []byte) int {
				size, done := s.Matches(out, src, list, c)
				if done != end {
					t.Fatalf("took %d of %d bytes", done, end)
				}
				return size
			},
			"portable": func(s *Bits, out []byte) int { return s.matchesGo(out, src, list, c) },
		} {
			s := start
			out := bytes.Repeat([]byte{0xa5}, MatchesRoom(list)+20)
			size := f(&s, out[:len(out)-20])
			if got := written(out, size, s); !bytes.Equal(got, want) || s.Pending > 7 {
				t.Fatalf("round %d, %s: %d matches give other bits", round, name, len(list))
			}
			for i, v := range out[min(size+8, len(out)):] {
				if v != 0xa5 {
					t.Fatalf("%s: wrote %d bytes behind %d", name, 8+i+1, size)
				}
			}
		}
	}
}
