package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// header is how far the data pointers of the slices in a slice of slices lie apart.
const header = 24

// gaussians makes weighted sums: of lines, and along a line.
func gaussians() {
	weighU8()
	weighU16()
	weighF32()
	weighAlong()
}

// columnLoop runs body over blocks of columns from i, the index of the first, on.
func columnLoop(i, n Register, columns int, body func(i Register)) {
	Label("columns")
	body(i)
	ADDQ(Imm(uint64(columns)), i)
	CMPQ(i, n)
	JLT(LabelRef("columns"))
	VZEROUPPER()
	RET()
}

// storeSums stores 16 sums of 32 bits as float64: lo holds those of columns 0-3 and 8-11, hi the others.
func storeSums(lo, hi VecVirtual, col Register, i Register, column int) {
	x := YMM()
	for k, half := range []VecVirtual{lo, hi, lo, hi} {
		if k < 2 {
			VCVTDQ2PD(half.AsX(), x)
		} else {
			h := XMM()
			VEXTRACTI128(Imm(1), half, h)
			VCVTDQ2PD(h, x)
		}
		VMOVUPD(x, Mem{Base: col, Index: i, Scale: 8, Disp: 8 * (column + 4*k)})
	}
}

// sumsOf32 clears the accumulators of 32 columns.
func sumsOf32() (lo, hi [2]VecVirtual) {
	for k := range 2 {
		lo[k], hi[k] = YMM(), YMM()
		VPXOR(lo[k], lo[k], lo[k])
		VPXOR(hi[k], hi[k], hi[k])
	}
	return lo, hi
}

// multiplyAdd adds products of pairs of words.
func multiplyAdd(a, b, w, lo, hi VecVirtual) {
	x, y := YMM(), YMM()
	VPUNPCKLWD(b, a, x)
	VPUNPCKHWD(b, a, y)
	VPMADDWD(w, x, x)
	VPMADDWD(w, y, y)
	VPADDD(x, lo, lo)
	VPADDD(y, hi, hi)
}

// weighU8 adds lines in pairs of equal distance, and multiplies two distances at once.
func weighU8() {
	function("weighU8AVX2", "func(col *float64, rows **uint8, w *uint32, pairs, from, n int)",
		"weighU8AVX2 is weighGo of columns from to n-1, a multiple of 32 that is not 0; w holds pairs of weights of 16 bits, and the",
		"last may have a weight of 0 and the lines that go with it.")
	col, rows, w, pairs, n := arg("col"), arg("rows"), arg("w"), arg("pairs"), arg("n")
	columnLoop(arg("from"), n, 32, func(i Register) {
		lo, hi := sumsOf32()
		row, k := GP64(), GP64()
		MOVQ(rows, row)
		XORQ(k, k)
		sum := func(at int, alone bool) (s [2]VecVirtual) {
			p, q := GP64(), GP64()
			MOVQ(Mem{Base: row, Disp: at * header}, p)
			if !alone {
				MOVQ(Mem{Base: row, Disp: (at + 1) * header}, q)
			}
			for h := range s {
				s[h] = YMM()
				VPMOVZXBW(Mem{Base: p, Index: i, Scale: 1, Disp: 16 * h}, s[h])
				if !alone {
					x := YMM()
					VPMOVZXBW(Mem{Base: q, Index: i, Scale: 1, Disp: 16 * h}, x)
					VPADDW(x, s[h], s[h])
				}
			}
			return s
		}
		both := func(a, b [2]VecVirtual) {
			weight := YMM()
			VPBROADCASTD(Mem{Base: w, Index: k, Scale: 4}, weight)
			for h := range a {
				multiplyAdd(a[h], b[h], weight, lo[h], hi[h])
			}
		}
		both(sum(0, true), sum(1, false))
		ADDQ(Imm(3*header), row)
		JMP(LabelRef("next"))
		Label("pair")
		both(sum(0, false), sum(2, false))
		ADDQ(Imm(4*header), row)
		Label("next")
		INCQ(k)
		CMPQ(k, pairs)
		JLT(LabelRef("pair"))
		for h := range lo {
			storeSums(lo[h], hi[h], col, i, 16*h)
		}
	})
}

