package kernels

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// TestCIEDE2000 takes the 34 pairs of table 1 of Sharma, Wu and Dalal, The CIEDE2000 Color-Difference Formula:
// Implementation Notes, Supplementary Test Data, and Mathematical Observations, Color Res. Appl. 30(1), 2005, which were
// chosen to show wrong means of hues and signs. Their differences have four decimals.
func TestCIEDE2000(t *testing.T) {
	for i, c := range [][7]float64{
		{50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425},
		{50, 3.1571, -77.2803, 50, 0, -82.7485, 2.8615},
		{50, 2.8361, -74.0200, 50, 0, -82.7485, 3.4412},
		{50, -1.3802, -84.2814, 50, 0, -82.7485, 1.0000},
		{50, -1.1848, -84.8006, 50, 0, -82.7485, 1.0000},
		{50, -0.9009, -85.5211, 50, 0, -82.7485, 1.0000},
		{50, 0, 0, 50, -1, 2, 2.3669},
		{50, -1, 2, 50, 0, 0, 2.3669},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0009, 7.1792},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0010, 7.1792},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0011, 7.2195},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0012, 7.2195},
		{50, -0.0010, 2.4900, 50, 0.0009, -2.4900, 4.8045},
		{50, -0.0010, 2.4900, 50, 0.0010, -2.4900, 4.8045},
		{50, -0.0010, 2.4900, 50, 0.0011, -2.4900, 4.7461},
		{50, 2.5, 0, 50, 0, -2.5, 4.3065},
		{50, 2.5, 0, 73, 25, -18, 27.1492},
		{50, 2.5, 0, 61, -5, 29, 22.8977},
		{50, 2.5, 0, 56, -27, -3, 31.9030},
		{50, 2.5, 0, 58, 24, 15, 19.4535},
		{50, 2.5, 0, 50, 3.1736, 0.5854, 1.0000},
		{50, 2.5, 0, 50, 3.2972, 0, 1.0000},
		{50, 2.5, 0, 50, 1.8634, 0.5757, 1.0000},
		{50, 2.5, 0, 50, 3.2592, 0.3350, 1.0000},
		{60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644},
		{63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630},
		{61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731},
		{35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645},
		{22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373},
		{36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146},
		{90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441},
		{90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381},
		{6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377},
		{2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082},
	} {
		p, q := lab{c[0], c[1], c[2]}, lab{c[3], c[4], c[5]}
		if d := distance2000(p, q); math.Abs(d-c[6]) > 0.00005 {
			t.Errorf("pair %d: %.4f, want %.4f", i+1, d, c[6])
		}
		if d, e := distance2000(p, q), distance2000(q, p); math.Abs(d-e) > 1e-12 {
			t.Errorf("pair %d: %v one way and %v the other", i+1, d, e)
		}
	}
}

// TestLab: known colours, and every gray on the axis. The primaries are those of B. Lindbloom's calculator, to four
// decimals; #808080 by hand: 128/255 is 0.50196, ((0.50196+0.055)/1.055)^2.4 is 0.21586, whose cube root 0.59989 gives
// L 53.585; #010101: 1/255/12.92 is 0.00030353, times 24389/27 is 0.2742.
func TestLab(t *testing.T) {
	for _, c := range []struct {
		r, g, b float64
		want    lab
	}{
		{255, 255, 255, lab{100, 0, 0}},
		{0, 0, 0, lab{0, 0, 0}},
		{128, 128, 128, lab{53.5850, 0, 0}},
		{1, 1, 1, lab{0.2742, 0, 0}},
		{255, 0, 0, lab{53.2408, 80.0925, 67.2032}},
		{0, 255, 0, lab{87.7347, -86.1827, 83.1793}},
		{0, 0, 255, lab{32.2970, 79.1875, -107.8602}},
	} {
		got := labOf(c.r/255, c.g/255, c.b/255)
		if math.Abs(got.l-c.want.l) > 1e-4 || math.Abs(got.a-c.want.a) > 1e-4 || math.Abs(got.b-c.want.b) > 1e-4 {
			t.Errorf("%v %v %v is %.4f, want %v", c.r, c.g, c.b, got, c.want)
		}
	}
	before := -1.
	for v := range 65536 {
		c := labOf(float64(v)/65535, float64(v)/65535, float64(v)/65535)
		if c.a != 0 || c.b != 0 || c.l <= before {
			t.Fatalf("gray %d is %v after L %v", v, c, before)
		}
		before = c.l
	}
	if before != 100 {
		t.Errorf("white has L %v", before)
	}
}

// TestLabOracle holds the conversion to one written with math's functions.
func TestLabOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 100_000 {
		r, g, b := rng.Float64(), rng.Float64(), rng.Float64()
		got, want := labOf(r, g, b), labOracle(r, g, b)
		if math.Abs(got.l-want.l) > 1e-11 || math.Abs(got.a-want.a) > 1e-10 || math.Abs(got.b-want.b) > 1e-10 {
			t.Fatalf("%v %v %v is %v, want %v", r, g, b, got, want)
		}
	}
}

