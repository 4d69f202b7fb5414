package raster

import (
	"image"
	"math"
	"slices"
	"sync"

	"segscan/segment"
)

// DefaultBandBytes is what Request.MaxBytes 0 stands for.
const DefaultBandBytes = 64 << 20

// page is the Page of every format: a pixelSource with its conversion and orientation.
type page struct {
	info segment.PageInfo
	src  pixelSource
	lay  layout
	opt  Options
	turn turn
	conv *converter

	mu   sync.Mutex
	kept *keptPlane // converted samples of a window that fit the budget; see bandPlan.keep
}

// newPage makes the Page number i of n of a file from a source. It checks the size against o.MaxPixels and that the
// page has the channel asked for. No sample is read.
func newPage(file string, i, n int, src pixelSource, o Options) (Page, error) {
	p := &page{src: src, lay: *src.layout(), opt: o}
	l := &p.lay
	if err := checkSize(l.width, l.height, o); err != nil {
		return nil, err
	}
	var err error
	if p.conv, err = newConverter(l, o); err != nil {
		return nil, err
	}
	p.info = segment.PageInfo{
		File: file, Page: i, Pages: n,
		Width: l.width, Height: l.height,
		Type: p.conv.out, Bits: l.bits, Channels: p.conv.channels,
		Min: p.conv.min, Max: p.conv.max,
		Warnings:  slices.Clone(l.warnings),
		ColourMin: l.min, ColourMax: l.max, Gray: l.model == modelGray,
	}
	if l.model == modelPalette {
		p.info.ColourMin, p.info.ColourMax = 0, math.MaxUint8
	}
	if l.orientation > 1 && l.orientation <= 8 {
		if o.AutoOrient {
			p.turn = orientationTurn(l.orientation)
			if p.turn.swap {
				p.info.Width, p.info.Height = l.height, l.width
			}
		} else {
			p.info.Warnings = append(p.info.Warnings, orientationWarning(l.orientation))
		}
	}
	return p, nil
}

func (p *page) Info() *segment.PageInfo { return &p.info }

func (p *page) Tags() TIFFTags {
	t := p.lay.tags
	if p.turn.swap {
		t.Resolution.X, t.Resolution.Y = t.Resolution.Y, t.Resolution.X
	}
	return t
}

func (p *page) Scale() Scale {
	s := p.lay.scale
	if p.turn.swap {
		s.X, s.Y = s.Y, s.X
	}
	return s
}

// keptPlane holds converted samples of a window of the stored page.
type keptPlane struct {
	win image.Rectangle
	v   segment.Plane
}

// defaultAlphaMax is the alpha of an opaque pixel where the layout does not say.
func defaultAlphaMax(t segment.SampleType) float64 {
	switch t {
	case segment.U8:
		return math.MaxUint8
	case segment.U16:
		return math.MaxUint16
	}
	return 1
}
