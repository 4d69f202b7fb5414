// The readout stage: from scan values to marks of what ends at each sample. Its device text is
// kernels/cuda/readout.cu, its CPU mirror segment/readout.go.

package gpu

import (
	"unsafe"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// readout starts the readout, which also counts what is dropped at line ends.
func (s *segmentRun) readout() error {
	b, k := &s.buffers, &s.e.kernels.readout
	if err := s.zero(b.head, uint64(unsafe.Sizeof(stepHead{}))); err != nil {
		return err
	}
	p := &cuda.ReadoutParams{Scan: b.pairs.ptr, Marks: b.marks.ptr, Dropped: b.head.at(uint64(unsafe.Offsetof(stepHead{}.dropped))),
		N: s.n, Width: uint32(s.band.Samples), Pos: s.pos, Edges: cuda.EdgesDrop, Ends: flag(s.ends),
		BeforeIndex: s.before.Index, BeforeFlag: s.before.State}
	if s.o.Edges == segment.EdgesKeep {
		p.Edges = cuda.EdgesKeep
	}
	if err := k.launch(s.e.driver, s.lane.stream, k.tiles(s.n), p); err != nil {
		return err
	}
	return s.e.synced("readout")
}
