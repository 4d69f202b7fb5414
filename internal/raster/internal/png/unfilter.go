package png

import "encoding/binary"

// Filter types of PNG's filter method 0.
const (
	filterNone = iota
	filterSub
	filterUp
	filterAverage
	filterPaeth
)

// unfilter undoes filter f on cur in place; above is the row before, or nil for the first, which has zeros above;
// bpp is the bytes a pixel (1 below 8 bits). It gives false for a filter that does not exist.
func unfilter(f byte, cur, above []byte, bpp int) bool {
	if above == nil {
		switch f {
		case filterUp:
			f = filterNone
		case filterPaeth: // predicts the byte to the left
			f = filterSub
		case filterAverage:
			for i := bpp; i < len(cur); i++ {
				cur[i] += cur[i-bpp] / 2
			}
			return true
		}
	}
	switch f {
	case filterNone:
	case filterSub:
		unSub(cur, bpp)
	case filterUp:
		unUp(cur, above)
	case filterAverage:
		unAverage(cur, above, bpp)
	case filterPaeth:
		unPaeth(cur, above, bpp)
	default:
		return false
	}
	return true
}

const (
	lows  = 0x7f7f7f7f7f7f7f7f
	highs = 0x8080808080808080
	ones  = 0x0101010101010101
)

// addBytes adds eight bytes to eight bytes, each modulo 256.
func addBytes(a, b uint64) uint64 { return (a&lows + b&lows) ^ (a^b)&highs }

// halfBytes is (a+b)/2, rounded down, of each of eight bytes.
func halfBytes(a, b uint64) uint64 { return a&b + (a^b)>>1&lows }

func unUp(cur, above []byte) {
	above = above[:len(cur)]
	for len(cur) >= 8 {
		binary.LittleEndian.PutUint64(cur, addBytes(binary.LittleEndian.Uint64(cur), binary.LittleEndian.Uint64(above)))
		cur, above = cur[8:], above[8:]
	}
	for i := range cur {
		cur[i] += above[i]
	}
}

func unSub(cur []byte, bpp int) {
	switch bpp {
	case 1:
		var left uint64 // the byte to the left, in all eight places
		for len(cur) >= 8 {
			v := binary.LittleEndian.Uint64(cur)
			v = addBytes(v, v<<8)
			v = addBytes(v, v<<16)
			v = addBytes(v, v<<32)
			v = addBytes(v, left)
			binary.LittleEndian.PutUint64(cur, v)
			left = v >> 56 * ones
			cur = cur[8:]
		}
		a := byte(left)
		for i, v := range cur {
			a += v
			cur[i] = a
		}
	case 3:
		var a, b, c byte
		for len(cur) >= 3 {
			p := cur[:3:3]
			a += p[0]
			b += p[1]
			c += p[2]
			p[0], p[1], p[2] = a, b, c
			cur = cur[3:]
		}
	case 4:
		var left uint64
		for len(cur) >= 4 {
			left = addBytes(left, uint64(binary.LittleEndian.Uint32(cur)))
			binary.LittleEndian.PutUint32(cur, uint32(left))
			cur = cur[4:]
		}
	case 8:
		var left uint64
		for len(cur) >= 8 {
			left = addBytes(left, binary.LittleEndian.Uint64(cur))
			binary.LittleEndian.PutUint64(cur, left)
			cur = cur[8:]
		}
	default:
		for i := bpp; i < len(cur); i++ {
			cur[i] += cur[i-bpp]
		}
	}
}

