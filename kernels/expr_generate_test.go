package kernels

import (
	"math/rand/v2"
	"runtime"
)

// exprGenerator makes random conditions over the whole language of the kernel, some of them wrong.
type exprGenerator struct{ rng *rand.Rand }

func (g exprGenerator) pick(of ...string) string { return of[g.rng.IntN(len(of))] }

func (g exprGenerator) condition(depth int) string {
	if depth == 0 || g.rng.IntN(3) == 0 {
		switch g.rng.IntN(12) {
		case 0:
			return g.pick("true", "false")
		case 1:
			return g.number(1) + g.pick(" in ", " not in ") + "[" + g.number(1) + ", " + g.number(0) + "]"
		case 2:
			return g.number(1) + " in " + g.pick("0..3", "-2..x", "1..width-10", "y..200")
		case 3:
			return "1 < " + g.number(1) + g.pick(" < ", " <= ") + g.number(1)
		}
		return g.number(depth) + g.pick("<", "<=", ">", ">=", "==", "!=") + g.pick(g.number(depth), g.literal())
	}
	switch g.rng.IntN(8) {
	case 0:
		return g.pick("!", "not ") + "(" + g.condition(depth-1) + ")"
	case 1:
		return "(" + g.condition(depth-1) + " ? " + g.condition(depth-1) + " : " + g.condition(depth-1) + ")"
	case 2:
		return "(" + g.condition(depth-1) + ")" + g.pick("==", "!=") + "(" + g.condition(depth-1) + ")"
	case 3:
		return "(let d = " + g.number(depth-1) + "; d" + g.pick("<", ">") + g.literal() + " || d*d > " + g.number(1) + ")"
	}
	return "(" + g.condition(depth-1) + g.pick(" && ", " || ", " and ", " or ") + g.condition(depth-1) + ")"
}

func (g exprGenerator) literal() string {
	return g.pick("0", "1", "2", "3", "40", "200", "255", "256", "65535", "65536", "-1", "0.5", "2.5", "200.0", "1e30", "1e300", "-1e39", "3.4028234663852886e38",
		"9007199254740993", "9223372036854775807", "1/0", "-1/0", "0/0", "-0.0", "0x1f", "1_000")
}

func (g exprGenerator) number(depth int) string {
	if depth <= 0 || g.rng.IntN(4) == 0 {
		if g.rng.IntN(4) == 0 {
			return g.literal()
		}
		return g.pick("v", "v", "v", "r", "g", "b", "a", "x", "y", "width", "height")
	}
	n := func() string { return g.number(depth - 1) }
	switch g.rng.IntN(14) {
	case 0:
		return g.pick("-", "+") + n()
	case 1, 2, 3:
		return "(" + n() + g.pick("+", "-", "*") + n() + ")"
	case 4:
		return "(" + n() + "/" + n() + ")"
	case 5:
		return "(" + n() + " % " + g.pick(n(), "2", "7", "-3") + ")"
	case 6:
		return "(" + n() + g.pick("**", "^") + g.pick("2", "3", "0.5", "-1", "-0.5", "64", "(1+1)", "0", n()) + ")"
	case 7:
		return g.pick("min", "max") + "(" + n() + ", " + n() + g.pick("", ", "+n()) + ")"
	case 8:
		return "(" + g.condition(depth-1) + " ? " + n() + " : " + n() + ")"
	case 9:
		return g.pick("bitand", "bitor", "bitxor") + "(" + n() + ", " + n() + ")"
	case 10:
		return g.pick("bitshl", "bitshr") + "(" + n() + ", " + g.pick("1", "70", n()) + ")"
	case 11:
		return g.pick("floor", "ceil", "round") + "(" + n() + ")"
	case 12:
		if runtime.GOARCH != "amd64" {
			// Go leaves int of what does not fit to the machine, and so does expr; the kernel does as this one.
			return g.pick("float", "abs") + "(" + n() + ")"
		}
		return g.pick("int", "float", "abs") + "(" + n() + ")"
	}
	return "abs(" + n() + "-" + n() + ")"
}
