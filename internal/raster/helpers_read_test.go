package raster

import (
	"bytes"
	"context"
	"errors"
	"image"
	"slices"
	"testing"

	"segscan/segment"
)

// memSource hands out samples held in a plane, under any layout.
type memSource struct {
	lay layout
	p   segment.Plane // stored rows, channels interleaved
	// passes counts the passes begun, and fail ends one with an error at that row.
	passes, fail int
}

var errTest = errors.New("made to fail")

func (m *memSource) layout() *layout { return &m.lay }

func (m *memSource) rows(_ context.Context, win image.Rectangle) (rowReader, error) {
	m.passes++
	if win.Empty() || !win.In(image.Rect(0, 0, int(m.lay.width), int(m.lay.height))) {
		return nil, errors.New("window outside the page")
	}
	return &memRows{m, win}, nil
}

type memRows struct {
	m   *memSource
	win image.Rectangle
}

func (r *memRows) next(dst segment.Plane) error {
	ch := r.m.lay.channels
	if dst.Lines > r.win.Dy() || dst.Samples != r.win.Dx()*ch {
		return errors.New("more rows or samples than the window has")
	}
	if r.m.fail > 0 && r.win.Min.Y+dst.Lines > r.m.fail {
		return errTest
	}
	turn{}.place(dst, r.m.p.Sub(r.win.Min.Y, r.win.Min.X*ch, dst.Lines, dst.Samples), 0, dst.Lines)
	r.win.Min.Y += dst.Lines
	return nil
}

func (r *memRows) close() error { return nil }

// numbered is a memSource of w x h pixels whose samples are all different, as far as the type goes.
func numbered(t segment.SampleType, w, h, channels int) *memSource {
	m := &memSource{p: segment.NewPlane(t, h, w*channels)}
	for i := range h * w * channels {
		switch t {
		case segment.U8:
			m.p.U8[i] = uint8(i * 7)
		case segment.U16:
			m.p.U16[i] = uint16(i * 263)
		default:
			m.p.F32[i] = float32(i) - 20.5
		}
	}
	m.lay = layout{width: int64(w), height: int64(h), sample: t, channels: channels, bits: 8 * t.Bytes(), max: 255}
	if channels > 2 {
		m.lay.model = modelRGB
	}
	return m
}

// openBytes opens a file held in memory.
func openBytes(data []byte, o Options) (Reader, error) {
	return Open(bytes.NewReader(data), int64(len(data)), "file", o)
}

// readAll gives the gray lines of a file's first page and its warnings.
func readAll(data []byte, o Options) (lines [][]float64, warnings []string, err error) {
	r, err := openBytes(data, o)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	p, err := r.Page(0)
	if err != nil {
		return nil, nil, err
	}
	lines, err = bodyLines(p, Request{MaxBytes: 5000})
	return lines, append(r.Warnings(), p.Info().Warnings...), err
}

// sameLines fails at the first sample that differs.
func sameLines(t *testing.T, got, want [][]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for y := range want {
		if slices.Equal(got[y], want[y]) {
			continue
		}
		if len(got[y]) != len(want[y]) {
			t.Fatalf("line %d has %d samples, want %d", y, len(got[y]), len(want[y]))
		}
		for x := range want[y] {
			if got[y][x] != want[y][x] {
				t.Fatalf("line %d sample %d is %v, want %v", y, x, got[y][x], want[y][x])
			}
		}
	}
}
