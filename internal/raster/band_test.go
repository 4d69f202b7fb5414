package raster

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"segscan/segment"
)

// seenFrom gives the stored pixel that pixel (x, y) of the page as shown comes from, case by case from the TIFF
// specification's words on what row 0 and column 0 are ("row 0 / column 0": 1 top/left, 2 top/right, 3 bottom/right,
// 4 bottom/left, 5 left/top, 6 right/top, 7 right/bottom, 8 left/bottom); w and h are the stored page's.
func seenFrom(tag, x, y, w, h int) (sx, sy int) {
	switch tag {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6: // shown x counts from the left, stored row 0 is at the right
		return y, h - 1 - x
	case 7:
		return w - 1 - y, h - 1 - x
	case 8:
		return w - 1 - y, x
	}
	return x, y
}

// bandCase is one request on one page, checked against plain indexing.
type bandCase struct {
	src    *memSource
	tag    int
	req    Request
	pinned bool
}

func (c bandCase) String() string {
	roi := "all"
	if c.req.ROI != nil {
		roi = fmt.Sprint(*c.req.ROI)
	}
	return fmt.Sprintf("%s %dx%dx%d orientation %d axis %d needs %+v roi %s max %d pinned %v resident %v", c.src.lay.sample,
		c.src.lay.width, c.src.lay.height, c.src.lay.channels, c.tag, c.req.Axis, c.req.Needs, roi, c.req.MaxBytes, c.pinned, c.src.lay.resident)
}

// stored is sample k of the stored pixel that belongs to line l, sample s.
func (c bandCase) stored(l, s, k int) float64 {
	x, y := s, l
	if c.req.Axis == segment.Cols {
		x, y = l, s
	}
	m := c.src
	sx, sy := seenFrom(c.tag, x, y, int(m.lay.width), int(m.lay.height))
	return planeLine(m.p.Sub(sy, sx*m.lay.channels+k, 1, 1), 0)[0]
}

// check ranges over the bands twice and compares every sample, halo and position.
func (c bandCase) check(t *testing.T) {
	t.Helper()
	m := *c.src
	m.lay.orientation = c.tag
	p, err := newPage("f", 0, 1, &m, Options{AutoOrient: true, Channel: "0"})
	if err != nil {
		t.Fatal(err)
	}
	w, h := int(p.Info().Width), int(p.Info().Height)
	roi := image.Rect(0, 0, w, h)
	if c.req.ROI != nil {
		roi = roi.Intersect(*c.req.ROI)
	}
	lines, samples, l0, l1, s0, s1 := h, w, roi.Min.Y, roi.Max.Y, roi.Min.X, roi.Max.X
	if c.req.Axis == segment.Cols {
		lines, samples, l0, l1, s0, s1 = w, h, s0, s1, l0, l1
	}
	out := 0 // planes handed out and not released
	if c.pinned {
		c.req.Alloc = func(t segment.SampleType, n int) (segment.Plane, func()) {
			out++
			return segment.NewPlane(t, 1, n), func() { out-- }
		}
	}
	n := c.req.Needs
	for range 2 {
		next := l0
		for b, err := range p.Bands(context.Background(), c.req) {
			if err != nil {
				t.Fatalf("%s: %v", c, err)
			}
			first, last := max(0, next-n.HaloLines), min(lines, next+b.Lines+n.HaloLines)
			left, right := max(0, s0-n.HaloSamples), min(samples, s1+n.HaloSamples)
			want := segment.Band{Page: p.Info(), Axis: c.req.Axis, Line0: int64(next), Sample0: int64(s0), Lines: b.Lines, Samples: s1 - s0,
				Before: segment.Halo{Lines: next - first, Samples: s0 - left}, After: segment.Halo{Lines: last - next - b.Lines, Samples: right - s1}}
			got := b
			got.V, got.C = segment.Plane{}, [4]segment.Plane{}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s: band %+v, want %+v", c, got, want)
			}
			held := b.V.Lines * b.V.Samples * b.V.Type().Bytes()
			if c.req.MaxBytes > 0 && b.Lines > max(1, n.HaloLines) && int64(held) > c.req.MaxBytes {
				t.Fatalf("%s: %d bytes in a band of %d lines", c, held, b.Lines)
			}
			planes := []segment.Plane{b.V}
			if n.Channels {
				planes = append(planes, b.C[:3]...)
			}
			for k, plane := range planes {
				if plane.Lines != last-first || plane.Samples != right-left {
					t.Fatalf("%s: plane %d is %d x %d, want %d x %d", c, k, plane.Lines, plane.Samples, last-first, right-left)
				}
				for l := range plane.Lines {
					for s, v := range planeLine(plane, l) {
						if want := c.stored(first+l, left+s, max(0, k-1)%m.lay.channels); v != want {
							t.Fatalf("%s: plane %d line %d sample %d is %v, want %v", c, k, first+l, left+s, v, want)
						}
					}
				}
			}
			next += b.Lines
		}
		if next != l1 {
			t.Fatalf("%s: bands end before line %d, want %d", c, next, l1)
		}
	}
	if out != 0 {
		t.Errorf("%s: %d planes were not released", c, out)
	}
}

