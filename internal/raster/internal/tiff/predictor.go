package tiff

import "encoding/binary"

// unpredict undoes the predictor in place on one row of a chunk, step samples a pixel. It leaves the row in little-
// endian order where samples are wider than a byte (see rowOrder).
func (p *Page) unpredict(row, tmp []byte, step int) {
	switch p.Predictor {
	case 2:
		p.undifference(row, step)
	case 3:
		p.unfloat(row, tmp, step)
	}
}

// rowOrder is the byte order of rows after unpredict.
func (p *Page) rowOrder() binary.ByteOrder {
	if p.Predictor != 1 {
		return binary.LittleEndian
	}
	return p.f.src.order
}

// undifference adds to each sample the one a pixel before, modulo its size: TIFF 6.0, section 14. It works on the bit
// patterns, of floating-point samples too, as libtiff does.
func (p *Page) undifference(row []byte, step int) {
	size := p.Bits / 8
	if size > 1 && p.f.src.order != binary.LittleEndian {
		swapBytes(row, size)
	}
	switch {
	case size == 1 && step == 1:
		sum8(row)
	case size == 1 && step == 3:
		sum8x3(row)
	case size == 1 && step == 4:
		sum8x4(row)
	case size == 2 && step == 1:
		sum16(row)
	case size == 2 && step == 3:
		sum16x3(row)
	default:
		sumAny(row, size, step)
	}
}

// sumAny is undifference for any size and step. Each sum waits for the one before it to be in memory; the functions
// below hold sums in registers.
func sumAny(row []byte, size, step int) {
	le := binary.LittleEndian
	switch size {
	case 1:
		for i := step; i < len(row); i++ {
			row[i] += row[i-step]
		}
	case 2:
		for i := 2 * step; i+2 <= len(row); i += 2 {
			le.PutUint16(row[i:], le.Uint16(row[i:])+le.Uint16(row[i-2*step:]))
		}
	case 4:
		for i := 4 * step; i+4 <= len(row); i += 4 {
			le.PutUint32(row[i:], le.Uint32(row[i:])+le.Uint32(row[i-4*step:]))
		}
	case 8:
		for i := 8 * step; i+8 <= len(row); i += 8 {
			le.PutUint64(row[i:], le.Uint64(row[i:])+le.Uint64(row[i-8*step:]))
		}
	}
}

func sum8(row []byte) {
	const low = 0x7f7f7f7f7f7f7f7f
	var v uint64 // the last sum in every byte
	for len(row) >= 8 {
		// Byte-wise sums of all bytes up to each one: three additions without carries between bytes.
		x := binary.LittleEndian.Uint64(row)
		for _, n := range [3]uint{8, 16, 32} {
			y := x << n
			x = (x&low + y&low) ^ (x^y)&^low
		}
		x = (x&low + v&low) ^ (x^v)&^low
		binary.LittleEndian.PutUint64(row, x)
		v = x >> 56 * 0x0101010101010101
		row = row[8:]
	}
	b := byte(v)
	for i, d := range row {
		b += d
		row[i] = b
	}
}

func sum8x3(row []byte) {
	var a, b, c byte
	for ; len(row) >= 12; row = row[12:] {
		p := row[:12:12]
		p0, p1, p2 := p[0]+a, p[1]+b, p[2]+c
		p3, p4, p5 := p[3]+p0, p[4]+p1, p[5]+p2
		p6, p7, p8 := p[6]+p3, p[7]+p4, p[8]+p5
		a, b, c = p[9]+p6, p[10]+p7, p[11]+p8
		p[0], p[1], p[2], p[3], p[4], p[5] = p0, p1, p2, p3, p4, p5
		p[6], p[7], p[8], p[9], p[10], p[11] = p6, p7, p8, a, b, c
	}
	for ; len(row) >= 3; row = row[3:] {
		a, b, c = a+row[0], b+row[1], c+row[2]
		row[0], row[1], row[2] = a, b, c
	}
}

func sum8x4(row []byte) {
	const low = 0x7f7f7f7f
	var v uint32
	for ; len(row) >= 4; row = row[4:] {
		x := binary.LittleEndian.Uint32(row)
		v = (x&low + v&low) ^ (x^v)&^low
		binary.LittleEndian.PutUint32(row, v)
	}
}

func sum16(row []byte) {
	var v uint16
	for ; len(row) >= 8; row = row[8:] {
		x := binary.LittleEndian.Uint64(row)
		a := v + uint16(x)
		b := a + uint16(x>>16)
		c := b + uint16(x>>32)
		v = c + uint16(x>>48)
		binary.LittleEndian.PutUint64(row, uint64(a)|uint64(b)<<16|uint64(c)<<32|uint64(v)<<48)
	}
	for ; len(row) >= 2; row = row[2:] {
		v += binary.LittleEndian.Uint16(row)
		binary.LittleEndian.PutUint16(row, v)
	}
}

func sum16x3(row []byte) {
	le := binary.LittleEndian
	var a, b, c uint16
	for ; len(row) >= 6; row = row[6:] {
		p := row[:6:6]
		a, b, c = a+le.Uint16(p), b+le.Uint16(p[2:]), c+le.Uint16(p[4:])
		le.PutUint16(p, a)
		le.PutUint16(p[2:], b)
		le.PutUint16(p[4:], c)
	}
}

// unfloat undoes the floating-point predictor of TIFF Technical Note 3: the row holds the most significant bytes of
// all samples, then the next, and so on, all byte-wise differenced; in files of either order.
func (p *Page) unfloat(row, tmp []byte, step int) {
	for i := step; i < len(row); i++ {
		row[i] += row[i-step]
	}
	size := p.Bits / 8
	n := len(row) / size
	tmp = tmp[:n*size]
	copy(tmp, row)
	for b := range size {
		plane := tmp[b*n : (b+1)*n]
		at := size - 1 - b
		for i, v := range plane {
			row[i*size+at] = v
		}
	}
}

// swapBytes reverses the bytes of every sample of size bytes.
func swapBytes(b []byte, size int) {
	switch size {
	case 2:
		const odd = 0x00ff00ff00ff00ff
		for ; len(b) >= 8; b = b[8:] {
			x := binary.LittleEndian.Uint64(b)
			binary.LittleEndian.PutUint64(b, x>>8&odd|x&odd<<8)
		}
		for i := 0; i+2 <= len(b); i += 2 {
			b[i], b[i+1] = b[i+1], b[i]
		}
	case 4:
		for i := 0; i+4 <= len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
		}
	case 8:
		for i := 0; i+8 <= len(b); i += 8 {
			binary.LittleEndian.PutUint64(b[i:], binary.BigEndian.Uint64(b[i:]))
		}
	}
}
