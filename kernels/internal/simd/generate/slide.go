package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// slides makes the steps of windows along rows: extremes of two or four places of a row, and with them those of 16 bytes
// from there on, which doubling makes in registers.
func slides() {
	for _, f := range []struct {
		typ, sample   string
		size          int
		lower, higher func(...Op)
	}{
		{"U8", "uint8", 1, VPMINUB, VPMAXUB},
		{"U16", "uint16", 2, VPMINUW, VPMAXUW},
		{"F32", "float32", 4, VMINPS, VMAXPS},
	} {
		for _, s := range []struct {
			name, doc string
			places    int
			near      bool
		}{
			{"slideTwo", "the extremes of 16 bytes from two places on", 2, true},
			{"slideFour", "the extremes of 16 bytes from four places on", 4, true},
			{"slideFar", "the extremes of four places", 4, false},
		} {
			name, more := s.name+f.typ+"AVX2", "one"
			if s.places == 4 {
				more = "one, two, three"
			}
			lag := 0 // blocks, one for each doubling
			for by := f.size; s.near && by < 16; by *= 2 {
				lag++
			}
			function(name, "func(l, h *"+f.sample+", blocks, "+more+" int)",
				fmt.Sprintf("%s puts %s into rows l and h: the first is here, others are so many bytes", name, s.doc),
				fmt.Sprintf("ahead. It does blocks of 32 bytes, at least one, and reads %d blocks more.", lag))
			l, h, n := arg("l"), arg("h"), arg("blocks")
			places := []Register{nil}
			for _, p := range []string{"one", "two", "three"}[:s.places-1] {
				places = append(places, arg(p))
			}
			slideLoop(l, h, n, places, f.size, lag, f.lower, f.higher)
		}
		slideNext(f.typ, f.sample, f.lower, f.higher)
		slideEight(f.typ, f.sample, f.lower, f.higher)
	}
}

// slideNext makes the step whose places are two registers apart, so that all but the last stay in registers.
func slideNext(typ, sample string, lower, higher func(...Op)) {
	name := "slideNext" + typ + "AVX2"
	function(name, "func(l, h *"+sample+", blocks, last int)",
		name+" puts the extremes of four places into rows l and h: three are 64 bytes apart, the last is so many",
		"bytes ahead. It does blocks of 128 bytes, at least one, and reads 64 bytes more.")
	rows := [2]Register{arg("l"), arg("h")}
	n, last := arg("blocks"), arg("last")
	SHLQ(Imm(7), n)
	for r, best := range []func(...Op){lower, higher} {
		row, end, i := rows[r], GP64(), GP64()
		LEAQ(Mem{Base: row, Index: last, Scale: 1}, end)
		XORQ(i, i)
		var one, pair [2]VecVirtual // the register before, and the extremes of that and the one before it
		for k := range 2 {
			one[k], pair[k] = YMM(), YMM()
			VMOVDQU(Mem{Base: row, Disp: 64 + 32*k}, one[k])
			best(Mem{Base: row, Disp: 32 * k}, one[k], pair[k])
		}
		label := [2]string{"low", "high"}[r]
		Label(label)
		for k := range 2 {
			step := func(one, pair, nextOne, nextPair VecVirtual, at int) {
				out := YMM()
				best(Mem{Base: end, Index: i, Scale: 1, Disp: at}, pair, out)
				VMOVDQU(Mem{Base: row, Index: i, Scale: 1, Disp: 128 + at}, nextOne)
				best(nextOne, out, out)
				best(nextOne, one, nextPair)
				VMOVDQU(out, Mem{Base: row, Index: i, Scale: 1, Disp: at})
			}
			v, both := YMM(), YMM()
			step(one[k], pair[k], v, both, 32*k)
			step(v, both, one[k], pair[k], 64+32*k)
		}
		ADDQ(U32(128), i)
		CMPQ(i, n)
		JLT(LabelRef(label))
	}
	VZEROUPPER()
	RET()
}

