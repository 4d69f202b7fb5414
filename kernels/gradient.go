package kernels

import (
	"fmt"
	"math"

	"segscan/segment"
)

// Gradient puts boundaries where samples change fastest: where the absolute derivative along the line is at least Edge
// and a local maximum, that is, more than at the sample before and at least that at the sample after, so that of equal
// ones the first counts. Samples of at least Hi are activations, where they are no boundary. It implements
// segment.Classifier.
//
// The derivative is that of a Gaussian of deviation Sigma (Marr and Hildreth, Proc. R. Soc. Lond. B 207, 1980; Canny,
// IEEE Trans. Pattern Anal. Mach. Intell. 8(6), 1986), cut off at four deviations and scaled so that a ramp of one sample
// unit a pixel has the derivative 1. Lines are continued by their mirror image (c b a | a b c) beyond the page; a sample
// next to the page's border is compared with its one neighbour. Pairs of samples at equal distance of which one is not
// finite take no part. Sums are of float64 in a fixed order.
type Gradient struct {
	Sigma float64 // samples, 0.25 to MaxSigma
	Edge  float64 // sample units a pixel, more than 0; +Inf for no boundary
	Hi    float64 // sample units, in the sample's own type; +Inf for no activation
	Swap  bool    // exchange the two classes
	NaN   segment.Class
}

// Needs implements segment.Classifier: the derivative of the neighbours is seen too.
func (c *Gradient) Needs() segment.Needs {
	return segment.Needs{HaloSamples: gaussRadius(c.Sigma) + 1}
}

// gradientPiece is how many samples of a line are worked on at a time.
const gradientPiece = 1 << 12

// Classify implements segment.Classifier. It fails where the band holds less around its body than Needs says and the
// page goes on there.
func (c *Gradient) Classify(b segment.Band, out *segment.Masks) error {
	out.Resize(b.Lines, b.Samples)
	if b.Lines == 0 || b.Samples == 0 {
		return nil
	}
	w, err := c.slopes(&b, min(gradientPiece, b.Samples))
	if err != nil {
		return err
	}
	for l := range b.Lines {
		edges, high := out.Line(l)
		for s := 0; s < b.Samples; s += gradientPiece {
			n := min(gradientPiece, b.Samples-s)
			x := w.run(b.Line0+int64(l), b.Sample0+int64(s), n)
			c.classify(x, w.slope[:n+2], edges[s/64:], high[s/64:])
		}
	}
	return nil
}

// classify sets the bits of samples x by their absolute derivatives, which begin with that of the sample before.
func (c *Gradient) classify(x []float32, slope []float64, boundary, activation []uint64) {
	for i := 0; i < len(x); i += 64 {
		v := x[i:min(i+64, len(x))]
		d := slope[i:][:len(v)+2]
		var edge, high, none uint64
		for j, y := range v {
			edge = edge>>1 | (bit(d[j+1] >= c.Edge)&bit(d[j+1] > d[j])&bit(d[j+1] >= d[j+2]))<<63
			high = high>>1 | bit(float64(y) >= c.Hi)<<63
			none = none>>1 | bit(y != y)<<63
		}
		shift := 64 - len(v)
		edge, high, none = edge>>shift, high>>shift, none>>shift
		high &^= edge
		if c.Swap {
			edge, high = high, edge
		}
		edge, high = edge&^none, high&^none
		switch c.NaN {
		case segment.Boundary:
			edge |= none
		case segment.Activation:
			high |= none
		}
		boundary[i/64], activation[i/64] = edge, high
	}
}

// slopeWork finds absolute derivatives of pieces of lines.
type slopeWork struct {
	g      *filterGeometry
	w      []float64 // see weights
	scale  float64
	source []float32
	x      []float64
	slope  []float64
}

// weights are those of pairs at distances 1 and more, and what a ramp of one unit a pixel comes to.
func (c *Gradient) weights() (w []float64, scale float64) {
	w = decays(c.Sigma)[1:]
	for d := range w {
		w[d] = float64(w[d] * float64(d+1))
		scale += float64(w[d] * float64(2*(d+1)))
	}
	return w, scale
}

