package gpu

import "segscan/kernels/cuda"

// chooseMatrix takes a kernel that multiplies matrices for means of 8-bit samples, where the device has what it needs:
// products of bytes, and room for the lines that windows see, as kernels/cuda/local_matrix.cuh has them.
func (e *Engine) chooseMatrix(c *localClasses) {
	const lines, piece = 16, 16
	half := c.params.HalfSamples
	halo := max(1, (half+piece-1)/piece) * piece
	pitch := cuda.LocalMatrixColumns + 2*halo + piece
	changes := uint64(lines * (2*cuda.LocalMatrixColumns + 32))
	window := 2*c.params.HalfLines + 1
	// The lines that come in next take the place of those that are no longer needed, or their own, where that does not
	// leave room for fewer blocks.
	ring := window + lines
	shared := uint64(ring+1)*uint64(pitch) + changes
	if e.fused.basic || half >= cuda.LocalMatrixHalo || shared > uint64(e.fused.shared) || c.params.Pitch > maxMatrixPitch {
		return
	}
	if more := uint64(window+2*lines+1)*uint64(pitch) + changes; more <= uint64(e.fused.shared) && blocksOf(more, matrixBlocks) == blocksOf(shared, matrixBlocks) {
		ring, shared = window+2*lines, more
	}
	c.params.LinePhase = ring
	name := "odd"
	switch {
	case half < piece-1:
		name = "small"
	case half <= piece:
		name = "one"
	case half == 2*piece-1 || half == 2*piece:
		name = "three"
	case half%piece == 0 || half%piece == piece-1:
		name = "even"
	}
	c.kernel = "local_matrix_" + name + "_u8"
	c.shape = localShape{lines: lines, shared: uint32(shared), tile: cuda.LocalMatrixColumns}
	c.shape.blocks = blocksOf(shared, matrixBlocks)
}

// chooseNarrow takes the kernel of kernels/cuda/local_narrow.cuh for lines that begin at multiples of 16 bytes, where
// windows are narrow and low enough for it.
func (e *Engine) chooseNarrow(c *localClasses) {
	const lines, written, piece = 4, 8, 16
	// The lines that come in next have room beside those that windows see.
	ring := (uint64(2*c.params.HalfLines+1+2*lines) + lines - 1) / lines * lines
	shared := ring * (cuda.LocalNarrowColumns + 2*piece)
	blocks := blocksOf(shared, narrowBlocks)
	if e.fused.basic || c.params.HalfSamples > piece || blocks < narrowLeast || shared > uint64(e.fused.shared) || c.params.Pitch > maxMatrixPitch {
		return
	}
	c.aligned = &alignedKernel{name: "local_narrow_u8", ring: uint32(ring),
		shape: localShape{lines: written, shared: uint32(shared), tile: cuda.LocalNarrowColumns, blocks: blocks}}
}

// alignedKernel takes the place of a kernel where lines begin at multiples of 16 bytes.
type alignedKernel struct {
	name  string
	shape localShape
	ring  uint32 // lines
}

// fits tells whether the lines of a launch begin so.
func (a *alignedKernel) fits(p *cuda.LocalParams) bool {
	return a != nil && p.Samples%16 == 0 && p.Pitch%16 == 0
}

// blocksOf is how many blocks with so much memory run on a multiprocessor at once, of at most so many.
func blocksOf(shared, most uint64) uint64 {
	return max(1, min(most, matrixShared/(shared+sharedOfBlock)))
}

const (
	// maxMatrixPitch is the most samples from a line to the next, so that an offset of 32 bits reaches 16 lines on.
	maxMatrixPitch = 1 << 27
	// matrixBlocks is how many blocks fit a multiprocessor by their registers.
	matrixBlocks = 4
	// narrowBlocks is the same of the narrow kernel, whose blocks are a warp. With fewer than narrowLeast of them it is not
	// taken: a form of it for windows of 63 columns, of which five fit, was slower than the other kernel.
	narrowBlocks, narrowLeast = 12, 6
	// matrixShared is how many bytes blocks of a multiprocessor have together, on the device this was measured on, and
	// sharedOfBlock what the system takes of them for each.
	matrixShared, sharedOfBlock = 228 << 10, 1 << 10
)
