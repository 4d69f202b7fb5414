package segment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sort"

	"segscan/segment/internal/simd"
)

// Work of Measure: spans a worker takes at a time, and the length from which one span is shared among workers.
const (
	measureBatch = 256
	measureLong  = 1 << 21
)

func (l *cpuLoaded) Measure(ctx context.Context, s Spans, masks *Masks, out []Stat) error {
	return l.guard(ctx, "measure", func() error { return l.measure(ctx, s, masks, out) })
}

func (l *cpuLoaded) measure(ctx context.Context, s Spans, masks *Masks, out []Stat) error {
	switch {
	case len(out) != len(s.Bounds):
		return fmt.Errorf("%d results for %d spans", len(out), len(s.Bounds))
	case len(out) == 0:
		return nil
	case masks == nil:
		return errors.New("no masks; ask for them in the options of Segment")
	case masks.Lines != l.band.Lines || masks.Samples != l.band.Samples:
		return fmt.Errorf("masks of %d x %d for a band of %d x %d", masks.Lines, masks.Samples, l.band.Lines, l.band.Samples)
	case len(s.First) != l.band.Lines+1 || s.First[l.band.Lines] != int64(len(s.Bounds)):
		return errors.New("spans do not belong to this band")
	}
	batches := (len(out) + measureBatch - 1) / measureBatch
	long := make([][]int, batches) // spans left for later, by batch
	err := runTiles(ctx, l.engine.workers, batches, nil, func(_, batch int) error {
		from, to := batch*measureBatch, min((batch+1)*measureBatch, len(out))
		line := lineOf(s.First, from)
		for i := from; i < to; i++ {
			for int64(i) >= s.First[line+1] {
				line++
			}
			lo, hi, err := l.inside(&s, line, i)
			if err != nil {
				return err
			}
			if hi-lo >= measureLong && l.engine.workers > 1 {
				long[batch] = append(long[batch], i)
				continue
			}
			out[i] = l.stat(line, lo, hi, masks).stat()
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, batch := range long {
		for _, i := range batch {
			line := lineOf(s.First, i)
			lo, hi, err := l.inside(&s, line, i)
			if err != nil {
				return err
			}
			m, err := l.longStat(ctx, line, lo, hi, masks)
			if err != nil {
				return err
			}
			out[i] = m.stat()
		}
	}
	return nil
}

// lineOf is the line of span i.
func lineOf(first []int64, i int) int {
	return sort.Search(len(first), func(l int) bool { return first[l] > int64(i) }) - 1
}

// inside is the samples lo to hi-1 strictly between the boundaries of span i: a clipped end is no boundary.
func (l *cpuLoaded) inside(s *Spans, line, i int) (lo, hi int, err error) {
	b := s.Bounds[i]
	lo, hi = int(b.Start)+1, int(b.End)
	if line < len(s.Edge) {
		if s.Edge[line]&EdgeLeft != 0 && int64(i) == s.First[line] {
			lo--
		}
		if s.Edge[line]&EdgeRight != 0 && int64(i)+1 == s.First[line+1] {
			hi++
		}
	}
	if b.End < b.Start || int64(b.End) >= int64(l.band.Samples) {
		return 0, 0, fmt.Errorf("span [%d, %d] of line %d is not in lines of %d samples", b.Start, b.End, line, l.band.Samples)
	}
	return lo, max(lo, hi), nil
}

// measured is a Stat on its way: sums can be joined, left to right.
type measured struct {
	n, activations int64
	used           int64   // samples that are not NaN
	ints           uint64  // sum of integers
	floats         float64 // sum of f32
	min, max       float64
}

// join adds what lies to the right.
func (m *measured) join(r measured) {
	if r.used > 0 {
		if m.used == 0 {
			m.min, m.max = r.min, r.max
		}
		m.min, m.max = min(m.min, r.min), max(m.max, r.max)
	}
	m.n, m.activations, m.used = m.n+r.n, m.activations+r.activations, m.used+r.used
	m.ints, m.floats = m.ints+r.ints, m.floats+r.floats
}

func (m measured) stat() Stat {
	s := Stat{N: m.n, Activations: m.activations, Min: math.NaN(), Max: math.NaN(), Mean: math.NaN()}
	if m.used > 0 {
		// One of the two sums is 0. Adding 0 to an extreme makes 0 of -0.
		s.Min, s.Max, s.Mean = m.min+0, m.max+0, (float64(m.ints)+m.floats)/float64(m.used)
	}
	return s
}

// stat measures samples lo to hi-1 of a line. f32 is summed by the blocks of 64 samples that begin at multiples of
// 64 of the line: a block's sum starts at 0 and takes its samples that lie in the span and are not NaN from left to
// right, then the blocks are added from left to right, starting at 0.
func (l *cpuLoaded) stat(line, lo, hi int, masks *Masks) measured {
	m := measured{n: int64(hi - lo)}
	if lo == hi {
		return m
	}
	_, a := masks.Line(line)
	m.activations = int64(onesBetween(a, lo, hi))
	from, to := line*l.body.Stride+lo, line*l.body.Stride+hi
	switch {
	case l.body.U8 != nil:
		sum, least, most := simd.StatU8(l.body.U8[from:to])
		m.ints, m.used, m.min, m.max = sum, m.n, float64(least), float64(most)
	case l.body.U16 != nil:
		sum, least, most := simd.StatU16(l.body.U16[from:to])
		m.ints, m.used, m.min, m.max = sum, m.n, float64(least), float64(most)
	default:
		v := l.body.line(line)
		m.min, m.max = math.Inf(1), math.Inf(-1)
		for lo < hi {
			end := min(hi, (lo/blockSamples+1)*blockSamples)
			var block float64
			for _, x := range v[lo:end] {
				if x == x {
					y := float64(x)
					block += y
					if y < m.min { // min and max would care for NaN and -0, which stat does
						m.min = y
					}
					if y > m.max {
						m.max = y
					}
					m.used++
				}
			}
			m.floats += block
			lo = end
		}
	}
	return m
}

// longStat is stat by all workers. The pieces of integers may be as long as tiles, but f32 must be added block by
// block, so there a window of blocks is measured at once and then added in order.
func (l *cpuLoaded) longStat(ctx context.Context, line, lo, hi int, masks *Masks) (measured, error) {
	piece, window := l.engine.tile, 4*l.engine.workers
	var blocks []measured
	perTile := piece / blockSamples
	var total measured
	for from := lo; from < hi; {
		start := from / blockSamples * blockSamples
		to := min(hi, start+window*piece)
		tiles := (to - start + piece - 1) / piece
		if blocks == nil {
			blocks = make([]measured, min(window, tiles)*perTile)
		}
		n := (to - start + blockSamples - 1) / blockSamples
		err := runTiles(ctx, l.engine.workers, tiles, nil, func(_, tile int) error {
			step, first := piece, tile*perTile
			if l.body.F32 != nil {
				step = blockSamples
			}
			for at := start + tile*piece; at < min(to, start+(tile+1)*piece); at += step {
				blocks[first] = l.stat(line, max(at, from), min(at+step, to), masks)
				first++
			}
			return nil
		})
		if err != nil {
			return measured{}, err
		}
		if l.body.F32 != nil {
			for i := range blocks[:n] {
				total.join(blocks[i])
			}
		} else {
			for tile := range tiles {
				total.join(blocks[tile*perTile])
			}
		}
		from = to
	}
	return total, nil
}

// onesBetween counts the set bits lo to hi-1.
func onesBetween(w []uint64, lo, hi int) (n int) {
	if lo >= hi {
		return 0
	}
	first, last := lo/64, (hi-1)/64
	head, tail := ^uint64(0)<<(lo%64), ^uint64(0)>>(63-(hi-1)%64)
	if first == last {
		return bits.OnesCount64(w[first] & head & tail)
	}
	n = bits.OnesCount64(w[first]&head) + bits.OnesCount64(w[last]&tail)
	for _, x := range w[first+1 : last] {
		n += bits.OnesCount64(x)
	}
	return n
}
