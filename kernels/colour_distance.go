package kernels

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"segscan/segment"
)

// distanceSpec is a parsed distance kernel: an activation within near of a colour, a boundary from far on, or, without
// far, everywhere else.
type distanceSpec struct {
	to        [3]uint8
	near, far float64
	rest      bool
	metric    colourMetric
	white     colourWhite
	tables    colourTables
}

// maxDistance is more than any two colours are apart.
const maxDistance = 1000

// distanceKernel reads to=, near=, far=, metric= and white=.
func distanceKernel(a args) (Spec, error) {
	const example = "for example distance:to=#d62728,near=15,far=40"
	s := &distanceSpec{}
	for _, key := range []string{"to", "near"} {
		if _, ok := a.values[key]; !ok {
			return nil, usagef(example, "kernel distance: %s is missing", key)
		}
	}
	var ok bool
	if s.to, ok = parseHex(a.values["to"]); !ok {
		return nil, usagef("write red, green and blue as to=#rrggbb, two hexadecimal digits each", "kernel distance: to=%s is not a colour", a.values["to"])
	}
	var err error
	if s.near, err = a.number("near", 15, 0, maxDistance); err != nil {
		return nil, err
	}
	if _, ok := a.values["far"]; !ok {
		s.rest = true
	} else if s.far, err = a.number("far", 40, 0, maxDistance); err != nil {
		return nil, err
	} else if s.near >= s.far {
		return nil, usagef("leave far out to have a boundary everywhere beyond near", "kernel distance: near=%s must be below far=%s", formatNumber(s.near), formatNumber(s.far))
	}
	switch m := a.values["metric"]; {
	case m == "", strings.EqualFold(m, metric76.String()):
	case strings.EqualFold(m, metric2000.String()):
		s.metric = metric2000
	default:
		return nil, usagef(didYouMean(strings.ToLower(m), []string{"cie76", "ciede2000"}), "kernel distance: metric=%s is neither cie76 nor ciede2000", m)
	}
	return s, s.white.read(a)
}

// parseHex reads #rrggbb or #rgb, with or without #.
func parseHex(s string) (c [3]uint8, ok bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "#")
	v, err := strconv.ParseUint(s, 16, 32)
	switch {
	case err != nil || strings.HasPrefix(s, "+"):
		return c, false
	case len(s) == 6:
		return [3]uint8{uint8(v >> 16), uint8(v >> 8), uint8(v)}, true
	case len(s) == 3:
		return [3]uint8{uint8(v>>8) * 17, uint8(v>>4) & 15 * 17, uint8(v) & 15 * 17}, true
	}
	return c, false
}

func (s *distanceSpec) hex() string { return fmt.Sprintf("#%02x%02x%02x", s.to[0], s.to[1], s.to[2]) }

// String implements Spec.
func (s *distanceSpec) String() string {
	text := "distance:to=" + s.hex() + ",near=" + formatNumber(s.near)
	if !s.rest {
		text += ",far=" + formatNumber(s.far)
	}
	if s.metric != metric76 {
		text += ",metric=" + s.metric.String()
	}
	return text + s.white.String()
}

func (s *distanceSpec) Needs() Needs              { return s.white.needs(true) }
func (s *distanceSpec) Filters() []segment.Filter { return nil }
func (s *distanceSpec) FineBins(*segment.PageInfo, []segment.Histogram) []uint16 {
	return nil
}

// PageNeeds implements PageNeeder.
func (s *distanceSpec) PageNeeds(p *segment.PageInfo) Needs {
	return s.white.pageNeeds(p, s.Needs())
}

// Bind implements Spec.
func (s *distanceSpec) Bind(p *segment.PageInfo, h []segment.Histogram, o Options) (segment.Classifier, Report, error) {
	white, warning := s.white.of(p, h)
	rule := &distanceRule{white: white, scale: float32(1 / white), near: s.near, far: s.far, rest: s.rest, metric: s.metric, guesses: s.tables.guesses(),
		to: labOf(float64(s.to[0])/math.MaxUint8, float64(s.to[1])/math.MaxUint8, float64(s.to[2])/math.MaxUint8)}
	c := &colourClassifier{kernel: "distance", nan: o.NaN, swap: o.Invert, rule: rule, scale: rule.scale, memo: s.tables.memo(white)}
	r := Report{Warnings: colourWarnings(p, "distance", warning)}
	r.say("distance", func(show numerals) string { return s.describe(rule.to, o, show) })
	if w := s.tooFar(rule, o); w != "" {
		r.Warnings = append(r.Warnings, w)
	}
	return c, r, nil
}

// tooFar warns where the boundaries lie beyond all colours there are.
func (s *distanceSpec) tooFar(rule *distanceRule, o Options) string {
	reach := s.tables.once(func() float64 { return farthest(rule) })
	key, value := "far", s.far
	if s.rest {
		key, value = "near", s.near
	}
	if value <= 1.01*reach+0.5 { // between the colours looked at there may be one that is farther
		return ""
	}
	class := "a boundary"
	if o.Invert {
		class = "an activation"
	}
	return fmt.Sprintf("kernel distance: %s=%s is beyond the colours farthest from %s, about %.0f away"+warningEffect+"no sample is %s; use a smaller %s",
		key, formatNumber(value), s.hex(), reach, class, key)
}

// farthest is about how far the farthest colours are: of the surface of all, which they lie on.
func farthest(rule *distanceRule) (most float64) {
	for r := range gridSteps {
		for g := range gridSteps {
			for b := range gridSteps {
				const white = gridSteps - 1
				if min(r, g, b) > 0 && max(r, g, b) < white {
					continue
				}
				c := labOf(float64(r)/white, float64(g)/white, float64(b)/white)
				if rule.metric == metric76 {
					most = max(most, distance76(rule.to, c))
				} else {
					most = max(most, distance2000(rule.to, c))
				}
			}
		}
	}
	return most
}

// describe says what is compared.
func (s *distanceSpec) describe(to lab, o Options, show numerals) string {
	hundredths := func(x float64) string { return show(fmt.Sprintf("%.2f", x)) }
	text := fmt.Sprintf("distance: %s from %s (L %s, a %s, b %s): activation d <= %s, boundary ",
		strings.ToUpper(s.metric.String()), s.hex(), hundredths(to.l), hundredths(to.a), hundredths(to.b), show(formatNumber(s.near)))
	if s.rest {
		text += "d > " + show(formatNumber(s.near))
	} else {
		text += "d >= " + show(formatNumber(s.far))
	}
	if o.Invert {
		text += " (inverted)"
	}
	return text
}
