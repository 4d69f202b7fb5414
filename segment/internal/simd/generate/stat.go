package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// stats makes sums and extremes of integer samples, 64 bytes at a time. The extremes come back by lanes.
func stats() {
	word := GLOBL("lowWords", RODATA|NOPTR)
	for k := range 8 {
		DATA(4*k, U32(0xffff))
	}
	for _, f := range []struct {
		name, sample, lanes string
		least, most         func(...Op)
	}{
		{"statU8AVX2", "uint8", "[32]uint8", VPMINUB, VPMAXUB},
		{"statU16AVX2", "uint16", "[16]uint16", VPMINUW, VPMAXUW},
	} {
		function(f.name, "func(v *"+f.sample+", blocks int, lo, hi *"+f.lanes+") (sum uint64)",
			f.name+" sums blocks of 64 bytes, at least one, and puts the extremes by lanes in lo and hi.")
		v := Load(Param("v"), GP64())
		n := Load(Param("blocks"), GP64())
		sum, zero, lo, hi := YMM(), YMM(), YMM(), YMM()
		VPXOR(sum, sum, sum)
		VPXOR(zero, zero, zero)
		VMOVDQU(Mem{Base: v}, lo)
		VMOVDQU(Mem{Base: v}, hi)
		low := YMM()
		if f.sample == "uint16" {
			VMOVDQU(word, low)
		}
		Label("loop")
		var x [2]VecVirtual
		for k := range x {
			x[k] = YMM()
			VMOVDQU(Mem{Base: v, Disp: 32 * k}, x[k])
			f.least(x[k], lo, lo)
			f.most(x[k], hi, hi)
		}
		if f.sample == "uint8" {
			for k := range x {
				VPSADBW(zero, x[k], x[k])
				VPADDQ(x[k], sum, sum)
			}
		} else {
			// Low and high samples of 32 bits: four of them stay far below 2^32.
			y, z := YMM(), YMM()
			VPAND(low, x[0], y)
			VPAND(low, x[1], z)
			VPADDD(z, y, y)
			for k := range x {
				VPSRLD(Imm(16), x[k], x[k])
				VPADDD(x[k], y, y)
			}
			VPUNPCKHDQ(zero, y, z)
			VPUNPCKLDQ(zero, y, y)
			VPADDQ(z, sum, sum)
			VPADDQ(y, sum, sum)
		}
		ADDQ(Imm(64), v)
		DECQ(n)
		JNZ(LabelRef("loop"))
		VMOVDQU(lo, Mem{Base: Load(Param("lo"), GP64())})
		VMOVDQU(hi, Mem{Base: Load(Param("hi"), GP64())})
		Store(addLanes(sum), Return("sum"))
		VZEROUPPER()
		RET()
	}
}
