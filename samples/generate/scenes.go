package main

import (
	"image"
	"math"
)

// barcode is a laser line's view of a 1-D code: bright bars of one to four modules on dark, blurred a little by the
// optics. It reads "SEGSCAN" in Code 128.
func barcode() image.Image {
	const module, quiet, height = 3, 24, 96
	// Widths of bar, space, bar, ... in modules (ISO/IEC 15417): start B, S, E, G, S, C, A, N, checksum, stop. The
	// checksum is 104 + 1*51 + 2*37 + 3*39 + 4*51 + 5*35 + 6*33 + 7*46 = 1245 = 9 modulo 103.
	widths := "211214" + "213113" + "132113" + "211313" + "213113" + "131321" + "111323" + "113321" + "221213" + "2331112"
	n := 0
	for _, w := range widths {
		n += int(w-'0') * module
	}
	c := newCanvas(n+2*quiet, height, 0.10, 1)
	x := quiet
	for i, w := range widths {
		width := int(w-'0') * module
		if i%2 == 0 {
			lo, hi := float64(x), float64(x+width)
			c.each(func(x, y int, v float64) float64 {
				d := math.Max(lo-float64(x)-0.5, float64(x)+0.5-hi) // outside the bar where positive
				fade := falloff(math.Max(float64(10-y), float64(y-height+11)), 2)
				return v + 0.78*fade*falloff(d+0.9, 1.8)
			})
		}
		x += width
	}
	c.noise(0.012)
	return c.gray8()
}

// gel is a stained gel: eight lanes that run down the page, each with a few bands, on a background that drifts.
func gel() image.Image {
	const w, h, lanes = 384, 288, 8
	c := newCanvas(w, h, 0, 2)
	c.each(func(x, y int, _ float64) float64 { return 0.10 + 0.03*float64(y)/h })
	for lane := range lanes {
		cx := (float64(lane) + 0.5) * w / lanes
		for band := range 6 {
			if lane > 0 && (lane*7+band*5)%4 == 0 { // the first lane is the ladder and has them all
				continue
			}
			cy := 30 + 40*float64(band) + 14*math.Sin(float64(lane*band))
			strength := 0.45 + 0.35*math.Abs(math.Cos(float64(lane+2*band)))
			if lane == 0 {
				cy, strength = 28+42*float64(band), 0.7
			}
			c.each(func(x, y int, v float64) float64 {
				if math.Abs(float64(y)-cy) > 20 {
					return v
				}
				smile := 0.004 * (float64(x) - cx) * (float64(x) - cx) // bands bend where the gel ran warm
				return v + strength*plateau(float64(x)-cx, 13, 6)*gauss(float64(y)-cy+smile, 3.2)
			})
		}
	}
	c.noise(0.010)
	return c.gray8()
}

// spectrogram is 16-bit: time runs right, frequency runs up; a noise floor, a steady hum, bursts and two chirps.
func spectrogram() image.Image {
	const w, h = 420, 144
	c := newCanvas(w, h, 0.06, 3)
	type burst struct{ t, f, dt, df, a float64 }
	bursts := []burst{
		{40, 30, 14, 3, .8}, {95, 62, 22, 4, .7}, {150, 30, 14, 3, .8}, {205, 100, 9, 6, .9}, {260, 30, 14, 3, .8},
		{300, 80, 30, 3, .6}, {330, 118, 12, 5, .75}, {370, 30, 14, 3, .8},
	}
	c.each(func(x, y int, v float64) float64 {
		t, f := float64(x), float64(h-1-y)
		for _, b := range bursts {
			v += b.a * plateau(t-b.t, b.dt, 5) * gauss(f-b.f, b.df)
		}
		v += 0.7 * plateau(t-130, 45, 8) * gauss(f-(54+0.45*(t-85)), 2.2)
		return v + 0.10*gauss(f-12, 1.5)
	})
	c.each(func(_, _ int, v float64) float64 { return v * (1 + 0.10*c.rng.NormFloat64()) })
	c.noise(0.010)
	return c.gray16(60000)
}

