package segment_test

import (
	"slices"
	"testing"

	. "segscan/segment"
)

// TestReadWordsReadsAll: every word counts once, whatever the length.
func TestReadWordsReadsAll(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, 64, 1000} {
		v := make([]uint64, n)
		for i := range v {
			v[i] = 1
		}
		if got := ReadWords(v); got != uint64(n) {
			t.Errorf("sum of %d ones is %d", n, got)
		}
		for i := range v {
			v[i] = 3
			if got := ReadWords(v); got != uint64(n)+2 {
				t.Errorf("%d words: word %d is not read, sum %d", n, i, got)
			}
			v[i] = 1
		}
	}
}

func TestInstructions(t *testing.T) {
	known := []string{"portable", "neon", "avx2", "avx512", "avx512vbmi"}
	if !slices.Contains(known, Instructions()) {
		t.Errorf("level %q", Instructions())
	}
}
