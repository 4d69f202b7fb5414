package batch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// collector takes the results of files in order of Rel: it feeds standard output, the table, the summary and the
// observer, one file after the other, so that they do not depend on which worker was faster.
type collector struct {
	*runner
	at      int // the first file of the plan that is not accounted for
	summary *spool
	untold  map[string]bool // files whose results were replaced and not accounted for, as the run broke off

	tableFile *pending  // nil for standard output
	table     io.Writer // nil before the first row and after an error
	tableDone bool      // no more rows: it failed

	beside      int // results of earlier runs that this one leaves beside its own
	firstBeside string
}

func newCollector(r *runner) *collector {
	return &collector{runner: r, summary: &spool{dir: r.cfg.Out, temps: r.cfg.Temps}, untold: map[string]bool{}}
}

// take accounts for one file. An error is one of standard output, and ends the run.
func (c *collector) take(res *fileResult) error {
	defer res.rows.Close()
	f := &c.plan.Files[res.index]
	err := c.passOver(res.index)
	c.at = res.index + 1
	if err != nil {
		return err
	}
	switch {
	case res.canceled:
		return c.notReached(f.Name())
	case res.err != nil:
		var failed *FileError
		if !errors.As(res.err, &failed) {
			failed = &FileError{File: f.Name(), Page: -1, Err: res.err}
		}
		c.sum.Failed = append(c.sum.Failed, failed)
		c.obs.FileDone(*f, res.size, failed)
		if takesNoMore(res.err) {
			return c.notReached(f.Name())
		}
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

// passOver accounts for files before index that no worker was given.
func (c *collector) passOver(index int) error {
	for ; c.at < index; c.at++ {
		f := &c.plan.Files[c.at]
		keep := c.notReached
		if f.Skip {
			c.sum.Skipped++
			keep = c.keepRows
		}
		if err := keep(f.Name()); err != nil {
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

// notReached is for the rows that an earlier run wrote of a file which this run was to do and did not come to. With
// Overwrite they stay out of the summary: its results are as unwanted as before, and SkipExisting with the flags of this run
// then goes on with it, where the row of another kernel would stop it. Without, results that are there are wanted.
func (c *collector) notReached(name string) error {
	if c.cfg.Overwrite || c.untold[name] {
		return nil
	}
	return c.keepRows(name)
}

// leaveUntold closes a result that came after the run broke off. No row tells of the file then, as the old ones may be of
// other results.
func (c *collector) leaveUntold(res *fileResult) {
	if res.err == nil && !res.skipped {
		c.untold[c.plan.Files[res.index].Name()] = true
	}
	res.rows.Close()
}

// putBack makes the old rows of all files of the plan those to be written: nothing was replaced.
func (c *collector) putBack() error {
	c.summary.Close()
	c.summary = &spool{dir: c.cfg.Out, temps: c.cfg.Temps}
	for i := range c.plan.Files {
		if err := c.keepRows(c.plan.Files[i].Name()); err != nil {
			return err
		}
	}
	return nil
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
// of a table on standard output. A table that an interruption or an error cut short is removed. Rows that were taken out
// of the summary and are right still come back.
func (c *collector) finish(interrupted, failed bool) error {
	defer func() { c.summary.Close() }()
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
	err = errors.Join(err, c.passOver(len(c.plan.Files)))
	if c.rowsOut && c.sum.Done == 0 && c.sum.LeftOut == 0 && len(c.untold) == 0 {
		err = errors.Join(err, c.putBack())
	}
	if c.sum.Done > 0 || c.rowsOut {
		c.writeSummary()
	}
	c.warnBeside()
	return err
}
