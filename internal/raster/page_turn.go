package raster

import (
	"fmt"
	"image"

	"segscan/segment"
)

// turn maps stored pixels to the page as shown: x and y are flipped first (in the stored page), then exchanged.
type turn struct{ swap, flipX, flipY bool }

// orientationTurn is the turn of an orientation tag 1..8 (TIFF 6.0 page 36, EXIF 2.3 section 4.6.4). Tag 6, for one,
// says that stored row 0 is the right-hand side as seen and stored column 0 the top: seen x = height-1-y, y = x.
func orientationTurn(tag int) turn {
	switch tag {
	case 2:
		return turn{flipX: true}
	case 3:
		return turn{flipX: true, flipY: true}
	case 4:
		return turn{flipY: true}
	case 5:
		return turn{swap: true}
	case 6:
		return turn{swap: true, flipY: true}
	case 7:
		return turn{swap: true, flipX: true, flipY: true}
	case 8:
		return turn{swap: true, flipX: true}
	}
	return turn{}
}

func orientationWarning(tag int) string {
	how := [...]string{2: "mirrored left to right", 3: "turned by 180 degrees", 4: "mirrored top to bottom",
		5: "mirrored along its diagonal", 6: "turned clockwise by 90 degrees", 7: "mirrored along its other diagonal",
		8: "turned counter-clockwise by 90 degrees"}[tag]
	return fmt.Sprintf("orientation tag %d (to be seen %s) is not applied (--auto-orient applies it)", tag, how)
}

// lines gives the turn from stored pixels to lines and samples along axis: swap then means that a line is a stored
// column.
func (t turn) lines(axis segment.Axis) turn {
	t.swap = t.swap != (axis == segment.Cols)
	return t
}

// window gives the stored window that lines [l0, l1) and samples [s0, s1) lie in; width and height are the stored
// page's.
func (t turn) window(l0, l1, s0, s1, width, height int) image.Rectangle {
	x0, x1, y0, y1 := s0, s1, l0, l1
	if t.swap {
		x0, x1, y0, y1 = l0, l1, s0, s1
	}
	if t.flipX {
		x0, x1 = width-x1, width-x0
	}
	if t.flipY {
		y0, y1 = height-y1, height-y0
	}
	return image.Rect(x0, y0, x1, y1)
}

// place writes rows, which are stored rows y0.. of a window of h rows, to where they belong in dst, the lines and
// samples of that whole window.
func (t turn) place(dst, rows segment.Plane, y0, h int) {
	switch {
	case dst.U8 != nil:
		placeRows(t, dst.U8, rows.U8, dst, rows, y0, h)
	case dst.U16 != nil:
		placeRows(t, dst.U16, rows.U16, dst, rows, y0, h)
	case dst.F32 != nil:
		placeRows(t, dst.F32, rows.F32, dst, rows, y0, h)
	}
}

func placeRows[T any](t turn, d, s []T, dst, rows segment.Plane, y0, h int) {
	if t.swap {
		placeSwapped(t, d, s, dst, rows, y0, h)
		return
	}
	for y := range rows.Lines {
		l := y0 + y
		if t.flipY {
			l = h - 1 - l
		}
		from := s[y*rows.Stride:][:rows.Samples]
		to := d[l*dst.Stride:][:rows.Samples]
		if !t.flipX {
			copy(to, from)
			continue
		}
		for x, v := range from {
			to[len(to)-1-x] = v
		}
	}
}

// placeBlock is the side of the squares a transposition works on, so that both sides of a square stay in the cache.
const placeBlock = 32

func placeSwapped[T any](t turn, d, s []T, dst, rows segment.Plane, y0, h int) {
	w := rows.Samples
	for yb := 0; yb < rows.Lines; yb += placeBlock {
		ye := min(yb+placeBlock, rows.Lines)
		for xb := 0; xb < w; xb += placeBlock {
			xe := min(xb+placeBlock, w)
			for x := xb; x < xe; x++ {
				l := x
				if t.flipX {
					l = w - 1 - x
				}
				to := d[l*dst.Stride:][:dst.Samples]
				at := yb*rows.Stride + x
				if t.flipY {
					for i := h - 1 - (y0 + yb); i > h-1-(y0+ye); i-- {
						to[i] = s[at]
						at += rows.Stride
					}
					continue
				}
				for i := y0 + yb; i < y0+ye; i++ {
					to[i] = s[at]
					at += rows.Stride
				}
			}
		}
	}
}

// flipSamples turns every row of p around.
func flipSamples(p segment.Plane) {
	switch {
	case p.U8 != nil:
		flipRows(p.U8, p)
	case p.U16 != nil:
		flipRows(p.U16, p)
	case p.F32 != nil:
		flipRows(p.F32, p)
	}
}

func flipRows[T any](s []T, p segment.Plane) {
	for l := range p.Lines {
		row := s[l*p.Stride:][:p.Samples]
		for i, j := 0, len(row)-1; i < j; i, j = i+1, j-1 {
			row[i], row[j] = row[j], row[i]
		}
	}
}
