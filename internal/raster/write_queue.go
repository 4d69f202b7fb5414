package raster

// writeQueue runs work on pieces of a page side by side and hands them on in the order they came. With one worker it
// starts no goroutine. It belongs to one goroutine.
type writeQueue[P any] struct {
	workers int
	run     func(P)       // on any goroutine
	emit    func(P) error // in order, on the caller's
	flying  []writeFlight[P]
	free    []P // to be used again
}

type writeFlight[P any] struct {
	piece  P
	landed chan struct{}
}

// take returns a piece that was emitted before, if there is one.
func (q *writeQueue[P]) take() (p P, ok bool) {
	if n := len(q.free); n > 0 {
		p, q.free = q.free[n-1], q.free[:n-1]
		return p, true
	}
	return p, false
}

// add starts work on p. As many pieces are in work as there are workers, less one while the caller fills the next.
func (q *writeQueue[P]) add(p P) error {
	if q.workers <= 1 {
		q.run(p)
		return q.done(p)
	}
	f := writeFlight[P]{p, make(chan struct{})}
	q.flying = append(q.flying, f)
	go func() {
		defer close(f.landed)
		q.run(p)
	}()
	for len(q.flying) >= q.workers+1 {
		if err := q.land(); err != nil {
			return err
		}
	}
	return nil
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
	<-f.landed
	return q.done(f.piece)
}

func (q *writeQueue[P]) done(p P) error {
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
