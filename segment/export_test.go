package segment

// NewTestCPU is NewCPU with tiles and chunks of so many samples (multiples of 64), so that small bands cross them.
func NewTestCPU(workers, tile, chunk int) Engine {
	return &cpuEngine{workers: workers, tile: tile, chunk: chunk}
}

// TruncateBody cuts the u8 samples of a loaded band short, so that reading beyond n panics in a worker.
func TruncateBody(l Loaded, n int) {
	body := &l.(*cpuLoaded).body
	body.U8 = body.U8[:n:n]
}
