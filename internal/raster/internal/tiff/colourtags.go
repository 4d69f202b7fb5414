package tiff

import (
	"fmt"
	"math"
)

// readColour reads the colour model and what the samples beyond it are.
func (p *Page) readColour() error {
	comp := p.optional(TagCompression, 1)
	if _, ok := p.d.fields[TagPhotometric]; !ok {
		// libtiff's rule: fax data is written with 0 for white, everything else with 0 for black.
		switch c := Compression(min(comp, math.MaxUint16)); {
		case p.Stored == 3:
			p.Photometric = RGB
		case c == CompCCITTRLE || c == CompCCITTRLEW || c == CompFax3 || c == CompFax4:
			p.Photometric = WhiteIsZero
		default:
			p.Photometric = BlackIsZero
		}
		p.warn("PhotometricInterpretation is missing; %v is assumed", p.Photometric)
	} else {
		v, err := p.uint(TagPhotometric, 0)
		if err != nil {
			return err
		}
		p.Photometric = Photometric(min(v, math.MaxUint16))
	}
	p.colours = 1
	switch p.Photometric {
	case WhiteIsZero, BlackIsZero, Palette, Mask:
	case RGB, YCbCr, CIELab, ICCLab:
		p.colours = 3
	case CMYK:
		p.colours = 4
		if ink := p.optional(TagInkSet, 1); ink != 1 {
			return p.refuse(TagInkSet, ink, "(inks other than cyan, magenta, yellow, black) is not read", remedyConvert)
		}
	default:
		remedy := remedyConvert
		if p.Photometric == 32803 || p.Photometric == 34892 {
			remedy = "develop the raw image first, for example to a 16-bit RGB TIFF"
		}
		return p.refuse(TagPhotometric, fmt.Sprintf("%d (%v)", p.Photometric, p.Photometric), "is not read", remedy)
	}
	if lab := p.Photometric == CIELab || p.Photometric == ICCLab; lab && p.Stored < 3 {
		// L* alone is gray.
		p.Photometric, p.colours = BlackIsZero, 1
		p.note("L*a*b* with %d samples a pixel: L* is taken as gray", p.Stored)
	}
	if p.Stored < p.colours {
		return p.bad(TagSamplesPerPixel, p.Stored, fmt.Sprintf("is less than the %d of %v", p.colours, p.Photometric),
			remedyDamaged)
	}
	if p.Photometric == WhiteIsZero && p.Format == Float {
		p.note("floating-point samples with white as zero have no white to count from; they are taken as stored")
	}
	p.readExtra()
	return nil
}

// readExtra reads ExtraSamples. Samples that it does not speak of are unspecified, and so are ignored.
func (p *Page) readExtra() {
	extra := p.Stored - p.colours
	v, err := p.uints(TagExtraSamples, 1<<16)
	if err != nil {
		p.warn("ExtraSamples cannot be read; samples beyond the colours are ignored")
	}
	p.Extra = make([]uint16, extra)
	for i := range min(extra, len(v)) {
		p.Extra[i] = uint16(min(v[i], math.MaxUint16))
	}
	p.Channels = p.Stored
	out := p.colours
	if p.Photometric == CMYK {
		p.Channels, out = p.Stored-1, 3
	}
	for i, k := range p.Extra {
		if k == 1 || k == 2 {
			p.Alpha, p.AlphaAt = AlphaAssociated, out+i
			if k == 2 {
				p.Alpha = AlphaUnassociated
			}
			break
		}
	}
	if ignored := extra - min(1, int(p.Alpha)); ignored > 0 && p.colours == 1 && p.Photometric != Palette {
		p.note("%d samples a pixel: the first is taken as gray, the others only by --channel 1 to %d", p.Stored, p.Stored-1)
	}
}

// readPalette reads ColorMap. Old writers stored 8-bit values in it, which libtiff recognizes by none being above 255.
func (p *Page) readPalette() error {
	if p.Photometric != Palette {
		return nil
	}
	if p.Format != Uint || p.Bits > 16 {
		return p.refuse(TagBitsPerSample, p.Bits, "is too much for a palette index", remedyConvert)
	}
	v, err := p.uints(TagColorMap, 3<<16)
	if err != nil {
		return err
	}
	if v == nil {
		return p.bad(TagColorMap, nil, "is missing from a palette image", remedyDamaged)
	}
	n := len(v) / 3
	if n == 0 || n > 1<<p.Bits || len(v)%3 != 0 {
		return p.bad(TagColorMap, nil, fmt.Sprintf("holds %d values, a palette of %d bits has %d", len(v), p.Bits, 3<<p.Bits),
			remedyDamaged)
	}
	old := true
	for _, c := range v {
		old = old && c < 256
	}
	p.ColorMap = make([][3]uint16, n)
	for i := range p.ColorMap {
		for c := range 3 {
			x := v[c*n+i]
			if old {
				x *= 257
			}
			p.ColorMap[i][c] = uint16(min(x, math.MaxUint16))
		}
	}
	if old {
		p.note("ColorMap holds 8-bit values; they are taken as such")
	}
	return nil
}
