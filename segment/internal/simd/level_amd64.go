//go:build !noasm

package simd

import "golang.org/x/sys/cpu"

func machineLevels() (l []Level) {
	x := &cpu.X86
	// LZCNT is not told apart by the cpu package; every processor with BMI1 and AVX2 has it.
	if !x.HasAVX2 || !x.HasBMI1 || !x.HasBMI2 {
		return nil
	}
	l = append(l, AVX2)
	if !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL {
		return l
	}
	l = append(l, AVX512)
	if x.HasAVX512VBMI {
		l = append(l, AVX512VBMI)
	}
	return l
}
