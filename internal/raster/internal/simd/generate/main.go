// Command generate writes the amd64 assembly of package simd and its Go declarations. It is a module of its own, so
// that the assembler library is no dependency of the program. Run it from package simd:
//
//	go run -C generate . -out ../simd_amd64.s -stubs ../stubs_amd64.go -pkg simd
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	adler()
	above()
	codes()
	parse()
	matches()
	Generate()
}

// function starts a function whose pointers do not escape.
func function(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

// adler adds up bytes, and bytes times how far they are from the end, 32 at a time.
func adler() {
	weights := GLOBL("weights", RODATA|NOPTR)
	for i := range 32 {
		DATA(i, U8(32-i))
	}
	ones := GLOBL("ones", RODATA|NOPTR)
	for i := range 16 {
		DATA(2*i, U16(1))
	}
	function("adlerAVX2", "func(b *byte, blocks int) (sum, weighted uint64)",
		"adlerAVX2 sums blocks of 32 bytes, 1 to 65536 of them, and the bytes times 32*blocks for the first down to 1 for the last.")
	b := Load(Param("b"), GP64())
	n := Load(Param("blocks"), GP64())
	zero, weight, one := YMM(), YMM(), YMM()
	VPXOR(zero, zero, zero)
	VMOVDQU(weights, weight)
	VMOVDQU(ones, one)
	// Sums so far; the sum of what these were before each block; weighted sums within blocks.
	sum, before, within := YMM(), YMM(), YMM()
	for _, v := range []VecVirtual{sum, before, within} {
		VPXOR(v, v, v)
	}
	Label("loop")
	v, t := YMM(), YMM()
	VMOVDQU(Mem{Base: b}, v)
	VPADDQ(sum, before, before)
	VPSADBW(zero, v, t)
	VPADDQ(t, sum, sum)
	VPMADDUBSW(weight, v, t) // 255*(32+31) at most
	VPMADDWD(one, t, t)
	VPADDD(t, within, within)
	ADDQ(Imm(32), b)
	DECQ(n)
	JNZ(LabelRef("loop"))
	// within has lanes of 32 bits, of 65536*32640 at most.
	low, high := YMM(), YMM()
	VPSRLQ(Imm(32), within, high)
	VPBLENDD(Imm(0xaa), zero, within, low)
	VPADDQ(low, high, within)
	VPSLLQ(Imm(5), before, before)
	VPADDQ(before, within, within)
	Store(across(sum), ReturnIndex(0))
	Store(across(within), ReturnIndex(1))
	VZEROUPPER()
	RET()
}

// above compares by subtraction that stops at zero.
func above() {
	function("aboveAVX2", "func(b *byte, blocks int, limit uint8) bool",
		"aboveAVX2 says whether any byte of blocks of 32, at least one, is above a limit.")
	b := Load(Param("b"), GP64())
	n := Load(Param("blocks"), GP64())
	limit, any := YMM(), YMM()
	c, err := Param("limit").Resolve()
	if err != nil {
		panic(err)
	}
	VPBROADCASTB(c.Addr, limit)
	VPXOR(any, any, any)
	Label("loop")
	v := YMM()
	VMOVDQU(Mem{Base: b}, v)
	VPSUBUSB(limit, v, v)
	VPOR(v, any, any)
	ADDQ(Imm(32), b)
	DECQ(n)
	JNZ(LabelRef("loop"))
	is := GP8()
	VPTEST(any, any)
	SETNE(is)
	VZEROUPPER()
	Store(is, ReturnIndex(0))
	RET()
}

// across adds up the four lanes of 64 bits.
func across(v VecVirtual) Register {
	half := XMM()
	VEXTRACTI128(Imm(1), v, half)
	VPADDQ(v.AsX(), half, half)
	other := XMM()
	VPSRLDQ(Imm(8), half, other)
	VPADDQ(other, half, half)
	r := GP64()
	VMOVQ(half, r)
	return r
}

// codes writes the codes of bytes. Shifting by the length in the low bits of a code and or-ing the code itself joins
// two; four are joined two by two, so that little waits for what was joined before.
func codes() {
	function("codesBMI2", "func(out, b *byte, groups int, of *[256]uint64, acc, pending uint64) (size, accOut, pendingOut uint64)",
		"codesBMI2 writes groups of four codes, at least one, and up to eight bytes behind the size it returns.")
	out := Load(Param("out"), GP64())
	b := Load(Param("b"), GP64())
	n := Load(Param("groups"), GP64())
	of := Load(Param("of"), GP64())
	acc := Load(Param("acc"), GP64())
	pending := Load(Param("pending"), GP64())
	begin := GP64()
	MOVQ(out, begin)
	Label("loop")
	c := load(4, b, of)
	four(c, acc, pending)
	flush(out, acc, pending)
	ADDQ(Imm(4), b)
	DECQ(n)
	JNZ(LabelRef("loop"))
	SUBQ(begin, out)
	Store(out, ReturnIndex(0))
	Store(acc, ReturnIndex(1))
	Store(pending, ReturnIndex(2))
	RET()
}

// load loads the codes of n bytes.
func load(n int, b, of Register) []GPVirtual {
	c := make([]GPVirtual, n)
	for i := range c {
		c[i] = GP64()
		MOVBQZX(Mem{Base: b, Disp: i}, c[i])
		MOVQ(Mem{Base: of, Index: c[i], Scale: 8}, c[i])
	}
	return c
}

// join makes of a the codes a and b, and of b their length, in its low bits.
func join(a, b GPVirtual) {
	length := GP64()
	LEAQ(Mem{Base: a, Index: b, Scale: 1}, length)
	SHRXQ(b, a, a)
	ORQ(b, a)
	MOVQ(length, b)
}

// four takes four codes.
func four(c []GPVirtual, acc, pending Register) {
	join(c[0], c[1])
	join(c[2], c[3])
	SHRXQ(c[3], c[0], c[0])
	ORQ(c[2], c[0])
	ADDQ(c[3], c[1])
	take(c[0], c[1], acc, pending)
}

// take takes codes of a length.
func take(c, length GPVirtual, acc, pending Register) {
	SHRXQ(length, acc, acc)
	ORQ(c, acc)
	ADDQ(length, pending)
}

// flush writes whole bytes.
func flush(out, acc, pending Register) {
	word := GP64()
	MOVQ(pending, word)
	NEGQ(word)
	SHRXQ(word, acc, word)
	MOVQ(word, Mem{Base: out})
	ANDQ(Imm(63), pending)
	MOVQ(pending, word)
	SHRQ(Imm(3), word)
	ADDQ(word, out)
	ANDQ(Imm(7), pending)
}
