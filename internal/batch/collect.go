package batch

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// collector takes the results of files in order of Rel: it feeds standard output, the table, the summary and the
// observer, one file after the other, so that they do not depend on which worker was faster.
type collector struct {
	*runner
	at      int // the first file of the plan that is not accounted for
	summary *spool
	old     map[string][][]byte // rows of the summary that exists, by file
	others  []string            // files of those rows that are not in the plan, sorted, not written yet
	foreign bool                // what is there is no summary of ours, and is not replaced
	noRow   int                 // files left alone without an old row
	noTable int                 // or without old records for the table

	tableFile *pending  // nil for standard output
	table     io.Writer // nil before the first row and after an error
	tableDone bool      // no more rows: it failed
}

func newCollector(r *runner) *collector {
	c := &collector{runner: r, summary: &spool{dir: r.cfg.Out}}
	if r.cfg.SkipExisting {
		c.readSummary()
		planned := make(map[string]bool, len(r.plan.Files))
		for i := range r.plan.Files {
			planned[r.plan.Files[i].Name()] = true
		}
		for _, name := range slices.Sorted(maps.Keys(c.old)) {
			if !planned[name] {
				c.others = append(c.others, name)
			}
		}
	}
	return c
}

// otherRows keeps the old rows of files that are no input of this run and come before name, or all ("").
func (c *collector) otherRows(name string) {
	for len(c.others) > 0 && (name == "" || c.others[0] < name) {
		c.keepRows(c.others[0])
		c.others = c.others[1:]
	}
}

// readSummary keeps the rows of the summary of an earlier run, for files that are left alone now, inputs or not.
func (c *collector) readSummary() {
	f, err := os.Open(c.summaryPath())
	if err != nil {
		return // then skipped files are reported as having no row
	}
	defer f.Close()
	c.old = map[string][][]byte{}
	rows := csv.NewReader(bufio.NewReader(f))
	for first := true; ; first = false {
		row, err := rows.Read()
		if err == io.EOF && !first {
			return
		}
		if err != nil || first && !slices.Equal(row, summaryColumns) {
			c.foreign = true
			return
		}
		if first {
			continue
		}
		if line, err := csvLine(row); err == nil {
			c.old[row[0]] = append(c.old[row[0]], line)
		}
	}
}

func (r *runner) summaryPath() string { return filepath.Join(r.cfg.Out, summaryName) }

// take accounts for one file. An error is one of standard output, and ends the run.
func (c *collector) take(res *fileResult) error {
	defer res.rows.Close()
	f := &c.plan.Files[res.index]
	c.passOver(res.index)
	c.at = res.index + 1
	c.otherRows(f.Name())
	switch {
	case res.canceled:
		return nil
	case res.err != nil:
		var failed *FileError
		if !errors.As(res.err, &failed) {
			failed = &FileError{File: f.Name(), Page: -1, Err: res.err}
		}
		c.sum.Failed = append(c.sum.Failed, failed)
		c.obs.FileDone(*f, res.size, failed)
		return nil
	case res.skipped:
		c.sum.Skipped++
		err := c.leftAlone(f)
		c.obs.FileDone(*f, res.size, nil)
		return err
	}
	return c.done(f, res)
}

func (c *collector) done(f *PlannedFile, res *fileResult) error {
	c.sum.Done++
	c.sum.Pages += len(res.pages)
	c.sum.Pixels += res.pixels
	c.sum.Outputs = append(c.sum.Outputs, res.outputs...)
	for i := range res.pages {
		p := &res.pages[i]
		c.sum.Segments += p.Count
		c.sum.Dropped += p.DroppedAtEdges
		line, err := csvLine(p.csvRow())
		if err == nil {
			_, err = c.summary.Write(line)
		}
		if err != nil {
			return fmt.Errorf("gathering the summary: %w", err)
		}
	}
	c.sum.Rows = append(c.sum.Rows, res.pages...)
	for _, o := range res.objects {
		if _, err := c.cfg.Stdout.Write(o); err != nil {
			return fmt.Errorf("writing to standard output: %w", err)
		}
	}
	if err := c.tableRows(func(w io.Writer) error { _, err := res.rows.WriteTo(w); return err }); err != nil {
		return err
	}
	for _, h := range res.hints {
		c.obs.Warn(f.Name(), h[0], h[1])
	}
	c.obs.FileDone(*f, res.size, nil)
	return nil
}

// passOver accounts for files before index that no worker was given. The rows of those left alone stay.
func (c *collector) passOver(index int) {
	for ; c.at < index; c.at++ {
		if f := &c.plan.Files[c.at]; f.Skip {
			c.sum.Skipped++
			c.otherRows(f.Name())
			c.oldRows(f)
		}
	}
}

