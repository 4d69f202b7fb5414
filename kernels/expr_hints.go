package kernels

import (
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/file"
)

// explain words an error of expr's parser or checker for people who do not know the language, with a remedy where the
// slip is a common one.
func (t *exprText) explain(e *file.Error) (msg, hint string) {
	rest := ""
	if runes := []rune(t.source); e.From < len(runes) {
		rest = string(runes[e.From:])
	}
	msg = plainTokens(e.Message)
	if strings.Contains(e.Message, "unexpected token EOF") {
		return msg, t.endHint()
	}
	if name, ok := strings.CutPrefix(e.Message, "unknown name "); ok {
		return t.unknownName(name)
	}
	before := strings.TrimRight(string([]rune(t.source)[:min(e.From, len([]rune(t.source)))]), " \t\n")
	switch {
	case strings.Contains(e.Message, "unrecognized character"):
		return msg, foreignCharacter(rest)
	case strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "=="):
		if strings.HasSuffix(before, "<") || strings.HasSuffix(before, ">") {
			return msg, before[len(before)-1:] + "= is written without a blank"
		}
		if strings.HasPrefix(rest, "=<") || strings.HasPrefix(rest, "=>") {
			return msg, "write <= or >=, and == to compare for equality"
		}
		return msg, "== compares; = only names the value in let d = r-g; d > 3"
	case strings.HasPrefix(rest, ">") && strings.HasSuffix(before, "<"):
		return msg, "write != for not equal"
	case strings.HasPrefix(rest, "&"):
		return msg, "conditions are joined by && or and; bitand(a, b) is the one on bits"
	case strings.Contains(e.Message, "unexpected token") && regexp.MustCompile(`(^|[^|])\|([^|]|$)`).MatchString(t.source):
		return msg, "conditions are joined by || or or; bitor(a, b) is the one on bits"
	case strings.Contains(e.Message, "mismatched type"), strings.Contains(e.Message, "in array"):
		return msg, t.mismatch(e.Message)
	case strings.Contains(e.Message, "integer divide by zero"):
		return "division by zero", "% needs a right side that is not 0"
	case strings.Contains(e.Message, "used as condition"):
		return msg, "compare it with something, as in v > 3 ? 1 : 2"
	case strings.Contains(e.Message, "cannot redeclare"):
		return msg, "the name has a meaning already; choose another after let"
	case strings.Contains(e.Message, "(type int)"):
		return msg, "write int(...) around the float"
	case strings.Contains(e.Message, "Identifier("):
		word := plainWord(rest)
		if slices.Contains([]string{"and", "or", "not", "in"}, strings.ToLower(word)) {
			return msg, "write " + strings.ToLower(word) + " in small letters"
		}
		return msg, "an operator is missing before " + word + "; conditions are joined by && or ||"
	}
	return msg, ""
}

// endHint is for an expression that stops too early.
func (t *exprText) endHint() string {
	text := strings.TrimSpace(t.source)
	switch {
	case strings.HasSuffix(text, "%"):
		return "% is the remainder here, and no share; write the sample's value, or use hysteresis:lo=20%,hi=80%"
	case text == "", strings.ContainsAny(text[len(text)-1:], "<>&|=!"):
		return "put the whole -k value in single quotes, or the shell takes < > & | for itself"
	case strings.HasPrefix(text, "let "):
		return "let d = r-g; d > 3 names a value and uses it"
	case strings.HasPrefix(text, "if "):
		return "if needs its else, as in if x > 3 { v > 2 } else { false }"
	}
	return ""
}

// mismatch explains a type error.
func (t *exprText) mismatch(msg string) string {
	switch {
	case strings.Contains(msg, ": in "), strings.Contains(msg, "in array"):
		return "for example v in [1, 2, 3] or v in 10..20"
	case strings.Contains(msg, "map["), strings.Contains(msg, "[]"):
		return ""
	case strings.Contains(msg, ": ! "), strings.Contains(msg, ": not "):
		return "compare first, as in !(v > 3)"
	case strings.Contains(msg, "string"):
		return "numbers are written without quotes"
	case strings.Contains(msg, ": % ") && strings.Contains(msg, "float64"):
		return "% needs whole numbers: write int(...) around the float"
	case strings.Contains(msg, "bool"):
		return "conditions are joined by && and ||, as in v>200 && x>10; brackets say what belongs together"
	}
	return ""
}

