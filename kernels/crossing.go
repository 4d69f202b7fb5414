package kernels

import (
	"context"
	"fmt"
	"math"

	"segscan/segment"
)

// Crossing tells where between samples a boundary lies: of boundary sample s of body line l, whose neighbour towards the
// inside of its span is s+side (side 1 or -1), in samples from the body's first. It is NaN where samples do not tell. It is
// not safe for concurrent use.
type Crossing func(l, s, side int) float64

// HasCrossings tells whether a kernel can say where between samples boundaries lie: one that compares samples with
// thresholds of the page, of the line or of their own, or looks for the greatest derivative.
func HasCrossings(s Spec) bool {
	if f, ok := s.(interface{ unfiltered() Spec }); ok {
		s = f.unfiltered()
	}
	switch s.(type) {
	case *global, *gradientSpec, *local, wolf:
		return true
	}
	return false
}

// Crossings gives that of a band as the kernel sees it, after its filters: of the ends of spans, which lie in the band, and
// of no other sample for sure. Up to workers goroutines look for it (0: as many as may run).
//
// With thresholds it is where the straight line from the boundary sample to its neighbour meets the boundary threshold as
// compared: Lo, or Hi where the classes are exchanged. A local kernel has a threshold T for each sample: it is where the
// straight line from v - T of the boundary sample to v - T of its neighbour meets 0; v - (T + margin) where the classes
// are exchanged. There is none where either sample is not finite or, as those in windows that LocalBernsen calls flat,
// has no threshold, or where the two do not lie on both sides, as with a boundary that is one for being NaN.
//
// It fails for a classifier without thresholds or derivatives, where the band holds less around its body than Needs says and
// the page goes on there, and with the error of ctx where that ends.
func Crossings(ctx context.Context, workers int, c segment.Classifier, b *segment.Band, spans ...*segment.Spans) (Crossing, error) {
	switch c := c.(type) {
	case segment.Thresholds:
		return thresholdCrossings(c, b), nil
	case *Gradient:
		return c.peaks(b)
	case *Local:
		a, err := c.ends(ctx, workers, b, spans)
		if err != nil {
			return nil, err
		}
		return a.crossing, nil
	}
	return nil, fmt.Errorf("%T has no threshold that samples could cross", c)
}

func thresholdCrossings(c segment.Thresholds, b *segment.Band) Crossing {
	at, body := c.Lo, b.Body()
	if c.Swap {
		at = c.Hi
	}
	return func(l, s, side int) float64 {
		if len(at) == 0 || s+side < 0 || s+side >= body.Samples {
			return math.NaN()
		}
		t := at[0]
		if len(at) > 1 {
			t = at[b.Line0+int64(l)]
		}
		from, to := valueAt(&body, l, s), valueAt(&body, l, s+side)
		part := (t - from) / (to - from)
		if !(part >= 0 && part <= 1) || math.IsInf(to-from, 0) {
			return math.NaN()
		}
		return float64(s) + float64(float64(side)*part)
	}
}

// valueAt is a sample of any type.
func valueAt(p *segment.Plane, l, s int) float64 {
	switch i := l*p.Stride + s; {
	case p.U8 != nil:
		return float64(p.U8[i])
	case p.U16 != nil:
		return float64(p.U16[i])
	default:
		return float64(p.F32[i])
	}
}
