package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The comparison "v >= n" of unsigned lanes of which the masks take the top bit, weight h: the average of v and
// 2h-1-n, rounded up, is (v + 2h - n) / 2, which reaches h exactly if v reaches n. It holds for n in 0..2h-1; keepA is
// 0 for the hi that no sample reaches, and all ones else.

func thresholdU8AVX2() {
	function("thresholdU8AVX2", "func(b, a *uint64, v *uint8, words int, lo1, hi uint8, keepA uint64)",
		"thresholdU8AVX2 sets b for v < 255-lo1, and a for v >= 255-hi if keepA is all ones and not 0.")
	b, a, i := masksOf()
	v := Load(Param("v"), GP64())
	keepA := Load(Param("keepA"), GP64())
	lo1, hi := broadcast("lo1", VPBROADCASTB, YMM()), broadcast("hi", VPBROADCASTB, YMM())
	// The samples of a word are eight times as far apart as its mask.
	end := GP64()
	LEAQ(Mem{Base: i, Index: i, Scale: 1}, end)
	SHLQ(Imm(2), end)
	SUBQ(end, v)
	TESTQ(i, i)
	JZ(LabelRef("done"))

	Label("loop")
	at := func(disp int) Mem { return Mem{Base: v, Index: i, Scale: 8, Disp: disp} }
	PREFETCHT0(at(ahead))
	var nots, as [2]Register
	for k := range 2 {
		x, y := YMM(), YMM()
		VMOVDQU(at(32*k), x)
		VPAVGB(lo1, x, y)
		VPAVGB(hi, x, x)
		nots[k], as[k] = GP64(), GP64()
		VPMOVMSKB(y, nots[k].(GPVirtual).As32())
		VPMOVMSKB(x, as[k].(GPVirtual).As32())
	}
	storeNot(nots, as, keepA, b, a, i)
	ADDQ(Imm(8), i)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// storeNot stores the complement of the first mask and as much of the second as is kept.
func storeNot(nots, as [2]Register, keepA, b, a, i Register) {
	join(nots[0], nots[1])
	NOTQ(nots[0])
	MOVQ(nots[0], Mem{Base: b, Index: i, Scale: 1})
	join(as[0], as[1])
	ANDQ(keepA, as[0])
	MOVQ(as[0], Mem{Base: a, Index: i, Scale: 1})
}

func thresholdU16AVX2() {
	function("thresholdU16AVX2", "func(b, a *uint64, v *uint16, words int, lo1, hi uint16, keepA uint64)",
		"thresholdU16AVX2 sets b for v < 65535-lo1, and a for v >= 65535-hi if keepA is all ones and not 0.")
	b, a, i := masksOf()
	v := Load(Param("v"), GP64())
	keepA := Load(Param("keepA"), GP64())
	lo1, hi := broadcast("lo1", VPBROADCASTW, YMM()), broadcast("hi", VPBROADCASTW, YMM())
	TESTQ(i, i)
	JZ(LabelRef("done"))

	Label("loop")
	var nots, as [2]Register
	for k := range 2 {
		at := func(disp int) Mem { return Mem{Base: v, Disp: 64*k + disp} }
		PREFETCHT0(at(ahead))
		// Packing interleaves the halves of its operands; loading halves two apart makes up for it.
		var n, s [2]VecVirtual
		for j := range 2 {
			x := YMM()
			VMOVDQU(at(16*j), x.AsX())
			VINSERTI128(Imm(1), at(32+16*j), x, x)
			n[j], s[j] = YMM(), YMM()
			VPAVGW(lo1, x, n[j])
			VPAVGW(hi, x, s[j])
		}
		// Signed saturation keeps the top bit.
		VPACKSSWB(n[1], n[0], n[0])
		VPACKSSWB(s[1], s[0], s[0])
		nots[k], as[k] = GP64(), GP64()
		VPMOVMSKB(n[0], nots[k].(GPVirtual).As32())
		VPMOVMSKB(s[0], as[k].(GPVirtual).As32())
	}
	storeNot(nots, as, keepA, b, a, i)
	ADDQ(Imm(128), v)
	ADDQ(Imm(8), i)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// Predicates of VCMPPS.
const (
	lessEqual       = 0x12 // LE_OQ
	greaterEqual    = 0x1d // GE_OQ
	notGreaterEqual = 0x19 // NGE_UQ: less, or NaN
	notLessEqual    = 0x16 // NLE_UQ: greater, or NaN
)

// forms of the float comparison: who takes NaN says which of the two comparisons is the complement of its opposite.
var forms = []struct {
	suffix, doc string
	b, a        uint64
}{
	{"", "NaN goes to neither", lessEqual, greaterEqual},
	{"NaNB", "NaN goes to b; lo is the first value that is not in b", notGreaterEqual, greaterEqual},
	{"NaNA", "NaN goes to a; hi is the last value that is not in a", lessEqual, notLessEqual},
}

func thresholdF32AVX2() {
	order := GLOBL("laneOrder", RODATA|NOPTR)
	for k, d := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
		DATA(4*k, U32(d))
	}
	for _, f := range forms {
		name := "thresholdF32" + f.suffix + "AVX2"
		function(name, "func(b, a *uint64, v *float32, words int, lo, hi float32)",
			name+" sets b for v <= lo, a for v >= hi that is not in b; "+f.doc+".")
		b, a, i := masksOf()
		v := Load(Param("v"), GP64())
		lo, hi := broadcast("lo", VBROADCASTSS, YMM()), broadcast("hi", VBROADCASTSS, YMM())
		perm := YMM()
		VMOVDQU(order, perm)
		TESTQ(i, i)
		JZ(LabelRef("done"))

		Label("loop")
		var masks [2][2]Register
		for k := range 2 {
			at := func(disp int) Mem { return Mem{Base: v, Disp: 128*k + disp} }
			PREFETCHT0(at(ahead))
			PREFETCHT0(at(ahead + 64))
			var is [2][4]VecVirtual
			for j := range 4 {
				x := YMM()
				VMOVUPS(at(32*j), x)
				is[0][j], is[1][j] = YMM(), YMM()
				VCMPPS(Imm(f.b), lo, x, is[0][j])
				VCMPPS(Imm(f.a), hi, x, is[1][j])
			}
			for s, is := range is {
				VPACKSSDW(is[1], is[0], is[0])
				VPACKSSDW(is[3], is[2], is[2])
				VPACKSSWB(is[2], is[0], is[0])
				VPERMD(is[0], perm, is[0])
				masks[s][k] = GP64()
				VPMOVMSKB(is[0], masks[s][k].(GPVirtual).As32())
			}
		}
		join(masks[0][0], masks[0][1])
		join(masks[1][0], masks[1][1])
		MOVQ(masks[0][0], Mem{Base: b, Index: i, Scale: 1})
		ANDNQ(masks[1][0], masks[0][0], masks[1][0])
		MOVQ(masks[1][0], Mem{Base: a, Index: i, Scale: 1})
		ADDQ(U32(256), v)
		ADDQ(Imm(8), i)
		JNZ(LabelRef("loop"))
		Label("done")
		VZEROUPPER()
		RET()
	}
}
