package batch

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// budgetBytes bounds the samples of all pages in hand. Decoders may hold a whole page, so many large files at once
// would not fit; a page larger than this is done alone.
const budgetBytes = 2 << 30

type budget struct{ sem *semaphore.Weighted }

func newBudget() *budget { return &budget{semaphore.NewWeighted(budgetBytes)} }

// take waits until there is room for n bytes of samples and returns what gives it back.
func (b *budget) take(ctx context.Context, n int64) (free func(), err error) {
	n = min(max(n, 0), budgetBytes)
	if err := b.sem.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { b.sem.Release(n) }, nil
}
