package kernels

import "segscan/segment"

// hsvOf gives hue (0 up to 360 degrees, 0 for gray), saturation (0..1, 0 for black) and value (the largest as a share of
// white): the hexcone of A. R. Smith, Color Gamut Transform Pairs, SIGGRAPH 1978. They are what the channels hue, sat and
// val of an opaque image hold, rounded to float32 as these are (but for JPEG, whose channels are taken before its colours
// are rounded to 8 bits).
func hsvOf(r, g, b, white float64) (h, s, v float32) {
	hi, lo := max(r, g, b), min(r, g, b)
	v = float32(hi / white)
	if hi > 0 || hi != hi {
		s = float32((hi - lo) / hi)
	}
	d := hi - lo
	if d == 0 {
		return 0, s, v
	}
	var turn float64
	switch hi {
	case r:
		turn = float64(60 * ((g - b) / d))
	case g:
		turn = float64(60*((b-r)/d)) + 120
	default:
		turn = float64(60*((r-g)/d)) + 240
	}
	if turn < 0 {
		turn += 360
	}
	if h = float32(turn); h >= 360 {
		h = 0
	}
	return h, s, v
}

// colourInterval is from..to of a channel, both included. From above to goes around, on a circle.
type colourInterval struct {
	asked    bool // else every value, NaN too
	from, to float32
}

func (i *colourInterval) holds(v float32) bool {
	switch {
	case !i.asked:
		return true
	case i.from > i.to:
		return v >= i.from || v <= i.to
	}
	return v >= i.from && v <= i.to
}

// colourSide says which colours are of a class: those whose channels are each in an interval, or, with rest, all that
// are not of the other class.
type colourSide struct {
	rest bool
	box  [3]colourInterval
}

// hsvRule classes by hue, saturation and value.
type hsvRule struct {
	white                float64
	boundary, activation colourSide
	guessB, guessA       hsvGuess
}

func newHSVRule(white float64, boundary, activation colourSide) *hsvRule {
	return &hsvRule{white, boundary, activation, newHSVGuess(&boundary, white), newHSVGuess(&activation, white)}
}

func (q *hsvRule) class(r, g, b float64) segment.Class {
	h, s, v := hsvOf(r, g, b, q.white)
	return colourClass(&q.boundary, &q.activation, func(side *colourSide) bool {
		return side.box[0].holds(h) && side.box[1].holds(s) && side.box[2].holds(v)
	})
}

func (q *hsvRule) guess(c *colourBlock, n int, out *[64]segment.Class) {
	for k := range out[:n] {
		r, g, b := c.r[k&63], c.g[k&63], c.b[k&63]
		hi, lo := max(r, g, b), min(r, g, b)
		out[k] = guessClass(q.guessB.verdict(r, g, b, hi, lo), q.guessA.verdict(r, g, b, hi, lo), q.boundary.rest, q.activation.rest)
	}
}

// colourClass is the class of a colour of which holds tells whether a side's box holds it. A boundary wins.
func colourClass(boundary, activation *colourSide, holds func(*colourSide) bool) segment.Class {
	isA := !activation.rest && holds(activation)
	isB := boundary.rest && !isA || !boundary.rest && holds(boundary)
	switch {
	case isB:
		return segment.Boundary
	case isA || activation.rest:
		return segment.Activation
	}
	return segment.Other
}
