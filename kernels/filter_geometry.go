package kernels

import (
	"errors"
	"fmt"

	"segscan/segment"
)

// filterGeometry is where the samples of a band lie in the page, in lines and samples of it: those held, and those
// that can be filtered, l0 to l1-1 and s0 to s1-1.
type filterGeometry struct {
	in             *segment.Plane
	out            segment.Plane
	lines, samples int64 // of the page
	heldL0, heldL1 int64
	heldS0, heldS1 int64
	l0, l1, s0, s1 int64
}

// newGeometry is that of a band for what sees n around each sample. It fails where samples of the body cannot see so far.
func newGeometry(in *segment.Band, n segment.Needs) (*filterGeometry, error) {
	if in.Page == nil {
		return nil, errors.New("the band does not say what page it is of")
	}
	g := &filterGeometry{in: &in.V, lines: in.Page.Height, samples: in.Page.Width}
	if in.Axis == segment.Cols {
		g.lines, g.samples = g.samples, g.lines
	}
	g.heldL0, g.heldL1 = in.Line0-int64(in.Before.Lines), in.Line0+int64(in.Lines+in.After.Lines)
	g.heldS0, g.heldS1 = in.Sample0-int64(in.Before.Samples), in.Sample0+int64(in.Samples+in.After.Samples)
	if g.heldL0 < 0 || g.heldL1 > g.lines || g.heldS0 < 0 || g.heldS1 > g.samples {
		return nil, fmt.Errorf("lines %d to %d and samples %d to %d do not lie in a page of %d x %d",
			g.heldL0, g.heldL1-1, g.heldS0, g.heldS1-1, in.Page.Width, in.Page.Height)
	}
	g.l0, g.l1 = inner(g.heldL0, g.heldL1, g.lines, n.HaloLines)
	g.s0, g.s1 = inner(g.heldS0, g.heldS1, g.samples, n.HaloSamples)
	if g.l0 > in.Line0 || g.l1 < in.Line0+int64(in.Lines) || g.s0 > in.Sample0 || g.s1 < in.Sample0+int64(in.Samples) {
		return nil, fmt.Errorf("what sees %d lines and %d samples around it sees beyond a halo of %d and %d lines and %d and %d samples",
			n.HaloLines, n.HaloSamples, in.Before.Lines, in.After.Lines, in.Before.Samples, in.After.Samples)
	}
	return g, nil
}

// inner is what of the range held, of n in the page, has reach around it or the page's border.
func inner(from, to, n int64, reach int) (int64, int64) {
	if from > 0 {
		from += int64(reach)
	}
	if to < n {
		to -= int64(reach)
	}
	return from, to
}

// fold is the place, in a page of n, of what lies at i of its continuation by mirror images.
func fold(i, n int64) int64 {
	i %= 2 * n
	if i < 0 {
		i += 2 * n
	}
	if i >= n {
		i = 2*n - 1 - i
	}
	return i
}

// fetch copies samples of a line of the page, from sample s on, which may lie beyond the page's border.
func (g *filterGeometry) fetch(dst []float32, line, s int64) {
	at := int(line-g.heldL0) * g.in.Stride
	held := int(g.heldS1 - g.heldS0)
	// Samples [a, b) of dst are held as they are.
	a, b := int(max(0, g.heldS0-s)), int(min(int64(len(dst)), g.heldS1-s))
	from := at + int(s+int64(a)-g.heldS0)
	switch {
	case g.in.U8 != nil:
		toFloats(dst[a:b], g.in.U8[from:from+b-a])
		mirror(dst, a, b, s, g, g.in.U8[at:at+held])
	case g.in.U16 != nil:
		toFloats(dst[a:b], g.in.U16[from:from+b-a])
		mirror(dst, a, b, s, g, g.in.U16[at:at+held])
	default:
		copy(dst[a:b], g.in.F32[from:from+b-a])
		mirror(dst, a, b, s, g, g.in.F32[at:at+held])
	}
}

func toFloats[T sample](dst []float32, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float32(v)
	}
}

// mirror fills what lies outside [a, b), beyond the page's border.
func mirror[T sample](dst []float32, a, b int, s int64, g *filterGeometry, held []T) {
	for i := range a {
		dst[i] = float32(held[fold(s+int64(i), g.samples)-g.heldS0])
	}
	for i := b; i < len(dst); i++ {
		dst[i] = float32(held[fold(s+int64(i), g.samples)-g.heldS0])
	}
}