// Bands put together are the page, for every orientation and axis and for random budgets, regions and halos.
func TestBandsEqualWhole(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	sizes := [][2]int{{1, 1}, {1, 9}, {9, 1}, {7, 5}, {33, 40}, {70, 33}}
	checked := 0
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		for _, channels := range []int{1, 3, 4} {
			for _, size := range sizes {
				for tag := 1; tag <= 8; tag++ {
					for range 6 {
						src := numbered(typ, size[0], size[1], channels)
						src.lay.chunk = rnd.IntN(5)
						src.lay.resident = rnd.IntN(2) == 0
						c := bandCase{src: src, tag: tag, pinned: rnd.IntN(2) == 0}
						c.req.Axis = segment.Axis(rnd.IntN(2))
						c.req.MaxBytes = []int64{0, 1, 50, 300, 2000}[rnd.IntN(5)]
						if rnd.IntN(2) == 0 {
							c.req.Needs = segment.Needs{HaloLines: rnd.IntN(6), HaloSamples: rnd.IntN(6)}
						}
						c.req.Needs.Channels = channels >= 3 && rnd.IntN(2) == 0
						if rnd.IntN(2) == 0 {
							w, h := size[0], size[1]
							if tag > 4 {
								w, h = h, w
							}
							x, y := rnd.IntN(w), rnd.IntN(h)
							r := image.Rect(x, y, x+1+rnd.IntN(w+3), y+1+rnd.IntN(h+3))
							c.req.ROI = &r
						}
						c.check(t)
						checked++
					}
				}
			}
		}
	}
	if checked != 3*3*len(sizes)*8*6 {
		t.Errorf("%d requests checked", checked)
	}
}

// The comparison above must notice a single wrong sample.
func TestBandsComparisonNotices(t *testing.T) {
	src := numbered(segment.U8, 6, 4, 1)
	c := bandCase{src: src, tag: 6}
	before := c.stored(2, 1, 0)
	sx, sy := seenFrom(6, 1, 2, 6, 4)
	src.p.U8[sy*6+sx]++
	if c.stored(2, 1, 0) == before {
		t.Error("a changed sample looks the same")
	}
}

func TestBandsDecodeOnceIfTheyFit(t *testing.T) {
	for _, c := range []struct{ max, passes int64 }{{6 * 4, 1}, {6*4 - 1, 3}} {
		src := numbered(segment.U8, 6, 4, 1)
		p, err := newPage("f", 0, 1, src, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, axis := range []segment.Axis{segment.Rows, segment.Rows, segment.Rows} {
			if _, err := bodyLines(p, Request{Axis: axis, MaxBytes: c.max}); err != nil {
				t.Fatal(err)
			}
		}
		if src.passes != int(c.passes) {
			t.Errorf("with %d bytes: %d passes over the source, want %d", c.max, src.passes, c.passes)
		}
	}
}

// TestBandsWholeIfTheyFit: a page that fits the bound is one band whatever its halos, which end at its border; one byte
// less makes bands as long as their halo, as a shorter body reads lines over and over.
func TestBandsWholeIfTheyFit(t *testing.T) {
	for _, c := range []struct {
		max   int64
		roi   *image.Rectangle
		bands int
	}{
		{6 * 40, nil, 1},
		{6*40 - 1, nil, 3}, // of 15 lines, 15 and 10
		{6 * 35, &image.Rectangle{Min: image.Pt(0, 20), Max: image.Pt(6, 40)}, 1}, // with 15 lines above
		{6*35 - 1, &image.Rectangle{Min: image.Pt(0, 20), Max: image.Pt(6, 40)}, 2},
	} {
		p, err := newPage("f", 0, 1, numbered(segment.U8, 6, 40, 1), Options{})
		if err != nil {
			t.Fatal(err)
		}
		bands := 0
		for _, err := range p.Bands(t.Context(), Request{ROI: c.roi, MaxBytes: c.max, Needs: segment.Needs{HaloLines: 15}}) {
			if err != nil {
				t.Fatal(err)
			}
			bands++
		}
		if bands != c.bands {
			t.Errorf("%d bytes of region %v: %d bands, want %d", c.max, c.roi, bands, c.bands)
		}
	}
}

func TestBandsErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	outside := image.Rect(6, 0, 9, 9)
	src := numbered(segment.U8, 6, 400, 3)
	src.fail = 250
	panics := numbered(segment.U8, 6, 4, 1)
	panics.p.U8 = slices.Clip(panics.p.U8[:5])
	for _, c := range []struct {
		name string
		ctx  context.Context
		src  *memSource
		req  Request
		want string
	}{
		{"region", nil, numbered(segment.U8, 6, 4, 1), Request{ROI: &outside}, "region 6,0,3,9 lies outside the image of 6 x 4 (--roi)"},
		{"cancelled", ctx, numbered(segment.U8, 6, 4, 1), Request{}, context.Canceled.Error()},
		{"source", nil, src, Request{MaxBytes: 100}, errTest.Error()},
		{"source transposed", nil, src, Request{MaxBytes: 100, Axis: segment.Cols}, errTest.Error()},
		{"panic", nil, panics, Request{}, "decoding: internal error: runtime error"},
		{"memory", nil, numbered(segment.U8, 6, 4, 1), Request{Alloc: func(segment.SampleType, int) (segment.Plane, func()) {
			return segment.Plane{}, nil
		}}, "memory for 24 u8 samples was asked for, not given"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.ctx == nil {
				c.ctx = context.Background()
			}
			p, err := newPage("f", 0, 1, c.src, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var errs []error
			for _, err := range p.Bands(c.ctx, c.req) {
				if err != nil {
					errs = append(errs, err)
				}
			}
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want) {
				t.Errorf("errors %v, want one with %q", errs, c.want)
			}
		})
	}
}

