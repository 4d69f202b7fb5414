package kernels

import (
	"fmt"
	"math"

	"segscan/segment"
)

// leftOver says what ranges leave to each class on a page: warnings, and one for the case that no sample turns out to be in
// what is left for activations.
func (s *colourSpec) leftOver(p *segment.PageInfo, white float64, o Options) (warnings []string, missing string) {
	act, bound := "an activation", "a boundary"
	if o.Invert {
		act, bound = bound, act
	}
	warn := func(format string, args ...any) {
		warnings = append(warnings, "kernel color: "+fmt.Sprintf(format, args...))
	}
	if s.noBoundary != "" {
		warn("no colour is in boundary=%s%sno sample is %s; %s", s.boundary, warningEffect, bound, s.noBoundary)
		return warnings, ""
	}
	span := s.span(p, white)
	bounded := span[0] >= 0 && span[1] <= white // no channel of hsv goes beyond 0..1
	a, b, all := s.activation.onPage(p, span), s.boundary.onPage(p, span), (&colourRanges{space: s.space}).onPage(p, span)
	switch {
	case a == nil:
		if all.inside(b, bounded) {
			warn("boundary=%s holds every colour of this page%sno sample is %s; narrow it, or give activation a range", s.boundary, warningEffect, act)
		}
		return warnings, ""
	case b == nil:
		if all.inside(a, bounded) {
			warn("activation=%s holds every colour%sno sample is %s; narrow it, or give boundary a range", s.activation, warningEffect, bound)
		}
		return warnings, ""
	}
	const apart = "; keep the ranges apart"
	taken := s.taken(a, b)
	switch {
	case a.inside(b, bounded):
		warn("activation=%s lies inside boundary=%s on this page, and what is in both is a boundary%sno sample is %s%s",
			s.activation, s.boundary, warningEffect, act, apart)
	case taken >= 0.98:
		warn("%s of the colours in activation=%s are in boundary=%s too, which wins%shardly any sample is %s%s",
			percentText(taken), s.activation, s.boundary, warningEffect, act, apart)
	case taken >= 0.1:
		missing = fmt.Sprintf("kernel color: no sample is %s; %s of the colours in activation=%s are in boundary=%s too, which wins%s",
			act, percentText(taken), s.activation, s.boundary, apart)
	}
	return warnings, missing
}

// percentText writes a share below 1; what is not all is not 100%.
func percentText(share float64) string {
	return formatNumber(min(math.Round(100*share), 99)) + "%"
}

// span is what N% of rgb is of, and where samples lie: NaN, NaN where that is not known.
func (s *colourSpec) span(p *segment.PageInfo, white float64) (span [2]float64) {
	if s.white.given && s.space.name == "rgb" {
		return [2]float64{0, white}
	}
	span[0], span[1] = colourSpan(p)
	return span
}

// onPage are ranges of rgb in sample units, cut to the samples' range where that is known; others stay as they are.
func (r *colourRanges) onPage(p *segment.PageInfo, span [2]float64) *colourRanges {
	if r == nil || r.space.name != "rgb" {
		return r
	}
	least, most := colourSpan(p)
	cut := *r
	for i, c := range r.of {
		from, to := math.Inf(-1), math.Inf(1)
		if c.from.given {
			from = c.from.units(span)
		}
		if c.to.given {
			to = c.to.units(span)
		}
		if !math.IsNaN(most) {
			from, to = max(from, least), min(to, most)
		}
		if p.Type != segment.F32 {
			from, to = math.Ceil(from), math.Floor(to)
		}
		cut.of[i] = colourRange{true, colourBound{true, from, false}, colourBound{true, to, false}}
	}
	return &cut
}

// taken is the share of the colours in a that are in b too; 0 where it is not known.
func (s *colourSpec) taken(a, b *colourRanges) float64 {
	if s.space.name != "rgb" {
		return s.tables.once(func() float64 {
			left, right := s.side(a), s.side(b)
			all, both := 0., 0.
			s.grid(func(v [3]float32) {
				if left.holds(v) {
					all++
					if right.holds(v) {
						both++
					}
				}
			})
			if all < 50 { // too few to tell
				return 0
			}
			return both / all
		})
	}
	share := 1.
	for i := range a.of {
		from, to := a.of[i].from.value, a.of[i].to.value
		if math.IsInf(to-from, 0) || to < from {
			return 0
		}
		both := min(to, b.of[i].to.value) - max(from, b.of[i].from.value) + 1
		share *= max(both, 0) / (to - from + 1)
	}
	return share
}
