package batch

import (
	"context"
	"math"
	"time"

	"segscan/segment"
)

// refine joins, filters and measures the spans of the last Segment call into kept and rejected. The order is that
// of segment.Refine: joining, lengths, measurement, activations.
func (j *pageJob) refine(ctx context.Context, l segment.Loaded) error {
	defer j.clock.add("measure", time.Now())
	r := &j.result
	joins, lengths := j.cfg.Refine, j.cfg.Refine
	joins.MinLength, joins.MaxLength, lengths.MergeGap = 0, 0, -1
	joins.Spans(&r.Kept)
	if j.cfg.AllSpans && joins.MergeGap >= 0 {
		dropSwallowed(&r.Kept, &r.Rejected)
	}
	lengths.Spans(&r.Kept)
	if err := j.measure(ctx, l, &r.Kept, &j.kept); err != nil {
		return err
	}
	j.kept.stats = j.cfg.Refine.Activations(&r.Kept, j.kept.stats)
	if !j.cfg.AllSpans {
		j.rejected = spanStats{Spans: &segment.Spans{First: make([]int64, len(r.Kept.First))}}
		return nil
	}
	return j.measure(ctx, l, &r.Rejected, &j.rejected)
}

// dropSwallowed takes rejected spans away that a joined segment covers now. They lie between two segments, so those
// at the ends of lines stay, and with them the edge bits.
func dropSwallowed(kept, rejected *segment.Spans) {
	write, read := int64(0), int64(0)
	for i := range len(rejected.First) - 1 {
		k := kept.Line(i)
		for next := rejected.First[i+1]; read < next; read++ {
			b := rejected.Bounds[read]
			for len(k) > 0 && k[0].End <= b.Start {
				k = k[1:]
			}
			if len(k) > 0 && k[0].Start <= b.Start {
				continue
			}
			rejected.Bounds[write] = b
			write++
		}
		rejected.First[i+1] = write
	}
	rejected.Bounds = rejected.Bounds[:write]
}

func (j *pageJob) measure(ctx context.Context, l segment.Loaded, s *segment.Spans, to *spanStats) error {
	n := len(s.Bounds)
	if cap(to.stats) < n {
		to.stats = make([]segment.Stat, n)
	}
	to.Spans, to.stats = s, to.stats[:n]
	if n == 0 {
		return nil
	}
	return l.Measure(ctx, *s, j.result.Masks, to.stats)
}

// newHistogram is an empty histogram of samples of type t.
func newHistogram(t segment.SampleType) segment.Histogram {
	n := 1 << 16
	if t == segment.U8 {
		n = 1 << 8
	}
	return segment.Histogram{Type: t, Bins: make([]uint64, n), Min: math.NaN(), Max: math.NaN()}
}

// newFine is an empty second pass over the given keys.
func newFine(keys []uint16) map[uint16][]uint64 {
	fine := make(map[uint16][]uint64, len(keys))
	for _, k := range keys {
		fine[k] = make([]uint64, 1<<16)
	}
	return fine
}
