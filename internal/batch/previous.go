package batch

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"segscan/internal/raster"
)

// doneBefore tells whether an earlier run did all that this one would do for a file: each output is there, and the
// summary has a row of each page asked for. names are those in the folder of its outputs, sorted. Where only the file
// can tell how many pages it has, it is opened. An error is a *UsageError: the records are of another pixel size, or have
// columns that they would lose if the file were done anew.
func (p *Plan) doneBefore(ctx context.Context, cfg *Config, f *PlannedFile, names []string) (bool, error) {
	old := cfg.oldRecordsOf(f)
	if err := cfg.samePixels(f, old); err != nil {
		return false, err
	}
	there, whole := p.allThere(ctx, cfg, f, names), cfg.holdAsked(old)
	if there && whole {
		return true, nil
	}
	if err := cfg.keepsColumns(ctx, f, old); err != nil {
		return false, err
	}
	if there {
		p.noteLacking(cfg.lacking(old))
	}
	return false, nil
}

// allThere is doneBefore without a look into the records.
func (p *Plan) allThere(ctx context.Context, cfg *Config, f *PlannedFile, names []string) bool {
	rows := p.old.pages(f.Name())
	base := filepath.Base(cfg.outputPath(f.Rel, ""))
	records, pictures := cfg.recordsSuffix(), cfg.pageSuffixes()
	if len(rows) == 0 || records != "" && !has(names, base+records) {
		return false
	}
	there := func(pages []int, of int) bool {
		for _, suffix := range pictures {
			for _, i := range pages {
				if !has(names, base+pageName(suffix, i, of)) {
					return false
				}
			}
		}
		return true
	}
	if slices.Equal(rows, []int{0}) && cfg.Pages == nil && len(pictures) > 0 && there(rows, 1) {
		return true // pictures of a file that has one page have no number in their names
	}
	if info, err := os.Stat(f.Path); f.Path == "-" || err == nil && !info.Mode().IsRegular() {
		return there(rows, 1) || there(rows, 2) // it can be read once: what an earlier run met has to do
	}
	pages, of, err := pagesOf(ctx, cfg, f)
	if err != nil {
		return false // the run will say so
	}
	covered := !slices.ContainsFunc(pages, func(i int) bool { return !slices.Contains(rows, i) })
	return covered && there(pages, of)
}

// pagesOf opens a file for the pages asked for, and the number of pages that names of pictures go by.
func pagesOf(ctx context.Context, cfg *Config, f *PlannedFile) (pages []int, of int, err error) {
	src, err := openSource(ctx, cfg, f)
	if err != nil {
		return nil, 0, err
	}
	defer src.close()
	rd, err := cfg.Open(src, src.size, f.Name(), cfg.Raster)
	if err != nil {
		return nil, 0, err
	}
	defer rd.Close()
	return cfg.choosePages(rd)
}

// choosePages gives the pages of an opened file that are asked for, and the number of pages that names of pictures go
// by: the file's, those reached by number only where one of them is asked for.
func (c *Config) choosePages(rd raster.Reader) (pages []int, of int, err error) {
	of = rd.Pages()
	if of < 1 {
		return nil, 0, errors.New("holds no page")
	}
	extra := 0
	if e, ok := rd.(raster.ExtraPager); ok {
		extra = e.ExtraPages()
	}
	if pages, err = c.Pages.resolve(of, extra); err != nil {
		return nil, 0, err
	}
	if n := len(pages); n > 0 && pages[n-1] >= of {
		of += extra
	}
	return pages, of, nil
}

// sameKernel refuses files that another kernel segmented, or the same one by other flags that decide on samples and
// segments (see askedInFull): left as they are, the results of one run would be of two; done anew, those of the earlier
// run would be replaced unasked, if only in the summary.
func (p *Plan) sameKernel(cfg *Config) error {
	now := cfg.askedInFull()
	for i := range p.Files {
		f := &p.Files[i]
		for _, r := range p.old.rows[f.Name()] {
			if r.asked != now {
				return &UsageError{
					Msg: fmt.Sprintf("%s was segmented before with the kernel %s, and %s is asked for now",
						f.Name(), r.asked, now),
					Hint: "--overwrite segments it anew, or give another -o",
				}
			}
		}
	}
	return nil
}

// checkOldTable refuses to replace a table, unasked, that is something else or holds rows that would be lost.
func (p *Plan) checkOldTable(cfg *Config) error {
	if cfg.Table == "" || cfg.Table == "-" || !cfg.SkipExisting {
		return nil
	}
	f, err := os.Open(cfg.Table)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	const hint = "--overwrite replaces it, or give --table another name"
	other := &UsageError{Msg: fmt.Sprintf("the table %s exists and is no table of segments", recordName(cfg.Table)), Hint: hint}
	if err != nil {
		return other
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	head, err := in.ReadString('\n')
	if err != nil || cfg.oldColumns(head) == nil {
		return other
	}
	rows := csv.NewReader(in)
	rows.ReuseRecord = true
	inputs := map[string]bool{}
	for i := range p.Files {
		inputs[p.Files[i].Name()] = true
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return other
		}
		if !inputs[row[0]] {
			return &UsageError{
				Msg:  fmt.Sprintf("the table %s holds rows of %s, which is no input of this run", recordName(cfg.Table), row[0]),
				Hint: hint,
			}
		}
	}
}
