package gpu

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// thread is a goroutine locked to its thread, the only one that calls the driver: a context is current in a thread,
// and goroutines wander. The thread is never unlocked, so that it ends with its goroutine and no other inherits what
// the driver left in it.
type thread struct {
	tasks chan task
	done  chan struct{} // closed when the goroutine has ended
	once  sync.Once
	quit  chan struct{}
}

type task struct {
	run    func() error
	result chan<- error
}

func startThread() *thread {
	t := &thread{tasks: make(chan task), done: make(chan struct{}), quit: make(chan struct{})}
	go t.serve()
	return t
}

func (t *thread) serve() {
	runtime.LockOSThread()
	defer close(t.done)
	for {
		select {
		case <-t.quit:
			return
		case k := <-t.tasks:
			k.result <- guarded(k.run)
		}
	}
}

// PanicError is a panic on the driver's thread, turned into an error.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("gpu: internal error: %v", e.Value) }

// Unwrap gives the value if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{r, debug.Stack()}
		}
	}()
	return f()
}

// do runs f on the thread and returns its error.
func (t *thread) do(f func() error) error {
	return t.doContext(context.Background(), f)
}

// doContext is do that stops waiting when ctx ends. f may then still be running: a driver that hangs cannot be
// stopped, only be left behind.
func (t *thread) doContext(ctx context.Context, f func() error) error {
	result := make(chan error, 1)
	select {
	case t.tasks <- task{f, result}:
	case <-t.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop ends the thread after the task in hand; it does not wait.
func (t *thread) stop() { t.once.Do(func() { close(t.quit) }) }
