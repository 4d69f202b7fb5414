package raster

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/image/tiff/lzw"
)

// A reader of what the writer makes, written from TIFF 6.0 and the BigTIFF page alone and sharing nothing with the
// writer, so that a common mistake cannot hide.

type tiffWriterField struct {
	kind  int
	vals  []uint64
	bytes []byte
}

type tiffWriterReadPage struct {
	fields      map[int]tiffWriterField
	w, h        int
	bits, chan_ int
	rows        [][]byte // packed, little-endian, predictor undone
}

func (p *tiffWriterReadPage) one(tb testing.TB, tag int) uint64 {
	tb.Helper()
	f, ok := p.fields[tag]
	if !ok || len(f.vals) == 0 {
		tb.Fatalf("no tag %d", tag)
	}
	return f.vals[0]
}

func (p *tiffWriterReadPage) or(tag int, v uint64) uint64 {
	if f, ok := p.fields[tag]; ok {
		return f.vals[0]
	}
	return v
}

func tiffWriterRead(tb testing.TB, b []byte) (pages []*tiffWriterReadPage, big bool) {
	tb.Helper()
	le := binary.LittleEndian
	if string(b[:2]) != "II" {
		tb.Fatalf("no tiff: % x", b[:4])
	}
	next := uint64(le.Uint32(b[4:]))
	word := 4
	if v := le.Uint16(b[2:]); v == 43 {
		big, word, next = true, 8, le.Uint64(b[8:])
		if le.Uint16(b[4:]) != 8 || le.Uint16(b[6:]) != 0 {
			tb.Fatalf("bad bigtiff header % x", b[:8])
		}
	} else if v != 42 {
		tb.Fatalf("version %d", v)
	}
	get := func(at uint64) uint64 {
		if big {
			return le.Uint64(b[at:])
		}
		return uint64(le.Uint32(b[at:]))
	}
	for next != 0 {
		if next%2 != 0 {
			tb.Fatalf("directory at the odd offset %d", next)
		}
		n, at := uint64(le.Uint16(b[next:])), next+2
		if big {
			n, at = le.Uint64(b[next:]), next+8
		}
		p := &tiffWriterReadPage{fields: map[int]tiffWriterField{}}
		last := -1
		for range n {
			tag, kind := int(le.Uint16(b[at:])), int(le.Uint16(b[at+2:]))
			if tag <= last {
				tb.Fatalf("tag %d after %d", tag, last)
			}
			last = tag
			count := get(at + 4)
			size := map[int]uint64{2: 1, 3: 2, 4: 4, 5: 8, 16: 8}[kind]
			if size == 0 || kind == 16 && !big {
				tb.Fatalf("tag %d has type %d", tag, kind)
			}
			from := at + 4 + uint64(word)
			if count*size > uint64(word) {
				from = get(from)
			}
			f := tiffWriterField{kind: kind, bytes: b[from : from+count*size]}
			for i := range count {
				switch v := f.bytes[i*size:]; size {
				case 1:
					f.vals = append(f.vals, uint64(v[0]))
				case 2:
					f.vals = append(f.vals, uint64(le.Uint16(v)))
				case 4:
					f.vals = append(f.vals, uint64(le.Uint32(v)))
				case 8:
					f.vals = append(f.vals, le.Uint64(v))
				}
			}
			p.fields[tag] = f
			at += 4 + 2*uint64(word)
		}
		next = get(at)
		p.read(tb, b)
		pages = append(pages, p)
	}
	return pages, big
}

func (p *tiffWriterReadPage) read(tb testing.TB, b []byte) {
	tb.Helper()
	p.w, p.h = int(p.one(tb, 256)), int(p.one(tb, 257))
	p.bits, p.chan_ = int(p.one(tb, 258)), int(p.one(tb, 277))
	if n := len(p.fields[258].vals); n != p.chan_ {
		tb.Fatalf("%d bit depths for %d samples", n, p.chan_)
	}
	rowLen := (p.w*p.bits*p.chan_ + 7) / 8
	per := int(p.one(tb, 278))
	offsets, counts := p.fields[273].vals, p.fields[279].vals
	if want := (p.h + per - 1) / per; len(offsets) != want || len(counts) != want {
		tb.Fatalf("%d offsets and %d counts for %d strips", len(offsets), len(counts), want)
	}
	for s := range offsets {
		rows := min(per, p.h-s*per)
		raw, err := tiffWriterUnpack(p.one(tb, 259), b[offsets[s]:offsets[s]+counts[s]])
		if err != nil {
			tb.Fatalf("strip %d: %v", s, err)
		}
		if len(raw) != rows*rowLen {
			tb.Fatalf("strip %d has %d bytes, want %d", s, len(raw), rows*rowLen)
		}
		for y := range rows {
			row := raw[y*rowLen : (y+1)*rowLen]
			p.unpredict(tb, row)
			p.rows = append(p.rows, row)
		}
	}
}

func tiffWriterUnpack(compression uint64, b []byte) ([]byte, error) {
	switch compression {
	case 1:
		return bytes.Clone(b), nil
	case 5:
		return io.ReadAll(lzw.NewReader(bytes.NewReader(b), lzw.MSB, 8))
	case 8:
		r, err := zlib.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case 50000:
		r, err := zstd.NewReader(nil)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return r.DecodeAll(b, nil)
	}
	return nil, fmt.Errorf("compression %d", compression)
}

func (p *tiffWriterReadPage) unpredict(tb testing.TB, row []byte) {
	tb.Helper()
	le := binary.LittleEndian
	n := p.bits / 8
	switch predictor := p.or(317, 1); {
	case predictor == 1:
	case predictor == 2 && n > 0:
		for i := n * p.chan_; i+n <= len(row); i += n {
			left := row[i-n*p.chan_:]
			switch n {
			case 1:
				row[i] += left[0]
			case 2:
				le.PutUint16(row[i:], le.Uint16(row[i:])+le.Uint16(left))
			case 4:
				le.PutUint32(row[i:], le.Uint32(row[i:])+le.Uint32(left))
			}
		}
	case predictor == 3 && n == 4 && p.or(339, 1) == 3:
		for i := 1; i < len(row); i++ {
			row[i] += row[i-1]
		}
		planes := bytes.Clone(row)
		for i := range p.w {
			for k := range 4 { // plane 0 holds the highest bytes
				row[4*i+3-k] = planes[k*p.w+i]
			}
		}
	default:
		tb.Fatalf("predictor %d with %d bits", predictor, p.bits)
	}
}

// sample is sample c of pixel x of row y.
func (p *tiffWriterReadPage) sample(x, y, c int) uint32 {
	row, i := p.rows[y], x*p.chan_+c
	switch p.bits {
	case 8:
		return uint32(row[i])
	case 16:
		return uint32(binary.LittleEndian.Uint16(row[2*i:]))
	case 32:
		return binary.LittleEndian.Uint32(row[4*i:])
	}
	return uint32(row[i*p.bits/8]>>(8-p.bits-i*p.bits%8)) & (1<<p.bits - 1)
}
