// The readout stage: from scan values to spans. Its device text is kernels/cuda/readout.cu, its launch gpu/readout.go.

package segment

import "context"

// MarkKind tells what ends at a sample.
type MarkKind uint8

// Kinds of marks. At most one thing ends at a sample: a span or a dropped run before a boundary, or, at a line's
// last sample that is no boundary, what the line end closes or cuts off.
const (
	MarkNone     MarkKind = iota
	MarkKept              // a kept span
	MarkRejected          // a rejected span
	MarkDropped           // an activated run that EdgesDrop leaves out
)

// Mark is the readout of one sample; Bound and Edge are set for spans only.
type Mark struct {
	Kind  MarkKind
	Edge  uint8 // EdgeLeft, EdgeRight: which ends are virtual
	Bound Bound
}

// Readout looks one sample to the left of every boundary, where the scan value tells of the samples since the
// boundary before: its flag whether an activation lies between, its index where it began. A line's last sample is
// read out against the line end in the same way.
func (m Mirror) Readout(ctx context.Context, b *Buffers, edges Edges) error {
	if err := m.check(len(b.Scan), b.Lines, b.Width); err != nil {
		return err
	}
	b.Marks = make([]Mark, len(b.Scan))
	return m.eachTile(ctx, len(b.Scan), func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			i := int64(p % b.Width)
			switch {
			case b.Pairs[p].Index >= 0 && i == 0:
				b.Marks[p] = readout(Identity(), i, b.Width, edges)
			case b.Pairs[p].Index >= 0:
				b.Marks[p] = readout(b.Scan[p-1], i, b.Width, edges)
			case i == int64(b.Width)-1:
				b.Marks[p] = readout(b.Scan[p], int64(b.Width), b.Width, edges)
			}
		}
	})
}

// readout says what the boundary at position end ends, end == width being the virtual one; before is the scan value
// just before it.
func readout(before FlagAndIndex, end int64, width int, edges Edges) Mark {
	virtualStart, virtualEnd := before.Index < 0, end == int64(width)
	active := before.Flag == Activation
	if edges == EdgesDrop && (virtualStart || virtualEnd) {
		if active {
			return Mark{Kind: MarkDropped}
		}
		return Mark{}
	}
	if end-max(before.Index, -1) < 2 {
		return Mark{} // nothing strictly between
	}
	m := Mark{Kind: MarkRejected}
	if active {
		m.Kind = MarkKept
	}
	start := before.Index
	if virtualStart {
		start, m.Edge = 0, m.Edge|EdgeLeft
	}
	if virtualEnd {
		end, m.Edge = end-1, m.Edge|EdgeRight
	}
	m.Bound = Bound{uint32(start), uint32(end)}
	return m
}

// Compact gathers the spans of b.Marks into r in the form o.Compaction asks for.
func (m Mirror) Compact(ctx context.Context, b *Buffers, o Options, r *Result) error {
	n := len(b.Marks)
	if err := m.check(n, b.Lines, b.Width); err != nil {
		return err
	}
	resetResult(r, b.Lines)
	edge := newEdgeMarks(b.Lines)
	plan := compactPlan{form: o.Compaction, workers: m.Workers, tiles: m.tiles(n), block: m.Block}
	err := compactSpans(ctx, plan, r, func(_, tile int, out *tileSpans) error {
		lo, hi := m.span(tile, n)
		out.reset((lo + b.Width - 1) / b.Width)
		for p := lo; p < hi; p++ {
			line := p / b.Width
			if p%b.Width == 0 {
				out.startLine()
			}
			mark := b.Marks[p]
			switch mark.Kind {
			case MarkKept:
				out.kept.bounds = append(out.kept.bounds, mark.Bound)
				edge.set(line, mark.Edge, false)
			case MarkRejected:
				if o.Rejected {
					out.rejected.bounds = append(out.rejected.bounds, mark.Bound)
					edge.set(line, mark.Edge, true)
				}
			case MarkDropped:
				out.dropped++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	edge.store(r)
	return nil
}
