package tiff

import (
	"fmt"
	"math"
)

// checkCodec makes sure that colour model, samples and codec go together, and prepares colour conversion.
func (p *Page) checkCodec() error {
	p.subX, p.subY = 1, 1
	switch p.Photometric {
	case CMYK, CIELab, ICCLab:
		if p.Type == F32 && (p.Photometric == CMYK || p.Bits != 8 && p.Bits != 16) || p.Type != F32 && p.Bits != 8 && p.Bits != 16 {
			return p.refuse(TagBitsPerSample, p.Bits, fmt.Sprintf("%v is not read as %v (8 and 16 bits are)", p.Format, p.Photometric), remedyConvert)
		}
		if p.Photometric != CMYK {
			// a* and b* are signed whatever the tag says, and are handed out as RGB.
			p.Format, p.Type = Uint, Type(p.Bits/16)
		}
	case YCbCr:
		if err := p.readYCbCr(); err != nil {
			return err
		}
	}
	switch p.Compression {
	case CompJPEG:
		if p.Bits != 8 || p.Format != Uint {
			return p.refuse(TagBitsPerSample, p.Bits, fmt.Sprintf("%v is not read in JPEG data (8 bits are)", p.Format), remedyConvert)
		}
	case CompWebP:
		if p.Bits != 8 || p.Format != Uint || p.Planar || p.subsampled() || p.Stored != 3 && p.Stored != 4 {
			return p.refuse(TagCompression, fmt.Sprintf("%d (%v compression)", uint16(p.Compression), p.Compression),
				fmt.Sprintf("is read for 3 or 4 samples of 8 bits, not for %d of %d", p.Stored, p.Bits), remedyConvert)
		}
	}
	return nil
}

// readYCbCr reads subsampling and coefficients. In JPEG data the frame header rules, and conversion is the codec's.
func (p *Page) readYCbCr() error {
	if p.Compression == CompJPEG {
		p.codecRGB = !p.Planar
		if p.Planar {
			return p.refuse(TagPlanarConfig, 2, "is not read for YCbCr in JPEG data", remedyRewrite)
		}
		if p.Stored != 3 {
			return p.refuse(TagSamplesPerPixel, p.Stored, "is not read for YCbCr in JPEG data (3 is)", remedyConvert)
		}
		return nil
	}
	if p.Bits != 8 || p.Format != Uint {
		return p.refuse(TagBitsPerSample, p.Bits, fmt.Sprintf("%v is not read as YCbCr (8 bits are)", p.Format), remedyConvert)
	}
	sub, err := p.uints(TagYCbCrSubsample, 64)
	if err != nil {
		return err
	}
	p.subX, p.subY = 2, 2 // the default of the specification
	if len(sub) >= 2 {
		p.subX, p.subY = int64(min(sub[0], 99)), int64(min(sub[1], 99))
	} else if len(sub) == 1 {
		p.subX, p.subY = int64(min(sub[0], 99)), int64(min(sub[0], 99))
	}
	ok := func(n int64) bool { return n == 1 || n == 2 || n == 4 }
	if !ok(p.subX) || !ok(p.subY) {
		return p.bad(TagYCbCrSubsample, sub, "is none of 1, 2, 4", remedyDamaged)
	}
	if p.subsampled() {
		if p.Planar || p.Stored != 3 {
			return p.refuse(TagYCbCrSubsample, sub, "is read only for 3 samples stored together", remedyRewrite)
		}
		if p.Predictor != 1 {
			return p.refuse(TagPredictor, p.Predictor, "is not read with subsampled YCbCr", remedyRewrite)
		}
		if p.down > 1 && p.ChunkH%p.subY != 0 || p.Tiled && p.ChunkW%p.subX != 0 {
			return p.bad(TagYCbCrSubsample, sub, fmt.Sprintf("does not divide strips or tiles of %d x %d", p.ChunkW, p.ChunkH), remedyDamaged)
		}
	}
	coeff := p.three(TagYCbCrCoeff, []float64{0.299, 0.587, 0.114})
	ref := p.three(TagRefBlackWhite, []float64{0, 255, 128, 255, 128, 255})
	p.ycc = newYCCTables(coeff, ref)
	return nil
}

