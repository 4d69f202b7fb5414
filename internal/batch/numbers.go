package batch

import (
	"bytes"
	"math"
	"strconv"

	"segscan/segment"
)

// Text of numbers, the same in CSV and JSON. A float32 and what is computed from it is the shortest text that
// reads back; integers are exact and what is a mean of them has six significant digits.

// appendSample appends a sample value of type t; where there is none (NaN) it appends nothing.
func appendSample(dst []byte, v float64, t segment.SampleType) []byte {
	if t == segment.F32 {
		return appendShortest(dst, v, 32)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return appendShortest(dst, v, 64)
	}
	if v == math.Trunc(v) {
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return appendShortest(dst, v, 64)
}

// appendMean appends a mean of samples of type t from least to most. The texts of least and most are short, and may lie on
// either side of the float32 that they stand for; one that is the same float32 has the same text, so that no mean is
// outside of them when all are read as doubles. Six digits of a mean of integers of 16 bits are never outside.
func appendMean(dst []byte, v, least, most float64, t segment.SampleType) []byte {
	if t != segment.F32 {
		return appendDigits(dst, v, 6)
	}
	switch float32(v) {
	case float32(least):
		return appendSample(dst, least, t)
	case float32(most):
		return appendSample(dst, most, t)
	}
	return appendShortest(dst, v, 64)
}

// appendDigits appends v with so many significant digits, trailing zeros left out.
func appendDigits(dst []byte, v float64, digits int) []byte {
	if math.IsNaN(v) {
		return dst
	}
	if math.IsInf(v, 0) {
		return appendInf(dst, v)
	}
	return strconv.AppendFloat(dst, v, 'g', digits, 64)
}

// appendPosition appends a place between samples to a millionth of one, trailing zeros left out; nothing for NaN.
func appendPosition(dst []byte, v float64) []byte {
	if math.IsNaN(v) {
		return dst
	}
	dst = strconv.AppendFloat(dst, v, 'f', 6, 64)
	return bytes.TrimSuffix(bytes.TrimRight(dst, "0"), []byte{'.'})
}

// appendShortest appends the shortest text that reads back as the same float of so many bits.
func appendShortest(dst []byte, v float64, bits int) []byte {
	switch abs := math.Abs(v); {
	case math.IsNaN(v):
		return dst
	case math.IsInf(v, 0):
		return appendInf(dst, v)
	case abs != 0 && (abs < 1e-6 || abs >= 1e21):
		return strconv.AppendFloat(dst, v, 'e', -1, bits)
	default:
		return strconv.AppendFloat(dst, v, 'f', -1, bits)
	}
}

func appendInf(dst []byte, v float64) []byte {
	if v < 0 {
		return append(dst, "-inf"...)
	}
	return append(dst, "inf"...)
}

// jsonNumber appends what add appends, or null where v is no number that JSON has.
func jsonNumber(dst []byte, v float64, add func(dst []byte) []byte) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "null"...)
	}
	return add(dst)
}
