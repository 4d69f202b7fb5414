package kernels

import "math"

// comparison is one of the four that order, or equality.
type comparison uint8

const (
	less comparison = iota
	lessEqual
	greater
	greaterEqual
	equal
)

// swapped is the comparison that holds of b and a where c holds of a and b.
func (c comparison) swapped() comparison {
	return [...]comparison{greater, greaterEqual, less, lessEqual, equal}[c]
}

// compare makes a comparison of two values of type t, by the shortest way: a source with a constant in its own type.
func (g *exprGraph) compare(c comparison, t exprType, a, b int) int {
	if id, ok := g.compareSource(c, a, b); ok {
		return id
	}
	if id, ok := g.compareSource(c.swapped(), b, a); ok {
		return id
	}
	if c == greater || c == greaterEqual {
		c, a, b = c.swapped(), b, a
	}
	op := [...]Op{less: OpLtI, lessEqual: OpLeI, equal: OpEqI}[c]
	if t == exprFloat {
		op = [...]Op{less: OpLtF, lessEqual: OpLeF, equal: OpEqF}[c]
	}
	return g.binary(op, a, b)
}

// compareSource compares a, if it is a source (or an integer one as a float), with the constant b.
func (g *exprGraph) compareSource(c comparison, a, b int) (int, bool) {
	if g.nodes[a].op == OpFloatI {
		a = g.nodes[a].a
	}
	n, k := g.nodes[a], g.nodes[b]
	switch {
	case n.op == OpLoadI && k.op == OpConstI:
		return g.compareInt(c, n.a, int64(k.imm)), true
	case n.op == OpLoadI && k.op == OpConstF:
		return g.compareIntFloat(c, n.a, math.Float64frombits(k.imm)), true
	case n.op == OpLoadF && k.op == OpConstF:
		return g.compareFloat(c, n.a, math.Float64frombits(k.imm))
	}
	return 0, false
}

func (g *exprGraph) compareInt(c comparison, source int, k int64) int {
	top := g.in.sourceTop(uint16(source))
	atMost := func(k int64) int {
		if k < 0 || k >= top {
			return g.constBool(k >= top)
		}
		return g.put(exprNode{OpLeS, source, none, none, uint64(k)})
	}
	atLeast := func(k int64) int {
		if k <= 0 || k > top {
			return g.constBool(k <= 0)
		}
		return g.put(exprNode{OpGeS, source, none, none, uint64(k)})
	}
	k = max(-1, min(k, top+1)) // the same samples compare the same
	switch c {
	case less:
		return atMost(k - 1)
	case lessEqual:
		return atMost(k)
	case greater:
		return atLeast(k + 1)
	case greaterEqual:
		return atLeast(k)
	}
	return g.and(atMost(k), atLeast(k))
}

// compareIntFloat: samples are so small that they are exact as floats.
func (g *exprGraph) compareIntFloat(c comparison, source int, k float64) int {
	whole := math.Floor(k)
	if math.IsNaN(k) || c == equal && whole != k {
		return g.constBool(false)
	}
	if whole != k { // v < 2.5 and v <= 2.5 are v <= 2; v > 2.5 and v >= 2.5 are v > 2
		switch c {
		case less:
			c = lessEqual
		case greaterEqual:
			c = greater
		}
	}
	return g.compareInt(c, source, int64(max(-2, min(whole, maxPixels+1))))
}

// compareFloat rounds the constant to float32 so that the same samples compare the same. Bounds that are not finite are
// left to others, as segment.Thresholds takes them for none.
func (g *exprGraph) compareFloat(c comparison, source int, k float64) (int, bool) {
	if math.IsNaN(k) {
		return g.constBool(false), true
	}
	below := float32(k) // the greatest float32 <= k
	if float64(below) > k {
		below = math.Nextafter32(below, float32(math.Inf(-1)))
	}
	exact := float64(below) == k
	above := below // the least float32 >= k
	if !exact {
		above = math.Nextafter32(below, float32(math.Inf(1)))
	}
	test := func(op Op, v float32) (int, bool) {
		if math.IsInf(float64(v), 0) {
			return 0, false
		}
		return g.put(exprNode{op, source, none, none, math.Float64bits(float64(v))}), true
	}
	switch {
	case c == less && exact:
		return test(OpLeS, math.Nextafter32(below, float32(math.Inf(-1))))
	case c == less, c == lessEqual:
		return test(OpLeS, below)
	case c == greater && exact:
		return test(OpGeS, math.Nextafter32(above, float32(math.Inf(1))))
	case c == greater, c == greaterEqual:
		return test(OpGeS, above)
	case !exact:
		return g.constBool(false), true
	}
	lo, ok1 := test(OpLeS, below)
	hi, ok2 := test(OpGeS, above)
	if !ok1 || !ok2 {
		return 0, false
	}
	return g.and(lo, hi), true
}
