package kernels

import (
	"fmt"
	"math"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// exprValue is a value in the making. Where an operation has whole numbers and floats to choose from (max(v, 0.5), or
// the branches of ?:), expr's value is an int at some samples and a float at others. Here it is always a float, and
// mixed says so: what would tell the two apart is refused.
type exprValue struct {
	t  exprType
	id int
	// mixed: a float that may be an int in expr, of a size that floats hold exactly.
	mixed bool
	// unsigned: a zero may be -0 here and 0 in expr, which only a division can tell.
	unsigned bool
	// bound is the largest magnitude of an int, or of the int that a mixed value may be.
	bound float64
}

// inexact tells whether floats may not hold whole numbers of a magnitude (which may be NaN) exactly.
func inexact(bound float64) bool { return !(bound <= 1<<53) }

// exprError is what is wrong with an expression, and where. An empty hint stands for the list of names.
type exprError struct {
	at   file.Location
	msg  string
	hint string
}

func (e *exprError) Error() string { return e.msg }

func exprErrorf(n ast.Node, hint, format string, args ...any) *exprError {
	return &exprError{n.Location(), fmt.Sprintf(format, args...), hint}
}

// lowering turns the syntax tree of one expression into nodes of a graph. expr's type checker has accepted the tree, so
// what is left to check is what the kernel refuses.
type lowering struct {
	g    *exprGraph
	key  string
	vars map[string]exprValue // of let
	err  *exprError           // the first
}

// lowerExpr gives the node of a bool expression; guard says at which samples it is asked for.
func lowerExpr(g *exprGraph, key string, tree ast.Node, guard int) (int, *exprError) {
	l := &lowering{g: g, key: key, vars: make(map[string]exprValue)}
	v := l.value(tree, guard)
	if l.err == nil && v.t != exprBool {
		l.fail(tree, "compare it with something, as in v<40; and put the whole -k value in single quotes, or the shell takes < > & | for itself",
			"the expression is a number (%s) and no condition", v.t)
	}
	return v.id, l.err
}

// fail notes an error and gives a value to go on with.
func (l *lowering) fail(n ast.Node, hint, format string, args ...any) exprValue {
	if l.err == nil {
		l.err = exprErrorf(n, hint, format, args...)
	}
	return exprValue{t: exprBool, id: l.g.constBool(false)}
}

func (l *lowering) value(n ast.Node, guard int) exprValue {
	if l.err != nil {
		return l.fail(n, "", "")
	}
	switch n := n.(type) {
	case *ast.IntegerNode:
		return exprValue{t: exprInt, id: l.g.constInt(int64(n.Value)), bound: math.Abs(float64(n.Value))}
	case *ast.FloatNode:
		return exprValue{t: exprFloat, id: l.g.constFloat(n.Value)}
	case *ast.BoolNode:
		return exprValue{t: exprBool, id: l.g.constBool(n.Value)}
	case *ast.IdentifierNode:
		return l.variable(n)
	case *ast.UnaryNode:
		return l.unary(n, guard)
	case *ast.BinaryNode:
		return l.binary(n, guard)
	case *ast.BuiltinNode:
		return l.call(n, guard)
	case *ast.ConditionalNode:
		return l.conditional(n, guard)
	case *ast.VariableDeclaratorNode:
		v := l.value(n.Value, guard)
		l.vars[n.Name] = v
		out := l.value(n.Expr, guard)
		delete(l.vars, n.Name)
		return out
	case *ast.StringNode, *ast.BytesNode:
		return l.fail(n, "numbers are written without quotes", "text is of no use here")
	case *ast.ArrayNode, *ast.ConstantNode:
		return l.fail(n, "as in v in [1, 2, 3]", "a list is of use after in only")
	}
	return l.fail(n, "", "the expression language knows this, but the kernel does not")
}

func (l *lowering) variable(n *ast.IdentifierNode) exprValue {
	if v, ok := l.vars[n.Value]; ok {
		return v
	}
	in := &l.g.in
	size := map[string]int64{"width": in.width, "height": in.height}[n.Value]
	if size > 0 {
		return exprValue{t: exprInt, id: l.g.constInt(size), bound: float64(size)}
	}
	switch n.Value {
	case "width", "height": // any number stands for it: the code is made to find errors
		return exprValue{t: exprInt, id: l.g.load(SourceX), bound: maxPixels}
	}
	source, ok := exprSources()[n.Value]
	if !ok {
		return l.fail(n, "", "there is no variable %s", n.Value)
	}
	v := exprValue{t: in.sourceType(source), id: l.g.load(source)}
	if v.t == exprInt {
		v.bound = float64(in.sourceTop(source))
	}
	return v
}

func (l *lowering) unary(n *ast.UnaryNode, guard int) exprValue {
	v := l.value(n.Node, guard)
	switch n.Operator {
	case "!", "not":
		if v.t != exprBool {
			return l.fail(n, "", "%s needs a condition, and this is a number", n.Operator)
		}
		v.id = l.g.not(v.id)
		return v
	case "+", "-":
		if v.t == exprBool {
			return l.fail(n, "", "%s needs a number, and this is a condition", n.Operator)
		}
		if n.Operator == "+" {
			return v
		}
		op := OpNegI
		if v.t == exprFloat {
			op, v.unsigned = OpNegF, v.unsigned || v.mixed
		}
		v.id = l.g.unary(op, v.id)
		return v
	}
	return l.fail(n, "", "the operator %s is not known here", n.Operator)
}

func (l *lowering) binary(n *ast.BinaryNode, guard int) exprValue {
	switch n.Operator {
	case "&&", "and", "||", "or":
		return l.junction(n, guard)
	case "in":
		return l.in(n, guard)
	}
	c, compares := map[string]comparison{"<": less, "<=": lessEqual, ">": greater, ">=": greaterEqual, "==": equal, "!=": equal}[n.Operator]
	switch n.Operator {
	case "..", "??", "matches", "contains", "startsWith", "endsWith":
		return l.fail(n, "", "the operator %s is not known here", n.Operator)
	}
	a, b := l.value(n.Left, guard), l.value(n.Right, guard)
	if l.err != nil {
		return a
	}
	switch {
	case compares:
		v := l.compare(n, c, a, b)
		if n.Operator == "!=" {
			v.id = l.g.not(v.id)
		}
		return v
	case a.t == exprBool || b.t == exprBool:
		return l.fail(n, "", "%s needs numbers, and here is a condition", n.Operator)
	}
	switch n.Operator {
	case "+", "-", "*":
		return l.arithmetic(n, a, b)
	case "/":
		if b.unsigned {
			return l.fail(n, "write float(...) around what is whole in max, min or ?:", "division by a mix of whole numbers and floats, whose zero may have either sign")
		}
		return exprValue{t: exprFloat, id: l.g.binary(OpDivF, l.float(a), l.float(b)), unsigned: a.unsigned}
	case "%":
		return l.trapping(n, OpModI, a, b, guard, "%", "division by zero")
	case "**", "^":
		return l.power(n, a, b)
	}
	return l.fail(n, "", "the operator %s is not known here", n.Operator)
}

// junction is && and ||. The right side is asked for only where the left leaves it open.
func (l *lowering) junction(n *ast.BinaryNode, guard int) exprValue {
	a := l.value(n.Left, guard)
	if l.err != nil {
		return a
	}
	and := n.Operator == "&&" || n.Operator == "and"
	open := a.id
	if !and && a.t == exprBool {
		open = l.g.not(a.id)
	}
	b := l.value(n.Right, l.g.guarded(guard, open))
	switch {
	case l.err != nil:
		return b
	case a.t != exprBool || b.t != exprBool:
		return l.fail(n, "", "%s joins conditions, and here is a number", n.Operator)
	case and:
		return exprValue{t: exprBool, id: l.g.and(a.id, b.id)}
	}
	return exprValue{t: exprBool, id: l.g.or(a.id, b.id)}
}

// float is the value as a float, as expr converts it.
func (l *lowering) float(v exprValue) int {
	if v.t == exprInt {
		return l.g.unary(OpFloatI, v.id)
	}
	return v.id
}

// whole tells whether a value is an int in expr, at some samples at least.
func (v exprValue) whole() bool { return v.t == exprInt || v.mixed }

// tooLarge refuses to mix whole numbers that floats may not hold exactly.
func (l *lowering) tooLarge(n ast.Node) exprValue {
	return l.fail(n, "write float(...) around the whole numbers", "whole numbers, perhaps above 2^53, are mixed with floats")
}

// arithmetic is + - *: of ints, or of floats if either is one.
func (l *lowering) arithmetic(n *ast.BinaryNode, a, b exprValue) exprValue {
	bound := a.bound + b.bound
	if n.Operator == "*" {
		bound = a.bound * b.bound
	}
	if a.t == exprInt && b.t == exprInt {
		op := map[string]Op{"+": OpAddI, "-": OpSubI, "*": OpMulI}[n.Operator]
		return exprValue{t: exprInt, id: l.g.binary(op, a.id, b.id), bound: bound}
	}
	op := map[string]Op{"+": OpAddF, "-": OpSubF, "*": OpMulF}[n.Operator]
	v := exprValue{t: exprFloat, id: l.g.binary(op, l.float(a), l.float(b)), unsigned: a.unsigned || b.unsigned}
	if a.whole() && b.whole() {
		if inexact(bound) {
			return l.tooLarge(n)
		}
		v.mixed, v.bound = true, bound
		v.unsigned = v.unsigned || n.Operator == "*"
	}
	return v
}

func (l *lowering) compare(n ast.Node, c comparison, a, b exprValue) exprValue {
	if a.t == exprBool || b.t == exprBool {
		if a.t != b.t || c != equal {
			return l.fail(n, "", "a condition is compared with a number")
		}
		return exprValue{t: exprBool, id: l.g.not(l.g.binary(OpXorB, a.id, b.id))}
	}
	if a.t == exprInt && b.t == exprInt {
		return exprValue{t: exprBool, id: l.g.compare(c, exprInt, a.id, b.id)}
	}
	if a.whole() && b.whole() && inexact(max(a.bound, b.bound)) {
		return l.tooLarge(n)
	}
	return exprValue{t: exprBool, id: l.g.compare(c, exprFloat, l.float(a), l.float(b))}
}

// trapping is an operation on ints that fails for some right operands.
func (l *lowering) trapping(n ast.Node, op Op, a, b exprValue, guard int, name, what string) exprValue {
	if a.t != exprInt || b.t != exprInt {
		return l.fail(n, "write int(...) around the float", "%s needs whole numbers, and here is a float", name)
	}
	if r := l.g.nodes[b.id]; r.op == OpConstI && !l.never(guard) {
		switch k := int64(r.imm); {
		case op == OpModI && k == 0:
			return l.fail(n, "% needs a right side that is not 0", "division by zero")
		case op != OpModI && k < 0:
			return l.fail(n, "", "a shift by %d; counts start at 0", k)
		}
	}
	v := exprValue{t: exprInt, id: l.g.trapping(op, a.id, b.id, guard, trap{l.key, what}), bound: a.bound}
	if op == OpShlI {
		v.bound = math.MaxInt64
	}
	return v
}

// never tells that a guard is known not to hold at any sample.
func (l *lowering) never(guard int) bool {
	if guard == none {
		return false
	}
	holds, known := l.g.boolConst(guard)
	return known && !holds
}

// power allows the exponents whose powers are the same on every machine.
func (l *lowering) power(n *ast.BinaryNode, a, b exprValue) exprValue {
	k := l.g.nodes[l.float(b)]
	if k.op != OpConstF {
		return l.fail(n, "for example v ** 2 or v ** 0.5; bitxor(a, b) is exclusive or", "%s needs a constant as its exponent", n.Operator)
	}
	y := math.Float64frombits(k.imm)
	if !exactPower(y) {
		l.err = oddPower(n)
		return a
	}
	if y < 0 && a.unsigned {
		return l.fail(n, "write float(...) around what is whole in max, min or ?:", "a negative power of a mix of whole numbers and floats, whose zero may have either sign")
	}
	return exprValue{t: exprFloat, id: l.g.pow(l.float(a), y), unsigned: a.unsigned}
}

// exactPower tells whether powers of an exponent take no exp and log.
func exactPower(y float64) bool {
	return math.Abs(y) == 0.5 || math.Abs(y) <= 64 && y == math.Trunc(y)
}

func oddPower(n ast.Node) *exprError {
	return exprErrorf(n, "roots and other powers are not the same on every machine", "** needs a whole exponent from -64 to 64, or 0.5 or -0.5")
}

// conditional is c ? a : b, and if c { a } else { b }. Each branch is asked for where it is chosen.
func (l *lowering) conditional(n *ast.ConditionalNode, guard int) exprValue {
	c := l.value(n.Cond, guard)
	if l.err != nil || c.t != exprBool {
		return l.fail(n.Cond, "", "a number where a condition is needed")
	}
	a := l.value(n.Exp1, l.g.guarded(guard, c.id))
	b := l.value(n.Exp2, l.g.guarded(guard, l.g.not(c.id)))
	switch {
	case l.err != nil:
		return a
	case (a.t == exprBool) != (b.t == exprBool):
		return l.fail(n.Exp2, "", "one branch is a condition and the other a number")
	case a.t == b.t:
		v := exprValue{t: a.t, id: l.g.choose(c.id, a.id, b.id), mixed: a.mixed || b.mixed,
			unsigned: a.unsigned || b.unsigned, bound: max(a.bound, b.bound)}
		return v
	case inexact(max(a.bound, b.bound)):
		return l.tooLarge(n.Exp2)
	}
	return exprValue{t: exprFloat, id: l.g.choose(c.id, l.float(a), l.float(b)), mixed: true,
		unsigned: a.unsigned || b.unsigned, bound: max(a.bound, b.bound)}
}
