package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestColourMath holds the functions to math's, which are right to a unit in the last place on any machine.
func TestColourMath(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	near := func(name string, x, got, want, relative, absolute float64) {
		if !(math.Abs(got-want) <= relative*math.Abs(want)+absolute) {
			t.Fatalf("%s of %v is %v, want %v", name, x, got, want)
		}
	}
	const eps = 0x1p-52
	for range 200_000 {
		x := math.Exp(rng.Float64()*60 - 30)
		near("cubeRoot", x, cubeRoot(x), math.Cbrt(x), 2*eps, 0)
		near("fifthRoot", x, fifthRoot(x), math.Pow(x, 0.2), 8*eps, 0)
		q := rng.Float64() * 150
		near("expNeg", q, expNeg(q), math.Exp(-q), 8*eps, 0)
		d := rng.Float64()*4000 - 2000
		turned := math.Mod(d, 360) * (math.Pi / 180)
		near("cosDegrees", d, cosDegrees(d), math.Cos(turned), 0, 8*eps)
		near("sinDegrees", d, sinDegrees(d), math.Sin(turned), 0, 8*eps)
		u, v := rng.NormFloat64()*math.Exp(rng.NormFloat64()), rng.NormFloat64()
		want := math.Atan2(v, u) * (180 / math.Pi)
		if want < 0 {
			want += 360
		}
		near("direction", v, direction(u, v), want, 4*eps, 0)
	}
	// Right angles and powers come out even.
	for _, c := range [][3]float64{{0, 0, 0}, {1, 0, 0}, {1, 1, 45}, {0, 2, 90}, {-3, 0, 180}, {-1, -1, 225}, {0, -1e-300, 270},
		{1, -1e-300, 0}, {math.Copysign(0, -1), math.Copysign(0, -1), 0}} {
		if got := direction(c[0], c[1]); got != c[2] {
			t.Errorf("direction(%v, %v) is %v, want %v", c[0], c[1], got, c[2])
		}
	}
	for d, want := range map[float64]float64{0: 1, 90: 0, -90: 0, 180: -1, 270: 0, 360: 1, 720: 1} {
		if got := cosDegrees(d); got != want {
			t.Errorf("cosDegrees(%v) is %v, want %v", d, got, want)
		}
		if got := sinDegrees(d + 90); got != want {
			t.Errorf("sinDegrees(%v) is %v, want %v", d+90, got, want)
		}
	}
	if cubeRoot(1) != 1 || fifthRoot(1) != 1 || cubeRoot(27) != 3 || expNeg(0) != 1 || labCurve(1) != 1 || linear(1) != 1 {
		t.Error("roots and powers of 1 are not exact")
	}
}