// labOracle is the textbook's conversion.
func labOracle(r, g, b float64) lab {
	lin := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	f := func(t float64) float64 {
		if t > math.Pow(6./29, 3) {
			return math.Cbrt(t)
		}
		return t*math.Pow(29./6, 2)/3 + 4./29
	}
	r, g, b = lin(r), lin(g), lin(b)
	x := f((0.4124564*r + 0.3575761*g + 0.1804375*b) / 0.95047)
	y := f((0.2126729*r + 0.7151522*g + 0.0721750*b) / 1.0000001)
	z := f((0.0193339*r + 0.1191920*g + 0.9503041*b) / 1.08883)
	return lab{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// TestLabGuess: guesses are right within half of labError, dark and bright, on the knees of both curves and anywhere.
func TestLabGuess(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	g := newLabGuess()
	var worst lab
	check := func(r, gr, b float32) {
		var v labBlock
		g.of(&colourBlock{[64]float32{r}, [64]float32{gr}, [64]float32{b}}, 1, 1, &v)
		l, a, bb := v.l[0], v.a[0], v.b[0]
		want := labOf(float64(r), float64(gr), float64(b))
		worst.l = max(worst.l, math.Abs(float64(l)-want.l))
		worst.a = max(worst.a, math.Abs(float64(a)-want.a))
		worst.b = max(worst.b, math.Abs(float64(bb)-want.b))
	}
	for range 500_000 {
		check(rng.Float32(), rng.Float32(), rng.Float32())
		scale := float32(0.15)
		check(scale*rng.Float32(), scale*rng.Float32(), scale*rng.Float32())
		check(0.08+0.02*rng.Float32(), 0.08+0.02*rng.Float32(), 0.08+0.02*rng.Float32())
	}
	for v := range 1 << 16 {
		check(float32(v)/(1<<16), float32(v)/(1<<16), float32(v)/(1<<16))
	}
	check(1, 1, 1)
	if worst.l > labError.l/2 || worst.a > labError.a/2 || worst.b > labError.b/2 {
		t.Errorf("guesses are off by up to %v, and half of %v is allowed", worst, labError)
	}
	if d := math.Hypot(labError.l, math.Hypot(labError.a, labError.b)); d > labErrorAll {
		t.Errorf("labErrorAll is %v, and must be %v", labErrorAll, d)
	}
}

// TestBounds2000: CIEDE2000 lies between its bounds, of colours as far off as a guess may be; most bounds are
// close.
func TestBounds2000(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	guesses, off, close := newLabGuess(), 0., 0
	any := func() lab {
		return labOf(rng.Float64(), rng.Float64(), rng.Float64())
	}
	for range 300_000 {
		p, q := any(), any()
		if rng.IntN(2) == 0 { // a neighbour
			q = lab{p.l + 5*rng.NormFloat64(), p.a + 10*rng.NormFloat64(), p.b + 10*rng.NormFloat64()}
		}
		if rng.IntN(4) == 0 { // near gray
			q.a, q.b = 3*rng.NormFloat64(), 3*rng.NormFloat64()
		}
		move := func(e float64) float64 { return e * (2*rng.Float64() - 1) }
		d := distance2000(p, lab{q.l + move(labError.l), q.a + move(labError.a), q.b + move(labError.b)})
		rule := distanceRule{to: p, guesses: guesses}
		least, most := rule.bounds2000(q)
		if d < least || d > most {
			t.Fatalf("%v and %v are %v apart, not %v to %v", p, q, d, least, most)
		}
		if most-least < 0.5 {
			close++
			off = max(off, math.Abs(2*d-least-most)/(most-least))
		}
	}
	if off > 0.5 || close < 200_000 {
		t.Errorf("the distance is off the middle of close bounds by up to %v of what is allowed, and %d bounds are close", off, close)
	}
	for h := range 360 {
		d := float64(h)
		want := 1 - 0.17*cosDegrees(d-30) + 0.24*cosDegrees(2*d) + 0.32*cosDegrees(3*d+6) - 0.20*cosDegrees(4*d-63)
		if got := hueFactor(cosDegrees(d), sinDegrees(d)); math.Abs(got-want) > 1e-14 || got < 0.36 || got > 1.58 {
			t.Errorf("T of hue %d is %v, want %v", h, got, want)
		}
		bell := (d - 275) / 25
		if got, want := guesses.turn(cosDegrees(d), sinDegrees(d)), sinDegrees(60*expNeg(bell*bell)); math.Abs(got-want) > 0.0002 {
			t.Errorf("the turn of hue %d is %v, want %v", h, got, want)
		}
	}
}

// TestColourBits: conversions and distances have the same bits on every machine, which the digest of some holds fast.
func TestColourBits(t *testing.T) {
	h := fnv.New64a()
	note := func(v float64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		_, _ = h.Write(b[:]) // a hash takes everything
	}
	first := labOf(0.84, 0.15, 0.16)
	for k := range 32 * 32 * 32 {
		r, g, b := float64(k>>10)/31, float64(k>>5&31)/31, float64(k&31)/31
		c := labOf(r, g, b)
		note(c.l)
		note(c.a)
		note(c.b)
		note(distance76(first, c))
		note(distance2000(first, c))
		hue, sat, val := hsvOf(r, g, b, 1)
		note(float64(hue))
		note(float64(sat))
		note(float64(val))
	}
	if got := h.Sum64(); got != 0x5ff6ead1cfd3abaf {
		t.Errorf("the digest is %#x", got)
	}
}
