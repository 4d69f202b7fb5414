package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// count makes the updates of the columns' histograms: a whole Hist in one register.
func count() {
	for _, out := range []bool{false, true} {
		if out {
			function("recountAVX2", "func(coarse, fine *uint64, in, out *uint8, n, stride int, steps *uint64)",
				"recountAVX2 is recountGo of n columns; stride is how many bytes lie between two segments of fine.")
		} else {
			function("countAVX2", "func(coarse, fine *uint64, in *uint8, n, stride int, steps *uint64)",
				"countAVX2 is countGo of n columns; stride is how many bytes lie between two segments of fine.")
		}
		coarse, fine, in, n, stride, steps := arg("coarse"), arg("fine"), arg("in"), arg("n"), arg("stride"), arg("steps")
		var gone Register
		if out {
			gone = arg("out")
		}
		x := GP64()
		XORQ(x, x)
		Label("loop")
		c := YMM()
		VMOVDQU(Mem{Base: coarse}, c)
		update := func(row Register, op func(...Op)) {
			v, hi, at := GP64(), GP64(), GP64()
			MOVBQZX(Mem{Base: row, Index: x, Scale: 1}, v)
			MOVQ(v, at)
			SHRQ(Imm(4), at)
			MOVQ(at, hi)
			SHLQ(Imm(5), hi) // bytes of a Hist
			op(Mem{Base: steps, Index: hi, Scale: 1}, c, c)
			IMULQ(stride, at)
			ADDQ(fine, at)
			ANDQ(Imm(15), v)
			SHLQ(Imm(5), v)
			f := YMM()
			VMOVDQU(Mem{Base: at}, f)
			op(Mem{Base: steps, Index: v, Scale: 1}, f, f)
			VMOVDQU(f, Mem{Base: at})
		}
		update(in, VPADDW)
		if out {
			update(gone, VPSUBW)
		}
		VMOVDQU(c, Mem{Base: coarse})
		ADDQ(Imm(32), coarse)
		ADDQ(Imm(32), fine)
		INCQ(x)
		CMPQ(x, n)
		JLT(LabelRef("loop"))
		VZEROUPPER()
		RET()
	}
}

