package png

// Pass is one of the seven passes of an interlaced image, or the whole of another: pixel i of its row j is pixel
// (X0+i*DX, Y0+j*DY) of the image.
type Pass struct{ X0, Y0, DX, DY int }

var (
	adam7 = []Pass{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
	plain = []Pass{{0, 0, 1, 1}}
)

func (in *Info) passes() []Pass {
	if in.Interlaced {
		return adam7
	}
	return plain
}

// size is the number of pixels a row and of rows in the pass; none if either is 0.
func (p Pass) size(width, height int) (w, h int) {
	w = (width - p.X0 + p.DX - 1) / p.DX
	h = (height - p.Y0 + p.DY - 1) / p.DY
	if w <= 0 || h <= 0 {
		return 0, 0
	}
	return w, h
}
