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
// a time, every tile runs once. place is where scratch of the tile may be kept until it is scattered: the slot of
// compactSinglePass, the worker of compactMultiPass.
type produceFunc func(place, tile int) (counts, error)

// scatterFunc writes the spans of one tile from base on. Different tiles run at once and in any order.
type scatterFunc func(place, tile int, base counts) error

// singlePassDepth is how many tiles a worker may have counted but not scattered yet. With one, workers would wait for
// each other at every tile, since tiles never take equally long; two more take up the differences.
const singlePassDepth = 3

// compactSinglePass is the default form: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back" (2016). Workers take tiles by ticket; each counts what its tile keeps, publishes that aggregate, adds
// up the descriptors of earlier tiles until one holds an inclusive prefix, publishes its own, and scatters. A tile whose
// base is not known yet is put off while its worker takes another. The last tile gives the total.
//
// produce and scatter of a tile run on the same worker with the same slot, which no other tile has in between, so scratch
// may belong to the slot. Worker w has slots w*singlePassDepth to (w+1)*singlePassDepth-1.
// It returns once every worker has: after ctx ends or a step fails or panics no further tile is taken, waiting
// tiles are woken, and the error is the first failure (a panic as *PanicError) or ctx.Err().
func compactSinglePass(ctx context.Context, workers, tiles int, produce produceFunc, scatter scatterFunc) (counts, error) {
	if tiles <= 0 {
		return counts{}, ctx.Err()
	}
	var total counts
	back := newLookback(tiles, counts{}, counts.add)
	err := runWorkers(ctx, workers, tiles, back.stop, func(worker int, next func() (int, bool)) error {
		var pending [singlePassDepth]int // a ring of tiles, oldest first, each in the slot of its place
		first, n := 0, 0
		// settle scatters the oldest tile, if its base is known or, with wait, once it is. It reports false if not.
		settle := func(wait bool) (bool, error) {
			tile := pending[first]
			base, own, ok := back.gather(tile, wait)
			if !ok {
				return false, nil
			}
			if tile == tiles-1 {
				total = base.add(own)
			}
			slot := worker*singlePassDepth + first
			first, n = (first+1)%singlePassDepth, n-1
			return true, scatter(slot, tile, base)
		}
		for {
			tile, ok := next()
			if !ok {
				break
			}
			at := (first + n) % singlePassDepth
			c, err := produce(worker*singlePassDepth+at, tile)
			if err != nil {
				return err
			}
			back.announce(tile, c)
			pending[at], n = tile, n+1
			for n > 0 {
				if ok, err := settle(n == singlePassDepth); err != nil {
					return err
				} else if !ok {
					if n == singlePassDepth {
						return nil // stopped: runWorkers knows why
					}
					break
				}
			}
		}
		for n > 0 {
			if ok, err := settle(true); err != nil || !ok {
				return err
			}
		}
		return nil
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

// runTiles runs step once for every tile on up to workers goroutines; see runWorkers.
func runTiles(ctx context.Context, workers, tiles int, stop func(), step func(worker, tile int) error) error {
	return runWorkers(ctx, workers, tiles, stop, func(worker int, next func() (int, bool)) error {
		for {
			tile, ok := next()
			if !ok {
				return nil
			}
			if err := step(worker, tile); err != nil {
				return err
			}
		}
	})
}

// runWorkers runs work on up to workers goroutines, the caller's among them. They take tiles by next, a ticket counter
// that hands them out in order, so every tile before a running one has been taken: what makes waiting for earlier
// tiles safe. The first failure, or the end of ctx, stops the handing out and calls stop (if not nil), which must
// wake whatever waits in work. It returns when all workers have.
func runWorkers(ctx context.Context, workers, tiles int, stop func(), work func(worker int, next func() (tile int, ok bool)) error) error {
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
	next := func() (int, bool) {
		if inner.Err() != nil {
			return 0, false
		}
		tile := ticket.Add(1) - 1
		return int(tile), tile < int64(tiles)
	}
	run := func(worker int) {
		returned := false
		defer func() {
			if !returned { // a panic, or runtime.Goexit, which recovers as nil
				fail(&PanicError{recover(), debug.Stack()})
			}
		}()
		if err := work(worker, next); err != nil {
			fail(err)
		}
		returned = true
	}
	var others sync.WaitGroup
	for worker := 1; worker < workers; worker++ {
		others.Go(func() { run(worker) })
	}
	run(0)
	others.Wait()
	if inner.Err() == nil {
		return nil // every tile was done, even if ctx has ended just now
	}
	if failure != nil {
		return failure
	}
	return ctx.Err()
}
