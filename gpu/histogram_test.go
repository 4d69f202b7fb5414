//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"segscan/segment"
)

// histogramsOf takes every kind of histogram of a band: of all lines, twice into the same; one a line; and for f32 the
// second pass of both.
func histogramsOf(t *testing.T, l segment.Loaded, b segment.Band) []segment.Histogram {
	t.Helper()
	whole, lines := make([]segment.Histogram, 1), make([]segment.Histogram, b.Lines)
	count := func(perLine bool, h []segment.Histogram) {
		t.Helper()
		if err := l.Histogram(context.Background(), perLine, h); err != nil {
			t.Fatal(err)
		}
	}
	count(false, whole)
	count(false, whole)
	count(true, lines)
	if b.V.F32 != nil {
		whole[0].Fine = map[uint16][]uint64{0xc2c9: nil, 0x8000: nil, 0xff80: nil}
		count(false, whole)
		for i := range lines {
			if i%3 < 2 { // those without a second pass are counted once more
				lines[i].Fine = map[uint16][]uint64{uint16(0xc2c8 + i): nil}
			}
		}
		count(true, lines)
	}
	return append(whole, lines...)
}

func diffHistograms(got, want []segment.Histogram) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d, want %d", len(got), len(want))
	}
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }
	for i := range want {
		g, w := &got[i], &want[i]
		if g.Type != w.Type || g.N != w.N || g.NotFinite != w.NotFinite || g.NaN != w.NaN ||
			!same(g.Min, w.Min) || !same(g.Max, w.Max) || !same(g.Sum, w.Sum) || !same(g.SumSq, w.SumSq) {
			gg, ww := *g, *w
			gg.Bins, ww.Bins, gg.Fine, ww.Fine = nil, nil, nil, nil
			return fmt.Sprintf("number %d: got %+v, want %+v", i, gg, ww)
		}
		for v := range w.Bins {
			if g.Bins[v] != w.Bins[v] {
				return fmt.Sprintf("number %d: bin %d: got %d, want %d", i, v, g.Bins[v], w.Bins[v])
			}
		}
		if !reflect.DeepEqual(g.Fine, w.Fine) {
			return fmt.Sprintf("number %d: the second pass differs", i)
		}
	}
	return ""
}

// Constant samples, and f32 without a finite one.
func TestHistogramOfOneValue(t *testing.T) {
	e := checked(t)
	for _, typ := range sampleTypes {
		p := segment.NewPlane(typ, 5, 777)
		checkBand(t, e, "zeros", bandOf(p), sparse(typ), segment.Options{})
		for i := range p.F32 {
			p.F32[i] = float32(math.Inf(1 - i%2*2))
			if i%5 == 0 {
				p.F32[i] = float32(math.NaN())
			}
		}
		checkBand(t, e, "none finite", bandOf(p), sparse(typ), segment.Options{})
	}
}

// Histograms that do not fit stay as they are.
func TestHistogramRefusesWrongOnes(t *testing.T) {
	e := checked(t)
	l := load(t, e, bandOf(plane(segment.U8, 3, 10, 10, 4, 1)))
	defer l.Release()
	for _, c := range []struct {
		perLine bool
		h       []segment.Histogram
		want    string
	}{
		{false, nil, "0 histograms given, want 1"},
		{true, make([]segment.Histogram, 1), "1 histograms given, want 3"},
		{false, []segment.Histogram{{Type: segment.U16, Bins: make([]uint64, 65536)}}, "a histogram of u16"},
		{false, []segment.Histogram{{Fine: map[uint16][]uint64{1: nil}}}, "fine counts are for f32"},
	} {
		err := l.Histogram(context.Background(), c.perLine, c.h)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
		for _, h := range c.h {
			if h.N != 0 {
				t.Errorf("%q: something was counted", c.want)
			}
		}
	}
}
