package kernels

import "math"

// bounds2000 gives bounds of CIEDE2000 between to and a colour within labError of q.
func (q *distanceRule) bounds2000(c lab) (least, most float64) {
	p := q.to
	g := 1.5 - 0.5*saturating((math.Sqrt(p.a*p.a+p.b*p.b)+math.Sqrt(c.a*c.a+c.b*c.b))/2)
	a1, a2 := g*p.a, g*c.a
	c1, c2 := math.Sqrt(a1*a1+p.b*p.b), math.Sqrt(a2*a2+c.b*c.b)
	chroma, dc := (c1+c2)/2, c2-c1
	// What two colours differ by beside chroma is the chord between their hues: dh of CIEDE2000.
	dh := math.Sqrt(max(0, (a1-a2)*(a1-a2)+(p.b-c.b)*(p.b-c.b)-dc*dc))
	dl := (c.l - p.l) / lightScale((p.l+c.l)/2)
	dc /= 1 + 0.045*chroma
	rt := 2 * saturating(chroma)
	if c1 > 2 && c2 > 2 {
		// The mean hue halves the angle between both.
		x, y := a1/c1+a2/c2, p.b/c1+c.b/c2
		if n := math.Sqrt(x*x + y*y); n > 0.2 {
			x, y = x/n, y/n
			if a1*c.b < a2*p.b {
				dh = -dh
			}
			sh := 1 + 0.015*chroma*hueFactor(x, y)
			dh /= sh
			d := math.Sqrt(max(0, dl*dl+dc*dc+dh*dh-rt*q.guesses.turn(x, y)*dc*dh))
			e := 0.1 + 0.008/min(c1, c2)*(0.036*chroma*math.Abs(dh)/sh+5.4*min(math.Abs(dc), math.Abs(dh)))
			return d - e, d + e
		}
	}
	// Without a mean hue: T lies in 0.36..1.58, and R_T between -sin 60° R_C and 0.
	dc = math.Abs(dc)
	dhLeast, dhMost := dh/(1+0.015*1.58*chroma), dh/(1+0.015*0.36*chroma)
	rt *= math.Sqrt(3) / 2
	// The least of dh² - rt dc dh is where dh is rt dc / 2, or as near as it can be.
	h := min(max(rt*dc/2, dhLeast), dhMost)
	least = math.Sqrt(max(0, dl*dl+dc*dc+h*h-rt*dc*h))
	most = math.Sqrt(dl*dl + dc*dc + dhMost*dhMost + rt*dc*dhMost)
	return least - bounds2000Error, most + bounds2000Error
}

// bounds2000Error is more than what labError can make of bounds without hues.
//
// A colour that is off by labErrorAll has a' and b off by less than 0.016 (1.5 times as much, and through g, whose slope in
// chroma is at most 0.031). That makes the differences wrong by 0.03, the scales by 0.01 of what they divide, and the mean
// hue by 0.008 over the smaller chroma. T, whose slope is at most 2.4, moves dh by 0.036 chroma dh / S_H for each radian of
// hue, and R_T, whose slope is at most 4, the distance by 5.4 times the smaller of dc and dh, as the distance is at least
// 0.37 times either.
const bounds2000Error = 0.5

const turnSteps = 1 << 11

// newTurn tabulates sin 2 dtheta of CIEDE2000, which turns blues, by the cosine of the angle from 275 degrees; where that is
// not above 0 it is less than 1e-5.
func newTurn() (t [turnSteps + 2]float32) {
	for k := range t {
		bell := math.Acos(min(1, float64(k)/turnSteps)) * (180 / math.Pi) / 25
		t[k] = float32(sinDegrees(60 * expNeg(bell*bell)))
	}
	return t
}

// turn is sin 2 dtheta for a mean hue given by its cosine and sine, within 0.0002.
func (t *labGuess) turn(c, s float64) float64 {
	const cos275, sin275 = 0.08715574274765817356, -0.99619469809174553230
	v := (cos275*c + sin275*s) * turnSteps
	if v <= 0 {
		return 0
	}
	k := min(int(v), turnSteps)
	from, to := float64(t.turns[k]), float64(t.turns[k+1])
	return from + (to-from)*(v-float64(k))
}
