package raster

import (
	"segscan/internal/raster/internal/png"
	"segscan/segment"
)

// samples turns pixels [x, x+n) of a stored row into the layout's samples.
func (s *pngSource) samples(dst segment.Plane, row []byte, x, n int) {
	in, ch := s.in, s.in.Channels()
	switch {
	case in.Depth == 16 && in.HasTransparent:
		withTransparent(dst.U16, n, ch, 0xffff, in.Transparent, func(i int) uint16 {
			at := 2 * (x*ch + i)
			return uint16(row[at])<<8 | uint16(row[at+1])
		})
	case in.Depth == 16:
		bigEndianWords(dst.U16[:n*ch], row[2*x*ch:])
	case in.Depth == 8 && in.HasTransparent:
		withTransparent(dst.U8, n, ch, 0xff, in.Transparent, func(i int) uint8 { return row[x*ch+i] })
	case in.Depth == 8:
		copy(dst.U8[:n*ch], row[x*ch:])
	case in.HasTransparent: // gray of 1, 2 or 4 bits
		scale := s.grayScale()
		for i := range n {
			v := packed(row, x+i, in.Depth)
			dst.U8[2*i], dst.U8[2*i+1] = v*scale, 0xff
			if uint16(v) == in.Transparent[0] {
				dst.U8[2*i+1] = 0
			}
		}
	default:
		unpack(dst.U8[:n], row, x, in.Depth, s.grayScale())
	}
}

// grayScale is what a sample below 8 bits is multiplied by; palette indices stay.
func (s *pngSource) grayScale() uint8 {
	if s.in.ColorType == png.Paletted || s.opt.RawBits {
		return 1
	}
	return uint8(255 / (1<<s.in.Depth - 1))
}

// packed is sample i of a row of samples below 8 bits, the first in the highest bits.
func packed(row []byte, i, depth int) uint8 {
	at := i * depth
	return row[at/8] >> (8 - depth - at%8) & (1<<depth - 1)
}

// unpack writes samples x, x+1, ... of a row of samples below 8 bits, each times scale.
func unpack(dst []uint8, row []byte, x, depth int, scale uint8) {
	per := 8 / depth
	i := 0
	for ; i < len(dst) && (x+i)%per != 0; i++ {
		dst[i] = packed(row, x+i, depth) * scale
	}
	mask := uint8(1<<depth - 1)
	for ; i+per <= len(dst); i += per {
		v := row[(x+i)/per]
		out := dst[i:][:per]
		for j := per - 1; j >= 0; j-- {
			out[j] = v & mask * scale
			v >>= depth
		}
	}
	for ; i < len(dst); i++ {
		dst[i] = packed(row, x+i, depth) * scale
	}
}

// withTransparent writes n pixels of ch samples, each followed by alpha: 0 for the transparent colour, else opaque.
func withTransparent[T ints](dst []T, n, ch int, opaque T, transparent [3]uint16, at func(int) T) {
	for i := range n {
		p := dst[i*(ch+1):][:ch+1]
		match := true
		for k := range ch {
			p[k] = at(i*ch + k)
			match = match && uint16(p[k]) == transparent[k]
		}
		p[ch] = opaque
		if match {
			p[ch] = 0
		}
	}
}
