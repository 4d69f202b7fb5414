package kernels

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"segscan/segment"
)

// BenchmarkLocalCrossings finds the ends of all segments of a page, and says how many times as long that took as
// classification: for a page of which every line has segments, and one of which every 512th has.
func BenchmarkLocalCrossings(b *testing.B) {
	for _, k := range localKernels() {
		for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
			band := benchPage(typ, 2048, 2048)
			for _, window := range []int{31, 255} {
				for _, apart := range []int{1, 512} {
					b.Run(fmt.Sprintf("%s/%s/%d/every%d", k.info.Name, typ, window, apart), func(b *testing.B) {
						benchCrossings(b, &band, fmt.Sprintf("%s:window=%d", k.info.Name, window), apart)
					})
				}
			}
		}
	}
}

func benchCrossings(b *testing.B, band *segment.Band, spec string, apart int) {
	s, err := Parse(spec)
	if err != nil {
		b.Fatal(err)
	}
	c := bindBand(b, s, band)
	loaded, err := segment.NewCPU(1).Load(b.Context(), *band)
	if err != nil {
		b.Fatal(err)
	}
	defer loaded.Release()
	var r segment.Result
	if err := loaded.Segment(b.Context(), c, segment.Options{}, nil, &r); err != nil {
		b.Fatal(err)
	}
	lines := make([][]segment.Bound, band.Lines)
	ends := 0
	for l := 0; l < band.Lines; l += apart {
		lines[l] = r.Kept.Line(l)
		ends += 2 * len(lines[l])
	}
	spans := spansOf(lines...)
	var m segment.Masks
	var took [2][]time.Duration
	for b.Loop() {
		t0 := cpuTime()
		if err := c.Classify(*band, &m); err != nil {
			b.Fatal(err)
		}
		t1 := cpuTime()
		if _, err := Crossings(b.Context(), 1, c, band, spans); err != nil {
			b.Fatal(err)
		}
		took[0], took[1] = append(took[0], t1-t0), append(took[1], cpuTime()-t1)
	}
	for _, t := range took {
		slices.Sort(t)
	}
	classify, cross := took[0][len(took[0])/2], took[1][len(took[1])/2]
	b.ReportMetric(float64(cross)/float64(classify), "times-classify")
	b.ReportMetric(float64(ends), "ends")
	b.ReportMetric(float64(cross)/float64(max(1, ends)), "ns/end")
	b.ReportMetric(0, "ns/op") // of both, which says nothing
}

// bindBand binds a kernel to a page that is one band.
func bindBand(b *testing.B, s Spec, band *segment.Band) (c segment.Classifier) {
	var err error
	if s, ok := s.(Surveyed); ok {
		v, err := s.Survey(band.Page)
		if err != nil {
			b.Fatal(err)
		}
		if err := v.Add(*band); err != nil {
			b.Fatal(err)
		}
		c, _, err = v.Bind(Options{})
		if err != nil {
			b.Fatal(err)
		}
		return c
	}
	if c, _, err = s.Bind(band.Page, []segment.Histogram{{N: 1, Max: 255}}, Options{}); err != nil {
		b.Fatal(err)
	}
	return c
}
