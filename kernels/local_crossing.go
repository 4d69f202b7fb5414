package kernels

import (
	"context"
	"math"
	"slices"

	"segscan/segment"
)

// asked holds, of some samples of a band, how far each lies above the threshold that parts boundaries from what is none:
// v - T, or v - (T + margin) where the classes are exchanged. They come from the very numbers that classification
// compares, so that signs say what classes do. It is set in a copy of Local, whose passes then fill it in; its lines may
// be shared out among workers.
type asked struct {
	c              *Local
	line0, sample0 int64 // of the page, the band's first
	first          []int // samples of body line l are at[first[l]:first[l+1]], rising
	at             []uint32
	above          []float64 // of each; NaN where it has no threshold
	height         int       // of windows, in lines
}

// ends fills in the ends of spans, and their neighbours inside. Thresholds are worked out again, in one pass over the lines
// that hold spans and those that lie close between: about what classification takes, and a little for each
// end, whatever the window. Medians of 16-bit and float samples take more: for every line, and every code that medians on it
// have, a pass over the samples of that code in the windows, of which there are about a 256th.
func (c *Local) ends(ctx context.Context, workers int, b *segment.Band, spans []*segment.Spans) (*asked, error) {
	a := askEnds(b, spans)
	if len(a.at) == 0 {
		return a, nil
	}
	height, width := c.sides(b.Axis)
	look := *c
	look.ask, a.c, a.height = a, &look, height
	parts := a.parts(max(256, 4*height))
	wide := stripWidth(b.Samples, max(1<<15, 8*width)) // the inside of very long lines is shared out too
	across := (b.Samples + wide - 1) / wide
	err := eachPart(ctx, workers, len(parts)*across, func() func(int) error {
		var masks segment.Masks
		return func(i int) error {
			part, s0 := parts[i/across], i%across*wide
			return look.Classify(piece(b, part[0], part[1], s0, min(s0+wide, b.Samples)), &masks)
		}
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// piece is a band of lines l0 to l1-1 and samples s0 to s1-1 of the body of b, and has the others about it.
func piece(b *segment.Band, l0, l1, s0, s1 int) segment.Band {
	p := *b
	p.Line0, p.Lines = b.Line0+int64(l0), l1-l0
	p.Before.Lines, p.After.Lines = b.Before.Lines+l0, b.After.Lines+b.Lines-l1
	p.Sample0, p.Samples = b.Sample0+int64(s0), s1-s0
	p.Before.Samples, p.After.Samples = b.Before.Samples+s0, b.After.Samples+b.Samples-s1
	return p
}

// askEnds asks for the ends of spans, and for their neighbours inside.
func askEnds(b *segment.Band, spans []*segment.Spans) *asked {
	most := 0
	for _, s := range spans {
		most += 4 * len(s.Bounds)
	}
	a := &asked{at: make([]uint32, 0, most), line0: b.Line0, sample0: b.Sample0, first: make([]int, b.Lines+1)}
	for l := range b.Lines {
		for _, s := range spans {
			if len(s.Bounds) == 0 { // as one without lines
				continue
			}
			for _, x := range s.Line(l) {
				for _, at := range [...]uint32{x.Start, x.Start + 1, x.End - 1, x.End} {
					if int64(at) < int64(b.Samples) { // what lies before the first is beyond the last
						a.at = append(a.at, at)
					}
				}
			}
		}
		line := a.at[a.first[l]:]
		slices.Sort(line)
		a.at = a.at[:a.first[l]+len(slices.Compact(line))]
		a.first[l+1] = len(a.at)
	}
	a.above = make([]float64, len(a.at))
	for i := range a.above {
		a.above[i] = math.NaN()
	}
	return a
}

// parts are runs of lines, of up to most, that hold all samples asked for. Lines without any are left out where they are
// more than a window, which is what it takes to begin again behind them.
func (a *asked) parts(most int) (parts [][2]int) {
	for l := range len(a.first) - 1 {
		if a.first[l] == a.first[l+1] {
			continue
		}
		if n := len(parts); n > 0 && l-parts[n-1][1] <= a.height && l < parts[n-1][0]+most {
			parts[n-1][1] = l + 1
		} else {
			parts = append(parts, [2]int{l, l + 1})
		}
	}
	return parts
}

// crossing is where the straight line through the two samples' distances from their thresholds meets 0.
func (a *asked) crossing(l, s, side int) float64 {
	from, to := a.of(l, s), a.of(l, s+side)
	part := from / (from - to)
	if !(part >= 0 && part <= 1) || math.IsInf(from-to, 0) {
		return math.NaN()
	}
	return float64(s) + float64(float64(side)*part)
}

func (a *asked) of(l, s int) float64 {
	lo, hi := a.first[l], a.first[l+1]
	if i, ok := slices.BinarySearch(a.at[lo:hi], uint32(s)); ok {
		return a.above[lo+i]
	}
	return math.NaN()
}

// each calls fn for what is asked of samples x0 to x0+n-1 of line l of a view: with the place of the answer, the sample,
// which counts from x0 on, and its value.
func (a *asked) each(v *localView, l, x0, n int, fn func(above *float64, x int, value float64)) {
	line := l + int(v.b.Line0-a.line0)
	from, held := int(v.sample-a.sample0)+x0, v.b.Before.Samples-int(v.b.Sample0-a.sample0)
	lo, hi := a.first[line], a.first[line+1]
	i, _ := slices.BinarySearch(a.at[lo:hi], uint32(from))
	for i += lo; i < hi && int(a.at[i]) < from+n; i++ {
		value := valueAt(&v.b.V, v.b.Before.Lines+l, held+int(a.at[i]))
		fn(&a.above[i], int(a.at[i])-from, value)
	}
}

// sums takes the thresholds of a piece of a line that begins with sample x0. counts are of each window's samples, where they
// are not all m.n.
func (a *asked) sums(v *localView, l, x0 int, m *moments, counts []float64) {
	if a == nil {
		return
	}
	a.each(v, l, x0, len(m.t), func(above *float64, x int, value float64) {
		n, t := m.n, m.t[x]
		if counts != nil {
			n = counts[x]
		}
		if a.c.Swap {
			t += float64(n * a.c.Margin)
		}
		*above = (float64(n*value) - t) / n
	})
}

// askExtremes takes the extremes of the windows of a line. Those that Bernsen calls flat have no threshold.
func askExtremes[T sample](v *localView, l int, low, high []T) {
	a := v.ask
	if a == nil {
		return
	}
	a.each(v, l, 0, v.n, func(above *float64, x int, value float64) {
		lo, hi := float64(low[x]), float64(high[x])
		if a.c.Rule == LocalBernsen && hi-lo < a.c.Contrast {
			return
		}
		twice := lo + hi
		if a.c.Swap {
			twice += 2 * a.c.Margin
		}
		*above = (value + value - twice) / 2
	})
}

// medians takes the medians of the windows of a line of 8-bit samples.
func (a *asked) medians(v *localView, l int, med []uint8) {
	if a == nil {
		return
	}
	a.each(v, l, 0, v.n, func(above *float64, x int, value float64) { *above = a.aboveMedian(value, float64(med[x])) })
}

func (a *asked) aboveMedian(value, median float64) float64 {
	t := float64(median - a.c.Offset)
	if a.c.Swap {
		t += a.c.Margin
	}
	return value - t
}