// steepest is the derivative of a step of one sample unit where it is greatest: no finite samples that differ by no more
// have a greater one.
func (c *Gradient) steepest() float64 {
	weights, scale := c.weights()
	sum := 0.
	for _, w := range weights {
		sum += w
	}
	return sum / scale
}

// slopes prepares for pieces of n samples of a band.
func (c *Gradient) slopes(b *segment.Band, n int) (*slopeWork, error) {
	g, err := newGeometry(b, c.Needs())
	if err != nil {
		return nil, fmt.Errorf("gradient: %w", err)
	}
	w := &slopeWork{g: g}
	w.w, w.scale = c.weights()
	reach := len(w.w) + 1
	w.source, w.x = make([]float32, n+2*reach), make([]float64, n+2*reach)
	w.slope = make([]float64, n+2)
	return w, nil
}

// run sets w.slope to the absolute derivatives at n samples of a line of the page from sample s on and at one more each
// side, -1 where that lies beyond the page. It returns the samples themselves; both are valid until the next call.
func (w *slopeWork) run(line, s int64, n int) []float32 {
	r := len(w.w)
	src := w.source[:n+2*r+2]
	w.g.fetch(src, line, s-int64(r)-1)
	x := w.x[:len(src)]
	var bad uint64
	for i, v := range src {
		x[i] = float64(v)
		bad |= bit(v-v != 0)
	}
	slope := w.slope[:n+2]
	if bad == 0 {
		w.whole(slope, x)
	} else {
		w.gaps(slope, x)
	}
	if s == 0 {
		slope[0] = -1
	}
	if s+int64(n) == w.g.samples {
		slope[n+1] = -1
	}
	return src[r+1:][:n]
}

// whole is for samples all of which are finite. Four sums grow at once, so that none waits for the one before it.
func (w *slopeWork) whole(slope, x []float64) {
	r, i := len(w.w), 0
	for ; i+4 <= len(slope); i += 4 {
		var s0, s1, s2, s3 float64
		for d, k := range w.w {
			a, b := (*[4]float64)(x[i+r-1-d:]), (*[4]float64)(x[i+r+1+d:])
			s0 += float64(k * (b[0] - a[0]))
			s1 += float64(k * (b[1] - a[1]))
			s2 += float64(k * (b[2] - a[2]))
			s3 += float64(k * (b[3] - a[3]))
		}
		to := (*[4]float64)(slope[i:])
		to[0], to[1], to[2], to[3] = math.Abs(s0/w.scale), math.Abs(s1/w.scale), math.Abs(s2/w.scale), math.Abs(s3/w.scale)
	}
	w.gaps(slope[i:], x[i:])
}

// gaps is for any samples; where all are finite it is the same to the bit.
func (w *slopeWork) gaps(slope, x []float64) {
	r := len(w.w)
	for i := range slope {
		var sum, scale float64
		for d, k := range w.w {
			a, b := x[i+r-1-d], x[i+r+1+d]
			if a-a != 0 || b-b != 0 {
				continue
			}
			sum += float64(k * (b - a))
			scale += float64(k * float64(2*(d+1)))
		}
		if slope[i] = 0; scale > 0 {
			slope[i] = math.Abs(sum / scale)
		}
	}
}

// peaks gives a Crossing that takes the derivative to be greatest at the top of the parabola through that of a boundary
// and its neighbours; NaN where there is but one.
func (c *Gradient) peaks(b *segment.Band) (Crossing, error) {
	w, err := c.slopes(b, 1)
	if err != nil {
		return nil, err
	}
	return func(l, s, _ int) float64 {
		x := w.run(b.Line0+int64(l), b.Sample0+int64(s), 1)
		before, here, after := w.slope[0], w.slope[1], w.slope[2]
		if x[0] != x[0] || before < 0 || after < 0 || here < c.Edge || here <= before || here < after {
			return math.NaN()
		}
		return float64(s) + (before-after)/(2*(before-here+after-here))
	}, nil
}
