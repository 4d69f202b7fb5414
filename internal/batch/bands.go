package batch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"iter"
	"math"
	"time"

	"segscan/internal/raster"
	"segscan/segment"
)

// bandSource loads the bands of one page into an engine, for as many passes as the page needs. A page that is one
// band is decoded and loaded once.
type bandSource struct {
	page    raster.Page
	eng     segment.Engine
	request raster.Request
	region  image.Rectangle // in page pixels
	filters []segment.Filter
	workers int        // of filters; 0: one a core
	field   *pageField // nil: as taken
	clock   *stages

	whole *wholeBand
}

type wholeBand struct {
	band     segment.Band
	loaded   segment.Loaded
	stop     func()
	compared *comparedBand // once it was asked for
}

// lines and samples are those of the region along the axis.
func (s *bandSource) lines() int64 {
	if s.request.Axis == segment.Cols {
		return int64(s.region.Dx())
	}
	return int64(s.region.Dy())
}

func (s *bandSource) samples() int64 {
	if s.request.Axis == segment.Cols {
		return int64(s.region.Dy())
	}
	return int64(s.region.Dx())
}

// first is the page line and the sample where the region begins.
func (s *bandSource) first() (line, sample int64) {
	if s.request.Axis == segment.Cols {
		return int64(s.region.Min.X), int64(s.region.Min.Y)
	}
	return int64(s.region.Min.Y), int64(s.region.Min.X)
}

// each calls fn with every band in order. The band and what is loaded of it live until fn returns.
func (s *bandSource) each(ctx context.Context, fn func(b *segment.Band, l segment.Loaded) error) error {
	if s.whole != nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(&s.whole.band, s.whole.loaded)
	}
	next, stop := iter.Pull2(s.page.Bands(ctx, s.request))
	kept := false
	defer func() {
		if !kept {
			stop()
		}
	}()
	line0, sample0 := s.first()
	for line := line0; line < line0+s.lines(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := time.Now()
		b, err, ok := next()
		s.clock.add("decode", start)
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("the decoder ended after %d of %d lines", line-line0, s.lines())
		case b.Line0 != line || b.Lines <= 0 || b.Sample0 != sample0 || int64(b.Samples) != s.samples():
			return fmt.Errorf("the decoder gave %d x %d samples at line %d, sample %d where line %d, sample %d was next",
				b.Lines, b.Samples, b.Line0, b.Sample0, line, sample0)
		}
		start = time.Now()
		l, err := s.eng.Load(ctx, b)
		s.clock.add("load", start)
		if err != nil {
			return err
		}
		if line == line0 && int64(b.Lines) == s.lines() {
			s.whole, kept = &wholeBand{band: b, loaded: l, stop: stop}, true
			return fn(&s.whole.band, l)
		}
		err = fn(&b, l)
		l.Release()
		if err != nil {
			return err
		}
		line += int64(b.Lines)
	}
	return nil
}

// rows calls fn with the region in bands of rows, whatever the axis, with their colours if asked; nothing is loaded.
func (s *bandSource) rows(ctx context.Context, colour bool, fn func(b *segment.Band) error) error {
	request := s.request
	request.Axis, request.Needs = segment.Rows, segment.Needs{Channels: colour}
	rows := 0
	for b, err := range s.page.Bands(ctx, request) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = fn(&b)
		}
		if err != nil {
			return err
		}
		rows += b.Lines
	}
	if rows != s.region.Dy() {
		return errors.Join(ctx.Err(), fmt.Errorf("the decoder ended after %d of %d rows", rows, s.region.Dy()))
	}
	return nil
}

// close lets go of the band that was kept.
func (s *bandSource) close() {
	if s.whole != nil {
		if c := s.whole.compared; c != nil {
			c.loaded.Release()
		}
		s.whole.loaded.Release()
		s.whole.stop()
		s.whole = nil
	}
}

// stages adds up the seconds of each stage of a page.
type stages struct{ seconds map[string]float64 }

func (s *stages) add(stage string, start time.Time) {
	if s.seconds == nil {
		s.seconds = map[string]float64{}
	}
	s.seconds[stage] += time.Since(start).Seconds()
}

// rounded is the seconds to the microsecond.
func (s *stages) rounded() map[string]float64 {
	r := make(map[string]float64, len(s.seconds))
	for stage, v := range s.seconds {
		r[stage] = math.Round(v*1e6) / 1e6
	}
	return r
}
