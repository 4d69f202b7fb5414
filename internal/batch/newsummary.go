package batch

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// mergeRows puts rows of other files among ours, by name.
func mergeRows(ours io.Reader, rows []namedRow) ([]namedRow, error) {
	for r := csv.NewReader(ours); ; {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading the rows of this run again: %w", err)
		}
		line, err := csvLine(fields)
		if err != nil {
			return nil, err
		}
		rows = append(rows, namedRow{fields[0], line})
	}
	slices.SortStableFunc(rows, func(a, b namedRow) int { return strings.Compare(a.name, b.name) })
	return rows, nil
}

// writeSummaryFile writes the summary at path anew: the header and what body adds to it. Where it exists by then, it is
// replaced only if replace says so.
func (c *Config) writeSummaryFile(replace bool, body func(io.Writer) error) error {
	p, err := newPending(c.summaryPath(), c.Temps)
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
	if err := body(p); err != nil {
		return err
	}
	return p.commit(replace)
}

func writeRows(w io.Writer, rows []namedRow) error {
	for _, r := range rows {
		if _, err := w.Write(r.line); err != nil {
			return err
		}
	}
	return nil
}

// takeOutRows takes the rows of all files that this run is to do out of the summary, before it replaces anything:
// however the run ends, no row stands there of results that are gone, and SkipExisting takes a file for done only by the
// row that belongs to its results. Rows of other files stay as they are by now, another run may be at work on them. An
// error is a *UsageError.
func (r *runner) takeOutRows() error {
	path := r.cfg.summaryPath()
	todo := r.plan.names(func(f *PlannedFile) bool { return !f.Skip })
	now := readSummary(path)
	err := now.unread
	if err == nil {
		rows, all := now.without(todo), 0
		for _, of := range now.rows {
			all += len(of)
		}
		if len(rows) == all {
			return nil
		}
		err = r.cfg.writeSummaryFile(true, func(w io.Writer) error { return writeRows(w, rows) })
	}
	if err != nil {
		if o := (*OutputError)(nil); errors.As(err, &o) {
			err = o.Err
		}
		return &UsageError{
			Msg:  fmt.Sprintf("%s cannot be written, and would keep rows of results that are replaced: %v", recordName(path), err),
			Hint: "nothing has been replaced; make room, or make the file one that can be replaced, or give another -o",
		}
	}
	r.rowsOut = true
	return nil
}

// names are those of the files chosen.
func (p *Plan) names(chosen func(*PlannedFile) bool) map[string]bool {
	names := make(map[string]bool, len(p.Files))
	for i := range p.Files {
		if f := &p.Files[i]; chosen(f) {
			names[f.Name()] = true
		}
	}
	return names
}

// writeSummary writes the rows that c has gathered, and among them those that other files have in the summary by now:
// another run into the same folder may have changed them meanwhile.
func (c *collector) writeSummary() {
	path := c.cfg.summaryPath()
	err := func() error {
		now := readSummary(path)
		if now.unread != nil {
			return fmt.Errorf("cannot be read: %w", now.unread)
		}
		others := now.without(c.plan.names(func(*PlannedFile) bool { return true }))
		return c.cfg.writeSummaryFile(c.cfg.Overwrite || now.exists && now.foreign == "", func(w io.Writer) error {
			if len(others) == 0 {
				_, err := c.summary.WriteTo(w)
				return err
			}
			var ours bytes.Buffer
			if _, err := c.summary.WriteTo(&ours); err != nil {
				return err
			}
			rows, err := mergeRows(&ours, others)
			if err != nil {
				return err
			}
			return writeRows(w, rows)
		})
	}()
	if err != nil {
		c.sum.Failed = append(c.sum.Failed, &FileError{File: recordName(path), Page: -1, Err: itself(path, err)})
		return
	}
	if c.sum.Done > 0 {
		c.sum.Outputs = append(c.sum.Outputs, path)
	}
}
