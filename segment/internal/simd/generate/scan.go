package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// entry is the size of a Closing, and where its fields are.
const (
	entry   = 24
	entryB  = 0
	entryE  = 8
	entryAt = 16
)

// closing is the flag half of the scan.
func closing() {
	function("closingBMI", "func(out, b, a *uint64, words int, at, active uint64) (bytes int, still uint64)",
		"closingBMI lists the words with boundaries in out and gives the size of the list.")
	out := Load(Param("out"), GP64())
	b, a, i := masksOf()
	at := Load(Param("at"), GP64())
	active := Load(Param("active"), GP64()) // 0 or all ones from here on
	NEGQ(active)
	ones := GP64()
	MOVQ(I32(-1), ones)

	word := func(k int) {
		bw, e, next := GP64(), GP64(), GP64()
		MOVQ(Mem{Base: b, Index: i, Scale: 1, Disp: 8 * k}, bw)
		MOVQ(bw, e)
		NOTQ(e)
		ADDQ(active, active) // the carry flag
		ADCQ(Mem{Base: a, Index: i, Scale: 1, Disp: 8 * k}, e)
		SBBQ(active, active)
		ANDQ(bw, e)
		// Written whether it counts or not: which words hold boundaries is hard to predict.
		MOVQ(bw, Mem{Base: out, Disp: entryB})
		MOVQ(e, Mem{Base: out, Disp: entryE})
		MOVQ(at, Mem{Base: out, Disp: entryAt})
		ADDQ(Imm(64), at)
		LEAQ(Mem{Base: out, Disp: entry}, next)
		TESTQ(bw, bw)
		CMOVQNE(next, out)
	}
	JMP(LabelRef("fourIf"))

	// Four words without boundaries only pass on what is active.
	Label("four")
	y := YMM()
	VMOVDQU(Mem{Base: b, Index: i, Scale: 1}, y)
	VPTEST(y, y)
	JNZ(LabelRef("each"))
	VMOVDQU(Mem{Base: a, Index: i, Scale: 1}, y)
	VPTEST(y, y)
	CMOVQNE(ones, active)
	ADDQ(U32(256), at)
	ADDQ(Imm(32), i)
	Label("fourIf")
	CMPQ(i, I8(-32))
	JLE(LabelRef("four"))
	JMP(LabelRef("oneIf"))

	Label("each")
	for k := range 4 {
		word(k)
	}
	ADDQ(Imm(32), i)
	JMP(LabelRef("fourIf"))

	Label("one")
	word(0)
	ADDQ(Imm(8), i)
	Label("oneIf")
	TESTQ(i, i)
	JNZ(LabelRef("one"))

	NEGQ(active)
	size(out)
	Store(active, Return("still"))
	VZEROUPPER()
	RET()
}

// spans is the index half.
func spans() {
	function("spansBMI", "func(out, list *uint64, n int, last uint64) (bytes int)",
		"spansBMI puts into out a pair for every bit of E, from the bit of B before it (last, for the first) to the bit itself,", "and gives their size.")
	out := Load(Param("out"), GP64())
	list := Load(Param("list"), GP64())
	n := Load(Param("n"), GP64())
	last := Load(Param("last"), GP64())
	TESTQ(n, n)
	JZ(LabelRef("done"))

	Label("entry")
	b, notE, at := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: list, Disp: entryB}, b)
	MOVQ(Mem{Base: list, Disp: entryE}, notE)
	MOVQ(Mem{Base: list, Disp: entryAt}, at)
	ADDQ(Imm(entry), list)
	after := GP64() // the last boundary of this word
	LZCNTQ(b, after)
	NEGQ(after)
	LEAQ(Mem{Base: at, Index: after, Scale: 1, Disp: 63}, after)
	NOTQ(notE)

	// Every boundary is written as the end of a pair, and only those of E count. When no bit of b is left, this
	// writes rubbish that does not count.
	boundary := func() {
		bit, pos, e := GP64(), GP64(), GP64()
		TZCNTQ(b, bit)
		LEAQ(Mem{Base: at, Index: bit, Scale: 1}, pos)
		MOVL(last.(GPVirtual).As32(), Mem{Base: out})
		MOVL(pos.As32(), Mem{Base: out, Disp: 4})
		ANDNQ(b, notE, e)
		SHRXQ(bit, e, e)
		ANDL(Imm(1), e.As32())
		LEAQ(Mem{Base: out, Index: e, Scale: 8}, out)
		BLSRQ(b, b)
		MOVQ(pos, last)
	}
	Label("bits")
	for range 2 {
		boundary()
	}
	TESTQ(b, b)
	JNZ(LabelRef("bits"))
	MOVQ(after, last)
	DECQ(n)
	JNZ(LabelRef("entry"))
	Label("done")
	size(out)
	RET()
}

// size stores how far the parameter out has come as the result bytes: a count and not a pointer, which might point
// past the end of what it belongs to.
func size(out Register) {
	start := Load(Param("out"), GP64())
	SUBQ(start, out)
	Store(out, Return("bytes"))
}

// readAll does nothing but read.
func readAll() {
	function("readAllAVX2", "func(v *uint64, words int) uint64",
		"readAllAVX2 is the sum of a multiple of 32 words.")
	v := Load(Param("v"), GP64())
	n := Load(Param("words"), GP64())
	var sum [8]VecVirtual
	for k := range sum {
		sum[k] = YMM()
		VPXOR(sum[k], sum[k], sum[k])
	}
	SHRQ(Imm(5), n)
	JZ(LabelRef("done"))
	Label("loop")
	for k := range sum {
		VPADDQ(Mem{Base: v, Disp: 32 * k}, sum[k], sum[k])
	}
	ADDQ(U32(256), v)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	for k := range 7 {
		VPADDQ(sum[k+1], sum[0], sum[0])
	}
	Store(addLanes(sum[0]), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// addLanes adds the four lanes of a vector.
func addLanes(y VecVirtual) Register {
	x, sum := XMM(), GP64()
	VEXTRACTI128(Imm(1), y, x)
	VPADDQ(x, y.AsX(), x)
	high := XMM()
	VPSRLDQ(Imm(8), x, high)
	VPADDQ(high, x, x)
	VMOVQ(x, sum)
	return sum
}
