package bench

import (
	"context"
	"fmt"

	"segscan/gpu"
	"segscan/segment"
)

// KernelRow is the kernel that finds segments, alone, on samples made on the device, by the device's clock.
type KernelRow struct {
	Case        string  `json:"case"` // "thresholds", "table", ...: see kernelCases
	Sample      string  `json:"sample"`
	Density     int     `json:"one_in"`
	Line        uint64  `json:"line_samples"`
	Bytes       uint64  `json:"bytes"`
	Segments    uint64  `json:"segments"`
	Read        float64 `json:"read_seconds"`
	ReadWrite   float64 `json:"read_write_seconds"`
	Fused       float64 `json:"seconds"`
	Least       float64 `json:"least_seconds"`
	GBs         float64 `json:"gb_per_s"`
	ReadGBs     float64 `json:"read_gb_per_s"`
	OfRead      float64 `json:"of_read"`
	OfReadWrite float64 `json:"of_read_write"`
}

// Bytes of samples a kernel is measured on: far beyond a device's caches.
const (
	kernelBytes      = 1 << 30
	kernelBytesQuick = 1 << 18
	kernelImages     = 128 // of the case with many
)

// kernelCase is one row to be.
type kernelCase struct {
	name string
	gpu.SpeedCase
}

// kernelCases are all types and densities on long lines, u8 on lines of an odd length and on short ones, and at one
// density each other way to classify or to gather.
func kernelCases() []kernelCase {
	var all []kernelCase
	add := func(name string, t segment.SampleType, width uint64, q int, change func(*gpu.SpeedCase)) {
		c := gpu.SpeedCase{Type: t, Width: width, Every: uint32(q), Seed: 1}
		if change != nil {
			change(&c)
		}
		all = append(all, kernelCase{name, c})
	}
	for _, t := range sampleTypes() {
		for _, q := range Densities() {
			add("thresholds", t, 32768, q, nil)
		}
	}
	for _, width := range []uint64{10007, 100} {
		for _, q := range Densities() {
			add("thresholds", segment.U8, width, q, nil)
		}
	}
	for _, t := range []segment.SampleType{segment.U8, segment.U16} {
		add("table of intervals", t, 10007, passDensity, func(c *gpu.SpeedCase) { c.Form = gpu.SpeedIntervals })
		add("table", t, 10007, passDensity, func(c *gpu.SpeedCase) { c.Form = gpu.SpeedTable })
	}
	add("edges kept", segment.U8, 10007, passDensity, func(c *gpu.SpeedCase) { c.Edges = segment.EdgesKeep })
	add("rejected too", segment.U8, 10007, passDensity, func(c *gpu.SpeedCase) { c.Both = true })
	add("images apart", segment.U8, 512, passDensity, func(c *gpu.SpeedCase) { c.Images = kernelImages })
	return all
}

// kernels measures cases. In a quick run what each finds is compared with the CPU's.
func (b *bench) kernels(ctx context.Context, e *gpu.Engine, cases []kernelCase) error {
	for _, c := range cases {
		b.progress(fmt.Sprintf("%s, %s by %s, 1 in %d", e.Device(), c.Type, c.name, c.Every))
		c.Bytes = kernelBytes
		if b.o.Quick {
			c.Bytes, c.Runs, c.Check = kernelBytesQuick, 3, true
		}
		f, err := e.Speed(ctx, c.SpeedCase)
		if err != nil {
			return fmt.Errorf("measuring the kernel for %s by %s, 1 in %d: %w", c.Type, c.name, c.Every, err)
		}
		read, fused := f.Read.Seconds(), f.Fused.Seconds()
		b.report.GPU.Kernels = append(b.report.GPU.Kernels, KernelRow{
			Case: c.name, Sample: c.Type.String(), Density: int(c.Every), Line: c.Width, Bytes: f.Bytes, Segments: f.Spans,
			Read: read, ReadWrite: f.ReadWrite.Seconds(), Fused: fused, Least: f.Fastest.Seconds(),
			GBs: float64(f.Bytes) / fused / 1e9, ReadGBs: float64(f.Bytes) / read / 1e9, OfRead: f.OfRead(), OfReadWrite: f.OfReadWrite(),
		})
	}
	return nil
}
