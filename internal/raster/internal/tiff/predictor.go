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
	le := binary.LittleEndian
	switch size {
	case 1:
		if step == 1 {
			var v byte
			for i, d := range row {
				v += d
				row[i] = v
			}
			return
		}
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
