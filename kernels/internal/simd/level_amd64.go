//go:build !noasm

package simd

import "golang.org/x/sys/cpu"

func machineLevels() []Level {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasPOPCNT {
		return []Level{AVX2}
	}
	return nil
}