func slideLoop(l, h, n Register, places []Register, size, lag int, lower, higher func(...Op)) {
	rows := []struct {
		at   Register
		best func(...Op)
		held []VecVirtual // of every doubling, what came a block ago
		ends []Register   // the other places
	}{{at: l, best: lower}, {at: h, best: higher}}
	for i := range rows {
		for range lag {
			v := YMM()
			VPXOR(v, v, v)
			rows[i].held = append(rows[i].held, v)
		}
		for _, p := range places[1:] {
			end := GP64()
			LEAQ(Mem{Base: rows[i].at, Index: p, Scale: 1}, end)
			rows[i].ends = append(rows[i].ends, end)
		}
	}
	i := GP64()
	XORQ(i, i)
	if lag > 0 {
		ADDQ(Imm(uint64(lag)), n)
	}
	SHLQ(Imm(5), n)
	var out [2]VecVirtual
	Label("loop")
	for r, row := range rows {
		v := YMM()
		VMOVDQU(Mem{Base: row.at, Index: i, Scale: 1}, v)
		for _, end := range row.ends {
			row.best(Mem{Base: end, Index: i, Scale: 1}, v, v)
		}
		for k, held := range row.held {
			ahead, next := YMM(), YMM()
			VPERM2I128(Imm(0x21), v, held, ahead) // 16 bytes ahead of held
			VPALIGNR(Imm(uint64(size<<k)), held, ahead, ahead)
			row.best(ahead, held, next)
			VMOVDQA(v, held)
			v = next
		}
		out[r] = v
	}
	if lag > 0 {
		CMPQ(i, Imm(uint64(32*lag)))
		JLT(LabelRef("on"))
	}
	for r, row := range rows {
		VMOVDQU(out[r], Mem{Base: row.at, Index: i, Scale: 1, Disp: -32 * lag})
	}
	if lag > 0 {
		Label("on")
	}
	ADDQ(Imm(32), i)
	CMPQ(i, n)
	JLT(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// slideEight makes the step of eight places, of which seven are two registers apart: what these hold comes by doubling, of
// every second register.
func slideEight(typ, sample string, lower, higher func(...Op)) {
	name := "slideEight" + typ + "AVX2"
	function(name, "func(l, h *"+sample+", blocks, last int)",
		name+" puts the extremes of eight places into rows l and h: seven are 64 bytes apart, the last is so many",
		"bytes ahead. It does blocks of 256 bytes, at least one, and reads 384 bytes more.")
	rows := [2]Register{arg("l"), arg("h")}
	n, last := arg("blocks"), arg("last")
	SHLQ(Imm(8), n)
	for r, best := range []func(...Op){lower, higher} {
		row, end, i := rows[r], GP64(), GP64()
		LEAQ(Mem{Base: row, Index: last, Scale: 1}, end)
		XORQ(i, i)
		var chains [2]eightChain // of even and of odd registers
		for k := range 12 {
			chains[k%2].next(best, Mem{Base: row, Disp: 32 * k})
		}
		held := append(chains[0].all(), chains[1].all()...)
		label := [2]string{"low", "high"}[r]
		Label(label)
		for k := range 8 {
			out := chains[k%2].next(best, Mem{Base: row, Index: i, Scale: 1, Disp: 32 * (k + 12)})
			best(Mem{Base: end, Index: i, Scale: 1, Disp: 32 * k}, out, out)
			VMOVDQU(out, Mem{Base: row, Index: i, Scale: 1, Disp: 32 * k})
		}
		for k, v := range append(chains[0].all(), chains[1].all()...) {
			VMOVDQA(v, held[k])
		}
		ADDQ(U32(256), i)
		CMPQ(i, n)
		JLT(LabelRef(label))
	}
	VZEROUPPER()
	RET()
}

// eightChain holds the last register of every second one, the extremes of the last two and of the last four, and the latter
// up to one and two registers ago.
type eightChain struct {
	one  VecVirtual
	two  [2]VecVirtual
	four [3]VecVirtual
}

func (c *eightChain) all() []VecVirtual {
	return []VecVirtual{c.one, c.two[0], c.two[1], c.four[0], c.four[1], c.four[2]}
}

// next takes in a register, and gives the extremes of the last seven, once there are so many.
func (c *eightChain) next(best func(...Op), x Mem) (seven VecVirtual) {
	v, last := YMM(), c.one
	VMOVDQU(x, v)
	c.one = v
	if last == nil {
		return nil
	}
	pair, before := YMM(), c.two[1]
	best(v, last, pair)
	c.two = [2]VecVirtual{pair, c.two[0]}
	if before == nil {
		return nil
	}
	quad, early := YMM(), c.four[2]
	best(pair, before, quad)
	c.four = [3]VecVirtual{quad, c.four[0], c.four[1]}
	if early != nil {
		seven = YMM()
		best(quad, early, seven)
	}
	return seven
}
