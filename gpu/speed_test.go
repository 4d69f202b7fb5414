//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"testing"

	"segscan/segment"
)

// Every form, type and edge rule, checked against the CPU engine as the measurement itself does it.
func TestSpeedFindsWhatTheCPUFinds(t *testing.T) {
	for text, target := range fusedTargets {
		e := open(t, "", Options{PTXTarget: target, warps: 2})
		for i, c := range []SpeedCase{
			{Type: segment.U8, Width: 1000, Every: 16},
			{Type: segment.U8, Width: 100, Pitch: 117, Every: 64, Offset: 5},
			{Type: segment.U8, Width: 31, Every: 8, Edges: segment.EdgesKeep, Both: true},
			{Type: segment.U8, Width: 20000, Every: 2, Form: SpeedIntervals},
			{Type: segment.U8, Width: 700, Every: 9, Form: SpeedTable, Both: true},
			{Type: segment.U16, Width: 1500, Every: 40, Offset: 3},
			{Type: segment.U16, Width: 90, Every: 5, Form: SpeedIntervals, Edges: segment.EdgesKeep},
			{Type: segment.U16, Width: 333, Every: 12, Form: SpeedTable},
			{Type: segment.F32, Width: 250, Pitch: 260, Every: 20, Offset: 1, Both: true},
			{Type: segment.U8, Width: 90, Every: 16, Images: 70, Offset: 3},
			{Type: segment.U16, Width: 33, Pitch: 35, Every: 16, Images: 9, Form: SpeedTable, Edges: segment.EdgesKeep, Both: true},
			{Type: segment.F32, Width: 1000, Every: 16, Images: 11},
		} {
			if c.Images > 0 && text == "fused_basic" {
				continue
			}
			c.Bytes, c.Runs, c.Check, c.Seed = 100_000, 3, true, uint64(i)
			f, err := e.Speed(context.Background(), c)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if f.Spans == 0 || f.Fused <= 0 || f.Read <= 0 || f.ReadWrite <= 0 || f.Fastest > f.Fused {
				t.Errorf("%s: %+v: %+v", text, c, f)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSpeedRefusesCasesThatAreNone(t *testing.T) {
	e := open(t, "", Options{})
	for _, c := range []SpeedCase{
		{Width: 0, Every: 8, Bytes: 1000},
		{Width: 10, Pitch: 9, Every: 8, Bytes: 1000},
		{Width: 10, Every: 1, Bytes: 1000},
		{Width: 2000, Every: 8, Bytes: 1000},
		{Width: 10, Every: 8, Bytes: 1 << 33},
		{Width: 10, Every: 8, Bytes: 1000, Images: 101},
	} {
		if f, err := e.Speed(context.Background(), c); err == nil {
			t.Errorf("%+v: got %+v", c, f)
		}
	}
}

// speedCases are what the fused kernels are measured on, in the order of importance.
func speedCases() []SpeedCase {
	const gib = 1 << 30
	var cases []SpeedCase
	for _, width := range []uint64{32768, 10007} {
		for _, every := range []uint32{4096, 512, 64, 8} {
			cases = append(cases, SpeedCase{Bytes: gib, Width: width, Every: every},
				SpeedCase{Type: segment.U16, Bytes: gib, Width: width, Every: every})
		}
	}
	for _, width := range []uint64{4000, 1920, 640, 100} {
		for _, every := range []uint32{4096, 512, 64} {
			cases = append(cases, SpeedCase{Bytes: gib, Width: width, Every: every})
		}
	}
	big := SpeedCase{Bytes: gib, Width: 10007, Every: 512}
	with := func(change func(c *SpeedCase)) {
		c := big
		change(&c)
		cases = append(cases, c)
	}
	with(func(c *SpeedCase) { c.Type = segment.F32 })
	with(func(c *SpeedCase) { c.Form = SpeedIntervals })
	with(func(c *SpeedCase) { c.Form = SpeedTable })
	with(func(c *SpeedCase) { c.Type, c.Form = segment.U16, SpeedTable })
	with(func(c *SpeedCase) { c.Edges = segment.EdgesKeep })
	with(func(c *SpeedCase) { c.Both = true })
	with(func(c *SpeedCase) { c.Pitch, c.Offset = 10112, 7 })
	with(func(c *SpeedCase) { c.Every = 2 })
	with(func(c *SpeedCase) { c.Every = 3 })
	with(func(c *SpeedCase) { c.Every = 4 })
	with(func(c *SpeedCase) { c.Width = 1 << 30 })
	with(func(c *SpeedCase) { c.Bytes = 10007 * 100003 })
	with(func(c *SpeedCase) { c.Bytes = 3 << 30 }) // positions of 32 bits
	for _, bytes := range []uint64{1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28} {
		with(func(c *SpeedCase) { c.Bytes, c.Width = bytes, 1024 })
	}
	for _, every := range []uint32{512, 64} {
		with(func(c *SpeedCase) { c.Bytes, c.Width, c.Every, c.Images = 1024*512*512, 512, every, 1024 })
	}
	with(func(c *SpeedCase) { c.Bytes, c.Width = 1024*512*512, 512 }) // the same in one piece
	return cases
}

// Medians of launches by the device's clock, spans compared with the CPU engine's; read and rw are the shares of the
// read ceiling and of reading and writing.
func BenchmarkFused(b *testing.B) {
	if !onDevice() {
		b.Skipf("%s=1 asks for a device", requireGPU)
	}
	benchmarkFused(b, open(b, "", Options{}), speedCases())
}

// The kernels for old devices, on whatever device there is.
func BenchmarkFusedBasic(b *testing.B) {
	if !onDevice() {
		b.Skipf("%s=1 asks for a device", requireGPU)
	}
	e := open(b, "", Options{PTXTarget: fusedTargets["fused_basic"]})
	benchmarkFused(b, e, []SpeedCase{{Bytes: 1 << 30, Width: 10007, Every: 512}, {Bytes: 1 << 30, Width: 10007, Every: 64},
		{Type: segment.U16, Bytes: 1 << 30, Width: 10007, Every: 512}, {Type: segment.F32, Bytes: 1 << 30, Width: 10007, Every: 512}})
}

func benchmarkFused(b *testing.B, e *Engine, cases []SpeedCase) {
	for _, c := range cases {
		form := c.Form
		if form == "" {
			form = SpeedThresholds
		}
		name := fmt.Sprintf("%v/%s/width=%d/every=%d/bytes=%dM", c.Type, form, c.Width, c.Every, c.Bytes>>20)
		if c.Edges == segment.EdgesKeep {
			name += "/keep"
		}
		if c.Both {
			name += "/both"
		}
		if c.Pitch > 0 {
			name += "/pitched"
		}
		if c.Images > 0 {
			name += fmt.Sprintf("/images=%d", c.Images)
		}
		b.Run(name, func(b *testing.B) {
			c.Check = true
			var f SpeedFigure
			for range b.N {
				var err error
				if f, err = e.Speed(context.Background(), c); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(f.Fused.Seconds()*1e6, "us")
			b.ReportMetric(f.Fastest.Seconds()*1e6, "least-us")
			b.ReportMetric(f.OfRead(), "read")
			b.ReportMetric(f.OfReadWrite(), "rw")
			b.ReportMetric(float64(f.Bytes)/f.Read.Seconds()/1e12, "read-TB/s")
			b.ReportMetric(float64(f.Spans), "spans")
		})
	}
}
