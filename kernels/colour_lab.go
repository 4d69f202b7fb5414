package kernels

import "math"

// lab is a colour in CIE L*a*b* under D65: l in 0..100, a and b about -108..99.
type lab struct{ l, a, b float64 }

// fraction is v as a share of white, from 0 to 1: what is darker than black is black, brighter than white white. NaN
// stays.
func fraction(v, white float64) float64 {
	switch v /= white; {
	case v < 0:
		return 0
	case v > 1:
		return 1
	}
	return v
}

// labOf converts sRGB fractions: IEC 61966-2-1's transfer function, the matrix of the BT.709 primaries under D65
// (0.95047, 1, 1.08883) by B. Lindbloom, CIE 15:2004's L*a*b*. a and b of grays are exactly 0.
func labOf(r, g, b float64) lab {
	if r == g && g == b {
		return lab{l: lightness(labCurve(linear(r)))}
	}
	r, g, b = linear(r), linear(g), linear(b)
	x := labCurve((float64(0.4124564*r) + float64(0.3575761*g) + float64(0.1804375*b)) / 0.95047)
	y := labCurve((float64(0.2126729*r) + float64(0.7151522*g) + float64(0.0721750*b)) / 1.0000001)
	z := labCurve((float64(0.0193339*r) + float64(0.1191920*g) + float64(0.9503041*b)) / 1.08883)
	return lab{lightness(y), float64(500 * (x - y)), float64(200 * (y - z))}
}

func lightness(y float64) float64 { return float64(116*y) - 16 }

// linear undoes sRGB's transfer function.
func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	v = (v + 0.055) / 1.055
	v = float64(v * v)
	return float64(v * fifthRoot(v)) // to the power of 2.4
}

// labCurve is the cube root, and below (6/29)^3 the line that touches it.
func labCurve(t float64) float64 {
	if t > 216./24389 {
		return cubeRoot(t)
	}
	return (float64(24389./27*t) + 16) / 116
}

// labGuess holds both curves of the conversion in steps, to be interpolated, and one of CIEDE2000. It is quick and not
// exact: see labError.
type labGuess struct {
	turns  [turnSteps + 2]float32
	linear [2 * labLinearSteps]float32 // twice as many as there are, so that a mask is all that an index needs
	curve  [2 * labCurveSteps]float32
}

const (
	labLinearSteps = 1 << 11
	labCurveSteps  = 1 << 13
)

// labError is more than twice how far a guess can be off. The curve bends most at its knee: there the chord of a step h
// is off by h²/8 times the second derivative, 589, which is 1.1e-6; the transfer function, of second derivative 3 at
// most, is off by 9e-8, which the curve's slope of at most 7.8 makes 7e-7. So x, y and z are right within 1.8e-6 and
// rounding to float32, some 2e-7; L has 116 of them, a 1000, b 400.
var labError = lab{0.0005, 0.0042, 0.0017}

// labErrorAll is the length of labError.
const labErrorAll = 0.0046

func newLabGuess() *labGuess {
	t := &labGuess{turns: newTurn()}
	for k := range labLinearSteps + 2 {
		t.linear[k] = float32(linear(float64(k) / labLinearSteps))
	}
	for k := range labCurveSteps + 2 {
		t.curve[k] = float32(labCurve(float64(k) / labCurveSteps))
	}
	return t
}

// labBlock is up to 64 colours.
type labBlock struct{ l, a, b [64]float32 }

// of guesses the first n colours of a block; scale is 1 / white. One loop a curve keeps them short, so that the processor
// works on several colours at once.
func (t *labGuess) of(c *colourBlock, n int, scale float32, v *labBlock) {
	n = min(n, 64)
	t.lin(&c.r, n, scale, &v.l)
	t.lin(&c.g, n, scale, &v.a)
	t.lin(&c.b, n, scale, &v.b)
	for k := range n {
		r, g, b := v.l[k], v.a[k], v.b[k]
		v.l[k] = (0.4124564/0.95047)*r + (0.3575761/0.95047)*g + (0.1804375/0.95047)*b
		v.a[k] = (0.2126729/1.0000001)*r + (0.7151522/1.0000001)*g + (0.0721750/1.0000001)*b
		v.b[k] = (0.0193339/1.08883)*r + (0.1191920/1.08883)*g + (0.9503041/1.08883)*b
	}
	t.cur(&v.l, n)
	t.cur(&v.a, n)
	t.cur(&v.b, n)
	for k := range n {
		x, y, z := v.l[k], v.a[k], v.b[k]
		v.l[k], v.a[k], v.b[k] = 116*y-16, 500*(x-y), 200*(y-z)
	}
}

// lin interpolates the transfer function.
func (t *labGuess) lin(v *[64]float32, n int, scale float32, to *[64]float32) {
	scale *= labLinearSteps
	for k := range v[:n] {
		// Not min and max, which care for NaN and -0.
		x := v[k] * scale
		if x < 0 {
			x = 0
		}
		if x > labLinearSteps {
			x = labLinearSteps
		}
		at := int32(x)
		from := t.linear[at&(2*labLinearSteps-1)]
		to[k] = from + (t.linear[(at+1)&(2*labLinearSteps-1)]-from)*(x-float32(at))
	}
}

