package viz

import (
	"math"

	"segscan/segment"
)

// Stretch maps samples linearly to gray: Lo and below is black, Hi and above is white. Lo < Hi.
type Stretch struct{ Lo, Hi float64 }

// stretchTail is the share of samples left out at each end of the histogram, so that a few hot pixels do not turn
// the rest of a 16-bit or float picture black.
const stretchTail = 0.005

// StretchOf chooses the stretch of a page. 8-bit samples are shown as they are; 16-bit and float samples between
// their 0.5th and 99.5th percentile. h may be nil for 8-bit pages only.
func StretchOf(p *segment.PageInfo, h *segment.Histogram) Stretch {
	if p.Type == segment.U8 {
		return Stretch{0, 255}
	}
	if h == nil || h.N == 0 {
		return Stretch{0, 1}
	}
	s := Stretch{math.NaN(), math.NaN()}
	low, high := stretchTail*float64(h.N), (1-stretchTail)*float64(h.N)
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
		s = Stretch{h.Min - 1, h.Min + 1}
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
