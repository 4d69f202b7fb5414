package kernels

import (
	"fmt"
	"strconv"

	"segscan/segment"
)

// sayMissing fills what is said of a page where nothing is found: T comes from the surroundings of a sample, so flat
// ground is a class.
func (s *local) sayMissing(r *Report, c *Local, p *segment.PageInfo) {
	above := ""
	if c.Margin != 0 {
		above = " + margin=" + formatNumber(c.Margin)
	}
	missing := func(high bool, class string) string {
		side, cause, remedy := "at or below the T", "", ""
		if high {
			side = "above the T" + above
		}
		if c.Offset != 0 {
			remedy += "; try another offset than " + formatNumber(c.Offset)
		}
		// The smaller r, the farther k moves T up or, if it is negative, down.
		if small := s.smallR(c, p); small != "" && c.K != 0 && high == (c.K > 0) {
			cause = small + ", "
			remedy += "; try r=50%, which is half the range"
		}
		if high && c.Margin != 0 {
			remedy += "; try a smaller margin"
		}
		return fmt.Sprintf("kernel %s: no sample lies %s of its window, as where %severy sample has the same value or none is finite; so none is %s%s",
			s.name, side, cause, class, remedy)
	}
	r.Missing.Boundary, r.Missing.Activation = missing(c.Swap, "a boundary"), missing(!c.Swap, "an activation")
}

// smallR says that a given r may be too small for the page, or is empty. An r in sample units is suspect where the range
// is not known: papers and other programs scale samples to 0..1, where half the range is r=0.5.
func (s *local) smallR(c *Local, p *segment.PageInfo) string {
	const little = 0.1 // of the range; deviations reach half of it
	switch width := p.Max - p.Min; {
	case c.Rule != LocalSauvola && c.Rule != LocalPhansalkar || s.r == defaultR():
		return ""
	case hasRange(p) && c.R < little*width:
		return fmt.Sprintf("r=%s is too small (%s%% of the samples' range %s..%s)",
			s.r, strconv.FormatFloat(100*c.R/width, 'g', 2, 64), formatNumber(p.Min), formatNumber(p.Max))
	case !hasRange(p) && s.r.per == 0:
		return fmt.Sprintf("r=%s, in sample units, is too small for the samples' range", s.r)
	}
	return ""
}
