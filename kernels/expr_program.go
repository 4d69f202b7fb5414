package kernels

import "math"

// program gives registers to the nodes that the two outputs depend on.
func (g *exprGraph) program(boundary, activation int) *Program {
	p := &Program{SampleFloats: g.in.sample == exprFloat, traps: make(map[int]trap)}
	order := g.schedule(boundary, activation)
	last := g.lastUses(order, boundary, activation)
	regs := exprRegs{g: g, of: make([]uint16, len(g.nodes))}
	for at, id := range order {
		n := g.nodes[id]
		in := Instr{Op: n.op, C: NoReg, Imm: n.imm}
		if readsSource(n.op) {
			in.A = uint16(n.a)
			p.reads(in.A, g.in.colour)
		} else {
			for i, arg := range []int{n.a, n.b, n.c} {
				if arg != none {
					*[]*uint16{&in.A, &in.B, &in.C}[i] = regs.of[arg]
				}
			}
			// Registers are free from here on, for the result too: instructions go sample by sample.
			for _, arg := range []int{n.a, n.b, n.c} {
				if arg != none && last[arg] == at && !g.isConst(arg) {
					regs.release(arg)
					last[arg] = none // once, though it be read twice
				}
			}
		}
		in.Dst = regs.take(id)
		if t, ok := g.traps[id]; ok {
			p.traps[len(p.Instrs)] = t
		}
		if g.isConst(id) {
			p.Setup++
		}
		p.Instrs = append(p.Instrs, in)
	}
	p.Ints, p.Floats, p.Bools = regs.used[exprInt], regs.used[exprFloat], regs.used[exprBool]
	p.Boundary, p.Activation = regs.of[boundary], regs.of[activation]
	p.CanTrap = len(p.traps) > 0
	p.pairTests()
	return p
}

// reads notes a source.
func (p *Program) reads(source uint16, colour exprType) {
	switch {
	case source == SourceV:
	case source >= SourceX:
		p.UsesPlace = true
	case colour == exprFloat:
		p.ColourFloats = true
	default:
		p.ColourInts = true
	}
}

// schedule lists the nodes in use, constants first, each after those it reads.
func (g *exprGraph) schedule(outputs ...int) []int {
	used := make([]bool, len(g.nodes))
	for _, id := range outputs {
		used[id] = true
	}
	for id := range g.traps { // fails the page even where its value is not needed
		asked, known := true, false
		if c := g.nodes[id].c; c != none {
			asked, known = g.boolConst(c)
		}
		used[id] = used[id] || asked || !known
	}
	for id := len(g.nodes) - 1; id >= 0; id-- {
		if n := g.nodes[id]; used[id] && !readsSource(n.op) {
			for _, arg := range []int{n.a, n.b, n.c} {
				if arg != none {
					used[arg] = true
				}
			}
		}
	}
	var order []int
	for _, constants := range []bool{true, false} {
		for id := range g.nodes {
			if used[id] && g.isConst(id) == constants {
				order = append(order, id)
			}
		}
	}
	return order
}

// lastUses gives for each node the place in order of its last reader; outputs are read after the end.
func (g *exprGraph) lastUses(order []int, outputs ...int) []int {
	last := make([]int, len(g.nodes))
	for at, id := range order {
		if n := g.nodes[id]; !readsSource(n.op) {
			for _, arg := range []int{n.a, n.b, n.c} {
				if arg != none {
					last[arg] = at
				}
			}
		}
	}
	for _, id := range outputs {
		last[id] = len(order)
	}
	return last
}

// exprRegs hands out registers, the lowest free one first.
type exprRegs struct {
	g    *exprGraph
	of   []uint16 // by node
	free [3][]uint16
	used [3]int
}

func (r *exprRegs) take(id int) uint16 {
	t := r.g.types[id]
	if k := len(r.free[t]); k > 0 {
		r.of[id], r.free[t] = r.free[t][k-1], r.free[t][:k-1]
	} else {
		r.of[id] = uint16(r.used[t])
		r.used[t]++
	}
	return r.of[id]
}

func (r *exprRegs) release(id int) {
	t := r.g.types[id]
	r.free[t] = append(r.free[t], r.of[id])
}

// pairTests collects the comparisons of sources with constants. One that is at most and one that is at least make a
// test together if they leave a gap.
func (p *Program) pairTests() {
	p.testOf = make([]testRef, len(p.Instrs))
	for k, in := range p.Instrs {
		if in.Op != OpLeS && in.Op != OpGeS {
			continue
		}
		v := float64(int64(in.Imm))
		if in.A == SourceV && p.SampleFloats || in.A >= SourceR && in.A <= SourceA && p.ColourFloats {
			v = math.Float64frombits(in.Imm)
		}
		high := in.Op == OpGeS
		at := len(p.tests)
		for i, t := range p.tests {
			if t.source == in.A && (high && math.IsInf(t.hi, 1) && t.lo < v || !high && math.IsInf(t.lo, -1) && v < t.hi) {
				at = i
				break
			}
		}
		if at == len(p.tests) {
			p.tests = append(p.tests, exprTest{in.A, math.Inf(-1), math.Inf(1)})
		}
		if high {
			p.tests[at].hi = v
		} else {
			p.tests[at].lo = v
		}
		p.testOf[k] = testRef{at, high}
	}
}

// plainThresholds gives lo and hi where the program is v <= lo for a boundary and v >= hi for an activation, or either
// never.
func (p *Program) plainThresholds() (lo, hi float64, ok bool) {
	lo, hi = math.Inf(-1), math.Inf(1)
	foundB, foundA := false, false
	for _, in := range p.Instrs {
		isB, isA := in.Dst == p.Boundary, in.Dst == p.Activation
		switch v := math.Float64frombits(in.Imm); {
		case in.Op == OpConstB && in.Imm == 0:
			foundB, foundA = foundB || isB, foundA || isA
		case in.Op == OpLeS && in.A == SourceV && p.SampleFloats && isB:
			foundB, lo = true, v
		case in.Op == OpGeS && in.A == SourceV && p.SampleFloats && isA:
			foundA, hi = true, v
		default:
			return 0, 0, false
		}
	}
	return lo, hi, foundB && foundA
}
