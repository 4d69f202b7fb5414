package raster

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

func TestWriteQueueOrderAndBound(t *testing.T) {
	for workers := range 6 {
		var running, most atomic.Int32
		var got []int
		q := writeQueue[int]{workers: workers, run: func(p int) error {
			now := running.Add(1)
			for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
			}
			for range p * 7 % 5 * 20 { // later pieces may well be ready first
				runtime.Gosched()
			}
			running.Add(-1)
			return nil
		}, emit: func(p int) error {
			got = append(got, p)
			return nil
		}}
		var want []int
		for p := range 100 {
			want = append(want, p)
			if err := q.add(p); err != nil {
				t.Fatal(err)
			}
		}
		if err := q.flush(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers: order %v", workers, got)
		}
		if m := int(most.Load()); m > max(workers, 1) {
			t.Errorf("%d workers: %d pieces in work at once", workers, m)
		}
	}
}

func TestWriteQueueErrors(t *testing.T) {
	errRun := errors.New("run")
	for _, workers := range []int{1, 3} {
		for name, run := range map[string]func(int) error{
			"run":                  func(int) error { return errRun },
			"internal error: oops": func(int) error { panic("oops") },
		} {
			q := writeQueue[int]{workers: workers, run: run, emit: func(int) error { t.Error("emitted"); return nil }}
			err := q.add(1)
			if err == nil {
				err = q.flush()
			}
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%d workers, %s: got %v", workers, name, err)
			}
			q.drop()
		}
	}
}
