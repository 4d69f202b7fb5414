package batch

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"segscan/kernels"
	"segscan/segment"
)

// crossing is where between samples a span starts and ends, counted as samples are; NaN where they do not tell.
type crossing struct{ start, end float64 }

// from counts from sample0 on.
func (c crossing) from(sample0 int64) crossing {
	return crossing{float64(sample0) + c.start, float64(sample0) + c.end}
}

// appendWidth appends how far apart the crossings are in units, with as many digits as lengths in units have; nothing
// where one does not tell. The difference is rounded as positions are, so that 3.8 - 0.2 is 3.6.
func appendWidth(dst []byte, x crossing, size float64) []byte {
	return appendDigits(dst, math.Round((x.end-x.start)*1e6)/1e6*size, 12)
}

// cross finds the crossings of the spans in kept and rejected, if they are asked for: of the samples that the kernel
// sees, for those stored need not cross what was compared with others.
func (j *pageJob) cross(ctx context.Context, seen *comparedBand, c segment.Classifier) error {
	if !j.cfg.Subsample {
		return nil
	}
	defer j.clock.add("measure", time.Now())
	at, err := kernels.Crossings(ctx, j.bands.workers, c, &seen.Band, j.kept.Spans, j.rejected.Spans)
	if err != nil {
		return fmt.Errorf("--subsample: %w", err)
	}
	j.kept.cross(at)
	j.rejected.cross(at)
	return nil
}

// cross fills in the crossings. A virtual boundary has none.
func (s *spanStats) cross(at kernels.Crossing) {
	all := slices.Grow(s.crossings[:0], len(s.Bounds))
	s.crossings = nil // those of the last band
	for i := range len(s.First) - 1 {
		for l := s.line(i); len(l.bounds) > 0; {
			b, _, edge := l.next()
			x := crossing{math.NaN(), math.NaN()}
			if edge&segment.EdgeLeft == 0 {
				x.start = at(i, int(b.Start), 1)
			}
			if edge&segment.EdgeRight == 0 {
				x.end = at(i, int(b.End), -1)
			}
			all = append(all, x)
		}
	}
	s.crossings = all
}
