package kernels

import (
	"math"

	"segscan/segment"
)

// verdict is what a guess can say of a condition.
type verdict uint8

const (
	no verdict = iota
	unsure
	yes
)

// guessClass is the class that the verdicts of both sides' conditions make. restB or restA says that the side is all that
// is not of the other class; its verdict is not looked at.
func guessClass(boundary, activation verdict, restB, restA bool) (segment.Class, bool) {
	switch {
	case restB:
		boundary = yes - activation
	case restA:
		activation = yes - boundary
	}
	switch {
	case boundary == yes:
		return segment.Boundary, true
	case boundary == unsure, activation == unsure:
		return segment.Other, false
	case activation == yes:
		return segment.Activation, true
	}
	return segment.Other, true
}

// labRule classes by L*a*b*.
type labRule struct {
	white                float64
	scale                float32 // 1 / white
	boundary, activation colourSide
	near                 *labGuess
}

func (q *labRule) class(r, g, b float64) segment.Class {
	c := labOf(fraction(r, q.white), fraction(g, q.white), fraction(b, q.white))
	v := [3]float32{float32(c.l), float32(c.a), float32(c.b)}
	return colourClass(&q.boundary, &q.activation, func(side *colourSide) bool {
		return side.box[0].holds(v[0]) && side.box[1].holds(v[1]) && side.box[2].holds(v[2])
	})
}

func (q *labRule) guess(r, g, b float32) (segment.Class, bool) {
	l, a, bb := q.near.of(clip(r*q.scale), clip(g*q.scale), clip(b*q.scale))
	return guessClass(q.boundary.guess(l, a, bb), q.activation.guess(l, a, bb), q.boundary.rest, q.activation.rest)
}

func clip(v float32) float32 { return min(max(v, 0), 1) }

// guess tells whether the box holds a colour of which no more is known than labError allows.
func (s *colourSide) guess(l, a, b float32) verdict {
	v := min(s.box[0].guess(l, float32(labError.l)), s.box[1].guess(a, float32(labError.a)))
	return min(v, s.box[2].guess(b, float32(labError.b)))
}

// guess tells whether the interval, which does not go around, holds a value that is right within an error.
func (i *colourInterval) guess(v, e float32) verdict {
	switch {
	case !i.asked, v > i.from+e && v < i.to-e:
		return yes
	case v < i.from-e, v > i.to+e:
		return no
	}
	return unsure
}

// distanceRule classes by the distance from one colour: an activation within near, a boundary from far on, or, with rest,
// wherever there is no activation.
type distanceRule struct {
	white     float64
	scale     float32 // 1 / white
	to        lab
	near, far float64
	rest      bool
	metric    colourMetric
	guesses   *labGuess
}

type colourMetric uint8

const (
	metric76 colourMetric = iota
	metric2000
)

func (m colourMetric) String() string { return [...]string{"cie76", "ciede2000"}[m] }

func (q *distanceRule) class(r, g, b float64) segment.Class {
	c := labOf(fraction(r, q.white), fraction(g, q.white), fraction(b, q.white))
	d := 0.
	if q.metric == metric76 {
		d = distance76(q.to, c)
	} else {
		d = distance2000(q.to, c)
	}
	switch within := d <= q.near; {
	case q.rest && !within, !q.rest && d >= q.far:
		return segment.Boundary
	case within:
		return segment.Activation
	}
	return segment.Other
}

func (q *distanceRule) guess(r, g, b float32) (segment.Class, bool) {
	l, a, bb := q.guesses.of(clip(r*q.scale), clip(g*q.scale), clip(b*q.scale))
	c := lab{float64(l), float64(a), float64(bb)}
	var least, most float64
	if q.metric == metric76 {
		d := distance76(q.to, c)
		least, most = d-labErrorAll, d+labErrorAll
	} else {
		least, most = bounds2000(q.to, c)
	}
	within, beyond := unsure, unsure
	switch {
	case most < q.near:
		within = yes
	case least > q.near:
		within = no
	}
	switch {
	case most < q.far:
		beyond = no
	case least > q.far:
		beyond = yes
	}
	return guessClass(beyond, within, q.rest, false)
}

// bounds2000 gives bounds of CIEDE2000 between p and a colour within labError of q, without looking at hues: the factor T
// of S_H lies in 0.36..1.58 for every hue, and R_T between -sin 60° R_C and 0.
func bounds2000(p, q lab) (least, most float64) {
	g := 1.5 - 0.5*saturating((math.Sqrt(p.a*p.a+p.b*p.b)+math.Sqrt(q.a*q.a+q.b*q.b))/2)
	a1, a2 := g*p.a, g*q.a
	c1, c2 := math.Sqrt(a1*a1+p.b*p.b), math.Sqrt(a2*a2+q.b*q.b)
	chroma, dc := (c1+c2)/2, c2-c1
	// What two colours differ by beside chroma is the chord between their hues: dh of CIEDE2000.
	dh := math.Sqrt(max(0, (a1-a2)*(a1-a2)+(p.b-q.b)*(p.b-q.b)-dc*dc))
	dl := (q.l - p.l) / lightScale((p.l+q.l)/2)
	dc = math.Abs(dc) / (1 + 0.045*chroma)
	dhLeast, dhMost := dh/(1+0.015*1.58*chroma), dh/(1+0.015*0.36*chroma)
	rt := math.Sqrt(3) * saturating(chroma)
	// The least of dh² - rt dc dh is where dh is rt dc / 2, or as near as it can be.
	h := min(max(rt*dc/2, dhLeast), dhMost)
	least = math.Sqrt(max(0, dl*dl+dc*dc+h*h-rt*dc*h))
	most = math.Sqrt(dl*dl + dc*dc + dhMost*dhMost + rt*dc*dhMost)
	return least - bounds2000Error, most + bounds2000Error
}

// bounds2000Error is more than what labError can make of the distance. A colour moved by labErrorAll changes a' of both by
// less than 0.06 (1.5 times as much, and through g, whose slope in chroma is at most 0.031), and with it the differences
// by 0.12 and chroma by 0.06; through the scales, of slopes 0.045 and 0.024, the differences, of less than 34 and 150
// after division, change by 0.05; through rt, of slope 0.11, the distance by less than 0.3.
const bounds2000Error = 0.5
