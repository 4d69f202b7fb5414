package kernels

import (
	"strconv"
	"testing"

	"segscan/segment"
)

// Lines whose warnings differ only in their values share one, which counts them and names the first.
func TestWarningsOfLines(t *testing.T) {
	k, err := Parse("hysteresis:lo=mean-200,hi=mean+1,per=line")
	if err != nil {
		t.Fatal(err)
	}
	var hs []segment.Histogram
	for i := range 500 { // the means are 0.5 to 254.5
		at := i * 254 / 499
		h := segment.Histogram{Type: segment.U8, Bins: make([]uint64, 256), N: 2, Min: float64(at), Max: float64(at + 1)}
		h.Bins[at], h.Bins[at+1] = 1, 1
		hs = append(hs, h)
	}
	p := &segment.PageInfo{Type: segment.U8, Bits: 8, Min: 0, Max: 255}
	_, r, err := k.Bind(p, hs, Options{NaN: segment.Boundary})
	if err != nil {
		t.Fatal(err)
	}
	below := 0
	for i := range 500 {
		if float64(i*254/499)+0.5-200 < 0 {
			below++
		}
	}
	want := "kernel hysteresis: no sample is a boundary on " + strconv.Itoa(below) +
		" of 500 lines, the first being line 0 of them: lo=mean-200 (-199.5) is below the samples' range 0..255; use a higher lo"
	if len(r.Warnings) == 0 || r.Warnings[0] != want {
		t.Errorf("got\n%q\nwant first\n%q", r.Warnings, want)
	}
	if len(r.Warnings) > 2 {
		t.Errorf("%d warnings for 500 lines", len(r.Warnings))
	}
}
