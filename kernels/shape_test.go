package kernels

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

// triangleOfAllBins goes through every bin from the lowest value to the highest, in whole numbers.
func triangleOfAllBins(h *segment.Histogram) float64 {
	c := h.Bins[int(h.Min) : int(h.Max)+1]
	peak := slices.Index(c, slices.Max(c))
	flip := peak < len(c)-1-peak
	if flip {
		c = slices.Clone(c)
		slices.Reverse(c)
		peak = len(c) - 1 - peak
	}
	best, at := int64(-1)<<62, 0
	for k := range peak {
		if d := int64(c[peak])*int64(k) - int64(peak)*int64(c[k]); d > best {
			best, at = d, k
		}
	}
	if flip {
		at = len(c) - 1 - at
	}
	return h.Min + float64(at)
}

func TestTriangleOfAllBins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 400 {
		h := randomHistogram(r, segment.U16, 2+r.IntN(60), []int{8, 40, 300, 65536}[round%4])
		if h.Min == h.Max {
			continue
		}
		for _, perLine := range []bool{false, true} {
			if got, want := newLevels(h, perLine).triangle(), triangleOfAllBins(h); got != want {
				t.Fatalf("round %d, of a line %v: %v, want %v of %v..%v", round, perLine, got, want, h.Min, h.Max)
			}
		}
	}
}

// minimumOfWholeNumbers smooths without rounding, and gives up where that would end.
func minimumOfWholeNumbers(h *segment.Histogram) (t float64, found, known bool) {
	c := slices.Clone(h.Bins[int(h.Min) : int(h.Max)+1])
	for range 28 { // 50 x 60 x 3^28 stays below 2^63
		next := make([]uint64, len(c))
		for k := range c {
			next[k] = c[max(k-1, 0)] + c[k] + c[min(k+1, len(c)-1)]
		}
		c = next
		var tops []int
		rising := true
		for k := range len(c) - 1 {
			if rising && c[k+1] < c[k] {
				tops, rising = append(tops, k), false
			} else if c[k+1] > c[k] {
				rising = true
			}
		}
		if len(tops) < 2 {
			return 0, false, true
		}
		if len(tops) == 2 {
			between := c[tops[0] : tops[1]+1]
			return h.Min + float64(tops[0]+slices.Index(between, slices.Min(between))), true, true
		}
	}
	return 0, false, false
}

func TestMinimumOfWholeNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	answers, none := 0, 0
	for round := range 600 {
		h := randomHistogram(r, segment.U16, 2+r.IntN(60), 4+r.IntN(40))
		if h.Min == h.Max {
			continue
		}
		want, found, known := minimumOfWholeNumbers(h)
		if !known {
			continue
		}
		if found {
			answers++
		} else {
			none++
		}
		got, err := newLevels(h, round%2 == 0).minimum()
		if found != (err == nil) || found && got != want {
			t.Fatalf("round %d: %v (%v), want %v (%v)", round, got, err, want, found)
		}
	}
	if answers < 100 || none < 20 {
		t.Errorf("%d with an answer and %d without are too few", answers, none)
	}
}

// Bins are scaled down every 512 smoothings. Here two peaks of 20 bins at either end, 40 bins apart, become one each after
// 1292; the page is its own mirror image, so its lowest bin is the middle one.
func TestMinimumOfManySmoothings(t *testing.T) {
	h := counts(segment.U16)
	for x := range 401 {
		n := uint64(1)
		if d := min(x, 400-x); d >= 40 && d < 60 || d >= 100 && d < 120 {
			n = 1000
		}
		h.Bins[1000+x] += n
		h.N += n
	}
	h.Min, h.Max = extremes(h.Bins)
	for _, perLine := range []bool{false, true} {
		if got, err := newLevels(h, perLine).minimum(); err != nil || got != 1200 {
			t.Errorf("of a line %v: %v (%v), want the middle, 1200", perLine, got, err)
		}
	}
}

// Three peaks of so many samples that nearly all of what a float64 can hold is used. The first two are 180 bins apart, and two
// equal ones become one when that is less than twice the deviation, which grows to the root of 2/3 for each smoothing: after
// 12150, and so never here.
func TestMinimumOfManySamples(t *testing.T) {
	h := counts(segment.U16)
	for x := range 3001 {
		h.Bins[x] = 1
		if x == 1000 || x == 1180 || x == 2400 {
			h.Bins[x] = 1 << 40
		}
		h.N += h.Bins[x]
	}
	h.Min, h.Max = extremes(h.Bins)
	if got, err := newLevels(h, false).minimum(); err == nil || !strings.Contains(err.Error(), "not bimodal") {
		t.Errorf("%v (%v), want none", got, err)
	}
}

// A line of integers has the thresholds of a page of that line alone.
func TestLinesAreAsPages(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	specs := append(allSpecs(), "multiotsu:classes=2", "multiotsu:classes=5", "percentile:low=3,high=97", "mad:klow=-1,khigh=2",
		"hysteresis:lo=median,hi=p80", "hysteresis:lo=minimum*0.9,hi=triangle+3sd")
	compared := 0
	for round := range 40 {
		typ, top := segment.U8, 256
		if round%2 == 1 {
			typ, top = segment.U16, []int{900, lineBins, 65536}[round/2%3]
		}
		h := randomHistogram(r, typ, 2+r.IntN(150), 2+r.IntN(top-1))
		if h.Min == h.Max {
			continue
		}
		for _, spec := range specs {
			if strings.Contains(spec, "minimum") && h.Max-h.Min >= lineBins {
				continue // of which the kernel's description speaks
			}
			sep := ":"
			if strings.Contains(spec, ":") {
				sep = ","
			}
			_, want, wantErr := mustParse(t, spec).Bind(page(typ), []segment.Histogram{*h}, Options{})
			_, got, err := mustParse(t, spec+sep+"per=line").Bind(page(typ), []segment.Histogram{*h}, Options{})
			if (err == nil) != (wantErr == nil) || !slices.Equal(got.T, want.T) || !slices.Equal(got.Lo, want.Lo) || !slices.Equal(got.Hi, want.Hi) {
				t.Errorf("round %d, %s of %v..%v: %v %v %v (%v), want %v %v %v (%v)",
					round, spec, h.Min, h.Max, got.T, got.Lo, got.Hi, err, want.T, want.Lo, want.Hi, wantErr)
			}
			compared += len(want.Lo)
		}
	}
	if compared < 300 {
		t.Errorf("only %d thresholds were compared", compared)
	}
}

// What one line leaves in the entropies shared by all does not reach the next.
func TestHuangOfLines(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var hs []segment.Histogram
	for range 12 {
		hs = append(hs, *randomHistogram(r, segment.U16, 3+r.IntN(40), []int{12, 500, 65536}[r.IntN(3)]))
	}
	_, all, err := mustParse(t, "huang:per=line").Bind(page(segment.U16), hs, Options{})
	if err != nil || len(all.T) != len(hs) {
		t.Fatalf("%d thresholds of %d lines (%v)", len(all.T), len(hs), err)
	}
	for i := range hs {
		if _, one := bound(t, "huang", &hs[i]); one.T[0] != all.T[i] {
			t.Errorf("line %d: %v, want %v", i, all.T[i], one.T[0])
		}
	}
}
