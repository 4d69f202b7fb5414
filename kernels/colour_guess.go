package kernels

import "segscan/segment"

// verdict is what a guess can say of a condition.
type verdict uint8

const (
	no verdict = iota
	unsure
	yes
)

// guessClass is the class that the verdicts of both sides' conditions make. restB or restA says that the side is all that
// is not of the other class; its verdict is not looked at.
func guessClass(boundary, activation verdict, restB, restA bool) segment.Class {
	switch {
	case restB:
		boundary = yes - activation
	case restA:
		activation = yes - boundary
	}
	switch {
	case boundary == yes:
		return segment.Boundary
	case boundary == unsure, activation == unsure:
		return colourUnsure
	case activation == yes:
		return segment.Activation
	}
	return segment.Other
}

// labRule classes by L*a*b*.
type labRule struct {
	white                float64
	scale                float32 // 1 / white
	boundary, activation colourSide
	guesses              *labGuess
}

func (q *labRule) class(r, g, b float64) segment.Class {
	c := labOf(fraction(r, q.white), fraction(g, q.white), fraction(b, q.white))
	v := [3]float32{float32(c.l), float32(c.a), float32(c.b)}
	return colourClass(&q.boundary, &q.activation, func(side *colourSide) bool {
		return side.box[0].holds(v[0]) && side.box[1].holds(v[1]) && side.box[2].holds(v[2])
	})
}

func (q *labRule) guess(c *colourBlock, n int, out *[64]segment.Class) {
	var v labBlock
	q.guesses.of(c, n, q.scale, &v)
	for k := range out[:n] {
		l, a, b := v.l[k&63], v.a[k&63], v.b[k&63]
		out[k] = guessClass(q.boundary.guess(l, a, b), q.activation.guess(l, a, b), q.boundary.rest, q.activation.rest)
	}
}

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

func (q *distanceRule) guess(c *colourBlock, n int, out *[64]segment.Class) {
	var v labBlock
	q.guesses.of(c, n, q.scale, &v)
	for k := range out[:n] {
		p := lab{float64(v.l[k&63]), float64(v.a[k&63]), float64(v.b[k&63])}
		var least, most float64
		if q.metric == metric76 {
			d := distance76(q.to, p)
			least, most = d-labErrorAll, d+labErrorAll
		} else {
			least, most = q.bounds2000(p)
		}
		out[k] = q.within(least, most)
	}
}

// within is the class of a colour whose distance lies between least and most.
func (q *distanceRule) within(least, most float64) segment.Class {
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
