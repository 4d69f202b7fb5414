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

// closing is the flag half of the scan. For up to 64 words at once it finds which hold boundaries and which hold
// activations, a bit a word, and then goes from word to word with boundaries. So the branches depend on how many of
// those there are, not on where they are, which is hard to predict.
func closing() {
	function("closingBMI", "func(out, b, a *uint64, words int, at, active uint64) (bytes int, still uint64)",
		"closingBMI lists the words with boundaries in out and gives the size of the list.")
	out := Load(Param("out"), GP64())
	b, a := Load(Param("b"), GP64()), Load(Param("a"), GP64())
	words := Load(Param("words"), GP64())
	at := Load(Param("at"), GP64())
	active := Load(Param("active"), GP64()) // 0, or anything else for 1
	zero := YMM()
	VPXOR(zero, zero, zero)

	Label("block")
	TESTQ(words, words)
	JZ(LabelRef("done"))
	inB, inA, i, n := GP64(), GP64(), GP64(), GP64()
	MOVQ(U32(64), n)
	CMPQ(words, n)
	CMOVQLT(words, n) // of this block
	XORQ(inB, inB)
	XORQ(inA, inA)
	XORQ(i, i)
	SUBQ(n, words)
	SUBQ(Imm(4), n)
	JLT(LabelRef("rest"))
	Label("four")
	for _, m := range []struct{ from, to Register }{{b, inB}, {a, inA}} {
		y, x := YMM(), GP64()
		VPCMPEQQ(Mem{Base: m.from, Index: i, Scale: 8}, zero, y)
		VMOVMSKPD(y, x.As32())
		XORL(Imm(15), x.As32())
		SHLXQ(i, x, x)
		ORQ(x, m.to)
	}
	ADDQ(Imm(4), i)
	CMPQ(i, n)
	JLE(LabelRef("four"))
	Label("rest")
	ADDQ(Imm(4), n)
	JMP(LabelRef("oneIf"))
	Label("one")
	for _, m := range []struct{ from, to Register }{{b, inB}, {a, inA}} {
		x := GP64()
		XORL(x.As32(), x.As32())
		CMPQ(Mem{Base: m.from, Index: i, Scale: 8}, Imm(0))
		SETNE(x.As8())
		SHLXQ(i, x, x)
		ORQ(x, m.to)
	}
	INCQ(i)
	Label("oneIf")
	CMPQ(i, n)
	JLT(LabelRef("one"))

	TESTQ(inB, inB)
	JZ(LabelRef("next"))
	Label("word")
	upTo, before, k, w, e := GP64(), GP64(), GP64(), GP64(), GP64()
	BLSMSKQ(inB, upTo)
	TZCNTQ(inB, k)
	MOVQ(upTo, before)
	SHRQ(Imm(1), before)
	ANDQ(inA, before) // activations in words passed by
	ANDNQ(inA, upTo, inA)
	ORQ(active, before)
	MOVQ(Mem{Base: b, Index: k, Scale: 8}, w)
	MOVQ(w, e)
	NOTQ(e)
	NEGQ(before) // the carry flag: is it anything but 0
	ADCQ(Mem{Base: a, Index: k, Scale: 8}, e)
	SBBQ(active, active)
	ANDQ(w, e)
	SHLQ(Imm(6), k)
	ADDQ(at, k)
	MOVQ(w, Mem{Base: out, Disp: entryB})
	MOVQ(e, Mem{Base: out, Disp: entryE})
	MOVQ(k, Mem{Base: out, Disp: entryAt})
	ADDQ(Imm(entry), out)
	BLSRQ(inB, inB)
	JNZ(LabelRef("word"))

	Label("next")
	ORQ(inA, active) // those after the last boundary
	ADDQ(U32(64*64), at)
	ADDQ(U32(64*8), b)
	ADDQ(U32(64*8), a)
	JMP(LabelRef("block"))

	Label("done")
	still := GP64()
	XORL(still.As32(), still.As32())
	TESTQ(active, active)
	SETNE(still.As8())
	size(out)
	Store(still, Return("still"))
	VZEROUPPER()
	RET()
}

// spans is the index half.
func spans() {
	function("spansBMI", "func(out, list *uint64, n int, last uint64) (bytes int)",
		"spansBMI puts into out a pair for every bit of E, from the bit of B before it (last, for the first) to the bit itself,",
		"and gives their size.")
	out := Load(Param("out"), GP64())
	list := Load(Param("list"), GP64())
	n := Load(Param("n"), GP64())
	last := GP64()
	Load(Param("last"), last)
	TESTQ(n, n)
	JZ(LabelRef("done"))

	Label("entry")
	b, e, at := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: list, Disp: entryB}, b)
	MOVQ(Mem{Base: list, Disp: entryE}, e)
	MOVQ(Mem{Base: list, Disp: entryAt}, at)
	ADDQ(Imm(entry), list)

	// pair writes the span that ends at the lowest bit of e. After it the carry flag says that no boundary of this
	// word lies before.
	pair := func(first bool) {
		below, start, end := GP64(), GP64(), GP64()
		BLSMSKQ(e, below)
		SHRQ(Imm(1), below)
		ANDQ(b, below)
		LZCNTQ(below, start)
		NOTQ(start) // no flags
		LEAQ(Mem{Base: at, Index: start, Scale: 1, Disp: 64}, start)
		if first {
			CMOVQCS(last, start)
		}
		TZCNTQ(e, end)
		ADDQ(at, end)
		MOVL(start.As32(), Mem{Base: out})
		MOVL(end.As32(), Mem{Base: out, Disp: 4})
	}
	// Most words close one span or none, and which is hard to predict: the first pair is written in any case, and
	// counts unless e is 0, which is what the carry flag says of the operand of BLSR.
	pair(true)
	next := GP64()
	LEAQ(Mem{Base: out, Disp: 8}, next)
	BLSRQ(e, e)
	CMOVQCC(next, out)
	JZ(LabelRef("after"))
	Label("more")
	pair(false)
	ADDQ(Imm(8), out)
	BLSRQ(e, e)
	JNZ(LabelRef("more"))

	Label("after")
	LZCNTQ(b, last)
	NOTQ(last)
	LEAQ(Mem{Base: at, Index: last, Scale: 1, Disp: 64}, last)
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
