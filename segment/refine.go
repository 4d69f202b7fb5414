package segment

// Refine joins and drops segments after the scan, in this order: MergeGap joins neighbouring segments of a line
// with next.Start - end <= MergeGap (0 joins those that share a boundary; negative: off); then MinLength and
// MaxLength on end-start+1 (0: off); then, after measurement, MinActivations on Stat.Activations (0: off).
type Refine struct {
	MergeGap             int64
	MinLength, MaxLength int64
	MinActivations       int64
}

// NoRefine leaves spans as they are.
var NoRefine = Refine{MergeGap: -1}

// Spans applies MergeGap, MinLength and MaxLength to s in place: what comes before measurement. It is for kept
// spans of whole lines; rejected spans are not refined. An edge bit stays only with a span that touches that
// virtual boundary and is still the first, or last, of its line.
func (r Refine) Spans(s *Spans) {
	if r.MergeGap < 0 && r.MinLength <= 0 && r.MaxLength <= 0 {
		return
	}
	s.rewrite(func(bounds []Bound, left, right bool) (n int, keptLeft, keptRight bool) {
		for i := 0; i < len(bounds); {
			joined, first := bounds[i], i
			for i++; i < len(bounds) && r.MergeGap >= 0 && int64(bounds[i].Start)-int64(joined.End) <= r.MergeGap; i++ {
				joined.End = bounds[i].End
			}
			length := int64(joined.End) - int64(joined.Start) + 1
			if length < r.MinLength || r.MaxLength > 0 && length > r.MaxLength {
				continue
			}
			keptLeft = keptLeft || left && first == 0
			keptRight = right && i == len(bounds)
			bounds[n] = joined
			n++
		}
		return n, keptLeft, keptRight
	})
}

// Activations applies MinActivations to s and its stats in place, and returns the stats that are left.
func (r Refine) Activations(s *Spans, stats []Stat) []Stat {
	if r.MinActivations <= 0 {
		return stats
	}
	read, write := 0, 0
	s.rewrite(func(bounds []Bound, left, right bool) (n int, keptLeft, keptRight bool) {
		for i, b := range bounds {
			if stats[read+i].Activations < r.MinActivations {
				continue
			}
			keptLeft = keptLeft || left && i == 0
			keptRight = right && i+1 == len(bounds)
			bounds[n] = b
			stats[write] = stats[read+i]
			n, write = n+1, write+1
		}
		read += len(bounds)
		return n, keptLeft, keptRight
	})
	return stats[:write]
}

// rewrite lets line shorten the bounds of each line of s in place; line is told whether the first and the last of
// them touch a virtual boundary, and says the same of those it keeps, which it leaves at the front.
func (s *Spans) rewrite(line func(bounds []Bound, left, right bool) (n int, keptLeft, keptRight bool)) {
	write, read := int64(0), int64(0)
	for l := range len(s.First) - 1 {
		next := s.First[l+1]
		bounds := s.Bounds[read:next]
		var edge uint8
		if l < len(s.Edge) {
			edge = s.Edge[l]
		}
		n, left, right := line(bounds, edge&EdgeLeft != 0, edge&EdgeRight != 0)
		copy(s.Bounds[write:], bounds[:n])
		if l < len(s.Edge) {
			s.Edge[l] = 0
			if left {
				s.Edge[l] |= EdgeLeft
			}
			if right {
				s.Edge[l] |= EdgeRight
			}
		}
		write += int64(n)
		s.First[l+1] = write
		read = next
	}
	s.Bounds = s.Bounds[:write]
}
