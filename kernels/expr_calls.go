package kernels

import (
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// exprFunctions are the functions of expr that the kernel keeps, in the order they are shown.
func exprFunctions() []string {
	return strings.Fields("min max abs floor ceil round int float bitand bitor bitxor bitshr bitshl")
}

// exprVariables are the names an expression may use, in the order they are shown.
func exprVariables() []string { return strings.Fields("v r g b a x y width height") }

// exprSources are the variables that differ from sample to sample.
func exprSources() map[string]uint16 {
	return map[string]uint16{"v": SourceV, "r": SourceR, "g": SourceG, "b": SourceB, "a": SourceA, "x": SourceX, "y": SourceY}
}

func (l *lowering) call(n *ast.BuiltinNode, guard int) exprValue {
	if !slices.Contains(exprFunctions(), n.Name) {
		return l.fail(n, "", "there is no function %s", n.Name)
	}
	var args []exprValue
	for _, arg := range n.Arguments {
		v := l.value(arg, guard)
		if l.err != nil {
			return v
		}
		if v.t == exprBool {
			return l.fail(arg, "", "%s needs numbers, and this is a condition", n.Name)
		}
		args = append(args, v)
	}
	one, two := len(args) == 1, len(args) == 2
	switch {
	case n.Name == "min" && len(args) > 0:
		return l.extreme(n, OpMinI, OpMinF, args)
	case n.Name == "max" && len(args) > 0:
		return l.extreme(n, OpMaxI, OpMaxF, args)
	case n.Name == "abs" && one:
		v := args[0]
		if v.t == exprInt {
			v.id = l.g.unary(OpAbsI, v.id)
		} else {
			v.id = l.g.unary(OpAbsF, v.id)
		}
		return v
	case n.Name == "floor" && one:
		return l.rounded(OpFloorF, args[0])
	case n.Name == "ceil" && one:
		return l.rounded(OpCeilF, args[0])
	case n.Name == "round" && one:
		return l.rounded(OpRoundF, args[0])
	case n.Name == "int" && one:
		if args[0].t == exprInt {
			return args[0]
		}
		v := exprValue{t: exprInt, id: l.g.unary(OpIntF, args[0].id), bound: math.MaxInt64}
		return v
	case n.Name == "float" && one:
		return exprValue{t: exprFloat, id: l.float(args[0]), unsigned: args[0].unsigned}
	case n.Name == "bitand" && two:
		return l.bits(n, OpAndI, args)
	case n.Name == "bitor" && two:
		return l.bits(n, OpOrI, args)
	case n.Name == "bitxor" && two:
		return l.bits(n, OpXorI, args)
	case n.Name == "bitshr" && two:
		return l.trapping(n, OpShrI, args[0], args[1], guard, n.Name, "a shift by a negative count")
	case n.Name == "bitshl" && two:
		return l.trapping(n, OpShlI, args[0], args[1], guard, n.Name, "a shift by a negative count")
	}
	return l.fail(n, "", "there is no function %s of %d arguments", n.Name, len(args))
}

// extreme is min and max, from the left: later arguments win only where they are really less or more.
func (l *lowering) extreme(n *ast.BuiltinNode, ints, floats Op, args []exprValue) exprValue {
	v := args[0]
	for _, w := range args[1:] {
		op := floats
		if v.t == exprInt && w.t == exprInt {
			op = ints
		} else {
			if inexact(max(v.bound, w.bound)) {
				return l.tooLarge(n)
			}
			v.mixed = v.whole() || w.whole()
			v.t, v.id, w.id = exprFloat, l.float(v), l.float(w)
		}
		v.id = l.g.binary(op, v.id, w.id)
		v.unsigned = v.unsigned || w.unsigned
		v.bound = max(v.bound, w.bound)
	}
	return v
}

// rounded is floor, ceil and round, which make a float of everything.
func (l *lowering) rounded(op Op, v exprValue) exprValue {
	id := l.float(v)
	if v.t == exprFloat {
		id = l.g.unary(op, id)
	}
	return exprValue{t: exprFloat, id: id, unsigned: v.unsigned}
}

func (l *lowering) bits(n *ast.BuiltinNode, op Op, args []exprValue) exprValue {
	if args[0].t != exprInt || args[1].t != exprInt {
		return l.fail(n, "write int(...) around the float", "%s needs whole numbers, and here is a float", n.Name)
	}
	return exprValue{t: exprInt, id: l.g.binary(op, args[0].id, args[1].id), bound: math.MaxInt64}
}
