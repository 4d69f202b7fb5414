package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"segscan/internal/raster"
)

// fileResult is what a worker hands on of one file; the rest of the run takes it in order of Rel.
type fileResult struct {
	index    int
	size     int64
	pages    []PageSummary
	objects  [][]byte // for --json, one a page
	hints    [][2]string
	rows     *spool // for the table
	outputs  []string
	pixels   int64
	skipped  bool // nothing was missing
	canceled bool
	err      error       // a *FileError
	usage    *UsageError // ends the run
}

// process does one file from opening to its last output, and never panics.
func (r *runner) process(ctx context.Context, index int) (res *fileResult) {
	f := &r.plan.Files[index]
	res = &fileResult{index: index}
	work := &fileWork{runner: r, file: f, res: res, page: -1}
	defer func() {
		if p := recover(); p != nil {
			res.err = &PanicError{Value: p, Stack: debug.Stack()}
		}
		if res.err != nil {
			work.outputs.discard()
			res.rows.Close()
			res.pages, res.objects, res.rows, res.outputs = nil, nil, nil, nil
			res.canceled = ctx.Err() != nil
			errors.As(res.err, &res.usage)
			res.err = &FileError{File: f.Name(), Page: work.page, Err: res.err}
		}
	}()
	if f.Skip {
		res.skipped = true
		return res
	}
	res.err = work.do(ctx)
	return res
}

// fileWork is one file in hand.
type fileWork struct {
	*runner
	file    *PlannedFile
	res     *fileResult
	outputs outputSet
	page    int // in hand, -1 before and after
	of      int // pages to number pictures by: the file's, those reached by number only where one is asked for
	several bool
	said    []string  // warnings of the file that a page has carried
	records io.Writer // the pending records, nil without
	object  int       // JSON objects written to records
}

