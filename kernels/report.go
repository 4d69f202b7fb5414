package kernels

import (
	"strconv"
	"strings"
)

// numerals shows a number in a text, given all its digits.
type numerals func(number string) string

// say fills Text and Short from a text that starts with the kernel's name and shows its numbers by numerals.
func (r *Report) say(kernel string, text func(numerals) string) {
	r.Text = text(allDigits)
	r.Short = strings.TrimLeft(strings.TrimPrefix(text(sixDigits), kernel), ": ")
}

// allDigits shows a number as it is.
func allDigits(number string) string { return number }

// sixDigits shows significant digits, of a number that has some behind the point and becomes shorter.
func sixDigits(number string) string {
	v, err := strconv.ParseFloat(number, 64)
	if short := strconv.FormatFloat(v, 'g', 6, 64); err == nil && strings.Contains(number, ".") && len(short) < len(number) {
		return short
	}
	return number
}
