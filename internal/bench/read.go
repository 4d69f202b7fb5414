package bench

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"segscan/segment"
)

// reader is a loop that only reads. What is fastest depends on the processor, so several are tried and the best one is
// the ceiling that the rest is measured against.
type reader struct {
	Name string
	read func(words []uint64) uint64
}

// readers are the forms that are tried.
func readers() []reader {
	return []reader{
		{"sum", segment.ReadWords},
		{"sum in four streams", readStreams},
		{"search for a byte", readSearch},
	}
}

// streamWords is a page: the processor fetches ahead within one.
const streamWords = 4096 / 8

// readStreams reads from four places in turn, a page at a time, so that more is asked of memory at once.
func readStreams(v []uint64) (sum uint64) {
	quarter := len(v) / 4 / streamWords * streamWords
	for at := 0; at < quarter; at += streamWords {
		for k := range 4 {
			sum += segment.ReadWords(v[k*quarter+at:][:streamWords])
		}
	}
	return sum + segment.ReadWords(v[4*quarter:])
}

// readSearch looks for a byte that generated samples of no type hold; where other data does, it goes on behind it.
func readSearch(v []uint64) (hits uint64) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
	for {
		i := bytes.IndexByte(b, 0xff)
		if i < 0 {
			return hits
		}
		hits, b = hits+1, b[i+1:]
	}
}

// pieceWords is what a worker takes at a time: 1 MiB.
const pieceWords = 1 << 20 / 8

// readAll reads with several workers, which take pieces as they come.
func (r *reader) readAll(v []uint64, workers int) uint64 {
	var next, sum atomic.Uint64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				from := int(next.Add(pieceWords)) - pieceWords
				if from >= len(v) {
					return
				}
				sum.Add(r.read(v[from:min(from+pieceWords, len(v))]))
			}
		})
	}
	all.Wait()
	return sum.Load()
}

// fastestReader tries all forms on the memory.
func (b *bench) fastestReader(ctx context.Context, v []uint64) error {
	forms := readers()
	tasks := make([]task, len(forms))
	for k := range forms {
		tasks[k] = task{cores: 1, run: func() error { b.sink += forms[k].read(v); return nil }}
	}
	times, err := b.clock.interleave(ctx, 1, tasks...)
	if err != nil {
		return err
	}
	best := 0
	for k, t := range times {
		if t.Median < times[best].Median {
			best = k
		}
	}
	b.reader = forms[best]
	return nil
}
