package raster

import (
	"fmt"
	"math"
	"strconv"

	"segscan/segment"
)

// pick is a parsed Options.Channel.
type pick struct {
	what pickKind
	n    int // for pickNumber: the stored sample; for pickColour: 0 r, 1 g, 2 b
	name string
}

type pickKind uint8

const (
	pickLuma pickKind = iota
	pickColour
	pickAlpha
	pickHue
	pickSat
	pickVal
	pickNumber
)

// CheckChannel tells whether s can be Options.Channel.
func CheckChannel(s string) error {
	_, err := parseChannel(s)
	return err
}

func parseChannel(s string) (pick, error) {
	switch s {
	case "", "luma":
		return pick{what: pickLuma, name: "luma"}, nil
	case "r":
		return pick{pickColour, 0, s}, nil
	case "g":
		return pick{pickColour, 1, s}, nil
	case "b":
		return pick{pickColour, 2, s}, nil
	case "a":
		return pick{pickAlpha, 0, s}, nil
	case "hue":
		return pick{pickHue, 0, s}, nil
	case "sat":
		return pick{pickSat, 0, s}, nil
	case "val":
		return pick{pickVal, 0, s}, nil
	}
	if n, err := strconv.ParseUint(s, 10, 16); err == nil {
		return pick{pickNumber, int(n), s}, nil
	}
	return pick{}, fmt.Errorf("no channel is called %q; there are luma, r, g, b, a, hue, sat, val and 0-based numbers (--channel)", s)
}

// converter turns stored samples of a layout into the page's samples and, if asked, its colour channels.
type converter struct {
	lay      *layout
	pick     pick
	multiply bool // unassociated alpha multiplies

	out      segment.SampleType // of the page
	channels int                // that --channel N may name
	min, max float64

	colour segment.SampleType // of the colour channels r g b a

	// direct: stored samples are the page's samples; nothing is to be done.
	direct bool

	v        planeFunc
	lut      *palettes // for modelPalette
	indices  bool      // v is the palette index itself
	alphaMax float64
}

// planeFunc converts the pixels of raw (rows of Samples/channels pixels) to dst, one sample a pixel.
type planeFunc func(dst, raw segment.Plane)

func newConverter(l *layout, o Options) (*converter, error) {
	pk, err := parseChannel(o.Channel)
	if err != nil {
		return nil, err
	}
	c := &converter{lay: l, pick: pk, channels: l.channels, min: l.min, max: l.max, alphaMax: l.alphaMax}
	if c.alphaMax == 0 {
		c.alphaMax = defaultAlphaMax(l.sample)
	}
	c.multiply = l.alpha == alphaUnassociated && o.Alpha == AlphaBlack
	c.colour = l.sample
	if l.narrow {
		c.colour = segment.U8
	}
	if l.model == modelPalette {
		return c, c.initPalette(o)
	}
	c.out = c.colour
	switch pk.what {
	case pickAlpha:
		if l.alpha == alphaNone {
			return nil, fmt.Errorf("the image has no alpha channel (--channel a)")
		}
	case pickNumber:
		if pk.n >= l.channels {
			return nil, fmt.Errorf("the image has no channel %d, only %s (--channel)", pk.n, channelRange(l.channels))
		}
	case pickHue:
		c.out, c.min, c.max = segment.F32, 0, 360
	case pickSat, pickVal:
		c.out, c.min, c.max = segment.F32, 0, 1
		if pk.what == pickVal && math.IsNaN(l.max) {
			c.min, c.max = math.NaN(), math.NaN()
		}
	}
	if l.channels == 1 && !l.narrow && l.model == modelGray && pk.what != pickHue && pk.what != pickSat && pk.what != pickVal {
		c.direct = true
		return c, nil
	}
	c.v = c.planeFor(pk)
	return c, nil
}

func channelRange(n int) string {
	if n == 1 {
		return "0"
	}
	return fmt.Sprintf("0 to %d", n-1)
}

// planeFor gives the conversion to one channel of a layout without a palette.
func (c *converter) planeFor(pk pick) planeFunc {
	switch c.lay.sample {
	case segment.U8:
		return intPlane(c, pk, 257, func(p segment.Plane) []uint8 { return p.U8 })
	case segment.U16:
		return intPlane(c, pk, 1, func(p segment.Plane) []uint16 { return p.U16 })
	}
	return floatPlane(c, pk)
}

// channelPicks are the planes r g b a.
var channelPicks = [4]pick{{pickColour, 0, "r"}, {pickColour, 1, "g"}, {pickColour, 2, "b"}, {pickAlpha, 0, "a"}}

// colourFuncs gives the conversions to r g b a; the alpha of a page without one is opaque.
func (c *converter) colourFuncs() [4]planeFunc {
	var f [4]planeFunc
	for i, pk := range channelPicks {
		switch {
		case c.lut != nil:
			f[i] = c.lut.colour[i]
		case pk.what == pickAlpha && c.lay.alpha == alphaNone:
			f[i] = c.opaque
		default:
			f[i] = c.planeFor(pk)
		}
	}
	return f
}

func (c *converter) opaque(dst, _ segment.Plane) {
	for l := range dst.Lines {
		at, end := l*dst.Stride, l*dst.Stride+dst.Samples
		switch {
		case dst.U8 != nil:
			fill(dst.U8[at:end], math.MaxUint8)
		case dst.U16 != nil:
			fill(dst.U16[at:end], uint16(c.alphaMax))
		case dst.F32 != nil:
			fill(dst.F32[at:end], float32(c.alphaMax))
		}
	}
}

func fill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}
