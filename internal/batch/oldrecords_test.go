package batch

import (
	"bufio"
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// Which records are done is told by their columns: under each set of flags, those of another run are left alone if they
// hold all that is asked, made anew if that adds columns and takes none away, or else refused. If they are not, the table
// is that of a run into an empty folder.
func TestSkipExistingLooksAtColumns(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, `in/a "b",c.png`, encode(t, gray("1213331", "0000000", "1212121")))
	type flags struct {
		name            string
		spans, subs     bool
		size            PixelSize
		unitsIn, unitsX bool // columns in units are there; are refused
	}
	um := PixelSize{Size: 2, Unit: "um"}
	all := []flags{
		{name: "plain"},
		{name: "spans", spans: true},
		{name: "subsample", subs: true},
		{name: "units", size: um, unitsIn: true},
		{name: "no units", size: PixelSize{Rule: PixelNone}, unitsX: true},
		{name: "units where stated", size: PixelSize{Rule: PixelColumns}, unitsIn: true},
		{name: "spans, subsample, units", spans: true, subs: true, size: um, unitsIn: true},
	}
	with := func(f flags, out string) *Config {
		c := config(t, in)
		c.Out, c.Overlay, c.AllSpans, c.Subsample, c.PixelSize = filepath.Join(dir, out), "none", f.spans, f.subs, f.size
		return c
	}
	for _, before := range all {
		for _, now := range all {
			if before.unitsIn && now.unitsIn && before.size != now.size {
				continue // what the columns hold is not compared
			}
			c := with(before, "out")
			c.Overwrite = true
			succeed(t, c)
			old := read(t, c.Out, `a "b",c.png.segments.csv`)
			c = with(now, "out")
			c.SkipExisting, c.Table, c.Stdout = true, "-", &bytes.Buffer{}
			lacks := now.spans && !before.spans || now.subs && !before.subs || now.unitsIn && !before.unitsIn || now.unitsX && before.unitsIn
			loses := before.spans && !now.spans || before.subs && !now.subs || before.unitsIn && !now.unitsIn
			if lacks && loses {
				usage(t, dir, func(to *Config) { *to = *c }, c.Inputs, "would take the columns", "to keep them, --overwrite")
				wantText(t, before.name+", then "+now.name+": records", read(t, c.Out, `a "b",c.png.segments.csv`), old)
				continue
			}
			sum := succeed(t, c)
			if noted := sum.Plan.Lacking == 1 && len(sum.Plan.LackingColumns) > 0; noted != lacks {
				t.Errorf("%s, then %s: lacking %d %v", before.name, now.name, sum.Plan.Lacking, sum.Plan.LackingColumns)
			}
			if skipped := sum.Skipped == 1; skipped == lacks {
				t.Errorf("%s, then %s: skipped %v", before.name, now.name, skipped)
			}
			if kept := read(t, c.Out, `a "b",c.png.segments.csv`) == old; !lacks && !kept {
				t.Errorf("%s, then %s: the records are others", before.name, now.name)
			}
			fresh := with(now, "fresh")
			fresh.Out, fresh.Table, fresh.Stdout = filepath.Join(t.TempDir(), "out"), "-", &bytes.Buffer{}
			succeed(t, fresh)
			wantText(t, before.name+", then "+now.name+": table", c.Stdout.(*bytes.Buffer).String(), fresh.Stdout.(*bytes.Buffer).String())
		}
	}
}

func TestDamagedRecordsGiveNoRows(t *testing.T) {
	c := config(t)
	c.Subsample = true
	have := c.oldColumns(c.header(false))
	c.Subsample = false
	var w bytes.Buffer
	err := c.oldRows(&w, bufio.NewReader(strings.NewReader("a.png,0,0,0,2,3\n")), have)
	if err == nil || !strings.Contains(err.Error(), "wrong number of fields") || w.Len() > 0 {
		t.Errorf("%v, %q", err, &w)
	}
	if c.oldColumns("file,page\n") != nil || c.holdAll(nil) {
		t.Error("what is no line of columns is taken for one")
	}
}
