package kernels

import (
	"fmt"
	"math"
	"strings"

	"segscan/segment"
)

// check finds ranges that leave nothing for activations, whatever the page.
func (s *colourSpec) check() error {
	const apart = "keep the ranges apart, or leave boundary out: it is then all that is no activation"
	switch {
	case s.activation == nil && (&colourRanges{space: s.space}).inside(s.boundary, false):
		return usagef("narrow it, or give activation a range", "kernel color: boundary=%s holds every colour, so nothing is left for activations", s.boundary)
	case s.activation == nil:
		return nil
	}
	if hint := s.unreachable(s.activation); hint != "" {
		return usagef(hint, "kernel color: no colour is in activation=%s", s.activation)
	}
	if s.boundary != nil && s.activation.inside(s.boundary, false) {
		return usagef(apart, "kernel color: activation=%s lies inside boundary=%s, and what is in both is a boundary, so nothing is left for activations",
			s.activation, s.boundary)
	}
	return nil
}

// inside tells whether all that is in r is in o. Channels of 0..1 go beyond that where floats do, unless bounded. Bounds of
// different units are not compared.
func (r *colourRanges) inside(o *colourRanges, bounded bool) bool {
	for i := range r.of {
		if !r.of[i].inside(o.of[i], &r.space.channels[i], bounded || r.space.name == "lab") {
			return false
		}
	}
	return true
}

func (r colourRange) inside(o colourRange, c *colourChannel, bounded bool) bool {
	if c.circle {
		whole := func(r colourRange) bool { return !r.asked || r.from.value == 0 && r.to.value == 360 }
		if whole(o) || whole(r) {
			return whole(o)
		}
		degrees := func(v float64) float64 { return math.Mod(v-o.from.value+720, 360) } // from where o begins
		from, to := degrees(r.from.value), degrees(r.to.value)
		return from <= to && to <= degrees(o.to.value)
	}
	least, most := math.Inf(-1), math.Inf(1)
	if bounded {
		least, most = c.least, c.most
	}
	end := func(own, other colourBound, open float64) (a, b float64, comparable bool) {
		a, b = open, open
		if own.given {
			a = own.on(c)
		}
		if other.given {
			b = other.on(c)
		}
		return a, b, !own.given || !other.given || c.most == 1 || own.share == other.share
	}
	a, b, ok := end(r.from, o.from, least)
	c1 := ok && a >= b
	a, b, ok = end(r.to, o.to, most)
	return c1 && ok && a <= b
}

// on is the bound in the units of a channel, or in percent of what only a page tells.
func (b colourBound) on(c *colourChannel) float64 {
	if c.most == 1 {
		return b.fraction()
	}
	return b.value
}

// unreachable gives a remedy if no colour of sRGB is in ranges of hsv or lab, for certain; "" else.
func (s *colourSpec) unreachable(r *colourRanges) string {
	side := s.side(r)
	switch s.space.name {
	case "hsv":
		black := r.of[2].to.given && r.of[2].to.fraction() <= 0
		gray := black || r.of[1].to.given && r.of[1].to.fraction() <= 0
		switch {
		case gray && !side.box[0].holds(0):
			return "gray and black have hue 0; leave h out"
		case black && !side.box[1].holds(0):
			return "black has saturation 0; leave s out"
		}
	case "lab":
		if rule := (&labRule{1, 1, colourSide{rest: true}, side, s.tables.guesses()}); noActivation(rule) {
			return s.reaches(r)
		}
	}
	return ""
}

// noActivation tells whether a rule certainly calls no colour from black to white, which is 1, an activation. It splits
// what cannot be told as a whole, as often as most allows.
func noActivation(rule colourRule) bool {
	const most = 1 << 12
	type cell struct{ least, most [3]float32 }
	open := []cell{{most: [3]float32{1, 1, 1}}}
	for asked := 0; len(open) > 0; asked++ {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		switch rule.uniform(at.least, at.most) {
		case segment.Activation:
			return false
		case segment.Boundary, segment.Other:
			continue
		}
		var mid [3]float32
		for i := range mid {
			mid[i] = (at.least[i] + at.most[i]) / 2
		}
		if asked > most || rule.class(float64(mid[0]), float64(mid[1]), float64(mid[2])) == segment.Activation {
			return false
		}
		for k := range 8 {
			part := at
			for i := range mid {
				if k>>i&1 == 0 {
					part.most[i] = mid[i]
				} else {
					part.least[i] = mid[i]
				}
			}
			open = append(open, part)
		}
	}
	return true
}

// reaches says how far each channel of lab goes among the colours that are in the ranges of the others.
func (s *colourSpec) reaches(r *colourRanges) string {
	side := s.side(r)
	var parts []string
	there := ""
	for i, c := range s.space.channels {
		if !r.of[i].asked {
			continue
		}
		if len(r.asked()) > 1 {
			there = " with the other ranges as they are"
		}
		others := side
		others.box[i].asked = false
		least, most := math.Inf(1), math.Inf(-1)
		s.grid(func(v [3]float32) {
			if others.holds(v) {
				least, most = min(least, float64(v[i])), max(most, float64(v[i]))
			}
		})
		if least <= most {
			parts = append(parts, fmt.Sprintf("%s goes from about %.0f to %.0f", c.name, least, most))
		}
	}
	switch len(parts) {
	case 0:
		return "in sRGB l goes from 0 to 100, a from about -86 to 98, b from about -108 to 94, but not each with each"
	case 1:
		return "in sRGB " + parts[0] + there
	}
	return "in sRGB, with the other ranges as they are, " + strings.Join(parts, ", or ")
}

// asked are the channels that have a range.
func (r *colourRanges) asked() (list []int) {
	for i, c := range r.of {
		if c.asked {
			list = append(list, i)
		}
	}
	return list
}

// holds tells whether a box holds the channels of a colour.
func (s *colourSide) holds(v [3]float32) bool {
	return s.box[0].holds(v[0]) && s.box[1].holds(v[1]) && s.box[2].holds(v[2])
}

// gridSteps is the number of colours along each channel that stand for all.
const gridSteps = 24

// grid calls fn with the channels in the spec's space of colours from black to white.
func (s *colourSpec) grid(fn func(v [3]float32)) {
	const white = gridSteps - 1
	for r := range gridSteps {
		for g := range gridSteps {
			for b := range gridSteps {
				x, y, z := float64(r), float64(g), float64(b)
				if s.space.name == "lab" {
					c := labOf(x/white, y/white, z/white)
					fn([3]float32{float32(c.l), float32(c.a), float32(c.b)})
					continue
				}
				h, sat, v := hsvOf(x, y, z, white)
				fn([3]float32{h, sat, v})
			}
		}
	}
}
