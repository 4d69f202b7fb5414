package batch

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
)

// oldSummary is a summary.csv that is there already, of earlier runs into the same folder.
type oldSummary struct {
	exists  bool
	unread  error  // why its rows cannot be told, without its path; nil where they can, and where it has none
	foreign string // why it is no summary of this program, "" where it is one
	rows    map[string][]oldRow
}

// oldRow is one page of it. line is the row as it stands, with its end.
type oldRow struct {
	page  int
	asked string
	line  []byte
}

// readSummary reads the summary at path; none gives no rows. One that cannot be read may hold rows that somebody wants,
// which one that is something else, or empty, does not.
func readSummary(path string) oldSummary {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Lstat(path); err != nil {
				return oldSummary{}
			}
			err = errors.New("it is a link to nothing")
		}
		return oldSummary{exists: true, unread: bare(err)}
	}
	defer f.Close()
	s := oldSummary{exists: true, rows: map[string][]oldRow{}}
	kernel := slices.Index(summaryColumns, "kernel")
	rows := csv.NewReader(bufio.NewReader(f))
	head, err := rows.Read()
	switch malformed := (*csv.ParseError)(nil); {
	case err == io.EOF:
		return oldSummary{exists: true, foreign: "it is empty"}
	case errors.As(err, &malformed), err == nil && !slices.Equal(head, summaryColumns):
		return oldSummary{exists: true, foreign: "it has other columns"}
	case err != nil:
		return oldSummary{exists: true, unread: bare(err)}
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return s
		}
		var page int
		if err == nil {
			if page, err = strconv.Atoi(row[1]); err != nil {
				line, _ := rows.FieldPos(1)
				err = fmt.Errorf("line %d has no number of a page", line)
			}
		}
		var line []byte
		if err == nil {
			line, err = csvLine(row)
		}
		if err != nil {
			return oldSummary{exists: true, unread: bare(err)}
		}
		s.rows[row[0]] = append(s.rows[row[0]], oldRow{page, row[kernel], line})
	}
}

// without gives the rows of the files that are not named, sorted by file.
func (s *oldSummary) without(names map[string]bool) (rows []namedRow) {
	for _, name := range slices.Sorted(maps.Keys(s.rows)) {
		if !names[name] {
			for _, r := range s.rows[name] {
				rows = append(rows, namedRow{name, r.line})
			}
		}
	}
	return rows
}

// pages are those that the summary has rows of.
func (s *oldSummary) pages(name string) []int {
	var all []int
	for _, r := range s.rows[name] {
		all = append(all, r.page)
	}
	return all
}

// namedRow is a row of a summary and the file it is of.
type namedRow struct {
	name string
	line []byte
}

// oldSummaryStays refuses a summary.csv that is an input, a folder, cannot be read, or is something else. Only the last
// is for Overwrite to replace: rows of other files would go unseen with one that cannot be read.
func (p *Plan) oldSummaryStays(cfg *Config) error {
	path := cfg.summaryPath()
	if err := p.checkInputs([]string{path}); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &UsageError{Msg: recordName(path) + " is a folder where an output would be", Hint: "rename it or give another -o"}
	}
	if p.old.unread != nil {
		return &UsageError{
			Msg:  fmt.Sprintf("%s cannot be read: %v", recordName(path), p.old.unread),
			Hint: "it may hold rows of other files, so mend it or move it away, or give another -o",
		}
	}
	if p.old.foreign != "" && !cfg.Overwrite {
		return &UsageError{
			Msg:  recordName(path) + " exists and is no summary of segments: " + p.old.foreign,
			Hint: "--overwrite replaces it, or give another -o",
		}
	}
	return nil
}
