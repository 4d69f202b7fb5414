// The compaction stage gathers the spans that tiles found into one list in order. Its device text is
// kernels/cuda/compact.cu, its launch gpu/compact.go.
//
// Both forms here run the same two steps on every tile: produce finds the tile's spans and says how many, and
// scatter puts them at the tile's base, the number of spans in all tiles before it. They differ in how the base is
// found (see compactSinglePass and compactMultiPass), never in the output.

package segment

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// counts says how many spans of each group there are: in one tile (its aggregate), or in all tiles before it (its
// base, an exclusive prefix).
type counts struct{ kept, rejected int64 }

// add is the operator of the scan of counts.
func (c counts) add(d counts) counts { return counts{c.kept + d.kept, c.rejected + d.rejected} }

// produceFunc finds the spans of one tile and counts them. Different tiles run at once, one worker runs one tile at
// a time, every tile runs once.
type produceFunc func(worker, tile int) (counts, error)

// scatterFunc writes the spans of one tile from base on. Different tiles run at once and in any order.
type scatterFunc func(worker, tile int, base counts) error

// compactSinglePass is the default form: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back" (2016). Workers take tiles by ticket; each counts what its tile keeps, publishes that aggregate, adds
// up the descriptors of earlier tiles until one holds an inclusive prefix, publishes its own, and scatters at
// once. The last tile gives the total.
//
// produce and scatter of a tile run on the same worker, one after the other, so scratch may belong to the worker.
// It returns once every worker has: after ctx ends or a step fails or panics no further tile is taken, waiting
// tiles are woken, and the error is the first failure (a panic as *PanicError) or ctx.Err().
func compactSinglePass(ctx context.Context, workers, tiles int, produce produceFunc, scatter scatterFunc) (counts, error) {
	if tiles <= 0 {
		return counts{}, ctx.Err()
	}
	var total counts
	back := newLookback(tiles, counts{}, counts.add)
	err := runTiles(ctx, workers, tiles, back.stop, func(worker, tile int) error {
		c, err := produce(worker, tile)
		if err != nil {
			return err
		}
		base, ok := back.exclusive(tile, c)
		if !ok {
			return nil // stopped: runTiles knows why
		}
		if tile == tiles-1 {
			total = base.add(c)
		}
		return scatter(worker, tile, base)
	})
	if err != nil {
		return counts{}, err
	}
	return total, nil
}

// PanicError is a panic of a step of parallel work, turned into an error so that it ends one band, not the program.
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// Unwrap gives the value if it was an error (a run-time error is one).
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// runTiles runs step once for every tile on up to workers goroutines, the caller's among them; a ticket counter
// hands the tiles out in order, so every tile before a running one has been taken: what makes waiting for earlier
// tiles safe. The first failure, or the end of ctx, stops the handing out and calls stop (if not nil), which must
// wake whatever waits in a step. It returns when all workers have.
func runTiles(ctx context.Context, workers, tiles int, stop func(), step func(worker, tile int) error) error {
	workers = max(1, min(workers, tiles))
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if stop != nil {
		defer context.AfterFunc(inner, stop)()
	}
	var failure error
	var first sync.Once
	fail := func(err error) {
		first.Do(func() { failure = err })
		cancel()
	}
	var ticket atomic.Int64
	work := func(worker int) {
		returned := false
		defer func() {
			if !returned { // a panic, or runtime.Goexit, which recovers as nil
				fail(&PanicError{recover(), debug.Stack()})
			}
		}()
		for inner.Err() == nil {
			tile := ticket.Add(1) - 1
			if tile >= int64(tiles) {
				break
			}
			if err := step(worker, int(tile)); err != nil {
				fail(err)
				break
			}
		}
		returned = true
	}
	var others sync.WaitGroup
	for worker := 1; worker < workers; worker++ {
		others.Go(func() { work(worker) })
	}
	work(0)
	others.Wait()
	if inner.Err() == nil {
		return nil // every tile was done, even if ctx has ended just now
	}
	if failure != nil {
		return failure
	}
	return ctx.Err()
}
