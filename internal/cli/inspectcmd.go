package cli

import (
	"fmt"
	"slices"
	"strings"

	"segscan/internal/batch"
	"segscan/internal/raster"
)

const inspectText = `prints what each file says of itself, what its samples will be, what of it they do
not hold, and why it would be refused; reads the structure of files, not their
pixels, and writes nothing
`

// inspectFlags are those of the main job that bear on what becomes of a page, and --json.
func inspectFlags(o *options) *flagTable {
	t := newFlagTable("inspect")
	t.group("flags")
	findFlags(t, o)
	readFlags(t, o)
	t.toggle("json", "", &o.JSON, "one JSON object a page")
	t.set.BoolVarP(&o.longHelp, "help", "h", false, "")
	return t
}

func inspectHelp() string {
	var b strings.Builder
	b.WriteString(inspectText + "\n")
	for _, f := range inspectFlags(&options{}).groups[0].flags {
		writeFlag(&b, f)
	}
	return b.String()
}

// inspect reports on files. Refused files and pages make it end as the main job would.
func (a *app) inspect(args []string) error {
	o := &options{}
	t := inspectFlags(o)
	if err := t.oneDash(args); err != nil {
		return err
	}
	if err := t.set.Parse(args); err != nil {
		return t.explain(err)
	}
	if o.longHelp {
		return a.print("usage: segscan inspect [flags] INPUT...\n\n" + inspectHelp())
	}
	if o.Inputs = t.set.Args(); len(o.Inputs) == 0 {
		return &usageError{"no input given", "segscan inspect --help"}
	}
	if a.stdinTerm && slices.Contains(o.Inputs, "-") {
		return &usageError{"stdin is a terminal", "pipe an image into segscan inspect -, or name a file"}
	}
	o.Stdin = a.stdin
	plan, err := batch.Find(a.ctx, &o.Config)
	if err != nil {
		return err
	}
	p := &inspector{app: a, json: o.JSON, alone: len(plan.Files) == 1}
	for _, f := range plan.Failed {
		p.fail(f.File, f.Err)
	}
	for _, in := range plan.Unmatched {
		a.stderr.message(in, "warning: nothing here to inspect", "")
	}
	if err := batch.Inspect(a.ctx, &o.Config, plan, p.file); err != nil {
		return err
	}
	if p.refused {
		return &someFailed{}
	}
	return nil
}

// inspector prints reports.
type inspector struct {
	*app
	json    bool
	alone   bool // one file only
	refused bool // a file or page
	printed int  // files
}

func (p *inspector) fail(file string, err error) {
	p.refused = true
	p.stderr.message(file, err.Error(), hintOf(err))
}

func (p *inspector) file(f *batch.PlannedFile, rep *raster.Report, pages []int, err error) error {
	name := f.Path
	if name == "-" {
		name = "stdin"
	}
	if err != nil {
		p.fail(name, err)
		if p.json {
			return p.print(refusedObject(f.Name(), name, err))
		}
		return nil
	}
	if rep.Refused != "" {
		p.refused = true
	}
	if p.json {
		return p.objects(name, rep, pages)
	}
	return p.text(name, rep, pages)
}

func (p *inspector) objects(path string, rep *raster.Report, pages []int) error {
	for _, i := range pages {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		page := rep.Page(i)
		p.refused = p.refused || page.Refused != ""
		if err := p.print(pageReportObject(path, rep, &page)); err != nil {
			return err
		}
	}
	return nil
}

