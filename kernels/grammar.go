package kernels

import (
	"fmt"
	"strings"
)

// pair is one key=value of a spec, trimmed, with quotes around a whole value taken off.
type pair struct{ key, value string }

// splitSpec takes a -k value apart: name [":" key "=" value {"," key "=" value}]. Only the first ':' and the first
// '=' of a pair split; a comma inside brackets or quotes belongs to the value. Names and keys are lower-cased.
func splitSpec(s string) (name string, pairs []pair, err error) {
	head, rest, found := strings.Cut(s, ":")
	name = strings.ToLower(strings.TrimSpace(head))
	if name == "" {
		return "", nil, usagef("segscan kernels lists the kernels", "no kernel named in %q", s)
	}
	if !found {
		return name, nil, nil
	}
	parts, err := splitCommas(rest)
	if err != nil {
		return "", nil, usagef("close every bracket and quote of the value", "kernel %s: %v", name, err)
	}
	for _, part := range parts {
		key, value, eq := strings.Cut(part, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch {
		case key == "" && !eq:
			return "", nil, usagef("write "+name+":key=value,key=value", "kernel %s: empty parameter in %q", name, rest)
		case key == "":
			return "", nil, usagef("write "+name+":key=value,key=value", "kernel %s: no key before '=' in %q", name, part)
		case !eq && strings.ContainsAny(key, "<>!&|+-*/%()"):
			return "", nil, usagef("write "+name+":key=value,key=value; segscan kernels "+name+" shows the keys", "kernel %s: no key before %s", name, key)
		case !eq || value == "":
			return "", nil, usagef(fmt.Sprintf("write %s:%s=VALUE", name, key), "kernel %s: %s has no value", name, key)
		}
		pairs = append(pairs, pair{key, unquote(value)})
	}
	return name, pairs, nil
}

// SplitKeys cuts KEY=VALUE,..., which stands behind the colon of a spec, into its pairs as they are written. A bracket or
// quote that is not closed is an error.
func SplitKeys(s string) ([]string, error) { return splitCommas(s) }

// splitCommas cuts at the commas outside brackets and quotes.
func splitCommas(s string) ([]string, error) {
	var parts []string
	var open []byte // closing brackets awaited
	var quote byte
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			open = append(open, ')')
		case c == '[':
			open = append(open, ']')
		case c == '{':
			open = append(open, '}')
		case c == ')' || c == ']' || c == '}':
			if len(open) == 0 || open[len(open)-1] != c {
				return nil, fmt.Errorf("%q without its opening bracket in %q", string(c), s)
			}
			open = open[:len(open)-1]
		case c == ',' && len(open) == 0:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("quote %c is not closed in %q", quote, s)
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("%q is missing in %q", string(open[len(open)-1]), s)
	}
	return append(parts, s[start:]), nil
}

// unquote takes off one pair of quotes that spans the whole value.
func unquote(v string) string {
	if len(v) >= 2 && (v[0] == '"' || v[0] == '\'') && strings.IndexByte(v[1:], v[0]) == len(v)-2 {
		return strings.TrimSpace(v[1 : len(v)-1])
	}
	return v
}

func usagef(hint, format string, args ...any) *UsageError {
	return &UsageError{Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// didYouMean names the candidate nearest to word, or lists them all when none is near. Words of one letter each are not near.
func didYouMean(word string, candidates []string) string {
	best, at := len(word)+1, ""
	for _, c := range candidates {
		if d := editDistance(word, c); d < best && d < max(len(word), len(c)) && d <= max(1, min(len(word), len(c)+1)/3) {
			best, at = d, c
		}
	}
	if at != "" {
		return "did you mean " + at + "?"
	}
	return "known: " + strings.Join(candidates, ", ")
}

// editDistance counts the insertions, deletions, substitutions and swaps of neighbours that turn a into b (the
// optimal string alignment distance).
func editDistance(a, b string) int {
	if len(a) > 64 {
		a = a[:64]
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