// cells is a 12-bit fluorescence image kept in 16 bits: round nuclei with bright cores over a dim, uneven field.
func cells() image.Image {
	const w, h, count = 320, 240, 30
	c := newCanvas(w, h, 0, 4)
	c.each(func(x, y int, _ float64) float64 {
		return 0.05 + 0.02*gauss(math.Hypot(float64(x)-w/2, float64(y)-h/2), 120)
	})
	type nucleus struct{ x, y, rx, ry, turn, a float64 }
	var placed []nucleus
	for try := 0; len(placed) < count && try < 4000; try++ {
		const margin = 18 // no nucleus is cut off, so every one lies between two boundaries
		n := nucleus{margin + c.rng.Float64()*(w-2*margin), margin + c.rng.Float64()*(h-2*margin),
			6 + 5*c.rng.Float64(), 6 + 5*c.rng.Float64(), math.Pi * c.rng.Float64(), 0.64 + 0.26*c.rng.Float64()}
		free := true
		for _, m := range placed {
			free = free && math.Hypot(n.x-m.x, n.y-m.y) > n.rx+n.ry+m.rx/2+5
		}
		if free {
			placed = append(placed, n)
		}
	}
	for _, n := range placed {
		sin, cos := math.Sin(n.turn), math.Cos(n.turn)
		c.each(func(x, y int, v float64) float64 {
			dx, dy := float64(x)-n.x, float64(y)-n.y
			r := math.Hypot((dx*cos+dy*sin)/n.rx, (dy*cos-dx*sin)/n.ry)
			if r > 2.5 {
				return v
			}
			return v + n.a*plateau(r, 0.75, 0.6)*(0.92+0.08*math.Sin(dx*0.9+n.x)*math.Cos(dy*0.8))
		})
	}
	// Photon noise grows with the square root of the signal; the camera adds its own.
	c.each(func(_, _ int, v float64) float64 { return v + 0.02*math.Sqrt(v)*c.rng.NormFloat64() })
	c.noise(0.004)
	return c.gray16(4095)
}

// inspection is a line-scan of a moving web under dark field light: brushed texture, with defects that shine.
func inspection() image.Image {
	const w, h = 400, 300
	c := newCanvas(w, h, 0.14, 5)
	grain := make([]float64, w) // brush marks run along the web
	for x := range grain {
		grain[x] = 0.016 * c.rng.NormFloat64()
	}
	c.each(func(x, y int, v float64) float64 { return v + grain[x] + 0.012*math.Sin(float64(y)/23) })
	c.each(func(x, y int, v float64) float64 {
		fx, fy := float64(x), float64(y)
		along := (fx-60)*0.94 + (fy-40)*0.34 // a long scratch
		v += 0.75 * plateau(along-90, 88, 8) * plateau((fy-40)*0.94-(fx-60)*0.34, 1.4, 1.8)
		v += 0.70 * plateau(math.Hypot((fx-300)/1.6, fy-75), 9, 5)       // a blister
		v += 0.62 * plateau(math.Hypot(fx-330, (fy-210)/2.2), 8, 5)      // a drip
		v += 0.80 * plateau(fy-150, 1.2, 1.5) * plateau(fx-205, 150, 10) // a seam across the web
		for i := range 14 {                                              // a spray of pits
			px, py := 70+float64(i%5)*17+4*math.Sin(float64(3*i)), 205+float64(i/5)*19+5*math.Cos(float64(5*i))
			v += 0.72 * plateau(math.Hypot(fx-px, fy-py), 2.2, 2)
		}
		return v
	})
	c.noise(0.010)
	return c.gray8()
}

// signal is one line of 4096 16-bit samples: a slow baseline, pulses of growing width, a double pulse and noise.
func signal() image.Image {
	const n = 4096
	c := newCanvas(n, 1, 0, 6)
	c.each(func(x, _ int, _ float64) float64 {
		t := float64(x)
		v := 0.12 + 0.02*math.Sin(t/700)
		for i := range 12 {
			v += (0.66 + 0.015*float64(i)) * plateau(t-(150+320*float64(i)), 12+5*float64(i), 14+2*float64(i))
		}
		v += 0.66 * plateau(t-3990, 14, 12)
		return v - 0.30*0.55*gauss(t-2070, 9) // a dip that is no boundary: the pulse stays one
	})
	c.noise(0.012)
	return c.gray16(65535)
}
