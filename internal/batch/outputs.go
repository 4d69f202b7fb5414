package batch

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
)

// nameOutputs fills in the outputs of every file, refuses names that would meet, and finds what exists. Files are
// in order of Rel.
func (p *Plan) nameOutputs(ctx context.Context, cfg *Config) error {
	suffixes := cfg.suffixes()
	for i := range p.Files {
		f := &p.Files[i]
		for _, suffix := range suffixes {
			f.Outputs = append(f.Outputs, cfg.outputPath(f.Rel, suffix))
		}
	}
	if err := p.checkMeeting(cfg); err != nil {
		return err
	}
	if err := p.checkCase(cfg); err != nil {
		return err
	}
	if err := p.checkExisting(ctx, cfg); err != nil {
		return err
	}
	if !cfg.Overwrite && !cfg.SkipExisting && !cfg.noSummary {
		if err := p.sameKernel(cfg); err != nil {
			return err
		}
	}
	return p.checkOldTable(cfg)
}

// find looks a file up by Rel.
func (p *Plan) find(rel string) (*PlannedFile, bool) {
	i := sort.Search(len(p.Files), func(i int) bool { return p.Files[i].Rel >= rel })
	if i < len(p.Files) && p.Files[i].Rel == rel {
		return &p.Files[i], true
	}
	return nil, false
}

// ownerOf finds the file that has an output of this name below the output folder; pages are the suffixes of which each
// page has one.
func (p *Plan) ownerOf(name string, suffixes, pages []string) (*PlannedFile, bool) {
	for _, suffix := range suffixes {
		stem, ok := strings.CutSuffix(name, suffix)
		if !ok {
			continue
		}
		if f, ok := p.find(stem); ok {
			return f, true
		}
		if stem, ok = pageNumbered(stem); ok && slices.Contains(pages, suffix) {
			if f, ok := p.find(stem); ok {
				return f, true
			}
		}
	}
	return nil, false
}

// checkMeeting refuses outputs of different inputs that would meet. Rels differ, so that is so only where one is
// named like a page of another (a.tif and a.tif.p0001), where a folder is named like an output
// (a.png.overlay.png/b.png beside a.png), and for the table.
func (p *Plan) checkMeeting(cfg *Config) error {
	meet := func(f *PlannedFile, other, as string) error {
		return &UsageError{
			Msg:  fmt.Sprintf("outputs of %s and %s would meet at %s", f.Name(), recordName(other), recordName(as)),
			Hint: "rename one of them, or take them in two runs, each with its own -o",
		}
	}
	pages, suffixes := cfg.pageSuffixes(), cfg.suffixes()
	for i := range p.Files {
		f := &p.Files[i]
		if stem, ok := pageNumbered(f.Rel); ok && len(pages) > 0 {
			if _, ok := p.find(stem); ok {
				return meet(f, stem, f.Rel+pages[0])
			}
		}
		for dir := path.Dir(f.Rel); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if dir == summaryName {
				return meet(f, summaryName, dir)
			}
			if owner, ok := p.ownerOf(dir, suffixes, pages); ok {
				return meet(f, owner.Rel, dir)
			}
		}
	}
	if cfg.Table == "" || cfg.Table == "-" {
		return nil
	}
	table, err := filepath.Abs(cfg.Table)
	if err != nil {
		return fmt.Errorf("finding the table %s: %w", cfg.Table, err)
	}
	out, err := filepath.Abs(cfg.Out)
	if err != nil {
		return fmt.Errorf("finding the output folder %s: %w", cfg.Out, err)
	}
	below, err := filepath.Rel(out, table)
	if err != nil {
		return nil // on another volume
	}
	below = filepath.ToSlash(below)
	if f, ok := p.ownerOf(below, suffixes, pages); ok {
		return &UsageError{
			Msg:  fmt.Sprintf("the table %s is an output of %s too", cfg.Table, f.Name()),
			Hint: "give the table another name",
		}
	}
	if below == summaryName {
		return &UsageError{Msg: fmt.Sprintf("the table %s is the summary too", cfg.Table), Hint: "give the table another name"}
	}
	return nil
}

