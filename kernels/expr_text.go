package kernels

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// An expression of more bytes or syntax nodes is refused: the parser recurses, and registers take memory.
const (
	maxExprBytes = 16 << 10
	maxExprNodes = 1000
)

// exprText is one condition as the user wrote it.
type exprText struct {
	key       string
	source    string
	tokens    []lexer.Token // of source
	canonical string        // the tokens in even spacing, without comments
	colour    bool          // it reads r g b a
}

// parseExpr reads a condition with expr's own parser and type checker. It may be right for samples of one type only: see
// check. Errors are *UsageError.
func parseExpr(key, source string) (*exprText, error) {
	t := &exprText{key: key, source: source}
	var tree ast.Node
	if len(source) > maxExprBytes {
		return nil, usagef("", "kernel expr: %s is %d bytes long; at most %d", key, len(source), maxExprBytes)
	}
	var first error
	for _, in := range exprInputTypes() {
		var err error
		if tree, err = parseTyped(source, in); err == nil {
			break
		}
		if first == nil {
			first = err
		}
	}
	if tree == nil {
		return nil, t.usage(first)
	}
	var err error
	if t.tokens, err = lexer.Lex(file.NewSource(source)); err != nil {
		return nil, t.usage(err)
	}
	t.canonical = t.text(allDigits)
	for _, k := range t.tokens {
		s, is := exprSources()[k.Value]
		t.colour = t.colour || k.Kind == lexer.Identifier && is && s >= SourceR && s <= SourceA
	}
	return t, nil
}

// parse gives the tree for samples of some types.
func (t *exprText) parse(in exprInputs) (ast.Node, error) {
	tree, err := parseTyped(t.source, in)
	if err != nil {
		return nil, t.usage(err)
	}
	return tree, nil
}

type visitor func(ast.Node)

func (v visitor) Visit(n *ast.Node) { v(*n) }

// parseTyped parses and checks. The tree is the one that expr's virtual machine would run, after its optimizer: that drops
// operands which might have failed (in v % x > 3 && false), and the kernel must do the same.
func parseTyped(source string, in exprInputs) (tree ast.Node, err error) {
	defer func() {
		if r := recover(); r != nil { // a fault of the parser must not take the program down
			tree, err = nil, fmt.Errorf("the expression cannot be read: %v", r)
		}
	}()
	var odd ast.Node
	powers := expr.Patch(visitor(func(n ast.Node) {
		if odd == nil && foldsToOddPower(n) {
			odd = n
		}
	}))
	p, err := expr.Compile(source, append(exprOptions(in), powers)...)
	switch {
	case err != nil:
		return nil, err
	case odd != nil:
		return nil, oddPower(odd)
	}
	return p.Node(), nil
}

// foldsToOddPower tells whether n is a power of constants, which the optimizer would take with exp and log.
func foldsToOddPower(n ast.Node) bool {
	b, ok := n.(*ast.BinaryNode)
	if !ok || b.Operator != "**" && b.Operator != "^" {
		return false
	}
	constant := true
	ast.Walk(&b.Left, visitor(func(n ast.Node) {
		if _, ok := n.(*ast.IdentifierNode); ok {
			constant = false
		}
	}))
	if !constant {
		return false
	}
	sign, right := 1., b.Right
	if u, ok := right.(*ast.UnaryNode); ok && u.Operator == "-" {
		sign, right = -1, u.Node
	}
	switch k := right.(type) {
	case *ast.IntegerNode:
		return !exactPower(float64(k.Value))
	case *ast.FloatNode:
		return !exactPower(sign * k.Value)
	}
	return true
}

// exprOptions are the variables with their types, and the functions that are left.
func exprOptions(in exprInputs) []expr.Option {
	env := map[string]any{"x": 0, "y": 0, "width": 0, "height": 0}
	for name, s := range exprSources() {
		env[name] = 0
		if in.sourceType(s) == exprFloat {
			env[name] = 0.
		}
	}
	o := []expr.Option{expr.Env(env), expr.DisableAllBuiltins(), expr.MaxNodes(maxExprNodes)}
	for _, f := range exprFunctions() {
		o = append(o, expr.EnableBuiltin(f))
	}
	return o
}

// text writes the tokens of a condition, its numbers by show, with blanks around words and what joins conditions, and no others.
func (t *exprText) text(show numerals) string {
	runes := []rune(t.source)
	var b strings.Builder
	var before string
	for _, k := range t.tokens {
		if k.Kind == lexer.EOF {
			break
		}
		text := string(runes[k.From:k.To])
		if before != "" && blankBetween(before, text) {
			b.WriteByte(' ')
		}
		if k.Kind == lexer.Number {
			text = show(text)
		}
		b.WriteString(text)
		before = text
	}
	return b.String()
}

func blankBetween(a, b string) bool {
	spaced := func(s string) bool {
		switch s {
		case "&&", "||", "?", ":", "and", "or", "not", "in", "if", "else", "let":
			return true
		}
		return false
	}
	last, first := rune(a[len(a)-1]), rune(b[0])
	word := func(r rune) bool {
		return r == '_' || r == '$' || r > unicode.MaxASCII || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	switch {
	case a == "(" || a == "[" || b == ")" || b == "]" || b == "," || b == ";":
		return false
	case spaced(a) || spaced(b), word(last) && word(first), a == "," || a == ";":
		return true
	}
	return false
}

// usage makes the error of a condition: what, where (a line with a mark under it), and a remedy.
func (t *exprText) usage(err error) error {
	msg, hint, at := err.Error(), "", -1
	var ours *exprError
	var theirs *file.Error
	switch {
	case errors.As(err, &ours):
		msg, hint, at = ours.msg, ours.hint, ours.at.From
	case errors.As(err, &theirs):
		at = theirs.From
		if strings.Contains(theirs.Message, "unexpected token EOF") {
			at = len([]rune(strings.TrimRightFunc(t.source, unicode.IsSpace)))
		}
		msg, hint = t.explain(theirs)
	}
	msg = "kernel expr: " + t.key + ": " + msg
	if at >= 0 {
		msg += "\n" + markedLine(t.source, at)
	}
	if hint == "" {
		hint = exprNames()
	}
	return &UsageError{Msg: msg, Hint: hint}
}

// exprNames lists what an expression may use.
func exprNames() string {
	return "variables: " + strings.Join(exprVariables(), " ") + "; functions: " + strings.Join(exprFunctions(), " ")
}

// markedLine shows the place of a rune of source on two lines. Long lines are cut around it.
func markedLine(source string, at int) string {
	const reach = 50
	runes := []rune(source)
	at = min(at, len(runes))
	from, to := max(0, at-reach), min(len(runes), at+reach)
	before, after := "", ""
	if from > 0 {
		before = "..."
	}
	if to < len(runes) {
		after = "..."
	}
	shown := func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}
	return "  " + before + strings.Map(shown, string(runes[from:to])) + after +
		"\n  " + strings.Repeat(" ", len(before)+at-from) + "^"
}
