package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"

	"segscan/internal/batch"
)

// errInterrupted is the cause of a context that a signal cancelled.
var errInterrupted = errors.New("interrupted")

// app is one call of the program.
type app struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	stdin  io.Reader
	stdout *stdoutWriter
	stderr *printer
	term   *os.File // stderr, if it is a terminal
	debug  bool     // show a stack with an internal error

	stdinTerm bool // stdin is a keyboard
	temps     batch.Temps
}

// Run is the program: args without the program's name. It returns the exit code. The first SIGINT, SIGTERM or SIGHUP ends
// the run in good order (the file in hand is finished or removed), the second ends it at once; then a goroutine may
// still be running when Run returns, and the caller should exit.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	a := &app{
		ctx: ctx, cancel: cancel,
		stdin:  &cancelReader{ctx: ctx, r: stdin},
		stdout: &stdoutWriter{w: stdout, cancel: cancel},
		stderr: &printer{w: stderr},
		term:   terminal(stderr), stdinTerm: isTerminal(stdin),
		debug: os.Getenv("SEGSCAN_DEBUG") != "",
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // it is under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	defer signal.Stop(signals)
	// Taken so that a closed stdout is an error of Write, and half-written files can be removed before the end.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	done := make(chan int, 1)
	go func() { done <- a.guarded(args) }()
	for interrupted := false; ; interrupted = true {
		select {
		case code := <-done:
			return code
		case <-signals:
			if interrupted {
				a.temps.Remove()
				return exitInterrupted
			}
			a.stderr.message("", "interrupted: ending in good order", "once more ends at once")
			cancel(errInterrupted)
		}
	}
}

// guarded runs the command and turns panics and errors into messages and exit codes.
func (a *app) guarded(args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			code = a.internal(fmt.Sprint(r), debug.Stack())
		}
	}()
	err := a.dispatch(args)
	if a.stdout.broken() {
		return exitPipe
	}
	return a.exitCode(err)
}

// internal reports a bug.
func (a *app) internal(what string, stack []byte) int {
	hint := "please report it with the command line and, if you can, the file; SEGSCAN_DEBUG=1 shows where it happened"
	if a.debug {
		what += "\n" + string(bytes.ReplaceAll(stack, []byte("\t"), []byte("  ")))
		hint = "please report it with the command line and, if you can, the file"
	}
	a.stderr.message("", "internal error, a bug in segscan: "+what, hint)
	return exitInternal
}

// stdoutWriter notes when nobody reads stdout any more, and ends the work then.
type stdoutWriter struct {
	w      io.Writer
	cancel context.CancelCauseFunc
	gone   atomic.Bool
}

func (s *stdoutWriter) broken() bool { return s.gone.Load() }

var errNoReader = errors.New("nobody reads stdout any more")

func (s *stdoutWriter) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil && brokenPipe(err) {
		s.gone.Store(true)
		s.cancel(errNoReader)
	}
	return n, err
}

// cancelReader ends a blocked read of stdin when ctx ends; the read itself cannot be stopped, and is left behind.
type cancelReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancelReader) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	buf := make([]byte, len(p)) // the read left behind must not write into the caller's memory
	got := make(chan result, 1)
	go func() {
		n, err := c.r.Read(buf)
		got <- result{n, err}
	}()
	select {
	case <-c.ctx.Done():
		return 0, context.Cause(c.ctx)
	case r := <-got:
		return copy(p, buf[:r.n]), r.err
	}
}
