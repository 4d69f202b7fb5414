package bench

import (
	"strings"
	"unicode/utf8"
)

// grid is a table for people: the first columns named left are set left, the others right.
type grid struct {
	left int
	rows [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// write puts the table into b, two spaces between columns and none at the ends of lines.
func (g *grid) write(b *strings.Builder) {
	var width []int
	for _, r := range g.rows {
		for k, c := range r {
			if k == len(width) {
				width = append(width, 0)
			}
			width[k] = max(width[k], utf8.RuneCountInString(c))
		}
	}
	for _, r := range g.rows {
		var line strings.Builder
		for k, c := range r {
			pad := strings.Repeat(" ", width[k]-utf8.RuneCountInString(c))
			if k > 0 {
				line.WriteString("  ")
			}
			if k < g.left {
				line.WriteString(c + pad)
			} else {
				line.WriteString(pad + c)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