// three reads a tag of as many finite numbers as def has, or gives def.
func (p *Page) three(tag Tag, def []float64) []float64 {
	f, ok := p.d.fields[tag]
	if !ok {
		return def
	}
	v, err := p.f.src.floats(f, 64)
	ok = err == nil && len(v) >= len(def)
	for _, x := range v {
		ok = ok && !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	if ok && tag == TagYCbCrCoeff && v[1] == 0 {
		ok = false
	}
	if !ok {
		p.warn("%v cannot be used and is taken as %v", tag, def)
		return def
	}
	return v[:len(def)]
}

// subsampled says whether chroma is stored at less than full resolution.
func (p *Page) subsampled() bool { return p.subX*p.subY > 1 }

// yccTables hold what each component adds, in integers as libtiff computes it, so that results are the same.
type yccTables struct {
	y, crR, cbB, crG, cbG [256]int32
}

const fixOne = 1 << 16

// newYCCTables follows TIFF 6.0 section 21 in 16.16 fixed point.
func newYCCTables(coeff, ref []float64) *yccTables {
	r, g, b := float32(coeff[0]), float32(coeff[1]), float32(coeff[2])
	fix := func(v float32) int32 { return int32(float64(min(max(v, 0), 2))*fixOne + 0.5) }
	fr, fb := 2-2*r, 2-2*b
	d1, d2, d3, d4 := fix(fr), -fix(r*fr/g), fix(fb), -fix(b*fb/g)
	code := func(c, black, white, span float32) int32 {
		d := white - black
		if d == 0 {
			d = 1
		}
		return int32(min(max((c-float32(int32(black)))*span/d, -4096), 4096))
	}
	t := new(yccTables)
	for i := range 256 {
		x := float32(i - 128)
		cr := code(x, float32(ref[4])-128, float32(ref[5])-128, 127)
		cb := code(x, float32(ref[2])-128, float32(ref[3])-128, 127)
		t.crR[i] = (d1*cr + fixOne/2) >> 16
		t.cbB[i] = (d3*cb + fixOne/2) >> 16
		t.crG[i] = d2 * cr
		t.cbG[i] = d4*cb + fixOne/2
		t.y[i] = code(float32(i), float32(ref[0]), float32(ref[1]), 255)
	}
	return t
}

func (t *yccTables) rgb(y, cb, cr uint8) (r, g, b uint8) {
	l := t.y[y]
	return clamp8(l + t.crR[cr]), clamp8(l + (t.cbG[cb]+t.crG[cr])>>16), clamp8(l + t.cbB[cb])
}

func clamp8(v int32) uint8 { return uint8(min(max(v, 0), 255)) }

// converts says whether rows go through convert.
func (p *Page) converts() bool {
	switch p.Photometric {
	case CMYK, CIELab, ICCLab:
		return true
	case YCbCr:
		return !p.codecRGB
	}
	return false
}

// convert turns n pixels of Stored samples into n of Channels.
func (p *Page) convert(dst, src Block, n int) {
	si, so := p.Stored, p.Channels
	extra := si - p.colours
	if p.Type == U8 {
		for i := range n {
			s, d := src.U8[i*si:(i+1)*si], dst.U8[i*so:(i+1)*so]
			switch p.Photometric {
			case CMYK:
				k := 255 - uint32(s[3])
				for c := range 3 {
					d[c] = uint8(k * (255 - uint32(s[c])) / 255)
				}
			case YCbCr:
				d[0], d[1], d[2] = p.ycc.rgb(s[0], s[1], s[2])
			case ICCLab:
				d[0], d[1], d[2] = lab8(float64(s[0])/2.55, float64(s[1])-128, float64(s[2])-128)
			case CIELab:
				d[0], d[1], d[2] = lab8(float64(s[0])/2.55, float64(int8(s[1])), float64(int8(s[2])))
			}
			copy(d[so-extra:], s[p.colours:])
		}
		return
	}
	for i := range n {
		s, d := src.U16[i*si:(i+1)*si], dst.U16[i*so:(i+1)*so]
		switch p.Photometric {
		case CMYK:
			k := 65535 - uint32(s[3])
			for c := range 3 {
				d[c] = uint16(k * (65535 - uint32(s[c])) / 65535)
			}
		case ICCLab: // 16-bit ICC Lab counts 0xff00 as 100
			d[0], d[1], d[2] = lab16(float64(s[0])*100/65280, float64(s[1])/256-128, float64(s[2])/256-128)
		case CIELab:
			d[0], d[1], d[2] = lab16(float64(s[0])*100/65535, float64(int16(s[1]))/256, float64(int16(s[2]))/256)
		}
		copy(d[so-extra:], s[p.colours:])
	}
}

// lab converts CIE L*a*b* under D50, as TIFF and ICC store it, to sRGB in 0..1, by the Bradford-adapted matrix.
func lab(l, a, b float64) (rgb [3]float64) {
	fy := (l + 16) / 116
	inv := func(t float64) float64 {
		if t > 6.0/29 {
			return t * t * t
		}
		return 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0/29)
	}
	x, y, z := 0.96422*inv(fy+a/500), inv(fy), 0.82521*inv(fy-b/200)
	for i, m := range [3][3]float64{{3.1338561, -1.6168667, -0.4906146}, {-0.9787684, 1.9161415, 0.0334540},
		{0.0719453, -0.2289914, 1.4052427}} {
		v := min(max(m[0]*x+m[1]*y+m[2]*z, 0), 1)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		rgb[i] = v
	}
	return rgb
}

func lab8(l, a, b float64) (uint8, uint8, uint8) {
	v := lab(l, a, b)
	return uint8(v[0]*255 + 0.5), uint8(v[1]*255 + 0.5), uint8(v[2]*255 + 0.5)
}

func lab16(l, a, b float64) (uint16, uint16, uint16) {
	v := lab(l, a, b)
	return uint16(v[0]*65535 + 0.5), uint16(v[1]*65535 + 0.5), uint16(v[2]*65535 + 0.5)
}
