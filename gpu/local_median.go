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
	each    uint64 // tiles that are sorted at once
	part    uint64 // tiles of a launch
	regions buffer // of `each` tiles
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
		HalfLines: uint32(v.HalfLines), HalfSamples: uint32(v.HalfSamples), Nan: nanPlane(c, l.typ())}
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
	medianRegions = 2           // of each multiprocessor, at most, are sorted at once
	medianCycles  = 200_000_000 // of each multiprocessor
	medianVisits  = 1 << 30     // comparisons by each multiprocessor, of which it does some 3e9 a second
)

// plan plans launches. Regions take no more than a quarter of the memory for work, or are one.
func (c *medianClasses) plan(e *Engine) {
	p, tiles := &c.params, c.tiles()
	processors := uint64(max(1, e.info.Multiprocessors))
	if c.ranks {
		p.RegionSamples = uint64(p.TileLines+2*p.HalfLines) * uint64(p.TileSamples+2*p.HalfSamples)
		p.RegionBytes = cuda.MedianHeadBytes + 16*p.RegionSamples + ceil(p.RegionSamples, 16)*16
		c.each = max(1, min(tiles, medianRegions*processors, e.scratchBytes/4/p.RegionBytes))
		// Where all samples of a page have to be compared with those of a group, launches are to be short still.
		visits := uint64(p.TileLines) * uint64(p.TileSamples) * ceil(p.RegionSamples, 255)
		c.part = max(1, min(c.each, medianVisits*processors/visits))
		c.each = c.each / c.part * c.part
		return
	}
	// What a line of a warp takes of a multiprocessor, as measured.
	line := 600 + 6*uint64(p.HalfSamples)
	c.part = max(1, min(tiles, medianCycles*processors/(line*uint64(p.TileLines+2*p.HalfLines))))
	c.each = tiles
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
	p.Samples, p.Low, p.High = s.at, s.buffers.boundary.ptr, s.buffers.activation.ptr
	if c.swap {
		p.Low, p.High = p.High, p.Low
	}
	p.Top, p.Bottom = s.pageEdges(l0)
	all := c.tiles()
	for first := uint64(0); first < all; first += c.each {
		tiles := min(c.each, all-first)
		p.FirstTile, p.Regions = uint32(first), c.regions.ptr
		if c.ranks {
			if err := c.start(ctx, s, "median_rank_", &p, tiles); err != nil {
				return err
			}
		}
		for n := uint64(0); n < tiles; n += c.part {
			p.FirstTile, p.Regions = uint32(first+n), c.regions.at(n*p.RegionBytes)
			blocks := min(c.part, tiles-n) * uint64(p.TileSamples/medianColumns)
			if err := c.start(ctx, s, "median_", &p, blocks); err != nil {
				return err
			}
		}
	}
	return nil
}

// start starts a kernel after those before it have ended, unless ctx has.
func (c *medianClasses) start(ctx context.Context, s *segmentRun, name string, p *cuda.MedianParams, blocks uint64) error {
	if err := s.lane.wait("medians: cuStreamQuery"); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	name += typeNames[s.typ()]
	return s.e.do(func() error {
		k, err := onDemand[cuda.MedianParams](s.e, s.e.fused, name)
		if err != nil {
			return err
		}
		if err := k.launch(s.e.driver, s.lane.stream, blocks, p); err != nil {
			return err
		}
		return s.e.synced(name)
	})
}

func (c *medianClasses) launch(s *segmentRun) error {
	k := &s.e.kernels.classifyMasks
	return k.launch(s.e.driver, s.lane.stream, k.tiles(s.n), s.maskParams())
}
