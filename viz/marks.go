package viz

import (
	"sort"

	"segscan/segment"
)

// NewMarks gives an empty band of w x h marks whose first pixel is page pixel (x0, y0).
func NewMarks(x0, y0, w, h int) *Marks {
	m := &Marks{}
	m.Reset(x0, y0, w, h)
	return m
}

// Reset makes m an empty band of w x h marks at (x0, y0), reusing its memory. Thick stays.
func (m *Marks) Reset(x0, y0, w, h int) {
	m.X0, m.Y0, m.W, m.H = x0, y0, w, h
	n := w * h
	if cap(m.Of) < n {
		m.Of = make([]Mark, n)
		return
	}
	m.Of = m.Of[:n]
	clear(m.Of)
}

// PaintRows paints spans of rows: line i of s is page row line0+i, and its positions count from page column
// sample0. kind is Inside (the ends that are boundaries are painted Edge, Thick long) or Rejected (only what lies
// strictly between the ends). What falls outside the band is left out; Rejected never covers what is there already.
func (m *Marks) PaintRows(line0, sample0 int64, s *segment.Spans, kind Mark) {
	for i := 0; i+1 < len(s.First); i++ {
		y := line0 + int64(i) - int64(m.Y0)
		if y < 0 || y >= int64(m.H) {
			continue
		}
		row := m.Of[int(y)*m.W : (int(y)+1)*m.W]
		bounds, edge := s.Line(i), edgeOf(s, i)
		for k, b := range bounds {
			from, to := open(b, k, len(bounds), edge)
			lo := max(int64(from)+sample0-int64(m.X0), 0)
			hi := min(int64(to)+sample0-int64(m.X0), int64(m.W)-1)
			if lo <= hi {
				fill(row[lo:hi+1], kind)
			}
			if kind != Inside {
				continue
			}
			if from > int64(b.Start) {
				m.edge(row, int64(b.Start)+sample0-int64(m.X0), -1, m.length(b))
			}
			if to < int64(b.End) {
				m.edge(row, int64(b.End)+sample0-int64(m.X0), 1, m.length(b))
			}
		}
	}
}

// PaintCols paints spans of columns: line i of s is page column line0+i, and its positions count from page row
// sample0. It takes the spans of the whole page and paints those rows that lie in the band.
func (m *Marks) PaintCols(line0, sample0 int64, s *segment.Spans, kind Mark) {
	top := int64(m.Y0) - sample0 // band rows in positions of the line
	thick := int64(max(m.Thick, 1)) - 1
	for i := 0; i+1 < len(s.First); i++ {
		x := line0 + int64(i) - int64(m.X0)
		if x < 0 || x >= int64(m.W) {
			continue
		}
		bounds, edge := s.Line(i), edgeOf(s, i)
		first := sort.Search(len(bounds), func(k int) bool { return int64(bounds[k].End)+thick >= top })
		for k := first; k < len(bounds); k++ {
			b := bounds[k]
			if int64(b.Start)-thick >= top+int64(m.H) {
				break
			}
			from, to := open(b, k, len(bounds), edge)
			lo, hi := max(from-top, 0), min(to-top, int64(m.H)-1)
			for y := lo; y <= hi; y++ {
				p := &m.Of[int(y)*m.W+int(x)]
				if kind != Rejected || *p == None {
					*p = kind
				}
			}
			if kind != Inside {
				continue
			}
			if from > int64(b.Start) {
				m.edgeDown(x, int64(b.Start)-top, -1, m.length(b))
			}
			if to < int64(b.End) {
				m.edgeDown(x, int64(b.End)-top, 1, m.length(b))
			}
		}
	}
}

// open gives the first and last sample strictly between the boundaries of span k of a line; a clipped end is not a
// boundary and belongs to the inside.
func open(b segment.Bound, k, n int, edge uint8) (from, to int64) {
	from, to = int64(b.Start)+1, int64(b.End)-1
	if k == 0 && edge&segment.EdgeLeft != 0 {
		from--
	}
	if k == n-1 && edge&segment.EdgeRight != 0 {
		to++
	}
	return from, to
}

func edgeOf(s *segment.Spans, i int) uint8 {
	if i < len(s.Edge) {
		return s.Edge[i]
	}
	return 0
}

// length is that of the marks of a segment's boundaries: Thick, but no more than a quarter of the segment, so that it
// is the segment one sees and not its ends.
func (m *Marks) length(b segment.Bound) int {
	return int(min(int64(m.Thick), (int64(b.End)-int64(b.Start)+1)/4))
}

// edge marks the boundary at x of a row, and grows the mark by step over what belongs to no segment.
func (m *Marks) edge(row []Mark, x, step int64, length int) {
	if x >= 0 && x < int64(len(row)) {
		row[x] = Edge
	}
	for range length - 1 {
		x += step
		if x >= 0 && x < int64(len(row)) && row[x] < Inside {
			row[x] = Edge
		}
	}
}

// edgeDown is edge along column x, from row y of the band.
func (m *Marks) edgeDown(x, y, step int64, length int) {
	if y >= 0 && y < int64(m.H) {
		m.Of[int(y)*m.W+int(x)] = Edge
	}
	for range length - 1 {
		y += step
		if y < 0 || y >= int64(m.H) {
			continue
		}
		if p := &m.Of[int(y)*m.W+int(x)]; *p < Inside {
			*p = Edge
		}
	}
}

func fill(row []Mark, kind Mark) {
	if kind != Rejected {
		for i := range row {
			row[i] = kind
		}
		return
	}
	for i := range row {
		if row[i] == None {
			row[i] = Rejected
		}
	}
}
