package raster

import (
	"encoding/binary"
	"math"
)

// Values of tag 317.
const (
	tiffWriterPredictNone       = 1
	tiffWriterPredictHorizontal = 2
	tiffWriterPredictFloat      = 3
)

// tiffWriterDir is what the directory of a page will say.
type tiffWriterDir struct {
	w, h            int64
	format          writeFormat
	rows            int // of a strip
	compression     TIFFCompression
	predictor       uint16
	tags            TIFFTags
	offsets, counts []uint64 // of the strips
}

// Field types of TIFF 6.0 and BigTIFF.
const (
	tiffWriteASCII    = 2
	tiffWriteShort    = 3
	tiffWriteLong     = 4
	tiffWriteRational = 5
	tiffWriteLong8    = 16
)

// tiffWriterEntry is a field of a directory with its values as bytes.
type tiffWriterEntry struct {
	tag, kind uint16
	count     uint64
	data      []byte
}

func tiffWriterShorts(tag uint16, v ...uint16) tiffWriterEntry {
	e := tiffWriterEntry{tag: tag, kind: tiffWriteShort, count: uint64(len(v))}
	for _, x := range v {
		e.data = binary.LittleEndian.AppendUint16(e.data, x)
	}
	return e
}

// tiffWriterLongs stores as LONG where all values fit and as LONG8 otherwise, which only BigTIFF has.
func tiffWriterLongs(tag uint16, v ...uint64) tiffWriterEntry {
	e := tiffWriterEntry{tag: tag, kind: tiffWriteLong, count: uint64(len(v))}
	for _, x := range v {
		if x > math.MaxUint32 {
			e.kind = tiffWriteLong8
		}
	}
	for _, x := range v {
		if e.kind == tiffWriteLong8 {
			e.data = binary.LittleEndian.AppendUint64(e.data, x)
		} else {
			e.data = binary.LittleEndian.AppendUint32(e.data, uint32(x))
		}
	}
	return e
}

func tiffWriterRational(tag uint16, v [2]uint32) tiffWriterEntry {
	e := tiffWriterEntry{tag: tag, kind: tiffWriteRational, count: 1}
	e.data = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, v[0]), v[1])
	return e
}

func tiffWriterText(tag uint16, s string) tiffWriterEntry {
	return tiffWriterEntry{tag: tag, kind: tiffWriteASCII, count: uint64(len(s)) + 1, data: append([]byte(s), 0)}
}

// entries are the fields of the page, in the order of their tags.
func (d *tiffWriterDir) entries() []tiffWriterEntry {
	f := &d.format
	each := func(tag uint16, v int) tiffWriterEntry { // one value a channel
		s := make([]uint16, f.channels)
		for i := range s {
			s[i] = uint16(v)
		}
		return tiffWriterShorts(tag, s...)
	}
	photometric, bilevel := tiffWriterBilevel(f.palette)
	switch {
	case bilevel:
	case f.kind == writePalette:
		photometric = 3
	case f.kind == writeRGB, f.kind == writeRGBA:
		photometric = 2
	default:
		photometric = 1 // black is zero
	}
	e := []tiffWriterEntry{
		tiffWriterLongs(256, uint64(d.w)),
		tiffWriterLongs(257, uint64(d.h)),
		each(258, f.bits),
		tiffWriterShorts(259, uint16(d.compression)),
		tiffWriterShorts(262, photometric),
	}
	if d.tags.Description != "" {
		e = append(e, tiffWriterText(270, d.tags.Description))
	}
	e = append(e,
		tiffWriterLongs(273, d.offsets...),
		tiffWriterShorts(277, uint16(f.channels)),
		tiffWriterLongs(278, uint64(d.rows)),
		tiffWriterLongs(279, d.counts...),
	)
	if r := d.tags.Resolution; r.Unit != 0 {
		e = append(e, tiffWriterRational(282, r.X), tiffWriterRational(283, r.Y))
	}
	e = append(e, tiffWriterShorts(284, 1)) // samples of a pixel side by side
	if r := d.tags.Resolution; r.Unit != 0 {
		e = append(e, tiffWriterShorts(296, r.Unit))
	}
	if d.tags.Software != "" {
		e = append(e, tiffWriterText(305, d.tags.Software))
	}
	if d.predictor != tiffWriterPredictNone {
		e = append(e, tiffWriterShorts(317, d.predictor))
	}
	if photometric == 3 {
		e = append(e, tiffWriterColorMap(f))
	}
	if f.kind == writeRGBA {
		e = append(e, tiffWriterShorts(338, 2)) // unassociated alpha
	}
	if f.kind == writeFloat {
		return append(e, each(339, 3))
	}
	return append(e, each(339, 1))
}

// tiffWriterColorMap holds all reds, then all greens, then all blues, one for each value that the bits allow.
func tiffWriterColorMap(f *writeFormat) tiffWriterEntry {
	n := 1 << f.bits
	v := make([]uint16, 3*n)
	for i, c := range f.palette {
		r, g, b, _ := c.RGBA()
		v[i], v[n+i], v[2*n+i] = uint16(r), uint16(g), uint16(b)
	}
	return tiffWriterShorts(320, v...)
}

// tiffWriterAlign is the next place for a directory, which begins on a word; eight bytes suit both forms.
func tiffWriterAlign(at int64) int64 { return (at + 7) &^ 7 }

// tiffWriterDirectories are the bytes of a chain of directories that are to stand at offset at, padding before the first
// included. Each is followed by those of its values that do not fit a field.
func tiffWriterDirectories(dirs []*tiffWriterDir, at int64, big bool) []byte {
	le := binary.LittleEndian
	word, fieldLen, countLen := 4, 12, 2
	if big {
		word, fieldLen, countLen = 8, 20, 8
	}
	putWord := func(b []byte, v uint64) []byte {
		if big {
			return le.AppendUint64(b, v)
		}
		return le.AppendUint32(b, uint32(v))
	}
	var out []byte
	for i, d := range dirs {
		out = append(out, make([]byte, tiffWriterAlign(at+int64(len(out)))-at-int64(len(out)))...)
		fields := d.entries()
		values := at + int64(len(out)+countLen+len(fields)*fieldLen+word) // where long values begin
		var long []byte
		if big {
			out = le.AppendUint64(out, uint64(len(fields)))
		} else {
			out = le.AppendUint16(out, uint16(len(fields)))
		}
		for _, e := range fields {
			out = le.AppendUint16(le.AppendUint16(out, e.tag), e.kind)
			out = putWord(out, e.count)
			if len(e.data) <= word {
				out = append(out, e.data...)
				out = append(out, make([]byte, word-len(e.data))...)
				continue
			}
			if (values+int64(len(long)))%2 != 0 {
				long = append(long, 0)
			}
			out = putWord(out, uint64(values+int64(len(long))))
			long = append(long, e.data...)
		}
		next := uint64(0)
		if i < len(dirs)-1 {
			next = uint64(tiffWriterAlign(values + int64(len(long))))
		}
		out = append(putWord(out, next), long...)
	}
	return out
}
