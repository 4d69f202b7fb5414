package cli

import (
	"fmt"
	"strings"

	"segscan/kernels"
)

const kernelsHelp = `without NAME: a table of the threshold kernels; with NAME: its keys, when to use it, and an example
`

func (a *app) kernels(args []string) error {
	if len(args) == 0 {
		return a.print(kernelTable(kernels.List()))
	}
	info, err := kernels.Lookup(args[0])
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
	for _, k := range list {
		wrapped(&b, fmt.Sprintf("%-*s  ", width, k.Name), k.Summary)
	}
	b.WriteString("\nsegscan kernels NAME shows one in full; -k NAME or -k NAME:KEY=VALUE,... chooses it\n")
	return b.String()
}

func kernelPage(k kernels.Info) string {
	var b strings.Builder
	wrapped(&b, k.Name+"  ", k.Summary)
	if k.When != "" {
		b.WriteString("\n")
		wrapped(&b, "when     ", k.When)
	}
	if len(k.Params) > 0 {
		width := 0
		for _, p := range k.Params {
			width = max(width, len(p.Name))
		}
		b.WriteString("\nkeys\n")
		for _, p := range k.Params {
			text := p.Help
			if p.Default != "" {
				text += " (default " + p.Default + ")"
			}
			wrapped(&b, fmt.Sprintf("  %-*s  ", width, p.Name), text)
		}
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
		wrapped(&b, "example  ", k.Example)
	}
	if k.Source != "" {
		b.WriteString("\n")
		wrapped(&b, "source   ", k.Source)
	}
	return b.String()
}
