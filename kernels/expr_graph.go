package kernels

import (
	"math"

	"segscan/segment"
)

// exprType is the type of a value: the register file it lives in.
type exprType uint8

const (
	exprInt exprType = iota
	exprFloat
	exprBool
)

func (t exprType) String() string { return [...]string{"int", "float", "bool"}[t] }

// none is no node.
const none = -1

// exprNode is an instruction before it has registers: a, b, c are nodes, or none; for a load or test, a is the source.
type exprNode struct {
	op      Op
	a, b, c int
	imm     uint64
}

// exprGraph holds the nodes of both expressions, operands before their users, equal ones once.
type exprGraph struct {
	in    exprInputs
	nodes []exprNode
	types []exprType
	index map[exprNode]int
	traps map[int]trap
	folds *exprMachine // made when the first constants are folded
}

// exprInputs are what an expression reads: types, and what is known of the page.
type exprInputs struct {
	sample, colour exprType // int or float
	top            int64    // largest integer sample of v
	width, height  int64    // 0: not known yet
}

// exprInputsOf describes a page.
func exprInputsOf(p *segment.PageInfo, colour exprType) exprInputs {
	in := exprInputs{exprInt, colour, math.MaxUint16, p.Width, p.Height}
	switch p.Type {
	case segment.U8:
		in.top = math.MaxUint8
	case segment.F32:
		in.sample = exprFloat
	}
	return in
}

// maxPixels bounds coordinates where the page is not known yet.
const maxPixels = 1 << 32

// sourceType is the type of what a source holds.
func (in *exprInputs) sourceType(source uint16) exprType {
	switch source {
	case SourceV:
		return in.sample
	case SourceX, SourceY:
		return exprInt
	}
	return in.colour
}

// sourceTop is the largest value of a source of integers; the smallest is 0.
func (in *exprInputs) sourceTop(source uint16) int64 {
	switch source {
	case SourceV:
		return in.top
	case SourceX, SourceY:
		n := in.width
		if source == SourceY {
			n = in.height
		}
		if n <= 0 {
			n = maxPixels
		}
		return n - 1
	}
	return math.MaxUint16
}

func newExprGraph(in exprInputs) *exprGraph {
	return &exprGraph{in: in, index: make(map[exprNode]int), traps: make(map[int]trap)}
}

// resultType is the register file that op writes.
func resultType(op Op) exprType {
	switch {
	case op == OpConstI, op == OpLoadI, op >= OpAddI && op <= OpIntF:
		return exprInt
	case op == OpConstF, op == OpLoadF, op >= OpFloatI && op <= OpSelF:
		return exprFloat
	}
	return exprBool
}

// readsSource tells whether a names a source and no register.
func readsSource(op Op) bool { return op >= OpLoadI && op <= OpGeS }

// isConst tells whether a node is a constant.
func (g *exprGraph) isConst(id int) bool { return g.nodes[id].op <= OpConstB }

// boolConst is the value of a node that is a constant bool.
func (g *exprGraph) boolConst(id int) (value, ok bool) {
	n := g.nodes[id]
	return n.imm != 0, n.op == OpConstB
}

func (g *exprGraph) constInt(v int64) int {
	return g.put(exprNode{OpConstI, none, none, none, uint64(v)})
}
func (g *exprGraph) constFloat(v float64) int {
	return g.put(exprNode{OpConstF, none, none, none, math.Float64bits(v)})
}
func (g *exprGraph) constBool(v bool) int { return g.put(exprNode{OpConstB, none, none, none, bit(v)}) }

// put gives the node, made if it is new.
func (g *exprGraph) put(n exprNode) int {
	if id, ok := g.index[n]; ok {
		return id
	}
	id := len(g.nodes)
	g.nodes, g.types = append(g.nodes, n), append(g.types, resultType(n.op))
	g.index[n] = id
	return id
}

