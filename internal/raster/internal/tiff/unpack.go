package tiff

import (
	"encoding/binary"
	"math"
	"sync/atomic"
)

// Block receives samples: sample c of pixel i of row r at [r*Stride + i*Channels + c]. Exactly one slice is set, of
// the page's Type.
type Block struct {
	U8     []uint8
	U16    []uint16
	F32    []float32
	Stride int
}

// from is the block that begins at sample k.
func (b Block) from(k int) Block {
	switch {
	case b.U8 != nil:
		b.U8 = b.U8[k:]
	case b.U16 != nil:
		b.U16 = b.U16[k:]
	default:
		b.F32 = b.F32[k:]
	}
	return b
}

// unpacker turns stored samples into those handed out.
type unpacker struct {
	bits   int
	format Format
	typ    Type
	big    bool        // byte order
	scale  []uint8     // of samples below 8 bits; nil: as stored
	beyond atomic.Bool // a finite sample was beyond the range of float32; rows are unpacked side by side
}

// newUnpacker is for rows whose samples are of size bits and in the byte order given.
func (p *Page) newUnpacker(order binary.ByteOrder) *unpacker {
	u := &unpacker{bits: p.Bits, format: p.Format, typ: p.Type, big: order == binary.BigEndian}
	if p.Type == U8 && p.Bits < 8 && p.Photometric != Palette && !p.keepBits {
		top := 1<<p.Bits - 1
		u.scale = make([]uint8, top+1)
		for v := range u.scale {
			u.scale[v] = uint8((v*255 + top/2) / top)
		}
	}
	return u
}

// unpack writes n samples, from sample first of row on, to every step-th sample of dst.
func (u *unpacker) unpack(dst Block, step int, row []byte, first, n int) {
	switch {
	case u.typ == U8 && u.bits == 8:
		src := row[first : first+n]
		if step == 1 {
			copy(dst.U8, src)
			return
		}
		for i, v := range src {
			dst.U8[i*step] = v
		}
	case u.typ == U8:
		u.packed8(dst.U8, step, row, first, n)
	case u.typ == U16 && u.bits == 16:
		u.words(dst.U16, step, row[2*first:2*(first+n)])
	case u.typ == U16:
		r := bitCursor{b: row, at: first * u.bits}
		for i := range n {
			dst.U16[i*step] = uint16(r.take(u.bits))
		}
	case u.format == Float:
		u.floats(dst.F32, step, row, first, n)
	default:
		u.integers(dst.F32, step, row, first, n)
	}
}

// packed8 unpacks samples of 1 to 7 bits.
func (u *unpacker) packed8(dst []uint8, step int, row []byte, first, n int) {
	if u.bits == 1 && step == 1 && first&7 == 0 {
		lo, hi := uint8(0), uint8(1)
		if u.scale != nil {
			hi = u.scale[1]
		}
		pair := [2]uint8{lo, hi}
		for i := range n {
			dst[i] = pair[row[(first+i)>>3]>>(7-uint(i)&7)&1]
		}
		return
	}
	r := bitCursor{b: row, at: first * u.bits}
	for i := range n {
		v := uint8(r.take(u.bits))
		if u.scale != nil {
			v = u.scale[v]
		}
		dst[i*step] = v
	}
}

func (u *unpacker) words(dst []uint16, step int, src []byte) {
	if step == 1 { // as one copy
		raw := Block{U16: dst[:len(src)/2]}.bytes()
		copy(raw, src)
		if u.big != (nativeOrder() == binary.BigEndian) {
			swapBytes(raw, 2)
		}
		return
	}
	if u.big {
		for i := 0; i+2 <= len(src); i += 2 {
			dst[i/2*step] = binary.BigEndian.Uint16(src[i:])
		}
		return
	}
	for i := 0; i+2 <= len(src); i += 2 {
		dst[i/2*step] = binary.LittleEndian.Uint16(src[i:])
	}
}

