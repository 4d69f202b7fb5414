package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pairs makes the lower and the higher of two rows, 32 bytes at a time.
func pairs() {
	for _, f := range []struct {
		name, sample  string
		lower, higher func(...Op)
	}{
		{"pairU8AVX2", "uint8", VPMINUB, VPMAXUB},
		{"pairU16AVX2", "uint16", VPMINUW, VPMAXUW},
		{"pairF32AVX2", "float32", VMINPS, VMAXPS},
	} {
		function(f.name, "func(tl, th, al, ah, bl, bh *"+f.sample+", blocks int)",
			f.name+" is pairGo of blocks of 32 bytes, at least one. Both operands of a block are read before it is written.")
		tl, th, al, ah, bl, bh := arg("tl"), arg("th"), arg("al"), arg("ah"), arg("bl"), arg("bh")
		n, i := arg("blocks"), GP64()
		XORQ(i, i)
		Label("loop")
		l, h := YMM(), YMM()
		// Of floats the second is taken where it is below or above; operands come last to first.
		VMOVDQU(Mem{Base: bl, Index: i, Scale: 1}, l)
		VMOVDQU(Mem{Base: bh, Index: i, Scale: 1}, h)
		f.lower(Mem{Base: al, Index: i, Scale: 1}, l, l)
		f.higher(Mem{Base: ah, Index: i, Scale: 1}, h, h)
		VMOVDQU(l, Mem{Base: tl, Index: i, Scale: 1})
		VMOVDQU(h, Mem{Base: th, Index: i, Scale: 1})
		ADDQ(Imm(32), i)
		DECQ(n)
		JNZ(LabelRef("loop"))
		VZEROUPPER()
		RET()
	}

	function("takeF32AVX2", "func(tl, th, sl, sh, x *float32, blocks int)",
		"takeF32AVX2 is takeF32Go of blocks of 8 samples, at least one.")
	tl, th, sl, sh, x := arg("tl"), arg("th"), arg("sl"), arg("sh"), arg("x")
	n, i := arg("blocks"), GP64()
	XORQ(i, i)
	zero := YMM()
	VXORPS(zero, zero, zero)
	Label("loop")
	v, finite, l, h := YMM(), YMM(), YMM(), YMM()
	VMOVUPS(Mem{Base: x, Index: i, Scale: 1}, v)
	VMOVUPS(Mem{Base: sl, Index: i, Scale: 1}, l)
	VMOVUPS(Mem{Base: sh, Index: i, Scale: 1}, h)
	VSUBPS(v, v, finite)
	VCMPPS(Imm(0), zero, finite, finite) // equal
	low, high := YMM(), YMM()
	VMINPS(l, v, low)
	VMAXPS(h, v, high)
	VBLENDVPS(finite, low, l, l)
	VBLENDVPS(finite, high, h, h)
	VMOVUPS(l, Mem{Base: tl, Index: i, Scale: 1})
	VMOVUPS(h, Mem{Base: th, Index: i, Scale: 1})
	ADDQ(Imm(32), i)
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// mids compares integer samples with the middle of extremes. Sums of two samples are halved without another bit: the
// mean rounded up less the lowest bit of their difference is the one rounded down.
func mids() {
	for _, f := range []struct {
		name, sample                                  string
		size                                          int
		lower, higher, equal, avg, sub, satAdd, bcast func(...Op)
	}{
		{"midsU8AVX2", "uint8", 1, VPMINUB, VPMAXUB, VPCMPEQB, VPAVGB, VPSUBB, VPADDUSB, VPBROADCASTB},
		{"midsU16AVX2", "uint16", 2, VPMINUW, VPMAXUW, VPCMPEQW, VPAVGW, VPSUBW, VPADDUSW, VPBROADCASTW},
	} {
		function(f.name, "func(b, a *uint64, v, l, h *"+f.sample+", words int, p *"+f.sample+")",
			f.name+" is midsGo of 64 words samples, at least one word; p are the entries of a midsTable.")
		b, a, v, l, h, n, p := arg("b"), arg("a"), arg("v"), arg("l"), arg("h"), arg("words"), arg("p")
		var c [7]VecVirtual
		for k := range c {
			c[k] = YMM()
			f.bcast(Mem{Base: p, Disp: k * f.size}, c[k])
		}
		one, halfUp, above, mostFlat, flatOn, upOdd, least := c[0], c[1], c[2], c[3], c[4], c[5], c[6]
		Label("word")
		step := func(at int) (le, gt VecVirtual) {
			x, lo, hi, odd, up := YMM(), YMM(), YMM(), YMM(), YMM()
			VMOVDQU(Mem{Base: v, Disp: at}, x)
			VMOVDQU(Mem{Base: l, Disp: at}, lo)
			VMOVDQU(Mem{Base: h, Disp: at}, hi)
			VPXOR(lo, hi, odd)
			f.avg(lo, hi, up)
			f.sub(lo, hi, hi) // the contrast from here on
			t := lo
			le, gt = YMM(), YMM()
			VPAND(one, odd, t)
			f.sub(t, up, t) // rounded down
			f.lower(x, t, le)
			f.equal(x, le, le)
			VPAND(halfUp, odd, t)
			f.sub(t, up, t)
			f.satAdd(above, t, t)
			f.lower(x, t, gt)
			f.equal(x, gt, gt) // not above
			VPAND(upOdd, odd, t)
			f.sub(t, up, t)
			f.higher(least, t, up)
			f.equal(t, up, up) // at the centre or above
			f.lower(mostFlat, hi, t)
			f.equal(t, hi, t)
			VPAND(flatOn, t, t)
			ones := odd
			VPCMPEQB(ones, ones, ones)
			VPXOR(ones, gt, gt)
			VPBLENDVB(t, up, gt, gt)
			VPXOR(ones, up, up)
			VPBLENDVB(t, up, le, le)
			return le, gt
		}
		for _, half := range []int{0, 1} {
			le, gt := step(32 * half * f.size)
			if f.size == 2 {
				le2, gt2 := step(32*half*f.size + 32)
				VPACKSSWB(le2, le, le)
				VPERMQ(Imm(0xd8), le, le)
				VPACKSSWB(gt2, gt, gt)
				VPERMQ(Imm(0xd8), gt, gt)
			}
			m := GP32()
			VPMOVMSKB(le, m)
			MOVL(m, Mem{Base: b, Disp: 4 * half})
			VPMOVMSKB(gt, m)
			MOVL(m, Mem{Base: a, Disp: 4 * half})
		}
		ADDQ(Imm(8), b)
		ADDQ(Imm(8), a)
		for _, r := range []Register{v, l, h} {
			ADDQ(Imm(uint64(64*f.size)), r)
		}
		DECQ(n)
		JNZ(LabelRef("word"))
		VZEROUPPER()
		RET()
	}
}

// midsF32 does the same for float samples, four at a time in float64.
func midsF32() {
	function("midsF32AVX2", "func(b, a, nan *uint64, v, l, h *float32, words int, p *[3]float64)",
		"midsF32AVX2 is midsF32Go of 64 words samples, at least one word; p are margin, contrast and centre.")
	b, a, nan, v, l, h, n, p := arg("b"), arg("a"), arg("nan"), arg("v"), arg("l"), arg("h"), arg("words"), arg("p")
	margin, contrast, centre := YMM(), YMM(), YMM()
	for k, c := range []VecVirtual{margin, contrast, centre} {
		VBROADCASTSD(Mem{Base: p, Disp: 8 * k}, c)
	}
	Label("word")
	w := newMaskWords(3)
	Label("step")
	x, lo, hi, sum, flat := YMM(), YMM(), YMM(), YMM(), YMM()
	VCVTPS2PD(Mem{Base: v}, x)
	VCVTPS2PD(Mem{Base: l}, lo)
	VCVTPS2PD(Mem{Base: h}, hi)
	VADDPD(hi, lo, sum)
	VSUBPD(lo, hi, flat)
	VCMPPD(Imm(less), contrast, flat, flat)
	none, le, gt, t := YMM(), YMM(), YMM(), YMM()
	VCMPPD(Imm(unordered), x, x, none)
	VADDPD(x, x, x)
	VCMPPD(Imm(atMost), sum, x, le)
	VCMPPD(Imm(less), centre, sum, t)
	VBLENDVPD(flat, t, le, le)
	VADDPD(margin, sum, t)
	VCMPPD(Imm(greater), t, x, gt)
	VCMPPD(Imm(atLeast), centre, sum, t)
	VBLENDVPD(flat, t, gt, gt)
	VANDNPD(le, none, le)
	VANDNPD(gt, none, gt)
	w.add(le, gt, none)
	for _, r := range []Register{v, l, h} {
		ADDQ(Imm(16), r)
	}
	w.next("step")
	w.store(b, a, nan)
	DECQ(n)
	JNZ(LabelRef("word"))
	VZEROUPPER()
	RET()
}

// Comparisons of floats; all but unordered are false of NaN, and quiet.
const (
	less      = 0x11
	atMost    = 0x12
	atLeast   = 0x1d
	greater   = 0x1e
	unordered = 0x03
)

// maskWords gathers words of masks from steps of four samples.
type maskWords struct {
	words []GPVirtual
	left  GPVirtual
}

func newMaskWords(n int) maskWords {
	w := maskWords{left: GP64()}
	for range n {
		r := GP64()
		XORQ(r, r)
		w.words = append(w.words, r)
	}
	MOVQ(U32(16), w.left)
	return w
}

// add takes in the masks of four lanes; after 16 turns the first are back at the lowest bits.
func (w maskWords) add(masks ...VecVirtual) {
	for k, m := range masks {
		bits := GP64()
		VMOVMSKPD(m, bits.As32())
		ORQ(bits, w.words[k])
		RORQ(Imm(4), w.words[k])
	}
}

func (w maskWords) next(label string) {
	DECQ(w.left)
	JNZ(LabelRef(label))
}

// store writes the words and moves on.
func (w maskWords) store(to ...Register) {
	for k, r := range to {
		MOVQ(w.words[k], Mem{Base: r})
		ADDQ(Imm(8), r)
	}
}