// weighU16 takes samples less 32768, as words have signs, and puts that back into the sum.
func weighU16() {
	sign := constant("signs", 0x8000800080008000)
	whole := constant("weighed", 1<<29<<32|1<<29)
	function("weighU16AVX2", "func(col *float64, rows **uint8, w *uint32, distances, from, n int)",
		"weighU16AVX2 is weighGo of columns from to n-1, a multiple of 32 that is not 0; w holds every weight twice, in 16 bits.")
	col, rows, w, distances, n := arg("col"), arg("rows"), arg("w"), arg("distances"), arg("n")
	signs, zero := YMM(), YMM()
	VMOVDQU(sign, signs)
	VPXOR(zero, zero, zero)
	columnLoop(arg("from"), n, 32, func(i Register) {
		lo, hi := sumsOf32()
		row, k, p := GP64(), GP64(), GP64()
		weight := YMM()
		MOVQ(Mem{Base: rows}, p)
		VPBROADCASTD(Mem{Base: w}, weight)
		for h := range lo {
			x := YMM()
			VPXOR(Mem{Base: p, Index: i, Scale: 2, Disp: 32 * h}, signs, x)
			multiplyAdd(x, zero, weight, lo[h], hi[h])
		}
		LEAQ(Mem{Base: rows, Disp: header}, row)
		MOVQ(U32(1), k)
		JMP(LabelRef("next"))
		Label("distance")
		q := GP64()
		MOVQ(Mem{Base: row}, p)
		MOVQ(Mem{Base: row, Disp: header}, q)
		VPBROADCASTD(Mem{Base: w, Index: k, Scale: 4}, weight)
		for h := range lo {
			x, y := YMM(), YMM()
			VPXOR(Mem{Base: p, Index: i, Scale: 2, Disp: 32 * h}, signs, x)
			VPXOR(Mem{Base: q, Index: i, Scale: 2, Disp: 32 * h}, signs, y)
			multiplyAdd(x, y, weight, lo[h], hi[h])
		}
		ADDQ(Imm(2*header), row)
		INCQ(k)
		Label("next")
		CMPQ(k, distances)
		JLT(LabelRef("distance"))
		for h := range lo {
			VPADDD(whole, lo[h], lo[h])
			VPADDD(whole, hi[h], hi[h])
			storeSums(lo[h], hi[h], col, i, 16*h)
		}
	})
}

// weighF32 adds line after line, in float64.
func weighF32() {
	function("weighF32AVX2", "func(col *float64, rows **uint8, w *float64, distances, from, n int)",
		"weighF32AVX2 is weighGo of columns from to n-1, a multiple of 16 that is not 0.")
	col, rows, w, distances, n := arg("col"), arg("rows"), arg("w"), arg("distances"), arg("n")
	columnLoop(arg("from"), n, 16, func(i Register) {
		row, k, p := GP64(), GP64(), GP64()
		weight := YMM()
		var acc [4]VecVirtual
		for h := range acc {
			acc[h] = YMM()
			VXORPD(acc[h], acc[h], acc[h])
		}
		add := func(disp int) {
			MOVQ(Mem{Base: row, Disp: disp}, p)
			for h := range acc {
				x := YMM()
				VCVTPS2PD(Mem{Base: p, Index: i, Scale: 4, Disp: 16 * h}, x)
				VMULPD(weight, x, x)
				VADDPD(x, acc[h], acc[h])
			}
		}
		MOVQ(rows, row)
		VBROADCASTSD(Mem{Base: w}, weight)
		add(0)
		ADDQ(Imm(header), row)
		MOVQ(U32(1), k)
		JMP(LabelRef("next"))
		Label("distance")
		VBROADCASTSD(Mem{Base: w, Index: k, Scale: 8}, weight)
		add(0)
		add(header)
		ADDQ(Imm(2*header), row)
		INCQ(k)
		Label("next")
		CMPQ(k, distances)
		JLT(LabelRef("distance"))
		for h := range acc {
			VMOVUPD(acc[h], Mem{Base: col, Index: i, Scale: 8, Disp: 32 * h})
		}
	})
}

// weighAlong adds pairs of columns at equal distance.
func weighAlong() {
	for _, exact := range []bool{false, true} {
		name, of := "weighAlongAVX2", "of any columns"
		if exact {
			name, of = "weighWholeAVX2", "of columns that are whole numbers below 2^31, where fused products are exact, too"
		}
		function(name, "func(sum, middle *float64, w *float64, distances, from, n int)",
			name+" is weighAlongGo of windows from to n-1, a multiple of 32 that is not 0; middle is the column amid the first,",
			of+".")
		sum, middle, w, distances, n := arg("sum"), arg("middle"), arg("w"), arg("distances"), arg("n")
		columnLoop(arg("from"), n, 32, func(i Register) {
			left, right, k := GP64(), GP64(), GP64()
			weight := YMM()
			LEAQ(Mem{Base: middle, Index: i, Scale: 8}, left)
			MOVQ(left, right)
			VBROADCASTSD(Mem{Base: w}, weight)
			var acc [8]VecVirtual
			for h := range acc {
				acc[h] = YMM()
				VMULPD(Mem{Base: left, Disp: 32 * h}, weight, acc[h])
			}
			MOVQ(U32(1), k)
			JMP(LabelRef("next"))
			Label("distance")
			SUBQ(Imm(8), left)
			ADDQ(Imm(8), right)
			VBROADCASTSD(Mem{Base: w, Index: k, Scale: 8}, weight)
			for h := range acc {
				x := YMM()
				VMOVUPD(Mem{Base: left, Disp: 32 * h}, x)
				VADDPD(Mem{Base: right, Disp: 32 * h}, x, x)
				if exact {
					VFMADD231PD(weight, x, acc[h])
				} else {
					VMULPD(weight, x, x)
					VADDPD(x, acc[h], acc[h])
				}
			}
			INCQ(k)
			Label("next")
			CMPQ(k, distances)
			JLT(LabelRef("distance"))
			for h := range acc {
				VMOVUPD(acc[h], Mem{Base: sum, Index: i, Scale: 8, Disp: 32 * h})
			}
		})
	}
}
