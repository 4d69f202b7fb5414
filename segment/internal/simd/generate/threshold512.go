package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Predicates of VPCMPUB and VPCMPUW.
const (
	less    = 1
	notLess = 5
)

// gather packs masks of size bits, lowest samples first, into one word.
func gather(masks []OpmaskVirtual, size int) OpmaskVirtual {
	for ; len(masks) > 1; size *= 2 {
		half := masks[:0:0]
		for j := 0; j < len(masks); j += 2 {
			switch size {
			case 16:
				KUNPCKWD(masks[j], masks[j+1], masks[j])
			case 32:
				KUNPCKDQ(masks[j], masks[j+1], masks[j])
			}
			half = append(half, masks[j])
		}
		masks = half
	}
	return masks[0]
}

func thresholdAVX512() {
	integers := []struct {
		name, sample string
		bytes        int
		set          func(...Op)
		compare      func(...Op)
	}{
		{"thresholdU8AVX512", "uint8", 1, VPBROADCASTB, VPCMPUB},
		{"thresholdU16AVX512", "uint16", 2, VPBROADCASTW, VPCMPUW},
	}
	for _, f := range integers {
		function(f.name, "func(b, a *uint64, v *"+f.sample+", words int, lo1, hi "+f.sample+", keepA uint64)",
			f.name+" sets b for v < lo1, and a for v >= hi if keepA is all ones and not 0.")
		b, a, i := masksOf()
		v := Load(Param("v"), GP64())
		lo1, hi := broadcast("lo1", f.set, ZMM()), broadcast("hi", f.set, ZMM())
		keepA := K()
		KMOVQ(Load(Param("keepA"), GP64()), keepA)
		TESTQ(i, i)
		JZ(LabelRef("done"))

		Label("loop")
		var bs, as []OpmaskVirtual
		for k := range f.bytes {
			at := Mem{Base: v, Disp: 64 * k}
			PREFETCHT0(at.Offset(ahead))
			x, n, s := ZMM(), K(), K()
			VMOVDQU64(at, x)
			f.compare(Imm(less), lo1, x, n)
			f.compare(Imm(notLess), hi, x, keepA, s)
			bs, as = append(bs, n), append(as, s)
		}
		n, s := gather(bs, 64/f.bytes), gather(as, 64/f.bytes)
		KMOVQ(n, Mem{Base: b, Index: i, Scale: 1})
		KMOVQ(s, Mem{Base: a, Index: i, Scale: 1})
		ADDQ(U32(64*f.bytes), v)
		ADDQ(Imm(8), i)
		JNZ(LabelRef("loop"))
		Label("done")
		VZEROUPPER()
		RET()
	}

	for _, f := range forms {
		name := "thresholdF32" + f.suffix + "AVX512"
		function(name, "func(b, a *uint64, v *float32, words int, lo, hi float32)",
			name+" sets b for v <= lo, a for v >= hi that is not in b; "+f.doc+".")
		b, a, i := masksOf()
		v := Load(Param("v"), GP64())
		lo, hi := broadcast("lo", VBROADCASTSS, ZMM()), broadcast("hi", VBROADCASTSS, ZMM())
		TESTQ(i, i)
		JZ(LabelRef("done"))

		Label("loop")
		var bs, as [2]OpmaskVirtual
		for half := range 2 {
			var hb, ha []OpmaskVirtual
			for k := range 2 {
				at := Mem{Base: v, Disp: 128*half + 64*k}
				PREFETCHT0(at.Offset(ahead))
				x, kb, ka := ZMM(), K(), K()
				VMOVUPS(at, x)
				VCMPPS(Imm(f.b), lo, x, kb)
				VCMPPS(Imm(f.a), hi, x, ka)
				hb, ha = append(hb, kb), append(ha, ka)
			}
			bs[half], as[half] = gather(hb, 16), gather(ha, 16)
		}
		kb, ka := gather(bs[:], 32), gather(as[:], 32)
		KMOVQ(kb, Mem{Base: b, Index: i, Scale: 1})
		KANDNQ(ka, kb, ka)
		KMOVQ(ka, Mem{Base: a, Index: i, Scale: 1})
		ADDQ(U32(256), v)
		ADDQ(Imm(8), i)
		JNZ(LabelRef("loop"))
		Label("done")
		VZEROUPPER()
		RET()
	}
}
