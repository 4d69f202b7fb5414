package raster

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"segscan/internal/raster/internal/simd"
)

// writePacker packs rows of a band: it appends nothing and allocates nothing, dst has rowBytes bytes.
type writePacker func(dst []byte, y int) error

// writePackerOf checks a band of w x h pixels against the format of its page and returns what packs its rows:
// samples of 16 and 32 bits in the given byte order, samples of fewer than 8 from the high bit down.
func writePackerOf(f *writeFormat, img image.Image, w, h int, order binary.ByteOrder) (writePacker, error) {
	mismatch := func() (writePacker, error) {
		return nil, fmt.Errorf("the band is a %T, the page was begun as %s", img, f.model)
	}
	bytesOf := func(pix []uint8, stride, n int) (writeRows, error) {
		return writeRows{pix, stride}, writeCheckRows(len(pix), stride, n, h)
	}
	switch m := img.(type) {
	case *image.Gray:
		if f.kind != writeGray || f.bits != 8 {
			return mismatch()
		}
		r, err := bytesOf(m.Pix, m.Stride, w)
		return writeCopy(r), err
	case *image.Gray16:
		if f.kind != writeGray || f.bits != 16 {
			return mismatch()
		}
		r, err := bytesOf(m.Pix, m.Stride, 2*w)
		return writeWords(r, order), err
	case *image.Paletted:
		if f.kind != writePalette {
			return mismatch()
		}
		r, err := bytesOf(m.Pix, m.Stride, w)
		return writeIndices(r, w, f.bits, len(f.palette)), err
	case *RGB:
		if f.kind != writeRGB || f.bits != 8 {
			return mismatch()
		}
		r, err := bytesOf(m.Pix, m.Stride, 3*w)
		return writeCopy(r), err
	case *RGB48:
		if f.kind != writeRGB || f.bits != 16 {
			return mismatch()
		}
		return writeUint16s(m.Pix, m.Stride, order), writeCheckRows(len(m.Pix), m.Stride, 3*w, h)
	case *image.RGBA:
		return writePackRGBA8(f, m.Pix, m.Stride, w, h, true, mismatch)
	case *image.NRGBA:
		return writePackRGBA8(f, m.Pix, m.Stride, w, h, false, mismatch)
	case *image.RGBA64:
		return writePackRGBA16(f, m.Pix, m.Stride, w, h, true, order, mismatch)
	case *image.NRGBA64:
		return writePackRGBA16(f, m.Pix, m.Stride, w, h, false, order, mismatch)
	case *Gray32:
		if f.kind != writeGray || f.bits != 32 {
			return mismatch()
		}
		return func(dst []byte, y int) error {
			for i, v := range m.Pix[y*m.Stride : y*m.Stride+len(dst)/4] {
				order.PutUint32(dst[4*i:], v)
			}
			return nil
		}, writeCheckRows(len(m.Pix), m.Stride, w, h)
	case *Float32:
		if f.kind != writeFloat {
			return mismatch()
		}
		return func(dst []byte, y int) error {
			for i, v := range m.Pix[y*m.Stride : y*m.Stride+len(dst)/4] {
				order.PutUint32(dst[4*i:], math.Float32bits(v))
			}
			return nil
		}, writeCheckRows(len(m.Pix), m.Stride, w, h)
	}
	return mismatch()
}

func writePackRGBA8(f *writeFormat, pix []uint8, stride, w, h int, associated bool, mismatch func() (writePacker, error)) (writePacker, error) {
	if f.channels < 3 || f.bits != 8 {
		return mismatch()
	}
	if err := writeCheckRows(len(pix), stride, 4*w, h); err != nil {
		return nil, err
	}
	r := writeRows{pix, stride}
	switch {
	case f.kind == writeRGB:
		return func(dst []byte, y int) error {
			writeDropAlpha(dst, r.row(y, len(dst)/3*4))
			return nil
		}, nil
	case !associated:
		return writeCopy(r), nil
	}
	return func(dst []byte, y int) error {
		src := r.row(y, len(dst))
		for i := 0; i+4 <= len(src); i += 4 {
			s := src[i : i+4 : i+4]
			if s[3] == 255 {
				copy(dst[i:i+4], s)
				continue
			}
			c := color.NRGBAModel.Convert(color.RGBA{R: s[0], G: s[1], B: s[2], A: s[3]}).(color.NRGBA)
			dst[i], dst[i+1], dst[i+2], dst[i+3] = c.R, c.G, c.B, c.A
		}
		return nil
	}, nil
}

