package cli

import (
	"fmt"
	"strings"
)

const usageLine = `usage: segscan [flags] INPUT...
`

const inputText = `
INPUT is a PNG, TIFF or JPEG file, a folder, a glob (** crosses folders) or -
for stdin. Flags may stand before or after inputs.
`

const examplesText = `
  segscan examples demo                    write the sample images into demo
  segscan demo                             segment them; results in segscan-out
  segscan scans -r -o results              a folder with all below it
  segscan try scan.tif                     compare kernels: table and pictures
  segscan thresholds --plot scan.tif       what every kernel finds, plotted
  segscan --invert page.png                dark marks on a bright ground
  segscan -k hysteresis:lo=40,hi=200 a.tif your own thresholds
  segscan -k hysteresis:lo=p20,hi=p99 a.tif
                                           thresholds by share of the samples
  segscan --axis cols gel.tif              lanes from top to bottom
  segscan --page 0,2-5 --roi 0,100,512,64 stack.tif
                                           some pages, one rectangle
  segscan --merge-gap 0 --min-length 5 a.png
                                           join what touches, drop what is short
  segscan --table all.csv 'scans/**/*.png' one table of all files
  segscan --legend --pixel-size 0.65um a.tif
                                           a picture with counts and a scale bar
  segscan --plot profile=0 --plot histogram signal.png
                                           plots for a report
  segscan --json --overlay none a.png      for programs: an object a page
`

const meaningText = `
A kernel calls each sample of a line a boundary (1), an activation (2) or
other (0). A segment is the span from one boundary to the next, both included,
if an activation lies between:

  samples   0 1 0 1 2 0 1 0
  segment         [3 .. 6]          start 3, end 6, length 4
`

// shortHelp is -h: enough to start.
func shortHelp() string {
	return usageLine + inputText + `
  segscan examples demo                    write the sample images into demo
  segscan demo                             segment them; results in segscan-out
  segscan try scan.tif                     compare kernels: table and pictures
  segscan --invert page.png                dark marks on a bright ground
  segscan -k hysteresis:lo=40,hi=200 a.tif your own thresholds

segscan --help shows all flags, segscan kernels the kernels
`
}

// longHelp is --help.
func longHelp() string {
	var b strings.Builder
	b.WriteString("segscan finds activated segments in images, line by line\n\n" + usageLine)
	for _, c := range commands() {
		b.WriteString("       segscan " + strings.TrimRight(c.name+" "+c.args, " ") + "\n")
	}
	b.WriteString(inputText + meaningText + "\nexamples" + examplesText)
	for _, g := range mainFlags(&options{}).groups {
		b.WriteString("\n" + g.title + "\n")
		for _, f := range g.flags {
			writeFlag(&b, f)
		}
	}
	b.WriteString("\ncommands\n")
	for _, c := range commands() {
		wrapped(&b, pad("  "+strings.TrimRight(c.name+" "+c.args, " "), flagColumn), c.summary)
	}
	b.WriteString("  A file or folder of such a name is given as ./NAME.\n")
	b.WriteString("\nexit codes\n")
	for _, e := range exitTexts {
		fmt.Fprintf(&b, "  %-3d  %s\n", e.code, e.text)
	}
	return b.String()
}

// flags is the flags of a subcommand that has some, else nil.
func (c command) flags() *flagTable {
	switch c.name {
	case "bench":
		return benchFlags(&benchOptions{})
	case "inspect":
		return inspectFlags(&options{})
	case "thresholds":
		return thresholdsFlags(&thresholdsOptions{})
	case "try":
		return tryFlags(&tryOptions{})
	}
	return nil
}

// commandHelp is what --help says of a subcommand.
func commandHelp(c command) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight("usage: segscan "+c.name+" "+c.args, " ") + "\n\n" + c.help)
	if t := c.flags(); t != nil {
		b.WriteString(t.text())
	}
	return b.String()
}

// text is the flags in their groups, as help shows them.
func (t *flagTable) text() string {
	var b strings.Builder
	for _, g := range t.groups {
		b.WriteString("\n" + g.title + "\n")
		for _, f := range g.flags {
			writeFlag(&b, f)
		}
	}
	return b.String()
}

// flagColumn is where the texts of flags begin.
const flagColumn = 26

func writeFlag(b *strings.Builder, f flagInfo) {
	head := "      --" + f.name
	if f.short != "" {
		head = "  -" + f.short + ", --" + f.name
	}
	if f.arg != "" {
		head += " " + f.arg
	}
	if len(head) > flagColumn-2 {
		b.WriteString(head + "\n")
		head = ""
	}
	wrapped(b, pad(head, flagColumn), f.text)
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-len(s))) }
