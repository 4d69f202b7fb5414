package kernels

import (
	"fmt"

	"segscan/segment"
)

// LocalRule is how a local kernel finds the threshold of a sample from the window around it.
type LocalRule uint8

// The rules. m is the mean of the window, s its standard deviation (divided by the number of samples, not by one
// less), min and max are its extremes.
const (
	// LocalMean: T = m - offset (Wellner, Rank Xerox EPC-1993-110, 1993; Bradley and Roth, J. Graph. Tools 12(2), 2007).
	LocalMean LocalRule = iota
	// LocalGaussian: T = g - offset, g the mean weighted by a Gaussian whose deviation is a sixth of the window less one
	// (Gaussian-weighted adaptive threshold as of OpenCV, after Wellner, Rank Xerox EPC-1993-110, 1993).
	LocalGaussian
	// LocalNiblack: T = m - k s (Niblack, An Introduction to Digital Image Processing, Prentice Hall, 1986).
	LocalNiblack
	// LocalSauvola: T = m (1 + k (s/r - 1)) (Sauvola and Pietikäinen, Pattern Recognit. 33(2), 2000).
	LocalSauvola
	// LocalWolf: T = m + k (s/S - 1) (m - M), S the largest s and M the least sample of the page (Wolf, Jolion and
	// Chassaing, Int. Conf. Pattern Recognit. vol. 2, 2002).
	LocalWolf
	// LocalPhansalkar: T = m (1 + p exp(-q m) + k (s/r - 1)), samples scaled to 0..1 (Phansalkar, More, Sabale and Joshi,
	// Int. Conf. Commun. Signal Process., 2011).
	LocalPhansalkar
	// LocalMidrange: T = (min + max)/2 (contrast toggling: Soille, Morphological Image Analysis, Springer, 2004).
	LocalMidrange
	// LocalBernsen: the same where max - min >= contrast, else one class by the side of the centre, activation where T
	// lies on it (Bernsen, Proc. 8th Int. Conf. Pattern Recognit., 1986; flat windows as in Sezgin and Sankur, J. Electron.
	// Imaging 13(1), 2004).
	LocalBernsen
	// LocalMedian: T = median - offset, the median of n samples being the one of rank (n-1)/2 from the least, which has
	// rank 0 (Huang, Yang and Tang, IEEE Trans. Acoust. Speech Signal Process. 27(1), 1979; Perreault and Hébert, IEEE Trans.
	// Image Process. 16(9), 2007).
	LocalMedian
)

// Local compares each sample v with a threshold T of its own, found in the window of the page around it: boundary
// v <= T, activation v > T + Margin. It implements segment.Classifier.
//
// The window is centred on the sample and keeps its place under every axis: WindowX samples along x, WindowY along y,
// odd, at most MaxLocalWindow and at most the page. At the page's border it is reflected, about the border sample
// (c b | a b c) or, for LocalMean, LocalGaussian and LocalMedian, about the border itself (b a | a b c). Samples beyond
// a region of interest count as they lie in the page.
//
// For integers, sums are exact. For f32, NaN and infinities take no part in a window's mean, deviation, extremes or
// median (which is the lower one in the middle where they leave an even number); a window without any other sample has
// no threshold, and its sample is other. LocalMedian compares float64(v) <= T with T = float64(median) - Offset rounded
// once, and float64(v) > T + Margin with that sum rounded once, on samples of every type. Sums there are float64, added in an order
// that depends on the place in the page alone: blocks of WindowY lines, and of WindowX samples, counted from half a
// window before the page's first, each added from the side that the window covers; so no band, tile, worker or region
// changes a result.
type Local struct {
	Rule             LocalRule
	WindowX, WindowY int
	K, R             float64 // R in sample units; of LocalWolf, S
	P, Q             float64 // of LocalPhansalkar
	Offset, Margin   float64 // sample units, Margin >= 0
	Min, Max         float64 // the range that LocalPhansalkar scales to 0..1; Min of LocalWolf is M
	Contrast, Centre float64 // of LocalBernsen, sample units
	Swap             bool    // exchange the two classes
	NaN              segment.Class

	most *float64 // set: find the largest deviation, and classify nothing
	ask  *asked   // set: fill that in too
}

// MaxLocalWindow is the largest side of a window.
const MaxLocalWindow = 1023

// Needs is the halo for either axis: windows do not turn with it, so the longer side counts both ways.
func (c *Local) Needs() segment.Needs {
	r := max(c.WindowX, c.WindowY) / 2
	return segment.Needs{HaloLines: r, HaloSamples: r}
}

// Classify implements segment.Classifier. It fails where the band holds less around its body than Needs says and the
// page goes on there, and where the page is smaller than the window.
func (c *Local) Classify(b segment.Band, out *segment.Masks) error {
	out.Resize(b.Lines, b.Samples)
	if b.Lines == 0 || b.Samples == 0 {
		return nil
	}
	v, err := c.view(&b)
	if err != nil {
		return fmt.Errorf("local threshold: %w", err)
	}
	switch {
	case c.Rule == LocalMidrange || c.Rule == LocalBernsen:
		c.extremes(v, out)
	case c.Rule == LocalGaussian:
		c.gaussian(v, out)
	case c.Rule == LocalMedian:
		switch {
		case b.V.U8 != nil:
			c.medianU8(v, out)
		case b.V.U16 != nil:
			medianWide(c, v, b.V.U16, out)
		default:
			medianWide(c, v, b.V.F32, out)
		}
	case b.V.U8 != nil:
		c.sumsU8(v, out)
	case b.V.U16 != nil:
		sumsWide(c, v, b.V.U16, out)
	default:
		c.sumsF32(v, out)
	}
	return nil
}

// sides gives the window's extent over lines and along samples.
func (c *Local) sides(a segment.Axis) (lines, samples int) {
	if a == segment.Cols {
		return c.WindowX, c.WindowY
	}
	return c.WindowY, c.WindowX
}

// repeats tells whether the border sample is seen twice, as the mirror lies beyond it.
func (c *Local) repeats() bool {
	return c.Rule == LocalMean || c.Rule == LocalGaussian || c.Rule == LocalMedian
}

// area is the number of samples in a window.
func (c *Local) area() int { return c.WindowX * c.WindowY }

// masksOf gives the masks of line l that v <= T and v > T + Margin go to.
func (c *Local) masksOf(out *segment.Masks, l int) (le, gt []uint64) {
	b, a := out.Line(l)
	if c.Swap {
		return a, b
	}
	return b, a
}
