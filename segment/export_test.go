package segment

// NewTestCPU is NewCPU with tiles and chunks of so many samples (multiples of 64), so that small bands cross them.
func NewTestCPU(workers, tile, chunk int) Engine {
	return &cpuEngine{workers: workers, tile: tile, chunk: chunk}
}
