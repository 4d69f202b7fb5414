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
	thresholdU8AVX2()
	thresholdU16AVX2()
	thresholdF32AVX2()
	thresholdAVX512()
	tableU8AVX2()
	tableU8AVX512()
	tableU16AVX2()
	tableU16AVX512()
	closing()
	spans()
	stats()
	fourSums()
	keys()
	histograms()
	readAll()
	Generate()
}

// function starts a function whose pointers do not escape.
func function(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

// masksOf loads the parameters b, a and words, moves b and a to the end of the words, and gives the index that
// counts up to 0 by the bytes of a word.
func masksOf() (b, a, i Register) {
	b, a, i = Load(Param("b"), GP64()), Load(Param("a"), GP64()), Load(Param("words"), GP64())
	SHLQ(Imm(3), i)
	ADDQ(i, b)
	ADDQ(i, a)
	NEGQ(i)
	return b, a, i
}

// broadcast puts a parameter into all lanes of a register.
func broadcast(param string, op func(...Op), v VecVirtual) VecVirtual {
	c, err := Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	op(c.Addr, v)
	return v
}

// join makes one word of the masks of its halves.
func join(lo, hi Register) {
	SHLQ(Imm(32), hi)
	ORQ(hi, lo)
}

// ahead is how far before its use memory is asked for: further than the processor's own prefetcher looks beyond the
// end of a page, and near enough to stay in the first-level cache. A prefetch of an address that does not exist does
// nothing.
const ahead = 2048
