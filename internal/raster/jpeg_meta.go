package raster

import (
	"bytes"
	"encoding/binary"
	"io"
)

// jpegMeta is what the segments before the image data say.
type jpegMeta struct {
	orientation int
	further     bool // further pictures follow the first
	frame       byte // marker of the frame: SOF0 to SOF15
	precision   int
	components  []jpegComponent
	density     jpegDensity
	adobe       bool // Adobe's segment is there, with
	transform   byte // 0 none, 1 YCbCr, 2 YCCK
	exif, icc   int  // bytes
	comment     string
}

// jpegComponent is the name of a component and how often it is sampled, across and down.
type jpegComponent struct{ id, across, down byte }

// jpegDensity is JFIF's: unit 0 none, 1 dots an inch, 2 dots a centimetre.
type jpegDensity struct {
	unit byte
	x, y uint16
}

// JPEG markers.
const (
	markSOF0  = 0xc0 // SOF0 to SOF15, but for the three that follow
	markDHT   = 0xc4
	markJPG   = 0xc8
	markDAC   = 0xcc
	markSOF2  = 0xc2 // progressive
	markSOF15 = 0xcf
	markSOI   = 0xd8
	markSOS   = 0xda
	markAPP0  = 0xe0
	markAPP1  = 0xe1
	markAPP2  = 0xe2
	markAPP14 = 0xee
	markCOM   = 0xfe
)

func isFrame(mark byte) bool {
	return mark >= markSOF0 && mark <= markSOF15 && mark != markDHT && mark != markJPG && mark != markDAC
}

// scanJPEG looks through the segments before the image data. Damage ends the search; the decoder will say what is
// wrong. The error is for a file whose scans are too many.
func scanJPEG(r io.ReadSeeker) (m jpegMeta, err error) {
	var h [4]byte
	if _, err := io.ReadFull(r, h[:2]); err != nil || h[1] != markSOI {
		return m, nil
	}
	for {
		if _, err := io.ReadFull(r, h[:2]); err != nil || h[0] != 0xff {
			return m, nil
		}
		for h[1] == 0xff { // fill bytes
			if _, err := io.ReadFull(r, h[1:2]); err != nil {
				return m, nil
			}
		}
		if h[1] == markSOS && m.frame == markSOF2 {
			return m, checkScans(r)
		}
		if _, err := io.ReadFull(r, h[2:4]); err != nil || h[1] == markSOS {
			return m, nil
		}
		n := int64(binary.BigEndian.Uint16(h[2:])) - 2
		if n < 0 {
			return m, nil
		}
		if !isFrame(h[1]) && bytes.IndexByte([]byte{markAPP0, markAPP1, markAPP2, markAPP14, markCOM}, h[1]) < 0 {
			if _, err := r.Seek(n, io.SeekCurrent); err != nil {
				return m, nil
			}
			continue
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return m, nil
		}
		m.take(h[1], body)
	}
}

// take reads one segment.
func (m *jpegMeta) take(mark byte, body []byte) {
	const jfifHead, exifHead, iccHead, mpfHead, adobeHead = "JFIF\x00", "Exif\x00\x00", "ICC_PROFILE\x00", "MPF\x00", "Adobe"
	has := func(head string, least int) bool { return bytes.HasPrefix(body, []byte(head)) && len(body) >= least }
	switch {
	case isFrame(mark) && m.frame == 0 && len(body) >= 6:
		m.frame, m.precision = mark, int(body[0])
		for c := body[6:]; len(c) >= 3 && len(m.components) < int(body[5]); c = c[3:] {
			m.components = append(m.components, jpegComponent{c[0], c[1] >> 4, c[1] & 15})
		}
	case mark == markAPP0 && has(jfifHead, 12):
		m.density = jpegDensity{body[7], binary.BigEndian.Uint16(body[8:]), binary.BigEndian.Uint16(body[10:])}
	case mark == markAPP1 && has(exifHead, 0):
		if m.exif += len(body) - len(exifHead); m.orientation == 0 {
			m.orientation = exifOrientation(body[len(exifHead):])
		}
	case mark == markAPP2 && has(mpfHead, 0):
		m.further = true
	case mark == markAPP2 && has(iccHead, len(iccHead)+2):
		m.icc += len(body) - len(iccHead) - 2
	case mark == markAPP14 && has(adobeHead, 12):
		m.adobe, m.transform = true, body[11]
	case mark == markCOM && m.comment == "":
		m.comment = string(body)
	}
}

// resolution is the density as a TIFF has it.
func (m *jpegMeta) resolution() TIFFResolution {
	d := m.density
	if d.x == 0 || d.y == 0 || d.unit > 2 || d.unit == 0 && d.x == d.y {
		return TIFFResolution{}
	}
	return TIFFResolution{X: [2]uint32{uint32(d.x), 1}, Y: [2]uint32{uint32(d.y), 1}, Unit: uint16(d.unit) + 1}
}
