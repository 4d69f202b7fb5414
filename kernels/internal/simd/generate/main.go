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
	count()
	medians()
	countItems()
	codes()
	pairs()
	slides()
	mids()
	midsF32()
	columnSums()
	sums()
	compares()
	formulas()
	floatSums()
	lineSums()
	gaussians()
	Generate()
}

// function starts a function whose pointers do not escape.
func function(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

// arg loads a parameter.
func arg(name string) Register { return Load(Param(name), GP64()) }

// broadcast puts a parameter into all lanes of a register.
func broadcast(param string, op func(...Op), v VecVirtual) VecVirtual {
	c, err := Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	op(c.Addr, v)
	return v
}
