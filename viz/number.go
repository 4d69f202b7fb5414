package viz

import (
	"math"
	"strconv"
)

// Number writes a value of samples that are at most span apart: with six significant digits, or as many as tell a
// thousandth of span, to nine; integers in full. A span of 0 or NaN is one that is not known, and asks for nine. Floats that
// fewer digits give back have these.
func Number(v, span float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e9 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	digits := 9
	if span > 0 {
		whole, last := math.Floor(math.Log10(math.Abs(v))), math.Floor(math.Log10(span))-3
		digits = int(min(max(whole-last+1, 6), 9))
	}
	text := strconv.FormatFloat(v, 'g', digits, 64)
	if float64(float32(v)) == v {
		if own := strconv.FormatFloat(v, 'g', -1, 32); len(own) < len(text) {
			return own
		}
	}
	return text
}

// shortNumber writes up to six significant digits, integers in full.
func shortNumber(v float64) string { return Number(v, math.Inf(1)) }
