package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// loop runs body over n elements, four at a time and n a multiple of 4 that is not 0, with the index of the first.
func loop(n Register, body func(i Register)) {
	i := GP64()
	XORQ(i, i)
	Label("loop")
	body(i)
	ADDQ(Imm(4), i)
	CMPQ(i, n)
	JLT(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// at is element i of 1, 2, 4 or 8 bytes.
func at(base, i Register, size uint8) Mem { return Mem{Base: base, Index: i, Scale: size} }

// constant makes a vector of four words in memory, to be used as an operand.
func constant(name string, v uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for k := range 4 {
		DATA(8*k, U64(v))
	}
	return m
}

// Numbers whose low mantissa bits hold a whole number: x | magic52 is 2^52 + x, x | magic84 is 2^84 + 2^32 x.
const (
	magic52 = 0x4330000000000000
	magic84 = 0x4530000000000000
	bothOf  = 0x4530000000100000 // 2^84 + 2^52
)

type magics struct{ low, high, both VecVirtual }

func loadMagics(m52, m84, both Mem) magics {
	m := magics{YMM(), YMM(), YMM()}
	VMOVDQU(m52, m.low)
	VMOVDQU(m84, m.high)
	VMOVDQU(both, m.both)
	return m
}

// float makes float64 of whole numbers below 2^64, rounded once. Destroys x.
func (m magics) float(x VecVirtual) VecVirtual {
	lo := YMM()
	VPBLENDD(Imm(0x55), x, m.low, lo) // the lower halves
	VPSRLQ(Imm(32), x, x)
	VPOR(m.high, x, x)
	VSUBPD(m.both, x, x)
	VADDPD(lo, x, x)
	return x
}

// small does so below 2^52.
func (m magics) small(x VecVirtual) VecVirtual {
	VPOR(m.low, x, x)
	VSUBPD(m.low, x, x)
	return x
}

// columnSums makes the updates of sums of columns.
func columnSums() {
	function("shiftU8AVX2", "func(col *uint32, in, out *uint8, n int)",
		"shiftU8AVX2 is shiftU8Go of n columns, a multiple of 8 that is not 0.")
	col, in, out, n := arg("col"), arg("in"), arg("out"), arg("n")
	i := GP64()
	XORQ(i, i)
	Label("loop")
	x, y := YMM(), YMM()
	VPMOVZXBD(at(in, i, 1), x)
	VPMOVZXBD(at(out, i, 1), y)
	VPSUBD(y, x, x)
	VPADDD(at(col, i, 4), x, x)
	VMOVDQU(x, at(col, i, 4))
	ADDQ(Imm(8), i)
	CMPQ(i, n)
	JLT(LabelRef("loop"))
	VZEROUPPER()
	RET()

	function("shiftPackedAVX2", "func(col *uint64, in, out *uint8, n int)",
		"shiftPackedAVX2 is shiftPackedGo of n columns, a multiple of 4 that is not 0.")
	col, in, out, n = arg("col"), arg("in"), arg("out"), arg("n")
	loop(n, func(i Register) {
		pack := func(row Register) VecVirtual {
			x, square := YMM(), YMM()
			VPMOVZXBQ(at(row, i, 1), x)
			VPMULUDQ(x, x, square)
			VPSLLQ(Imm(32), square, square)
			VPOR(square, x, x)
			return x
		}
		x, y := pack(in), pack(out)
		VPSUBQ(y, x, x)
		VPADDQ(at(col, i, 8), x, x)
		VMOVDQU(x, at(col, i, 8))
	})

	function("shiftU16AVX2", "func(one, two *uint64, in, out *uint16, n int)",
		"shiftU16AVX2 is shiftU16Go of n columns, a multiple of 4 that is not 0.")
	one, two, in, out, n := arg("one"), arg("two"), arg("in"), arg("out"), arg("n")
	loop(n, func(i Register) {
		x, y, xx, yy := YMM(), YMM(), YMM(), YMM()
		VPMOVZXWQ(at(in, i, 2), x)
		VPMOVZXWQ(at(out, i, 2), y)
		VPMULUDQ(x, x, xx)
		VPMULUDQ(y, y, yy)
		VPSUBQ(y, x, x)
		VPSUBQ(yy, xx, xx)
		VPADDQ(at(one, i, 8), x, x)
		VPADDQ(at(two, i, 8), xx, xx)
		VMOVDQU(x, at(one, i, 8))
		VMOVDQU(xx, at(two, i, 8))
	})

	function("shiftOneU16AVX2", "func(col *uint64, in, out *uint16, n int)",
		"shiftOneU16AVX2 is shiftOneU16Go of n columns, a multiple of 4 that is not 0.")
	col, in, out, n = arg("col"), arg("in"), arg("out"), arg("n")
	loop(n, func(i Register) {
		x, y := YMM(), YMM()
		VPMOVZXWQ(at(in, i, 2), x)
		VPMOVZXWQ(at(out, i, 2), y)
		VPSUBQ(y, x, x)
		VPADDQ(at(col, i, 8), x, x)
		VMOVDQU(x, at(col, i, 8))
	})
}

// sums makes floats of the sums of windows.
func sums() {
	m52, m84, both := constant("magic52", magic52), constant("magic84", magic84), constant("magicBoth", bothOf)

	function("unpackAVX2", "func(s, d *float64, sums *uint64, n int, area uint64)",
		"unpackAVX2 is unpackGo of n windows, a multiple of 4 that is not 0.")
	s, d, sum, n := arg("s"), arg("d"), arg("sums"), arg("n")
	area := broadcast("area", VPBROADCASTQ, YMM())
	m := loadMagics(m52, m84, both)
	loop(n, func(i Register) {
		x, one, two := YMM(), YMM(), YMM()
		VMOVDQU(at(sum, i, 8), x)
		VPSRLQ(Imm(32), x, two)
		VPMULUDQ(area, two, two)
		VPMULUDQ(x, x, one) // of the lower halves
		VPSUBQ(one, two, two)
		VPBLENDD(Imm(0x55), x, m.low, x)
		VSUBPD(m.low, x, x)
		VMOVUPD(x, at(s, i, 8))
		VMOVUPD(m.float(two), at(d, i, 8))
	})

	function("widenAVX2", "func(s, d *float64, one, two *uint64, n int, area uint64)",
		"widenAVX2 is widenGo of n windows, a multiple of 4 that is not 0.")
	s, d, n = arg("s"), arg("d"), arg("n")
	ones, twos := arg("one"), arg("two")
	area = broadcast("area", VPBROADCASTQ, YMM())
	m = loadMagics(m52, m84, both)
	loop(n, func(i Register) {
		x, one, two, hi := YMM(), YMM(), YMM(), YMM()
		VMOVDQU(at(ones, i, 8), x)
		VMOVDQU(at(twos, i, 8), two)
		VPSRLQ(Imm(32), two, hi)
		VPMULUDQ(area, two, two)
		VPMULUDQ(area, hi, hi)
		VPSLLQ(Imm(32), hi, hi)
		VPADDQ(hi, two, two)
		VPMULUDQ(x, x, one)
		VPSUBQ(one, two, two)
		VMOVUPD(m.small(x), at(s, i, 8))
		VMOVUPD(m.float(two), at(d, i, 8))
	})

	function("meansAVX2", "func(t *float64, sums *uint64, n int, off float64)",
		"meansAVX2 is meansGo of n windows, a multiple of 4 that is not 0.")
	t, n := arg("t"), arg("n")
	sum = arg("sums")
	off := broadcast("off", VBROADCASTSD, YMM())
	m = loadMagics(m52, m84, both)
	loop(n, func(i Register) {
		x := YMM()
		VMOVDQU(at(sum, i, 8), x)
		m.small(x)
		VSUBPD(off, x, x)
		VMOVUPD(x, at(t, i, 8))
	})

	function("meansU32AVX2", "func(t *float64, sums *uint32, n int, off float64)",
		"meansU32AVX2 is meansGo of n windows, a multiple of 4 that is not 0.")
	t, n, sum = arg("t"), arg("n"), arg("sums")
	off = broadcast("off", VBROADCASTSD, YMM())
	loop(n, func(i Register) {
		x := YMM()
		VCVTDQ2PD(at(sum, i, 4), x)
		VSUBPD(off, x, x)
		VMOVUPD(x, at(t, i, 8))
	})
}

// compares makes the comparisons of samples with thresholds.
func compares() {
	for _, f := range []struct {
		name, sample string
		size         uint8
	}{{"compareU8AVX2", "uint8", 1}, {"compareU16AVX2", "uint16", 2}, {"compareF32AVX2", "float32", 4}} {
		nan, masks := "", 2
		if f.size == 4 {
			nan, masks = ", nan", 3
		}
		function(f.name, "func(b, a"+nan+" *uint64, v *"+f.sample+", t *float64, words int, n, margin float64)",
			f.name+" compares 64 words samples, at least one word.")
		to := []Register{arg("b"), arg("a")}
		if masks == 3 {
			to = append(to, arg("nan"))
		}
		v, t, words := arg("v"), arg("t"), arg("words")
		n, margin := broadcast("n", VBROADCASTSD, YMM()), broadcast("margin", VBROADCASTSD, YMM())
		Label("word")
		w := newMaskWords(masks)
		Label("step")
		x, le, gt := YMM(), YMM(), YMM()
		var all []VecVirtual
		switch f.size {
		case 1:
			VPMOVZXBD(Mem{Base: v}, x.AsX())
			VCVTDQ2PD(x.AsX(), x)
		case 2:
			VPMOVZXWD(Mem{Base: v}, x.AsX())
			VCVTDQ2PD(x.AsX(), x)
		case 4:
			VCVTPS2PD(Mem{Base: v}, x)
			none := YMM()
			VCMPPD(Imm(unordered), x, x, none)
			all = append(all, none)
		}
		VMULPD(n, x, x)
		VMOVUPD(Mem{Base: t}, gt)
		VCMPPD(Imm(atMost), gt, x, le)
		VADDPD(margin, gt, gt)
		VCMPPD(Imm(greater), gt, x, gt)
		w.add(append([]VecVirtual{le, gt}, all...)...)
		ADDQ(Imm(uint64(4*f.size)), v)
		ADDQ(Imm(32), t)
		w.next("step")
		w.store(to...)
		DECQ(words)
		JNZ(LabelRef("word"))
		VZEROUPPER()
		RET()
	}
}
