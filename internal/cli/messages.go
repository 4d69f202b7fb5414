package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Rules for everything said on stderr:
//
//   - a message is one line `segscan: [file: ]what is wrong`, lower case, no full stop; it names the thing, the value
//     and what is allowed;
//   - a remedy follows on its own line, `hint: ...`, only where there is one;
//   - names from outside are cleaned: control characters and bytes that are not UTF-8 appear as \xNN, so no file name
//     can write to the terminal;
//   - no colours, and no control codes unless stderr is a terminal (progress only).

// printer writes messages; it is safe for concurrent use. before is called ahead of each message, so that a progress
// bar can leave the line.
type printer struct {
	mu     sync.Mutex
	w      io.Writer
	before func()
}

// message prints `segscan: file: msg` and, if hint is set, a line `hint: hint`. file may be empty.
func (p *printer) message(file, msg, hint string) {
	var b strings.Builder
	b.WriteString("segscan: ")
	if file != "" {
		b.WriteString(clean(file) + ": ")
	}
	b.WriteString(cleanText(msg) + "\n")
	if hint != "" {
		b.WriteString("hint: " + cleanText(hint) + "\n")
	}
	p.write(b.String())
}

// write prints text that is complete lines already.
func (p *printer) write(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.before != nil {
		p.before()
	}
	// A stderr that cannot be written to leaves nobody to tell.
	_, _ = io.WriteString(p.w, s)
}

// clean makes a name safe for a terminal and a single line.
func clean(s string) string { return escape(s, false) }

// cleanText does the same for a message, which may have several lines.
func cleanText(s string) string { return escape(s, true) }

func escape(s string, lines bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n' && lines, r != utf8.RuneError && unicode.IsPrint(r), r == utf8.RuneError && n > 1:
			b.WriteString(s[i : i+n])
		default:
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		}
		i += n
	}
	return b.String()
}

// plural is "1 file", "2 files", "1,234,567 segments".
func plural[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(int64(n)) + " " + many
}

// thousands writes a count with separators, for people only.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	start := len(s) % 3
	if n < 0 {
		return "-" + thousands(-n)
	}
	parts := []string{}
	if start > 0 {
		parts = append(parts, s[:start])
	}
	for i := start; i < len(s); i += 3 {
		parts = append(parts, s[i:i+3])
	}
	return strings.Join(parts, ",")
}
