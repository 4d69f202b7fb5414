package cli

import (
	"strings"
	"unicode/utf8"
)

// textWidth is the widest line of help texts.
const textWidth = 80

// wrapped writes text behind head, broken between words; further lines stand below the first word.
func wrapped(b *strings.Builder, head, text string) {
	indent := utf8.RuneCountInString(head)
	b.WriteString(head)
	col := indent
	for i, w := range strings.Fields(text) {
		n := utf8.RuneCountInString(w)
		switch {
		case i == 0:
		case col+1+n > textWidth:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			col = indent
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(w)
		col += n
	}
	b.WriteByte('\n')
}
