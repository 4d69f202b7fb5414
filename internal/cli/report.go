package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"segscan/internal/batch"
)

// sameWarnings is how often one warning is printed before the rest are only counted.
const sameWarnings = 3

// reporter tells what happens while files are worked on: failures and warnings as they come, and a progress bar on
// a terminal. It implements batch.Observer.
type reporter struct {
	p     *printer
	quiet bool
	out   string // folder of results
	term  *os.File

	mu       sync.Mutex
	bar      *progressbar.ProgressBar
	files    int
	done     int
	failed   int
	said     map[string]bool
	warnings map[string]int
	order    []string // of warnings
}

func newReporter(p *printer, o *options, term *os.File) *reporter {
	if o.quiet || o.JSON || o.Table == "-" {
		term = nil
	}
	return &reporter{p: p, quiet: o.quiet, out: o.Out, term: term, said: map[string]bool{}, warnings: map[string]int{}}
}

// Start shows a progress bar if there is a terminal and more than one file to wait for.
func (r *reporter) Start(files int, bytes int64) {
	r.files = files
	if r.term == nil || files < 2 || bytes <= 0 {
		return
	}
	r.bar = progressbar.NewOptions64(bytes,
		progressbar.OptionSetWriter(r.term),
		progressbar.OptionSetDescription(r.progress()),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionEnableColorCodes(false),
	)
	r.p.mu.Lock()
	r.p.before = func() { _ = r.bar.Clear() } // a message takes the bar's line; the next step draws it again
	r.p.mu.Unlock()
}

func (r *reporter) progress() string {
	s := fmt.Sprintf("%d/%d files", r.done, r.files)
	if r.failed > 0 {
		s += fmt.Sprintf(", %d failed", r.failed)
	}
	return s
}

// FileDone counts a file and names its failures.
func (r *reporter) FileDone(f batch.PlannedFile, bytes int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if err != nil {
		r.failed++
		for _, e := range fileErrors(f.Name(), err) {
			r.failure(e)
		}
	}
	if r.bar != nil {
		r.p.mu.Lock()
		r.bar.Describe(r.progress())
		_ = r.bar.Add64(bytes)
		r.p.mu.Unlock()
	}
}

// Warn prints a warning; of many equal ones the first few.
func (r *reporter) Warn(file, msg, hint string) {
	if r.quiet {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.warnings[msg]
	r.warnings[msg] = n + 1
	if n == 0 {
		r.order = append(r.order, msg)
	} else {
		hint = "" // once is enough
	}
	if n < sameWarnings {
		r.p.message(file, "warning: "+msg, hint)
	}
}

func (r *reporter) failure(e *batch.FileError) {
	if errors.Is(e.Err, context.Canceled) || errors.Is(e.Err, errInterrupted) || errors.Is(e.Err, errNoReader) {
		return // ended, not failed
	}
	msg := e.Err.Error()
	if e.Page >= 0 {
		msg = fmt.Sprintf("page %d: %s", e.Page, msg)
	}
	key := e.File + "\x00" + msg
	if r.said[key] {
		return
	}
	r.said[key] = true
	r.p.message(e.File, msg, hintOf(e.Err))
}

// finish ends the progress bar and says what has not been said: failures the observer did not hear of, inputs that were
// not begun, which is a failure too, and how many warnings were held back.
func (r *reporter) finish(s *batch.Summary) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bar != nil {
		r.p.mu.Lock()
		_ = r.bar.Clear()
		_ = r.bar.Exit()
		r.p.before = nil
		r.p.mu.Unlock()
		r.bar = nil
	}
	if s != nil {
		for _, e := range s.Failed {
			r.failure(e)
		}
		if s.LeftOut > 0 {
			r.p.message("", batch.LeftOut(r.out, s.LeftOut), "make room; --skip-existing goes on where this run ends")
		}
	}
	for _, msg := range r.order {
		if n := r.warnings[msg] - sameWarnings; n > 0 {
			r.p.message("", fmt.Sprintf("warning, %s more: %s", plural(n, "time", "times"), msg), "")
		}
	}
}

// fileErrors takes apart what a file failed with: one error, or several joined.
func fileErrors(rel string, err error) []*batch.FileError {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var out []*batch.FileError
		for _, e := range many.Unwrap() {
			out = append(out, fileErrors(rel, e)...)
		}
		return out
	}
	var f *batch.FileError
	if errors.As(err, &f) {
		return []*batch.FileError{f}
	}
	return []*batch.FileError{{File: rel, Page: -1, Err: err}}
}

// hintOf is the remedy an error brings along, or "".
func hintOf(err error) string {
	var own *usageError
	var usage *batch.UsageError
	var any interface{ Hint() string }
	switch {
	case errors.As(err, &any):
		return any.Hint()
	case errors.As(err, &own):
		return own.hint
	case errors.As(err, &usage):
		return usage.Hint
	}
	return ""
}