// text prints a file; pages that say the same as the one before are only counted.
func (p *inspector) text(name string, rep *raster.Report, pages []int) error {
	var b strings.Builder
	if p.printed++; p.printed > 1 {
		b.WriteByte('\n')
	}
	b.WriteString(clean(name) + ": " + strings.ToUpper(rep.Format) + ", " + byteText(rep.Bytes))
	if n := rep.Pages + rep.ExtraPages; n > 1 {
		b.WriteString(", " + plural(n, "page", "pages"))
	}
	b.WriteByte('\n')
	writeFacts(&b, rep.Facts)
	writeTexts(&b, "warning", rep.Warnings)
	writeTexts(&b, "refused", refusals(rep.Refused))
	before, from := "", 0
	run := []int{}
	flush := func() {
		switch n := len(run); {
		case n == 1:
			fmt.Fprintf(&b, "page %d: as page %d\n", run[0], from)
		case n > 1:
			fmt.Fprintf(&b, "pages %d to %d: as page %d\n", run[0], run[n-1], from)
		}
		run = run[:0]
	}
	for _, i := range pages {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		page := rep.Page(i)
		p.refused = p.refused || page.Refused != ""
		text := pageReportText(&page)
		if text == before && i == from+len(run)+1 {
			run = append(run, i)
			continue
		}
		flush()
		before, from = text, i
		if len(pages) > 1 || rep.Pages+rep.ExtraPages > 1 {
			fmt.Fprintf(&b, "page %d", i)
			if page.Axes != "" {
				b.WriteString(" (" + page.Axes + ")")
			}
			b.WriteByte('\n')
		}
		b.WriteString(text)
		if b.Len() > 1<<16 {
			if err := p.print(b.String()); err != nil {
				return err
			}
			b.Reset()
		}
	}
	flush()
	return p.print(b.String())
}

func refusals(why string) []string {
	if why == "" {
		return nil
	}
	return []string{why}
}

// pageReportText is what stands below the heading of a page.
func pageReportText(r *raster.PageReport) string {
	var b strings.Builder
	if r.Width > 0 {
		writeFact(&b, "size", fmt.Sprintf("%d x %d", r.Width, r.Height))
	}
	writeFacts(&b, r.Stored)
	if g := r.Reading; g != nil {
		writeFact(&b, "samples", readingText(g))
		writeFact(&b, "gray", g.Gray)
		if g.Alpha != "" {
			writeFact(&b, "transparency", g.Alpha)
		}
		if s := g.Scale; s.From != "" {
			size := fmt.Sprintf("%v %s", s.X, s.Unit)
			if s.X != s.Y {
				size = fmt.Sprintf("%v x %v %s", s.X, s.Y, s.Unit)
			}
			writeFact(&b, "pixel", fmt.Sprintf("%s (%s), unless --pixel-size is given", size, s.From))
		}
	}
	writeTexts(&b, "lost", r.Losses)
	writeTexts(&b, "warning", r.Warnings)
	writeTexts(&b, "refused", refusals(r.Refused))
	return b.String()
}

// readingText is type and nominal range.
func readingText(g *raster.Reading) string {
	t := g.Sample.String()
	if g.Min == g.Min && g.Max == g.Max {
		t += fmt.Sprintf(", %v to %v, which is what %% refers to", g.Min, g.Max)
	} else {
		t += ", without a range for %: thresholds in the samples' own unit or as p47"
	}
	return t
}

// longestFact is how much of a fact is printed for people.
const longestFact = 400

func writeFacts(b *strings.Builder, list []raster.Fact) {
	for _, f := range list {
		if f.Name == "compression_tag" { // its name says as much
			continue
		}
		writeFact(b, strings.ReplaceAll(f.Name, "_", " "), factText(f.Value))
	}
}

func writeTexts(b *strings.Builder, label string, texts []string) {
	for _, t := range texts {
		writeFact(b, label, t)
	}
}

func writeFact(b *strings.Builder, label, text string) {
	text = cleanText(text)
	if r := []rune(text); len(r) > longestFact {
		text = string(r[:longestFact]) + " ..."
	}
	wrapped(b, pad("  "+label, flagColumn), text)
}

func factText(v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []string:
		return strings.Join(v, "; ")
	case string:
		return v
	}
	return strings.Trim(fmt.Sprint(v), "[]")
}