// unknownName finds out what was meant.
func (t *exprText) unknownName(name string) (msg, hint string) {
	msg = "there is no variable or function " + name
	lower := strings.ToLower(name)
	other := map[string]string{
		"red": "r", "green": "g", "blue": "b", "alpha": "a",
		"gray": "v", "grey": "v", "value": "v", "val": "v", "luma": "v", "intensity": "v", "pixel": "v", "sample": "v",
		"i": "x", "col": "x", "column": "x", "j": "y", "row": "y", "line": "y", "w": "width", "h": "height", "len": "width",
		"maximum": "max", "minimum": "min", "trunc": "int", "ceiling": "ceil", "double": "float",
	}[lower]
	switch {
	case isExprName(lower):
		other = lower
	case other != "":
	case lower == "sqrt":
		return msg, "v ** 0.5 is the square root"
	case lower == "pow":
		return msg, "v ** 2 is the square; the exponent is a constant"
	case lower == "pi", lower == "sin", lower == "cos", lower == "exp", lower == "log", lower == "ln":
		return msg, "only functions that give the same on every machine are here: " + strings.Join(exprFunctions(), " ")
	case lower == "hue", lower == "sat":
		return msg, "choose the channel with --channel " + lower + ", and v is it"
	case isMethod(lower), regexp.MustCompile(`^p\d+$`).MatchString(lower):
		return msg, "thresholds found in the image are no variables here; see hysteresis:lo=" + lower + ",hi=..."
	case len(name) >= 3:
		candidates := append(exprVariables(), exprFunctions()...)
		if h := didYouMean(lower, candidates); strings.HasPrefix(h, "did you mean") {
			return msg, h + " " + exprNames()
		}
	}
	if other != "" {
		return msg, "did you mean " + other + "? " + exprNames()
	}
	return msg, ""
}

// foreignCharacter is the remedy for characters that word processors and keyboards put in.
func foreignCharacter(rest string) string {
	for _, c := range []struct{ of, hint string }{
		{"‘’‚“”„«»", "quotes must be straight ones, around the whole -k value"},
		{"≤", "write <="}, {"≥", "write >="}, {"≠", "write !="}, {"−–—", "write the minus of the keyboard, -"},
		{"×·", "write *"}, {"÷", "write /"}, {"∧", "write &&"}, {"∨", "write ||"}, {"¬", "write !"},
		{"\\", "inside single quotes no backslash is needed before < > & | !"},
		{"~", "bitxor(v, -1) turns every bit around"},
		{"@$", "variables are written without a sign before them"},
	} {
		if rest != "" && strings.ContainsAny(string([]rune(rest)[:1]), c.of) {
			return c.hint
		}
	}
	return ""
}

// plainTokens turns the parser's names of tokens into what was written.
func plainTokens(msg string) string {
	msg = strings.ReplaceAll(msg, "unexpected token EOF", "the expression ends where more is expected")
	msg = regexp.MustCompile(`\b(Operator|Bracket|Identifier|Number|String|Bytes)\(("(?:[^"\\]|\\.)*")\)`).ReplaceAllString(msg, "$2")
	msg = strings.ReplaceAll(msg, "float64", "float")
	msg = strings.Replace(msg, "unexpected token ", "unexpected ", 1)
	msg = regexp.MustCompile(`strconv\.\w+: parsing ("[^"]*"): value out of range`).ReplaceAllString(msg, "$1 is out of range")
	return strings.TrimSpace(strings.TrimPrefix(msg, "compilation failed: "))
}

// plainWord is the word that s begins with.
func plainWord(s string) string {
	return regexp.MustCompile(`^\w*`).FindString(s)
}
