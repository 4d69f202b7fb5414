package raster

import (
	"fmt"
	"slices"
	"sync"
)

// warnList gathers warnings about a file, some of which are found only while its pages are decoded, possibly by
// several goroutines and more than once.
type warnList struct {
	mu   sync.Mutex
	list []string
}

func (w *warnList) add(msgs ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range msgs {
		if !slices.Contains(w.list, m) {
			w.list = append(w.list, m)
		}
	}
}

func (w *warnList) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

// strictError is what a warning becomes under Options.Strict.
func strictError(warning string) error {
	return fmt.Errorf("%s (refused by --strict, read with a warning without it)", warning)
}

// singleReader is a Reader of a file with one page.
type singleReader struct {
	format string
	page   Page
	warn   *warnList
}

func (r *singleReader) Format() string     { return r.format }
func (r *singleReader) Pages() int         { return 1 }
func (r *singleReader) Warnings() []string { return r.warn.all() }
func (r *singleReader) Close() error       { return nil }

func (r *singleReader) Page(i int) (Page, error) {
	if i != 0 {
		return nil, fmt.Errorf("there is no page %d: the file has one page, 0", i)
	}
	return r.page, nil
}
