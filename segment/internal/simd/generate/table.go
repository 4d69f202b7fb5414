package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A set of byte values is 16 rows by low nibble, 16 bits each by high nibble. Low and high halves of the rows lie in
// two vectors of 16 bytes: rows[0] holds high nibbles 0 to 7, rows[1] 8 to 15. A shuffle gives 0 for an index with
// its top bit set, so that a sample finds its row in one of the two and 0 in the other.

// nibbles makes the constants of a look-up by nibbles in all lanes of 16 bytes.
func nibbles() (bits, index, low Mem) {
	bits = GLOBL("nibbleBits", RODATA|NOPTR)
	for k := range 32 {
		DATA(k, U8(1<<(k%8)))
	}
	index = GLOBL("nibbleIndex", RODATA|NOPTR)
	for k := range 32 {
		DATA(k, U8(0x8f))
	}
	low = GLOBL("nibbleLow", RODATA|NOPTR)
	for k := range 32 {
		DATA(k, U8(0x0f))
	}
	return bits, index, low
}

func tableU8AVX2() {
	bits, index, low := nibbles()
	function("tableU8AVX2", "func(b, a *uint64, v *uint8, words int, rows *[4][16]uint8)",
		"tableU8AVX2 looks samples up by nibbles in the rows of b, low and high, and of a.")
	b, a, i := masksOf()
	v := Load(Param("v"), GP64())
	rows := Load(Param("rows"), GP64())
	var row [4]VecVirtual
	for k := range row {
		row[k] = YMM()
		VBROADCASTI128(Mem{Base: rows, Disp: 16 * k}, row[k])
	}
	bit, idx, nib, top := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(bits, bit)
	VMOVDQU(index, idx)
	VMOVDQU(low, nib)
	VPXOR(nib, idx, top)
	TESTQ(i, i)
	JZ(LabelRef("done"))

	Label("loop")
	PREFETCHT0(Mem{Base: v, Disp: ahead})
	var masks [2][2]Register
	for k := range 2 {
		x, first, second := YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: v, Disp: 32 * k}, x)
		VPAND(idx, x, first)
		VPXOR(top, first, second)
		VPSRLW(Imm(4), x, x)
		VPAND(nib, x, x)
		VPSHUFB(x, bit, x)
		for s := range 2 {
			y, z := YMM(), YMM()
			VPSHUFB(first, row[2*s], y)
			VPSHUFB(second, row[2*s+1], z)
			VPOR(z, y, y)
			VPAND(x, y, y)
			VPCMPEQB(x, y, y)
			masks[s][k] = GP64()
			VPMOVMSKB(y, masks[s][k].(GPVirtual).As32())
		}
	}
	for s, to := range []Register{b, a} {
		join(masks[s][0], masks[s][1])
		MOVQ(masks[s][0], Mem{Base: to, Index: i, Scale: 1})
	}
	ADDQ(Imm(64), v)
	ADDQ(Imm(8), i)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