func unAverage(cur, above []byte, bpp int) {
	above = above[:len(cur)]
	switch bpp {
	case 1:
		var a uint32
		for i, v := range cur {
			a = (uint32(v) + (a+uint32(above[i]))>>1) & 0xff
			cur[i] = byte(a)
		}
	case 3:
		var left uint64
		for len(cur) >= 3 {
			p, q := cur[:3:3], above[:3:3]
			v := uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16
			u := uint64(q[0]) | uint64(q[1])<<8 | uint64(q[2])<<16
			left = addBytes(v, halfBytes(left, u))
			p[0], p[1], p[2] = byte(left), byte(left>>8), byte(left>>16)
			cur, above = cur[3:], above[3:]
		}
	case 4:
		var left uint64
		for len(cur) >= 4 {
			left = addBytes(uint64(binary.LittleEndian.Uint32(cur)), halfBytes(left, uint64(binary.LittleEndian.Uint32(above))))
			binary.LittleEndian.PutUint32(cur, uint32(left))
			cur, above = cur[4:], above[4:]
		}
	case 8:
		var left uint64
		for len(cur) >= 8 {
			left = addBytes(binary.LittleEndian.Uint64(cur), halfBytes(left, binary.LittleEndian.Uint64(above)))
			binary.LittleEndian.PutUint64(cur, left)
			cur, above = cur[8:], above[8:]
		}
	default:
		for i := range min(bpp, len(cur)) {
			cur[i] += above[i] / 2
		}
		for i := bpp; i < len(cur); i++ {
			cur[i] += byte((uint32(cur[i-bpp]) + uint32(above[i])) >> 1)
		}
	}
}

// paeth predicts from the bytes to the left, above, and above to the left: whichever is nearest to a+b-c, the first
// of them if several are. Written without branches that data decides.
func paeth(a, b, c int32) int32 {
	pa, pb := b-c, a-c
	pc := pa + pb
	pa, pb, pc = abs(pa), abs(pb), abs(pc)
	best := a
	if pb < pa {
		pa, best = pb, b
	}
	if pc < pa {
		best = c
	}
	return best
}

func abs(v int32) int32 {
	s := v >> 31
	return (v ^ s) - s
}

func unPaeth(cur, above []byte, bpp int) {
	above = above[:len(cur)]
	switch bpp {
	case 1:
		var a, c int32
		for i, v := range cur {
			b := int32(above[i])
			a = (int32(v) + paeth(a, b, c)) & 0xff
			cur[i] = byte(a)
			c = b
		}
	case 3:
		var a0, a1, a2, c0, c1, c2 int32
		for len(cur) >= 3 {
			p, q := cur[:3:3], above[:3:3]
			b0, b1, b2 := int32(q[0]), int32(q[1]), int32(q[2])
			a0 = (int32(p[0]) + paeth(a0, b0, c0)) & 0xff
			a1 = (int32(p[1]) + paeth(a1, b1, c1)) & 0xff
			a2 = (int32(p[2]) + paeth(a2, b2, c2)) & 0xff
			p[0], p[1], p[2] = byte(a0), byte(a1), byte(a2)
			c0, c1, c2 = b0, b1, b2
			cur, above = cur[3:], above[3:]
		}
	case 4:
		var a0, a1, a2, a3, c0, c1, c2, c3 int32
		for len(cur) >= 4 {
			p, q := cur[:4:4], above[:4:4]
			b0, b1, b2, b3 := int32(q[0]), int32(q[1]), int32(q[2]), int32(q[3])
			a0 = (int32(p[0]) + paeth(a0, b0, c0)) & 0xff
			a1 = (int32(p[1]) + paeth(a1, b1, c1)) & 0xff
			a2 = (int32(p[2]) + paeth(a2, b2, c2)) & 0xff
			a3 = (int32(p[3]) + paeth(a3, b3, c3)) & 0xff
			p[0], p[1], p[2], p[3] = byte(a0), byte(a1), byte(a2), byte(a3)
			c0, c1, c2, c3 = b0, b1, b2, b3
			cur, above = cur[4:], above[4:]
		}
	default:
		for k := range min(bpp, len(cur)) {
			var a, c int32
			for i := k; i < len(cur); i += bpp {
				b := int32(above[i])
				a = (int32(cur[i]) + paeth(a, b, c)) & 0xff
				cur[i] = byte(a)
				c = b
			}
		}
	}
}
