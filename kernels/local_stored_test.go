package kernels

import (
	"math"
	"strings"
	"testing"

	"segscan/segment"
)

// A page stored as integers keeps its nominal range for r, contrast and shares behind filters, though these make floats;
// only a page stored as floats has to be counted for its own.
func TestFiltersKeepTheRangeOfStoredSamples(t *testing.T) {
	filters := []string{"smooth=2", "smooth2d=1", "baseline=median:5", "baseline=opening:5,smooth=1"}
	stored := &segment.PageInfo{Width: 64, Height: 64, Type: segment.U8, Max: 255}
	float := &segment.PageInfo{Width: 64, Height: 64, Type: segment.F32, Min: math.NaN(), Max: math.NaN()}
	for _, name := range []string{"sauvola", "phansalkar", "bernsen", "localmean:offset=5%", "gradient:hi=9"} {
		for _, f := range filters {
			sep := ":"
			if strings.Contains(name, ":") {
				sep = ","
			}
			s, err := Parse(name + sep + f)
			if err != nil {
				t.Fatal(err)
			}
			if PageNeeds(s, stored).Histogram {
				t.Errorf("%s counts a page of bytes", s)
			}
			if !PageNeeds(s, float).Histogram {
				t.Errorf("%s does not count a page of floats", s)
			}
		}
	}
	for _, name := range []string{"sauvola", "phansalkar", "bernsen", "gradient"} {
		info, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, p := range append(info.Params, info.Notes...) {
			said += p.Help + "\n"
		}
		if strings.Contains(said, "of float samples") || !strings.Contains(said, "of pages stored as float") {
			t.Errorf("the texts of %s do not say which pages have no nominal range:\n%s", name, said)
		}
	}
}
