package cli

import (
	"fmt"
	"strings"
)

// manualPage is segscan(1) in man's macros, from the same tables as --help.
func manualPage() string {
	var b strings.Builder
	p := func(lines ...string) {
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	p(`.\" Made from the flags of segscan by its tests (go test ./internal/cli -update); do not edit.`,
		`.TH SEGSCAN 1 "" segscan "User Commands"`,
		".SH NAME", `segscan \- find activated segments in images, line by line`,
		".SH SYNOPSIS", ".B segscan", `[flags] \fIINPUT\fR...`)
	for _, c := range commands() {
		p(".br", ".B segscan "+c.name)
		if c.args != "" {
			p(roff(c.args))
		}
	}
	p(".SH DESCRIPTION", roff(strings.Join(strings.Fields(inputText), " ")))
	for _, para := range strings.Split(strings.TrimSpace(meaningText), "\n\n") {
		if strings.HasPrefix(para, "  ") {
			p(".PP", ".nf", roff(para), ".fi")
		} else {
			p(".PP", roff(strings.Join(strings.Fields(para), " ")))
		}
	}
	p(".SH OPTIONS")
	for _, g := range mainFlags(&options{}).groups {
		p(".SS " + strings.ToUpper(g.title[:1]) + g.title[1:])
		for _, f := range g.flags {
			p(manualFlag(f)...)
		}
	}
	p(".SH COMMANDS")
	for _, c := range commands() {
		p(".TP", strings.TrimSpace(fmt.Sprintf(`\fB%s\fR \fI%s\fR`, c.name, roff(c.args))), roff(c.summary))
	}
	p(".PP", "A file or folder of such a name is given as ./NAME.")
	for _, c := range commands() {
		t := c.flags()
		if t == nil {
			continue
		}
		p(".SS Flags of segscan "+c.name, roff(strings.Join(strings.Fields(strings.SplitN(c.help, "\n\n", 2)[0]), " ")))
		for _, g := range t.groups {
			for _, f := range g.flags {
				p(manualFlag(f)...)
			}
		}
	}
	p(".SH EXAMPLES", ".nf", roff(strings.Trim(examplesText, "\n")), ".fi",
		`.SH "EXIT STATUS"`)
	for _, e := range exitTexts {
		p(".TP", fmt.Sprintf(`\fB%d\fR`, e.code), roff(e.text))
	}
	return b.String()
}

// manualFlag is the lines of one flag.
func manualFlag(f flagInfo) []string {
	head := `\fB\-\-` + roff(f.name) + `\fR`
	if f.short != "" {
		head = `\fB\-` + f.short + `\fR, ` + head
	}
	if f.arg != "" {
		head += ` \fI` + roff(f.arg) + `\fR`
	}
	return []string{".TP", head, roff(f.text)}
}

// roff escapes what man would take as a request or a hyphen.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
