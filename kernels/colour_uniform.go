package kernels

import (
	"math"

	"segscan/segment"
)

// guessBox tells whether an interval that does not go around holds all values from least to most, or none, all known to
// an error.
func (i *colourInterval) guessBox(least, most, e float32) verdict {
	switch {
	case !i.asked, least > i.from+e && most < i.to-e:
		return yes
	case most < i.from-e, least > i.to+e:
		return no
	}
	return unsure
}

func (q *hsvRule) uniform(least, most [3]float32) segment.Class {
	return guessClass(q.guessB.uniform(least, most), q.guessA.uniform(least, most), q.boundary.rest, q.activation.rest)
}

// uniform is verdict of all colours of a box of channels.
func (q *hsvGuess) uniform(least, most [3]float32) verdict {
	hiLeast, hiMost := max(least[0], least[1], least[2]), max(most[0], most[1], most[2])
	loLeast, loMost := min(least[0], least[1], least[2]), min(most[0], most[1], most[2])
	e := hsvError * hiMost
	v := q.box[2].guessBox(hiLeast, hiMost, e)
	if v == no {
		return no
	}
	if q.box[1].asked {
		sLeast, sMost := float32(0), float32(1)
		if hiLeast > 0 {
			sLeast, sMost = max(0, 1-loMost/hiLeast), 1-loLeast/hiMost
		}
		v = min(v, q.box[1].guessBox(sLeast, sMost, hsvError))
	}
	if !q.box[0].asked || v == no {
		return v
	}
	if hiLeast <= loMost { // grays are among them
		return unsure
	}
	afterLeast, afterMost := planeSpan(q.after, least, most)
	beforeLeast, beforeMost := planeSpan(q.before, least, most)
	switch {
	case afterLeast > e && beforeLeast > e, q.wide && (afterLeast > e || beforeLeast > e):
		return v
	case q.wide && afterMost < -e && beforeMost < -e, !q.wide && (afterMost < -e || beforeMost < -e):
		return no
	}
	return unsure
}

// planeSpan gives the least and the largest product of a normal with the colours of a box.
func planeSpan(normal, least, most [3]float32) (from, to float32) {
	for i, n := range normal {
		x, y := n*least[i], n*most[i]
		from, to = from+min(x, y), to+max(x, y)
	}
	return from, to
}

// span gives the least and the largest l, a and b of the colours of a box, all known to labError. Each grows or falls with
// each channel, whatever the others are, so that they are at corners: l grows with all; a grows with red and blue and falls
// with green; b grows with red and green and falls with blue. (Of a = 500 (f(X) - f(Y)) the slope in red is that of
// 0.434 f'(X) - 0.213 f'(Y), X/Y lies between the channels' own 0.526 and 2.63, and the slopes f' of a curve that is nowhere
// steeper than a cube root between 2.63^(-2/3) and 0.526^(-2/3) of each other: 0.525 and 1.535. Likewise for the others,
// with 0.0827 and 11.98 for Y/Z.)
func (t *labGuess) span(least, most [3]float32, scale float32) (from, to [3]float32) {
	var c colourBlock
	for k, high := range [6]uint8{0, 0b111, 0b010, 0b101, 0b100, 0b011} { // bit i: channel i is at its most
		for i, channel := range []*[64]float32{&c.r, &c.g, &c.b} {
			channel[k] = least[i]
			if high>>i&1 != 0 {
				channel[k] = most[i]
			}
		}
	}
	var v labBlock
	t.of(&c, 6, scale, &v)
	return [3]float32{v.l[0], v.a[2], v.b[4]}, [3]float32{v.l[1], v.a[3], v.b[5]}
}

func (q *labRule) uniform(least, most [3]float32) segment.Class {
	from, to := q.guesses.span(least, most, q.scale)
	e := [3]float32{float32(labError.l), float32(labError.a), float32(labError.b)}
	in := func(side *colourSide) verdict {
		v := yes
		for i := range side.box {
			v = min(v, side.box[i].guessBox(from[i], to[i], e[i]))
		}
		return v
	}
	return guessClass(in(&q.boundary), in(&q.activation), q.boundary.rest, q.activation.rest)
}

func (q *distanceRule) uniform(least, most [3]float32) segment.Class {
	if q.metric != metric76 {
		return colourUnsure
	}
	from, to := q.guesses.span(least, most, q.scale)
	var nearest, farthest float64
	for i, p := range [3]float64{q.to.l, q.to.a, q.to.b} {
		below, above := p-float64(from[i]), float64(to[i])-p
		d := max(0, -below, -above)
		nearest += d * d
		d = max(below, above)
		farthest += d * d
	}
	return q.within(math.Sqrt(nearest)-labErrorAll, math.Sqrt(farthest)+labErrorAll)
}