// unary and binary make a node, or its value if it is constant.
func (g *exprGraph) unary(op Op, a int) int     { return g.fold(exprNode{op, a, none, none, 0}) }
func (g *exprGraph) binary(op Op, a, b int) int { return g.fold(exprNode{op, a, b, none, 0}) }

// pow raises a to a constant.
func (g *exprGraph) pow(a int, y float64) int {
	return g.fold(exprNode{OpPowF, a, none, none, math.Float64bits(y)})
}

// fold runs an instruction of constants at once, in the same code that would run it later.
func (g *exprGraph) fold(n exprNode) int {
	args := [...]int{n.a, n.b, n.c}
	for _, id := range args {
		if id != none && !g.isConst(id) {
			return g.put(n)
		}
	}
	if g.folds == nil {
		g.folds = newExprMachine(&Program{Ints: 4, Floats: 4, Bools: 4})
	}
	m := g.folds
	in := Instr{Op: n.op, A: 1, B: 2, C: 3, Imm: n.imm}
	for i, id := range args {
		if id != none {
			c := g.nodes[id]
			m.exec(&Instr{Op: c.op, Dst: uint16(i + 1), Imm: c.imm}, 1)
		}
	}
	if bad := m.exec(&in, 1); bad != nil {
		return g.put(n) // it traps when it is asked for
	}
	switch resultType(n.op) {
	case exprInt:
		return g.constInt(m.i[0][0])
	case exprFloat:
		return g.constFloat(m.f[0][0])
	}
	return g.constBool(m.b[0][0]&1 != 0)
}

// trapping makes a node that may trap under a guard (none: always asked for). No guard is needed where the right operand
// is a constant that cannot trap.
func (g *exprGraph) trapping(op Op, a, b, guard int, t trap) int {
	if r := g.nodes[b]; r.op == OpConstI && (op == OpModI && r.imm != 0 || op != OpModI && int64(r.imm) >= 0) {
		return g.binary(op, a, b)
	}
	n := exprNode{op, a, b, guard, 0}
	id := g.put(n)
	if _, ok := g.traps[id]; !ok {
		g.traps[id] = t
	}
	return id
}

func (g *exprGraph) not(a int) int {
	if v, ok := g.boolConst(a); ok {
		return g.constBool(!v)
	}
	if n := g.nodes[a]; n.op == OpNotB {
		return n.a
	}
	return g.put(exprNode{OpNotB, a, none, none, 0})
}

func (g *exprGraph) and(a, b int) int {
	va, ca := g.boolConst(a)
	vb, cb := g.boolConst(b)
	switch {
	case ca && va, cb && !vb, a == b:
		return b
	case cb && vb, ca && !va:
		return a
	}
	return g.put(exprNode{OpAndB, a, b, none, 0})
}

func (g *exprGraph) or(a, b int) int {
	va, ca := g.boolConst(a)
	vb, cb := g.boolConst(b)
	switch {
	case ca && !va, cb && vb, a == b:
		return b
	case cb && !vb, ca && va:
		return a
	}
	return g.put(exprNode{OpOrB, a, b, none, 0})
}

// guarded is the guard that also asks for cond.
func (g *exprGraph) guarded(guard, cond int) int {
	if guard == none {
		if v, ok := g.boolConst(cond); ok && v {
			return none
		}
		return cond
	}
	return g.and(guard, cond)
}

// choose is a where cond holds, else b; both are of one type.
func (g *exprGraph) choose(cond, a, b int) int {
	if v, ok := g.boolConst(cond); ok {
		if v {
			return a
		}
		return b
	}
	if a == b {
		return a
	}
	op := [...]Op{OpSelI, OpSelF, OpSelB}[g.types[a]]
	return g.put(exprNode{op, a, b, cond, 0})
}

// load reads a source.
func (g *exprGraph) load(source uint16) int {
	op := OpLoadI
	if g.in.sourceType(source) == exprFloat {
		op = OpLoadF
	}
	return g.put(exprNode{op, int(source), none, none, 0})
}
