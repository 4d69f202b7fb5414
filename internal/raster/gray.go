package raster

import (
	"math"

	"segscan/segment"
)

// The weights of Go's color.GrayModel and Gray16Model (JFIF's 0.299, 0.587, 0.114 in 65536ths; they add up to 1).
const (
	weightR = 19595
	weightG = 38470
	weightB = 7471
)

type ints interface{ uint8 | uint16 }

// reading is how one plane is taken from interleaved integer samples. As Go's colour types do, a sample is first
// widened to 16 bits (scale), then multiplied by alpha/alphaMax, rounding down; the result is cut to 8 bits only at
// the end (drop).
type reading struct {
	px       int // samples a pixel
	at       int // of the sample taken, or of red
	alphaAt  int // of the alpha that multiplies, or -1
	alphaMax uint32
	scale    uint32
	drop     uint32 // 8 for a u8 plane, 0 for u16
}

// over multiplies a widened sample by alpha.
func (r *reading) over(v, a uint32) uint32 {
	switch {
	case a >= r.alphaMax:
		return v
	case r.alphaMax == math.MaxUint8:
		return v * a / math.MaxUint8
	case r.alphaMax == math.MaxUint16:
		return v * a / math.MaxUint16
	}
	return v * a / r.alphaMax
}

func intPlane[S ints](c *converter, pk pick, scale uint32, samples func(segment.Plane) []S) planeFunc {
	l := c.lay
	r := reading{px: l.channels, alphaAt: -1, alphaMax: uint32(c.alphaMax), scale: scale}
	if c.colour == segment.U8 {
		r.drop = 8
	}
	if c.multiply {
		r.alphaAt = l.alphaAt
	}
	rgb := l.model == modelRGB
	switch pk.what {
	case pickNumber:
		r.at, r.alphaAt = pk.n, -1
	case pickAlpha:
		r.at, r.alphaAt = l.alphaAt, -1
	case pickColour:
		if rgb {
			r.at = pk.n
		}
	case pickLuma:
		if rgb {
			return func(dst, raw segment.Plane) {
				eachRow(&r, dst, raw, samples(raw), lumaRow[S, uint8], lumaRow[S, uint16])
			}
		}
	case pickHue, pickSat, pickVal:
		top := float64(math.MaxUint16)
		if c.colour == segment.U16 && !math.IsNaN(l.max) && l.max > 0 {
			top = l.max
		}
		g, b := 1, 2
		if !rgb {
			g, b = 0, 0
		}
		return func(dst, raw segment.Plane) {
			src := samples(raw)
			for y := range dst.Lines {
				hsvRow(&r, dst.F32[y*dst.Stride:][:dst.Samples], src[y*raw.Stride:], g, b, pk.what, top)
			}
		}
	}
	return func(dst, raw segment.Plane) {
		eachRow(&r, dst, raw, samples(raw), oneRow[S, uint8], oneRow[S, uint16])
	}
}

// eachRow runs the row function of dst's type on every row.
func eachRow[S ints](r *reading, dst, raw segment.Plane, src []S, to8 func(*reading, []uint8, []S), to16 func(*reading, []uint16, []S)) {
	for y := range dst.Lines {
		row := src[y*raw.Stride:][:dst.Samples*r.px]
		if dst.U8 != nil {
			to8(r, dst.U8[y*dst.Stride:][:dst.Samples], row)
		} else {
			to16(r, dst.U16[y*dst.Stride:][:dst.Samples], row)
		}
	}
}

// oneRow takes one sample of every pixel.
func oneRow[S, D ints](r *reading, dst []D, src []S) {
	px, at := r.px, r.at
	if r.alphaAt < 0 {
		for i := range dst {
			dst[i] = D(uint32(src[i*px+at]) * r.scale >> r.drop)
		}
		return
	}
	for i := range dst {
		p := src[i*px:][:px]
		dst[i] = D(r.over(uint32(p[at])*r.scale, uint32(p[r.alphaAt])) >> r.drop)
	}
}

