// Local thresholds by medians on the device. The device's text is kernels/cuda/local_median.cu and local_rank.cuh, the
// definition kernels/local_median.go and local_ranks.go.

package gpu

import (
	"context"

	rules "segscan/kernels"
	"segscan/kernels/cuda"
	"segscan/segment"
)

// medianClasses are thresholds of a band by the medians of windows.
type medianClasses struct {
	e       *Engine
	swap    bool
	ranks   bool // samples have more than 256 values
	params  cuda.MedianParams
	each    uint64 // tiles of a launch
	regions buffer // of them
}

// medianClasses makes medians of windows ready for the device.
func (l *loaded) medianClasses(c *rules.Local) (classSource, error) {
	v, err := c.View(&l.band)
	if err != nil {
		return nil, err
	}
	s := &medianClasses{e: l.e, swap: c.Swap, ranks: l.typ() != segment.U8}
	s.params = cuda.MedianParams{Pitch: l.pitch, Offset: c.Offset, Margin: c.Margin, Width: uint32(l.band.Samples),
		WordsPerLine: uint32((l.band.Samples + 63) / 64 * 2), Left: uint32(v.Left), Right: uint32(v.Right),
		HalfLines: uint32(v.HalfLines), HalfSamples: uint32(v.HalfSamples)}
	if l.typ() == segment.F32 && c.NaN != segment.Other {
		// NaN has its class whatever the exchange, and planes are exchanged by their addresses.
		s.params.Nan = cuda.LocalNanLow
		if (c.NaN == segment.Activation) != c.Swap {
			s.params.Nan = cuda.LocalNanHigh
		}
	}
	return s, nil
}

func (c *medianClasses) planes() planeSource { return madePlanes }

// medianColumns is the samples of a line that a warp takes.
const medianColumns = 32

// medianWarps is how many warps of medians a multiprocessor has room for, about: each has 19 kB of its memory.
const medianWarps = 10

// shape cuts lines into tiles: so many that all multiprocessors have work, and not much smaller than windows, whose lines
// are looked at anew by each.
func (c *medianClasses) shape(e *Engine, lines uint64) {
	p := &c.params
	processors := uint64(max(1, e.info.Multiprocessors))
	height, width := uint64(2*p.HalfLines+1), uint64(2*p.HalfSamples+1)
	columns := (uint64(p.Width) + medianColumns - 1) / medianColumns
	tileLines, tileColumns := lines, uint64(1)
	if c.ranks {
		tileLines, tileColumns = medianSide(height), medianSide(width)/medianColumns
		for tiles := func() uint64 { return ceil(lines, tileLines) * ceil(columns, tileColumns) }; tiles() < processors && tileLines > max(64, height/2); {
			tileLines = (tileLines + 1) / 2
		}
		tileColumns = min(tileColumns, columns)
	} else {
		strips := max(1, processors*medianWarps*2/columns)
		tileLines = max(ceil(lines, strips), height/2, 16)
	}
	if e.o.small {
		tileLines, tileColumns = 5, min(tileColumns, 2)
	}
	p.TileLines, p.TileSamples = uint32(min(tileLines, lines)), uint32(tileColumns*medianColumns)
	p.Tiles = uint32(ceil(columns, tileColumns))
	p.Lines = uint32(lines)
}

// medianSide is the side of a tile for windows of that side: what windows see around it is sorted with it.
func medianSide(window uint64) uint64 {
	if window <= 127 {
		return 256
	}
	return 512
}

func ceil(n, by uint64) uint64 { return (n + by - 1) / by }

// tiles is how many there are.
func (c *medianClasses) tiles() uint64 {
	p := &c.params
	return ceil(uint64(p.Lines), uint64(p.TileLines)) * uint64(p.Tiles)
}

// A launch is to be short: it cannot be stopped, and a driver may end one that takes seconds.
const (
	medianRegions = 2           // a launch has of each multiprocessor, at most
	medianCycles  = 200_000_000 // of each multiprocessor
)

// plan plans the regions of a launch: they take no more than a quarter of the memory for work, or one.
func (c *medianClasses) plan(e *Engine) {
	p, tiles := &c.params, c.tiles()
	processors := uint64(max(1, e.info.Multiprocessors))
	if c.ranks {
		p.RegionSamples = uint64(p.TileLines+2*p.HalfLines) * uint64(p.TileSamples+2*p.HalfSamples)
		p.RegionBytes = cuda.MedianHeadBytes + 16*p.RegionSamples + ceil(p.RegionSamples, 16)*16
		c.each = max(1, min(tiles, medianRegions*processors, e.scratchBytes/4/p.RegionBytes))
		return
	}
	// A line of a warp: what a lane takes in and out, and what is common to them.
	line := 200 + uint64(p.HalfSamples)
	c.each = max(1, min(tiles, medianCycles*processors/(line*uint64(p.TileLines+2*p.HalfLines))))
}

func (c *medianClasses) need(w *plan, b *segmentBuffers, lines, words uint64) {
	w.add(&b.boundary, 8*lines*words)
	w.add(&b.activation, 8*lines*words)
	c.shape(c.e, lines)
	c.plan(c.e)
	if c.ranks {
		w.add(&c.regions, c.each*c.params.RegionBytes)
	}
}

// send makes the planes, launch by launch, so that ctx can end it between two.
func (c *medianClasses) send(ctx context.Context, s *segmentRun, l0, _ int) error {
	p := c.params
	p.Samples, p.Regions, p.Low, p.High = s.at, c.regions.ptr, s.buffers.boundary.ptr, s.buffers.activation.ptr
	if c.swap {
		p.Low, p.High = p.High, p.Low
	}
	p.Top, p.Bottom = near(-s.band.Line0-int64(l0)), near(s.pageLines()-s.band.Line0-int64(l0))
	all := c.tiles()
	for first := uint64(0); first < all; first += c.each {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.FirstTile = uint32(first)
		n := min(c.each, all-first)
		if err := s.e.do(func() error { return c.start(s, &p, n) }); err != nil {
			return err
		}
		if first+n == all {
			break
		}
		if err := s.lane.wait("medians: cuStreamQuery"); err != nil {
			return err
		}
	}
	return nil
}

// start starts the kernels on some tiles; it runs on the thread.
func (c *medianClasses) start(s *segmentRun, p *cuda.MedianParams, tiles uint64) error {
	names, blocks := []string{"median_"}, []uint64{tiles * uint64(p.TileSamples/medianColumns)}
	if c.ranks {
		names, blocks = []string{"median_rank_", "median_"}, []uint64{tiles, blocks[0]}
	}
	for i, name := range names {
		name += typeNames[s.typ()]
		k, err := onDemand[cuda.MedianParams](s.e, s.e.fused, name)
		if err != nil {
			return err
		}
		if err := k.launch(s.e.driver, s.lane.stream, blocks[i], p); err != nil {
			return err
		}
		if err := s.e.synced(name); err != nil {
			return err
		}
	}
	return nil
}

func (c *medianClasses) launch(s *segmentRun) error {
	k := &s.e.kernels.classifyMasks
	return k.launch(s.e.driver, s.lane.stream, k.tiles(s.n), s.maskParams())
}
