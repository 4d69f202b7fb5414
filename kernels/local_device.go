package kernels

import (
	"fmt"

	"segscan/segment"
)

// This file is what an engine needs to work out local thresholds elsewhere, to the same bits.

// LocalView says what windows see of a page around the body of a band. Lines and samples count from the body's first:
// the page has lines Top to Bottom-1, and samples Left to Right-1 are held, which is all that windows see. Beyond the
// page's border they see it reflected, about the border sample (Edge 0) or about the border itself (Edge 1).
type LocalView struct {
	HalfLines, HalfSamples int // a window reaches to either side
	Edge                   int
	Top, Bottom            int64
	Left, Right            int
}

// View gives the view of a band with samples, or the error of Classify where the band does not hold it.
func (c *Local) View(b *segment.Band) (LocalView, error) {
	v, err := c.view(b)
	if err != nil {
		return LocalView{}, fmt.Errorf("local threshold: %w", err)
	}
	return LocalView{HalfLines: v.rl, HalfSamples: v.rs, Edge: v.edge, Top: -b.Line0, Bottom: v.lines - b.Line0,
		Left: v.c0 - v.rs, Right: v.c1 - v.rs}, nil
}

// Decay is the table of exp(-i/DecaySteps) that LocalPhansalkar looks values up in.
func (c *Local) Decay() []float64 { return decayTable(c.Q) }

// DecaySteps is how many entries of Decay lie between two whole numbers.
const DecaySteps = decaySteps

// GaussianWeights are those of LocalGaussian along one axis, of distances 0 to half: whole numbers.
func GaussianWeights(half int) []float64 { return gaussWeights(half) }
