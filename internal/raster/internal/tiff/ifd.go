package tiff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// typeSize is the size in bytes of one value of a field type; 0 for types that are not known.
func typeSize(t uint16) int64 {
	switch t {
	case 1, 2, 6, 7: // BYTE, ASCII, SBYTE, UNDEFINED
		return 1
	case 3, 8: // SHORT, SSHORT
		return 2
	case 4, 9, 11, 13: // LONG, SLONG, FLOAT, IFD
		return 4
	case 5, 10, 12, 16, 17, 18: // RATIONAL, SRATIONAL, DOUBLE, LONG8, SLONG8, IFD8
		return 8
	}
	return 0
}

// field is one directory entry. Its values lie at off in the file, inline ones too.
type field struct {
	tag   Tag
	typ   uint16
	count uint64
	off   int64
}

// ifd is one directory: fields in file order, the first of each tag.
type ifd struct {
	fields   map[Tag]field
	warnings []string
	next     uint64
}

// source is the file with what its header says.
type source struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	big   bool
}

// errBounds is the cause of errors about places outside the file.
var errBounds = errors.New("lies outside the file")

// read fills p from off; a place beyond the end is errBounds.
func (s *source) read(p []byte, off int64) error {
	if off < 0 || off > s.size-int64(len(p)) {
		return errBounds
	}
	n, err := s.r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// maxFields bounds the entries of one directory, as libtiff does for BigTIFF.
const maxFields = 65535

// readIFD reads the directory at off.
func (s *source) readIFD(off int64) (*ifd, error) {
	countLen, entryLen := int64(2), int64(12)
	if s.big {
		countLen, entryLen = 8, 20
	}
	var buf [20]byte
	if err := s.read(buf[:countLen], off); err != nil {
		return nil, err
	}
	n := uint64(s.order.Uint16(buf[:]))
	if s.big {
		n = s.order.Uint64(buf[:])
	}
	if n == 0 {
		return nil, errors.New("holds no entries")
	}
	if n > maxFields || int64(n)*entryLen > s.size-off-countLen {
		return nil, fmt.Errorf("claims %d entries, more than the file holds", n)
	}
	raw := make([]byte, int64(n)*entryLen)
	if err := s.read(raw, off+countLen); err != nil {
		return nil, err
	}
	d := &ifd{fields: make(map[Tag]field, n)}
	last, sorted := Tag(0), true
	for i := int64(0); i < int64(n); i++ {
		e := raw[i*entryLen : (i+1)*entryLen]
		f := field{tag: Tag(s.order.Uint16(e)), typ: s.order.Uint16(e[2:])}
		inline, value := int64(4), int64(8)
		if s.big {
			f.count, inline, value = s.order.Uint64(e[4:]), 8, 12
		} else {
			f.count = uint64(s.order.Uint32(e[4:]))
		}
		f.off = off + countLen + i*entryLen + value
		sz := typeSize(f.typ)
		if sz != 0 && f.count > uint64(inline/sz) {
			p := uint64(s.order.Uint32(e[8:]))
			if s.big {
				p = s.order.Uint64(e[12:])
			}
			f.off = int64(min(p, math.MaxInt64))
		}
		sorted = sorted && f.tag >= last
		last = f.tag
		if _, dup := d.fields[f.tag]; !dup {
			d.fields[f.tag] = f
		}
	}
	if !sorted {
		d.warnings = append(d.warnings, "tags are not in ascending order")
	}
	link := buf[:4]
	if s.big {
		link = buf[:8]
	}
	// A directory cut off before its link is the last one.
	if err := s.read(link, off+countLen+int64(len(raw))); err != nil {
		d.warnings = append(d.warnings, "the link to the next page is missing")
		return d, nil
	}
	if s.big {
		d.next = s.order.Uint64(link)
	} else {
		d.next = uint64(s.order.Uint32(link))
	}
	return d, nil
}

// bytes reads the raw values of f, at most limit bytes.
func (s *source) bytes(f field, limit int64) ([]byte, error) {
	sz := typeSize(f.typ)
	if sz == 0 {
		return nil, fmt.Errorf("has unknown field type %d", f.typ)
	}
	if f.count > uint64(limit/sz) {
		return nil, fmt.Errorf("has %d values, more than the %d taken", f.count, limit/sz)
	}
	n := int64(f.count) * sz
	if f.off < 0 || f.off > s.size-n {
		return nil, errBounds
	}
	b := make([]byte, n)
	return b, s.read(b, f.off)
}

// uints reads up to limit values of an integer field.
func (s *source) uints(f field, limit int) ([]uint64, error) {
	switch f.typ {
	case 1, 3, 4, 6, 7, 8, 9, 13, 16, 17, 18:
	default:
		return nil, fmt.Errorf("has field type %d where an integer is needed", f.typ)
	}
	b, err := s.bytes(f, int64(limit)*typeSize(f.typ))
	if err != nil {
		return nil, err
	}
	out := make([]uint64, f.count)
	for i := range out {
		out[i] = s.uintAt(b, f.typ, i)
	}
	return out, nil
}

// uintAt is value i of b. Negative values become huge, and so fail every range check.
func (s *source) uintAt(b []byte, typ uint16, i int) uint64 {
	switch typ {
	case 1, 7:
		return uint64(b[i])
	case 6:
		return uint64(int64(int8(b[i])))
	case 3:
		return uint64(s.order.Uint16(b[2*i:]))
	case 8:
		return uint64(int64(int16(s.order.Uint16(b[2*i:]))))
	case 4, 13:
		return uint64(s.order.Uint32(b[4*i:]))
	case 9:
		return uint64(int64(int32(s.order.Uint32(b[4*i:]))))
	}
	return s.order.Uint64(b[8*i:])
}

// floats reads up to limit values of any numeric field.
func (s *source) floats(f field, limit int) ([]float64, error) {
	sz := typeSize(f.typ)
	if sz == 0 || f.typ == 2 {
		return nil, fmt.Errorf("has field type %d where a number is needed", f.typ)
	}
	b, err := s.bytes(f, int64(limit)*sz)
	if err != nil {
		return nil, err
	}
	out := make([]float64, f.count)
	for i := range out {
		switch f.typ {
		case 5:
			out[i] = float64(s.order.Uint32(b[8*i:])) / float64(s.order.Uint32(b[8*i+4:]))
		case 10:
			out[i] = float64(int32(s.order.Uint32(b[8*i:]))) / float64(int32(s.order.Uint32(b[8*i+4:])))
		case 11:
			out[i] = float64(math.Float32frombits(s.order.Uint32(b[4*i:])))
		case 12:
			out[i] = math.Float64frombits(s.order.Uint64(b[8*i:]))
		case 6, 8, 9, 17:
			out[i] = float64(int64(s.uintAt(b, f.typ, i)))
		default:
			out[i] = float64(s.uintAt(b, f.typ, i))
		}
	}
	return out, nil
}

// text reads an ASCII field, up to its first NUL.
func (s *source) text(f field, limit int64) (string, error) {
	if typeSize(f.typ) != 1 {
		return "", fmt.Errorf("has field type %d where text is needed", f.typ)
	}
	f.count = min(f.count, uint64(limit))
	b, err := s.bytes(f, limit)
	if err != nil {
		return "", err
	}
	t, _, _ := strings.Cut(string(b), "\x00")
	return t, nil
}
