package kernels

import (
	"fmt"
	"math"

	"segscan/segment"
)

// code makes the program of ranges of r, g and b, which compares samples with constants and nothing else. Bounds are
// rounded to the type of the samples, inwards for integers.
func (s *colourSpec) code(p *segment.PageInfo, white float64, o Options) (*Code, error) {
	c := &Code{NaN: o.NaN, Swap: o.Invert, page: p, channels: true}
	span := s.span(p, white)
	if s.shares() && math.IsNaN(span[1]) {
		return nil, fmt.Errorf("kernel color: float samples have no nominal range for N%%; give bounds in sample units, or what white is, as in white=1")
	}
	c.ints, c.intsErr = s.program(exprInputsOf(p, exprInt), span)
	if p.Type == segment.F32 { // a channel such as hue is of floats where the colours are not
		c.floats, c.floatErr = s.program(exprInputsOf(p, exprFloat), span)
	}
	switch {
	case c.floatErr != nil:
		return nil, c.floatErr
	case c.ints == nil && c.floats == nil:
		return nil, c.intsErr
	}
	return c, nil
}

func (s *colourSpec) program(in exprInputs, span [2]float64) (*Program, error) {
	g := newExprGraph(in)
	var of [2]int // boundary, activation
	for k, side := range []*colourRanges{s.boundary, s.activation} {
		if side == nil {
			continue
		}
		of[k] = g.constBool(true)
		for i, c := range side.of {
			id, err := rangeNode(g, SourceR+uint16(i), side.space.channels[i].name, c, span)
			if err != nil {
				return nil, fmt.Errorf("kernel color: %s=%s: %w", [2]string{"boundary", "activation"}[k], side, err)
			}
			of[k] = g.and(of[k], id)
		}
	}
	if s.boundary == nil {
		of[0] = g.not(of[1])
	}
	if s.activation == nil {
		of[1] = g.not(of[0])
	}
	return g.program(of[0], of[1]), nil
}

// rangeNode is the node of a channel in from..to.
func rangeNode(g *exprGraph, source uint16, name string, c colourRange, span [2]float64) (int, error) {
	from, to := c.from.units(span), c.to.units(span)
	both := c.from.given && c.to.given
	if g.in.colour == exprFloat {
		id, load := g.constBool(true), g.load(source)
		if c.from.given {
			id = g.compare(greaterEqual, exprFloat, load, g.constFloat(roundHi(segment.F32, from)))
		}
		if c.to.given {
			id = g.and(id, g.compare(lessEqual, exprFloat, load, g.constFloat(roundLo(segment.F32, to))))
		}
		if both && from > to {
			return 0, fmt.Errorf("%s from %s to %s holds no value; the lower bound comes first", name, formatNumber(from), formatNumber(to))
		}
		return id, nil
	}
	from, to = math.Ceil(from), math.Floor(to)
	if both && from > to {
		return 0, fmt.Errorf("%s:%s holds no whole number, as samples are; widen it", name, c)
	}
	// One that is less and one that is more make one test.
	id := g.constBool(true)
	if c.from.given {
		id = g.not(g.compareInt(less, int(source), clampInt(from)))
	}
	if c.to.given {
		id = g.and(id, g.not(g.compareInt(greater, int(source), clampInt(to))))
	}
	return id, nil
}

func clampInt(v float64) int64 { return int64(max(-2, min(v, maxPixels))) }

// units is the bound in sample units.
func (b colourBound) units(span [2]float64) float64 {
	if b.share {
		return span[0] + float64(b.value*(span[1]-span[0]))/100
	}
	return b.value
}

// outside warns of ranges that no sample of the page can be in.
func (s *colourSpec) outside(p *segment.PageInfo, o Options) []string {
	least, most := colourSpan(p)
	var w []string
	bound, act := "a boundary", "an activation"
	if o.Invert {
		bound, act = act, bound
	}
	for _, side := range []struct {
		key, what string
		r         *colourRanges
	}{{"boundary", bound, s.boundary}, {"activation", act, s.activation}} {
		if side.r == nil {
			continue
		}
		for i, c := range side.r.of {
			above := c.from.given && !c.from.share && c.from.value > most
			below := c.to.given && !c.to.share && c.to.value < least
			if above || below {
				w = append(w, fmt.Sprintf("kernel color: %s=%s: %s:%s lies outside of the samples' range %s..%s%sno sample is %s; use bounds within it", side.key, side.r,
					side.r.space.channels[i].name, c, formatNumber(least), formatNumber(most), warningEffect, side.what))
				break
			}
		}
	}
	return w
}