func tableU8AVX512() {
	function("tableU8AVX512", "func(b, a *uint64, v *uint8, words int, rows *[4][16]uint8)",
		"tableU8AVX512 looks samples up by nibbles in the rows of b, low and high, and of a.")
	b, a, i := masksOf()
	v := Load(Param("v"), GP64())
	rows := Load(Param("rows"), GP64())
	var row [4]VecVirtual
	for k := range row {
		row[k] = ZMM()
		VBROADCASTI32X4(Mem{Base: rows, Disp: 16 * k}, row[k])
	}
	bit, idx, nib, top := ZMM(), ZMM(), ZMM(), ZMM()
	for _, c := range []struct {
		name string
		v    VecVirtual
	}{{"nibbleBits", bit}, {"nibbleIndex", idx}, {"nibbleLow", nib}} {
		VBROADCASTI32X4(Mem{Symbol: Symbol{Name: c.name, Static: true}, Base: StaticBase}, c.v)
	}
	VPXORQ(nib, idx, top)
	TESTQ(i, i)
	JZ(LabelRef("done"))

	Label("loop")
	PREFETCHT0(Mem{Base: v, Disp: ahead})
	x, first, second := ZMM(), ZMM(), ZMM()
	VMOVDQU64(Mem{Base: v}, x)
	VPANDQ(idx, x, first)
	VPXORQ(top, first, second)
	VPSRLW(Imm(4), x, x)
	VPANDQ(nib, x, x)
	VPSHUFB(x, bit, x)
	for s, to := range []Register{b, a} {
		y, z, k := ZMM(), ZMM(), K()
		VPSHUFB(first, row[2*s], y)
		VPSHUFB(second, row[2*s+1], z)
		VPORQ(z, y, y)
		VPTESTMB(x, y, k)
		KMOVQ(k, Mem{Base: to, Index: i, Scale: 1})
	}
	ADDQ(Imm(64), v)
	ADDQ(Imm(8), i)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()

	function("tableU8VBMI", "func(b, a *uint64, v *uint8, words int, of *[256]uint8)",
		"tableU8VBMI looks samples up in the whole table: two permutations over 128 entries each, the sample's top bit",
		"choosing between them.")
	b, a, i = masksOf()
	v = Load(Param("v"), GP64())
	of := Load(Param("of"), GP64())
	var part [4]VecVirtual
	for k := range part {
		part[k] = ZMM()
		VMOVDQU64(Mem{Base: of, Disp: 64 * k}, part[k])
	}
	isB, isA := ZMM(), ZMM()
	VPTERNLOGD(U8(0xff), isA, isA, isA) // all ones
	VPABSB(isA, isB)                    // 1
	VPADDB(isB, isB, isA)               // 2
	TESTQ(i, i)
	JZ(LabelRef("done"))

	Label("loop")
	PREFETCHT0(Mem{Base: v, Disp: ahead})
	x, y, upper, k := ZMM(), ZMM(), K(), K()
	VMOVDQU64(Mem{Base: v}, x)
	VPMOVB2M(x, upper)
	VMOVDQA64(x, y)
	VPERMI2B(part[1], part[0], x)
	VPERMI2B(part[3], part[2], y)
	VMOVDQU8(y, upper, x)
	VPTESTMB(isB, x, k)
	KMOVQ(k, Mem{Base: b, Index: i, Scale: 1})
	k = K()
	VPTESTMB(isA, x, k)
	KMOVQ(k, Mem{Base: a, Index: i, Scale: 1})
	ADDQ(Imm(64), v)
	ADDQ(Imm(8), i)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// tableU16AVX2 does not gather, which is slower than plain loads there: it inserts the entries one by one into vectors.
func tableU16AVX2() {
	function("tableU16AVX2", "func(b, a *uint64, v *uint16, words int, of *uint8)",
		"tableU16AVX2 looks samples up one by one and makes masks of 32 at a time.")
	b, a, i := masksOf()
	v := Load(Param("v"), GP64())
	of := Load(Param("of"), GP64())
	TESTQ(i, i)
	JZ(LabelRef("done"))

	Label("loop")
	PREFETCHT0(Mem{Base: v, Disp: ahead})
	PREFETCHT0(Mem{Base: v, Disp: ahead + 64})
	var masks [2][2]Register
	for half := range 2 {
		var x [2]VecVirtual
		for k := range x {
			x[k] = YMM()
			for j := range 16 {
				sample := GP64()
				MOVWQZX(Mem{Base: v, Disp: 64*half + 32*k + 2*j}, sample)
				entry := Mem{Base: of, Index: sample, Scale: 1}
				if j == 0 {
					MOVBLZX(entry, sample.As32())
					VMOVD(sample.As32(), x[k].AsX())
				} else {
					VPINSRB(Imm(uint64(j)), entry, x[k].AsX(), x[k].AsX())
				}
			}
		}
		VINSERTI128(Imm(1), x[1].AsX(), x[0], x[0])
		// The two bits of an entry, moved to the top of its byte.
		for s, shift := range []uint64{7, 6} {
			y := YMM()
			VPSLLW(Imm(shift), x[0], y)
			masks[s][half] = GP64()
			VPMOVMSKB(y, masks[s][half].(GPVirtual).As32())
		}
	}
	for s, to := range []Register{b, a} {
		join(masks[s][0], masks[s][1])
		MOVQ(masks[s][0], Mem{Base: to, Index: i, Scale: 1})
	}
	ADDQ(U32(128), v)
	ADDQ(Imm(8), i)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

func tableU16AVX512() {
	function("tableU16AVX512", "func(b, a *uint64, v *uint16, words int, of *uint8)",
		"tableU16AVX512 gathers 16 entries at a time; the table must be followed by three bytes that may be read.")
	b, a, i := masksOf()
	ones := GP32()
	MOVL(I32(-1), ones)
	v := Load(Param("v"), GP64())
	of := Load(Param("of"), GP64())
	isB, isA := ZMM(), ZMM()
	VPTERNLOGD(U8(0xff), isA, isA, isA)
	VPABSD(isA, isB)
	VPADDD(isB, isB, isA)
	TESTQ(i, i)
	JZ(LabelRef("done"))

	Label("loop")
	PREFETCHT0(Mem{Base: v, Disp: ahead})
	PREFETCHT0(Mem{Base: v, Disp: ahead + 64})
	var bs, as [2]OpmaskVirtual
	for half := range 2 {
		var hb, ha []OpmaskVirtual
		for k := range 2 {
			x, y, all, kb, ka := ZMM(), ZMM(), K(), K(), K()
			VPMOVZXWD(Mem{Base: v, Disp: 64*half + 32*k}, x)
			KMOVW(ones, all)
			VPXORQ(y, y, y)
			VPGATHERDD(Mem{Base: of, Index: x, Scale: 1}, all, y)
			VPTESTMD(isB, y, kb)
			VPTESTMD(isA, y, ka)
			hb, ha = append(hb, kb), append(ha, ka)
		}
		bs[half], as[half] = gather(hb, 16), gather(ha, 16)
	}
	KMOVQ(gather(bs[:], 32), Mem{Base: b, Index: i, Scale: 1})
	KMOVQ(gather(as[:], 32), Mem{Base: a, Index: i, Scale: 1})
	ADDQ(Imm(128), v)
	ADDQ(Imm(8), i)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}
