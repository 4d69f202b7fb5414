package batch

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// oldRecords is what the beginning of a file's records tells of the run that made them: columns are those of CSV, which
// JSON has as the fields of segments.
type oldRecords struct {
	columns []string
	first   []string // the first row, nil where there is none
}

// field is that of the first row in the named column, "" for none.
func (r *oldRecords) field(name string) string {
	if i := slices.Index(r.columns, name); i >= 0 && r.first != nil {
		return r.first[i]
	}
	return ""
}

// oldRecordsOf looks into the records of a file, of the kind that this run makes; nil where there are none, where this
// program did not make them, and for JSON whose first page has no segment.
func (c *Config) oldRecordsOf(f *PlannedFile) *oldRecords {
	if c.recordsSuffix() == "" {
		return nil
	}
	file, err := os.Open(c.outputPath(f.Rel, c.recordsSuffix()))
	if err != nil {
		return nil
	}
	defer file.Close()
	in := bufio.NewReader(file)
	if c.Records == "json" {
		return c.oldJSON(in)
	}
	head, err := in.ReadString('\n')
	r := &oldRecords{columns: c.oldColumns(head)}
	if err != nil || r.columns == nil {
		return nil
	}
	if row, err := csv.NewReader(in).Read(); err == nil && len(row) == len(r.columns) {
		r.first = row
	}
	return r
}

// holdAsked tells whether the records of a file hold what this run would put into them, so that they can give its rows
// of the table too, if there is to be one. JSON gives none.
func (c *Config) holdAsked(old *oldRecords) bool {
	if c.Records != "csv" {
		return c.Table == "" && (old == nil || len(c.lacking(old)) == 0 &&
			(c.PixelSize.Rule != PixelNone || !slices.Contains(old.columns, "unit")))
	}
	return old != nil && c.holdAll(old.columns) && !c.unitsEmpty(old)
}

// unitsEmpty tells records that have columns in units for a size that no one knew then, and this run does.
func (c *Config) unitsEmpty(old *oldRecords) bool {
	return c.PixelSize.Size != 0 && old.first != nil && slices.Contains(old.columns, "unit") && old.field("unit") == ""
}

// samePixels refuses records in other units than those that the command line gives: left as they are they would be
// taken for records in these, and done anew they would be replaced unasked.
func (c *Config) samePixels(f *PlannedFile, old *oldRecords) error {
	if c.PixelSize.Size == 0 || old == nil || old.field("unit") == "" {
		return nil
	}
	length, err := strconv.ParseFloat(old.field("length"), 64)
	now := string(appendDigits(nil, length*c.PixelSize.Size, unitDigits))
	if err != nil || old.field("unit") == c.PixelSize.Unit && old.field("length_u") == now {
		return nil
	}
	return &UsageError{
		Msg: fmt.Sprintf("%s was measured before with a pixel size of %s, and %s is asked for now",
			f.Name(), old.pixelSize(), string(appendDigits(nil, c.PixelSize.Size, unitDigits))+c.PixelSize.Unit),
		Hint: "--overwrite measures it anew, or give another -o",
	}
}

// pixelSize is that of the first row, as --pixel-size takes it; "" where there is none.
func (r *oldRecords) pixelSize() string {
	length, err1 := strconv.ParseFloat(r.field("length"), 64)
	units, err2 := strconv.ParseFloat(r.field("length_u"), 64)
	if err1 != nil || err2 != nil {
		return ""
	}
	return string(appendDigits(nil, units/length, unitDigits-1)) + r.field("unit") // one digit is lost in the quotient
}

// alwaysUnits tells whether records have columns in units whatever the file states.
func (c *Config) alwaysUnits() bool {
	return c.PixelSize.Size != 0 || c.Records == "csv" && c.PixelSize.Rule == PixelColumns
}

// lacking are the columns that this run would add to records, or fill.
func (c *Config) lacking(old *oldRecords) []string {
	if old == nil {
		return nil
	}
	if c.unitsEmpty(old) {
		return c.unitColumns()
	}
	return without(c.columns(c.alwaysUnits()), old.columns)
}

// without is names less those that others has.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(s string) bool { return slices.Contains(others, s) })
}

// noteLacking counts a file that is done anew for want of columns.
func (p *Plan) noteLacking(columns []string) {
	if len(columns) > 0 {
		p.Lacking++
		p.LackingColumns = append(p.LackingColumns, without(columns, p.LackingColumns)...)
	}
}

// keepsColumns refuses to do a file anew if its records would lose columns that an earlier run was asked for.
func (c *Config) keepsColumns(ctx context.Context, f *PlannedFile, old *oldRecords) error {
	if old == nil {
		return nil
	}
	units := c.alwaysUnits()
	if slices.Contains(old.columns, "unit") && !units {
		units = c.PixelSize.Rule != PixelNone && statesSize(ctx, c, f)
	}
	lost := without(old.columns, c.columns(units))
	if len(lost) == 0 {
		return nil
	}
	var add []string
	if slices.Contains(lost, "activated") {
		add = append(add, "--spans all")
	}
	if slices.Contains(lost, "start_x") {
		add = append(add, "--subsample")
	}
	if slices.Contains(lost, "unit") {
		size := old.pixelSize()
		if size == "" {
			size = "auto"
		}
		add = append(add, "--pixel-size "+shellWord(size))
	}
	return &UsageError{
		Msg: fmt.Sprintf("doing %s anew would take the columns %s out of its records",
			f.Name(), strings.Join(lost, ", ")),
		Hint: "give " + strings.Join(add, " ") + " to keep them, --overwrite to drop them, or another -o",
	}
}

// statesSize tells whether records of a file would have columns in units because it states its pixel size. What can be
// read only once is taken to state none; a file that cannot be read loses nothing, since it will fail.
func statesSize(ctx context.Context, cfg *Config, f *PlannedFile) bool {
	if info, err := os.Stat(f.Path); f.Path == "-" || err != nil || !info.Mode().IsRegular() {
		return false
	}
	src, err := openSource(ctx, cfg, f)
	if err != nil {
		return true
	}
	defer src.close()
	rd, err := cfg.Open(src, src.size, f.Name(), cfg.Raster)
	if err != nil {
		return true
	}
	defer rd.Close()
	pages, _, err := cfg.choosePages(rd)
	if err != nil || len(pages) == 0 {
		return true
	}
	page, err := rd.Page(pages[0])
	if err != nil {
		return true
	}
	size, _ := cfg.pixelSize(page)
	return size.Size != 0
}
