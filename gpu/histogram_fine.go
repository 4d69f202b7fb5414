package gpu

import (
	"context"
	"maps"
	"slices"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// fineKeys lists the keys of a histogram's second pass in order.
func fineKeys(h *segment.Histogram) []uint16 { return slices.Sorted(maps.Keys(h.Fine)) }

// countFine is the second pass over f32 samples: for each histogram that asks for it, 65536 counts a key, in the order
// of the keys. Histograms of lines are counted one after the other.
func (l *loaded) countFine(ctx context.Context, perLine bool, add []segment.Histogram) ([][]uint64, error) {
	out := make([][]uint64, len(add))
	for i := range add {
		keys := fineKeys(&add[i])
		if add[i].Fine == nil || len(keys) == 0 {
			continue
		}
		out[i] = make([]uint64, len(keys)<<16)
		f := &fineRun{loaded: l, keys: keys, out: out[i]}
		from, end := 0, l.band.Lines
		if perLine {
			from, end = i, i+1
		}
		if err := l.stepsOf(ctx, "fine histogram", from, end, f.need, func(l0, l1 int, at cuda.Ptr) error { return f.run(ctx, l0, l1, at) }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fineRun counts for one histogram.
type fineRun struct {
	*loaded
	keys        []uint16
	out         []uint64
	index, bins buffer
}

func (f *fineRun) need(int, int) *plan {
	w := new(plan)
	w.add(&f.index, 4*65536)
	w.add(&f.bins, 8*uint64(len(f.out)))
	return w
}

func (f *fineRun) run(ctx context.Context, l0, l1 int, at cuda.Ptr) error {
	var index [65536]uint32
	for i, k := range f.keys {
		index[k] = uint32(i) + 1
	}
	if err := f.lane.uploadBytes(ctx, f.index.ptr, bytesOf(index[:])); err != nil {
		return err
	}
	lines := uint64(l1 - l0)
	p := &cuda.HistogramParams{Samples: at, Bins: f.bins.ptr, FineIndex: f.index.ptr, Lines: lines, Pitch: f.pitch, Width: uint32(f.band.Samples)}
	err := f.e.do(func() error {
		d := f.e.driver
		if err := d.check(d.fill(f.bins.ptr, 0, uintptr(8*len(f.out)), f.lane.stream), "cuMemsetD8Async"); err != nil {
			return err
		}
		if err := f.e.kernels.fine.launch(d, f.lane.stream, f.unitBlocks(lines, false), p); err != nil {
			return err
		}
		return f.e.synced("histogram_fine")
	})
	if err != nil {
		return err
	}
	part := make([]uint64, len(f.out))
	if err := f.lane.download(bytesOf(part), f.bins.ptr); err != nil {
		return err
	}
	for i, n := range part {
		f.out[i] += n
	}
	return nil
}
