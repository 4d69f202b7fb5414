package bench

import (
	"fmt"
	"strconv"
	"strings"
)

func (r *Report) gpuText(b *strings.Builder) {
	g := r.GPU
	b.WriteString("\n")
	switch {
	case g.None != "":
		fmt.Fprintf(b, "gpu       none: %s\n", strings.ReplaceAll(g.None, "\n", "; "))
	case g.Device != "":
		fmt.Fprintf(b, "gpu       %s, %s\n", g.Device, g.Name)
	default:
		b.WriteString("gpu       none: the driver works and has no device\n")
	}
	if g.StartUp > 0 {
		fmt.Fprintf(b, "start-up  %.2f s\n", g.StartUp)
	}
	g.kernelsText(b)
	g.transfersText(b)
	if g.Many != nil {
		b.WriteString(g.Many.text())
	}
	if g.All != nil {
		b.WriteString(g.All.text())
	}
	if g.NotMeasured != "" {
		fmt.Fprintf(b, "not measured: %s\n", g.NotMeasured)
	}
}

func (g *GPUReport) kernelsText(b *strings.Builder) {
	if len(g.Kernels) == 0 {
		return
	}
	t := grid{left: 2}
	t.add("kernel, "+g.Device, "", "1 in", "line", "us", "least", "GB/s", "of read", "of read+write", "read GB/s")
	for _, k := range g.Kernels {
		t.add(k.Case, k.Sample, strconv.Itoa(k.Density), strconv.FormatUint(k.Line, 10), number(1e6*k.Fused), number(1e6*k.Least),
			number(k.GBs), ratio(k.OfRead), ratio(k.OfReadWrite), number(k.ReadGBs))
	}
	b.WriteString("\n")
	t.write(b)
	fmt.Fprintf(b, `
%s of samples made on the device, by its own clock; of read: against a
kernel that only reads them; of read+write: against one that also writes as much
as the segments take
`, size(float64(g.Kernels[0].Bytes)))
}

func (g *GPUReport) transfersText(b *strings.Builder) {
	if len(g.Transfers) == 0 {
		return
	}
	t := grid{left: 1}
	t.add("host to host, samples in", "bands at once", "GB/s", "least", "most", "copy GB/s", "of copy")
	for _, row := range g.Transfers {
		n := row.GBs * row.Time.Median
		cells := []string{row.Memory + " memory", strconv.Itoa(row.Bands), number(row.GBs), number(n / row.Time.Max), number(n / row.Time.Min)}
		if row.CopyGB > 0 {
			cells = append(cells, number(row.CopyGB), ratio(row.OfCopy))
		}
		t.add(cells...)
	}
	b.WriteString("\n")
	t.write(b)
	fmt.Fprintf(b, "\n%s of u8 at 1 in 512, segments back in the host's memory; copy: to the device,\nand no more\n", size(float64(g.Bytes)))
}

func (r *Report) modelText(b *strings.Builder) {
	m := r.Model
	origin := func(measured bool) string {
		if measured {
			return "measured"
		}
		return "assumed"
	}
	fmt.Fprintf(b, "\ncost model of --device auto (for images of one boundary in %d samples)\n", modelDensity)
	fmt.Fprintf(b, "  device  start-up %.2f s, copy %s GB/s, %s Gsamples/s on it (%s)\n", m.StartUp, number(m.CopyGBs), number(m.DeviceGs), origin(m.MeasuredGPU))
	fmt.Fprintf(b, "  cpu     %s of %s Gsamples/s each (%s)\n", coresText(m.Cores), number(m.CoreGs), origin(m.MeasuredCPU))
	b.WriteString("break-even, start-up included\n")
	for _, e := range m.BreakEven {
		what := e.Sample + " from ordinary memory"
		if e.Resident {
			what = "samples on the device already"
		}
		switch {
		case e.Samples > 0:
			fmt.Fprintf(b, "  %-30s the GPU pays from %s Mpx in one run\n", what, number(float64(e.Samples)/1e6))
		case e.Cores > 0:
			fmt.Fprintf(b, "  %-30s never: it pays beside at most %s\n", what, coresText(e.Cores))
		case e.Resident:
			fmt.Fprintf(b, "  %-30s never: one core segments faster than the GPU\n", what)
		default:
			fmt.Fprintf(b, "  %-30s never: one core segments faster than samples are copied\n", what)
		}
	}
}
