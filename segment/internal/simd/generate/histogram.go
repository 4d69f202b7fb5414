package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// histograms count blocks of samples into tables of 32 bits. A block of one value, as paper and masks have many, is one
// addition. Samples come one by one from memory rather than by shifts of a register, since loads are what such loops
// have to spare.
func histograms() {
	function("histogramU8AVX2", "func(tables *[8][256]uint32, v *uint8, blocks int)",
		"histogramU8AVX2 counts blocks of 32 samples; sample i goes to table i%8, or, in a block of one value, all to the first.")
	tables, v, n := Load(Param("tables"), GP64()), Load(Param("v"), GP64()), Load(Param("blocks"), GP64())
	JMP(LabelRef("next"))
	Label("block")
	equalLanes(v, VPBROADCASTB, VPCMPEQB)
	JEQ(LabelRef("flat"))
	for i := range 32 {
		x := GP32()
		MOVBLZX(Mem{Base: v, Disp: i}, x)
		INCL(Mem{Base: tables, Disp: 1024 * (i % 8), Index: x, Scale: 4})
	}
	Label("done")
	ADDQ(Imm(32), v)
	Label("next")
	DECQ(n)
	JGE(LabelRef("block"))
	VZEROUPPER()
	RET()
	Label("flat")
	x := GP32()
	MOVBLZX(Mem{Base: v}, x)
	ADDL(Imm(32), Mem{Base: tables, Index: x, Scale: 4})
	JMP(LabelRef("done"))

	TEXT("histogramU16AVX2", NOSPLIT, "func(table *[65536]uint32, v *uint16, blocks int)")
	Pragma("noescape")
	Doc("histogramU16AVX2 counts blocks of 16 samples, each at its place (see place16).")
	places := AllocLocal(32)
	table := Load(Param("table"), GP64())
	v, n = Load(Param("v"), GP64()), Load(Param("blocks"), GP64())
	middle := constant(0x03f003f0)
	JMP(LabelRef("next"))
	Label("block")
	s := equalLanes(v, VPBROADCASTW, VPCMPEQW)
	moved := YMM()
	VPSRLW(Imm(6), s, moved)
	VPAND(middle, moved, moved)
	VPXOR(moved, s, s)
	VMOVDQU(s, places)
	JEQ(LabelRef("flat")) // vector instructions leave the flags
	for i := range 16 {
		x := GP32()
		MOVWLZX(places.Offset(2*i), x)
		INCL(Mem{Base: table, Index: x, Scale: 4})
	}
	Label("done")
	ADDQ(Imm(32), v)
	Label("next")
	DECQ(n)
	JGE(LabelRef("block"))
	VZEROUPPER()
	RET()
	Label("flat")
	x = GP32()
	MOVWLZX(places, x)
	ADDL(Imm(16), Mem{Base: table, Index: x, Scale: 4})
	JMP(LabelRef("done"))
}

// equalLanes loads 32 bytes and compares all lanes with the first: the flags say equal if they are.
func equalLanes(v Register, broadcast, equal func(...Op)) VecVirtual {
	s, first, mask := YMM(), YMM(), GP32()
	VMOVDQU(Mem{Base: v}, s)
	broadcast(s.AsX(), first)
	equal(s, first, first)
	VPMOVMSKB(first, mask)
	CMPL(mask, I32(-1))
	return s
}
