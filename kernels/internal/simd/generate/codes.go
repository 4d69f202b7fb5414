package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// codes makes what medians of codes need of the samples of a line.
func codes() {
	function("compareCodesAVX2", "func(le, eq *uint64, v, m *uint8, words int)",
		"compareCodesAVX2 compares 64 words codes, at least one word.")
	le, eq, v, m, words := arg("le"), arg("eq"), arg("v"), arg("m"), arg("words")
	Label("word")
	var low, same [2]Op
	for i := range 2 {
		x, y, least := YMM(), YMM(), YMM()
		l, s := GP32(), GP32()
		VMOVDQU(Mem{Base: v, Disp: 32 * i}, x)
		VMOVDQU(Mem{Base: m, Disp: 32 * i}, y)
		VPMINUB(x, y, least)
		VPCMPEQB(x, least, least)
		VPCMPEQB(x, y, y)
		VPMOVMSKB(least, l)
		VPMOVMSKB(y, s)
		low[i], same[i] = l.As64(), s.As64()
	}
	SHLQ(Imm(32), low[1])
	ORQ(low[1], low[0])
	SHLQ(Imm(32), same[1])
	ORQ(same[1], same[0])
	MOVQ(low[0], Mem{Base: le})
	MOVQ(same[0], Mem{Base: eq})
	ADDQ(Imm(64), v)
	ADDQ(Imm(64), m)
	ADDQ(Imm(8), le)
	ADDQ(Imm(8), eq)
	DECQ(words)
	JNZ(LabelRef("word"))
	VZEROUPPER()
	RET()

	magnitude, largest := constant("magnitude", 0x7fffffff_7fffffff), constant("largestF32", 0x7f7fffff_7f7fffff)
	sign := constant("signF32", 0x80000000_80000000)
	function("keysF32AVX2", "func(to *uint32, x *float32, n int)",
		"keysF32AVX2 is keysF32Go of n samples, a multiple of 8 that is not 0.")
	to, x, n := arg("to"), arg("x"), arg("n")
	zero, abs, most, signs := YMM(), YMM(), YMM(), YMM()
	VXORPS(zero, zero, zero)
	VMOVDQU(magnitude, abs)
	VMOVDQU(largest, most)
	VMOVDQU(sign, signs)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	y, far, flip := YMM(), YMM(), YMM()
	VADDPS(at(x, i, 4), zero, y) // -0 is 0
	VPSRAD(Imm(31), y, flip)
	VPAND(abs, y, far)
	VPCMPGTD(most, far, far)
	VPOR(signs, flip, flip)
	VPXOR(flip, y, y)
	VPOR(far, y, y)
	VMOVDQU(y, at(to, i, 4))
	ADDQ(Imm(8), i)
	CMPQ(i, n)
	JLT(LabelRef("loop"))
	VZEROUPPER()
	RET()

	function("keysU16AVX2", "func(to *uint32, x *uint16, n int)",
		"keysU16AVX2 is keysU16Go of n samples, a multiple of 8 that is not 0.")
	to, x, n = arg("to"), arg("x"), arg("n")
	i = GP64()
	XORQ(i, i)
	Label("loop")
	y = YMM()
	VPMOVZXWD(at(x, i, 2), y)
	VMOVDQU(y, at(to, i, 4))
	ADDQ(Imm(8), i)
	CMPQ(i, n)
	JLT(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
