package gpu

import (
	"context"
	"fmt"
	"slices"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// check compares what the last launch wrote with what the CPU engine finds in the same samples.
func (r *speedRun) check(ctx context.Context, f SpeedFigure) error {
	results := make([]segment.Result, max(1, r.c.Images))
	var found uint64
	var dropped int64
	for i := range results {
		if err := r.onCPU(ctx, uint64(i), &results[i]); err != nil {
			return err
		}
		found += uint64(len(results[i].Kept.Bounds) + len(results[i].Rejected.Bounds))
		dropped += results[i].DroppedAtEdges
	}
	if found != f.Spans {
		return fmt.Errorf("gpu: the fused kernel counts %d spans, the CPU engine %d: %+v", f.Spans, found, r.c)
	}
	for group := range 2 {
		if group == 1 && !r.c.Both {
			break
		}
		if err := r.checkGroup(results, group == 1); err != nil {
			return err
		}
	}
	if r.c.Edges == segment.EdgesDrop && !r.c.Both {
		return r.checkDropped(dropped, f)
	}
	return nil
}

// onCPU segments image i of the case on the CPU.
func (r *speedRun) onCPU(ctx context.Context, i uint64, want *segment.Result) error {
	plane := segment.NewPlane(r.c.Type, int(r.imageLines()), int(r.c.Pitch))
	plane.Samples = int(r.c.Width)
	at := r.c.Offset
	if r.c.Images > 0 {
		at = r.imageAt(i)
	}
	if err := r.lane.download(planeBytes(&plane), r.samples.at(at*uint64(r.c.Type.Bytes()))); err != nil {
		return err
	}
	band := segment.Band{Page: &segment.PageInfo{}, Lines: plane.Lines, Samples: plane.Samples, V: plane}
	cpu, err := segment.NewCPU(0).Load(ctx, band)
	if err != nil {
		return err
	}
	defer cpu.Release()
	return cpu.Segment(ctx, r.classifier(), segment.Options{Edges: r.c.Edges, Rejected: r.c.Both}, nil, want)
}

// checkGroup compares the spans of a group of all images.
func (r *speedRun) checkGroup(results []segment.Result, rejected bool) error {
	groupOf := func(i int) *segment.Spans {
		if rejected {
			return &results[i].Rejected
		}
		return &results[i].Kept
	}
	total, from := 0, r.spans
	for i := range results {
		total += len(groupOf(i).Bounds)
	}
	if rejected {
		from = r.rejected
	}
	if uint64(total) > r.capacity {
		return fmt.Errorf("gpu: there is room for %d spans, the CPU engine finds %d", r.capacity, total)
	}
	all := make([]segment.Bound, total)
	if err := r.lane.download(bytesOf(all), from.ptr); err != nil {
		return err
	}
	by := r.by()
	images, _ := r.layOut(&by)
	run := r.e.fused.shape(r.e, by.name, r.c.Type, 0).run
	for i := range results {
		g := groupOf(i)
		got := all[:len(g.Bounds)]
		all = all[len(g.Bounds):]
		p := placing{pitch: r.c.Pitch, width: r.c.Width, keep: r.c.Edges == segment.EdgesKeep}
		if images != nil {
			p.origin = uint64(images[i].FirstRun)*run + uint64(images[i].Front)
		}
		first, edge := make([]int64, len(g.Edge)), make([]uint8, len(g.Edge))
		if err := p.place(got, first, edge, 0); err != nil {
			return err
		}
		if !slices.Equal(got, g.Bounds) || !slices.Equal(first, g.First[:len(first)]) || !slices.Equal(edge, g.Edge) {
			return fmt.Errorf("gpu: the fused kernel and the CPU engine disagree: image %d of %+v", i, r.c)
		}
	}
	return nil
}

// checkDropped compares the number of dropped runs.
func (r *speedRun) checkDropped(want int64, f SpeedFigure) error {
	counts := make([]uint32, f.Blocks*f.Warps)
	if r.c.Images > 0 {
		counts = make([]uint32, cuda.FusedDropCounters*r.c.Images)
	}
	if err := r.lane.download(bytesOf(counts), r.head.at(64)); err != nil {
		return err
	}
	var got int64
	for _, n := range counts {
		got += int64(n)
	}
	if got != want {
		return fmt.Errorf("gpu: the fused kernel drops %d runs at line ends, the CPU engine %d: %+v", got, want, r.c)
	}
	return nil
}
