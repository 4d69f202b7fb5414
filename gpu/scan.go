// The scan stage: the inclusive scan of the pairs, in place. Its device text is kernels/cuda/scan.cu, its CPU mirror
// segment/scan.go.

package gpu

import "segscan/kernels/cuda"

// scan starts the scan. Its state must be zero, at the start of every run.
func (s *segmentRun) scan() error {
	b, k := &s.buffers, &s.e.kernels.scan
	tiles := k.tiles(s.n)
	if err := s.zero(b.scanState, 8*(1+tiles)); err != nil {
		return err
	}
	p := &cuda.ScanParams{Pairs: b.pairs.ptr, Scan: b.pairs.ptr, State: b.scanState.ptr, Aggregates: b.aggregates.ptr,
		N: s.n, BeforeIndex: s.before.Index, BeforeFlag: s.before.State}
	if err := k.launch(s.e.driver, s.lane.stream, tiles, p); err != nil {
		return err
	}
	return s.e.synced("scan")
}

// zero fills the first bytes of a buffer with zeros.
func (s *segmentRun) zero(b buffer, bytes uint64) error {
	return s.e.driver.check(s.e.driver.fill(b.ptr, 0, uintptr(bytes), s.lane.stream), "cuMemsetD8Async")
}

// lastState reads what the scan knows after the last sample, for a line that goes on: the descriptor of the last tile.
func (s *segmentRun) lastState() error {
	if s.ends {
		return nil
	}
	var descriptor uint64
	tiles := s.e.kernels.scan.tiles(s.n)
	if err := s.lane.download(valueBytes(&descriptor), s.buffers.scanState.at(8*tiles)); err != nil {
		return err
	}
	s.last = cuda.Pair{Index: uint32(descriptor), State: uint32(descriptor>>32) & cuda.FlagMask}
	return nil
}
