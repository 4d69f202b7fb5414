package tiff

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

func openBytes(t testing.TB, data []byte) *File {
	t.Helper()
	f, err := Open(bytes.NewReader(data), int64(len(data)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func onePage(t testing.TB, p tifftest.Page) *Page {
	t.Helper()
	return pageOf(t, tifftest.Build(tifftest.File{Pages: []tifftest.Page{p}}))
}

func pageOf(t testing.TB, data []byte) *Page {
	t.Helper()
	p, err := openBytes(t, data).Page(0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newBlock is memory for n pixels of w x h.
func newBlock(p *Page, w, h int) Block {
	n := w * h * p.Channels
	b := Block{Stride: w * p.Channels}
	switch p.Type {
	case U8:
		b.U8 = make([]uint8, n)
	case U16:
		b.U16 = make([]uint16, n)
	default:
		b.F32 = make([]float32, n)
	}
	return b
}

// values are the samples of a block.
func (b Block) values() []float64 {
	var out []float64
	for _, v := range b.U8 {
		out = append(out, float64(v))
	}
	for _, v := range b.U16 {
		out = append(out, float64(v))
	}
	for _, v := range b.F32 {
		out = append(out, float64(v))
	}
	return out
}

// read gives the samples of a window, step rows at a time.
func read(p *Page, x, y, w, h, step int) ([]float64, error) {
	r, err := p.Rows(int64(x), int64(y), int64(w), int64(h))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := newBlock(p, w, h)
	for at := 0; at < h; at += step {
		if err := r.Next(context.Background(), b.from(at*b.Stride), min(step, h-at)); err != nil {
			return nil, err
		}
	}
	return b.values(), nil
}

func readAll(t testing.TB, p *Page) []float64 {
	t.Helper()
	v, err := read(p, 0, 0, int(p.Width), int(p.Height), int(p.Height))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkSamples compares samples and says where they differ first.
func checkSamples(t testing.TB, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d samples, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: sample %d is %v, want %v (got %v, want %v)", what, i, got[i], want[i], head(got), head(want))
			return
		}
	}
}

func head(v []float64) string { return fmt.Sprint(v[:min(len(v), 12)]) }

func floats[T uint8 | uint16 | int | float32](v ...T) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}