// medians makes the search along a line.
func medians() {
	function("mediansAVX2", "func(med *uint8, below *uint32, coarse, fine *uint64, n, w, stride int, half uint16, s *uint64)",
		"mediansAVX2 is mediansGo of n windows; stride is how many bytes lie between two segments of fine, s is as new.")
	med, below, n := arg("med"), arg("below"), arg("n")
	out := arg("coarse") // of the column that leaves
	fine, w, stride, s := arg("fine"), arg("w"), arg("stride"), arg("s")
	half, zero, k := YMM(), YMM(), YMM()
	broadcast("half", VPBROADCASTW, half)
	VPXOR(zero, zero, zero)
	VPXOR(k, k, k)
	const (
		sum    = 32      // of a segment, after a Hist of zeros
		whole  = 16 * 64 // the coarse sums
		places = 17 * 64
	)
	last := w // bytes of a window's columns but one
	DECQ(last)
	SHLQ(Imm(5), last)
	// Windows count up to 0.
	x := n
	ADDQ(x, med)
	LEAQ(Mem{Base: below, Index: x, Scale: 4}, below)
	NEGQ(x)
	i := GP64()
	XORQ(i, i)
	Label("first")
	CMPQ(i, last)
	JGE(LabelRef("window"))
	VPADDW(Mem{Base: out, Index: i, Scale: 1}, k, k)
	ADDQ(Imm(32), i)
	JMP(LabelRef("first"))

	Label("window")
	VPADDW(Mem{Base: out, Index: last, Scale: 1}, k, k)
	VMOVDQU(k, Mem{Base: s, Disp: whole + sum})
	// The counts that do not exceed half are the codes before the median's.
	lanes := func(v VecVirtual, half VecVirtual) GPVirtual {
		t, m := YMM(), GP32()
		VPSUBUSW(half, v, t)
		VPCMPEQW(zero, t, t)
		VPMOVMSKB(t, m)
		POPCNTL(m, m)
		return m // twice the number
	}
	hi := lanes(k, half).As64().(GPVirtual)
	base, rest, f := GP64(), YMM(), YMM()
	MOVWQZX(Mem{Base: s, Index: hi, Scale: 1, Disp: whole + sum - 2}, base)
	VPBROADCASTW(Mem{Base: s, Index: hi, Scale: 1, Disp: whole + sum - 2}, rest)
	VPSUBW(rest, half, rest)
	segment, column, at := GP64(), GP64(), GP64()
	MOVQ(hi, column)
	SHRQ(Imm(1), column)
	IMULQ(stride, column)
	ADDQ(fine, column) // of window x's first column
	MOVQ(hi, segment)
	SHLQ(Imm(5), segment)
	ADDQ(s, segment)
	MOVQ(x, at)
	SUBQ(Mem{Base: s, Index: hi, Scale: 4, Disp: places}, at) // steps behind
	MOVQ(x, Mem{Base: s, Index: hi, Scale: 4, Disp: places})
	CMPQ(at, Imm(1))
	JNE(LabelRef("behind"))
	VMOVDQU(Mem{Base: segment, Disp: sum}, f)
	VPADDW(Mem{Base: column, Index: last, Scale: 1}, f, f)
	VPSUBW(Mem{Base: column, Disp: -32}, f, f)
	Label("found")
	VMOVDQU(f, Mem{Base: segment, Disp: sum})
	lo := lanes(f, rest).As64().(GPVirtual)
	under := GP64()
	MOVWQZX(Mem{Base: segment, Index: lo, Scale: 1, Disp: sum - 2}, under)
	ADDQ(under, base)
	MOVL(base.As32(), Mem{Base: below, Index: x, Scale: 4})
	SHRQ(Imm(1), lo)
	LEAQ(Mem{Base: lo, Index: hi, Scale: 8}, lo)
	MOVB(lo.As8(), Mem{Base: med, Index: x, Scale: 1})
	VPSUBW(Mem{Base: out}, k, k)
	ADDQ(Imm(32), out)
	ADDQ(Imm(32), fine)
	INCQ(x)
	JNZ(LabelRef("window"))
	VZEROUPPER()
	RET()

	Label("behind")
	// Sums of long ago are made anew, others brought forward.
	back := GP64()
	SHLQ(Imm(5), at)
	VPXOR(f, f, f)
	LEAQ(Mem{Base: at, Index: at, Scale: 1, Disp: -96}, back)
	CMPQ(back, last)
	JLT(LabelRef("forward"))
	XORQ(at, at)
	Label("anew")
	VPADDW(Mem{Base: column, Index: at, Scale: 1}, f, f)
	ADDQ(Imm(32), at)
	CMPQ(at, last)
	JLE(LabelRef("anew"))
	JMP(LabelRef("found"))

	Label("forward")
	VMOVDQU(Mem{Base: segment, Disp: sum}, f)
	SUBQ(at, column) // of the window that was
	ADDQ(column, at)
	Label("step")
	VPSUBW(Mem{Base: column}, f, f)
	ADDQ(Imm(32), column)
	VPADDW(Mem{Base: column, Index: last, Scale: 1}, f, f)
	CMPQ(column, at)
	JLT(LabelRef("step"))
	JMP(LabelRef("found"))
}

// countItems makes the count of items, four at a time: columns in the even, keys in the odd lanes of 32 bits.
func countItems() {
	sign := constant("keySign", 1<<63)
	function("itemsAVX2", "func(items *uint64, n int, x, last, key uint32) (less uint32)",
		"itemsAVX2 is itemsGo of n items, a multiple of 4 that is not 0; last is w-1.")
	items, n := arg("items"), arg("n")
	all := func(name string) VecVirtual { // a broadcast from the parameter itself is not to go vet's taste
		v := YMM()
		VMOVD(Load(Param(name), GP32()), v.AsX())
		VPBROADCASTD(v.AsX(), v)
		return v
	}
	x, last, key := all("x"), all("last"), all("key")
	signs, sum := YMM(), YMM()
	VMOVDQU(sign, signs)
	VPXOR(signs, key, key)
	VPXOR(sum, sum, sum)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	v, at, inside := YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: items, Index: i, Scale: 8}, v)
	VPSRLD(Imm(16), v, at)
	VPSUBD(x, at, at)
	VPMINUD(last, at, inside)
	VPCMPEQD(at, inside, inside)
	VPXOR(signs, v, v)
	VPCMPGTD(v, key, v)
	VPSRLQ(Imm(32), v, v)
	VPAND(inside, v, v)
	VPSUBD(v, sum, sum)
	ADDQ(Imm(4), i)
	CMPQ(i, n)
	JLT(LabelRef("loop"))
	high := XMM()
	VEXTRACTI128(Imm(1), sum, high)
	VPADDD(high, sum.AsX(), sum.AsX())
	VPSRLDQ(Imm(8), sum.AsX(), high)
	VPADDD(high, sum.AsX(), sum.AsX())
	less := GP32()
	VMOVD(sum.AsX(), less)
	Store(less, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
