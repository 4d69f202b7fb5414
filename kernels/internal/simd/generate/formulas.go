package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// formulas makes thresholds of sums and deviations. Products are never fused with sums: that would round otherwise.
func formulas() {
	params := func(names ...string) (v []VecVirtual) {
		for _, name := range names {
			v = append(v, broadcast(name, VBROADCASTSD, YMM()))
		}
		return v
	}
	formula := func(name, portable, constants string, body func(s, root VecVirtual, c []VecVirtual) VecVirtual, names ...string) {
		function(name, "func(t, s, d *float64, n int, "+constants+" float64)",
			name+" is "+portable+" of n windows, a multiple of 4 that is not 0.")
		t, s, d, n := arg("t"), arg("s"), arg("d"), arg("n")
		c := params(names...)
		loop(n, func(i Register) {
			root, sum := YMM(), YMM()
			VSQRTPD(at(d, i, 8), root)
			VMOVUPD(at(s, i, 8), sum)
			VMOVUPD(body(sum, root, c), at(t, i, 8))
		})
	}
	formula("niblackAVX2", "niblackGo", "k", func(s, root VecVirtual, c []VecVirtual) VecVirtual {
		VMULPD(root, c[0], root)
		VSUBPD(root, s, s)
		return s
	}, "k")
	formula("sauvolaAVX2", "sauvolaGo", "flat, k", func(s, root VecVirtual, c []VecVirtual) VecVirtual {
		VMULPD(root, c[1], root)
		VADDPD(root, c[0], root)
		VMULPD(root, s, s)
		return s
	}, "flat", "k")
	formula("wolfAVX2", "wolfGo", "k, weight, least", func(s, root VecVirtual, c []VecVirtual) VecVirtual {
		VMULPD(root, c[0], root)
		VSUBPD(c[1], root, root)
		above := YMM()
		VSUBPD(c[2], s, above)
		VMULPD(above, root, root)
		VADDPD(root, s, s)
		return s
	}, "k", "weight", "least")

	var terms []Mem // of the decay: 1/64, 1/120, 1/24, 1/6, 1/2, 1
	for k, x := range []float64{1. / 64, 1. / 120, 1. / 24, 1. / 6, 1. / 2, 1} {
		terms = append(terms, constant([...]string{"step", "term5", "term4", "term3", "term2", "term1"}[k], math.Float64bits(x)))
	}
	function("phansalkarAVX2", "func(t, s, d *float64, n int, exp *float64, least, steps, top, flat, p, k float64)",
		"phansalkarAVX2 is phansalkarGo of n windows, a multiple of 4 that is not 0.")
	t, s, d, n, exp := arg("t"), arg("s"), arg("d"), arg("n"), arg("exp")
	c := params("least", "steps", "top", "flat", "p", "k")
	least, steps, top, flat, p, k := c[0], c[1], c[2], c[3], c[4], c[5]
	zero := YMM()
	VXORPD(zero, zero, zero)
	loop(n, func(i Register) {
		above, x, whole, e, mask := YMM(), YMM(), YMM(), YMM(), YMM()
		VMOVUPD(at(s, i, 8), above)
		VSUBPD(least, above, above)
		VMULPD(steps, above, x)
		VMAXPD(zero, x, x) // NaN becomes 0
		VMINPD(x, top, x)
		index := XMM()
		VCVTTPD2DQY(x, index)
		VCVTDQ2PD(index, whole)
		VSUBPD(whole, x, x)
		VPCMPEQD(mask, mask, mask)
		VXORPD(e, e, e)
		VGATHERDPD(mask, Mem{Base: exp, Index: index, Scale: 8}, e)
		VMULPD(terms[0], x, x)
		y := YMM()
		VMULPD(terms[1], x, y)
		for _, term := range terms[2:] {
			one := YMM()
			VMOVUPD(term, one)
			VSUBPD(y, one, y)
			VMULPD(y, x, y)
		}
		one := YMM()
		VMOVUPD(terms[5], one)
		VSUBPD(y, one, y)
		VMULPD(y, e, e)
		VMULPD(e, p, e)
		VADDPD(e, flat, e)
		VSQRTPD(at(d, i, 8), y)
		VMULPD(y, k, y)
		VADDPD(y, e, e)
		VMULPD(e, above, e)
		VADDPD(e, least, e)
		VMOVUPD(e, at(t, i, 8))
	})
}

// floatSums makes the sums of float samples, in float64.
func floatSums() {
	function("largestAVX2", "func(d *float64, n int) (top float64)",
		"largestAVX2 is largestGo of n numbers, a multiple of 16 that is not 0.")
	d, n := arg("d"), arg("n")
	var tops [4]VecVirtual
	for k := range tops {
		tops[k] = YMM()
		VXORPD(tops[k], tops[k], tops[k])
	}
	i := GP64()
	XORQ(i, i)
	Label("loop")
	for k := range tops {
		y := YMM()
		VMOVUPD(Mem{Base: d, Index: i, Scale: 8, Disp: 32 * k}, y)
		VMAXPD(tops[k], y, tops[k]) // the top where the number is NaN
	}
	ADDQ(Imm(16), i)
	CMPQ(i, n)
	JLT(LabelRef("loop"))
	VMAXPD(tops[1], tops[0], tops[0])
	VMAXPD(tops[3], tops[2], tops[2])
	VMAXPD(tops[2], tops[0], tops[0])
	high := XMM()
	VEXTRACTF128(Imm(1), tops[0], high)
	VMAXPD(high, tops[0].AsX(), high)
	low := XMM()
	VPERMILPD(Imm(1), high, low)
	VMAXSD(high, low, low)
	Store(low, ReturnIndex(0))
	VZEROUPPER()
	RET()

	function("finiteAVX2", "func(x *float32, blocks int) (all bool)",
		"finiteAVX2 is finiteGo of blocks of 32 samples, at least one.")
	v, blocks := arg("x"), arg("blocks")
	odd, nothing := YMM(), YMM()
	VXORPS(odd, odd, odd)
	VXORPS(nothing, nothing, nothing)
	Label("loop")
	for k := range 4 {
		y := YMM()
		VMOVUPS(Mem{Base: v, Disp: 32 * k}, y)
		VSUBPS(y, y, y) // 0, or NaN
		VCMPPS(Imm(unordered), y, nothing, y)
		VORPS(y, odd, odd)
	}
	ADDQ(Imm(128), v)
	DECQ(blocks)
	JNZ(LabelRef("loop"))
	VTESTPS(odd, odd)
	all := GP8()
	SETEQ(all)
	Store(all, ReturnIndex(0))
	VZEROUPPER()
	RET()

	function("deviationsAVX2", "func(d, s *float64, n int, area float64)",
		"deviationsAVX2 is deviationsGo of n windows, a multiple of 4 that is not 0.")
	d, s := arg("d"), arg("s")
	n = arg("n")
	area := broadcast("area", VBROADCASTSD, YMM())
	zero := YMM()
	VXORPD(zero, zero, zero)
	loop(n, func(i Register) {
		x, y := YMM(), YMM()
		VMOVUPD(at(s, i, 8), y)
		VMULPD(at(d, i, 8), area, x)
		VMULPD(y, y, y)
		VSUBPD(y, x, x)
		VMAXPD(x, zero, x) // 0 where x is below; NaN stays
		VMOVUPD(x, at(d, i, 8))
	})
}