func (u *unpacker) floats(dst []float32, step int, row []byte, first, n int) {
	size := u.bits / 8
	src := row[first*size : (first+n)*size]
	for i := range n {
		v := u.word(src[i*size : (i+1)*size])
		switch size {
		case 2:
			dst[i*step] = half(uint16(v))
		case 3:
			dst[i*step] = float24(uint32(v))
		case 4:
			dst[i*step] = math.Float32frombits(uint32(v))
		default:
			wide := math.Float64frombits(v)
			narrow := float32(wide)
			if math.IsInf(float64(narrow), 0) && !math.IsInf(wide, 0) {
				u.beyond.Store(true)
			}
			dst[i*step] = narrow
		}
	}
}

// integers unpacks signed samples and those above 16 bits.
func (u *unpacker) integers(dst []float32, step int, row []byte, first, n int) {
	unused := uint(64 - u.bits)
	put := func(i int, v uint64) {
		if u.format == Int {
			dst[i*step] = float32(int64(v<<unused) >> unused)
		} else {
			dst[i*step] = float32(v)
		}
	}
	if u.bits%8 != 0 {
		r := bitCursor{b: row, at: first * u.bits}
		for i := range n {
			put(i, r.take(u.bits))
		}
		return
	}
	size := u.bits / 8
	src := row[first*size : (first+n)*size]
	for i := range n {
		put(i, u.word(src[i*size:(i+1)*size]))
	}
}

// word is the value of whole bytes in the file's order.
func (u *unpacker) word(b []byte) (v uint64) {
	switch {
	case len(b) == 4 && !u.big:
		return uint64(binary.LittleEndian.Uint32(b))
	case len(b) == 4:
		return uint64(binary.BigEndian.Uint32(b))
	case u.big:
		for _, c := range b {
			v = v<<8 | uint64(c)
		}
	default:
		for i, c := range b {
			v |= uint64(c) << (8 * i)
		}
	}
	return v
}

// bitCursor reads samples that are not whole bytes: high bit first, whatever the byte order.
type bitCursor struct {
	b  []byte
	at int // in bits
}

// take gives the next n <= 64 bits.
func (r *bitCursor) take(n int) (v uint64) {
	for n > 0 {
		free := 8 - r.at&7
		k := min(free, n)
		part := r.b[r.at>>3] >> (free - k) & (1<<k - 1)
		v = v<<k | uint64(part)
		r.at += k
		n -= k
	}
	return v
}

// half is IEEE 754 binary16.
func half(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp, frac := uint32(h>>10&31), uint32(h&1023)
	switch exp {
	case 0: // zero or subnormal: frac * 2^-24
		v := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// float24 is the 24-bit format of TIFF Technical Note 3: 1 sign bit, 7 of exponent with a bias of 63, 16 of fraction.
func float24(h uint32) float32 {
	sign := h >> 23 << 31
	exp, frac := h>>16&127, h&0xffff
	switch exp {
	case 0: // frac * 2^-78
		v := float32(math.Ldexp(float64(frac), -78))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 127:
		return math.Float32frombits(sign | 0xff<<23 | frac<<7)
	}
	return math.Float32frombits(sign | (exp+64)<<23 | frac<<7)
}

// complement inverts, in place, every bit of the first sample of each pixel of a row: v becomes max-v for unsigned
// samples and -1-v for signed ones, which is what white-is-zero asks for.
func complement(row []byte, bits, spp int) {
	if spp == 1 {
		for i := range row {
			row[i] = ^row[i]
		}
		return
	}
	if bits%8 == 0 {
		size := bits / 8
		for i := 0; i+size <= len(row); i += size * spp {
			for j := range size {
				row[i+j] = ^row[i+j]
			}
		}
		return
	}
	for at := 0; at+bits <= 8*len(row); at += bits * spp {
		for k := at; k < at+bits; k++ {
			row[k>>3] ^= 0x80 >> (k & 7)
		}
	}
}
