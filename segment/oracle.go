package segment

// LineSpans is what the definition says of one line. KeptEdge and RejectedEdge hold EdgeLeft and EdgeRight as in
// Spans. Dropped counts the activated runs that EdgesDrop leaves out: the stretches from the line start to the
// first boundary, from the last boundary to the line end, or the whole line where it has no boundary, that hold an
// activation.
type LineSpans struct {
	Kept, Rejected         []Bound
	KeptEdge, RejectedEdge uint8
	Dropped                int64
}

// Sequential is the definition of the result, one sample after the other: what every other path is tested against.
// line holds the classes of one line (values over 2 count as other); bounds are inclusive positions in it.
//
// Two consecutive boundaries with at least one sample strictly between are kept if one of those is an activation,
// and rejected if not (listed only if rejected is set). Under EdgesKeep virtual boundaries stand at -1 and
// len(line); bounds are clipped to the line.
func Sequential(line []Class, edges Edges, rejected bool) (s LineSpans) {
	last, armed, active := -1, edges == EdgesKeep, false
	boundary := func(i int) {
		switch {
		case !armed && active:
			s.Dropped++
		case !armed || i-last < 2:
		case active:
			s.Kept, s.KeptEdge = appendClipped(s.Kept, s.KeptEdge, last, i, len(line))
		case rejected:
			s.Rejected, s.RejectedEdge = appendClipped(s.Rejected, s.RejectedEdge, last, i, len(line))
		}
		last, armed, active = i, true, false
	}
	for i, c := range line {
		switch c {
		case Boundary:
			boundary(i)
		case Activation:
			active = true
		}
	}
	if edges == EdgesKeep {
		boundary(len(line))
	} else if active {
		s.Dropped++
	}
	return s
}

// appendClipped appends the span between boundaries at start and end of a line of width samples, either of which
// may be virtual, and notes which were.
func appendClipped(to []Bound, edge uint8, start, end, width int) ([]Bound, uint8) {
	if start < 0 {
		start, edge = 0, edge|EdgeLeft
	}
	if end >= width {
		end, edge = width-1, edge|EdgeRight
	}
	return append(to, Bound{uint32(start), uint32(end)}), edge
}

// SequentialBand is Sequential over a band: classes holds lines*width classes, line after line. The result is in
// fresh memory; without o.Rejected the rejected spans are empty, with First and Edge all zero.
func SequentialBand(classes []Class, lines, width int, o Options) *Result {
	r := new(Result)
	resetResult(r, lines)
	for l := range lines {
		s := Sequential(classes[l*width:(l+1)*width], o.Edges, o.Rejected)
		r.Kept.Bounds = append(r.Kept.Bounds, s.Kept...)
		r.Rejected.Bounds = append(r.Rejected.Bounds, s.Rejected...)
		r.Kept.First[l+1] = int64(len(r.Kept.Bounds))
		r.Rejected.First[l+1] = int64(len(r.Rejected.Bounds))
		r.Kept.Edge[l], r.Rejected.Edge[l] = s.KeptEdge, s.RejectedEdge
		r.DroppedAtEdges += s.Dropped
	}
	return r
}