// leftAlone puts an earlier run's rows of f into the summary and the table.
func (c *collector) leftAlone(f *PlannedFile) error {
	c.oldRows(f)
	if c.cfg.Table == "" {
		return nil
	}
	if c.cfg.Records != "csv" {
		c.noTable++
		return nil
	}
	in, err := os.Open(c.cfg.outputPath(f.Rel, c.cfg.recordsSuffix()))
	if err != nil {
		c.noTable++
		return nil
	}
	defer in.Close()
	rows := bufio.NewReaderSize(in, 1<<16)
	head, err := rows.ReadString('\n')
	units := c.cfg.tableUnits()
	switch {
	case err == nil && head == c.cfg.header(units):
		return c.tableRows(func(w io.Writer) error { _, err := io.Copy(w, rows); return err })
	case err == nil && !units && head == c.cfg.header(true):
		return c.tableRows(func(w io.Writer) error { return withoutUnits(w, rows) })
	}
	c.noTable++
	return nil
}

// withoutUnits copies rows of records without their last three columns, which hold neither commas nor quotes.
func withoutUnits(w io.Writer, rows *bufio.Reader) error {
	for {
		line, err := rows.ReadBytes('\n')
		if err == io.EOF {
			return nil // records end with a line's end
		}
		if err != nil {
			return err
		}
		for range 3 {
			line = line[:max(bytes.LastIndexByte(line, ','), 0)]
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
}

func (c *collector) oldRows(f *PlannedFile) {
	if name := f.Name(); !c.keepRows(name) {
		c.noRow++
	}
}

// keepRows copies the rows of a file from the old summary, if it has some.
func (c *collector) keepRows(name string) bool {
	lines := c.old[name]
	for _, line := range lines {
		if _, err := c.summary.Write(line); err != nil {
			return false
		}
	}
	return len(lines) > 0
}

// tableRows begins the table if need be and lets write add rows. A table in a file that cannot be written is a
// failure of its own; standard output ends the run.
func (c *collector) tableRows(write func(io.Writer) error) error {
	if c.cfg.Table == "" || c.tableDone {
		return nil
	}
	err := c.beginTable()
	if err == nil {
		err = write(c.table)
	}
	if err == nil {
		return nil
	}
	c.tableDone = true
	if c.cfg.Table == "-" {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	c.tableFailed(err)
	return nil
}

func (c *collector) tableFailed(err error) {
	c.tableFile.discard()
	c.tableFile = nil
	c.sum.Failed = append(c.sum.Failed, &FileError{File: recordName(c.cfg.Table), Page: -1, Err: err})
}

func (c *collector) beginTable() error {
	if c.table != nil {
		return nil
	}
	c.table = c.cfg.Stdout
	if c.cfg.Table != "-" {
		p, err := newPending(c.cfg.Table)
		if err != nil {
			return err
		}
		c.table, c.tableFile = p, p
	}
	_, err := io.WriteString(c.table, c.cfg.header(c.cfg.tableUnits()))
	return err
}

// finish ends the table and writes the summary. Where nothing was done both stay as they were, but for the header
// of a table on standard output. A table that an interruption or an error cut short is removed.
func (c *collector) finish(interrupted, failed bool) error {
	defer c.summary.Close()
	c.sum.Interrupted = interrupted
	var err error
	if c.cfg.Table == "-" && c.table == nil && !interrupted && !failed {
		err = c.tableRows(func(io.Writer) error { return nil })
	}
	if c.tableFile != nil {
		if interrupted || failed || c.sum.Done == 0 {
			c.tableFile.discard()
		} else if e := c.tableFile.commit(c.cfg.Overwrite || c.cfg.SkipExisting); e != nil {
			c.tableFailed(e)
		} else {
			c.sum.Outputs = append(c.sum.Outputs, c.cfg.Table)
		}
	}
	c.passOver(len(c.plan.Files))
	c.otherRows("")
	if c.sum.Done > 0 {
		c.writeSummary()
	}
	if c.sum.Done > 0 && c.noRow > 0 {
		c.obs.Warn("", fmt.Sprintf("files left as they were without a row in the new %s, for there was none before: %d",
			summaryName, c.noRow), "")
	}
	if c.sum.Done > 0 && c.noTable > 0 {
		c.obs.Warn("", fmt.Sprintf("files left as they were without rows in the table: %d", c.noTable),
			"--overwrite segments them again")
	}
	return err
}

func (c *collector) writeSummary() {
	path := c.summaryPath()
	err := func() error {
		if c.foreign {
			return fmt.Errorf("writing %s: what is there has other columns; --overwrite replaces it", recordName(path))
		}
		p, err := newPending(path)
		if err != nil {
			return err
		}
		defer p.discard()
		head, err := csvLine(summaryColumns)
		if err != nil {
			return err
		}
		if _, err := p.Write(head); err != nil {
			return err
		}
		if _, err := c.summary.WriteTo(p); err != nil {
			return err
		}
		return p.commit(c.cfg.Overwrite || c.cfg.SkipExisting)
	}()
	if err != nil {
		c.sum.Failed = append(c.sum.Failed, &FileError{File: summaryName, Page: -1, Err: err})
		return
	}
	c.sum.Outputs = append(c.sum.Outputs, path)
}
