package raster

import "fmt"

// writeQueue runs work on pieces of a page side by side and hands them on in the order they came. At most workers
// pieces are in work, so that with the one that the caller fills meanwhile workers+1 exist; with one worker it starts no
// goroutine. It belongs to one goroutine.
type writeQueue[P any] struct {
	workers int
	run     func(P) error // on any goroutine
	emit    func(P) error // in order, on the caller's
	flying  []writeFlight[P]
	free    []P // to be used again
}

type writeFlight[P any] struct {
	piece  P
	landed chan error
}

// take returns a piece that was emitted before, if there is one.
func (q *writeQueue[P]) take() (p P, ok bool) {
	if n := len(q.free); n > 0 {
		p, q.free = q.free[n-1], q.free[:n-1]
		return p, true
	}
	return p, false
}

// add starts work on p, after it waited for the oldest piece if all workers have one.
func (q *writeQueue[P]) add(p P) error {
	if q.workers <= 1 {
		return q.done(p, q.work(p))
	}
	for len(q.flying) >= q.workers {
		if err := q.land(); err != nil {
			return err
		}
	}
	f := writeFlight[P]{p, make(chan error, 1)}
	q.flying = append(q.flying, f)
	go func() { f.landed <- q.work(p) }()
	return nil
}

// work makes a panic an error, which on a goroutine of its own nobody else could.
func (q *writeQueue[P]) work(p P) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	return q.run(p)
}

// flush waits for all pieces.
func (q *writeQueue[P]) flush() error {
	for len(q.flying) > 0 {
		if err := q.land(); err != nil {
			return err
		}
	}
	return nil
}

func (q *writeQueue[P]) land() error {
	f := q.flying[0]
	q.flying = append(q.flying[:0], q.flying[1:]...)
	return q.done(f.piece, <-f.landed)
}

func (q *writeQueue[P]) done(p P, err error) error {
	if err != nil {
		return fmt.Errorf("compressing rows: %w", err)
	}
	if err := q.emit(p); err != nil {
		return err
	}
	q.free = append(q.free, p)
	return nil
}

// drop waits for the pieces in work and forgets them, so that no goroutine outlives the writer.
func (q *writeQueue[P]) drop() {
	for _, f := range q.flying {
		<-f.landed
	}
	q.flying, q.free = nil, nil
}
