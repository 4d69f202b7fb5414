package kernels

import "math"

// The functions of math may round differently from machine to machine: some are assembly, and a compiler may fuse a
// product and a sum. These are built from operations that IEEE 754 rounds in one way only, with every product
// converted before it is added to, so that they give the same bits everywhere. They are right to a few units in the
// last place.

// cubeRoot is the cube root of a normal x > 0.
func cubeRoot(x float64) float64 {
	const third = 0x2A9F7893782DA1CE // a third of the exponent's bias, less what makes the guess best
	y := math.Float64frombits(math.Float64bits(x)/3 + third)
	for range 3 { // Halley: each step triples the digits, of which the guess has 1.5
		c := float64(float64(y*y) * y)
		y = float64(y*(c+2*x)) / (2*c + x)
	}
	return y
}

// fifthRoot is the fifth root of a normal x > 0.
func fifthRoot(x float64) float64 {
	const fifths = 0x3325C28F5C28F5C3 // four fifths of the exponent's bias, less what makes the guess best
	y := math.Float64frombits(math.Float64bits(x)/5 + fifths)
	for range 4 { // Newton: each step doubles the digits
		s := float64(y * y)
		y = (4*y + x/float64(s*s)) / 5
	}
	return y
}

// horner is the polynomial c[0] + c[1] x + c[2] x^2 ...
func horner(x float64, c []float64) float64 {
	p := 0.
	for k := len(c) - 1; k >= 0; k-- {
		p = float64(p*x) + c[k]
	}
	return p
}

// expNeg is e^-q for 0 <= q <= 700.
func expNeg(q float64) float64 {
	// ln 2 in two parts, the first short enough that its products with small whole numbers are exact.
	const ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	n := math.Floor(float64(q*math.Log2E) + 0.5)
	r := float64(n*ln2Lo) - (q - float64(n*ln2Hi)) // -q = -n ln 2 + r
	taylor := [...]float64{1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320, 1. / 362880,
		1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800}
	return math.Ldexp(horner(r, taylor[:]), -int(n))
}

// cosDegrees and sinDegrees take an angle in degrees, of any size.
func cosDegrees(d float64) float64 {
	d = math.Abs(math.Mod(d, 360)) // exact
	if d > 180 {
		d = 360 - d
	}
	switch {
	case d <= 45:
		return cosine(d)
	case d <= 135:
		return sine(90 - d)
	}
	return -cosine(180 - d)
}

func sinDegrees(d float64) float64 { return cosDegrees(math.Mod(d, 360) - 90) }

// sine and cosine are of d degrees, |d| <= 45, by their Taylor series.
func sine(d float64) float64 {
	x := float64(d * (math.Pi / 180))
	taylor := [...]float64{1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880, -1. / 39916800, 1. / 6227020800, -1. / 1307674368000}
	return float64(x * horner(float64(x*x), taylor[:]))
}

func cosine(d float64) float64 {
	x := float64(d * (math.Pi / 180))
	taylor := [...]float64{1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800, 1. / 479001600, -1. / 87178291200,
		1. / 20922789888000}
	return horner(float64(x*x), taylor[:])
}

// direction is the angle of the vector (x, y) in degrees, from 0 up to 360; 0 for the null vector.
func direction(x, y float64) float64 {
	ax, ay := math.Abs(x), math.Abs(y)
	if ax == 0 && ay == 0 {
		return 0
	}
	a := arctan(min(ax, ay) / max(ax, ay))
	if ay > ax {
		a = 90 - a
	}
	if x < 0 {
		a = 180 - a
	}
	if y < 0 {
		a = 360 - a
	}
	if a >= 360 {
		return 0
	}
	return a
}

// arctan is in degrees, of z in 0..1: that of the nearest eighth, and the small rest by its series.
func arctan(z float64) float64 {
	eighths := [...]float64{0, 0.12435499454676143503, 0.24497866312686415417, 0.35877067027057222040, 0.46364760900080611621,
		0.55859931534356243597, 0.64350110879328438680, 0.71882999962162450542, 0.78539816339744830962}
	k := int(z*8 + 0.5)
	c := float64(k) / 8
	w := (z - c) / (1 + float64(z*c))
	taylor := [...]float64{1, -1. / 3, 1. / 5, -1. / 7, 1. / 9, -1. / 11, 1. / 13}
	return float64((eighths[k] + float64(w*horner(float64(w*w), taylor[:]))) * (180 / math.Pi))
}
