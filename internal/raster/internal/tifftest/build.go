// Package tifftest builds small TIFF files for tests, sound ones and broken ones alike: it writes what it is told to.
package tifftest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Rational is one value of type RATIONAL.
type Rational [2]uint32

// SLong marks values of type SLONG, IFDs of type IFD.
type (
	SLong []int32
	IFDs  []uint32
)

// Page is one directory. Tags values are uint16, uint32, uint64 or slices of them, []byte, string, []float64,
// []Rational, SLong or IFDs. Chunks are stored strips or tiles: their offsets and sizes are added under 273 and 279,
// or 324 and 325 if tag 322 is there, unless Tags has them.
type Page struct {
	Tags   map[uint16]any
	Chunks [][]byte
	Subs   []Page // become tag 330
}

// Order is a byte order that reads and writes.
type Order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// File is the form of the file. Unsorted writes tags in descending order. Loop makes the last page point to the first.
type File struct {
	Order    Order // nil: little-endian
	Big      bool
	Unsorted bool
	Loop     bool
	Pages    []Page
}

type builder struct {
	f     File
	order Order
	out   []byte
}

// Build gives the bytes of the file.
func Build(f File) []byte {
	b := &builder{f: f, order: f.Order}
	if b.order == nil {
		b.order = binary.LittleEndian
	}
	mark := "II"
	if b.order == binary.BigEndian {
		mark = "MM"
	}
	b.out = append(b.out, mark...)
	if f.Big {
		b.u16(43)
		b.u16(8)
		b.u16(0)
	} else {
		b.u16(42)
	}
	link := len(b.out)
	first := 0
	b.offset(0)
	for _, p := range f.Pages {
		at, next := b.page(p)
		if first == 0 {
			first = at
		}
		b.patch(link, at)
		link = next
	}
	if f.Loop {
		b.patch(link, first)
	}
	return b.out
}

func (b *builder) u16(v uint16) { b.out = b.order.AppendUint16(b.out, v) }

func (b *builder) offset(v int) {
	if b.f.Big {
		b.out = b.order.AppendUint64(b.out, uint64(v))
	} else {
		b.out = b.order.AppendUint32(b.out, uint32(v))
	}
}

func (b *builder) patch(at, v int) {
	if b.f.Big {
		b.order.PutUint64(b.out[at:], uint64(v))
	} else {
		b.order.PutUint32(b.out[at:], uint32(v))
	}
}

// page writes chunks, SubIFDs, values and the directory; it gives the directory's place and that of its link.
func (b *builder) page(p Page) (at, link int) {
	tags := maps.Clone(p.Tags)
	offTag, sizeTag := uint16(273), uint16(279)
	if _, tiled := tags[322]; tiled {
		offTag, sizeTag = 324, 325
	}
	var offs, sizes []uint32
	for _, c := range p.Chunks {
		offs, sizes = append(offs, uint32(len(b.out))), append(sizes, uint32(len(c)))
		b.out = append(b.out, c...)
	}
	if _, given := tags[offTag]; !given && len(offs) > 0 {
		tags[offTag] = offs
	}
	if _, given := tags[sizeTag]; !given && len(sizes) > 0 {
		tags[sizeTag] = sizes
	}
	var subs IFDs
	for _, s := range p.Subs {
		at, _ := b.page(s)
		subs = append(subs, uint32(at))
	}
	if subs != nil {
		tags[330] = subs
	}
	numbers := slices.Sorted(maps.Keys(tags))
	if b.f.Unsorted {
		slices.Reverse(numbers)
	}
	inline := 4
	if b.f.Big {
		inline = 8
	}
	type entry struct {
		typ   uint16
		count int
		value []byte
	}
	entries := map[uint16]entry{}
	for _, n := range numbers {
		e := entry{}
		e.typ, e.count, e.value = b.value(tags[n])
		if len(e.value) > inline {
			at := len(b.out)
			b.out = append(b.out, e.value...)
			e.value = b.order.AppendUint64(nil, uint64(at))
			if !b.f.Big {
				e.value = b.order.AppendUint32(nil, uint32(at))
			}
		}
		entries[n] = e
	}
	at = len(b.out)
	if b.f.Big {
		b.offset(len(numbers))
	} else {
		b.u16(uint16(len(numbers)))
	}
	for _, n := range numbers {
		e := entries[n]
		b.u16(n)
		b.u16(e.typ)
		b.offset(e.count)
		b.out = append(b.out, append(e.value, make([]byte, 8)...)[:inline]...)
	}
	link = len(b.out)
	b.offset(0)
	return at, link
}

// value gives type, count and bytes of a tag's value.
func (b *builder) value(v any) (typ uint16, count int, raw []byte) {
	switch v := v.(type) {
	case uint16:
		return 3, 1, b.order.AppendUint16(nil, v)
	case int:
		return b.value(uint16(v))
	case uint32:
		return 4, 1, b.order.AppendUint32(nil, v)
	case uint64:
		return 16, 1, b.order.AppendUint64(nil, v)
	case []uint16:
		for _, x := range v {
			raw = b.order.AppendUint16(raw, x)
		}
		return 3, len(v), raw
	case []uint32:
		for _, x := range v {
			raw = b.order.AppendUint32(raw, x)
		}
		return 4, len(v), raw
	case IFDs:
		for _, x := range v {
			raw = b.order.AppendUint32(raw, x)
		}
		return 13, len(v), raw
	case SLong:
		for _, x := range v {
			raw = b.order.AppendUint32(raw, uint32(x))
		}
		return 9, len(v), raw
	case []uint64:
		for _, x := range v {
			raw = b.order.AppendUint64(raw, x)
		}
		return 16, len(v), raw
	case []Rational:
		for _, x := range v {
			raw = b.order.AppendUint32(raw, x[0])
			raw = b.order.AppendUint32(raw, x[1])
		}
		return 5, len(v), raw
	case []float64:
		for _, x := range v {
			raw = b.order.AppendUint64(raw, math.Float64bits(x))
		}
		return 12, len(v), raw
	case []byte:
		return 7, len(v), v
	case string:
		return 2, len(v) + 1, append([]byte(v), 0)
	}
	panic(fmt.Sprintf("tifftest: no field type for %T", v))
}

// Gray is a page of one sample a pixel in one strip.
func Gray(w, h, bits int, strip []byte) Page {
	return Page{Tags: map[uint16]any{256: w, 257: h, 258: bits, 259: 1, 262: 1, 277: 1, 278: h}, Chunks: [][]byte{strip}}
}

// With is p with further tags; a nil value takes a tag away.
func (p Page) With(tags map[uint16]any) Page {
	p.Tags = maps.Clone(p.Tags)
	for k, v := range tags {
		if v == nil {
			delete(p.Tags, k)
		} else {
			p.Tags[k] = v
		}
	}
	return p
}
