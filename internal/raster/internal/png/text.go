package png

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxText is how much of a text chunk is kept.
const maxText = 4 << 10

func textual(name string) bool { return name == "tEXt" || name == "zTXt" || name == "iTXt" }

// parseText reads keyword and text of a chunk, which may be cut.
func parseText(name string, body []byte) (t Text, ok bool) {
	key, rest, ok := bytes.Cut(body, []byte{0})
	if !ok || len(key) == 0 || len(key) > 79 {
		return t, false
	}
	t.Key = latin1(key)
	switch {
	case name == "tEXt":
		t.Value = latin1(rest)
	case name == "iTXt" && len(rest) >= 2 && rest[0] == 0: // not compressed
		_, rest, ok = bytes.Cut(rest[2:], []byte{0}) // language
		if ok {
			_, rest, ok = bytes.Cut(rest, []byte{0}) // keyword in that language
		}
		if ok {
			for len(rest) > 0 && !utf8.Valid(rest) { // cut inside a character
				rest = rest[:len(rest)-1]
			}
			t.Value = string(rest)
		}
	}
	return t, true
}

// latin1 is text in ISO 8859-1, which is what PNG says of keywords and tEXt; writers put UTF-8 there too.
func latin1(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}
