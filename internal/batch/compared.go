package batch

import (
	"context"
	"fmt"
	"time"

	"segscan/kernels"
	"segscan/segment"
)

// comparedBand is a band as the kernel sees it, at the engine: after flat field and filters. Where there are none it is
// the band as stored.
type comparedBand struct {
	segment.Band
	loaded segment.Loaded
}

// filtering tells whether the kernel sees other samples than those stored: float ones, then.
func (s *bandSource) filtering() bool { return s.field != nil || len(s.filters) > 0 }

// compared calls fn with every band in order, as it is stored and as the kernel sees it. Both live until fn returns. What
// is made of a page that is one band is kept with it.
func (s *bandSource) compared(ctx context.Context, fn func(b *segment.Band, l segment.Loaded, c *comparedBand) error) error {
	if !s.filtering() {
		return s.each(ctx, func(b *segment.Band, l segment.Loaded) error { return fn(b, l, &comparedBand{*b, l}) })
	}
	var gain *fieldCursor
	defer func() { gain.close() }()
	return s.each(ctx, func(b *segment.Band, l segment.Loaded) error {
		if s.whole != nil && s.whole.compared != nil {
			return fn(b, l, s.whole.compared)
		}
		if s.field != nil && gain == nil {
			gain = s.field.cursor(ctx, s)
		}
		c, err := s.compare(ctx, b, gain)
		if err != nil {
			return err
		}
		if s.whole != nil {
			s.whole.compared = c
		} else {
			defer c.loaded.Release()
		}
		return fn(b, l, c)
	})
}

// compare makes of a band what the kernel sees.
func (s *bandSource) compare(ctx context.Context, b *segment.Band, gain *fieldCursor) (*comparedBand, error) {
	start := time.Now()
	c := &comparedBand{Band: *b}
	if gain != nil {
		if err := gain.flatten(&c.Band); err != nil {
			return nil, err
		}
	}
	var err error
	if c.Band, err = kernels.ApplyFilters(ctx, s.workers, c.Band, s.filters); err != nil {
		return nil, err
	}
	s.clock.add("filter", start)
	start = time.Now()
	if c.loaded, err = s.eng.Load(ctx, c.Band); err != nil {
		return nil, fmt.Errorf("loading filtered samples: %w", err)
	}
	s.clock.add("load", start)
	return c, nil
}
