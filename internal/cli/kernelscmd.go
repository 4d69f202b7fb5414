package cli

import (
	"fmt"
	"strings"

	"segscan/internal/batch"
	"segscan/kernels"
)

const kernelsHelp = `without NAME: a table of the threshold kernels; with NAME: its keys with their
defaults, when to use it, where it comes from, and an example
`

func (a *app) kernels(args []string) error {
	if len(args) == 0 {
		return a.print(kernelTable(kernels.List()))
	}
	name, _, _ := strings.Cut(args[0], ":") // as -k takes it
	info, err := kernels.Lookup(name)
	if err != nil {
		return err
	}
	return a.print(kernelPage(info))
}

func kernelTable(list []kernels.Info) string {
	width := 0
	for _, k := range list {
		width = max(width, len(k.Name))
	}
	var b strings.Builder
	before := ""
	for _, k := range list {
		if kind := groupOf(k); kind != before {
			if before != "" {
				b.WriteByte('\n')
			}
			b.WriteString(kind + "\n")
			before = kind
		}
		wrapped(&b, fmt.Sprintf("  %-*s  ", width, k.Name), k.Summary)
	}
	b.WriteString("\nkeys that every kernel takes beside its own, unless it looks at colours alone\n")
	writeParams(&b, kernels.FilterParams())
	wrapped(&b, "  ", "They make float samples, in this order, before the kernel looks at them; records measure the samples as stored, whose nominal range is what "+
		"percentages, r and contrast still go by. "+
		"Lines are continued beyond the page by their mirror image, and samples that are not finite stay as they are and count for no other.")
	wrapped(&b, "  ", "Sources: "+kernels.FilterSource)
	b.WriteString("\nsegscan kernels NAME shows one in full; -k NAME or -k NAME:KEY=VALUE,... chooses it\n")
	return b.String()
}

// groupOf says what a kernel looks at, by what its example needs.
func groupOf(k kernels.Info) string {
	spec, err := kernels.Parse(k.Example)
	if err != nil {
		return "others"
	}
	switch n := spec.Needs(); {
	case n.Channels:
		return "colour"
	case n.HaloLines > 0:
		return "a threshold from the surroundings of each sample"
	case n.HaloSamples > 0:
		return "edges along the line"
	case n.Histogram:
		return "one threshold or two, for the page or for each line"
	}
	return "conditions of your own"
}

func kernelPage(k kernels.Info) string {
	var b strings.Builder
	wrapped(&b, k.Name+"  ", k.Summary)
	if k.When != "" {
		b.WriteString("\n")
		wrapped(&b, "when     ", k.When)
	}
	if len(k.Params) > 0 {
		b.WriteString("\nkeys\n")
		writeParams(&b, k.Params)
	}
	if spec, err := kernels.Parse(k.Example); err != nil || !kernels.ColoursOnly(spec) {
		var common []string
		for _, p := range kernels.FilterParams() {
			common = append(common, p.Name)
		}
		wrapped(&b, "  ", "and "+strings.Join(common, ", ")+", which segscan kernels explains")
	}
	if len(k.Notes) > 0 {
		width := 0
		for _, n := range k.Notes {
			width = max(width, len(n.Name))
		}
		b.WriteString("\n")
		for _, n := range k.Notes {
			wrapped(&b, fmt.Sprintf("%-*s  ", width, n.Name), n.Help)
		}
	}
	if k.Example != "" {
		b.WriteString("\n")
		t := batch.Trial{Spec: k.Example}
		b.WriteString("example  segscan " + t.Command() + " FILE\n") // whole, to be copied
	}
	if k.Source != "" {
		b.WriteString("\n")
		wrapped(&b, "source   ", k.Source)
	}
	return b.String()
}

// writeParams lists keys with their defaults.
func writeParams(b *strings.Builder, params []kernels.Param) {
	width := 0
	for _, p := range params {
		width = max(width, len(p.Name))
	}
	for _, p := range params {
		text := p.Help
		if p.Default != "" {
			text += " (default " + p.Default + ")"
		}
		wrapped(b, fmt.Sprintf("  %-*s  ", width, p.Name), text)
	}
}
