package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"segscan/internal/batch"
	"segscan/segment"
	"segscan/viz"
)

// thresholdsTable is a page for people: what it is, a line a threshold, and what is to be said of kernels.
func thresholdsTable(p *batch.PageThresholds) string {
	var b strings.Builder
	b.WriteString(pageHeading(p) + "\n")
	rows := [][]string{{"kernel", "threshold", "above", "share", "boundary", "activation"}}
	for i := range p.Kernels {
		rows = append(rows, kernelRows(p, &p.Kernels[i])...)
	}
	if slices.ContainsFunc(p.Kernels, func(k batch.KernelThresholds) bool { return len(k.Thresholds) > 0 }) {
		b.WriteString(columns(rows, "lrrr"))
	}
	writeNotes(&b, p.Kernels)
	return b.String()
}

// pageHeading names a page, its size and its samples.
func pageHeading(p *batch.PageThresholds) string {
	s := clean(p.File)
	if p.Pages > 1 {
		s += fmt.Sprintf(", page %d", p.Page)
	}
	s += fmt.Sprintf(": %d x %d %s", p.Width, p.Height, p.Stored)
	if r := p.Region; int64(r.Dx()) != p.Width || int64(r.Dy()) != p.Height {
		s += fmt.Sprintf(", of it %d,%d,%d,%d", r.Min.X, r.Min.Y, r.Dx(), r.Dy())
	}
	if f := p.FilterText(); f != "" {
		s += ", with " + f
	}
	s += ", " + plural(int64(p.Samples), "sample", "samples")
	if p.Samples > 0 {
		s += " from " + valueText(p.Min, p) + " to " + valueText(p.Max, p)
	}
	if p.NaN > 0 {
		s += ", " + thousands(int64(p.NaN)) + " NaN"
	}
	if p.Infinite > 0 {
		s += ", " + thousands(int64(p.Infinite)) + " infinite"
	}
	return s
}

// kernelRows is a line for each threshold of a kernel. What is compared stands beside the threshold that it is of.
func kernelRows(p *batch.PageThresholds, k *batch.KernelThresholds) (rows [][]string) {
	for i, t := range k.Thresholds {
		row := []string{"", valueText(t.Value, p), thousands(int64(t.Above)), shareText(p.Share(t)), "", ""}
		if i == 0 {
			row[0] = k.Name
		}
		if k.Bounds(i) {
			row[4] = "v <= " + valueText(k.Lo, p)
		}
		if k.Activates(i) {
			row[5] = "v >= " + valueText(k.Hi, p)
			below := float64(math.Nextafter32(float32(k.Hi), float32(math.Inf(-1))))
			if p.Type == segment.F32 && (below == k.Lo || below == t.Value) { // the same, and easier to read
				row[5] = "v > " + valueText(below, p)
			}
		}
		rows = append(rows, row)
	}
	if rows == nil {
		rows = [][]string{{k.Name, "-", "-", "-", "", ""}}
	}
	return rows
}

// valueText writes a value of the sample's type in full, any other with the digits that tell it apart on the page.
func valueText(v float64, p *batch.PageThresholds) string {
	switch {
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case p.Type == segment.F32 && float64(float32(v)) == v:
		return strconv.FormatFloat(v, 'g', -1, 32)
	}
	return viz.Number(v, p.Max-p.Min)
}

func shareText(percent float64) string {
	switch {
	case percent > 0 && percent < 0.005:
		return "<0.01%"
	case percent >= 99.995 && percent < 100:
		return ">99.99%"
	}
	return fmt.Sprintf("%.2f%%", percent)
}

// writeNotes says each note once, with the kernels it is of.
func writeNotes(b *strings.Builder, list []batch.KernelThresholds) {
	var order []string
	of := map[string][]string{}
	for _, k := range list {
		for _, n := range k.Notes {
			if of[n] == nil {
				order = append(order, n)
			}
			of[n] = append(of[n], k.Name)
		}
	}
	for _, n := range order {
		who := strings.Join(of[n], ", ")
		if len(of[n]) == len(list) {
			who = "all kernels"
		}
		wrapped(b, "", who+": "+cleanText(n))
	}
}