// cur interpolates the curve, in place.
func (t *labGuess) cur(v *[64]float32, n int) {
	for k := range v[:n] {
		x := v[k] * labCurveSteps
		at := int32(x)
		from := t.curve[at&(2*labCurveSteps-1)]
		v[k] = from + (t.curve[(at+1)&(2*labCurveSteps-1)]-from)*(x-float32(at))
	}
}

// distance76 is CIE 1976's colour difference: how far apart two colours are in L*a*b*.
func distance76(p, q lab) float64 {
	l, a, b := p.l-q.l, p.a-q.a, p.b-q.b
	return math.Sqrt(float64(l*l) + float64(a*a) + float64(b*b))
}

// distance2000 is CIEDE2000, the colour difference of CIE 142:2001, with all three factors 1, as G. Sharma, W. Wu and
// E. N. Dalal write it out (Color Res. Appl. 30(1), 2005). NaN colours give NaN.
func distance2000(p, q lab) float64 {
	if nan := p.l + p.a + p.b + q.l + q.a + q.b; nan != nan {
		return nan
	}
	c1 := math.Sqrt(float64(p.a*p.a) + float64(p.b*p.b))
	c2 := math.Sqrt(float64(q.a*q.a) + float64(q.b*q.b))
	g := 1.5 - float64(0.5*saturating((c1+c2)/2))
	a1, a2 := float64(g*p.a), float64(g*q.a)
	c1 = math.Sqrt(float64(a1*a1) + float64(p.b*p.b))
	c2 = math.Sqrt(float64(a2*a2) + float64(q.b*q.b))
	h1, h2 := direction(a1, p.b), direction(a2, q.b)

	turn, hue := h2-h1, h1+h2 // of a gray the other's hue is that of both
	if c1 == 0 || c2 == 0 {
		turn = 0
	} else {
		// More than half a turn apart, by the side on which one lies of the other: colours that are exactly opposite are
		// not, however their angles are rounded.
		side := float64(a1*q.b) - float64(a2*p.b)
		apart := turn > 90 && side < 0 || turn < -90 && side > 0
		switch {
		case !apart:
		case turn > 0:
			turn -= 360
		default:
			turn += 360
		}
		switch {
		case apart && hue < 360:
			hue += 360
		case apart:
			hue -= 360
		}
		hue /= 2
	}
	light, chroma := (p.l+q.l)/2, (c1+c2)/2
	dl, dc := q.l-p.l, c2-c1
	dh := float64(float64(2*math.Sqrt(float64(c1*c2))) * sinDegrees(turn/2))

	t := hueFactor(cosDegrees(hue), sinDegrees(hue))
	sl := lightScale(light)
	sc := 1 + float64(0.045*chroma)
	sh := 1 + float64(float64(0.015*chroma)*t)
	rt := 0.
	if bell := (hue - 275) / 25; math.Abs(bell) < 6.5 { // else it is less than 1e-18
		rt = float64(-sinDegrees(float64(60*expNeg(float64(bell*bell)))) * float64(2*saturating(chroma)))
	}
	dl, dc, dh = dl/sl, dc/sc, dh/sh
	return math.Sqrt(max(0, float64(dl*dl)+float64(dc*dc)+float64(dh*dh)+float64(float64(rt*dc)*dh)))
}

// saturating is sqrt(c^7 / (c^7 + 25^7)).
func saturating(c float64) float64 {
	c2 := float64(c * c)
	c7 := float64(float64(float64(c2*c2)*c2) * c)
	return math.Sqrt(c7 / (c7 + 6103515625))
}

// hueFactor is T of CIEDE2000, of the cosine and sine of the mean hue:
// 1 - 0.17 cos(h-30°) + 0.24 cos 2h + 0.32 cos(3h+6°) - 0.20 cos(4h-63°).
func hueFactor(c, s float64) float64 {
	const ( // cosines and sines of 30, 6 and 63 degrees
		cos30, sin30 = 0.86602540378443864676, 0.5
		cos6, sin6   = 0.99452189536827333692, 0.10452846326765347140
		cos63, sin63 = 0.45399049973954679156, 0.89100652418836786236
	)
	c2, s2 := float64(c*c)-float64(s*s), float64(2*float64(c*s))
	c3, s3 := float64(c*c2)-float64(s*s2), float64(s*c2)+float64(c*s2)
	c4, s4 := float64(c2*c2)-float64(s2*s2), float64(2*float64(c2*s2))
	return 1 - float64(0.17*(float64(cos30*c)+float64(sin30*s))) + float64(0.24*c2) +
		float64(0.32*(float64(cos6*c3)-float64(sin6*s3))) - float64(0.20*(float64(cos63*c4)+float64(sin63*s4)))
}

// lightScale is S_L of CIEDE2000.
func lightScale(l float64) float64 {
	d := float64((l - 50) * (l - 50))
	return 1 + float64(0.015*d)/math.Sqrt(20+d)
}