// A consumer's panic is its own, and a consumer that stops gets its memory released.
func TestBandsConsumer(t *testing.T) {
	p, err := newPage("f", 0, 1, numbered(segment.U16, 6, 40, 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	released := 0
	req := Request{MaxBytes: 50, Alloc: func(t segment.SampleType, n int) (segment.Plane, func()) {
		return segment.NewPlane(t, 1, n), func() { released++ }
	}}
	mine := errors.New("mine")
	func() {
		defer func() {
			if r := recover(); r != mine {
				t.Errorf("recovered %v, want the consumer's own panic", r)
			}
		}()
		for range p.Bands(context.Background(), req) {
			panic(mine)
		}
	}()
	for range p.Bands(context.Background(), req) {
		break
	}
	if released != 2 {
		t.Errorf("%d planes released, want 2", released)
	}
}

func TestPageSizeLimit(t *testing.T) {
	for _, c := range []struct {
		w, h, limit int64
		want        string
	}{
		{70000, 70000, 0, "image is 70000 x 70000 (4.9 Gpx), above the limit of 2 Gpx (--max-pixels)"},
		{1 << 32, 1 << 32, 0, "image is 4294967296 x 4294967296 (18.4 Epx), above the limit of 2 Gpx (--max-pixels)"},
		{101, 100, 10000, "image is 101 x 100 (10.1 kpx), above the limit of 10 kpx (--max-pixels)"},
		{100, 100, 10000, ""},
		{0, 5, 0, "image is 0 x 5: a side is empty"},
	} {
		err := checkSize(c.w, c.h, Options{MaxPixels: c.limit})
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
			t.Errorf("%d x %d: %q, want %q", c.w, c.h, got, c.want)
		}
	}
}

func TestOrientationIsTold(t *testing.T) {
	src := numbered(segment.U8, 6, 4, 1)
	src.lay.orientation = 8
	src.lay.warnings = []string{"of the source"}
	p, err := newPage("f", 0, 1, src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := p.Info()
	if in.Width != 6 || in.Height != 4 || len(in.Warnings) != 2 || in.Warnings[0] != "of the source" || !strings.Contains(in.Warnings[1], "orientation tag 8") {
		t.Errorf("%+v", in)
	}
	p, err = newPage("f", 0, 1, src, Options{AutoOrient: true})
	if err != nil {
		t.Fatal(err)
	}
	if in := p.Info(); in.Width != 4 || in.Height != 6 || !slices.Equal(in.Warnings, src.lay.warnings) {
		t.Errorf("%+v", in)
	}
}

// Several passes over one page at once see the same samples.
func TestBandsAtOnce(t *testing.T) {
	data := pngKind{8, 6, 0, false}.make(newRand(2), 300, 200, 5000)
	r, err := openBytes(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Page(0)
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan [][]float64)
	for i := range 4 {
		go func() {
			lines, err := bodyLines(p, Request{MaxBytes: []int64{0, 5000}[i%2]})
			if err != nil {
				t.Error(err)
			}
			results <- lines
		}()
	}
	first := <-results
	for range 3 {
		sameLines(t, <-results, first)
	}
}
