package segment

import (
	"context"
	"fmt"
)

func (l *cpuLoaded) Histogram(ctx context.Context, perLine bool, add []Histogram) error {
	return l.guard(ctx, "histogram", func() error { return l.histogram(ctx, perLine, add) })
}

func (l *cpuLoaded) histogram(ctx context.Context, perLine bool, add []Histogram) error {
	want := 1
	if perLine {
		want = l.band.Lines
	}
	if len(add) != want {
		return fmt.Errorf("%d histograms given, want %d", len(add), want)
	}
	if l.band.Lines == 0 || l.band.Samples == 0 {
		return nil
	}
	for i := range add {
		if err := add[i].fit(l.body.Type()); err != nil {
			return err
		}
	}
	if !perLine {
		return l.addLines(ctx, l.engine.workers, 0, l.band.Lines, &add[0])
	}
	t := l.engine.tiling(l.band.Lines, l.band.Samples)
	if t.perLine > 1 {
		for i := range add {
			if err := l.addLines(ctx, l.engine.workers, i, i+1, &add[i]); err != nil {
				return err
			}
		}
		return nil
	}
	return runTiles(ctx, l.engine.workers, t.tiles(), nil, func(_, tile int) error {
		l0, l1, _, _ := t.of(tile)
		for i := l0; i < l1; i++ {
			if add[i].Fine == nil {
				add[i].addLine(&l.body, i)
			} else if err := l.addLines(ctx, 1, i, i+1, &add[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// fit makes h ready for samples of a type.
func (h *Histogram) fit(t SampleType) error {
	bins := 65536
	if t == U8 {
		bins = 256
	}
	if h.Fine != nil {
		if t != F32 {
			return fmt.Errorf("fine counts are for f32, the band holds %s", t)
		}
		for k, v := range h.Fine {
			if v == nil {
				h.Fine[k] = make([]uint64, 65536)
			} else if len(v) != 65536 {
				return fmt.Errorf("fine counts of key %#x: %d entries, want 65536", k, len(v))
			}
		}
		return nil
	}
	if h.Bins == nil {
		h.Type, h.Bins = t, make([]uint64, bins)
	}
	if h.Type != t || len(h.Bins) != bins {
		return fmt.Errorf("a histogram of %s with %d bins is given for %s samples", h.Type, len(h.Bins), t)
	}
	return nil
}

// addLines adds body lines l0 to l1-1 to h.
func (l *cpuLoaded) addLines(ctx context.Context, workers, l0, l1 int, h *Histogram) error {
	t := l.engine.tiling(l1-l0, l.band.Samples)
	workers = max(1, min(workers, t.tiles()))
	if h.Fine != nil {
		return l.addFine(ctx, workers, l0, t, h)
	}
	parts := make([]*partHistogram, workers)
	err := runTiles(ctx, workers, t.tiles(), nil, func(worker, tile int) error {
		if parts[worker] == nil {
			parts[worker] = newPartHistogram(h.Type)
		}
		a, b, s0, s1 := t.of(tile)
		for line := a; line < b; line++ {
			parts[worker].add(&l.body, l0+line, s0, s1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var s []sums
	if h.Type == F32 {
		if s, err = l.lineSums(ctx, workers, l0, t); err != nil {
			return err
		}
	}
	// Nothing of h changes before everything is known, so an error leaves it whole.
	for _, p := range parts {
		if p != nil {
			p.mergeInto(h)
		}
	}
	for _, line := range s {
		h.Sum, h.SumSq = h.Sum+line.sum, h.SumSq+line.sq
	}
	return nil
}

// sumWindow is how many tiles of a long line are summed at once: their block sums are held until they can be added
// in order.
const sumWindow = 64

// lineSums gives the sums of each line of t, which starts at body line l0.
func (l *cpuLoaded) lineSums(ctx context.Context, workers, l0 int, t tiling) ([]sums, error) {
	out := make([]sums, t.lines)
	if t.perLine == 1 {
		return out, runTiles(ctx, workers, t.tiles(), nil, func(_, tile int) error {
			a, b, _, _ := t.of(tile)
			for line := a; line < b; line++ {
				out[line] = lineSums(l.body.line(l0 + line))
			}
			return nil
		})
	}
	perTile := t.piece / blockSamples
	blocks := make([]sums, min(sumWindow, t.perLine)*perTile)
	for line := range out {
		v := l.body.line(l0 + line)
		for from := 0; from < len(v); from += len(blocks) * blockSamples {
			part := v[from:min(from+len(blocks)*blockSamples, len(v))]
			n := (len(part) + blockSamples - 1) / blockSamples
			err := runTiles(ctx, workers, (n+perTile-1)/perTile, nil, func(_, tile int) error {
				i := tile * perTile
				blockSums(part[i*blockSamples:min((i+perTile)*blockSamples, len(part))], func(s sums) {
					blocks[i] = s
					i++
				})
				return nil
			})
			if err != nil {
				return nil, err
			}
			for _, b := range blocks[:n] {
				out[line].add(b)
			}
		}
	}
	return out, nil
}

// line is the f32 samples of line l of a plane.
func (p *Plane) line(l int) []float32 { return p.F32[l*p.Stride : l*p.Stride+p.Samples] }

// fineBudget bounds the bytes of the fine counts that workers hold beside the caller's.
const fineBudget = 64 << 20

// addFine is the second pass: finite samples whose top 16 bits are in h.Fine, by the low 16.
func (l *cpuLoaded) addFine(ctx context.Context, workers, l0 int, t tiling, h *Histogram) error {
	var index [65536]int32 // of a key in keys, plus 1
	var keys []uint16
	for k := range h.Fine {
		keys = append(keys, k)
		index[k] = int32(len(keys))
	}
	if len(keys) == 0 {
		return nil
	}
	workers = max(1, min(workers, fineBudget/(len(keys)*65536*8)))
	parts := make([][]uint64, workers)
	err := runTiles(ctx, workers, t.tiles(), nil, func(worker, tile int) error {
		if parts[worker] == nil {
			parts[worker] = make([]uint64, len(keys)*65536)
		}
		counts := parts[worker]
		a, b, s0, s1 := t.of(tile)
		for line := a; line < b; line++ {
			for _, x := range l.body.line(l0 + line)[s0:s1] {
				k := FloatKey(x)
				if i := index[k>>16]; i != 0 && x-x == 0 {
					counts[(i-1)<<16|int32(k&0xffff)]++
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range parts {
		for i, n := range p {
			if n != 0 {
				h.Fine[keys[i>>16]][i&0xffff] += n
			}
		}
	}
	return nil
}
