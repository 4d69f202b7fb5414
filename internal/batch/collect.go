package batch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// collector takes the results of files in order of Rel: it feeds standard output, the table, the summary and the
// observer, one file after the other, so that they do not depend on which worker was faster.
type collector struct {
	*runner
	at      int // the first file of the plan that is not accounted for
	summary *spool
	others  []string // files of the old summary that are not in the plan, sorted, not written yet

	tableFile *pending  // nil for standard output
	table     io.Writer // nil before the first row and after an error
	tableDone bool      // no more rows: it failed

	beside      int // results of earlier runs that this one leaves beside its own
	firstBeside string
}

func newCollector(r *runner) *collector {
	c := &collector{runner: r, summary: &spool{dir: r.cfg.Out, temps: r.cfg.Temps}}
	planned := make(map[string]bool, len(r.plan.Files))
	for i := range r.plan.Files {
		planned[r.plan.Files[i].Name()] = true
	}
	for _, name := range slices.Sorted(maps.Keys(r.plan.old.rows)) {
		if !planned[name] {
			c.others = append(c.others, name)
		}
	}
	return c
}

// otherRows keeps the old rows of files that are no input of this run and come before name, or all ("").
func (c *collector) otherRows(name string) error {
	for len(c.others) > 0 && (name == "" || c.others[0] < name) {
		if err := c.keepRows(c.others[0]); err != nil {
			return err
		}
		c.others = c.others[1:]
	}
	return nil
}

// take accounts for one file. An error is one of standard output, and ends the run.
func (c *collector) take(res *fileResult) error {
	defer res.rows.Close()
	f := &c.plan.Files[res.index]
	err := c.passOver(res.index)
	c.at = res.index + 1
	if err == nil {
		err = c.otherRows(f.Name())
	}
	if err != nil {
		return err
	}
	switch {
	case res.canceled:
		return c.keepRows(f.Name())
	case res.err != nil:
		var failed *FileError
		if !errors.As(res.err, &failed) {
			failed = &FileError{File: f.Name(), Page: -1, Err: res.err}
		}
		c.sum.Failed = append(c.sum.Failed, failed)
		c.obs.FileDone(*f, res.size, failed)
		return c.keepRows(f.Name()) // what an earlier run wrote is still there
	case res.skipped:
		c.sum.Skipped++
		err = c.leftAlone(f)
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
	c.leftBeside(f, res.outputs)
	c.obs.FileDone(*f, res.size, nil)
	return nil
}

// passOver accounts for files before index that no worker was given. The rows that an earlier run wrote of them stay.
func (c *collector) passOver(index int) error {
	for ; c.at < index; c.at++ {
		f := &c.plan.Files[c.at]
		if f.Skip {
			c.sum.Skipped++
		}
		if err := errors.Join(c.otherRows(f.Name()), c.keepRows(f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// leftAlone puts an earlier run's rows of f into the summary and the table.
func (c *collector) leftAlone(f *PlannedFile) error {
	if err := c.keepRows(f.Name()); err != nil || c.cfg.Table == "" {
		return err
	}
	return c.tableRows(func(w io.Writer) error {
		in, err := os.Open(c.cfg.outputPath(f.Rel, c.cfg.recordsSuffix()))
		if err != nil {
			return fmt.Errorf("taking the rows of %s from its records: %w", f.Name(), bare(err))
		}
		defer in.Close()
		rows := bufio.NewReaderSize(in, 1<<16)
		head, err := rows.ReadString('\n')
		have := c.cfg.oldColumns(head)
		if err != nil || !c.cfg.holdAll(have) {
			return fmt.Errorf("taking the rows of %s from its records: they have changed meanwhile", f.Name())
		}
		if err := c.cfg.oldRows(w, rows, have); err != nil {
			return fmt.Errorf("taking the rows of %s from its records: %w", f.Name(), err)
		}
		return nil
	})
}

// keepRows copies the rows of a file from the old summary, if it has some.
func (c *collector) keepRows(name string) error {
	for _, r := range c.plan.old.rows[name] {
		if _, err := c.summary.Write(r.line); err != nil {
			return fmt.Errorf("gathering the summary: %w", err)
		}
	}
	return nil
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
	c.sum.Failed = append(c.sum.Failed, &FileError{File: recordName(c.cfg.Table), Page: -1, Err: itself(c.cfg.Table, err)})
}

func (c *collector) beginTable() error {
	if c.table != nil {
		return nil
	}
	c.table = c.cfg.Stdout
	if c.cfg.Table != "-" {
		p, err := newPending(c.cfg.Table, c.cfg.Temps)
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
		if interrupted || failed || c.sum.Done+c.sum.Skipped == 0 {
			c.tableFile.discard()
		} else if e := c.tableFile.commit(c.cfg.Overwrite || c.cfg.SkipExisting); e != nil {
			c.tableFailed(e)
		} else {
			c.sum.Outputs = append(c.sum.Outputs, c.cfg.Table)
		}
	}
	err = errors.Join(err, c.passOver(len(c.plan.Files)), c.otherRows(""))
	if c.sum.Done > 0 {
		c.writeSummary()
	}
	c.warnBeside()
	return err
}

// writeRows writes the summary's rows, with those that another run added meanwhile in their places.
func (c *collector) writeRows(w io.Writer, since []namedRow) error {
	if len(since) == 0 {
		_, err := c.summary.WriteTo(w)
		return err
	}
	var ours bytes.Buffer
	if _, err := c.summary.WriteTo(&ours); err != nil {
		return err
	}
	rows, err := mergeRows(&ours, since)
	if err != nil {
		return err
	}
	_, err = w.Write(rows)
	return err
}

func (c *collector) writeSummary() {
	path := c.cfg.summaryPath()
	err := func() error {
		p, err := newPending(path, c.cfg.Temps)
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
		now := readSummary(path)
		if err := c.writeRows(p, c.plan.rowsSince(&now)); err != nil {
			return err
		}
		return p.commit(c.cfg.Overwrite || now.exists && !now.foreign)
	}()
	if err != nil {
		c.sum.Failed = append(c.sum.Failed, &FileError{File: recordName(path), Page: -1, Err: itself(path, err)})
		return
	}
	c.sum.Outputs = append(c.sum.Outputs, path)
}
