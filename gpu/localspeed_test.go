//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"testing"

	rules "segscan/kernels"
	"segscan/segment"
)

// localRule is a rule as it is for a page of a type with its nominal range.
func localRule(t segment.SampleType, rule rules.LocalRule, window int) rules.Local {
	full := 255.
	if t == segment.U16 {
		full = 65535
	}
	return rules.Local{Rule: rule, WindowX: window, WindowY: window, K: 0.2, R: (full + 1) / 2, P: 2, Q: 10, Max: full}
}

func TestLocalSpeedFindsWhatTheCPUFinds(t *testing.T) {
	e := open(t, "", Options{})
	for _, c := range []LocalSpeedCase{
		{Type: segment.U8, Width: 1100, Rule: localRule(segment.U8, rules.LocalMean, 15)},
		{Type: segment.U8, Width: 333, Rule: localRule(segment.U8, rules.LocalSauvola, 31)},
		{Type: segment.U8, Width: 2096, Rule: localRule(segment.U8, rules.LocalMean, 13)}, // lines of whole eights
		{Type: segment.U8, Width: 2048, Rule: localRule(segment.U8, rules.LocalSauvola, 11)},
		{Type: segment.U16, Width: 500, Rule: localRule(segment.U16, rules.LocalSauvola, 9)},
	} {
		c.Bytes, c.Runs, c.Check = 60_000, 3, true
		f, err := e.LocalSpeed(context.Background(), c)
		if err != nil || f.Planes <= 0 || f.Read <= 0 || f.Fastest > f.Planes {
			t.Errorf("%+v: %+v, %v", c, f, err)
		}
	}
	if _, err := e.LocalSpeed(context.Background(), LocalSpeedCase{Width: 0}); err == nil {
		t.Error("nothing was measured without an error")
	}
}

// Medians of launches by the device's clock, from samples to bit planes, some lines compared with the CPU's classes; read
// is the share of the read ceiling.
func BenchmarkLocal(b *testing.B) {
	if !onDevice() {
		b.Skipf("%s=1 asks for a device", requireGPU)
	}
	e := open(b, "", Options{})
	names := map[rules.LocalRule]string{rules.LocalMean: "localmean", rules.LocalSauvola: "sauvola", rules.LocalPhansalkar: "phansalkar"}
	for _, typ := range []segment.SampleType{segment.U8, segment.U16} {
		for _, rule := range []rules.LocalRule{rules.LocalMean, rules.LocalSauvola, rules.LocalPhansalkar} {
			for _, window := range []int{15, 31, 63, 127, 255} {
				for _, width := range []uint64{32768, 10007} {
					c := LocalSpeedCase{Type: typ, Bytes: 1 << 30, Width: width, Rule: localRule(typ, rule, window), Check: width == 10007}
					if rule == rules.LocalPhansalkar {
						c.Runs = 5
						if window != 31 {
							continue
						}
					}
					b.Run(fmt.Sprintf("%v/%s/window=%d/width=%d", typ, names[rule], window, width), func(b *testing.B) {
						var f LocalSpeedFigure
						for range b.N {
							var err error
							if f, err = e.LocalSpeed(context.Background(), c); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(0, "ns/op")
						b.ReportMetric(f.Planes.Seconds()*1e6, "us")
						b.ReportMetric(f.Fastest.Seconds()*1e6, "least-us")
						b.ReportMetric(f.OfRead(), "read")
						b.ReportMetric(float64(f.Bytes)/f.Read.Seconds()/1e12, "read-TB/s")
					})
				}
			}
		}
	}
}
