//go:build noasm || !amd64

package simd

func machineLevels() []Level { return nil }