// writeDropAlpha keeps three bytes of each four.
func writeDropAlpha(dst, src []byte) {
	// Four pixels at a time, as words: twelve bytes out for sixteen in.
	for len(src) >= 16 && len(dst) >= 12 {
		a, b := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
		lo := a&0xffffff | a>>32&0xffffff<<24
		hi := b&0xffffff | b>>32&0xffffff<<24
		binary.LittleEndian.PutUint64(dst, lo|hi<<48)
		binary.LittleEndian.PutUint32(dst[8:], uint32(hi>>16))
		src, dst = src[16:], dst[12:]
	}
	for len(src) >= 4 && len(dst) >= 3 {
		dst[0], dst[1], dst[2] = src[0], src[1], src[2]
		src, dst = src[4:], dst[3:]
	}
}

func writePackRGBA16(f *writeFormat, pix []uint8, stride, w, h int, associated bool, order binary.ByteOrder, mismatch func() (writePacker, error)) (writePacker, error) {
	if f.channels < 3 || f.bits != 16 {
		return mismatch()
	}
	if err := writeCheckRows(len(pix), stride, 8*w, h); err != nil {
		return nil, err
	}
	r := writeRows{pix, stride}
	switch {
	case f.kind == writeRGB:
		return func(dst []byte, y int) error {
			src := r.row(y, len(dst)/6*8)
			for i := 0; i+8 <= len(src); i, dst = i+8, dst[6:] {
				order.PutUint16(dst, binary.BigEndian.Uint16(src[i:]))
				order.PutUint16(dst[2:], binary.BigEndian.Uint16(src[i+2:]))
				order.PutUint16(dst[4:], binary.BigEndian.Uint16(src[i+4:]))
			}
			return nil
		}, nil
	case !associated:
		return writeWords(r, order), nil
	}
	return func(dst []byte, y int) error {
		src := r.row(y, len(dst))
		for i := 0; i+8 <= len(src); i += 8 {
			c := color.NRGBA64Model.Convert(color.RGBA64{
				R: binary.BigEndian.Uint16(src[i:]), G: binary.BigEndian.Uint16(src[i+2:]),
				B: binary.BigEndian.Uint16(src[i+4:]), A: binary.BigEndian.Uint16(src[i+6:]),
			}).(color.NRGBA64)
			order.PutUint16(dst[i:], c.R)
			order.PutUint16(dst[i+2:], c.G)
			order.PutUint16(dst[i+4:], c.B)
			order.PutUint16(dst[i+6:], c.A)
		}
		return nil
	}, nil
}

func writeCopy(r writeRows) writePacker {
	return func(dst []byte, y int) error {
		copy(dst, r.row(y, len(dst)))
		return nil
	}
}

// writeWords packs the big-endian 16-bit samples of the standard library's images.
func writeWords(r writeRows, order binary.ByteOrder) writePacker {
	if order == binary.ByteOrder(binary.BigEndian) {
		return writeCopy(r)
	}
	return func(dst []byte, y int) error {
		src := r.row(y, len(dst))
		for len(src) >= 8 && len(dst) >= 8 {
			v := binary.LittleEndian.Uint64(src)
			binary.LittleEndian.PutUint64(dst, v>>8&0x00ff00ff00ff00ff|v&0x00ff00ff00ff00ff<<8)
			src, dst = src[8:], dst[8:]
		}
		for i := 0; i+2 <= len(src) && i+2 <= len(dst); i += 2 {
			dst[i], dst[i+1] = src[i+1], src[i]
		}
		return nil
	}
}

func writeUint16s(pix []uint16, stride int, order binary.ByteOrder) writePacker {
	return func(dst []byte, y int) error {
		for i, v := range pix[y*stride : y*stride+len(dst)/2] {
			order.PutUint16(dst[2*i:], v)
		}
		return nil
	}
}

// writeIndices packs palette indices and refuses those outside the palette: a file that holds one is damaged to some
// readers.
func writeIndices(r writeRows, w, bits, colours int) writePacker {
	return func(dst []byte, y int) error {
		src := r.row(y, w)
		if colours < 256 {
			if simd.Above(src, uint8(colours-1)) {
				return fmt.Errorf("row %d of the band holds palette index %d, the palette has %d colours", y, slices.Max(src), colours)
			}
		}
		if bits == 8 {
			copy(dst, src)
			return nil
		}
		per := 8 / bits
		for i := range dst {
			var v uint8
			n := min(per, len(src))
			for _, s := range src[:n] {
				v = v<<bits | s
			}
			dst[i] = v << (bits * (per - n))
			src = src[n:]
		}
		return nil
	}
}
