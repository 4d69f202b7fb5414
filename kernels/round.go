package kernels

import (
	"math"

	"segscan/segment"
)

// typeRange is the range of finite values of a sample type.
func typeRange(t segment.SampleType) (lo, hi float64) {
	switch t {
	case segment.U8:
		return 0, math.MaxUint8
	case segment.U16:
		return 0, math.MaxUint16
	}
	return -math.MaxFloat32, math.MaxFloat32
}

// floorTo is the largest value of the type that is at most x; -Inf when there is none.
func floorTo(t segment.SampleType, x float64) float64 {
	lo, hi := typeRange(t)
	switch {
	case x < lo:
		return math.Inf(-1)
	case x >= hi:
		return hi
	case t != segment.F32:
		return math.Floor(x)
	}
	f := float32(x)
	if float64(f) > x {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return float64(f) + 0
}

// nextAfter is the next value of the type above v; +Inf when there is none. v is a value of the type or -Inf.
func nextAfter(t segment.SampleType, v float64) float64 {
	lo, hi := typeRange(t)
	switch {
	case v < lo:
		return lo
	case v >= hi:
		return math.Inf(1)
	case t != segment.F32:
		return v + 1
	}
	return float64(math.Nextafter32(float32(v), float32(math.Inf(1))))
}

// roundLo rounds a boundary threshold to the type: integers down, f32 to the nearest. Below the type's range it is
// -Inf (no sample is a boundary), above it the type's largest value.
func roundLo(t segment.SampleType, x float64) float64 {
	if t != segment.F32 {
		return floorTo(t, x)
	}
	lo, hi := typeRange(t)
	if x < lo {
		return math.Inf(-1)
	}
	return float64(float32(min(x, hi))) + 0
}

// roundHi rounds an activation threshold to the type: integers up, f32 to the nearest. Above the type's range it is +Inf
// (no sample is an activation), below it the type's smallest value.
func roundHi(t segment.SampleType, x float64) float64 {
	lo, hi := typeRange(t)
	switch {
	case x > hi:
		return math.Inf(1)
	case x <= lo:
		return lo
	case t != segment.F32:
		return math.Ceil(x)
	}
	return float64(float32(x)) + 0
}