func (w *fileWork) do(ctx context.Context) error {
	src, err := openSource(ctx, w.cfg, w.file)
	if err != nil {
		return err
	}
	defer src.close()
	w.res.size = src.size
	rd, err := w.cfg.Open(src, src.size, w.file.Name(), w.cfg.Raster)
	if err != nil {
		return err
	}
	defer rd.Close()
	pages, of, err := w.cfg.choosePages(rd)
	if err != nil {
		return err
	}
	w.of, w.several = of, of > 1
	if w.cfg.SkipExisting {
		pages = w.withOldPages(pages)
	}
	w.outputs.replace = w.cfg.Overwrite || w.cfg.SkipExisting
	for _, i := range pages {
		w.page = i
		if err := w.one(ctx, rd, i); err != nil {
			return w.pageError(ctx, err)
		}
	}
	w.page = -1
	if err := w.endRecords(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.res.outputs, err = w.outputs.commit(); err != nil {
		return err
	}
	w.removeStale(rd)
	return nil
}

// removeStale removes pictures of pages that the file does not have any more: beside the records that have been
// replaced they would be taken for results of it.
func (w *fileWork) removeStale(rd raster.Reader) {
	all := rd.Pages()
	if e, ok := rd.(raster.ExtraPager); ok {
		all += e.ExtraPages()
	}
	might := map[string]bool{}
	for _, suffix := range w.cfg.pageSuffixes() {
		if rd.Pages() == 1 {
			might[w.cfg.outputPath(w.file.Rel, suffix)] = true
		}
		for i := range all {
			if all > 1 {
				might[w.cfg.outputPath(w.file.Rel, pageName(suffix, i, all))] = true
			}
		}
	}
	for _, path := range w.file.pictures {
		if !might[path] {
			_ = os.Remove(path) // one that stays does no more harm than before
		}
	}
}

// PageError is a page that fails a file of several, all of which fail with it.
type PageError struct {
	Page, Pages int
	Err         error
}

func (e *PageError) Error() string { return e.Err.Error() }
func (e *PageError) Unwrap() error { return e.Err }

// Hint is the remedy of the error itself, or says how to do the other pages.
func (e *PageError) Hint() string {
	var own interface{ Hint() string }
	if errors.As(e.Err, &own) && own.Hint() != "" {
		return own.Hint()
	}
	var others []string
	for _, r := range [][2]int{{0, e.Page - 1}, {e.Page + 1, e.Pages - 1}} {
		switch {
		case r[0] == r[1]:
			others = append(others, strconv.Itoa(r[0]))
		case r[0] < r[1]:
			others = append(others, fmt.Sprintf("%d-%d", r[0], r[1]))
		}
	}
	return "--page " + strings.Join(others, ",") + " leaves that page out"
}

// pageError is the error of the page in hand; one of the page alone comes with how to do without it.
func (w *fileWork) pageError(ctx context.Context, err error) error {
	var usage *UsageError
	var out *OutputError
	if !w.several || ctx.Err() != nil || errors.As(err, &usage) || errors.As(err, &out) {
		return err
	}
	return &PageError{w.page, w.of, err}
}

// newWarnings gives the file's warnings that no page before has carried: some are met only while decoding.
func (w *fileWork) newWarnings(rd raster.Reader) (fresh []string) {
	for _, msg := range rd.Warnings() {
		if !slices.Contains(w.said, msg) {
			fresh = append(fresh, msg)
		}
	}
	w.said = append(w.said, fresh...)
	return fresh
}

// one does one page.
func (w *fileWork) one(ctx context.Context, rd raster.Reader, i int) error {
	page, err := rd.Page(i)
	if err != nil {
		return err
	}
	info := page.Info()
	eng, reason, err := w.cfg.Engine(info)
	if err != nil {
		return err
	}
	job, err := newPageJob(w.cfg, page, eng)
	if err != nil {
		return err
	}
	free, err := w.budget.take(ctx, w.cfg.memory(rd.Format(), info))
	if err != nil {
		return err
	}
	defer free()
	if w.field != nil {
		if job.bands.field, err = w.field.of(ctx, info); err != nil {
			return err
		}
	}
	var spooled *spool // rows of JSON records, which follow the counts
	defer func() { spooled.Close() }()
	out := pageOutputs{rows: func() (*rowWriter, error) {
		rows, err := w.rowsOf(job)
		if err == nil {
			spooled, _ = rows.json.(*spool)
		}
		return rows, err
	}}
	if suffix := w.cfg.overlaySuffix(); suffix != "" {
		path := w.cfg.outputPath(w.file.Rel, pageName(suffix, i, w.of))
		out.picture = func(tags raster.TIFFTags) (*picture, error) { return w.beginPicture(path, tags) }
	}
	job.title = w.file.Name()
	if w.several {
		job.title += fmt.Sprintf(", page %d", i)
	}
	plotPath := func(p Plot) string {
		return w.cfg.outputPath(w.file.Rel, pageName(p.suffix(w.cfg.plotFormat()), i, w.of))
	}
	out.plots = w.cfg.Plots
	out.plot = func(p Plot) (*pending, error) { return w.begin(plotPath(p)) }
	if err := job.run(ctx, out); err != nil {
		return err
	}
	if f, ok := eng.(interface{ FallbackReason() string }); ok && f.FallbackReason() != "" {
		reason = f.FallbackReason() // the engine was changed under way
	}
	s := job.summary(w.file.Name(), w.newWarnings(rd), eng.Device(), reason)
	s.Asked = w.cfg.askedInFull()
	w.res.pages = append(w.res.pages, s)
	w.res.pixels += job.pixels()
	w.addHints(job, s.Warnings)
	if spooled != nil {
		if err := w.writeObject(s.object(), spooled); err != nil {
			return err
		}
	}
	if w.cfg.JSON {
		o := s.object()
		o.runObject = &runObject{Device: s.Device, Seconds: job.clock.rounded()}
		if reason != "" {
			o.FallbackReason = &reason
		}
		line, err := o.marshal()
		if err != nil {
			return fmt.Errorf("writing the page in JSON: %w", err)
		}
		w.res.objects = append(w.res.objects, append(line, '\n'))
	}
	return nil
}

// addHints keeps the warnings of a page for the observer.
func (w *fileWork) addHints(job *pageJob, warnings []string) {
	for i, msg := range warnings {
		hint := ""
		if job.mostlyActive() && i == len(warnings)-1 {
			hint = automaticHint
		}
		if w.several {
			msg = fmt.Sprintf("page %d: %s", job.info.Page, msg)
		}
		w.res.hints = append(w.res.hints, [2]string{msg, hint})
	}
}

// withOldPages adds the pages that an earlier run did to those asked for: a file that --skip-existing does not leave as
// it is is done as a whole, or its records would lose them.
func (w *fileWork) withOldPages(pages []int) []int {
	for _, i := range w.plan.old.pages(w.file.Name()) {
		if i >= 0 && i < w.of {
			pages = append(pages, i)
		}
	}
	slices.Sort(pages)
	return slices.Compact(pages)
}

// rowsOf sets up where the rows of a page go: the records of the file, begun with its first page, and the table.
func (w *fileWork) rowsOf(job *pageJob) (*rowWriter, error) {
	rows := newRowWriter(w.cfg, w.file.Name(), job.info, job.pixel)
	units := w.cfg.recordUnits(job.pixel) // the same for all pages of a file
	suffix := w.cfg.recordsSuffix()
	path := w.cfg.outputPath(w.file.Rel, suffix)
	if suffix != "" && w.records == nil {
		p, err := w.begin(path)
		if err != nil {
			return nil, err
		}
		w.records = p
		head := w.cfg.header(units)
		if w.cfg.Records == "json" {
			head = ""
			if w.several {
				head = "[\n"
			}
		}
		if _, err := io.WriteString(p, head); err != nil {
			return nil, err
		}
	}
	if w.records != nil {
		if w.cfg.Records == "json" {
			rows.json = &spool{dir: w.cfg.Out, temps: w.cfg.Temps}
		} else {
			rows.addCSV(w.records, units)
		}
	}
	if w.cfg.Table != "" {
		if w.res.rows == nil {
			w.res.rows = &spool{dir: w.cfg.Out, temps: w.cfg.Temps}
		}
		rows.addCSV(w.res.rows, w.cfg.tableUnits())
	}
	return rows, nil
}

// begin makes a pending output that appears or goes with the others of the file.
func (w *fileWork) begin(path string) (*pending, error) {
	p, err := newPending(path, w.cfg.Temps)
	if err != nil {
		return nil, err
	}
	w.outputs.files = append(w.outputs.files, p)
	return p, nil
}

func (w *fileWork) beginPicture(path string, tags raster.TIFFTags) (*picture, error) {
	p, err := w.begin(path)
	if err != nil {
		return nil, err
	}
	return &picture{out: p, writer: w.cfg.newPictureWriter(p, tags, w.inner)}, nil
}

// writeObject adds a page to JSON records: a file of several pages is an array of objects, any other is one object.
func (w *fileWork) writeObject(o *pageObject, rows *spool) error {
	if w.object++; w.object > 1 {
		if _, err := io.WriteString(w.records, ",\n"); err != nil {
			return err
		}
	}
	return writeJSONRecords(w.records, o, rows)
}

func (w *fileWork) endRecords() error {
	if w.records == nil || w.cfg.Records != "json" {
		return nil
	}
	tail := "\n"
	if w.several {
		tail = "\n]\n"
	}
	_, err := io.WriteString(w.records, tail)
	return err
}