// checkCase refuses outputs that differ only in case where the output folder's file system takes them for one.
// Elsewhere A.png and a.png are two files.
func (p *Plan) checkCase(cfg *Config) error {
	seen := make(map[string]int, len(p.Files))
	for i := range p.Files {
		folded := fold(p.Files[i].Rel)
		k, ok := seen[folded]
		if !ok {
			seen[folded] = i
			continue
		}
		if !foldsCase(cfg.Out) {
			return nil
		}
		return &UsageError{
			Msg: fmt.Sprintf("%s and %s differ only in case, which the file system of %s does not tell apart",
				p.Files[k].Name(), p.Files[i].Name(), cfg.Out),
			Hint: "rename one of them, or take them in two runs, each with its own -o",
		}
	}
	return nil
}

func fold(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// foldsCase tells whether the file system that holds dir, or its nearest ancestor that exists, ignores case. It
// writes nothing: it looks the folder up by its name in the other case.
func foldsCase(dir string) bool {
	dir, err := filepath.Abs(dir)
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		name := filepath.Base(dir)
		other := strings.Map(otherCase, name)
		if other == name {
			continue
		}
		flipped, err := os.Stat(filepath.Join(filepath.Dir(dir), other))
		return err == nil && os.SameFile(info, flipped)
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin"
}

func otherCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// checkExisting finds outputs that exist. One that is an input is refused always, any other unless Overwrite or
// SkipExisting says what to do; with SkipExisting a file that is done is marked Skip. A summary of earlier runs is no
// conflict: its rows are kept. Neither is replaced under SkipExisting if it is something else.
func (p *Plan) checkExisting(ctx context.Context, cfg *Config) error {
	var existing []string
	p.old = readSummary(cfg.summaryPath())
	records, pages := cfg.recordsSuffix(), cfg.pageSuffixes()
	if cfg.SkipExisting { // before files are opened
		if err := p.sameKernel(cfg); err != nil {
			return err
		}
	}
	top, _ := filepath.Split(cfg.summaryPath())
	listed := map[string][]string{top: folderNames(top)}
	for i := range p.Files {
		f := &p.Files[i]
		dir, base := filepath.Split(cfg.outputPath(f.Rel, ""))
		names, ok := listed[dir]
		if !ok {
			names = folderNames(dir)
			listed[dir] = names
		}
		if len(names) == 0 {
			continue
		}
		if records != "" && has(names, base+records) {
			existing = append(existing, filepath.Join(dir, base+records))
		}
		for _, suffix := range pages {
			if has(names, base+suffix) {
				f.pictures = append(f.pictures, filepath.Join(dir, base+suffix))
			}
			for _, name := range pagePictures(names, base, suffix) {
				f.pictures = append(f.pictures, filepath.Join(dir, name))
			}
		}
		existing = append(existing, f.pictures...)
		if !cfg.noSummary {
			for _, name := range cfg.otherResults(names, base) {
				f.others = append(f.others, filepath.Join(dir, name))
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if !cfg.SkipExisting {
			continue
		}
		done, err := p.doneBefore(ctx, cfg, f, names)
		if err != nil {
			return err
		}
		if done {
			f.Skip = true
			p.Existing++
		}
	}
	p.noteLeftovers(listed, time.Now())
	if name := cfg.Table; name != "" && name != "-" {
		if _, err := os.Lstat(name); err == nil {
			existing = append(existing, name)
		}
	}
	if p.old.exists && !cfg.noSummary {
		if err := p.oldSummaryStays(cfg); err != nil {
			return err
		}
	}
	if len(existing) == 0 {
		return nil
	}
	if err := p.checkInputs(existing); err != nil {
		return err
	}
	for _, name := range existing {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			hint := "rename it or give another -o"
			if name == cfg.Table {
				hint = "give --table the name of a file, such as " + filepath.ToSlash(filepath.Join(recordName(name), "table.csv"))
			}
			return &UsageError{Msg: recordName(name) + " is a folder where an output would be", Hint: hint}
		}
	}
	if cfg.Overwrite || cfg.SkipExisting {
		return nil
	}
	msg := recordName(existing[0]) + " exists"
	if n := len(existing) - 1; n > 0 {
		msg += fmt.Sprintf(", and %d more", n)
	}
	hint := "--overwrite replaces, --skip-existing keeps them, or give another -o"
	if cfg.noSummary { // nothing tells what an earlier run of such work did
		hint = "--overwrite replaces, or give another -o"
	}
	return &UsageError{Msg: msg, Hint: hint}
}

// folderNames lists a folder, "" being the current one, in order; one that cannot be read is as good as empty, writing
// there will tell.
func folderNames(dir string) []string {
	entries, _ := os.ReadDir(filepath.Clean(dir))
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names // os.ReadDir sorts by name
}

func has(names []string, name string) bool {
	_, found := slices.BinarySearch(names, name)
	return found
}

// pagePictures gives the outputs of numbered pages of one file, of one suffix, among sorted names.
func pagePictures(names []string, base, suffix string) []string {
	var found []string
	prefix := base + ".p"
	at, _ := slices.BinarySearch(names, prefix)
	for ; at < len(names) && strings.HasPrefix(names[at], prefix); at++ {
		stem, ok := strings.CutSuffix(names[at], suffix)
		if !ok {
			continue
		}
		if stem, ok = pageNumbered(stem); ok && stem == base {
			found = append(found, names[at])
		}
	}
	return found
}

// checkInputs refuses outputs that are inputs, by whatever links either is reached. Only outputs that exist can be.
func (p *Plan) checkInputs(existing []string) error {
	real := realNames{}
	inputs := make(map[string]int, len(p.Files))
	for i := range p.Files {
		if f := &p.Files[i]; f.Path != "-" {
			inputs[real.input(f.Path)] = i
			inputs[real.of(f.Path)] = i
		}
	}
	results := make(map[string]string, len(p.results))
	for _, name := range p.results {
		results[real.of(name)] = name
	}
	for _, name := range existing {
		if in, ok := results[real.of(name)]; ok {
			return &UsageError{
				Msg:  fmt.Sprintf("the output %s is the input %s, taken for a result of an earlier run", recordName(name), recordName(in)),
				Hint: "folders of inputs are written to only where nothing exists; give another -o",
			}
		}
		if i, ok := inputs[real.of(name)]; ok {
			return &UsageError{
				Msg:  fmt.Sprintf("the output %s is the input %s", recordName(name), recordName(p.Files[i].Path)),
				Hint: "inputs are never written to; give another -o, or leave it out with --exclude",
			}
		}
	}
	return nil
}

// realNames caches the real path of folders: the keys are as they were asked for.
type realNames map[string]string

// of is path with the links of its folder resolved, in one case where the system ignores case.
func (r realNames) of(name string) string {
	dir, base := filepath.Split(name)
	real, ok := r[dir]
	if !ok {
		real = dir
		if dir == "" {
			real = "."
		}
		if abs, err := filepath.Abs(real); err == nil {
			real = abs
		}
		if resolved, err := filepath.EvalSymlinks(real); err == nil {
			real = resolved
		}
		r[dir] = real
	}
	return systemCase(filepath.Join(real, base))
}

// input is name with all links resolved, its own too.
func (r realNames) input(name string) string {
	if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink != 0 {
		if resolved, err := filepath.EvalSymlinks(name); err == nil {
			return r.of(resolved)
		}
	}
	return r.of(name)
}

func systemCase(name string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return fold(name)
	}
	return name
}
