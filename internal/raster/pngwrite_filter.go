package raster

import (
	"encoding/binary"
)

// pngWriterFilter is the filter type byte of a PNG row.
type pngWriterFilter byte

const (
	pngWriterFilterNone pngWriterFilter = iota
	pngWriterFilterSub
	pngWriterFilterUp
	pngWriterFilterAverage
)

// pngWriterFilterRow filters one row into dst. above is the row before (zeros for the first); bpp is the distance to the
// sample on the left. All have the same length. Eight bytes at a time: subtraction without borrow between bytes, and
// the mean of two bytes as what they share plus half of what differs.
func pngWriterFilterRow(f pngWriterFilter, dst, row, above []byte, bpp int) {
	n := len(row)
	dst, above = dst[:n], above[:n]
	head := min(bpp, n)
	i := head
	switch f {
	case pngWriterFilterNone:
		copy(dst, row)
	case pngWriterFilterSub:
		copy(dst[:head], row)
		for ; i+8 <= n; i += 8 {
			x := binary.LittleEndian.Uint64(row[i : i+8])
			y := binary.LittleEndian.Uint64(row[i-bpp:])
			binary.LittleEndian.PutUint64(dst[i:i+8], pngWriterSub8(x, y))
		}
		for ; i < n; i++ {
			dst[i] = row[i] - row[i-bpp]
		}
	case pngWriterFilterUp:
		for i = 0; i+8 <= n; i += 8 {
			x := binary.LittleEndian.Uint64(row[i : i+8])
			y := binary.LittleEndian.Uint64(above[i : i+8])
			binary.LittleEndian.PutUint64(dst[i:i+8], pngWriterSub8(x, y))
		}
		for ; i < n; i++ {
			dst[i] = row[i] - above[i]
		}
	case pngWriterFilterAverage:
		for j := range head {
			dst[j] = row[j] - above[j]/2
		}
		for ; i+8 <= n; i += 8 {
			x := binary.LittleEndian.Uint64(row[i : i+8])
			a := binary.LittleEndian.Uint64(row[i-bpp:])
			b := binary.LittleEndian.Uint64(above[i : i+8])
			mean := a&b + (a^b)&0xfefefefefefefefe>>1
			binary.LittleEndian.PutUint64(dst[i:i+8], pngWriterSub8(x, mean))
		}
		for ; i < n; i++ {
			dst[i] = row[i] - byte((int(row[i-bpp])+int(above[i]))/2)
		}
	}
}

// pngWriterSub8 subtracts eight bytes modulo 256 each.
func pngWriterSub8(x, y uint64) uint64 {
	const high = 0x8080808080808080
	return (x | high - y&^high) ^ (x^^y)&high
}
