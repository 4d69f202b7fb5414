package viz

import (
	"math"

	"segscan/segment"
)

// Stretch maps samples linearly to gray: Lo and below is black, Hi and above is white. Lo < Hi.
type Stretch struct{ Lo, Hi float64 }

// StretchRule says how the stretch of a page is chosen, the value of --stretch.
type StretchRule struct {
	Kind StretchKind
	Tail float64 // of StretchTails: the share left out at each end, 0 to below 0.5
	Fix  Stretch // of StretchFixed
}

// StretchKind is a kind of StretchRule.
type StretchKind uint8

// StretchAuto shows 8-bit samples as they are and leaves out DefaultTail at each end of others. StretchTails leaves
// out Tail, StretchFixed takes Fix, StretchNone the nominal range of the samples (of floats: their extremes).
const (
	StretchAuto StretchKind = iota
	StretchTails
	StretchFixed
	StretchNone
)

// DefaultTail is the share of samples left out at each end of the histogram, so that a few hot pixels do not turn
// the rest of a 16-bit or float picture black.
const DefaultTail = 0.005

// NeedsHistogram tells whether Of needs the histogram of the page's samples.
func (r StretchRule) NeedsHistogram(t segment.SampleType) bool {
	switch r.Kind {
	case StretchFixed:
		return false
	case StretchNone:
		return t == segment.F32
	case StretchTails:
		return true
	}
	return t != segment.U8
}

// Of chooses the stretch of a page. h may be nil where NeedsHistogram says so. Pages without a finite sample, or
// with one value only, still get a stretch: 0 to 1, or one around that value.
func (r StretchRule) Of(p *segment.PageInfo, h *segment.Histogram) Stretch {
	tail := r.Tail
	switch r.Kind {
	case StretchFixed:
		return r.Fix
	case StretchNone:
		if p.Type != segment.F32 && p.Min < p.Max {
			return Stretch{p.Min, p.Max}
		}
		tail = 0
	case StretchAuto:
		if p.Type == segment.U8 && p.Min == 0 && p.Max > 0 && p.Max < 255 { // stored bits, not scaled
			return Stretch{0, p.Max}
		}
		if p.Type == segment.U8 {
			if p.Min < p.Max { // 0..255, or less of stored values of fewer bits
				return Stretch{p.Min, p.Max}
			}
			return Stretch{0, 255}
		}
		tail = DefaultTail
	}
	if h == nil || h.N == 0 {
		return Stretch{0, 1}
	}
	return tails(h, tail)
}

// tails leaves out a share of the samples at each end.
func tails(h *segment.Histogram, tail float64) Stretch {
	s := Stretch{math.NaN(), math.NaN()}
	low, high := tail*float64(h.N), (1-tail)*float64(h.N)
	var sum uint64
	for bin, c := range h.Bins {
		if c == 0 {
			continue
		}
		if math.IsNaN(s.Lo) && float64(sum+c) > low {
			s.Lo = binLow(h.Type, bin)
		}
		sum += c
		if float64(sum) >= high {
			s.Hi = binHigh(h.Type, bin)
			break
		}
	}
	// A bin of the float histogram is wider than its samples, so its edges may lie outside the data.
	s.Lo, s.Hi = max(s.Lo, h.Min), min(s.Hi, h.Max)
	if !(s.Lo < s.Hi) {
		s = Stretch{h.Min, h.Max}
	}
	if !(s.Lo < s.Hi) { // one value: mid gray
		d := max(1, math.Abs(h.Min)/2)
		s = Stretch{h.Min - d, h.Min + d}
	}
	return s
}

// level is v's share of the way from Lo to Hi, in 0..1; NaN is black.
func (s Stretch) level(v float64) float64 {
	f := (v - s.Lo) / (s.Hi - s.Lo)
	if !(f > 0) { // NaN too
		return 0
	}
	return min(f, 1)
}

func binLow(t segment.SampleType, bin int) float64 {
	if t == segment.F32 {
		return finite(segment.FloatFromKey(uint32(bin) << 16))
	}
	return float64(bin)
}

func binHigh(t segment.SampleType, bin int) float64 {
	if t == segment.F32 {
		return finite(segment.FloatFromKey(uint32(bin)<<16 | 0xffff))
	}
	return float64(bin)
}

// finite keeps the edges of the outermost bins, which reach into infinities and NaN, among numbers.
func finite(v float32) float64 {
	switch f := float64(v); {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return math.Copysign(math.MaxFloat32, f)
	default:
		return f
	}
}
