package viz

import (
	"math/bits"

	"segscan/segment"
)

// PaintClasses paints the classes of rows: line i of k is page row line0+i, its first sample page column sample0.
// What falls outside the band is left out.
func (m *Marks) PaintClasses(line0, sample0 int64, k *segment.Masks) {
	for l := range k.Lines {
		y := line0 + int64(l) - int64(m.Y0)
		if y < 0 || y >= int64(m.H) {
			continue
		}
		row := m.Of[int(y)*m.W : (int(y)+1)*m.W]
		b, a := k.Line(l)
		shift := int(sample0) - m.X0
		paintBits(row, shift, b, Edge)
		paintBits(row, shift, a, Inside)
	}
}

// paintBits paints pixel shift+i where bit i is set.
func paintBits(row []Mark, shift int, words []uint64, kind Mark) {
	for w, v := range words {
		for ; v != 0; v &= v - 1 {
			if x := shift + w*64 + bits.TrailingZeros64(v); x >= 0 && x < len(row) {
				row[x] = kind
			}
		}
	}
}

// PaintClassesCols paints the classes of columns: line i of k is page column line0+i, its first sample page row
// sample0. It takes the masks of whole columns and paints those rows that lie in the band.
func (m *Marks) PaintClassesCols(line0, sample0 int64, k *segment.Masks) {
	from := max(int64(m.Y0)-sample0, 0)
	to := min(int64(m.Y0+m.H)-sample0, int64(k.Samples))
	for l := range k.Lines {
		x := line0 + int64(l) - int64(m.X0)
		if x < 0 || x >= int64(m.W) {
			continue
		}
		b, a := k.Line(l)
		for s := from; s < to; s++ {
			at := (int(s+sample0)-m.Y0)*m.W + int(x)
			switch {
			case b[s/64]>>(s%64)&1 != 0:
				m.Of[at] = Edge
			case a[s/64]>>(s%64)&1 != 0:
				m.Of[at] = Inside
			}
		}
	}
}
