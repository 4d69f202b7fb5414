// The histogram stage. Its device text is kernels/cuda/histogram.cu, its definition segment/histogram.go.

package gpu

import (
	"context"
	"fmt"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// Histogram counts on the device. Nothing of add changes before everything is known, so an error leaves it whole.
func (l *loaded) Histogram(ctx context.Context, perLine bool, add []segment.Histogram) error {
	if l.plain != nil {
		return l.plain.Histogram(ctx, perLine, add)
	}
	return l.guard(ctx, "histogram", func() error { return l.histogram(ctx, perLine, add) })
}

func (l *loaded) histogram(ctx context.Context, perLine bool, add []segment.Histogram) error {
	want := 1
	if perLine {
		want = l.band.Lines
	}
	if len(add) != want {
		return fmt.Errorf("%d histograms given, want %d", len(add), want)
	}
	plain, fine := false, false
	for i := range add {
		if err := add[i].Fit(l.typ()); err != nil {
			return err
		}
		plain, fine = plain || add[i].Fine == nil, fine || add[i].Fine != nil
	}
	var counts []segment.Counted
	var fines [][]uint64
	var err error
	if plain {
		if counts, err = l.count(ctx, perLine); err != nil {
			return err
		}
	}
	if fine {
		if fines, err = l.countFine(ctx, perLine, add); err != nil {
			return err
		}
	}
	for i := range add {
		if add[i].Fine == nil {
			add[i].Add(&counts[i])
			continue
		}
		for k, key := range fineKeys(&add[i]) {
			for low, n := range fines[i][k<<16 : (k+1)<<16] {
				add[i].Fine[key][low] += n
			}
		}
	}
	return nil
}

// countRun is one pass of counting.
type countRun struct {
	*loaded
	perLine       bool
	bins, counts  buffer
	blocks, sums  buffer // f32
	out           []segment.Counted
	binsPer       uint64 // bins a histogram
	blocksPerLine uint64
}

// count gives the counts of the whole body, or of each line.
func (l *loaded) count(ctx context.Context, perLine bool) ([]segment.Counted, error) {
	c := &countRun{loaded: l, perLine: perLine, binsPer: 65536, blocksPerLine: (l.width() + cuda.SumSamples - 1) / cuda.SumSamples}
	if l.typ() == segment.U8 {
		c.binsPer = 256
	}
	c.out = make([]segment.Counted, 1)
	if perLine {
		c.out = make([]segment.Counted, l.band.Lines)
	}
	for i := range c.out {
		c.out[i] = segment.Counted{Bins: make([]uint64, c.binsPer), MinKey: ^uint32(0)}
	}
	err := l.steps(ctx, "histogram", c.need, func(l0, l1 int, at cuda.Ptr) error { return c.run(l0, l1, at) })
	return c.out, err
}

// histograms is how many a step of lines fills.
func (c *countRun) histograms(lines uint64) uint64 {
	if c.perLine {
		return lines
	}
	return 1
}

func (c *countRun) need(l0, l1 int) *plan {
	w, lines := new(plan), uint64(l1-l0)
	w.add(&c.bins, 8*c.binsPer*c.histograms(lines))
	if c.typ() == segment.F32 {
		w.add(&c.counts, 24*c.histograms(lines))
		w.add(&c.blocks, 16*lines*c.blocksPerLine)
		w.add(&c.sums, 16*lines)
	}
	return w
}

// run counts lines l0 to l1-1 and adds to out once all has been read.
func (c *countRun) run(l0, l1 int, at cuda.Ptr) error {
	lines := uint64(l1 - l0)
	if err := c.e.do(func() error { return c.launch(lines, at) }); err != nil {
		return err
	}
	bins := make([]uint64, c.binsPer*c.histograms(lines))
	if err := c.lane.download(bytesOf(bins), c.bins.ptr); err != nil {
		return err
	}
	var floats []cuda.FloatCounts
	var sums [][2]float64
	if c.typ() == segment.F32 {
		floats, sums = make([]cuda.FloatCounts, c.histograms(lines)), make([][2]float64, lines)
		if err := c.lane.download(bytesOf(floats), c.counts.ptr); err != nil {
			return err
		}
		if err := c.lane.download(bytesOf(sums), c.sums.ptr); err != nil {
			return err
		}
	}
	out := c.out
	if c.perLine {
		out = out[l0:l1]
	}
	for i := range out {
		h := &out[i]
		h.Samples += lines * c.width() / uint64(len(out))
		for b, n := range bins[uint64(i)*c.binsPer:][:c.binsPer] {
			h.Bins[b] += n
		}
		if floats != nil {
			f, each := floats[i], len(sums)/len(out)
			h.NaN, h.Infinite = h.NaN+f.Nan, h.Infinite+f.Infinite
			h.MaxKey, h.MinKey = max(h.MaxKey, f.MaxKey), min(h.MinKey, ^f.MaxInverseKey)
			h.LineSums = append(h.LineSums, sums[i*each:(i+1)*each]...)
		}
	}
	return nil
}

// launch starts the kernels of a step; it runs on the thread.
func (c *countRun) launch(lines uint64, at cuda.Ptr) error {
	d, st, k := c.e.driver, c.lane.stream, c.e.kernels
	zero := func(b buffer, bytes uint64) error {
		return d.check(d.fill(b.ptr, 0, uintptr(bytes), st), "cuMemsetD8Async")
	}
	if err := zero(c.bins, 8*c.binsPer*c.histograms(lines)); err != nil {
		return err
	}
	p := &cuda.HistogramParams{Samples: at, Bins: c.bins.ptr, Counts: c.counts.ptr, Lines: lines, Pitch: c.pitch,
		Width: uint32(c.band.Samples), PerLine: flag(c.perLine)}
	if c.typ() == segment.F32 {
		if err := zero(c.counts, 24*c.histograms(lines)); err != nil {
			return err
		}
	}
	if err := k.histogram[c.typ()].launch(d, st, c.unitBlocks(lines, c.perLine), p); err != nil {
		return err
	}
	if err := c.e.synced("histogram"); err != nil || c.typ() != segment.F32 {
		return err
	}
	q := &cuda.SumParams{Samples: at, Blocks: c.blocks.ptr, Sums: c.sums.ptr, Lines: lines, Pitch: c.pitch,
		Width: uint32(c.band.Samples), BlocksPerLine: uint32(c.blocksPerLine)}
	blocks := lines * c.blocksPerLine
	if err := k.sumBlocks.launch(d, st, (blocks+cuda.PlainThreads-1)/cuda.PlainThreads, q); err != nil {
		return err
	}
	if err := c.e.synced("sum_blocks"); err != nil {
		return err
	}
	if err := k.sumLines.launch(d, st, (lines+cuda.PlainThreads-1)/cuda.PlainThreads, q); err != nil {
		return err
	}
	return c.e.synced("sum_lines")
}

// blocksPerProcessor is how many blocks of a kernel that shares out its work are started for each multiprocessor.
const blocksPerProcessor = 8

// shared is the number of blocks for so many units of work.
func (e *Engine) shared(units uint64) uint64 {
	return max(1, min(units, uint64(max(1, e.info.Multiprocessors))*blocksPerProcessor))
}

func (l *loaded) unitBlocks(lines uint64, perLine bool) uint64 {
	if perLine {
		return l.e.shared(lines * ((l.width() + cuda.HistogramUnit - 1) / cuda.HistogramUnit))
	}
	return l.e.shared((lines*l.width() + cuda.HistogramUnit - 1) / cuda.HistogramUnit)
}
