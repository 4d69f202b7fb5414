package kernels

import (
	"strings"
	"testing"

	"segscan/segment"
)

// An r that is meant for samples of 0..1 is named as the cause, on the side that it moves thresholds to and no other.
func TestLocalMissingNamesSmallR(t *testing.T) {
	u8 := &segment.PageInfo{Type: segment.U8, Width: 9, Height: 9, Max: 255}
	u16 := &segment.PageInfo{Type: segment.U16, Width: 9, Height: 9, Max: 65535}
	f32 := &segment.PageInfo{Type: segment.F32, Width: 9, Height: 9}
	const remedy = "; try r=50%, which is half the range"
	for _, c := range []struct {
		spec        string
		page        *segment.PageInfo
		small       string // "": r is no cause
		low, invert bool
	}{
		{"phansalkar:window=3,r=0.5", u8, "as where r=0.5 is too small (0.2% of the samples' range 0..255), every", false, false},
		{"sauvola:window=3,r=0.5", u8, "as where r=0.5 is too small (0.2% of the samples' range 0..255), every", false, true},
		{"sauvola:window=3,r=128", u16, "as where r=128 is too small (0.2% of the samples' range 0..65535), every", false, false},
		{"sauvola:window=3,r=2%", u8, "as where r=2% is too small (2% of the samples' range 0..255), every", false, false},
		{"sauvola:window=3,r=0.5,k=-0.2", u8, "as where r=0.5 is too small (0.2% of", true, false},
		{"sauvola:window=3,r=0.5", f32, "as where r=0.5, in sample units, is too small for the samples' range, every", false, false},
		{"sauvola:window=3,r=0.5,k=0", u8, "", false, false},
		{"sauvola:window=3,r=50%", u8, "", false, false},
		{"sauvola:window=3", u8, "", false, false},
		{"niblack:window=3", u8, "", false, false},
	} {
		_, r, err := mustParse(t, c.spec).Bind(c.page, make([]segment.Histogram, 1), Options{Invert: c.invert})
		if err != nil {
			t.Fatal(err)
		}
		named, other := r.Missing.Activation, r.Missing.Boundary
		if c.low != c.invert {
			named, other = other, named
		}
		if c.small == "" {
			other += named
		} else if !strings.Contains(named, c.small) || !strings.HasSuffix(named, remedy) {
			t.Errorf("%s: %s", c.spec, named)
		}
		if strings.Contains(other, "too small") || strings.Contains(other, "r=50%") {
			t.Errorf("%s: %s", c.spec, other)
		}
	}
}
