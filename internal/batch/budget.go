package batch

import (
	"context"

	"golang.org/x/sync/semaphore"

	"segscan/internal/raster"
	"segscan/segment"
	"segscan/viz"
)

// budgetBytes bounds what all pages in hand hold together. A page that is thought to need more is done alone.
const budgetBytes = 4 << 30

type budget struct{ sem *semaphore.Weighted }

func newBudget() *budget { return &budget{semaphore.NewWeighted(budgetBytes)} }

// take waits until there is room for n bytes and returns what gives it back.
func (b *budget) take(ctx context.Context, n int64) (free func(), err error) {
	n = min(max(n, 0), budgetBytes)
	if err := b.sem.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { b.sem.Release(n) }, nil
}

// bandsHeld is how many bands a page that streams has about it: the decoder's, masks and spans, the picture.
const bandsHeld = 4

// memory is about what a page needs. JPEG decodes to whole pages; the spans, or classes, of columns are kept for a
// picture.
func (c *Config) memory(format string, p *segment.PageInfo) int64 {
	sample := int64(p.Type.Bytes())
	if c.Background != "" || len(c.Kernel.Filters()) > 0 {
		sample += int64(segment.F32.Bytes())
	}
	page := p.Width * p.Height * sample
	if c.Axis == segment.Cols && c.Style == viz.Classes {
		page += p.Width * p.Height / 4 // two bits a sample
	}
	if format == "jpeg" || c.Axis == segment.Cols {
		return page
	}
	band := c.MaxBytes
	if band <= 0 {
		band = raster.DefaultBandBytes
	}
	return min(page, bandsHeld*band*sample/int64(p.Type.Bytes()))
}
