package gpu

import (
	"math"

	rules "segscan/kernels"
	"segscan/kernels/cuda"
	"segscan/segment"
)

// localPasses is what local thresholds in two passes need beside: see kernels/cuda/passes.cu.
type localPasses struct {
	bytes            uint64 // of a value
	anchored         bool   // blocks begin where the page says
	columns, scratch buffer
	lines            uint64 // that a block of the first pass takes
}

// twoPasses chooses the kernels whose names end so, with values of so many bytes.
func (c *localClasses) twoPasses(kind string, bytes uint64, t segment.SampleType) {
	c.kernel = kind + "_" + typeNames[t]
	c.passes = &localPasses{bytes: bytes, anchored: kind == "sums"}
	p := &c.params
	p.Nan = nanPlane(&c.rule, t)
	if kind != "extremes" {
		return
	}
	p.Margin *= 2
	if c.rule.Rule == rules.LocalBernsen {
		p.Centre *= 2
	} else {
		p.Contrast, p.Centre = 0, 0
	}
	if t != segment.F32 { // whole numbers are compared with whole numbers
		const far = 1 << 20 // beyond twice every sample
		p.Margin = min(math.Floor(p.Margin), far)
		p.Contrast, p.Centre = min(math.Ceil(p.Contrast), far), max(-far, min(math.Ceil(p.Centre), far))
	}
}

// nanPlane says in which bit plane NaN is. It has its class whatever the exchange, and planes are exchanged by their
// addresses.
func nanPlane(c *rules.Local, t segment.SampleType) uint32 {
	switch {
	case t != segment.F32 || c.NaN == segment.Other:
		return cuda.LocalNanNone
	case (c.NaN == segment.Activation) != c.Swap:
		return cuda.LocalNanHigh
	}
	return cuda.LocalNanLow
}

// strips is how many parts of lines the first pass works on side by side: each must be longer than the window, or most
// of its work would be its first block.
func (s *localPasses) strips(p *cuda.LocalParams, lines uint64) uint64 {
	s.lines = max(2*(2*uint64(p.HalfLines)+1), 64)
	return (lines + s.lines - 1) / s.lines
}

func (s *localPasses) need(w *plan, p *cuda.LocalParams, lines uint64) {
	columns, height := uint64(p.Right-p.Left), 2*uint64(p.HalfLines)+1
	w.add(&s.columns, s.bytes*lines*columns)
	w.add(&s.scratch, s.bytes*max(s.strips(p, lines)*height*columns, lines*uint64(p.Width)))
}

// place says where the lines from l0 on lie in the blocks by which sums are added.
func (s *localPasses) place(l *loaded, p *cuda.LocalParams, l0 int) {
	if !s.anchored {
		return
	}
	p.LinePhase = uint32((l.band.Line0 + int64(l0)) % int64(2*p.HalfLines+1))
	p.SamplePhase = uint32(l.band.Sample0 % int64(2*p.HalfSamples+1))
}

// launch starts both passes; it runs on the thread.
func (s *localPasses) launch(r *segmentRun, kind string, p *cuda.LocalParams) error {
	p.Columns, p.Scratch = s.columns.ptr, s.scratch.ptr
	columns := uint64(p.Right - p.Left)
	p.Tiles = uint32((columns + cuda.PlainThreads - 1) / cuda.PlainThreads)
	blocks := uint64(p.Tiles) * s.strips(p, uint64(p.Lines))
	p.StripLines = uint32(s.lines)
	words := 4 * uint64(p.Lines) * uint64(p.WordsPerLine)
	for _, plane := range []buffer{r.buffers.boundary, r.buffers.activation} {
		if err := r.zero(plane, words); err != nil {
			return err
		}
	}
	for _, name := range []string{"passes_down_" + kind, "passes_along_" + kind} {
		k, err := r.e.localKernel(name, 0)
		if err != nil {
			return err
		}
		if err := k.launch(r.e.driver, r.lane.stream, blocks, p); err != nil {
			return err
		}
		if err := r.e.synced(name); err != nil {
			return err
		}
		blocks = uint64(max(1, r.e.info.Multiprocessors)) * blocksPerProcessor // they take the work in turn
	}
	return nil
}
