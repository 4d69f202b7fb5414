package raster

import "encoding/binary"

// exifOrientation gives the orientation tag (1..8) of an EXIF block, which is a TIFF header with its directories, or
// 0 where it has none or is damaged: a tag that only concerns display is no reason to refuse an image.
func exifOrientation(b []byte) int {
	if len(b) < 8 {
		return 0
	}
	var order binary.ByteOrder
	switch string(b[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0
	}
	at := int64(order.Uint32(b[4:]))
	if at+2 > int64(len(b)) {
		return 0
	}
	const tagOrientation, typeShort, typeLong, entry = 0x112, 3, 4, 12
	dir := b[at+2:]
	for range order.Uint16(b[at:]) {
		if len(dir) < entry {
			return 0
		}
		if order.Uint16(dir) == tagOrientation && order.Uint32(dir[4:]) == 1 {
			v := uint32(order.Uint16(dir[8:]))
			if order.Uint16(dir[2:]) == typeLong {
				v = order.Uint32(dir[8:])
			} else if order.Uint16(dir[2:]) != typeShort {
				return 0
			}
			if v < 1 || v > 8 {
				return 0
			}
			return int(v)
		}
		dir = dir[entry:]
	}
	return 0
}
