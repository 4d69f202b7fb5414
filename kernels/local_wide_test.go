package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"

	"segscan/segment"
)

// TestLocalWideWindowsOfBytes classifies 8-bit samples by windows whose sums of squares do not fit 32 bits, and the same
// values as 16-bit samples: the thresholds are the same.
func TestLocalWideWindowsOfBytes(t *testing.T) {
	const width, height = 290, 280
	rng := rand.New(rand.NewPCG(7, 9))
	bytes, words := segment.NewPlane(segment.U8, height, width), segment.NewPlane(segment.U16, height, width)
	for i := range bytes.U8 {
		bytes.U8[i] = uint8(rng.IntN(256))
		words.U16[i] = uint16(bytes.U8[i])
	}
	for _, rule := range []LocalRule{LocalMean, LocalNiblack, LocalSauvola, LocalWolf, LocalPhansalkar} {
		c := &Local{Rule: rule, WindowX: 259, WindowY: 257, K: 0.2, R: 90, Margin: 1, P: 2, Q: 10, Max: 255}
		var got, want segment.Masks
		for p, m := range map[*segment.Plane]*segment.Masks{&bytes: &got, &words: &want} {
			page := segment.PageInfo{Type: p.Type(), Width: width, Height: height, Max: 255}
			if err := c.Classify(segment.Band{Page: &page, Lines: height, Samples: width, V: *p}, m); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got.B, want.B) || !slices.Equal(got.A, want.A) {
			t.Errorf("rule %d: 8-bit samples have other classes than the same values of 16 bits", rule)
		}
	}
}
