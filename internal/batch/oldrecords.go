package batch

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
)

// oldColumns are the columns of records or a table, by their first line; nil where this program writes no such line.
func (c *Config) oldColumns(line string) []string {
	for k := range 8 {
		o := *c
		o.AllSpans, o.Subsample = k&1 != 0, k&2 != 0
		if units := k&4 != 0; line == o.header(units) {
			return o.columns(units)
		}
	}
	return nil
}

// holdAll tells whether records of these columns hold all that this run would put into records. They may hold more: so
// those of a file that states its pixel size do.
func (c *Config) holdAll(have []string) bool {
	lacks := func(name string) bool { return !slices.Contains(have, name) }
	return have != nil && !slices.ContainsFunc(c.columns(c.tableUnits()), lacks) && (c.PixelSize.Rule != PixelNone || lacks("unit"))
}

// oldRows copies the rows of records with these columns to a table, which has the columns of this run: what else they
// have is left out, and so are rejected spans that are not asked for.
func (c *Config) oldRows(w io.Writer, rows *bufio.Reader, have []string) error {
	want := c.columns(c.tableUnits())
	if slices.Equal(have, want) {
		_, err := io.Copy(w, rows)
		return err
	}
	var from []int
	for _, name := range want {
		from = append(from, slices.Index(have, name))
	}
	kind := slices.Index(have, "activated")
	if c.AllSpans {
		kind = -1
	}
	in, out := csv.NewReader(rows), csv.NewWriter(w)
	in.ReuseRecord, in.FieldsPerRecord = true, len(have)
	fields := make([]string, len(want))
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			out.Flush()
			return out.Error()
		}
		if err != nil {
			return err
		}
		if kind >= 0 && row[kind] != "1" {
			continue
		}
		for i, k := range from {
			fields[i] = row[k]
		}
		if err := out.Write(fields); err != nil {
			return err
		}
	}
}
