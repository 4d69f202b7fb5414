package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// constant makes a vector of equal lanes of 32 bits.
func constant(v uint32) VecVirtual {
	r, y := GP32(), YMM()
	MOVL(U32(v), r)
	VMOVD(r, y.AsX())
	VPBROADCASTD(y.AsX(), y)
	return y
}

// fourSums adds four blocks at once, a lane each, so that every block is still added from left to right.
func fourSums() {
	function("fourSumsF32AVX2", "func(v *float32, out *[8]float64)",
		"fourSumsF32AVX2 puts the sums of four blocks of 64 samples into out, and then the sums of squares; samples that are",
		"not finite count as 0.")
	v, n := Load(Param("v"), GP64()), GP64()
	sum, square := YMM(), YMM()
	VXORPD(sum, sum, sum)
	VXORPD(square, square, square)
	MOVQ(U32(16), n)
	Label("loop")
	var x [4]VecVirtual
	for k := range x {
		x[k] = XMM()
		VMOVUPS(Mem{Base: v, Disp: 256 * k}, x[k])
	}
	// Four samples of four blocks, turned into four times one of each.
	var low, high [2]VecVirtual
	for k := range 2 {
		low[k], high[k] = XMM(), XMM()
		VUNPCKLPS(x[2*k+1], x[2*k], low[k])
		VUNPCKHPS(x[2*k+1], x[2*k], high[k])
	}
	for _, half := range [][2]VecVirtual{low, high} {
		for _, unpack := range []func(...Op){VUNPCKLPD, VUNPCKHPD} {
			column, y, finite := XMM(), YMM(), YMM()
			unpack(half[1], half[0], column)
			VCVTPS2PD(column, y)
			VSUBPD(y, y, finite) // 0, or NaN
			VCMPPD(Imm(0), finite, finite, finite)
			VANDPD(finite, y, y)
			VADDPD(y, sum, sum)
			VMULPD(y, y, y)
			VADDPD(y, square, square)
		}
	}
	ADDQ(Imm(16), v)
	DECQ(n)
	JNZ(LabelRef("loop"))
	out := Load(Param("out"), GP64())
	VMOVUPD(sum, Mem{Base: out})
	VMOVUPD(square, Mem{Base: out, Disp: 32})
	VZEROUPPER()
	RET()
}

// keys makes the order-preserving keys of floats: see Key.
func keys() {
	function("keysF32AVX2", "func(v *float32, blocks int, keys *uint16, least, most *[8]uint32) (done int)",
		"keysF32AVX2 writes the top halves of the keys of blocks of 64 samples and takes the extremes of the keys by lanes, up to",
		"the first block that holds a sample which is not finite; it says how many blocks that was.")
	v, n := Load(Param("v"), GP64()), Load(Param("blocks"), GP64())
	to := Load(Param("keys"), GP64())
	least, most := Load(Param("least"), GP64()), Load(Param("most"), GP64())
	lo, hi, zero := YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: least}, lo)
	VMOVDQU(Mem{Base: most}, hi)
	VXORPS(zero, zero, zero)
	top, magnitude, largest := constant(1<<31), constant(1<<31-1), constant(0x7f7fffff)
	done := GP64()
	XORQ(done, done)
	JMP(LabelRef("next"))

	Label("block")
	bad := YMM()
	VPXOR(bad, bad, bad)
	for k := range 8 {
		x, y := YMM(), YMM()
		VMOVDQU(Mem{Base: v, Disp: 32 * k}, x)
		VPAND(magnitude, x, x)
		VPCMPGTD(largest, x, y)
		VPOR(y, bad, bad)
	}
	VPTEST(bad, bad)
	JNZ(LabelRef("out"))
	for k := range 4 {
		var half [2]VecVirtual
		for j := range half {
			x, sign := YMM(), YMM()
			VADDPS(Mem{Base: v, Disp: 64*k + 32*j}, zero, x) // -0 becomes 0
			VPSRAD(Imm(31), x, sign)
			VPOR(top, sign, sign)
			VPXOR(sign, x, x)
			VPMINUD(x, lo, lo)
			VPMAXUD(x, hi, hi)
			VPSRLD(Imm(16), x, x)
			half[j] = x
		}
		VPACKUSDW(half[1], half[0], half[0])
		VPERMQ(Imm(0xd8), half[0], half[0])
		VMOVDQU(half[0], Mem{Base: to, Disp: 32 * k})
	}
	ADDQ(U32(256), v)
	ADDQ(U32(128), to)
	INCQ(done)
	Label("next")
	CMPQ(done, n)
	JLT(LabelRef("block"))

	Label("out")
	VMOVDQU(lo, Mem{Base: least})
	VMOVDQU(hi, Mem{Base: most})
	Store(done, Return("done"))
	VZEROUPPER()
	RET()
}
