package batch

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"

	"segscan/internal/raster"
	"segscan/segment"
)

// fakeFile is a decoder of pages held in memory, for what files in tests cannot easily hold: float samples, any
// number of pages, pages that fail or panic.
type fakeFile struct {
	pages    []segment.Plane // Lines x Samples, by rows
	warnings []string
	broken   int // this page ends early; -1: none
	panics   int // this page panics; -1: none
	onPage   func(i int)
}

func fakePages(pages ...segment.Plane) *fakeFile {
	return &fakeFile{pages: pages, broken: -1, panics: -1}
}

// float is a page of float samples.
func float(lines ...[]float32) segment.Plane {
	p := segment.NewPlane(segment.F32, len(lines), len(lines[0]))
	for y, l := range lines {
		copy(p.F32[y*p.Stride:], l)
	}
	return p
}

// bytesPage is a page of 8-bit samples from classes.
func bytesPage(lines ...string) segment.Plane {
	p := segment.NewPlane(segment.U8, len(lines), len(lines[0]))
	for y, l := range lines {
		for x := range l {
			p.U8[y*p.Stride+x] = class(l[x])
		}
	}
	return p
}

func (f *fakeFile) open(io.ReaderAt, int64, string, raster.Options) (raster.Reader, error) {
	return f, nil
}
func (f *fakeFile) Format() string     { return "png" }
func (f *fakeFile) Pages() int         { return len(f.pages) }
func (f *fakeFile) Warnings() []string { return f.warnings }
func (f *fakeFile) Close() error       { return nil }

func (f *fakeFile) Page(i int) (raster.Page, error) {
	if f.onPage != nil {
		f.onPage(i)
	}
	p := f.pages[i]
	info := &segment.PageInfo{
		Page: i, Pages: len(f.pages), Width: int64(p.Samples), Height: int64(p.Lines), Type: p.Type(), Bits: 8,
		Channels: 1, Max: 255,
	}
	if info.Type == segment.F32 {
		info.Bits, info.Min, info.Max = 32, math.NaN(), math.NaN()
	}
	return &fakePage{f, info, p}, nil
}

type fakePage struct {
	file *fakeFile
	info *segment.PageInfo
	v    segment.Plane
}

func (p *fakePage) Info() *segment.PageInfo { return p.info }

func (p *fakePage) Bands(_ context.Context, r raster.Request) iter.Seq2[segment.Band, error] {
	return func(yield func(segment.Band, error) bool) {
		if p.file.panics == p.info.Page {
			panic("index out of range")
		}
		v, x0, y0 := p.v, 0, 0
		if r.ROI != nil {
			x0, y0 = r.ROI.Min.X, r.ROI.Min.Y
			v = v.Sub(y0, x0, r.ROI.Dy(), r.ROI.Dx())
		}
		line0, sample0 := y0, x0
		if r.Axis == segment.Cols {
			v, line0, sample0 = turned(v), x0, y0
		}
		step := v.Lines
		if r.MaxBytes > 0 {
			step = max(1, int(r.MaxBytes)/(v.Samples*v.Type().Bytes()))
		}
		for l := 0; l < v.Lines; l += step {
			if p.file.broken == p.info.Page && l+step >= v.Lines {
				yield(segment.Band{}, errors.New("its data ends early"))
				return
			}
			n := min(step, v.Lines-l)
			b := segment.Band{
				Page: p.info, Axis: r.Axis, Line0: int64(line0 + l), Sample0: int64(sample0), Lines: n,
				Samples: v.Samples, V: v.Sub(l, 0, n, v.Samples),
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

func turned(v segment.Plane) segment.Plane {
	t := segment.NewPlane(v.Type(), v.Samples, v.Lines)
	for y := range v.Lines {
		for x := range v.Samples {
			from, to := y*v.Stride+x, x*t.Stride+y
			switch {
			case v.U8 != nil:
				t.U8[to] = v.U8[from]
			case v.U16 != nil:
				t.U16[to] = v.U16[from]
			default:
				t.F32[to] = v.F32[from]
			}
		}
	}
	return t
}
