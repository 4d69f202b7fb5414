package segment

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// tileStatus tells what of a tile's descriptor may be read.
type tileStatus uint32

const (
	tileNotReady  tileStatus = iota // nothing yet
	tileAggregate                   // the tile's own value
	tilePrefix                      // the value of all tiles up to and including this one
)

// descriptor is a tile's mailbox for later tiles. aggregate and prefix are written before the status that says so.
type descriptor[T any] struct {
	status            atomic.Uint32
	aggregate, prefix T
}

func (d *descriptor[T]) load() tileStatus { return tileStatus(d.status.Load()) }

// lookback is a decoupled look-back (Merrill and Garland 2016) over one descriptor a tile, for any associative
// operator; operands keep their order. Tiles must be taken by ticket: a tile waits only for earlier ones.
type lookback[T any] struct {
	identity T
	combine  func(a, b T) T
	tiles    []descriptor[T]

	stopped atomic.Bool
	waiters atomic.Int32
	mu      sync.Mutex
	wake    *sync.Cond
}

func newLookback[T any](tiles int, identity T, combine func(a, b T) T) *lookback[T] {
	l := &lookback[T]{identity: identity, combine: combine, tiles: make([]descriptor[T], tiles)}
	l.wake = sync.NewCond(&l.mu)
	return l
}

// exclusive publishes the aggregate of a tile, gathers the value of all tiles before it, publishes the inclusive
// prefix, and returns the exclusive one. It reports false if stop was called before the value was known.
func (l *lookback[T]) exclusive(tile int, aggregate T) (before T, ok bool) {
	l.announce(tile, aggregate)
	before, _, ok = l.gather(tile, true)
	return before, ok
}

// announce publishes the aggregate of a tile.
func (l *lookback[T]) announce(tile int, aggregate T) {
	d := &l.tiles[tile]
	d.aggregate = aggregate
	l.publish(d, tileAggregate)
}

// gather gives the value of all tiles before an announced one, whose own aggregate it returns too, and publishes the
// inclusive prefix. It reports false if some earlier tile is not announced: at once, or, with wait, if stop was called
// before all were.
func (l *lookback[T]) gather(tile int, wait bool) (before, own T, ok bool) {
	d := &l.tiles[tile]
	before = l.identity
	for t := tile - 1; t >= 0; t-- {
		p := &l.tiles[t]
		status := p.load()
		if status == tileNotReady && wait {
			status = l.await(p)
		}
		if status == tileNotReady {
			return before, own, false
		}
		if status == tilePrefix {
			before = l.combine(p.prefix, before)
			break
		}
		before = l.combine(p.aggregate, before)
	}
	d.prefix = l.combine(before, d.aggregate)
	l.publish(d, tilePrefix)
	return before, d.aggregate, true
}

func (l *lookback[T]) publish(d *descriptor[T], s tileStatus) {
	d.status.Store(uint32(s))
	// A waiter counts itself before it looks at the status a last time, so either it sees the new status or this
	// sees the waiter.
	if l.waiters.Load() > 0 {
		l.mu.Lock()
		l.wake.Broadcast()
		l.mu.Unlock()
	}
}

// lookbackSpins is how often a waiting tile yields before it sleeps, about as long as a tile takes: an earlier tile is
// usually nearly done, and to sleep and wake costs more than the rest of it, but a core must not be burnt when it is
// not.
const lookbackSpins = 256

// await returns the status of d once there is one, or tileNotReady if stopped.
func (l *lookback[T]) await(d *descriptor[T]) tileStatus {
	for range lookbackSpins {
		if s := d.load(); s != tileNotReady {
			return s
		}
		runtime.Gosched()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiters.Add(1)
	defer l.waiters.Add(-1)
	for {
		if s := d.load(); s != tileNotReady || l.stopped.Load() {
			return s
		}
		l.wake.Wait()
	}
}

// stop wakes every waiting tile; those whose predecessors will not come return false.
func (l *lookback[T]) stop() {
	l.stopped.Store(true)
	l.mu.Lock()
	l.wake.Broadcast()
	l.mu.Unlock()
}
