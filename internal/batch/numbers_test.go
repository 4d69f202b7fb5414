package batch

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"segscan/segment"
)

// A mean is never outside of least and most when all three are read as doubles, as spreadsheets do.
func TestMeanLiesBetween(t *testing.T) {
	number := func(text []byte) float64 {
		v, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	check := func(a, b float32, share float64) {
		least, most := float64(min(a, b)), float64(max(a, b))
		mean := least + share*(most-least)
		lo, hi := number(appendSample(nil, least, segment.F32)), number(appendSample(nil, most, segment.F32))
		if m := number(appendMean(nil, mean, least, most, segment.F32)); !(lo <= m && m <= hi) {
			t.Errorf("mean of %v..%v at %v: %v is outside of %v..%v", least, most, share, m, lo, hi)
		}
	}
	// The double nearest to the float32 0.34117648 is 0.34117648005485535.
	wantText(t, "of equal samples", string(appendMean(nil, 0.34117648005485535, float64(float32(0.34117648)), float64(float32(0.34117648)), segment.F32)), "0.34117648")
	wantText(t, "of others", string(appendMean(nil, 0.25, 0, 1, segment.F32)), "0.25")
	wantText(t, "of none", string(appendMean(nil, math.NaN(), math.NaN(), math.NaN(), segment.F32)), "")
	wantText(t, "of infinities", string(appendMean(nil, math.Inf(1), 1, math.Inf(1), segment.F32)), "inf")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		a := math.Float32frombits(rng.Uint32())
		if a != a || math.IsInf(float64(a), 0) {
			continue
		}
		next := math.Nextafter32(a, float32(math.Inf(1)))
		for _, share := range []float64{0, 1e-9, 0.25, 0.5, 0.75, 1 - 1e-9, 1} {
			check(a, a, share)
			if !math.IsInf(float64(next), 0) {
				check(a, next, share)
			}
			check(a, a*(1+1e-6), share)
		}
	}
}
