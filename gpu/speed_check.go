package gpu

import (
	"context"
	"fmt"
	"slices"

	"segscan/segment"
)

// check compares what the last launch wrote with what the CPU engine finds in the same samples.
func (r *speedRun) check(ctx context.Context, f SpeedFigure) error {
	plane := segment.NewPlane(r.c.Type, int(r.lines), int(r.c.Pitch))
	plane.Samples = int(r.c.Width)
	l := loaded{body: plane}
	size := uint64(r.c.Type.Bytes())
	if err := r.lane.download(l.all(), r.samples.at(r.c.Offset*size)); err != nil {
		return err
	}
	band := segment.Band{Page: &segment.PageInfo{}, Lines: plane.Lines, Samples: plane.Samples, V: plane}
	cpu, err := segment.NewCPU(0).Load(ctx, band)
	if err != nil {
		return err
	}
	defer cpu.Release()
	var want segment.Result
	o := segment.Options{Edges: r.c.Edges, Rejected: r.c.Both}
	if err := cpu.Segment(ctx, r.classifier(), o, nil, &want); err != nil {
		return err
	}
	groups := []*segment.Spans{&want.Kept}
	if r.c.Both {
		groups = append(groups, &want.Rejected)
	}
	var found uint64
	for i, g := range groups {
		if uint64(len(g.Bounds)) > r.capacity {
			return fmt.Errorf("gpu: there is room for %d spans, the CPU engine finds %d", r.capacity, len(g.Bounds))
		}
		found += uint64(len(g.Bounds))
		got := make([]segment.Bound, len(g.Bounds))
		if err := r.lane.download(bytesOf(got), []buffer{r.spans, r.rejected}[i].ptr); err != nil {
			return err
		}
		p := placing{pitch: r.c.Pitch, width: r.c.Width, keep: r.c.Edges == segment.EdgesKeep}
		first, edge := make([]int64, r.lines), make([]uint8, r.lines)
		if err := p.place(got, first, edge, 0); err != nil {
			return err
		}
		if !slices.Equal(got, g.Bounds) || !slices.Equal(first, g.First[:r.lines]) || !slices.Equal(edge, g.Edge) {
			return fmt.Errorf("gpu: the fused kernel and the CPU engine disagree: %+v", r.c)
		}
	}
	if found != f.Spans {
		return fmt.Errorf("gpu: the fused kernel counts %d spans, the CPU engine %d: %+v", f.Spans, found, r.c)
	}
	if o.Edges == segment.EdgesDrop && !r.c.Both {
		return r.checkDropped(want.DroppedAtEdges, f)
	}
	return nil
}

// checkDropped compares the number of dropped runs.
func (r *speedRun) checkDropped(want int64, f SpeedFigure) error {
	counts := make([]uint32, f.Blocks*f.Warps)
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
