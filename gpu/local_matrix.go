package gpu

import "segscan/kernels/cuda"

// chooseMatrix takes a kernel that multiplies matrices for means of 8-bit samples, where the device has what it needs:
// products of bytes, and room for the lines that windows see, as kernels/cuda/local_matrix.cuh has them.
func (e *Engine) chooseMatrix(c *localClasses) {
	const lines, piece = 16, 16
	half := c.params.HalfSamples
	halo := max(1, (half+piece-1)/piece) * piece
	pitch := cuda.LocalMatrixColumns + 2*halo + piece
	ring := max(2*c.params.HalfLines+1+lines, c.params.HalfLines+2*lines)
	changes := lines * (2*cuda.LocalMatrixColumns + 32)
	shared := uint64(ring+1)*uint64(pitch) + uint64(changes)
	if e.fused.basic || half >= cuda.LocalMatrixHalo || shared > uint64(e.fused.shared) || c.params.Pitch > maxMatrixPitch {
		return
	}
	name := "odd"
	switch {
	case half < piece-1:
		name = "small"
	case half <= piece:
		name = "one"
	case half%piece == 0 || half%piece == piece-1:
		name = "even"
	}
	c.kernel = "local_matrix_" + name + "_u8"
	c.shape = localShape{lines: lines, shared: uint32(shared), tile: cuda.LocalMatrixColumns}
	c.shape.blocks = max(1, min(matrixBlocks, matrixShared/(shared+sharedOfBlock)))
}

const (
	// maxMatrixPitch is the most samples from a line to the next, so that an offset of 32 bits reaches 16 lines on.
	maxMatrixPitch = 1 << 27
	// matrixBlocks is how many blocks fit a multiprocessor by their registers.
	matrixBlocks = 4
	// matrixShared is how many bytes blocks of a multiprocessor have together, on the device this was measured on, and
	// sharedOfBlock what the system takes of them for each.
	matrixShared, sharedOfBlock = 228 << 10, 1 << 10
)
