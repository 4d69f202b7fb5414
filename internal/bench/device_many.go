package bench

import (
	"context"
	"errors"
	"fmt"

	"segscan/gpu"
	"segscan/segment"
)

// ManyRow is a batch of small images, u8 at 1 in 512 in ordinary memory, host to host, by the clock: all in few launches
// against each by itself, several at once.
type ManyRow struct {
	Images   int     `json:"images"`
	Side     int     `json:"side"` // of each, in samples
	Together Time    `json:"together_seconds"`
	Apart    Time    `json:"apart_seconds"`
	PerS     float64 `json:"images_per_s"`
	GBs      float64 `json:"gb_per_s"`
	Faster   float64 `json:"times_faster"`
}

// The images of ManyRow, as many as the samples of a transfer make.
const (
	manyImages = 1024
	manySide   = 512
)

// manyImages measures a batch of small images. What they hold is made anew: each has lines of its own.
func (b *bench) manyImages(ctx context.Context, e *gpu.Engine) error {
	n := min(manyImages, b.store.bytes()/(manySide*manySide))
	if n == 0 {
		return nil
	}
	b.progress(fmt.Sprintf("%s, %d images of %d x %d", e.Device(), n, manySide, manySide))
	all := b.store.samples(segment.U8, n*manySide, manySide)
	if err := fill(ctx, &all, passDensity); err != nil {
		return err
	}
	d := &deviceRun{engine: e, bands: bandsOf(all, n), atOnce: e.Slots()}
	d.results = make([]segment.Result, len(d.bands))
	times, err := b.clock.interleave(ctx, weightTransfer,
		task{wall: true, run: func() error { return d.each(ctx, d.segment) }},
		task{wall: true, run: func() error {
			return e.SegmentMany(ctx, d.bands, thresholdsOf(segment.U8), segment.Options{}, d.results)
		}})
	if err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	if p := b.store.plane(segment.U8); p.Lines > 0 { // for what is measured after it
		err = fill(ctx, &p, passDensity)
	}
	b.report.GPU.Many = &ManyRow{Images: n, Side: manySide, Apart: times[0], Together: times[1], PerS: times[1].perSecond(float64(n)),
		GBs: times[1].perSecond(float64(n*manySide*manySide)) / 1e9, Faster: times[0].Median / times[1].Median}
	return errors.Join(err, ctx.Err())
}

func (r *ManyRow) text() string {
	return fmt.Sprintf("\n%d images of %d x %d, ordinary memory  %s images/s, %s GB/s together: %s times as fast as one by one\n",
		r.Images, r.Side, r.Side, number(r.PerS), number(r.GBs), ratio(r.Faster))
}