// lumaRow makes gray from red, green and blue. With u8 samples the widening by 257 goes into the weights.
func lumaRow[S, D ints](r *reading, dst []D, src []S) {
	shift := 16 + r.drop
	if r.alphaAt < 0 {
		wr, wg, wb := weightR*r.scale, weightG*r.scale, weightB*r.scale
		px := r.px
		luma := func(a, b, c S) D { return D((wr*uint32(a) + wg*uint32(b) + wb*uint32(c) + 1<<15) >> (shift & 31)) }
		for px == 3 && len(dst) >= 4 && len(src) >= 12 { // without bounds checks
			d, p := dst[:4:4], src[:12:12]
			d[0], d[1] = luma(p[0], p[1], p[2]), luma(p[3], p[4], p[5])
			d[2], d[3] = luma(p[6], p[7], p[8]), luma(p[9], p[10], p[11])
			dst, src = dst[4:], src[12:]
		}
		for i := range dst {
			p := src[:3:3]
			dst[i] = luma(p[0], p[1], p[2])
			if len(src) > px {
				src = src[px:]
			}
		}
		return
	}
	for i := range dst {
		p := src[i*r.px:][:r.px]
		a := uint32(p[r.alphaAt])
		red := r.over(uint32(p[0])*r.scale, a)
		green := r.over(uint32(p[1])*r.scale, a)
		blue := r.over(uint32(p[2])*r.scale, a)
		dst[i] = D((weightR*red + weightG*green + weightB*blue + 1<<15) >> shift)
	}
}

func hsvRow[S ints](r *reading, dst []float32, src []S, g, b int, what pickKind, top float64) {
	for i := range dst {
		p := src[i*r.px:][:r.px]
		red, green, blue := uint32(p[0])*r.scale, uint32(p[g])*r.scale, uint32(p[b])*r.scale
		if r.alphaAt >= 0 {
			a := uint32(p[r.alphaAt])
			red, green, blue = r.over(red, a), r.over(green, a), r.over(blue, a)
		}
		dst[i] = hsv(float64(red), float64(green), float64(blue), what, top)
	}
}

// hsv gives hue (0 up to 360, 0 for gray), saturation (0..1, 0 for black) or value (the largest over top), by the
// usual hexcone (A. R. Smith, Color Gamut Transform Pairs, 1978). Products are converted before they are added, so
// that no platform fuses them and the result is the same everywhere.
func hsv(r, g, b float64, what pickKind, top float64) float32 {
	hi, lo := max(r, g, b), min(r, g, b)
	switch what {
	case pickVal:
		return float32(hi / top)
	case pickSat:
		if hi <= 0 {
			return 0
		}
		return float32((hi - lo) / hi)
	}
	d := hi - lo
	if d == 0 {
		return 0
	}
	var h float64
	switch hi {
	case r:
		h = float64(60 * ((g - b) / d))
	case g:
		h = float64(60*((b-r)/d)) + 120
	default:
		h = float64(60*((r-g)/d)) + 240
	}
	if h < 0 {
		h += 360
	}
	if f := float32(h); f < 360 || f != f {
		return f
	}
	return 0
}

// floatPlane reads f32 samples. Luma is (19595 r + 38470 g + 7471 b) / 65536 in float64, each product and sum rounded
// on its own, then rounded to float32; equal r, g and b give that value itself.
func floatPlane(c *converter, pk pick) planeFunc {
	l := c.lay
	at, alphaAt, amax := 0, -1, c.alphaMax
	if c.multiply {
		alphaAt = l.alphaAt
	}
	rgb := l.model == modelRGB
	one := true
	switch pk.what {
	case pickNumber:
		at, alphaAt = pk.n, -1
	case pickAlpha:
		at, alphaAt = l.alphaAt, -1
	case pickColour:
		if rgb {
			at = pk.n
		}
	case pickLuma:
		one = !rgb
	default:
		one = false
	}
	top := 1.0
	if !math.IsNaN(l.max) && !math.IsInf(l.max, 0) && l.max > 0 {
		top = l.max
	}
	return func(dst, raw segment.Plane) {
		px := l.channels
		for y := range dst.Lines {
			out, src := dst.F32[y*dst.Stride:][:dst.Samples], raw.F32[y*raw.Stride:][:dst.Samples*px]
			for i := range out {
				p := src[i*px:][:px]
				k := 1.0
				if alphaAt >= 0 {
					k = float64(p[alphaAt]) / amax
				}
				if one {
					if alphaAt < 0 {
						out[i] = p[at] // NaN payloads and all
					} else {
						out[i] = float32(float64(p[at]) * k)
					}
					continue
				}
				r, g, b := float64(p[0]), float64(p[0]), float64(p[0])
				if rgb {
					g, b = float64(p[1]), float64(p[2])
				}
				if alphaAt >= 0 {
					r, g, b = float64(r*k), float64(g*k), float64(b*k)
				}
				if pk.what == pickLuma {
					out[i] = float32((float64(weightR*r) + float64(weightG*g) + float64(weightB*b)) / 65536)
				} else {
					out[i] = hsv(r, g, b, pk.what, top)
				}
			}
		}
	}
}
