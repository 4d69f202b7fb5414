package png

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// scanner walks over the chunks of a file.
type scanner struct {
	r       io.ReaderAt
	size    int64
	pos     int64 // of the next chunk
	in      *Info
	seenTRN bool
	ended   bool // the run of IDAT chunks is over

	buf   [4096]byte
	bufAt int64
	bufN  int
}

// bytes gives n <= len(buf) bytes at pos; they are valid until the next call.
func (s *scanner) bytes(pos int64, n int) ([]byte, error) {
	if pos < s.bufAt || pos+int64(n) > s.bufAt+int64(s.bufN) {
		k, err := s.r.ReadAt(s.buf[:min(int64(len(s.buf)), s.size-pos)], pos)
		if k < n {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("reading at byte %d: %w", pos, err)
		}
		s.bufAt, s.bufN = pos, k
	}
	return s.buf[pos-s.bufAt:][:n], nil
}

// maxHeld is the longest chunk whose contents are used: a palette has 768 bytes, EXIF at most 64 KiB in practice.
const maxHeld = 1 << 20

// chunk handles the chunk at pos and moves on; it tells whether the walk is over.
func (s *scanner) chunk() (done bool, err error) {
	in := s.in
	seen := in.dataAt != 0 // damage from here on leaves the pixels whole
	switch left := s.size - s.pos; {
	case left == 0 && seen:
		in.warn("the end of the file (chunk IEND) is missing")
		return true, nil
	case left == 0:
		return true, fmt.Errorf("file is truncated at byte %d, before its image data", s.size)
	case left < 8:
		return true, fmt.Errorf("file is truncated at byte %d, in the head of a chunk", s.size)
	}
	h, err := s.bytes(s.pos, 8)
	if err != nil {
		return true, err
	}
	length, name := int64(binary.BigEndian.Uint32(h)), string(h[4:8])
	if !letters(name) {
		if !seen {
			return true, fmt.Errorf("damaged at byte %d: no chunk begins here", s.pos)
		}
		in.warn("damaged after the image data, at byte %d: no chunk begins there", s.pos)
		return true, nil
	}
	if in.Width == 0 && name != "IHDR" {
		if name == "CgBI" {
			return true, fmt.Errorf("an Apple CgBI file, which is no PNG; convert it with pngcrush -revert-iphone-optimizations")
		}
		return true, fmt.Errorf("first chunk is %s instead of IHDR", name)
	}
	at := s.pos + 8
	s.pos = at + length + 4
	if s.pos > s.size {
		return true, fmt.Errorf("file is truncated in chunk %s at byte %d", name, at-8)
	}
	if name != "IDAT" && seen {
		s.ended = true
	}
	if name == "IDAT" {
		s.data(at, length)
		return false, nil
	}
	body, good, err := s.body(name, at, length)
	if err != nil {
		return true, err
	}
	if name == "IEND" && good {
		if length != 0 {
			in.warn("chunk IEND holds %d bytes, which are ignored", length)
		}
		switch n := s.size - s.pos; {
		case n == 1:
			in.warn("1 byte after the end of the image is ignored")
		case n > 1:
			in.warn("%d bytes after the end of the image are ignored", n)
		}
		return true, nil
	}
	if critical := name[0]&0x20 == 0; critical {
		if !good {
			return true, fmt.Errorf("chunk %s is damaged (bad CRC)", name)
		}
		return false, s.critical(name, body)
	}
	if !good {
		in.warn("chunk %s is damaged (bad CRC), ignored", name)
		return false, nil
	}
	s.ancillary(name, body)
	return false, nil
}

// data notes an IDAT chunk.
func (s *scanner) data(at, length int64) {
	in := s.in
	switch {
	case in.dataAt == 0:
		in.dataAt = at - 8
		in.dataBytes = length
	case s.ended:
		in.warn("image data (IDAT) after the end of the image data is ignored")
	default:
		in.dataBytes += length
	}
}

// body reads a chunk, checks its CRC and gives its contents if they are used.
func (s *scanner) body(name string, at, length int64) (body []byte, good bool, err error) {
	crc := crc32.ChecksumIEEE([]byte(name))
	hold := length <= maxHeld && held(name)
	limit := length
	if !hold && textual(name) {
		hold, limit = true, maxText
	}
	for off := int64(0); off < length; {
		n := int(min(length-off, int64(len(s.buf))))
		b, err := s.bytes(at+off, n)
		if err != nil {
			return nil, false, err
		}
		crc = crc32.Update(crc, crc32.IEEETable, b)
		if hold {
			body = append(body, b[:min(int64(n), max(0, limit-off))]...)
		}
		off += int64(n)
	}
	b, err := s.bytes(at+length, 4)
	if err != nil {
		return nil, false, err
	}
	return body, binary.BigEndian.Uint32(b) == crc, nil
}

func held(name string) bool {
	switch name {
	case "IHDR", "PLTE", "tRNS", "gAMA", "sBIT", "eXIf", "acTL", "pHYs":
		return true
	}
	return false
}

func (s *scanner) critical(name string, body []byte) error {
	in := s.in
	switch {
	case name == "IHDR" && in.Width == 0:
		return in.parseIHDR(body)
	case name == "IHDR":
		return fmt.Errorf("file has two IHDR chunks")
	case name == "PLTE" && in.dataAt != 0:
		if in.ColorType == Paletted {
			return fmt.Errorf("palette (PLTE) comes after the image data")
		}
		return nil
	case name == "PLTE":
		return in.parsePLTE(body)
	}
	return fmt.Errorf("unknown critical chunk %s: the image cannot be read without it", name)
}

func (s *scanner) ancillary(name string, body []byte) {
	in := s.in
	late := in.dataAt != 0
	if len(in.Ancillary) < maxTexts && !slices.Contains(in.Ancillary, name) {
		in.Ancillary = append(in.Ancillary, name)
	}
	switch name {
	case "tEXt", "zTXt", "iTXt":
		if t, ok := parseText(name, body); ok && len(in.Texts) < maxTexts {
			in.Texts = append(in.Texts, t)
		}
	case "pHYs":
		if len(body) == 9 && !late {
			in.Density = Density{binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:]), body[8] == 1}
		}
	case "tRNS":
		if late || s.seenTRN || in.ColorType == Paletted && in.Palette == nil {
			in.warn("chunk tRNS is out of place, ignored")
			return
		}
		s.seenTRN = true
		in.parseTRNS(body)
	case "gAMA":
		if len(body) == 4 && !late {
			in.Gamma = binary.BigEndian.Uint32(body)
		}
	case "sBIT":
		if len(body) >= 1 && len(body) <= 4 && !late {
			in.SignificantBits = body
		}
	case "eXIf":
		if in.Exif == nil {
			in.Exif = body
		}
	case "acTL":
		if len(body) == 8 && !late {
			in.Frames = max(1, binary.BigEndian.Uint32(body))
		}
	}
}

func letters(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}
