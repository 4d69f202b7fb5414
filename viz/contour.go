package viz

// contour draws lines along the upper and lower borders of segments. It sees rows from the top, so it needs of the
// rows above no more than what it keeps for each column.
type contour struct {
	in   []bool // the pixel above lies in a segment
	left []int  // rows of the line still to be drawn
}

// row turns marks of one row into Edge where a border's line passes: thick rows of it from each change between
// inside and outside on. The first row counts as one below an outside.
func (c *contour) row(marks []Mark, thick int) {
	if len(c.in) != len(marks) {
		c.in, c.left = make([]bool, len(marks)), make([]int, len(marks))
	}
	for x, m := range marks {
		in := m >= Inside
		if in != c.in[x] {
			c.in[x], c.left[x] = in, thick
		}
		if c.left[x] > 0 {
			c.left[x]--
			marks[x] = Edge
		}
	}
}
