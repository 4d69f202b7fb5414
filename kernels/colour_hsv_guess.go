package kernels

import "math"

// hsvGuess asks the box of a side by products alone, in float32. Saturations are compared as chroma with shares of the
// largest channel. Colours of one hue lie in a half plane that ends at the axis of grays, so that a hue is told to be
// before or after another by the side of a plane through that axis on which the colour lies.
type hsvGuess struct {
	box    [3]colourInterval // of v in sample units
	after  [3]float32        // positive for hues up to half a turn after that where the interval begins
	before [3]float32        // positive for hues up to half a turn before that where it ends
	wide   bool              // the interval is more than half a turn
	gray   bool              // it holds gray, whose hue and saturation are 0
}

// hsvError is more than ten times how far products of float32 can be off, as a share of the largest channel.
const hsvError = 4e-6

func newHSVGuess(side *colourSide, white float64) hsvGuess {
	q := hsvGuess{box: side.box, gray: side.box[0].holds(0) && side.box[1].holds(0)}
	v := &q.box[2]
	v.from, v.to = float32(float64(v.from)*white), float32(float64(v.to)*white)
	if h := side.box[0]; h.asked {
		from, to := float64(h.from), float64(h.to)
		q.after, q.before = hueNormal(from), hueNormal(to)
		for i := range q.before {
			q.before[i] = -q.before[i]
		}
		span := to - from
		if span < 0 {
			span += 360
		}
		q.wide = span > 180
	}
	return q
}

// hueNormal is the normal of the plane of the grays and of a hue: the cross product of (1, 1, 1) and its full colour.
func hueNormal(h float64) [3]float32 {
	channel := func(at float64) float64 { // of the hexcone: full within 60 degrees, none beyond 120
		d := math.Abs(math.Remainder(h-at, 360))
		return min(max(2-d/60, 0), 1)
	}
	r, g, b := channel(0), channel(120), channel(240)
	return [3]float32{float32(b - g), float32(r - b), float32(g - r)}
}

// verdict tells whether the box holds a colour of which hi and lo are the largest and smallest channels.
func (q *hsvGuess) verdict(r, g, b, hi, lo float32) verdict {
	s, v, d := &q.box[1], &q.box[2], hi-lo
	value := v.guess(hi, hsvError*hi)
	switch {
	case d == 0 && q.gray:
		return value
	case d == 0, value == no:
		return no
	case !(hi > 1e-30 && d < 1e30): // or products are out of float32's range
		return unsure
	}
	e := hsvError * hi
	if s.asked {
		least, most := s.from*hi, s.to*hi
		switch {
		case d < least-e, d > most+e:
			return no
		case !(d > least+e && d < most-e):
			value = unsure
		}
	}
	if !q.box[0].asked {
		return value
	}
	after := q.after[0]*r + q.after[1]*g + q.after[2]*b
	before := q.before[0]*r + q.before[1]*g + q.before[2]*b
	switch {
	case after > e && before > e:
		return value
	case q.wide && (after > e || before > e):
		return value
	case q.wide && after < -e && before < -e, !q.wide && (after < -e || before < -e):
		return no
	}
	return unsure
}
