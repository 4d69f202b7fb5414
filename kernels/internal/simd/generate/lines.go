package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lineSums makes sums of float samples over lines, of eight lines at once, whose sums lie side by side.
func lineSums() {
	// sample loads four samples of line k, or makes their squares.
	sample := func(lines Register, k int, i Register, squares bool) VecVirtual {
		p, y := GP64(), YMM()
		MOVQ(Mem{Base: lines, Disp: 24 * k}, p) // of a slice, where it lies
		VCVTPS2PD(at(p, i, 4), y)
		if squares {
			VMULPD(y, y, y)
		}
		return y
	}
	for _, squares := range []bool{false, true} {
		name := "One"
		if squares {
			name = "Two"
		}
		function("addLines"+name+"AVX2", "func(t, s *float64, x *[]float32, n int)",
			"addLines"+name+"AVX2 is addLinesGo of n columns, a multiple of 4 that is not 0.")
		t, s, x, n := arg("t"), arg("s"), arg("x"), arg("n")
		loop(n, func(i Register) {
			sum := YMM()
			VMOVUPD(at(s, i, 8), sum)
			for k := 7; k >= 0; k-- {
				VADDPD(sample(x, k, i, squares), sum, sum)
			}
			VMOVUPD(sum, at(t, i, 8))
		})

		function("windowLines"+name+"AVX2", "func(col, heads, stop *float64, tail, head *[]float32, n int)",
			"windowLines"+name+"AVX2 is windowLinesGo of n columns, a multiple of 4 that is not 0.")
		col, heads, stop, tail, head, n := arg("col"), arg("heads"), arg("stop"), arg("tail"), arg("head"), arg("n")
		loop(n, func(i Register) {
			var sums [8]VecVirtual
			last := Op(at(stop, i, 8))
			for k := 7; k >= 0; k-- {
				sums[k] = sample(tail, k, i, squares)
				VADDPD(last, sums[k], sums[k])
				last = sums[k]
			}
			h := YMM()
			VMOVUPD(at(heads, i, 8), h)
			for k := range sums {
				VADDPD(sample(head, k, i, squares), h, h)
				VADDPD(h, sums[k], sums[k])
			}
			VMOVUPD(h, at(heads, i, 8))
			for half := range 2 {
				for k, v := range transpose([4]VecVirtual(sums[4*half:])) {
					VMOVUPD(v, Mem{Base: col, Disp: 64*k + 32*half})
				}
			}
			ADDQ(U32(256), col)
		})
	}

	function("tailLinesAVX2", "func(tail, col *float64, n int)",
		"tailLinesAVX2 is tailLinesGo of n columns, at least one.")
	tail, col, n := arg("tail"), arg("col"), arg("n")
	SHLQ(Imm(6), n)
	a, b := YMM(), YMM()
	VXORPD(a, a, a)
	VXORPD(b, b, b)
	Label("loop")
	VADDPD(Mem{Base: col, Index: n, Scale: 1, Disp: -64}, a, a)
	VADDPD(Mem{Base: col, Index: n, Scale: 1, Disp: -32}, b, b)
	VMOVUPD(a, Mem{Base: tail, Index: n, Scale: 1, Disp: -64})
	VMOVUPD(b, Mem{Base: tail, Index: n, Scale: 1, Disp: -32})
	SUBQ(Imm(64), n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()

	function("headLinesAVX2", "func(sum, tail, col *float64, skip, n int)",
		"headLinesAVX2 is headLinesGo of n columns, at least one.")
	sum, tail, col, skip, n := arg("sum"), arg("tail"), arg("col"), arg("skip"), arg("n")
	a, b = YMM(), YMM()
	VXORPD(a, a, a)
	VXORPD(b, b, b)
	more := func() {
		VADDPD(Mem{Base: col}, a, a)
		VADDPD(Mem{Base: col, Disp: 32}, b, b)
		ADDQ(Imm(64), col)
	}
	TESTQ(skip, skip)
	JZ(LabelRef("loop"))
	Label("skip")
	more()
	DECQ(skip)
	JNZ(LabelRef("skip"))
	Label("loop")
	more()
	x, y := YMM(), YMM()
	VADDPD(Mem{Base: tail}, a, x)
	VADDPD(Mem{Base: tail, Disp: 32}, b, y)
	VMOVUPD(x, Mem{Base: sum})
	VMOVUPD(y, Mem{Base: sum, Disp: 32})
	ADDQ(Imm(64), tail)
	ADDQ(Imm(64), sum)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()

	function("partLinesAVX2", "func(rows *float64, stride int, sums *float64, n int)",
		"partLinesAVX2 is partLinesGo of n columns, a multiple of 4 that is not 0; stride is how many bytes lie between two rows.")
	rows, stride, sums, n := arg("rows"), arg("stride"), arg("sums"), arg("n")
	loop(n, func(i Register) {
		row := GP64()
		MOVQ(rows, row)
		for half := range 2 {
			var v [4]VecVirtual
			for k := range v {
				v[k] = YMM()
				VMOVUPD(Mem{Base: sums, Disp: 64*k + 32*half}, v[k])
			}
			for _, v := range transpose(v) {
				VMOVUPD(v, at(row, i, 8))
				ADDQ(stride, row)
			}
		}
		ADDQ(U32(256), sums)
	})
}

// transpose exchanges the rows and columns of four vectors of four lanes.
func transpose(v [4]VecVirtual) (t [4]VecVirtual) {
	var pairs [4]VecVirtual
	for k := range pairs {
		pairs[k], t[k] = YMM(), YMM()
	}
	for k := range 2 {
		VUNPCKLPD(v[2*k+1], v[2*k], pairs[2*k])
		VUNPCKHPD(v[2*k+1], v[2*k], pairs[2*k+1])
	}
	for k := range 2 {
		VPERM2F128(Imm(0x20), pairs[2+k], pairs[k], t[k])
		VPERM2F128(Imm(0x31), pairs[2+k], pairs[k], t[2+k])
	}
	return t
}
