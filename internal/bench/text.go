package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// Text is the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	r.head(&b)
	if r.Image != nil {
		r.imageText(&b)
	}
	if len(r.Engine) > 0 {
		r.engineText(&b)
	}
	if len(r.Stages) > 0 {
		r.stagesText(&b)
		r.encodeText(&b)
	}
	if r.GPU != nil {
		r.gpuText(&b)
	}
	if r.Model != nil {
		r.modelText(&b)
	}
	return b.String()
}

// number has three significant digits, and no exponent.
func number(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func ratio(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// size is bytes in the unit that suits, with one decimal where there is one.
func size(n float64) string {
	unit := "B"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n < 1024 {
			break
		}
		n, unit = n/1024, u
	}
	return strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0") + " " + unit
}

func coresText(n int) string {
	if n == 1 {
		return "1 core"
	}
	return fmt.Sprintf("%d cores", n)
}

func (r *Report) head(b *strings.Builder) {
	m := r.Machine
	parts := []string{}
	if m.CPU != "" {
		parts = append(parts, m.CPU)
	}
	parts = append(parts, coresText(m.Cores))
	if m.Memory > 0 {
		parts = append(parts, size(float64(m.Memory))+" of memory")
	}
	fmt.Fprintf(b, "machine   %s; instructions: %s\n", strings.Join(parts, ", "), m.Instructions)
	fmt.Fprintf(b, "program   %s %s/%s\n", m.Go, m.OS, m.Arch)
	fmt.Fprintf(b, "samples   %s in lines of %d; medians of %s in turn; %.0f s in all\n", size(float64(r.Bytes)), r.LineSamples, plural(r.Rounds, "round"), r.Seconds)
	if r.CPUTime {
		b.WriteString("time      one core: CPU time; several cores, disk and device: the clock\n")
	}
	if r.Busy < 0.95 {
		fmt.Fprintf(b, "warning   other programs held the cores %.0f %% of the time: caches and memory were shared, and figures by the clock are too low\n", 100*(1-r.Busy))
	}
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

func (r *Report) readText(b *strings.Builder) {
	g := grid{left: 1}
	g.add("read ("+r.Read[0].Form+")", "GB/s", "least", "most")
	for _, row := range r.Read {
		n := row.GBs * row.Time.Median
		g.add(coresText(row.Cores), number(row.GBs), number(n/row.Time.Max), number(n/row.Time.Min))
	}
	b.WriteString("\n")
	g.write(b)
}

func (r *Report) engineText(b *strings.Builder) {
	r.readText(b)
	several := r.Machine.Cores > 1
	g := grid{left: 1}
	head := []string{"engine", "1 in", "GB/s", "of read", "automaton", "times", "ns/segment", "bound"}
	if several {
		head = append(head, coresText(r.Machine.Cores), "of read", "scaling")
	}
	g.add(head...)
	for _, row := range r.Engine {
		cells := []string{row.Sample, strconv.Itoa(row.Density), number(row.One.GBs), ratio(row.One.OfRead), number(row.AutomatonGBs),
			number(row.Times), number(row.SegmentNs), row.Bound}
		if several {
			cells = append(cells, number(row.All.GBs), ratio(row.All.OfRead), ratio(row.Scaling))
		}
		g.add(cells...)
	}
	b.WriteString("\n")
	g.write(b)

	g = grid{left: 2}
	g.add("pass, 1 core", "", "1 in", "GB/s", "of read")
	for _, row := range r.Passes {
		g.add(row.Pass, row.Sample, strconv.Itoa(row.Density), number(row.GBs), ratio(row.OfRead))
	}
	b.WriteString("\n")
	g.write(b)
	b.WriteString(`
1 in q      each sample is a boundary, or an activation, with probability 1/q
of read     against a loop that only reads the same memory, in the same rounds
automaton   the definition as a plain loop on one core, in GB/s; times: the
            engine against it
ns/segment  time beyond reading, on one core, for each segment found
bound       what most of the time goes to: memory, comparing samples, or
            writing segments
`)
	if several {
		b.WriteString("scaling     how much faster all cores segment than one, against how much faster\n            they read\n")
	}
}

func (r *Report) imageText(b *strings.Builder) {
	i := r.Image
	fmt.Fprintf(b, "image     %s, %d x %d, %s, boundary v <= %g, activation v >= %g: %s\n", i.File, i.Width, i.Height, i.Sample, i.Lo, i.Hi, plural(i.Segments, "segment"))
	r.readText(b)
	g := grid{left: 1}
	g.add("engine", "Mpx/s", "GB/s", "of read", "ms", "least", "most")
	rows := []struct {
		rate Rate
		mpx  float64
	}{{i.One, i.OneMpx}, {i.All, i.AllMpx}}
	for _, row := range rows[:min(r.Machine.Cores, 2)] {
		t := row.rate.Time
		g.add(coresText(row.rate.Cores), number(row.mpx), number(row.rate.GBs), ratio(row.rate.OfRead), number(1e3*t.Median), number(1e3*t.Min), number(1e3*t.Max))
	}
	b.WriteString("\n")
	g.write(b)
}

func (r *Report) stagesText(b *strings.Builder) {
	g := grid{left: 2}
	head := []string{"Mpx/s, 1 core", ""}
	for _, s := range r.Stages[0].Stages {
		head = append(head, s.Stage)
	}
	for _, w := range r.Stages[0].Whole {
		head = append(head, "whole, "+coresText(w.Cores))
	}
	g.add(head...)
	for _, row := range r.Stages {
		cells := []string{row.File, row.Sample}
		for _, s := range row.Stages {
			cells = append(cells, number(s.Mpx))
		}
		for _, w := range row.Whole {
			cells = append(cells, number(w.Mpx))
		}
		g.add(cells...)
	}
	b.WriteString("\n")
	g.write(b)
	fmt.Fprintf(b, `
images of %.1f Mpx; classify: masks alone; segment: classes, scan and gathering
in one pass, as the engine does it; encode: the overlay as PNG; write: to disk,
waiting for it; whole: the main job from file to records and overlay
`, float64(r.Stages[0].Pixels)/1e6)
}

func (r *Report) encodeText(b *strings.Builder) {
	g := grid{left: 1}
	head := []string{"PNG overlay", "image/png Mpx/s"}
	for _, w := range r.Encode[0].Writers {
		head = append(head, coresText(w.Cores)+" Mpx/s", "times")
	}
	g.add(append(head, "size")...)
	for _, row := range r.Encode {
		cells := []string{row.Scene, number(row.Mpx)}
		for _, w := range row.Writers {
			cells = append(cells, number(w.Mpx), number(w.Times))
		}
		g.add(append(cells, ratio(row.SizeRatio))...)
	}
	b.WriteString("\n")
	g.write(b)
	b.WriteString("\nimage/png at its default level, on one core; size: of the file, against image/png's\n")
}
