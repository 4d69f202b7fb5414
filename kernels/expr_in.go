package kernels

import (
	"maps"
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// in is membership of a list, or of a range of whole numbers.
func (l *lowering) in(n *ast.BinaryNode, guard int) exprValue {
	v := l.value(n.Left, guard)
	switch r := n.Right.(type) {
	case *ast.ArrayNode:
		found := exprValue{t: exprBool, id: l.g.constBool(false)}
		for _, e := range r.Nodes {
			found.id = l.g.or(found.id, l.compare(e, equal, v, l.value(e, guard)).id)
		}
		return found
	case *ast.ConstantNode:
		is, ok := l.inConstants(n, v, r.Value)
		if !ok {
			break
		}
		return is
	case *ast.BinaryNode:
		if r.Operator != ".." {
			break
		}
		from, to := l.value(r.Left, guard), l.value(r.Right, guard)
		if l.err == nil && (v.t != exprInt || from.t != exprInt || to.t != exprInt) {
			return l.fail(n, "write v >= 1 && v <= 3 for a range of floats", "a range holds whole numbers only, and here is a float")
		}
		return exprValue{t: exprBool, id: l.g.and(l.compare(n, greaterEqual, v, from).id, l.compare(n, lessEqual, v, to).id)}
	}
	return l.fail(n, "for example v in [1, 2, 3] or v in 10..20", "in needs a list or a range")
}

// inConstants is membership of a list of literals, as the optimizer leaves it.
func (l *lowering) inConstants(n ast.Node, v exprValue, list any) (exprValue, bool) {
	var of []any
	switch list := list.(type) {
	case []any:
		of = list
	case map[int]struct{}:
		for _, k := range slices.Sorted(maps.Keys(list)) {
			of = append(of, k)
		}
	default:
		return exprValue{}, false
	}
	found := exprValue{t: exprBool, id: l.g.constBool(false)}
	for _, e := range of {
		var k exprValue
		switch e := e.(type) {
		case int:
			k = exprValue{t: exprInt, id: l.g.constInt(int64(e)), bound: math.Abs(float64(e))}
		case float64:
			k = exprValue{t: exprFloat, id: l.g.constFloat(e)}
		case bool:
			k = exprValue{t: exprBool, id: l.g.constBool(e)}
		default:
			return l.fail(n, "numbers are written without quotes", "text is of no use here"), true
		}
		found.id = l.g.or(found.id, l.compare(n, equal, v, k).id)
	}
	return found, true
}
